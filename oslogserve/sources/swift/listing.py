# SPDX-License-Identifier: Apache-2.0
"""Reads the pages of a container's listing in Swift, and checks them."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode

from swiftclient import client as swift_api

from oslogserve.sources import within_dates
from oslogserve.sources.objects.listing import (
    Listed,
    Marker,
    Page,
    checked,
    checked_size,
    is_marker,
)


def page(*args: str, prefix: str, marker: str, limit: int, http_conn: Any) -> Page:
    """The page after `marker`. args: see rows(). Raises one of several errors for a malformed one."""
    wanted = {"marker": marker, "limit": str(limit), "prefix": prefix, "delimiter": "/"}
    found = [_listed(row) for row in rows(*args, wanted=wanted, http_conn=http_conn)]
    return Page(checked(found, prefix, marker), Marker(found[-1].name) if found else None)


def rows(
    url: str, token: str, container: str, *, wanted: Mapping[str, str], http_conn: Any
) -> list[Any]:
    """Rows of a listing. wanted: parameters; empty ones are left out.

    swiftclient's get_container() would take an answer without rows for an empty listing. Raises
    ValueError for one, and swiftclient's ClientException.
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
    found = json.loads(body) if response.status == 200 else None
    if not isinstance(found, list):
        raise ValueError("no listing")  # noqa: TRY004 - of an answer, not of an argument
    return found


def _listed(row: dict[str, Any]) -> Listed:
    """Raises one of several errors for a row that is malformed."""
    if "subdir" in row:
        return Listed(row["subdir"])
    size = checked_size(row["bytes"])
    # Swift writes UTC without a zone.
    moment = datetime.fromisoformat(row["last_modified"]).replace(tzinfo=UTC)
    modified = within_dates(moment.timestamp())
    return Listed(row["name"], size, modified, is_marker(row["content_type"], size))
