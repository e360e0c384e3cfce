# SPDX-License-Identifier: Apache-2.0
"""The renderer of a configuration, and the configuration's part of every ETag."""

import functools
import hashlib
from pathlib import Path

import oslogserve
from oslogserve import __version__
from oslogserve.config import Config, ConfigError
from oslogserve.lines.renderer import Renderer, named


def renderer_of(config: Config) -> tuple[str, Renderer]:
    """The renderer's name, 'native' or 'pure', and the renderer. Raises ConfigError."""
    try:
        return named(config["serve", "renderer"], config.formats)
    except LookupError as why_not:
        raise ConfigError(f"[serve] renderer = native: {why_not}") from None
    except ValueError as fault:
        raise ConfigError(f"[format] {fault}") from None


def etag_salt(config: Config) -> str:
    """etag_salt: a digest of version, code and user formats, which change a page like its log's bytes."""
    code = digest_of_code(Path(oslogserve.__file__).parent)
    return f"{__version__} {hashlib.sha256(f'{code} {config.formats}'.encode()).hexdigest()[:12]}"


@functools.cache
def digest_of_code(package: Path) -> str:
    """A digest of modules and templates, which may differ between deployments of one version."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.read_bytes())
    return digest.hexdigest()
