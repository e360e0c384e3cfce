# SPDX-License-Identifier: Apache-2.0
"""The renderer that a configuration asks for, and its part of every ETag."""

import hashlib

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
    """Version and user formats, part of every ETag: what else the same stored bytes depend on."""
    if not config.formats:
        return __version__
    return f"{__version__} {hashlib.sha256(repr(config.formats).encode()).hexdigest()[:12]}"
