# SPDX-License-Identifier: Apache-2.0
"""The fragment of an address that leads to a moment in a log."""

_WORD = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#: The T of ISO 8601 too: a moment has one anchor, however it is written.
_TO_ANCHOR = bytes(byte if byte in _WORD and byte != ord("T") else ord("_") for byte in range(256))


def anchor_of(time: bytes) -> bytes:
    """The ancestor's anchor: b'_2013_09_27_18_22_11_248' for b'2013-09-27 18:22:11.248'."""
    return b"_" + time.translate(_TO_ANCHOR)
