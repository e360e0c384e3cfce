# SPDX-License-Identifier: Apache-2.0
"""The table of formats, compiled: the time and the severity that each line of a block shows."""

import re
from collections.abc import Callable, Sequence

from oslogserve.lines.ansi import ESCAPE, SEQUENCE, without_sequences
from oslogserve.lines.choices import BEGINNING, Choice, Choices, Key, compiled
from oslogserve.lines.formats import DEEPEST, ENDINGS, HEAD, TABLE, TIMES, Ending, OwnRow, Row
from oslogserve.lines.own import OwnRows
from oslogserve.lines.pieces import Pieces

#: Where a line's time begins and ends in it, the same place twice where it shows none (escape
#: sequences may be within it: without_sequences() is its text); the name of its own severity, b""
#: where it shows none.
Seen = tuple[int, int, bytes]

#: How each of the times at a line's beginning begins: one look spares most other lines one for each.
_FIRST_OF_TIME = rb"(?=[\dA-Z])"


class Formats:
    """Compiled once, shared by all logs and threads."""

    def __init__(
        self,
        rows: Sequence[Row] = TABLE,
        endings: Sequence[Ending] = ENDINGS,
        own: Sequence[OwnRow] = (),
    ) -> None:
        self._own = OwnRows(own) if own else None
        pieces = Pieces(rows)
        # Each time is settled first (it is atomic): what follows cannot shorten it, and neither
        # can it in the native renderer.
        time = _FIRST_OF_TIME + rb"(?>(?:" + TIMES["time"] + rb")(?!\w))(?!:\d)"
        self._line: _Match
        self._line = re.compile(b"(" + time + b")?" + BEGINNING).match  # type: ignore[assignment]
        timed = [compiled(piece) for piece in pieces.timed]
        untimed = [compiled(piece) for piece in pieces.untimed]
        self._timed = Choices(timed)
        self._untimed = Choices(untimed, pieces.places, time)
        # Most lines of most logs begin with a time or with nothing, and the first of the pieces is
        # behind most of the times: one call sees it all, and how what is left begins.
        first = timed[0] if timed and not timed[0].has_content else None
        self._first_severities = first.severities if first else {}
        behind = first.of_lines if first else b"(?!)()"
        self._lines = re.compile(
            b"(" + time + b")?(?:(?(1)" + behind + b"|(?!))|" + BEGINNING + b").*\n"
        ).findall
        self._endings = {ending.suffix: ending.severity.encode() for ending in endings}
        self._suffixes = tuple(self._endings)

    def seen_in(self, lines: bytes, texts: Sequence[bytes] | None = None) -> list[Seen]:
        """Of each line of a block of whole lines. texts: they, from who has split the block."""
        severities, timed, untimed = self._first_severities, self._timed, self._untimed
        suffixes = self._suffixes
        may_be_odd = self._may_be_odd(lines)
        found: list[Seen] = []
        # Behind time and word stands a Key: in one piece it would cost more.
        texts = lines.split(b"\n") if texts is None else texts
        for line, (time, word, s, a, b, c) in zip(texts, self._lines(lines), strict=False):
            if len(line) > HEAD or (may_be_odd and self._is_odd(line)):
                found.append(self._seen_in_any(line[:HEAD]))
                continue
            if word:
                found.append((0, len(time), severities[word]))
                continue
            one = _NOTHING
            if time:
                end = len(time)
                one = 0, end, self._severity_by(timed[s, a, b, c], line, end, DEEPEST)
            elif line:
                choice = untimed[s, a, b, c]
                if choice.is_any:
                    one = self._seen_by(choice, line, 0, DEEPEST)
            if not one[2] and line.endswith(suffixes):
                one = *one[:2], self._by_its_end(line)
            found.append(one)
        return found

    def severities_in(self, lines: bytes) -> list[bytes]:
        """The severities alone, at less than the whole costs."""
        severities, timed, untimed = self._first_severities, self._timed, self._untimed
        suffixes = self._suffixes
        may_be_odd = self._may_be_odd(lines)
        found = []
        for line, (time, word, s, a, b, c) in zip(
            lines.split(b"\n"), self._lines(lines), strict=False
        ):
            if len(line) > HEAD or (may_be_odd and self._is_odd(line)):
                severity = self._seen_in_any(line[:HEAD])[2]
            elif word:
                severity = severities[word]
            elif line:
                choice = timed[s, a, b, c] if time else untimed[s, a, b, c]
                severity = b""
                if choice.is_any:
                    severity = self._severity_by(choice, line, len(time), DEEPEST)
                if not severity and line.endswith(suffixes):
                    severity = self._by_its_end(line)
            else:
                severity = b""
            found.append(severity)
        return found

    def _may_be_odd(self, lines: bytes) -> bool:
        return self._own is not None or ESCAPE in lines or b"\r" in lines

    def _is_odd(self, line: bytes) -> bool:
        """Whether it is not looked at just as it stands."""
        return self._own is not None or ESCAPE in line or line.endswith(b"\r")

    def _seen_in_any(self, head: bytes) -> Seen:
        seen = self._seen_in(without_sequences(head).removesuffix(b"\r"))
        return _moved(seen, head) if ESCAPE in head and seen[0] != seen[1] else seen

    def _seen_in(self, line: bytes) -> Seen:
        start, end, severity = self._seen_at(line, 0, DEEPEST)
        if not severity and line.endswith(self._suffixes):
            severity = self._by_its_end(line)
        seen = start, end, severity
        return self._with_own(line, seen) if self._own else seen

    def _with_own(self, line: bytes, seen: Seen) -> Seen:
        own = self._own.seen_in(line) if self._own else None
        if not own:
            return seen
        start, end, severity = own if own[0] != own[1] else (*seen[:2], own[2])
        return start, end, severity or seen[2]

    def _by_its_end(self, line: bytes) -> bytes:
        for suffix, severity in self._endings.items():
            if line.endswith(suffix):
                return severity
        return b""

    def _seen_at(self, text: bytes, at: int, depth: int) -> Seen:
        """Of a line within a line; the time's place is that in `text`."""
        time, s, a, b, c = self._line(text, at).groups(b"")
        if time:
            end = at + len(time)
            return at, end, self._severity_by(self._timed[s, a, b, c], text, end, depth)
        return self._seen_by(self._untimed[s, a, b, c], text, at, depth)

    def _seen_by(self, choice: Choice, text: bytes, at: int, depth: int) -> Seen:
        with_time = choice.with_time
        found = with_time.match(text, at)
        if not found or not found.lastindex:
            return _NOTHING
        start, end = with_time.time_in(found)
        piece = with_time.pieces[found.lastindex]
        if not piece:
            return start, end, self._behind_time(text, end, depth)
        severity = piece.severities[found[found.lastindex]]
        if not piece.has_content:
            return start, end, severity
        if not depth:
            return 0, 0, severity
        start, end, own = self._seen_at(text, found.end(), depth - 1)
        return start, end, own or severity

    def _severity_at(self, text: bytes, at: int, depth: int) -> bytes:
        """Of a line within a line."""
        key: Key = _beginning(text, at).groups()  # type: ignore[assignment]
        return self._severity_by(self._untimed[key], text, at, depth)

    def _behind_time(self, text: bytes, at: int, depth: int) -> bytes:
        key: Key = _beginning(text, at).groups()  # type: ignore[assignment]
        return self._severity_by(self._timed[key], text, at, depth)

    def _severity_by(self, choice: Choice, text: bytes, at: int, depth: int) -> bytes:
        found = choice.match(text, at)
        if not found:
            return b""
        index = found.lastindex or 0
        piece = choice.pieces[index]
        if not piece:
            return self._behind_time(text, found.end(), depth)
        severity = piece.severities[found[index]]
        if not piece.has_content or not depth:
            return severity
        return self._severity_at(text, found.end(), depth - 1) or severity


_Match = Callable[[bytes, int], re.Match[bytes]]
_beginning: _Match
_beginning = re.compile(BEGINNING).match  # type: ignore[assignment]
_NOTHING: Seen = (0, 0, b"")


def _moved(seen: Seen, head: bytes) -> Seen:
    """To where the time stands in a head that has escape sequences, before it or within."""
    start, end, severity = seen
    moved = moved_start = 0
    for escapes in SEQUENCE.finditer(head):
        at = escapes.start() - moved
        if at >= end:
            break
        moved += len(escapes[0])
        if at <= start:
            moved_start = moved
    return start + moved_start, end + moved, severity


BUILT_IN = Formats()
