# SPDX-License-Identifier: Apache-2.0
"""The page of an error: what happened, and what a reader may do next."""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from markupsafe import Markup

from oslogserve.errors import BadRequest, Error, Forbidden, NotFound, Unavailable
from oslogserve.pages.assets import url
from oslogserve.pages.page import breadcrumbs
from oslogserve.pages.template import join, template, template_of

_PAGE = template_of("head", "error")
_STEP = template('<li><a href="{address}">{label}</a>{remark}</li>\n')


def error_page(
    mount: str, error: Error, path: bytes | None, query_string: str, sources: Sequence[str]
) -> bytes:
    """mount: SCRIPT_NAME. path: None where the request's path is not legitimate. sources: names of
    those that can be requested one by one."""
    steps = [*(_steps(mount, error, path, query_string, sources) if path else ())]
    steps.append(_step(f"{mount}/", "All logs"))
    return _PAGE(
        title=error.status,
        style=url(mount, "log.css"),
        path=breadcrumbs(mount, path or b"", "b"),
        status=error.status,
        sentence=error.sentence,
        steps=join(steps),
    ).encode()


def _step(address: str, label: str, remark: str = "") -> Markup:
    return _STEP(address=address, label=label, remark=remark)


def _steps(
    mount: str, error: Error, path: bytes, query_string: str, sources: Sequence[str]
) -> Iterator[Markup]:
    here = f"{mount}/{quote(path)}"
    above, _, name = path.rstrip(b"/").rpartition(b"/")
    if isinstance(error, BadRequest) and query_string:
        label = f"All of {name.decode('utf-8', 'replace')}"
        yield _step(here, label, ", without the parameters")
    if isinstance(error, Unavailable):
        again = f"{here}?{query_string}" if query_string else here
        yield _step(again, "Try again", f", in {error.RETRY_AFTER} seconds or so")
        for source in sources if len(sources) > 1 else ():
            yield _step(f"{here}?source={source}", f"Ask {source} alone")
    if isinstance(error, NotFound | Forbidden) and above:
        yield _step(f"{mount}/{quote(above)}/", "The folder above")
