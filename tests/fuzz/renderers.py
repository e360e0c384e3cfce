# SPDX-License-Identifier: Apache-2.0
"""What the native core finds in logs of mutated lines, beside what the reference finds.

The reference gets a log whole, the core in pieces.
"""

import random
import re
from dataclasses import dataclass

from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.lines.selection import Wanted
from tests.fuzz.fuzzer import Fuzzer
from tests.kit.mutated import TOKENS, cuts, log_of, mutated
from tests.kit.renderers import anchor_of, answered, cut, known_of, new_lines, renderer
from tests.reference.log import findings

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
        known = None if case.passed is None else known_of(case.passed)
        found = _found(case, known)
        wanted = _as_found(findings(case.log, known and {*new_lines(case.log, known)}))
        names = [name for name in wanted if wanted[name] != found[name]]
        return "\n".join(f"{one}: {wanted[one]!r}\nthe core: {found[one]!r}" for one in names)


def _found(case, known):
    """What the native core finds in the log, by what it is."""
    pieces = cut(case.log, (at for at in case.cuts if at <= len(case.log)))
    page, summary = (
        answered(renderer(), pieces, Wanted(view, written=1.4e9, known=known))[0]
        for view in ("html", "summary")
    )
    cause = summary["cause"]
    return {
        # An initial in lower case is of the lines above.
        "lines": [
            (initial if initial.isupper() else b"", name)
            for initial, name in _ELEMENT.findall(page)
        ],
        "cause": cause
        and (*(cause["line"], cause["last"], cause["why"], cause.get("silent_step")),),
        "others": [one["line"] for one in summary.get("other_failures", ())],
        "failed": summary["failed"],
        "verdict": summary["verdict"],
        "passed": summary["passed"],
        "chapters": [
            (one["name"], one["first"], one["last"], one["outcome"]) for one in summary["chapters"]
        ],
        "more": summary["more_chapters"],
    }


def _as_found(expected):
    """The same of what the reference finds."""
    lines, last = [], b""
    for seen in expected.seen:
        anchor = anchor_of(seen.time)
        initial = SEVERITIES[seen.rank][:1].encode() if seen.rank else b""
        lines.append((initial, anchor if anchor != last else b""))
        last = anchor or last
    cause = expected.cause
    return {
        "lines": lines,
        "cause": cause and (cause.first.number, cause.last, cause.why, cause.silent_step),
        "others": [one.first.number for one in expected.others],
        "failed": expected.failed,
        "verdict": expected.verdict,
        "passed": expected.passed,
        "chapters": [(one.name, one.first, one.last, one.outcome) for one in expected.chapters],
        "more": expected.more_chapters,
    }
