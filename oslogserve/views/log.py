# SPDX-License-Identifier: Apache-2.0
"""A log as HTML or text: its own bytes in, the answer's bytes out."""

from collections.abc import Iterable, Iterator

from oslogserve.errors import Incomplete
from oslogserve.lines.renderer import BEST, Renderer
from oslogserve.query import Query
from oslogserve.views import page


def text(
    pieces: Iterable[bytes],
    query: Query,
    missing: list[Incomplete],
    rendered: Renderer = BEST,
) -> Iterator[bytes]:
    """The log's own lines, byte for byte; where a part is missing, a last line says so."""
    if not query.is_unfiltered:
        pieces = rendered(pieces, "text", query.level, query.limit)
    return with_notice(pieces, missing)


def with_notice(pieces: Iterable[bytes], missing: list[Incomplete]) -> Iterator[bytes]:
    """Text, and a last line for what is missing of it by then."""
    last = b"\n"
    for piece in pieces:
        yield piece
        last = piece or last
    if missing and not last.endswith(b"\n"):
        yield b"\n"
    for error in missing:
        yield f"[{told(error)}]\n".encode()


def html(
    pieces: Iterable[bytes],
    query: Query,
    missing: list[Incomplete],
    mount: str,
    source: str,
    rendered: Renderer = BEST,
) -> Iterator[bytes]:
    # By itself: where the filter finds nothing for long, the reader sees at least the page.
    yield page.before_lines(mount, query, source)
    yield from rendered(pieces, "html", query.level, query.limit)
    notices = [told(error) for error in missing]
    if query.limit is not None:
        notices.append(
            f"At most {query.limit} lines are shown: the address says limit={query.limit}."
        )
    yield page.after_lines(notices)


def told(error: Incomplete) -> str:
    return f"oslogserve: this log is incomplete here: {error}"
