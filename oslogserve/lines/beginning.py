# SPDX-License-Identifier: Apache-2.0
"""Which patterns may match a text, by how it begins: so that a line is held to a few, not to all.

`re` tries one alternative after the other. This reads a pattern as `re` itself does; in doubt it
says yes, which costs time and changes nothing.
"""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

#: A byte, or several of which it is one.
OneOf = bytes | tuple[bytes, ...]
#: Any number of these bytes, also none.
AnyOf = frozenset[bytes]
#: The first bytes of a text.
Beginning = Sequence[OneOf | AnyOf]

_BYTES = [bytes([byte]) for byte in range(256)]
_CATEGORIES = {
    op.CATEGORY_DIGIT: rb"\d",
    op.CATEGORY_NOT_DIGIT: rb"\D",
    op.CATEGORY_SPACE: rb"\s",
    op.CATEGORY_NOT_SPACE: rb"\S",
    op.CATEGORY_WORD: rb"\w",
    op.CATEGORY_NOT_WORD: rb"\W",
}
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)


@dataclass(frozen=True)
class _Repeat:
    """Of one of several sequences of steps."""

    least: int
    most: int
    branches: Sequence["_Steps"]


_Steps = tuple[_Repeat | frozenset[bytes], ...]


def may_match(pattern: bytes, beginning: Beginning) -> bool:
    """Whether the pattern matches some text that begins so."""
    return bool(_after(_steps(pattern), beginning, {0}))


def _after(steps: _Steps, text: Beginning, places: set[int]) -> set[int]:
    """Where in a text, by its parts, these steps may lead from there. Behind its end all fits."""
    for step in steps:
        places = _within(text, places)
        if not places or len(text) in places:
            break
        if isinstance(step, _Repeat):
            places = _repeated(step, text, places)
        else:
            places = {
                place if isinstance(text[place], frozenset) else place + 1
                for place in places
                if _may_be(text[place], step)
            }
    return places


def _within(text: Beginning, places: set[int]) -> set[int]:
    """And behind those parts that may be empty."""
    found = set(places)
    for place in range(len(text)):
        if place in found and isinstance(text[place], frozenset):
            found.add(place + 1)
    return found


def _may_be(part: OneOf | AnyOf, step: AnyOf) -> bool:
    return part in step if isinstance(part, bytes) else not step.isdisjoint(part)


def _repeated(step: _Repeat, text: Beginning, places: set[int]) -> set[int]:
    def once(places: set[int]) -> set[int]:
        return set().union(*(_after(branch, text, places) for branch in step.branches))

    # As often as there are parts, or else what it takes may go on and on.
    for _ in range(min(step.least, len(text))):
        places = once(places)
    found = set(places)
    for _ in range(min(step.most - step.least, len(text))):
        places = once(places) - found
        found |= places
    return found


@functools.cache
def _steps(pattern: bytes) -> _Steps:
    return _read(_parser.parse(pattern))


def _read(parsed: Any) -> _Steps:
    return tuple(step for kind, what in parsed for step in _step(kind, what))


def _step(kind: Any, what: Any) -> _Steps:
    if kind is op.LITERAL:
        return (frozenset([_BYTES[what]]),)
    if kind is op.NOT_LITERAL:
        return (frozenset(_BYTES) - {_BYTES[what]},)
    if kind is op.ANY:
        return (frozenset(_BYTES),)
    if kind is op.IN:
        return (_class(what),)
    if kind is op.BRANCH:
        return (_Repeat(1, 1, [_read(branch) for branch in what[1]]),)
    if kind is op.SUBPATTERN:
        return _read(what[-1])
    if kind is op.ATOMIC_GROUP:
        return _read(what)
    if kind in _REPEATS:
        return (_Repeat(what[0], int(what[1]), [_read(what[2])]),)
    if kind is op.AT and what is op.AT_END_STRING:
        return (frozenset(),)  # no byte
    return ()  # it looks around


def _class(members: Any) -> frozenset[bytes]:
    found: set[bytes] = set()
    for kind, what in members:
        if kind is op.LITERAL:
            found.add(_BYTES[what])
        elif kind is op.RANGE:
            found.update(_BYTES[what[0] : what[1] + 1])
        elif kind is op.CATEGORY:
            found |= bytes_of(_CATEGORIES[what])
    return frozenset(_BYTES) - found if members[0][0] is op.NEGATE else frozenset(found)


@functools.cache
def bytes_of(pattern: bytes) -> frozenset[bytes]:
    """Those that a class matches."""
    return frozenset(byte for byte in _BYTES if re.match(pattern, byte))
