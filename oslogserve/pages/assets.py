# SPDX-License-Identifier: Apache-2.0
"""The page's style sheet and script: static files, named by what they hold."""

import hashlib
from importlib import resources

_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
PREFIX = "/_oslogserve/"


def _load() -> dict[str, tuple[str, bytes, str]]:
    found = {}
    for file in resources.files("oslogserve").joinpath("static").iterdir():
        stem, _, ending = file.name.rpartition(".")
        if ending in _TYPES:
            held = file.read_bytes()
            digest = hashlib.sha256(held).hexdigest()[:12]
            found[file.name] = (f"{PREFIX}{stem}.{digest}.{ending}", held, _TYPES[ending])
    return found


_ASSETS = _load()
#: Path below the mount point -> (content, media type).
BY_PATH = {path: (held, media_type) for path, held, media_type in _ASSETS.values()}
#: Short; part of every page's ETag, for pages name these files.
VERSION = hashlib.sha256("".join(sorted(BY_PATH)).encode()).hexdigest()[:8]


def url(mount: str, name: str) -> str:
    """mount: SCRIPT_NAME."""
    return mount + _ASSETS[name][0]


def content(name: str) -> str:
    return _ASSETS[name][1].decode()
