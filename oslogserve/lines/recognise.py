# SPDX-License-Identifier: Apache-2.0
"""The table of formats, compiled: the time and the severity that each line of a block shows."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from oslogserve.lines.ansi import ESCAPE, SEQUENCE, without_sequences
from oslogserve.lines.beginning import Beginning, bytes_of, may_match
from oslogserve.lines.formats import (
    DEEPEST,
    ENDINGS,
    HEAD,
    TABLE,
    TIMES,
    Ending,
    OwnRow,
    Row,
    Vocabulary,
)
from oslogserve.lines.own import OwnRows
from oslogserve.lines.pieces import Piece, Pieces, any_of, any_place

#: Where a line's time begins and ends in it, the same place twice where it shows none (escape
#: sequences may be within it: without_sequences() is its text); the name of its own severity, b""
#: where it shows none.
Seen = tuple[int, int, bytes]


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
        time = rb"(?>(?:" + TIMES["time"] + rb")(?!\w))(?!:\d)"
        self._time = re.compile(time).match
        self._may_be_time = frozenset(
            byte for byte in range(256) if may_match(time, (bytes([byte]),))
        )
        timed = [_compiled(piece) for piece in pieces.timed]
        self._timed = _Choices({}, timed)
        # Most lines of most logs begin with a time or with nothing, and the first of the pieces is
        # behind most of the times: one call sees it all.
        first = timed[0] if timed and not timed[0].has_content else _NO_PIECE
        self._first = re.compile(rb"(?:(" + time + b")(?:" + first.of_lines + b")?)?.*\n").findall
        self._first_severities = first.severities
        self._untimed = _Choices(pieces.places, [_compiled(piece) for piece in pieces.untimed])
        self._endings = {ending.suffix: ending.severity.encode() for ending in endings}
        self._suffixes = tuple(self._endings)

    def seen_in(self, lines: bytes) -> list[Seen]:
        """Of each line of a block of whole lines."""
        is_plain = ESCAPE not in lines and b"\r\n" not in lines
        severities, suffixes = self._first_severities, self._suffixes
        found = []
        for line, (time, word) in zip(lines.split(b"\n"), self._first(lines), strict=False):
            if not is_plain or len(line) > HEAD or self._own:
                found.append(self._seen_in_any(line[:HEAD]))
            elif word:
                found.append((0, len(time), severities[word]))
            elif time:
                severity = self._behind_time(line, len(time), DEEPEST)
                if not severity and line.endswith(suffixes):
                    severity = self._by_its_end(line)
                found.append((0, len(time), severity))
            elif line:
                seen = self._untimed_at(line, 0, DEEPEST)
                if not seen[2] and line.endswith(suffixes):
                    seen = seen[0], seen[1], self._by_its_end(line)
                found.append(seen)
            else:
                found.append(_NOTHING)
        return found

    def severities_in(self, lines: bytes) -> list[bytes]:
        """The severities alone: for the filter, which needs no more."""
        return [severity for _, _, severity in self.seen_in(lines)]

    def _seen_in_any(self, head: bytes) -> Seen:
        seen = self._seen_in(without_sequences(head).removesuffix(b"\r"))
        return _moved(seen, head) if ESCAPE in head and seen[0] != seen[1] else seen

    def _seen_in(self, line: bytes) -> Seen:
        seen = self._line_at(line, 0, DEEPEST)
        if not seen[2] and line.endswith(self._suffixes):
            seen = seen[0], seen[1], self._by_its_end(line)
        return self._with_own(line, seen) if self._own else seen

    def _with_own(self, line: bytes, seen: Seen) -> Seen:
        own = self._own.seen_in(line) if self._own else None
        if not own:
            return seen
        start, end, severity = own if own[0] != own[1] else (*seen[:2], own[2])
        return start, end, severity or seen[2]

    def _by_its_end(self, line: bytes) -> bytes:
        return next(severity for suffix, severity in self._endings.items() if line.endswith(suffix))

    def _line_at(self, text: bytes, at: int, depth: int) -> Seen:
        """Of a line within a line; the time's place is that in `text`."""
        if at < len(text) and text[at] in self._may_be_time:
            time = self._time(text, at)
            if time:
                end = time.end()
                return at, end, self._behind_time(text, end, depth)
        return self._untimed_at(text, at, depth)

    def _untimed_at(self, text: bytes, at: int, depth: int) -> Seen:
        choice = self._untimed[_beginning(text, at).groups()]
        found = choice.match(text, at)
        if not found or not found.lastindex:
            return _NOTHING
        index = found.lastindex
        start, end = choice.time_in(found) if choice.times else (0, 0)
        piece = choice.pieces.get(index)
        if not piece:
            return start, end, self._behind_time(text, end, depth)
        severity = piece.severity_of(found[index])
        if not piece.has_content:
            return start, end, severity
        if not depth:
            return 0, 0, severity
        start, end, own = self._line_at(text, found.end(), depth - 1)
        return start, end, own or severity

    def _behind_time(self, text: bytes, at: int, depth: int) -> bytes:
        choice = self._timed[text[at : at + 1], text[at + 1 : at + 2]]
        found = choice.match(text, at)
        if not found or not found.lastindex:
            return b""
        index = found.lastindex
        piece = choice.pieces[index]
        severity = piece.severity_of(found[index])
        if not piece.has_content or not depth:
            return severity
        return self._line_at(text, found.end(), depth - 1)[2] or severity


#: What a host, a path, a module or a word consists of.
_OF_WORDS = rb"[\w.+/@-]"
#: Whether a text begins with spaces, its first byte behind them, that behind the first word.
_beginning: Callable[[bytes, int], re.Match[bytes]]
_beginning = re.compile(rb"( ?) *(.?)" + _OF_WORDS + rb"*(.?)", re.DOTALL).match  # type: ignore[assignment]


@dataclass(frozen=True)
class _Piece:
    """outline: matches all that the pattern matches, and is read faster.

    severities: by the word that the pattern's last group catches; b"" where it has no word.
    """

    pattern: bytes
    outline: bytes
    #: The pattern where what it looks at has more lines behind it.
    of_lines: bytes
    severities: Mapping[bytes, bytes]
    has_content: bool

    def severity_of(self, word: bytes) -> bytes:
        return self.severities.get(word) or self.severities[word.upper()]


@dataclass(frozen=True)
class _Choice:
    """times: groups that catch one. pieces: what each of the other groups tells."""

    match: Callable[[bytes, int], re.Match[bytes] | None]
    times: range
    pieces: Mapping[int, _Piece]

    def time_in(self, found: re.Match[bytes]) -> tuple[int, int]:
        for group in self.times:
            if found.start(group) >= 0:
                return found.span(group)
        return 0, 0


class _Choices(dict[tuple[bytes, ...], _Choice]):
    """By how a text begins: the pieces that may match it, compiled when they are first needed."""

    #: Other beginnings share what is compiled for their first byte.
    MOST = 4096

    def __init__(self, places: Mapping[str, Sequence[bytes]], pieces: Sequence[_Piece]) -> None:
        self._places = places
        self._pieces = pieces
        self._known: dict[bytes, _Choice] = {}

    def __missing__(self, key: tuple[bytes, ...]) -> _Choice:
        if len(self) > self.MOST and key[0]:
            return self[(b"",) * len(key)]  # which tells nothing
        self[key] = choice = self._choice(_beginning_of(key))
        return choice

    def _choice(self, beginning: Beginning) -> _Choice:
        places = {
            time: [one for one in before if may_match(one, beginning)]
            for time, before in self._places.items()
        }
        places = {time: before for time, before in places.items() if before}
        pieces = [piece for piece in self._pieces if may_match(piece.outline, beginning)]
        pattern = b"|".join(piece.pattern for piece in pieces)
        if places:  # it need not be one of the pieces too
            pattern = _any_time(places) + b"(?:" + pattern + (b")?" if pieces else b")")
        elif not pieces:
            return _NO_CHOICE
        if pattern not in self._known:
            times = range(1, 1 + len(places))
            found = {len(times) + 1 + index: piece for index, piece in enumerate(pieces)}
            self._known[pattern] = _Choice(re.compile(pattern).match, times, found)
        return self._known[pattern]


def _beginning_of(key: tuple[bytes, ...]) -> Beginning:
    """Of what _beginning() tells, or of the first two bytes of what is behind a time."""
    if len(key) == 2:
        return [byte for byte in key if byte]
    spaces, first, behind = key
    text: list[bytes | frozenset[bytes]] = [first, bytes_of(_OF_WORDS), behind]
    if spaces:
        text = [spaces, bytes_of(b" "), *text]
    return [byte for byte in text if byte]


_NO_CHOICE = _Choice(lambda text, at: None, range(0), {})


def _compiled(piece: Piece) -> _Piece:
    vocabulary = piece.vocabulary
    if vocabulary:
        words = any_of(vocabulary.words, vocabulary.any_case)
        end = rb"(?!\w)" if vocabulary.is_whole else b""
        pattern = piece.before + b"(" + words + b")" + end + piece.behind
        outline = piece.before + _first_letters(vocabulary) + rb"\w*" + piece.behind
        severities = {word: name.encode() for word, name in vocabulary.words.items()}
    else:
        pattern = outline = piece.before + b"()"
        severities = {b"": (piece.severity or "").encode()}
    of_lines = pattern.replace(b"{eol}", rb"(?=\n)")
    pattern, outline = (text.replace(b"{eol}", rb"\Z") for text in (pattern, outline))
    return _Piece(pattern, outline, of_lines, severities, piece.has_content)


def _first_letters(vocabulary: Vocabulary) -> bytes:
    letters = {word[:1] for word in vocabulary.words}
    if vocabulary.any_case:
        letters |= {letter.lower() for letter in letters}
    return b"[" + b"".join(sorted(letters)) + b"]"


def _any_time(places: Mapping[str, Sequence[bytes]]) -> bytes:
    """Looks ahead for a time, a group for each kind of them."""
    times = b"|".join(
        any_place(before) + b"(" + TIMES[time] + rb")(?!\w)" for time, before in places.items()
    )
    return rb"(?=(?:(?>" + times + rb")(?!:\d))?)"


_NO_PIECE = _Piece(b"()", b"", b"()", {}, False)
_NOTHING = (0, 0, b"")


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
