# SPDX-License-Identifier: Apache-2.0
"""Swift as a service: the pages of its listings, and where an ETag is a checksum."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from oslogserve.sources.objects.log import md5_in_etag, version_of
from oslogserve.sources.objects.service import (
    PAGE,
    Listed,
    Marker,
    Page,
    Service,
    checked,
    listed_object,
)


class SwiftService(Service):
    page_size = PAGE

    def credentials(
        self, token: Any, method: str, url: str, headers: Mapping[str, str]
    ) -> dict[str, str]:
        return {"X-Auth-Token": token}

    def query(self, prefix: str, marker: Marker, limit: int) -> dict[str, str]:
        wanted = {"format": "json", "marker": marker.name, "limit": str(limit)}
        return wanted | {"prefix": prefix, "delimiter": "/"}

    def page(self, body: bytes, prefix: str, marker: Marker) -> Page:
        found = json.loads(body)
        if not isinstance(found, list):
            raise ValueError("no listing")  # noqa: TRY004 - of an answer, not of an argument
        rows = checked(list(map(_listed, found)), prefix, marker.name)
        return Page(rows, Marker(rows[-1].name) if rows else None)

    def md5_of(self, headers: Mapping[str, str]) -> str:
        return "" if self.is_joined(headers) else md5_in_etag(headers)

    def checksum_of(self, headers: Mapping[str, str]) -> str:
        return version_of(headers)

    def verified(self, md5: str) -> dict[str, str]:
        return {"ETag": md5}

    def is_joined(self, headers: Mapping[str, str]) -> bool:
        return not {"x-static-large-object", "x-object-manifest"}.isdisjoint(headers)


def _listed(row: dict[str, Any]) -> Listed:
    """Raises one of several errors for a row that is malformed."""
    if "subdir" in row:
        return Listed(row["subdir"])
    # Swift writes UTC without a zone.
    modified = datetime.fromisoformat(row["last_modified"]).replace(tzinfo=UTC)
    return listed_object(row["name"], row["bytes"], modified, row.get("content_type", ""))
