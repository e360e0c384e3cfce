# SPDX-License-Identifier: Apache-2.0
"""The rows of a table taken apart, as both renderers compile them.

Where a time stands, what is behind a time and what is at a line's beginning are looked up apart: so
no pattern is walked twice, and a table of N times and M severities needs no N x M patterns.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from oslogserve.lines.formats import (
    DEEPEST,
    ENDINGS,
    HEAD,
    LEVELS,
    PARTS,
    SEVERITIES,
    TABLE,
    TIMES,
    VOCABULARIES,
    Ending,
    OwnRow,
    Row,
    Vocabulary,
)

_PLACEHOLDER = re.compile(rb"\{([A-Za-z_]+)\}")


@dataclass(frozen=True)
class Piece:
    """What gives a severity: the patterns before and behind a word of it, or just one.

    severity: of lines where there is no word; None where they show none. In the patterns {eol}
    still stands for a line's end.
    """

    before: bytes
    vocabulary: Vocabulary | None
    behind: bytes
    severity: str | None
    has_content: bool


class Pieces:
    def __init__(self, rows: Iterable[Row]) -> None:
        #: What stands before the times that are not at the beginning, by the name of the time.
        self.places: dict[str, list[bytes]] = {}
        #: What is behind a time.
        self.timed: list[Piece] = []
        #: What is at the beginning of a line that does not begin with a time.
        self.untimed: list[Piece] = []
        for row in rows:
            try:
                self._take(row)
            except (KeyError, ValueError) as error:
                raise ValueError(f"{row.name}: {error}") from None

    def _take(self, row: Row) -> None:
        texts, names = _split(row.pattern)
        at = next((index for index, name in enumerate(names) if name in TIMES), None)
        if at is None:
            self.untimed.append(_piece(row, texts, names))
            return
        before = _joined(texts[: at + 1], names[:at])
        if before:
            self.places.setdefault(names[at], []).append(before)
        if any(name in VOCABULARIES for name in names[:at]):
            texts[at] += _beginning_of(names[at])
            self.untimed.append(_piece(row, texts[: at + 1], names[:at]))
        elif len(names) > at + 1 or row.severity:
            self.timed.append(_piece(row, texts[at + 1 :], names[at + 1 :]))


def _split(pattern: bytes) -> tuple[list[bytes], list[str]]:
    """The texts between the placeholders, one more than these, and the placeholders."""
    parts = {name: b"(?:" + part + b")" for name, part in PARTS.items()}
    pattern = _PLACEHOLDER.sub(
        lambda found: parts.get(found[1].decode(), found[0]), pattern
    ).replace(b"{eol}", b"\n")
    texts = _PLACEHOLDER.split(pattern)
    return (
        [text.replace(b"\n", b"{eol}") for text in texts[::2]],
        [name.decode() for name in texts[1::2]],
    )


def _piece(row: Row, texts: Sequence[bytes], names: Sequence[str]) -> Piece:
    has_content = names[-1:] == ["content"]
    if has_content:
        if texts[-1]:
            raise ValueError("something stands behind {content}")
        texts, names = texts[:-1], names[:-1]
    if not names:
        return Piece(texts[0], None, b"", row.severity, has_content)
    if len(names) > 1:
        raise ValueError("it has more than one severity")
    before, behind = texts
    return Piece(before, VOCABULARIES[names[0]], behind, None, has_content)


def _joined(texts: Sequence[bytes], names: Sequence[str]) -> bytes:
    """With the words of vocabularies for their names."""
    joined = texts[0]
    for name, text in zip(names, texts[1:], strict=True):
        vocabulary = VOCABULARIES[name]
        joined += any_of(vocabulary.words, vocabulary.any_case) + text
    return joined


def any_place(before: Iterable[bytes]) -> bytes:
    return b"(?:" + b"|".join(before) + b")"


def _beginning_of(time: str) -> bytes:
    """Enough of it where a severity stands before it."""
    return rb"[\dA-Z]" if time == "time" else b"(?:" + TIMES[time] + b")"


def any_of(words: Iterable[bytes], any_case: bool = False) -> bytes:
    """A pattern that takes a step a letter, however many words there are."""
    following: dict[bytes, list[bytes]] = {}
    for word in words:
        following.setdefault(word[:1], []).append(word[1:])
    ends = following.pop(b"", None)
    branches = [
        _letter(letter, any_case) + any_of(rests, any_case)
        if rests != [b""]
        else _letter(letter, any_case)
        for letter, rests in sorted(following.items())
    ]
    if not branches:
        return b""
    if len(branches) == 1 and not ends:
        return branches[0]
    return b"(?:" + b"|".join(branches) + b")" + (b"?" if ends else b"")


def _letter(letter: bytes, any_case: bool) -> bytes:
    if any_case and letter.isalpha():
        return b"[" + letter.upper() + letter.lower() + b"]"
    return re.escape(letter)


@dataclass(frozen=True)
class NativePiece:
    """A Piece as the native renderer takes it: its words are patterns with ranks."""

    before: bytes
    words: list[tuple[bytes, int]]
    is_whole: bool
    behind: bytes
    rank: int | None
    has_content: bool


@dataclass(frozen=True)
class NativeRows:
    severities: list[bytes]
    times: list[bytes]
    places: list[tuple[bytes, int]]
    timed: list[NativePiece]
    untimed: list[NativePiece]
    endings: list[tuple[bytes, int]]
    own: list[tuple[bytes, list[tuple[bytes, int]]]]
    head: int
    deepest: int


def for_native(
    rows: Iterable[Row] = TABLE,
    endings: Iterable[Ending] = ENDINGS,
    own: Iterable[OwnRow] = (),
) -> NativeRows:
    """What the native renderer compiles, for the same rows."""
    pieces = Pieces(rows)
    times = list(TIMES)
    return NativeRows(
        severities=[severity.encode() for severity in SEVERITIES],
        times=[_as_native(b"(?:" + time + b")") for time in TIMES.values()],
        places=[
            (_as_native(any_place(before)), times.index(time))
            for time, before in pieces.places.items()
        ],
        timed=[_native_piece(piece) for piece in pieces.timed],
        untimed=[_native_piece(piece) for piece in pieces.untimed],
        endings=[(ending.suffix, SEVERITIES.index(ending.severity)) for ending in endings],
        own=[(row.pattern, _ranked(row.words or LEVELS)) for row in own],
        head=HEAD,
        deepest=DEEPEST,
    )


def _ranked(words: Mapping[bytes, str]) -> list[tuple[bytes, int]]:
    return [(word, SEVERITIES.index(severity)) for word, severity in words.items()]


def _native_piece(piece: Piece) -> NativePiece:
    words: dict[str, list[bytes]] = {}
    for word, severity in piece.vocabulary.words.items() if piece.vocabulary else ():
        words.setdefault(severity, []).append(word)
    any_case = piece.vocabulary is not None and piece.vocabulary.any_case
    return NativePiece(
        before=_as_native(piece.before),
        words=[(any_of(words[name], any_case), SEVERITIES.index(name)) for name in words],
        is_whole=piece.vocabulary is not None and piece.vocabulary.is_whole,
        behind=_as_native(piece.behind),
        rank=None if piece.severity is None else SEVERITIES.index(piece.severity),
        has_content=piece.has_content,
    )


def _as_native(pattern: bytes) -> bytes:
    return pattern.replace(b"(?>", b"(?:").replace(b"{eol}", rb"\z")
