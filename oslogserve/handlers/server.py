# SPDX-License-Identifier: Apache-2.0
"""What the server tells of itself: its assets, its health, its metrics."""

from collections.abc import Sequence

from oslogserve import __version__
from oslogserve.errors import Unavailable
from oslogserve.health import Readiness
from oslogserve.http import NO_STORE, TEXT, Answer
from oslogserve.metrics import CONTENT_TYPE, Metrics
from oslogserve.pages import assets
from oslogserve.sources import Source


def asset(path: str) -> Answer:
    content, media_type = assets.BY_PATH[path]
    headers = [
        ("Content-Type", media_type),
        ("Content-Length", str(len(content))),
        ("Cache-Control", "public, max-age=31536000, immutable"),
        ("Vary", "Accept-Encoding"),
    ]
    return Answer("200 OK", headers, [content], "asset", may_gzip=True)


def healthz() -> Answer:
    return _plain("200 OK", f"oslogserve {__version__} answers\n")


def readyz(readiness: Readiness, sources: Sequence[Source]) -> Answer:
    failures = readiness.failures()
    told = "".join(f"{source.name}: {failures.get(source.name, 'ok')}\n" for source in sources)
    if not failures:
        return _plain("200 OK", told)
    answer = _plain(Unavailable.status, told)
    answer.headers.append(("Retry-After", str(Unavailable.RETRY_AFTER)))
    return answer


def exposition(metrics: Metrics) -> Answer:
    headers = [("Content-Type", CONTENT_TYPE), NO_STORE]
    return Answer("200 OK", headers, [metrics.exposition()], may_gzip=True)


def _plain(status: str, told: str) -> Answer:
    return Answer(status, [("Content-Type", TEXT), NO_STORE], [told.encode()])
