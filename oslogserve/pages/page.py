# SPDX-License-Identifier: Apache-2.0
"""The HTML around a log's lines."""

from functools import lru_cache
from html import escape
from urllib.parse import quote

from oslogserve.pages.assets import content, url
from oslogserve.pages.bar import LogInfo, bar
from oslogserve.query import Query

#: Everything comes from the application itself; nothing is inline.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
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
        "</head>\n"
    )
    return before, after


#: Each has all of the address before it: a path of many short folders would make megabytes of them.
MOST_CRUMBS = 16


def breadcrumbs(mount: str, path: bytes, tag: str = "h1") -> str:
    """Links to the folders above, and the last segment. tag: what that is on the page."""
    if not path:
        return f"<{tag}>logs</{tag}>"
    *folders, name = path.split(b"/")
    address = mount + "/"
    links = [f'<a href="{escape(address)}">logs</a>']
    if len(folders) > MOST_CRUMBS:
        far, folders = folders[:-MOST_CRUMBS], folders[-MOST_CRUMBS:]
        address += quote(b"/".join(far)) + "/"
        links.append(f'<a href="{escape(address)}" title="Folders above">&hellip;</a>')
    for folder in folders:
        address += quote(folder) + "/"
        links.append(f'<a href="{escape(address)}">{_shown(folder)}</a>')
    return " ".join([*links, f"<{tag}>{_shown(name)}</{tag}>"])


def before_lines(query: Query, log: LogInfo, notice: str = "") -> bytes:
    """notice: of what stands before the lines."""
    mount = query.mount
    name = query.path.rpartition(b"/")[2].decode("utf-8", "replace")
    return (
        head(mount, name)
        + '<body>\n<a class="skip" href="#log">Skip to the lines</a>\n'
        + bar(query, name, breadcrumbs(mount, query.path), log)
        # It runs while the lines come, and finds the bar above it.
        + f'<script type="module" async src="{escape(url(mount, "log.js"))}"></script>\n'
        + _log_element("" if query.wraps else "nowrap", notice)
    ).encode()


def _log_element(kind: str = "", notice: str = "") -> str:
    named = 'role="region" aria-label="Lines" tabindex="-1"'
    return f'<main>\n{notice}<div id="log" class="{kind}" {named}>'


def link_of(source: str) -> bytes:
    """What an address of the same log begins with, whatever else was asked; for HTML."""
    return b"?" if source == "all" else f"?source={source}&amp;".encode()


def file_head(title: str) -> bytes:
    """The beginning of a page that is saved as a file: its style comes with it."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n<style>\n{content('log.css')}</style>\n</head>\n"
        f"<body>\n{_log_element()}"
    ).encode()


def after_lines(
    notices: list[str], following: str | None = None, counts: str = "", without_lines: str = ""
) -> bytes:
    """notices: what is missing of the log, and why. following: the URL of the lines behind a limit.
    counts: the footer. without_lines: what the page says instead of lines."""
    told = "".join(f'<p class="notice" role="status">{escape(notice)}</p>\n' for notice in notices)
    if following:
        link = f'<a href="{escape(following)}" rel="next">the next lines</a>'
        told += f'<p class="notice" role="status">A limit was reached: {link}.</p>\n'
    nothing = f'<p class="none">{without_lines}</p>\n' if without_lines else ""
    return f"</div>\n{nothing}{told}{counts}</main>\n</body>\n</html>\n".encode()


def _shown(name: bytes) -> str:
    return escape(name.decode("utf-8", "replace"))
