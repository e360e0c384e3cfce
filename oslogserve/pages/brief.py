# SPDX-License-Identifier: Apache-2.0
"""An excerpt of a failed log as text, in at most the bytes that are asked for."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from oslogserve.humanize import counted, duration
from oslogserve.lines.brief.choice import Shown, chosen
from oslogserve.lines.brief.marked import MarkedLine
from oslogserve.lines.brief.worth import weighed
from oslogserve.lines.summary import Summary
from oslogserve.messages import cut, visible

#: Parts of an excerpt that a name, the sentences about what is missing, and a link or a step's name take at
#: most.
PART_OF_NAME, PART_OF_NOTICES, PART_OF_LINK = 4, 5, 8
#: Bytes of a step's name.
MOST_OF_STEP = 80
#: What stands before the first line of the cause, and before other lines.
CAUSE, OTHER = ">", " "
#: What stands before numbers of lines instead of a long link.
NO_LINK = "lines "
_SECOND = 10**6


class Excerpted(NamedTuple):
    """A log of which an excerpt is made."""

    #: What the reader calls it: its path in a URL, or the name of a file.
    name: str
    #: What stands before the numbers of lines, which then lead to them: "?goto=" or "FILE:".
    link: str
    summary: Summary
    #: The lines of its plan.
    lines: Sequence[MarkedLine]
    #: The number of all its lines.
    total: int

    @property
    def is_compared(self) -> bool:
        """True if lines are told apart that have no like in another log."""
        cause = self.summary.cause
        return cause is not None and cause.new is not None


def text(log: Excerpted, size: int, notices: Sequence[str]) -> bytes:
    """The excerpt as text of at most so many bytes. notices: sentences about what is missing."""
    end = ending(notices, size // PART_OF_NOTICES)
    log = log._replace(name=cut(visible(log.name), size // PART_OF_NAME))
    return (section(log, size - length(end)) + end).encode()


def section(log: Excerpted, size: int) -> str:
    """The first line, and runs of lines, of at most so many bytes; nothing if no line has room."""
    head = f"{visible(log.name)}: {_told(log, size)}\n"
    link = visible(log.link)
    log = log._replace(link=link if length(link) <= size // PART_OF_LINK else NO_LINK)
    digits = len(f"{log.total:,}")
    of_gap = length("...  lines left out\n") + digits
    of_run = of_gap + length(f": {log.link}-") + 2 * digits
    left = size - length(head) - of_gap
    if left < 0:
        return ""
    weights = weighed(log.lines, log.summary, log.total)
    runs = chosen(weights, left, lambda line: length(_line(line, log)), of_run)
    has_text = any(line.content.strip() for line in log.lines)
    return head + "".join(_runs(runs, log)) if runs or not has_text else ""


def ending(notices: Sequence[str], size: int) -> str:
    """Lines in brackets, of at most so many bytes: the first sentences, and how many more there are.

    Of the first one, the middle is left out if need be.
    """
    lines = [f"[{visible(notice)}]\n" for notice in notices]
    if length("".join(lines)) <= size:
        return "".join(lines)
    room = size - length(_more(len(lines) - 1))
    said = f"[{cut(visible(notices[0]), room - len('[]') - 1)}]\n"
    for place, line in enumerate(lines[1:], 1):
        if length(said + line) > room:
            return said + _more(len(lines) - place)
        said += line
    return said


def _more(notices: int) -> str:
    return f"[{counted(notices, 'more sentence')} about what is missing]\n" if notices else ""


def _runs(runs: Sequence[Sequence[Shown]], log: Excerpted) -> Iterator[str]:
    last = 0
    for run in runs:
        first = run[0].number
        gap = _left_out(first - last - 1)
        last = run[-1].number
        link = "line " if log.link == NO_LINK and first == last else log.link
        numbers = f"{first}-{last}" if last > first else f"{first}"
        yield ": ".join(filter(None, (gap, f"{link}{numbers}\n")))
        yield from (_line(line, log) for line in run)
    if last < log.total:
        yield f"{_left_out(log.total - last)}\n"


def _line(line: Shown, log: Excerpted) -> str:
    """A line of the log behind a column of its own: no line can be taken for what is said of it."""
    cause = log.summary.cause
    tells_why = cause and cause.why != "end" and line.number == cause.line
    mark = ("+" if line.is_new else " ") if log.is_compared else ""
    mark += CAUSE if tells_why else OTHER
    least = "" if len(log.lines) == log.total else "at least "
    more = f" [{least}{line.more:,} more like it]" if line.more else ""
    return f"{mark}{line.text}{more}\n" if line.text else f"{mark.rstrip()}\n"


def _left_out(lines: int) -> str:
    return f"... {counted(lines, 'line')} left out" if lines else ""


def _told(log: Excerpted, size: int) -> str:
    """What is known of the log before its lines are read."""
    cause, total = log.summary.cause, counted(log.total, "line")
    if cause is None:
        return f"shows no failure in {total}"
    step, most = log.summary.step, min(MOST_OF_STEP, size // PART_OF_LINK)
    of_step = f" in {cut(visible(step.name), most)!r}" if step else ""
    if step and step.duration is not None:
        of_step += f" ({duration(round(step.duration * _SECOND))})"
    failed = log.summary.failed
    what = "failed" if failed else "does not say that it failed"
    where = "likely cause"
    if cause.why == "end":
        where = "no cause found, its end" if failed else "its end"
    new = "; + is new" if log.is_compared else ""
    first, last = cause.line, cause.last
    lines = f"lines {first:,}-{last:,}" if last > first else f"line {first:,}"
    return f"{what}; {where} at {lines} of {total}{of_step}{new}"


def length(text: str) -> int:
    return len(text.encode())
