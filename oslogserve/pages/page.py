# SPDX-License-Identifier: Apache-2.0
"""The HTML around a log's lines."""

from collections.abc import Iterable
from urllib.parse import quote

from markupsafe import Markup

from oslogserve.pages.assets import content, url
from oslogserve.pages.bar import LogInfo, bar
from oslogserve.pages.template import join, template
from oslogserve.query import Query

#: Everything comes from the application itself; nothing is inline.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Content-Security-Policy", POLICY),
    # A log names sites that are not to learn of its address.
    ("Referrer-Policy", "same-origin"),
)
#: Each has all of the address before it: a path of many short folders would make megabytes of them.
MOST_CRUMBS = 16

_BEGIN = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
)
_HEAD = (
    _BEGIN + '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    '<meta name="color-scheme" content="light dark">\n'
    # Else every page asks the server for /favicon.ico.
    '<link rel="icon" href="data:,">\n'
    '<link rel="stylesheet" href="{style}">\n</head>\n'
)
_ONLY_HEAD = template(_HEAD)
_LOG = '<div id="log" class="{wrap}" role="region" aria-label="Lines" tabindex="-1">'
_BEFORE_LINES = template(
    _HEAD + '<body>\n<a class="skip" href="#log">Skip to the lines</a>\n{bar}'
    # It runs while the lines come, and finds the bar above it.
    '<script type="module" async src="{script}"></script>\n<main>\n{notice}' + _LOG
)
_FILE_HEAD = template(_BEGIN + "<style>\n{style}</style>\n</head>\n<body>\n<main>\n" + _LOG)
_AFTER_LINES = template("</div>\n{before_notices}{notices}{footer}</main>\n</body>\n</html>\n")
_WITHOUT_LINES = template('<p class="none">{sentence}</p>\n')
_NOTICE = template('<p class="notice" role="status">{sentence}</p>\n')
_LIMIT = template('A limit was reached: <a href="{address}" rel="next">the next lines</a>.')
_CRUMB = template('<a href="{address}">{name}</a>')
_FAR_CRUMB = template('<a href="{address}" title="Folders above">&hellip;</a>')
_LAST_CRUMB = template("<{tag}>{name}</{tag}>")


def head(mount: str, title: str) -> Markup:
    return _ONLY_HEAD(title=title, style=url(mount, "log.css"))


def breadcrumbs(mount: str, path: bytes, tag: str = "h1") -> Markup:
    """Links to the folders above, and the last segment. tag: what that is on the page."""
    *folders, name = path.decode("utf-8", "replace").split("/")
    if not name:
        return _LAST_CRUMB(tag=tag, name="logs")
    segments = quote(path).split("/")
    address = f"{mount}/"
    links = [_CRUMB(address=address, name="logs")]
    far = max(len(folders) - MOST_CRUMBS, 0)
    if far:
        address += "/".join(segments[:far]) + "/"
        links.append(_FAR_CRUMB(address=address))
    for folder, segment in zip(folders[far:], segments[far:], strict=False):
        address += segment + "/"
        links.append(_CRUMB(address=address, name=folder))
    return join([*links, _LAST_CRUMB(tag=tag, name=name)], between=" ")


def before_lines(query: Query, log: LogInfo, notice: str = "") -> bytes:
    """The page up to its first line. notice: of what stands before it."""
    name = query.path.rpartition(b"/")[2].decode("utf-8", "replace")
    return _BEFORE_LINES(
        title=name,
        style=url(query.mount, "log.css"),
        bar=bar(query, name, breadcrumbs(query.mount, query.path), log),
        script=url(query.mount, "log.js"),
        notice=notice,
        wrap="" if query.wraps else "nowrap",
    ).encode()


def file_head(title: str) -> bytes:
    """As before_lines, of a page that is saved as a file: its style comes with it."""
    return _FILE_HEAD(title=title, style=Markup(content("log.css")), wrap="").encode()


def after_lines(
    notices: Iterable[str], following: str | None = None, footer: str = "", without_lines: str = ""
) -> bytes:
    """The page behind its last line. following: the URL of the lines behind a limit that was
    reached. without_lines: the sentence that stands where no line does."""
    sentences = [*notices, *([_LIMIT(address=following)] if following else [])]
    return _AFTER_LINES(
        before_notices=_WITHOUT_LINES(sentence=without_lines) if without_lines else "",
        notices=join(notice(sentence) for sentence in sentences),
        footer=footer,
    ).encode()


def notice(sentence: str) -> Markup:
    return _NOTICE(sentence=sentence)


def link_of(source: str) -> bytes:
    """How URLs of other lines of the same log begin; escaped for HTML."""
    return b"?" if source == "all" else f"?source={source}&amp;".encode()
