# SPDX-License-Identifier: Apache-2.0
"""Anchors: fragments of URLs that link to a moment in a log."""

#: Bytes that an anchor keeps. All others become `_`, so that it is safe in HTML whatever a user
#: format takes for a time.
_KEPT = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/-"
_TO_ANCHOR = bytes(byte if byte in _KEPT else ord("_") for byte in range(256))


def anchor_of(time: bytes) -> bytes:
    """The anchor of a time, as in os-loganalyze: b'_2013-09-27_18_22' for b'2013-09-27 18:22'."""
    return b"_" + time.translate(_TO_ANCHOR)
