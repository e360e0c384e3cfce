# SPDX-License-Identifier: Apache-2.0
"""The fragment of an address that leads to a moment in a log."""

from collections.abc import Iterable

_WORD = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#: The T of ISO 8601 too: a moment has one anchor, however it is written.
_TO_ANCHOR = bytes(byte if byte in _WORD and byte != ord("T") else ord("_") for byte in range(256))
_LINE_BY_LINE = _TO_ANCHOR[: ord("\n")] + b"\n" + _TO_ANCHOR[ord("\n") + 1 :]


def anchor_of(time: bytes) -> bytes:
    """The ancestor's anchor: b'_2013_09_27_18_22_11_248' for b'2013-09-27 18:22:11.248'."""
    return b"_" + time.translate(_TO_ANCHOR)


def anchors_of(times: Iterable[bytes]) -> list[bytes]:
    """Of many at once, at less than each by itself costs; no time has an end of a line in it."""
    return (b"_" + b"\n".join(times).translate(_LINE_BY_LINE).replace(b"\n", b"\n_")).split(b"\n")
