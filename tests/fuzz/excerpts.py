# SPDX-License-Identifier: Apache-2.0
"""Excerpts of mutated logs: within their bytes, of the log's own lines, and the same however a log is cut."""

import random
import re
from dataclasses import dataclass

from oslogserve.pages.log import LogView
from oslogserve.query import Query
from oslogserve.query.parameters import LEAST_BRIEF, MOST_BRIEF
from tests.fuzz.fuzzer import Fuzzer
from tests.kit.mutated import cuts, log_of
from tests.kit.open_logs import open_log
from tests.kit.renderers import cut, renderer

#: Bytes that a terminal obeys.
_OBEYED = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
_LEFT_OUT = re.compile(r" \.\.\. [\d,]+ bytes \.\.\. ")
_MORE = re.compile(r" \[(?:at least )?[\d,]+ more like it\]$")
_CAUSE = re.compile(r"likely cause at lines? ([\d,]+)")
_RUN = re.compile(r"(?:\.\.\. [\d,]+ lines? left out: )?\?goto=(\d+)(?:-(\d+))?")


@dataclass(frozen=True)
class Case:
    log: bytes
    cuts: tuple[int, ...]
    size: int


class Excerpts(Fuzzer):
    name = "excerpts"
    shortens = "log", "cuts"
    imports = "from tests.fuzz.excerpts import Case, Excerpts\n"

    def case_of(self, number):
        chance = random.Random(number)
        log = b"\n".join(log_of(chance) for _ in range(chance.randrange(1, 4)))
        log *= chance.choice((1, 1, 30, 100))
        if chance.random() < 0.2:
            log += chance.choice((b"x", b"ERROR: ", b"\xc3\xa9", b"\x1b[31m", b"a\r")) * 9000
        log += log_of(chance)
        size = chance.choice((LEAST_BRIEF, 501, 2000, 16_000, chance.randrange(500, MOST_BRIEF)))
        return Case(log, cuts(chance, len(log)), size)

    def fault(self, case):
        pieces = cut(case.log, (at for at in case.cuts if at <= len(case.log)))
        text = _excerpt([case.log], case.size)
        if len(text) > case.size:
            return f"{len(text)} bytes of text"
        if text != _excerpt(pieces, case.size):
            return "it is another one of the log in pieces"
        return _fault_of_text(text, case.log)


def _excerpt(pieces, size):
    query = Query(b"a.txt", False, format="brief", size=size)
    log = open_log(*pieces, modified=1.4e9)
    return b"".join(LogView(query, log, renderer()).render("brief", log.text()))


def _is_of(shown, line):
    """True if the text is what is shown of the line, as far as it is easy to tell."""
    text = line.decode(errors="replace")
    if _OBEYED.search(line) or not text.isprintable():
        return True
    begin, *rest = _LEFT_OUT.split(shown)
    if len(rest) != 1:
        return shown == text
    return text.startswith(begin.rstrip("\ufffd")) and text.endswith(rest[0].lstrip("\ufffd"))


def _fault_of_text(content, log):
    """A run has as many lines as its numbers say, and the first line tells of the log."""
    lines = log.decode(errors="replace").split("\n")
    head, *shown = content.decode().split("\n")
    if not head.startswith("/a.txt: "):
        return f"the first line is {head!r}"
    cause = _CAUSE.search(head)
    cause_at = int(cause[1].replace(",", "")) if cause else 0
    place = 0
    while place < len(shown) and (run := _RUN.fullmatch(shown[place])):
        first, last = int(run[1]), int(run[2] or run[1])
        place += 1
        for number in range(first, last + 1):
            text = _MORE.sub("", shown[place])
            column = ">" if number == cause_at else " "
            if text and text[0] != column:
                return f"line {number} has another column: {text!r}"
            if not _is_of(text[1:], lines[number - 1].encode()):
                return f"line {number} is {shown[place]!r}"
            place += 1
    rest = shown[place:]
    if len(rest) > 2 or not re.fullmatch(r"(\.\.\. [\d,]+ lines? left out\n)?", "\n".join(rest)):
        return f"behind the last run is {rest!r}"
    return ""
