# SPDX-License-Identifier: Apache-2.0
"""whitenoise with a folder of logs, for gunicorn: ``benchmarks.whitenoise_app:application(...)``."""

from collections.abc import Callable, Iterable
from typing import Any

from whitenoise import WhiteNoise


def _not_found(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("404 Not Found", [("Content-Type", "text/plain")])
    return [b"not found\n"]


def application(root: str) -> WhiteNoise:
    return WhiteNoise(_not_found, root=root)
