# SPDX-License-Identifier: Apache-2.0
"""The salt of ETags and indexes: version, code and user formats."""

import hashlib
from functools import cache
from pathlib import Path

from oslogserve import __version__, native
from oslogserve.config import Config


def salt_of(config: Config) -> str:
    """A digest of version, code and user formats, which change a page like its log's bytes."""
    formats = hashlib.sha256(f"{_digest_of_code()} {config.formats}".encode())
    return f"{__version__} {formats.hexdigest()[:12]}"


@cache
def _digest_of_code() -> str:
    """A digest of the native core, modules and templates, which may differ within one version."""
    package = Path(__file__).parent
    files = [
        path for path in sorted(package.rglob("*")) if path.is_file() and path.suffix != ".pyc"
    ]
    digest = hashlib.sha256()
    for path in (native.FILE, *files):
        digest.update(path.read_bytes())
    return digest.hexdigest()
