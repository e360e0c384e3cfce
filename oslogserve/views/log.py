# SPDX-License-Identifier: Apache-2.0
"""A log as HTML or text: stored bytes in, the answer's bytes out."""

from collections.abc import Iterable, Iterator

from oslogserve.errors import Incomplete
from oslogserve.lines import render
from oslogserve.lines.blocks import whole_lines
from oslogserve.lines.decode import decoded, until_incomplete
from oslogserve.lines.filter import Run, at_least, first_lines, numbered
from oslogserve.query import Query
from oslogserve.views import page


def text(
    chunks: Iterable[bytes], encoding: str, query: Query, missing: list[Incomplete]
) -> Iterator[bytes]:
    """The log's own lines, byte for byte; where a part is missing, a last line says so."""
    pieces = until_incomplete(decoded(chunks, encoding), missing)
    if query.level is None and query.limit is None:
        yield from pieces
    else:
        yield from render.text(_shown(pieces, query))
    for error in missing:
        yield f"\n[{told(error)}]\n".encode()


def html(
    chunks: Iterable[bytes],
    encoding: str,
    query: Query,
    missing: list[Incomplete],
    mount: str,
    source: str,
) -> Iterator[bytes]:
    # By itself: where the filter finds nothing for long, the reader sees at least the page.
    yield page.before_lines(mount, query, source)
    yield from html_lines(chunks, encoding, query, missing)
    notices = [told(error) for error in missing]
    if query.limit is not None:
        notices.append(
            f"At most {query.limit} lines are shown: the address says limit={query.limit}."
        )
    yield page.after_lines(notices)


def html_lines(
    chunks: Iterable[bytes], encoding: str, query: Query, missing: list[Incomplete]
) -> Iterator[bytes]:
    return render.html(_shown(until_incomplete(decoded(chunks, encoding), missing), query))


def _shown(pieces: Iterable[bytes], query: Query) -> Iterator[Run]:
    blocks = whole_lines(pieces)
    runs = numbered(blocks) if query.level is None else at_least(query.level, blocks)
    return runs if query.limit is None else first_lines(query.limit, runs)


def told(error: Incomplete) -> str:
    return f"oslogserve: this log is incomplete here: {error}"
