# SPDX-License-Identifier: Apache-2.0
"""What the server says about an answer, as sentences: what is missing, and where it goes on."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from oslogserve_mcp.answer import counted
from oslogserve_mcp.client import MOST_READ, Answer
from oslogserve_mcp.places import Pairs, Site, as_path

#: Notices of the server, and files that were not read, that are shown.
_MOST_NOTICES = 10
_MOST_SKIPPED = 5
#: Parameters that a tool gives anew.
_OF_TOOL = ("format", "limit")


def missing(members: dict[str, Any], is_cut: bool = False) -> Iterator[str]:
    """Sentences on what an answer lacks. members: of its JSON, or of its last object."""
    if is_cut:
        yield f"The rest is left out: the answer is larger than {MOST_READ:,} bytes."
    elif not members.get("complete", False):
        yield "Something is missing from this answer."
    if members.get("compared") is False:
        yield "Not compared with all of the run that passed: lines may be called new that are not."
    yield from [said for said in (members.get("reason"),) if said]
    notices = members.get("notices", [])
    yield from notices[:_MOST_NOTICES]
    if len(notices) > _MOST_NOTICES:
        yield f"{counted(len(notices) - _MOST_NOTICES, 'further notice')} of the server"
    if skipped := members.get("skipped"):
        named = (f"{as_path(one['name'])} ({one['reason']})" for one in skipped[:_MOST_SKIPPED])
        others = ", ..." if len(skipped) > _MOST_SKIPPED else ""
        yield f"{counted(len(skipped), 'file')} not read: {', '.join(named)}{others}"


def following(answer: Answer, site: Site, to: str) -> str:
    """The link to the rest of an answer, which the server names."""
    place = site.place(urljoin(site.address(*answer.place[:2]), to))
    return link_to(site, place.path, place.query)


def link_to(site: Site, path: bytes, query: Pairs) -> str:
    """A link for a reader and for a tool, which gives its own format and limit."""
    return site.address(path, [pair for pair in query if pair[0] not in _OF_TOOL])
