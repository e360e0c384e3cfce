# SPDX-License-Identifier: Apache-2.0
"""A log as a page or as text; and what is no log, or format=raw, as it is stored."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any
from urllib.parse import quote

from oslogserve import __version__
from oslogserve.answer import ASK_AGAIN, HTML, TEXT, VARY, Answer, conditions
from oslogserve.answer.body import gathered
from oslogserve.errors import BadRequest, SourceError, Unavailable
from oslogserve.lines.decode import beginning, decoded, exactly, packed_as
from oslogserve.lines.renderer import Renderer
from oslogserve.query import Query
from oslogserve.sources import STORED_ONLY, WHOLE, Folder, Log, Source, Stored, Want
from oslogserve.sources.finder import find
from oslogserve.views import assets, page
from oslogserve.views import log as log_view
from oslogserve.views.kind import Views, passed_through_as

#: What is not ours must not act in our name: no cookies, no requests to this origin.
SANDBOX = ("Content-Security-Policy", "sandbox allow-scripts allow-popups")
_PAGE_HEADERS = (("Content-Type", HTML), ("Content-Security-Policy", page.POLICY))


class LogHandler:
    """views: the configured patterns. renderer: of both views."""

    def __init__(self, views: Views, renderer: Renderer) -> None:
        self._views = views
        self._renderer = renderer

    def __call__(self, environ: dict[str, Any], query: Query, sources: Sequence[Source]) -> Answer:
        if query.format == "json":
            raise BadRequest("format=json is for folders: a log takes html, text, raw.")
        view = query.format or ("html" if query.prefers_html else "text")
        if conditions.is_conditional(environ):
            stored = _stored(find(sources, query.path, STORED_ONLY))
            if stored is not None:
                tag = _tag(stored, query, view)
                if conditions.is_unchanged(environ, tag, stored.modified):
                    return Answer("304 Not Modified", [ASK_AGAIN, VARY, ("ETag", tag)])
        looks_only = environ["REQUEST_METHOD"] == "HEAD" and query.format in ("html", "text")
        found = find(sources, query.path, STORED_ONLY if looks_only else WHOLE)
        if isinstance(found, Folder):
            return _to_folder(environ, query)
        try:
            return self._opened(environ, query, sources, found, view)
        except BaseException:
            found.close()
            raise

    def _opened(
        self,
        environ: dict[str, Any],
        query: Query,
        sources: Sequence[Source],
        log: Log,
        view: str,
    ) -> Answer:
        """view: what was asked for or negotiated; what is no log is passed through instead."""
        stored = log.stored
        tag = _tag(stored, query, view)
        modified = ("Last-Modified", conditions.last_modified(stored.modified))
        answer = Answer(
            "200 OK",
            [ASK_AGAIN, VARY, ("ETag", tag), modified],
            view=view,
            source=stored.source,
            close=log.close,
        )
        chunks = iter(log)
        first = next(chunks, b"")
        content = chain((first,), chunks) if first else chunks
        media_type = None
        if query.format is None:
            name = query.path.decode("utf-8", "replace")
            head = beginning(first, encoding=stored.encoding)
            media_type = passed_through_as(name, head, self._views)
        if media_type is not None or view == "raw":
            _as_stored(answer, environ, query, sources, log, content, first, media_type, tag)
            return answer
        pieces: Iterable[bytes]
        if view == "html":
            answer.headers += _PAGE_HEADERS
            mount = environ.get("SCRIPT_NAME", "")
            pieces = log_view.html(
                content,
                stored.encoding,
                query,
                answer.missing,
                mount,
                stored.source,
                self._renderer,
            )
        else:
            answer.headers.append(("Content-Type", TEXT))
            pieces = log_view.text(content, stored.encoding, query, answer.missing, self._renderer)
        if len(first) == stored.size and environ["REQUEST_METHOD"] == "GET":
            # No source is waited for any more: a small log goes out as one piece.
            pieces, length = gathered(pieces)
            if length is not None:
                answer.headers.append(("Content-Length", str(length)))
        answer.pieces = pieces
        return answer


def _as_stored(
    answer: Answer,
    environ: dict[str, Any],
    query: Query,
    sources: Sequence[Source],
    log: Log,
    content: Iterator[bytes],
    first: bytes,
    media_type: str | None,
    tag: str,
) -> None:
    """What is no log, with its type; or, for format=raw, the bytes as they are stored.

    media_type: None for format=raw. Ranges are of the stored bytes, so a file that has to
    be inflated for its readers has none.
    """
    stored = log.stored
    answer.view = "raw"
    packed = packed_as(first, stored.encoding)
    is_packed = packed != ""
    if media_type is None and is_packed:
        media_type = "application/gzip" if packed == "gzip" else "application/zlib"
        is_packed = False
    elif media_type is None:
        name = query.path.decode("utf-8", "replace")
        media_type = passed_through_as(name, first, ()) or TEXT
    elif media_type == "application/gzip":
        is_packed = False
    answer.headers += [("Content-Type", media_type), SANDBOX]
    if is_packed:
        answer.pieces = decoded(content, stored.encoding)
        return
    answer.headers.append(("Accept-Ranges", "bytes"))
    span = conditions.span(environ, stored.size, tag, stored.modified)
    size = stored.size
    if span is not None and size is not None:
        log.close()
        part = find(sources, query.path, Want(span=span, version=stored.version))
        if isinstance(part, Folder):
            raise Unavailable([_changed(stored)])
        if part.stored.version != stored.version:
            part.close()
            raise Unavailable([_changed(stored)])
        answer.status = "206 Partial Content"
        answer.close = part.close
        answer.headers.append(conditions.content_range(span, size))
        size = span[1] - span[0]
        content = iter(part)
    if size is not None:
        answer.headers.append(("Content-Length", str(size)))
        content = exactly(size, content)
    answer.pieces = content


def _stored(found: Log | Folder) -> Stored | None:
    if isinstance(found, Folder):
        return None
    found.close()
    return found.stored


def _tag(stored: Stored, query: Query, view: str) -> str:
    made_by = f"{__version__} {assets.VERSION}" if view == "html" else __version__
    return conditions.etag(
        f"{stored.source} {stored.version} {stored.size} {stored.encoding} "
        f"{view} {query.level} {query.limit} {made_by} {stored.name}"
    )


def _changed(stored: Stored) -> SourceError:
    return SourceError(stored.source, "the log changed while it was asked for")


def _to_folder(environ: dict[str, Any], query: Query) -> Answer:
    """Relative, so that it holds behind a rewriting server too."""
    asked = environ.get("QUERY_STRING", "")
    address = "./" + quote(query.path.rpartition(b"/")[2]) + "/" + ("?" + asked if asked else "")
    return Answer("301 Moved Permanently", [("Location", address), ("Content-Length", "0")])
