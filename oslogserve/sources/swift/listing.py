# SPDX-License-Identifier: Apache-2.0
"""Reads the pages of a container's listing in Swift, and checks them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from swiftclient import client as swift_api

from oslogserve.bounded_json import parsed
from oslogserve.sources import within_dates

#: Objects and folders on a page, by Swift's own limit.
PAGE = 10000
#: Tokens of a page, or of a manifest: each row has some 30.
MOST_TOKENS = 1_000_000
#: More bytes than any object has.
LARGEST = 10**18


class Listed(NamedTuple):
    """A row of a listing: an object, or a folder, whose name ends in "/"."""

    #: The full name, with the listing's prefix.
    name: str
    size: int | None = None
    #: Seconds since 1970.
    modified: float | None = None
    #: True for an object that represents a folder, and is left out of listings.
    is_marker: bool = False


def name_before(first: bytes) -> str:
    """A name that sorts before `first`, as close to it as UTF-8 allows; "" for none.

    Swift lists what follows a marker, and not the marker itself.
    """
    before = first[:-1]
    try:
        return before.decode()
    except UnicodeDecodeError as error:
        return before[: error.start].decode()


def is_marker(content_type: str, size: int) -> bool:
    """True for the empty object, named without a slash, by which Zuul and others mark a folder."""
    return size == 0 and content_type.partition(";")[0] == "application/directory"


def page(*args: str, prefix: str, marker: str, limit: int, http_conn: Any) -> list[Listed]:
    """The page after `marker`. args: see rows(). Raises ValueError for a malformed listing."""
    wanted = {"marker": marker, "limit": str(limit), "prefix": prefix, "delimiter": "/"}
    try:
        found = [_listed(row) for row in rows(*args, wanted=wanted, http_conn=http_conn)]
        names = [marker, *(listed.name for listed in found)]
        # The last name is the next page's marker: names out of order would come twice or be lost.
        is_in_order = all(a.encode() < b.encode() for a, b in pairwise(names))
        is_within = all(
            name.startswith(prefix) and "/" not in name[len(prefix) : -1] for name in names[1:]
        )
        if not is_in_order or not is_within:
            raise ValueError("another listing")
    except (AttributeError, LookupError, TypeError) as error:
        raise ValueError("a row of the listing is malformed") from error
    return found


def rows(
    url: str, token: str, container: str, *, wanted: Mapping[str, str], http_conn: Any
) -> list[Any]:
    """Rows of a listing. wanted: parameters; empty ones are left out.

    swiftclient's get_container() would inflate an answer to any size, and parse whatever it is.
    Raises ValueError where there are none, and swiftclient's ClientException.
    """
    parsed_url, connection = http_conn
    given = {"format": "json"} | {name: text for name, text in wanted.items() if text}
    query = urlencode(given, safe="/", quote_via=quote)
    headers = {"X-Auth-Token": token, "Accept-Encoding": "identity"}
    connection.request("GET", f"{parsed_url.path}/{quote(container)}?{query}", "", headers)
    response = connection.getresponse()
    body = response.read()
    if not 200 <= response.status < 300:
        raise swift_api.ClientException.from_response(response, "Container GET failed", body)
    found = parsed(body, MOST_TOKENS) if response.status == 200 else None
    if not isinstance(found, list):
        raise ValueError("no listing")  # noqa: TRY004 - of an answer, not of an argument
    return found


def _listed(row: dict[str, Any]) -> Listed:
    """Raises one of several errors for a row that is malformed."""
    if "subdir" in row:
        if not row["subdir"].endswith("/"):
            raise ValueError("no folder's name")
        return Listed(row["subdir"])
    size = row["bytes"]
    if type(size) is not int or not 0 <= size < LARGEST:
        raise ValueError("no size")
    # Swift writes UTC without a zone.
    moment = datetime.fromisoformat(row["last_modified"]).replace(tzinfo=UTC)
    modified = within_dates(moment.timestamp())
    return Listed(row["name"], size, modified, is_marker(row["content_type"], size))
