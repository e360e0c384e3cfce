# SPDX-License-Identifier: Apache-2.0
"""The HTML around a log's lines, and error pages."""

from functools import lru_cache
from html import escape
from urllib.parse import quote, urlencode

from oslogserve.lines.formats import SEVERITIES
from oslogserve.query import Query
from oslogserve.views.assets import content, url

#: Everything comes from the application itself; nothing is inline.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)

HEADERS = (("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", POLICY))


def head(mount: str, title: str) -> str:
    before, after = _around_title(mount)
    return f"{before}{escape(title)}{after}"


@lru_cache(maxsize=16)
def _around_title(mount: str) -> tuple[str, str]:
    before = '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>'
    after = (
        "</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        # Else every page asks the server for /favicon.ico.
        '<link rel="icon" href="data:,">\n'
        f'<link rel="stylesheet" href="{escape(url(mount, "log.css"))}">\n'
        f'<script src="{escape(url(mount, "log.js"))}" defer></script>\n'
        "</head>\n"
    )
    return before, after


def breadcrumbs(mount: str, path: bytes) -> str:
    """Links to the folders above, and the last segment."""
    *folders, name = path.split(b"/")
    address = mount + "/"
    links = [f'<a href="{escape(address)}">logs</a>']
    for folder in folders:
        address += quote(folder) + "/"
        links.append(f'<a href="{escape(address)}">{_shown(folder)}</a>')
    return " / ".join([*links, f"<b>{_shown(name)}</b>"])


def before_lines(mount: str, query: Query, source: str) -> bytes:
    name = query.path.rpartition(b"/")[2].decode("utf-8", "replace")
    return (
        head(mount, name)
        + "<body>\n<header>\n"
        + f'<nav class="path" aria-label="Folders">{breadcrumbs(mount, query.path)}</nav>\n'
        + _controls(query.source, query.given)
        + f'<p class="facts">from {source}</p>\n'
        + '</header>\n<main><pre id="log">\n'
    ).encode()


def link_of(source: str) -> bytes:
    """What an address of the same log begins with, whatever else was asked; for HTML."""
    return b"?" if source == "all" else f"?source={source}&amp;".encode()


@lru_cache(maxsize=256)
def _controls(source: str, given: tuple[tuple[str, str], ...]) -> str:
    """Links to the other levels and formats of the same log."""
    kept = [(name, value) for name, value in given if name not in _VIEW and value]
    lines = [(name, value) for name, value in kept if name != "level"]
    current = next((value.upper() for name, value in kept if name == "level"), SEVERITIES[0])
    links = []
    for other in SEVERITIES:
        address = "?" + urlencode([*lines, ("level", other)])
        mark = ' aria-current="true"' if other == current else ""
        label = "all" if other == SEVERITIES[0] else other
        links.append(f'<a class="{other}" href="{escape(address)}"{mark}>{label}</a>')
    text = "?" + urlencode([*lines, ("level", current), ("format", "text")])
    raw = "?" + urlencode({"source": source, "format": "raw"})
    return (
        f'<nav class="levels" aria-label="Severity">{" ".join(links)}</nav>\n'
        f'<nav class="formats" aria-label="Format"><a href="{escape(text)}">text</a> '
        f'<a href="{escape(raw)}">raw</a></nav>\n'
    )


#: What says how a log is shown, and not which lines of it.
_VIEW = ("format", "content-type")


def standalone_head(title: str) -> bytes:
    """Of a page that is a file of its own: its style comes with it."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n<style>\n{content('log.css')}</style>\n</head>\n"
        '<body>\n<main><pre id="log">\n'
    ).encode()


def after_lines(notices: list[str], following: str | None = None) -> bytes:
    """notices: what is missing of the log, and why. following: where a limit's next lines are."""
    told = "".join(f'<p class="notice" role="status">{escape(notice)}</p>\n' for notice in notices)
    if following:
        link = f'<a href="{escape(following)}" rel="next">the next lines</a>'
        told += f'<p class="notice" role="status">A limit was reached: {link}.</p>\n'
    return f"</pre>{told}</main>\n</body>\n</html>\n".encode()


def error_page(mount: str, status: str, sentence: str) -> bytes:
    return (
        head(mount, status)
        + f'<body class="error">\n<main>\n<h1>{escape(status)}</h1>\n<p>{escape(sentence)}</p>\n'
        + f'<p><a href="{escape(mount)}/">All logs</a></p>\n</main>\n</body>\n</html>\n'
    ).encode()


def _shown(name: bytes) -> str:
    return escape(name.decode("utf-8", "replace"))
