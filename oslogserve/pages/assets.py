# SPDX-License-Identifier: Apache-2.0
"""The page's style sheet and script: static files whose paths change with their content."""

import base64
import functools
import hashlib
from importlib import resources
from typing import NamedTuple

_MEDIA_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


class Asset(NamedTuple):
    #: The path below the mount.
    path: str
    content: bytes
    media_type: str


def _load() -> dict[str, Asset]:
    found = {}
    for file in resources.files("oslogserve").joinpath("static").iterdir():
        stem, _, ending = file.name.rpartition(".")
        if ending in _MEDIA_TYPES:
            content = file.read_bytes()
            digest = hashlib.sha256(content).hexdigest()[:12]
            path = f"/_oslogserve/{stem}.{digest}.{ending}"
            found[file.name] = Asset(path, content, _MEDIA_TYPES[ending])
    return found


_ASSETS = _load()
BY_PATH = {asset.path: asset for asset in _ASSETS.values()}
#: A digest of all files, part of the ETags of pages, which name them.
VERSION = hashlib.sha256("".join(sorted(BY_PATH)).encode()).hexdigest()[:8]


def url(mount: str, name: str) -> str:
    """The asset's address. mount: SCRIPT_NAME."""
    return mount + _ASSETS[name].path


@functools.cache
def integrity(name: str) -> str:
    """The content's hash, as in a content security policy and in `integrity`."""
    digest = hashlib.sha256(_ASSETS[name].content).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def content(name: str) -> str:
    return _ASSETS[name].content.decode()
