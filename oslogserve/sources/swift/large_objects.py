# SPDX-License-Identifier: Apache-2.0
"""Finds the checksums of Swift's objects, also of large objects, which are stored in segments.

A static large object (SLO) has a manifest that lists its segments. A dynamic one (DLO) consists of
the objects that a container lists under a prefix. The ETag of both is the MD5 of the segments' ETags.
It shows whether a list of segments fits the bytes.
"""

import base64
import re
from collections.abc import Callable, Mapping
from hashlib import md5
from typing import Any, NamedTuple

from swiftclient import client as swift_api

from oslogserve.bounded_json import parsed
from oslogserve.errors import SourceError
from oslogserve.sources.objects.log import version_of
from oslogserve.sources.resuming import ALL, Checksum
from oslogserve.sources.swift import SOURCE
from oslogserve.sources.swift.listing import rows

#: Bytes of a manifest, by Swift's own limit. A job can write one.
MAX_MANIFEST = 8 * 1024 * 1024
#: Strings and signs of a manifest: each segment has some 30.
MOST_TOKENS = 1_000_000
_MD5 = re.compile(r"[0-9a-f]{32}")


class _Segment(NamedTuple):
    #: Its part of the large object's ETag.
    etag: str
    checksum: Checksum


def checksums_of(
    request: Callable[..., Any], headers: Mapping[str, str], container: str, name: str
) -> list[Checksum]:
    """Checksums of an object's bytes, in their order. Raises SourceError.

    No checksum for range segments, from a nested large object on, or for a DLO without a length.
    request: SwiftSession.request. headers: of the object's response.
    """
    if "x-static-large-object" in headers:
        segments = request(_manifest, container, name)
    elif "x-object-manifest" not in headers:
        return [_checksum(ALL, version_of(headers))]
    else:
        # swiftclient unquotes headers.
        container, _, prefix = headers["x-object-manifest"].partition("/")
        segments = request(_listed, container, prefix=prefix)
    etags = "".join(segment.etag for segment in segments or ())
    if md5(etags.encode(), usedforsecurity=False).hexdigest() != version_of(headers):
        if "x-object-manifest" in headers and "content-length" not in headers:
            return []  # it has more segments than are listed at once
        raise SourceError(SOURCE, "its segments changed", "changed")
    return [segment.checksum for segment in segments or ()]


def _checksum(size: int, etag: str) -> Checksum:
    return Checksum(size, etag if _MD5.fullmatch(etag) else "")


def _manifest(*args: str, http_conn: Any) -> list[_Segment]:
    """Segments of an SLO. Raises one of several errors for a malformed manifest."""
    query = "multipart-manifest=get"
    _, body = swift_api.get_object(
        *args, http_conn=http_conn, resp_chunk_size=MAX_MANIFEST, query_string=query
    )
    manifest = body.read(MAX_MANIFEST)
    if body.read(1):
        raise SourceError(SOURCE, "its manifest is too long", "refused")
    return [_segment(row) for row in parsed(manifest, MOST_TOKENS)]


def _listed(*args: str, prefix: str, http_conn: Any) -> list[_Segment]:
    """Segments of a DLO: one page of a listing, Swift's own limit."""
    return [_segment(row) for row in rows(*args, wanted={"prefix": prefix}, http_conn=http_conn)]


def _segment(row: dict[str, Any]) -> _Segment:
    if "data" in row:
        data = base64.b64decode(row["data"])
        etag = md5(data, usedforsecurity=False).hexdigest()
        return _Segment(etag, Checksum(len(data), etag))
    etag = row["hash"].strip('"')
    if "range" in row:
        first, last = map(int, row["range"].split("-"))
        return _Segment(f"{etag}:{row['range']};", Checksum(last + 1 - first, ""))
    if row.get("sub_slo"):  # a manifest does not say how long a nested one is
        return _Segment(etag, Checksum(ALL, ""))
    return _Segment(etag, _checksum(int(row["bytes"]), etag))
