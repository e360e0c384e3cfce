# SPDX-License-Identifier: Apache-2.0
"""What readers of Markdown see of an excerpt, by a parser of CommonMark."""

import re

from markdown_it import MarkdownIt

#: A word of what is not the server's own. Around it is what Markdown, HTML or a site would act upon.
HOSTILE = "EVIL"
_PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_BLOCKS = {
    *("heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "fence"),
    *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"),
}
_OF_LINES = {"text", "code_inline", "link_open", "link_close", "softbreak"}
#: Of the server's own sentences.
_OWN = re.compile(r"[A-Za-z0-9 ,.:;+()'-]*")
_ADDRESS = re.compile(r"[A-Za-z0-9/:?&=%._~-]*")


def fault_of(text):
    """What Markdown makes of it that it should not; "" for nothing."""
    for token in _PARSER.parse(text):
        if token.type not in _BLOCKS:
            return f"{token.type}: {token.content!r}"
        if token.type == "fence" and (token.info or not _has_columns(token.content)):
            return f"a block of {token.content!r}"
        for part in token.children or ():
            if part.type not in _OF_LINES:
                return f"{part.type}: {part.content!r}"
            if part.type == "text" and (
                HOSTILE in part.content or not _OWN.fullmatch(part.content)
            ):
                return f"text {part.content!r}"
            if part.type == "link_open" and not _ADDRESS.fullmatch(part.attrs["href"]):
                return f"a link to {part.attrs['href']!r}"
    return ""


def _has_columns(block):
    return all(line[:1] in ("", " ", ">", "+") for line in block.split("\n"))


def code_of(text):
    """The contents of all blocks of code."""
    return [token.content for token in _PARSER.parse(text) if token.type == "fence"]


def links_of(text):
    """The addresses of all links."""
    parts = (part for token in _PARSER.parse(text) for part in token.children or ())
    return [part.attrs["href"] for part in parts if part.type == "link_open"]
