# SPDX-License-Identifier: Apache-2.0
"""The media type of a stored file that is no log."""

import mimetypes
import re
from collections.abc import Sequence

#: Types that a browser shows or saves, and nobody reads as lines.
_NOT_LOGS = re.compile(
    r"(image|audio|video|font)/|text/(css|javascript)$|application/(?!x-sh$|xml$|x-python|x-yaml|yaml|sql$|toml$)"
)
#: An HTML document, not a console wrapped in markup: Jenkins' console.html was lines, <pre>
#: and <span>.
_HTML_DOCUMENT = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,256}\?>\s*)?(?:<!--.{0,900}?-->\s*)?"
    rb"<(?:!doctype|html|head|body|title|meta|link|style|script|div|table|h[1-6]|p|ul|center|frameset)"
    rb"(?=[\s/>])",
    re.IGNORECASE | re.DOTALL,
)
#: What a log is called: its holes (copytruncate, a crash) are NULs, as a binary file's are.
_CALLED_A_LOG = re.compile(
    r"(?:^|[._-])(?:log|txt|out|err|stdout|stderr|console|syslog|messages|dmesg)(?:[._-]|$)",
    re.IGNORECASE,
)
#: Control characters that no log holds in number. Left out are whitespace, BEL, BS, ESC, SO and SI
#: (a terminal's character sets) and SOH and STX (readline's prompts); NUL is looked at by itself.
_CONTROL = bytes({*range(1, 32), 127} - set(b"\t\n\v\f\r\a\b\x1b\x0e\x0f\x01\x02"))
#: First bytes that say the type, whatever the name is.
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
_types = mimetypes.MimeTypes()
_types.add_type("text/plain", ".log")
_types.add_type("application/xhtml+xml", ".xhtml")


def _by_name(name: str) -> tuple[str | None, str | None]:
    """(media type, packing) of a file's last segment."""
    if name.endswith((".tar.gz", ".tgz")):
        return "application/gzip", None
    return _types.guess_type(name.removesuffix(".gz"), strict=False)


#: (pattern of a path, "log" or "raw"); the first that is found wins.
Views = Sequence[tuple[re.Pattern[str], str]]


def passed_through_as(name: str, head: bytes, views: Views) -> str | None:
    """The media type of a file that is not a log; None for a log.

    name: the requested path. head: the first bytes of its content, inflated. views: patterns
    from the configuration, which win over what is known here.
    """
    file_name = name.rpartition("/")[2]
    media_type, packing = _by_name(file_name)
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
    return "application/octet-stream" if _is_binary(head, is_called_a_log) else None


def _is_binary(head: bytes, is_called_a_log: bool) -> bool:
    if head.startswith(b"\x1f\x8b"):
        return False  # a damaged gzip, which could not be inflated: the log's view says so
    if b"\0" in head and not is_called_a_log:
        return True
    controls = len(head) - len(head.translate(None, _CONTROL))
    # Random bytes have one in eleven; of a short head, a few say nothing.
    return controls * 20 > max(len(head), 100)
