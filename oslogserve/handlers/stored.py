# SPDX-License-Identifier: Apache-2.0
"""Stored bytes as they are: what is no log, format=raw, and text that needs no work."""

import re
from collections.abc import Iterable
from typing import Any

from oslogserve.errors import Incomplete, SourceError, Unavailable
from oslogserve.handlers.opened import Opened
from oslogserve.http import TEXT, Answer, FilePart, conditions
from oslogserve.lines.decode import decoded, exactly, packed_as, until_incomplete
from oslogserve.pages import log as log_view
from oslogserve.pages.media_type import passed_through_as
from oslogserve.sources import Log

#: Types whose reader sees a last line.
_TEXTUAL = re.compile(r"text/|application/(.*\+)?(json|xml|javascript)|image/svg")
#: Types that a browser shows.
_SHOWN = re.compile(r"text/|image/|application/((.*\+)?(json|xml|javascript)|pdf)")
#: What is not ours must not act in our name: no cookies, no requests to this origin.
SANDBOX = ("Content-Security-Policy", "sandbox allow-scripts allow-popups")


def pass_through(
    answer: Answer, environ: dict[str, Any], opened: Opened, media_type: str, name: str
) -> None:
    """What is no log. Ranges are of the stored bytes, so what has to be inflated has none."""
    answer.view = "raw"
    packed = packed_as(opened.first, opened.stored.encoding)
    if packed == "gzip" and name.endswith(".gz") and not _SHOWN.match(media_type):
        media_type = "application/gzip"  # it is saved under its name, so it is what the name says
    answer.headers += [("Content-Type", media_type), SANDBOX]
    if not packed or media_type == "application/gzip":
        _send_ranged(answer, environ, opened)
        return
    pieces = decoded(opened.content, opened.stored.encoding, opened.again)
    if _TEXTUAL.match(media_type):
        # Not all servers can break a connection: behind mod_wsgi what breaks off looks complete.
        pieces = log_view.with_notices(until_incomplete(pieces, answer.missing), answer.missing)
    answer.pieces = pieces
    answer.may_gzip = True


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
    """Its bytes are the same for every client, so its tag is strong."""
    answer.headers.append(("Accept-Ranges", "bytes"))
    if not send_part(answer, environ, opened):
        conditions.strengthen(answer)
        send_whole(answer, opened)


def send_part(answer: Answer, environ: dict[str, Any], opened: Opened) -> bool:
    """Whether a part of the stored bytes was asked for; `answer` has it then."""
    size = opened.stored.size
    span = conditions.span(environ, size, conditions.strong_tag(answer), opened.stored.modified)
    if span is None or size is None:
        return False
    opened.log.close()
    part = opened.part(span)
    conditions.make_part(answer, span, size)
    _send(answer, part, part, span)
    return True


def send_whole(answer: Answer, opened: Opened) -> None:
    size = opened.stored.size
    if size is None:
        answer.pieces = opened.content
    elif opened.is_small:
        answer.headers.append(("Content-Length", str(size)))
        answer.pieces = [_checked(opened)]
    else:
        _send(answer, opened.log, opened.content, (0, size))


def _checked(opened: Opened) -> bytes:
    """All of a small log, before its status goes out."""
    try:
        return b"".join(opened.content)
    except Incomplete as error:
        raise Unavailable([SourceError(opened.stored.source, str(error))]) from error


def _send(answer: Answer, log: Log, content: Iterable[bytes], span: tuple[int, int]) -> None:
    first, size = span[0], span[1] - span[0]
    answer.headers.append(("Content-Length", str(size)))
    answer.pieces = exactly(size, content)
    if log.sendfile_descriptor is not None:
        answer.file = FilePart(log.sendfile_descriptor, first, size, log.count_sent)
