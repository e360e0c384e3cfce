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
    return _may_match(_steps(pattern), beginning)


def _may_match(steps: _Steps, text: Beginning) -> bool:
    if not steps or not text:
        return True
    step, rest = steps[0], steps[1:]
    if isinstance(step, _Repeat):
        if len(step.branches) == 1 and len(step.branches[0]) == 1:
            (only,) = step.branches[0]
            if not isinstance(only, _Repeat):
                return _may_repeat(only, step.least, step.most, rest, text)
        if step.least == step.most == 1:
            return any(_may_match((*branch, *rest), text) for branch in step.branches)
        one = _Repeat(1, 1, step.branches)
        times = range(min(step.least, len(text)), min(step.most, len(text)) + 1)
        return any(_may_match((*[one] * number, *rest), text) for number in times)
    if isinstance(text[0], frozenset):
        goes_on = not step.isdisjoint(text[0]) and _may_match(rest, text)
        return goes_on or _may_match(steps, text[1:])
    return _may_be(text[0], step) and _may_match(rest, text[1:])


def _may_be(part: OneOf | AnyOf, step: AnyOf) -> bool:
    return part in step if isinstance(part, bytes) else not step.isdisjoint(part)


def _may_repeat(
    step: frozenset[bytes], least: int, most: int, rest: _Steps, text: Beginning
) -> bool:
    """The shortcut for what patterns repeat most, one of some bytes."""
    for at, part in enumerate(text):
        is_one = not isinstance(part, frozenset)
        if (not least or not is_one) and _may_match(rest, text[at:]):
            return True
        if is_one and (not most or not _may_be(part, step)):
            return False
        if is_one:
            least, most = max(0, least - 1), most - 1
        elif not step.isdisjoint(part):
            least = 0  # there may be enough of them
    return True


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
