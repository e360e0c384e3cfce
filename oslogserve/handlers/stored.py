# SPDX-License-Identifier: Apache-2.0
"""Stored bytes as they are: what is no log, format=raw, and text that needs no work."""

from collections.abc import Iterable
from typing import Any

from oslogserve.answer import TEXT, Answer, FilePart, conditions
from oslogserve.handlers.opened import Opened
from oslogserve.lines.decode import decoded, exactly, packed_as
from oslogserve.sources import Log
from oslogserve.views.kind import passed_through_as

#: What is not ours must not act in our name: no cookies, no requests to this origin.
SANDBOX = ("Content-Security-Policy", "sandbox allow-scripts allow-popups")


def pass_through(answer: Answer, environ: dict[str, Any], opened: Opened, media_type: str) -> None:
    """What is no log. Ranges are of the stored bytes, so what has to be inflated has none."""
    answer.view = "raw"
    answer.headers += [("Content-Type", media_type), SANDBOX]
    packed = packed_as(opened.first, opened.stored.encoding)
    if packed and media_type != "application/gzip":
        answer.pieces = decoded(opened.content, opened.stored.encoding, opened.again)
        answer.may_gzip = True
    else:
        _send_ranged(answer, environ, opened)


def send_raw(answer: Answer, environ: dict[str, Any], opened: Opened, name: str) -> None:
    """format=raw."""
    answer.view = "raw"
    packed = packed_as(opened.first, opened.stored.encoding)
    if packed:
        media_type = "application/gzip" if packed == "gzip" else "application/zlib"
    else:
        media_type = passed_through_as(name, opened.first, ()) or TEXT
    answer.headers += [("Content-Type", media_type), SANDBOX]
    _send_ranged(answer, environ, opened)


def _send_ranged(answer: Answer, environ: dict[str, Any], opened: Opened) -> None:
    answer.headers.append(("Accept-Ranges", "bytes"))
    size = opened.stored.size
    tag = dict(answer.headers)["ETag"]
    span = conditions.span(environ, size, tag, opened.stored.modified)
    if span is None or size is None:
        send_whole(answer, opened)
        return
    opened.log.close()
    part = opened.part(span)
    answer.status = "206 Partial Content"
    answer.headers.append(conditions.content_range(span, size))
    _send(answer, part, part, span)


def send_whole(answer: Answer, opened: Opened) -> None:
    size = opened.stored.size
    if size is None:
        answer.pieces = opened.content
    elif opened.is_small:
        answer.headers.append(("Content-Length", str(size)))
        answer.pieces = [opened.first]
    else:
        _send(answer, opened.log, opened.content, (0, size))


def _send(answer: Answer, log: Log, content: Iterable[bytes], span: tuple[int, int]) -> None:
    first, size = span[0], span[1] - span[0]
    answer.headers.append(("Content-Length", str(size)))
    answer.pieces = exactly(size, content)
    if log.file is not None:
        answer.file = FilePart(log.file, first, size, log.sent)
