# SPDX-License-Identifier: Apache-2.0
"""The common parts of all pages: style sheets and scripts, headers, and the values of base.html."""

import base64
import functools
import hashlib
from importlib import resources
from typing import Any, NamedTuple
from urllib.parse import quote

from oslogserve.errors import Header
from oslogserve.http import HTML
from oslogserve.query.parameters import FORMATS

_MEDIA_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


#: Names of the style sheets and scripts.
_PATHS: dict[str, str] = {}
#: Their content and media type, by a path below the mount that changes with the content.
ASSETS: dict[str, tuple[bytes, str]] = {}
for _file in resources.files("oslogserve").joinpath("static").iterdir():
    _stem, _, _ending = _file.name.rpartition(".")
    if _ending in _MEDIA_TYPES:
        _content = _file.read_bytes()
        _path = f"/_oslogserve/{_stem}.{hashlib.sha256(_content).hexdigest()[:12]}.{_ending}"
        _PATHS[_file.name], ASSETS[_path] = _path, (_content, _MEDIA_TYPES[_ending])
#: A digest of all files, part of the ETags of pages, which name them.
ASSETS_VERSION = hashlib.sha256("".join(sorted(ASSETS)).encode()).hexdigest()[:8]


def content(name: str) -> str:
    return ASSETS[_PATHS[name]][0].decode()


@functools.cache
def integrity(name: str) -> str:
    """The content's hash, as in a content security policy and in `integrity`."""
    digest = hashlib.sha256(content(name).encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


_NAMES = ("log.js", "folds.js", "map.js", "outline.js", "follow.js", "folder.js", "overview.js")
_HASHES = " ".join(f"'{integrity(name)}'" for name in _NAMES)
#: A page loads only the application's own files; nothing is inline. Stored files have the same origin,
#: so scripts are allowed by their hash.
POLICY = (
    "default-src 'none'; style-src 'self'; "
    f"script-src {_HASHES}; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
#: The headers of an answer, by its format.
HEADERS: dict[str, list[Header]] = {name: [("Content-Type", of)] for name, of in FORMATS.items()}
for _name, _media_type in FORMATS.items():
    if _media_type == HTML:
        HEADERS[_name].append(("Content-Security-Policy", POLICY))
        # Sites that a log links to must not learn its address.
        HEADERS[_name].append(("Referrer-Policy", "same-origin"))
#: Links to folders above. Each repeats the address before it: many short ones would take megabytes.
MOST_FOLDERS = 16


class Link(NamedTuple):
    """A link on a page; its template escapes all of it."""

    address: str
    text: str


class Breadcrumbs(NamedTuple):
    """Links to the folders above a path, and its last segment."""

    #: The address of the root folder; "" on its own page.
    top: str
    #: The address of the folder above those in `folders`; "" if all are there.
    far: str
    folders: list[Link]
    name: str


def frame(mount: str, path: bytes, title: str = "", source: str = "") -> dict[str, Any]:
    """The values for every page. mount: SCRIPT_NAME. title: by default the path. source: the query's one, if it names one."""
    return {
        "title": title or path.decode("utf-8", "replace") or "logs",
        "asset": lambda name: mount + _PATHS[name],
        "integrity": integrity,
        "path": breadcrumbs(mount, path, source),
        "kept": of_source(source),
    }


def breadcrumbs(mount: str, path: bytes, source: str) -> Breadcrumbs:
    *names, name = path.decode("utf-8", "replace").split("/")
    if not name:
        return Breadcrumbs("", "", [], "logs")
    segments, kept = quote(path).split("/"), of_source(source)

    def above(depth: int) -> str:
        return f"{mount}/{'/'.join(segments[:depth])}/{kept}"

    far = max(len(names) - MOST_FOLDERS, 0)
    folders = [Link(above(depth + 1), names[depth]) for depth in range(far, len(names))]
    return Breadcrumbs(f"{mount}/{kept}", above(far) if far else "", folders, name)


def of_source(source: str) -> str:
    """The end of an address that keeps the query's source."""
    return f"?source={source}" if source else ""
