# SPDX-License-Identifier: Apache-2.0
"""The fragment of an address that leads to a moment in a log."""

#: What stays as it is in an anchor. What else a time has is white space, `:`, `.` and `,`; whatever
#: a user format takes for a time, an anchor is safe in HTML.
_KEPT = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/-"
_TO_ANCHOR = bytes(byte if byte in _KEPT else ord("_") for byte in range(256))


def anchor_of(time: bytes) -> bytes:
    """The anchor that os-loganalyze gave: b'_2013-09-27_18_22_11_248' for b'2013-09-27 18:22:11.248'."""
    return b"_" + time.translate(_TO_ANCHOR)
