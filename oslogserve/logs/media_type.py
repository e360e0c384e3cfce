# SPDX-License-Identifier: Apache-2.0
"""Tells files that are not logs, and their media types."""

import mimetypes
import re
from collections.abc import Sequence

from oslogserve.compression import plain_name

#: Types that a browser shows or saves, which nobody reads as lines.
_NOT_LOGS = re.compile(
    r"(image|audio|video|font)/|text/(css|javascript)$|application/(?!x-sh$|xml$|x-python|x-yaml|yaml|sql$|toml$)"
)
#: An HTML document. Not a console wrapped in markup, such as Jenkins' console.html: lines, <pre> and
#: <span>.
_HTML_DOCUMENT = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,256}\?>\s*)?(?:<!--.{0,900}?-->\s*)?"
    rb"<(?:!doctype|html|head|body|title|meta|link|style|script|div|table|h[1-6]|p|ul|center|frameset)"
    rb"(?=[\s/>])",
    re.IGNORECASE | re.DOTALL,
)
#: Names of logs. A log may have NULs, as a binary file has: holes after copytruncate or a crash.
_CALLED_A_LOG = re.compile(
    r"(?:^|[._-])(?:log|txt|out|err|stdout|stderr|console|syslog|messages|dmesg)(?:[._-]|$)",
    re.IGNORECASE,
)
#: Control characters that are rare in logs. Not whitespace, BEL, BS, ESC, SO and SI (terminals'
#: character sets), SOH and STX (readline's prompts). NUL is checked separately.
_CONTROL = bytes({*range(1, 32), 127} - set(b"\t\n\v\f\r\a\b\x1b\x0e\x0f\x01\x02"))
#: Media types by a file's first bytes, whatever its name.
_MAGIC = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"%PDF-": "application/pdf",
    b"PK\x03\x04": "application/zip",
    b"\x7fELF": "application/octet-stream",
    b"BZh": "application/x-bzip2",
    b"\xfd7zXZ\0": "application/x-xz",
    b"\x28\xb5\x2f\xfd": "application/zstd",
}
_PACKED = {
    "gzip": "application/gzip",
    "bzip2": "application/x-bzip2",
    "xz": "application/x-xz",
    "compress": "application/x-compress",
}
#: Archives by the end of their names. They stay packed: nobody wants their names and NULs as lines.
_ARCHIVES = {
    ".tar.gz": "application/gzip",
    ".tgz": "application/gzip",
    ".tar.zst": "application/zstd",
    ".tzst": "application/zstd",
}
_types = mimetypes.MimeTypes()
_types.add_type("text/plain", ".log")
_types.add_type("application/xhtml+xml", ".xhtml")


#: Pairs of a path's pattern and "log" or "raw"; the first match counts.
Views = Sequence[tuple[re.Pattern[str], str]]


def passed_through_as(name: str, head: bytes, views: Views) -> str | None:
    """The media type of a file that is not a log; None for a log.

    name: the requested path. head: its first bytes, inflated. views: from the configuration; they
    override the rules here.
    """
    file_name = name.rpartition("/")[2]
    media_type, packing = _types.guess_type(plain_name(file_name), strict=False)
    for ending, of_archive in _ARCHIVES.items():
        if file_name.endswith(ending):
            media_type, packing = of_archive, None
    for pattern, view in views:
        if pattern.search(name):
            return None if view == "log" else media_type or "application/octet-stream"
    if packing is not None:
        return _PACKED.get(packing, "application/octet-stream")
    if head.startswith(tuple(_MAGIC)):
        return next(found for magic, found in _MAGIC.items() if head.startswith(magic))
    if media_type in ("text/html", "application/xhtml+xml"):
        return "text/html; charset=utf-8" if _HTML_DOCUMENT.match(head) else None
    if media_type and _NOT_LOGS.match(media_type):
        return media_type
    is_called_a_log = media_type is not None or _CALLED_A_LOG.search(file_name) is not None
    return "application/octet-stream" if is_binary(head, is_called_a_log) else None


def is_binary(head: bytes, is_called_a_log: bool = False) -> bool:
    """True if the first bytes of a file are no text."""
    if b"\0" in head and not is_called_a_log:
        return True
    controls = len(head) - len(head.translate(None, _CONTROL))
    # One of eleven random bytes is such a character. A few in a short head mean nothing.
    return controls * 20 > max(len(head), 100)
