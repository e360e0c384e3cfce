# SPDX-License-Identifier: Apache-2.0
"""The page of an error: what happened, and what a reader may do next."""

from collections.abc import Iterator, Sequence

from oslogserve.errors import BadRequest, Error, Forbidden, NotFound, Unavailable
from oslogserve.pages.bar import form
from oslogserve.pages.page import frame
from oslogserve.query import Query
from oslogserve.query.parameters import FIELDS, parameters_of
from oslogserve.templates import rendered
from oslogserve.urls import page_of


def error_page(
    mount: str, error: Error, path: bytes | None, query_string: str, sources: Sequence[str]
) -> bytes:
    """The page of an error. mount: SCRIPT_NAME. path: None if the request's is not valid.

    sources: names of sources that a link can request alone.
    """
    steps = _steps(mount, error, path, query_string, sources) if path else ()
    typed = None
    if path and isinstance(error, BadRequest) and error.parameter:
        wrong = error.parameter
        valid = [pair for pair in parameters_of(query_string) if pair != wrong]
        faults = [(wrong, error.sentence)] if wrong[0] in FIELDS else []
        typed = form(valid, faults, is_log=not path.endswith(b"/"))
    return rendered(
        "error.html",
        **frame(Query((path or b"").rstrip(b"/"), True, mount), error.status),
        sentence=error.sentence,
        form=typed,
        steps=[*steps, (f"{mount}/", "All logs", "")],
    )


def _steps(
    mount: str, error: Error, path: bytes, query_string: str, sources: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """Links to try next: address, label, and the text after it."""
    here = page_of(mount, path)
    above, _, name = path.rstrip(b"/").rpartition(b"/")
    if isinstance(error, BadRequest) and query_string:
        label = f"All of {name.decode('utf-8', 'replace')}"
        yield here, label, ", without the parameters"
    if isinstance(error, Unavailable):
        again = f"{here}?{query_string}" if query_string else here
        yield again, "Try again", f", in {error.RETRY_AFTER} seconds or so"
        for source in sources if len(sources) > 1 else ():
            yield f"{here}?source={source}", f"Ask {source} alone", ""
    if isinstance(error, NotFound | Forbidden) and above:
        yield f"{page_of(mount, above)}/", "The folder above", ""
