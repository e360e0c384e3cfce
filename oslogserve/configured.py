# SPDX-License-Identifier: Apache-2.0
"""What a configuration says of rendering, made. For the application and for the command line."""

import hashlib

from oslogserve import __version__
from oslogserve.config import Config, ConfigError
from oslogserve.lines.renderer import Renderer, named


def renderer_of(config: Config) -> tuple[str, Renderer]:
    """Its name, and itself. Raises ConfigError."""
    try:
        return named(config["serve", "renderer"], config.formats)
    except LookupError as why_not:
        raise ConfigError(f"[serve] renderer = native: {why_not}") from None
    except ValueError as fault:
        raise ConfigError(f"[format] {fault}") from None


def made_by(config: Config) -> str:
    """Of what the same stored bytes become the same answer: for its ETag."""
    if not config.formats:
        return __version__
    return f"{__version__} {hashlib.sha256(repr(config.formats).encode()).hexdigest()[:12]}"
