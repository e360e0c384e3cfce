# SPDX-License-Identifier: Apache-2.0
"""What the native core finds in pieces of logs of mutated lines.

Times and severities are those that the reference recognises, and summaries those of the log whole.
"""

import random
import re
from dataclasses import dataclass

from oslogserve.lines.selection import Wanted
from oslogserve.native import SEVERITIES
from tests.fuzz.fuzzer import Fuzzer
from tests.kit.mutated import TOKENS, cuts, log_of, mutated
from tests.kit.renderers import anchor_of, answered, cut, renderer, words_of
from tests.reference.recognise import seen_in

_ELEMENT = re.compile(
    rb'<li(?: class=(?:"?(\w)\b[^>]*?|new))? id=L\d+><a href=#L\d+(?: name=([^>]*))?>'
)


@dataclass(frozen=True)
class Case:
    log: bytes
    cuts: tuple[int, ...]
    #: The log that lines are compared with; None for none.
    passed: bytes | None


class Renderers(Fuzzer):
    name = "renderers"
    shortens = "log", "cuts"
    imports = "from tests.fuzz.renderers import Case, Renderers\n"

    def case_of(self, number):
        chance = random.Random(number)
        log = log_of(chance)
        passed = (
            mutated(log_of(chance), chance, TOKENS, 400) + log[: chance.randrange(len(log) + 1)]
        )
        return Case(log, cuts(chance, len(log)), chance.choice((None, None, passed)))

    def fault(self, case):
        known = None if case.passed is None else words_of(case.passed)
        pieces = cut(case.log, (at for at in case.cuts if at <= len(case.log)))
        wanted = {"lines": _as_recognised(case.log), **_summary([case.log], known)}
        found = {"lines": _shown(pieces, known), **_summary(pieces, known)}
        names = [name for name in wanted if wanted[name] != found.get(name)]
        return "\n".join(f"{one}: {wanted[one]!r}\nin pieces: {found.get(one)!r}" for one in names)


def _summary(pieces, known):
    return answered(renderer(), pieces, Wanted("summary", written=1.4e9, words=known))[0]


def _shown(pieces, known):
    """Severity and anchor of each line of the page; none for a severity of the lines above, an initial in lower case."""
    page = answered(renderer(), pieces, Wanted("html", written=1.4e9, words=known))[0]
    return [
        (initial if initial.isupper() else b"", name) for initial, name in _ELEMENT.findall(page)
    ]


def _as_recognised(log):
    """The same, as the reference recognises each line."""
    lines, last, above = [], b"", b""
    for text in log.removesuffix(b"\n").split(b"\n") if log else ():
        seen = seen_in(text, above)
        anchor, above = anchor_of(seen.time), text
        initial = SEVERITIES[seen.rank][:1].encode() if seen.rank else b""
        lines.append((initial, anchor if anchor != last else b""))
        last = anchor or last
    return lines
