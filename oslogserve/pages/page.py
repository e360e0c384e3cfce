# SPDX-License-Identifier: Apache-2.0
"""The common parts of all pages: style sheets and scripts, headers, and the values of base.html."""

import base64
import functools
import hashlib
from importlib import resources
from typing import Any
from urllib.parse import quote

from oslogserve.errors import Header
from oslogserve.http import HTML
from oslogserve.query import Query
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


_NAMES = (
    "log.js",
    "keys.js",
    "folds.js",
    "map.js",
    "outline.js",
    "follow.js",
    "folder.js",
    "overview.js",
)
_HASHES = " ".join(f"'{integrity(name)}'" for name in _NAMES)
#: A page loads only the application's own files; nothing is inline. Stored files have the same origin,
#: so scripts are allowed by their hash.
POLICY = (
    "default-src 'none'; style-src 'self'; "
    f"script-src {_HASHES}; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
#: The headers of an answer, by its format.
HEADERS: dict[str, list[Header]] = {}
for _name, _format in FORMATS.items():
    HEADERS[_name] = [("Content-Type", _format.media_type)]
    if _format.media_type == HTML:
        HEADERS[_name].append(("Content-Security-Policy", POLICY))
        # Sites that a log links to must not learn its address.
        HEADERS[_name].append(("Referrer-Policy", "same-origin"))
#: Links to folders above. Each repeats the address before it: many short ones would take megabytes.
MOST_FOLDERS = 16


def frame(query: Query, title: str = "") -> dict[str, Any]:
    """The values for every page. title: by default the path."""
    kept = of_source(query.one_source)
    return {
        "title": title or query.shown or "logs",
        "asset": lambda name: query.mount + _PATHS[name],
        "integrity": integrity,
        "path": _breadcrumbs(query, kept),
        "kept": kept,
    }


def _breadcrumbs(query: Query, kept: str) -> tuple[list[tuple[str, str]], str]:
    """Links to the folders above, and the path's last segment. The link to those that are not named has no text."""
    *names, name = query.shown.split("/")
    if not name:
        return [], "logs"
    segments = quote(query.path).split("/")
    far = max(len(names) - MOST_FOLDERS, 0)
    links = [(f"{query.mount}/{kept}", "logs")]
    for depth in range(far or 1, len(names) + 1):
        above = "/".join(segments[:depth])
        links.append((f"{query.mount}/{above}/{kept}", "" if depth == far else names[depth - 1]))
    return links, name


def of_source(source: str) -> str:
    """The end of an address that keeps the query's source."""
    return f"?source={source}" if source else ""
