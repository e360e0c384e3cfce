# SPDX-License-Identifier: Apache-2.0
"""The page of an error: what happened, and what a reader may do next."""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from markupsafe import Markup

from oslogserve.errors import BadRequest, Error, Forbidden, NotFound, Unavailable
from oslogserve.pages.assets import url
from oslogserve.pages.bar import corrected
from oslogserve.pages.page import breadcrumbs
from oslogserve.pages.template import join, template, template_of
from oslogserve.query import parameters_of

_PAGE = template_of("head", "error")
_SENTENCE = template("<p>{sentence}</p>\n")
_STEP = template('<li><a href="{address}">{label}</a>{remark}</li>\n')


def error_page(
    mount: str, error: Error, path: bytes | None, query_string: str, sources: Sequence[str]
) -> bytes:
    """The page of an error. mount: SCRIPT_NAME. path: None where the request's is not legitimate.
    sources: names of those that can be requested one by one."""
    steps = [*(_steps(mount, error, path, query_string, sources) if path else ())]
    steps.append(_STEP(address=f"{mount}/", label="All logs", remark=""))
    return _PAGE(
        title=error.status,
        style=url(mount, "log.css"),
        path=breadcrumbs(mount, (path or b"").rstrip(b"/"), "b"),
        status=error.status,
        remedy=_remedy(error, path, query_string),
        steps=join(steps),
    ).encode()


def _remedy(error: Error, path: bytes | None, query_string: str) -> Markup:
    """The sentence; of a parameter in the form, beside what was typed."""
    wrong = error.parameter if isinstance(error, BadRequest) else None
    if not path or wrong is None:
        return _SENTENCE(sentence=error.sentence)
    is_log = not path.endswith(b"/")
    form = corrected(parameters_of(query_string), wrong, error.sentence, is_log)
    return form if "aria-invalid" in form else _SENTENCE(sentence=error.sentence) + form


def _steps(
    mount: str, error: Error, path: bytes, query_string: str, sources: Sequence[str]
) -> Iterator[Markup]:
    here = f"{mount}/{quote(path)}"
    above, _, name = path.rstrip(b"/").rpartition(b"/")
    if isinstance(error, BadRequest) and query_string:
        label = f"All of {name.decode('utf-8', 'replace')}"
        yield _STEP(address=here, label=label, remark=", without the parameters")
    if isinstance(error, Unavailable):
        again = f"{here}?{query_string}" if query_string else here
        remark = f", in {error.RETRY_AFTER} seconds or so"
        yield _STEP(address=again, label="Try again", remark=remark)
        for source in sources if len(sources) > 1 else ():
            yield _STEP(address=f"{here}?source={source}", label=f"Ask {source} alone", remark="")
    if isinstance(error, NotFound | Forbidden) and above:
        yield _STEP(address=f"{mount}/{quote(above)}/", label="The folder above", remark="")
