# SPDX-License-Identifier: Apache-2.0
"""Links from places that a cause names, such as src/lib.rs:38:12, to their sources.

The operator says where these are. Project, commit and path are of the job, and so anybody's: they are checked, and
never choose the host.
"""

import re
from collections.abc import Callable
from urllib.parse import quote

from markupsafe import Markup, escape

from oslogserve.ci.build import Build

#: A path, a line, and perhaps a column. It begins where a word does, so that a long one is tried once.
_PLACE = re.compile(
    r"(?<![\w./\\@:+-])([\w./@+-]{1,300}\.[A-Za-z]\w{0,9}):([1-9][0-9]{0,6})(:[0-9]{1,6})?(?!\w)"
)
_REPOSITORY = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*)*")


def source_links(url: str, build: Build) -> Callable[[str], Markup]:
    """What makes HTML of a text. url: a template, see [source] url; "" for none."""
    repository, commit = build.repository, build.commit
    is_known = (
        url
        and (commit or "{commit}" not in url)
        and (_REPOSITORY.fullmatch(repository) or "{project}" not in url)
    )
    if not is_known:
        return escape

    def linked(text: str) -> Markup:
        shown, at = Markup(), 0
        for place in _PLACE.finditer(text):
            path, line, column = place.groups()
            # A name alone is relative to a folder that nobody names.
            path = _in_repository(path, repository) if "/" in path or column else ""
            if path:
                values = {"project": repository, "commit": commit, "path": path, "line": line}
                href = url.format(**{name: quote(value) for name, value in values.items()})
                link = Markup('<a href="{}" rel="noreferrer nofollow">{}</a>')
                shown += escape(text[at : place.start()]) + link.format(href, place[0])
                at = place.end()
        return shown + text[at:]

    return linked


def _in_repository(path: str, repository: str) -> str:
    """The path below the root of the repository; "" if that is not known."""
    path = path.removeprefix("./")
    if path.startswith("/"):
        name = repository.rpartition("/")[2]
        # As Zuul and GitLab check out, and GitHub.
        roots = f"/{repository}/", f"/work/{name}/{name}/"
        path = next((path.partition(root)[2] for root in roots if name and root in path), "")
    return "" if {"", ".", ".."} & {*path.split("/")} else path
