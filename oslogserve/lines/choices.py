# SPDX-License-Identifier: Apache-2.0
"""The few pieces of the table that a text may match, by how it begins, as one compiled pattern."""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from oslogserve.lines.beginning import AnyOf, OneOf, bytes_of, may_match
from oslogserve.lines.formats import TIMES, Vocabulary
from oslogserve.lines.pieces import Piece, any_of, any_place

#: What a host, a path, a module or a word consists of.
_OF_WORDS = rb"[\w.+/@-]"
#: How a line begins: whether with spaces, the first byte behind them, the two behind the first word.
BEGINNING = rb"( ?) *(.?)" + _OF_WORDS + rb"*(.?)(.?)"
Key = tuple[bytes, bytes, bytes, bytes]
_Match = Callable[[bytes, int], re.Match[bytes] | None]
_Beginning = tuple[OneOf | AnyOf, ...]

_SPACES = bytes_of(b" ")
_WORDS = bytes_of(_OF_WORDS)
#: Of the last of these bytes its kind is enough: with each letter by itself prose would have hundreds
#: of beginnings.
_KINDS = {
    byte: tuple(sorted(kind))
    for kind in map(bytes_of, (b"[a-z]", b"[A-Z]", rb"\d"))
    for byte in kind
}


class Severities(dict[bytes, bytes]):
    """By a word of a vocabulary, in any case of its letters."""

    def __init__(self, words: Mapping[bytes, bytes]) -> None:
        super().__init__({word.lower(): severity for word, severity in words.items()} | dict(words))

    def __missing__(self, word: bytes) -> bytes:
        return self[word.upper()]


@dataclass(frozen=True)
class CompiledPiece:
    """outline: matches all that the pattern matches, and is read faster.

    severities: by the word that the pattern's last group catches; b"" where it has no word.
    """

    pattern: bytes
    outline: bytes
    #: The pattern where what it looks at has more lines behind it.
    of_lines: bytes
    severities: Mapping[bytes, bytes]
    has_content: bool


def compiled(piece: Piece) -> CompiledPiece:
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
    return CompiledPiece(pattern, outline, of_lines, Severities(severities), piece.has_content)


def _first_letters(vocabulary: Vocabulary) -> bytes:
    letters = {word[:1] for word in vocabulary.words}
    if vocabulary.any_case:
        letters |= {letter.lower() for letter in letters}
    return b"[" + b"".join(sorted(letters)) + b"]"


@dataclass(frozen=True)
class _Place:
    """What stands before a time; outline: with the time."""

    time: str
    before: bytes
    outline: bytes


#: What may match.
_Fitting = tuple[Sequence[CompiledPiece], Sequence[_Place]]


class Choice:
    """time: of one at the beginning, b"" for none. pieces: what the groups of a match tell, None for a
    time. is_any: whether there is more to look for than that time."""

    def __init__(
        self, time: bytes, pieces: Sequence[CompiledPiece], places: Mapping[str, Sequence[bytes]]
    ) -> None:
        self.pieces = *[None] * (2 if time else 1), *pieces, None
        self.is_any = bool(pieces or places)
        self._time = time
        self._places = places

    # Most choices are asked for but one of these.

    @functools.cached_property
    def match(self) -> _Match:
        """Of a time at the beginning, or of the first piece that fits, or of a time elsewhere. Where a
        time is found, it ends with it."""
        patterns = [piece.pattern for piece in self.pieces if piece]
        if self._time:
            patterns.insert(0, self._time + b"()")
        if self._places:
            patterns.append(_any_time(self._places, b"(?:") + b"()")
        return re.compile(b"|".join(patterns)).match if patterns else _nothing

    @functools.cached_property
    def with_time(self) -> "ChoiceWithTime":
        return ChoiceWithTime([piece for piece in self.pieces if piece], self._places)


class ChoiceWithTime:
    """match: of a time that is not at the beginning, and of the first piece that fits, which need not
    have to do with it.

    pieces: what its groups tell, None for a time.
    """

    def __init__(
        self, pieces: Sequence[CompiledPiece], places: Mapping[str, Sequence[bytes]]
    ) -> None:
        pattern = b"|".join(piece.pattern for piece in pieces)
        if places:
            any_time = b"(?=(?:" + _any_time(places, b"(") + b")?)"
            pattern = any_time + b"(?:" + pattern + (b")?" if pieces else b")")
        self.pieces = *[None] * (1 + len(places)), *pieces
        self.match: _Match = re.compile(pattern).match if pattern else _nothing
        self._times = range(1, 1 + len(places))

    def time_in(self, found: re.Match[bytes]) -> tuple[int, int]:
        for group in self._times:
            if found.start(group) >= 0:
                return found.span(group)
        return 0, 0


def _nothing(text: bytes, at: int) -> None:
    pass


class Choices(dict[Key, Choice]):
    """Compiled when they are first needed.

    places: what stands before a time, by its name. time: of one at the beginning, b"" for none.
    """

    #: Other beginnings share what is compiled for their first byte.
    MOST = 4096
    #: Many are of one beginning, and small.
    MOST_KEYS = 4 * MOST

    def __init__(
        self,
        pieces: Sequence[CompiledPiece],
        places: Mapping[str, Sequence[bytes]] | None = None,
        time: bytes = b"",
    ) -> None:
        times = [
            _Place(time, one, one + b"(?:" + TIMES[time] + b")")
            for time, before in (places or {}).items()
            for one in before
        ]
        self._time = time
        self._all = pieces, times
        self._by_patterns: dict[tuple[bytes, ...], Choice] = {}
        self._by_beginning: dict[_Beginning, Choice] = {}
        self._by_first: dict[_Beginning, _Fitting] = {}

    def __missing__(self, key: Key) -> Choice:
        beginning = _beginning_of(key)
        if len(self._by_beginning) >= self.MOST and beginning not in self._by_beginning:
            beginning = _first_of(beginning)
        if beginning not in self._by_beginning:
            self._by_beginning[beginning] = self._choice(beginning)
        choice = self._by_beginning[beginning]
        if len(self) < self.MOST_KEYS:
            self[key] = choice
        return choice

    def _that_fit(self, beginning: _Beginning) -> _Fitting:
        first = _first_of(beginning)
        if first not in self._by_first:
            self._by_first[first] = _fitting(first, *self._all)
        return _fitting(beginning, *self._by_first[first])

    def _choice(self, beginning: _Beginning) -> Choice:
        time = self._time if self._time and may_match(self._time, beginning) else b""
        pieces, places = self._that_fit(beginning)
        patterns = time, *(piece.pattern for piece in pieces), *(place.outline for place in places)
        if patterns not in self._by_patterns:
            before: dict[str, list[bytes]] = {}
            for place in places:
                before.setdefault(place.time, []).append(place.before)
            self._by_patterns[patterns] = Choice(time, pieces, before)
        return self._by_patterns[patterns]


def _any_time(places: Mapping[str, Sequence[bytes]], group: bytes) -> bytes:
    """group: what begins one, around the time itself."""
    times = b"|".join(
        any_place(before) + group + TIMES[time] + rb")(?!\w)" for time, before in places.items()
    )
    return b"(?>" + times + rb")(?!:\d)"


def _beginning_of(key: Key) -> _Beginning:
    spaces, first, behind, last = key
    parts = first, _WORDS, behind, _KINDS.get(last, last)
    return tuple(part for part in ((spaces, _SPACES, *parts) if spaces else parts) if part)


def _first_of(beginning: _Beginning) -> _Beginning:
    return beginning[:3] if beginning[:1] == (b" ",) else beginning[:1]


def _fitting(
    beginning: _Beginning, pieces: Sequence[CompiledPiece], places: Sequence[_Place]
) -> _Fitting:
    return (
        [piece for piece in pieces if may_match(piece.outline, beginning)],
        [place for place in places if may_match(place.outline, beginning)],
    )
