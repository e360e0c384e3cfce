# SPDX-License-Identifier: Apache-2.0
"""The page of an error: what happened, and what a reader may do next."""

from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from oslogserve.errors import BadRequest, Error, Forbidden, NotFound, Unavailable
from oslogserve.pages.page import breadcrumbs, head


def error_page(
    mount: str, error: Error, path: bytes | None, asked: str, sources: Sequence[str]
) -> bytes:
    """path: of what was asked for, None where that was no path. asked: the query as it came.
    sources: names of those that may be asked one by one."""
    where = f'<header><nav class="path" aria-label="Folders">{breadcrumbs(mount, path or b"", "b")}</nav></header>'
    steps = "".join(
        f'<li><a href="{escape(address)}">{escape(label)}</a>{behind}</li>\n'
        for address, label, behind in _steps(mount, error, path, asked, sources)
    )
    return (
        f'{head(mount, error.status)}<body class="error">\n{where}\n<main>\n'
        f"<h1>{escape(error.status)}</h1>\n<p>{escape(error.sentence)}</p>\n"
        f"<ul>\n{steps}</ul>\n</main>\n</body>\n</html>\n"
    ).encode()


def _steps(
    mount: str, error: Error, path: bytes | None, asked: str, sources: Sequence[str]
) -> list[tuple[str, str, str]]:
    """(address, label, what stands behind it) of each."""
    steps = []
    if path:
        here = f"{mount}/{quote(path)}"
        name = path.rstrip(b"/").rpartition(b"/")[2].decode("utf-8", "replace")
        if isinstance(error, BadRequest) and asked:
            steps.append((here, f"All of {name}", ", without the parameters"))
        if isinstance(error, Unavailable):
            again = f"{here}?{asked}" if asked else here
            steps.append((again, "Try again", f", in {error.RETRY_AFTER} seconds or so"))
            if len(sources) > 1:
                steps += [(f"{here}?source={one}", f"Ask {one} alone", "") for one in sources]
        if isinstance(error, NotFound | Forbidden):
            above = path.rstrip(b"/").rpartition(b"/")[0]
            if above:
                steps.append((f"{mount}/{quote(above)}/", "The folder above", ""))
    return [*steps, (f"{mount}/", "All logs", "")]
