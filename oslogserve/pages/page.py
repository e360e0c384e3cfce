# SPDX-License-Identifier: Apache-2.0
"""The HTML around a log's lines."""

from collections.abc import Iterable
from urllib.parse import quote

from markupsafe import Markup

from oslogserve.pages.assets import content, integrity, url
from oslogserve.pages.bar import LogInfo, bar
from oslogserve.pages.humanize import size_element, time_element
from oslogserve.pages.template import join, template, template_of
from oslogserve.query import Query

#: Everything comes from the application itself; nothing is inline. Stored scripts are of the same
#: origin, so scripts are named by their content.
POLICY = (
    "default-src 'none'; style-src 'self'; "
    f"script-src '{integrity('log.js')}' '{integrity('folder.js')}'; connect-src 'self'; "
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

_BEFORE_LINES = template_of("head", "log")
_FILE_HEAD = template_of("file")
_AFTER_LINES = template("</div>\n{before_notices}{notices}{footer}</main>\n</body>\n</html>\n")
#: The bar has a link to it, which is shown when it has come.
_DAMAGE = template('<div id="damage">{notices}</div>\n')
_WITHOUT_LINES = template('<p class="none">{sentence}</p>\n')
NOTICE = template('<p class="notice" role="status">{sentence}</p>\n')
_LIMIT = template('A limit was reached: <a href="{address}" rel="next">the next lines</a>.')
_CRUMB = template('<a href="{address}">{name}</a>')
_FAR_CRUMB = template('<a href="{address}" title="Folders above">&hellip;</a>')
_LAST_CRUMB = template("<{tag}>{name}</{tag}>")


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


def _title(path: bytes) -> str:
    """The file and the last folders above it, of which one most often names the job."""
    *folders, name = path.decode("utf-8", "replace").split("/")
    return f"{name} - {'/'.join(folders[-4:])}" if folders else name


def before_lines(query: Query, log: LogInfo, notice: str = "") -> bytes:
    """The page up to its first line. notice: of what stands before it."""
    name = query.path.rpartition(b"/")[2].decode("utf-8", "replace")
    return _BEFORE_LINES(
        **bar(query.source, query.wraps, query.parameters),
        title=_title(query.path),
        style=url(query.mount, "log.css"),
        path=breadcrumbs(query.mount, query.path),
        source=log.source,
        size=size_element(log.stored_size),
        time=time_element(log.modified, " UTC"),
        saved_as=name.removesuffix(".gz"),
        script=url(query.mount, "log.js"),
        integrity=integrity("log.js"),
        notice=notice,
        wrap="" if query.wraps else "nowrap",
    ).encode()


def file_head(title: str) -> bytes:
    """The page up to its first line, for one that is saved as a file: its style comes with it."""
    style = Markup(content("log.css"))  # noqa: S704 - of this package
    return _FILE_HEAD(title=title, style=style).encode()


def after_lines(
    notices: Iterable[str], following: str | None = None, footer: str = "", without_lines: str = ""
) -> bytes:
    """The page behind its last line. following: the URL of the lines behind a limit that was
    reached. without_lines: the sentence that stands where no line does."""
    damage = join(NOTICE(sentence=sentence) for sentence in notices)
    limit = NOTICE(sentence=_LIMIT(address=following)) if following else ""
    return _AFTER_LINES(
        before_notices=_WITHOUT_LINES(sentence=without_lines) if without_lines else "",
        notices=(_DAMAGE(notices=damage) if damage else "") + limit,
        footer=footer,
    ).encode()


def link_of(source: str) -> bytes:
    """The beginning of addresses of other lines of the same log, escaped for HTML."""
    return b"?" if source == "all" else f"?source={source}&amp;".encode()
