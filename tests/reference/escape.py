# SPDX-License-Identifier: Apache-2.0
"""Escaping of text for HTML."""


def escaped(text: bytes) -> bytes:
    """The text, safe between tags, and in an attribute if it has no quotes."""
    return text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")
