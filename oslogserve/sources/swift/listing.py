# SPDX-License-Identifier: Apache-2.0
"""Reads the pages of a container's listing in Swift, and checks them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode

from swiftclient import client as swift_api

from oslogserve.bounded_json import parsed
from oslogserve.sources import within_dates
from oslogserve.sources.objects.listing import (
    Listed,
    Marker,
    Page,
    checked,
    checked_size,
    is_marker,
)

#: Tokens of a page, or of a manifest: each row has some 30.
MOST_TOKENS = 1_000_000


def page(*args: str, prefix: str, marker: str, limit: int, http_conn: Any) -> Page:
    """The page after `marker`. args: see rows(). Raises ValueError for a malformed listing."""
    wanted = {"marker": marker, "limit": str(limit), "prefix": prefix, "delimiter": "/"}
    try:
        found = [_listed(row) for row in rows(*args, wanted=wanted, http_conn=http_conn)]
        return Page(checked(found, prefix, marker), Marker(found[-1].name) if found else None)
    except (AttributeError, LookupError, TypeError) as error:
        raise ValueError("a row of the listing is malformed") from error


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
    size = checked_size(row["bytes"])
    # Swift writes UTC without a zone.
    moment = datetime.fromisoformat(row["last_modified"]).replace(tzinfo=UTC)
    modified = within_dates(moment.timestamp())
    return Listed(row["name"], size, modified, is_marker(row["content_type"], size))
