# SPDX-License-Identifier: Apache-2.0
"""Text as text of a page, whatever a log has in it."""


def escaped(text: bytes) -> bytes:
    """For text between tags, and in attributes where it holds no quotes."""
    return text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")
