# SPDX-License-Identifier: Apache-2.0
"""The services that store buckets: how each names objects, lists them, and says what their bytes are."""

import base64
import binascii
import io
import json
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote, unquote, unquote_plus
from xml.etree import ElementTree

from oslogserve.sources.objects.access import Access
from oslogserve.sources.objects.log import md5_in_etag
from oslogserve.sources.objects.service import (
    Listed,
    Marker,
    Page,
    Service,
    checked,
    listed_object,
)
from oslogserve.sources.store import access


def xml_rows(body: bytes, *names: str) -> tuple[list[tuple[str, dict[str, str]]], dict[str, str]]:
    """The rows of a page of a listing, and the text of elements that are in no row.

    names: of the elements that are rows. Each is given with its name and the text of the elements in it.
    Raises ValueError for what is no XML.
    """
    rows = []
    # What jobs wrote is text in it; the XML itself is the store's, which is trusted.
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(body)):  # noqa: S314
            name = _name(element)
            if name in names:
                rows.append((name, _texts(element)))
                element.clear()
    except ElementTree.ParseError as error:
        raise ValueError("a listing is no XML") from error
    return rows, _texts(element)  # the last element is the one around all


def _texts(element: ElementTree.Element) -> dict[str, str]:
    """The text of an element and of those in it, by their names."""
    texts: dict[str, str] = {}
    for one in element.iter():
        texts.setdefault(_name(one), one.text or "")
        if one.get("Encoded") == "true":
            texts["Encoded"] = _name(one)
    return texts


def _name(element: ElementTree.Element) -> str:
    """The name without its namespace."""
    return element.tag.rpartition("}")[2]


#: Names of buckets that may be a part of a host's name.
_HOST = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")


class BucketService(Service):
    """A service whose containers are buckets."""

    def __init__(self, options: dict[str, Any]) -> None:
        """options: of the store's section."""
        self._bucket: str = options["url"].bucket
        self._options = options

    @abstractmethod
    def address(self, region: str) -> str:
        """The address that all paths follow."""

    @abstractmethod
    def authenticate(self, *, writes: bool = False) -> Callable[[], Access]:
        """What looks for the user's credentials."""


class S3(BucketService):
    """S3, and what answers like it: Ceph, MinIO, Swift's own S3."""

    _checksum = "x-amz-meta-oslogserve-checksum"

    @property
    def _has_host(self) -> bool:
        """True if the bucket is a part of the host's name, as Amazon wants it."""
        return not self._options["endpoint"] and _HOST.fullmatch(self._bucket) is not None

    def address(self, region: str) -> str:
        bucket = f"{self._bucket}." if self._has_host else ""
        return self._options["endpoint"] or f"https://{bucket}s3.{region}.amazonaws.com"

    def authenticate(self, *, writes: bool = False) -> Callable[[], Access]:
        return access.of_s3(self.address, self._options["region"], self._options["profile"])

    def path(self, container: str = "", name: str = "") -> str:
        return f"/{quote(name)}" if self._has_host else super().path(container, name)

    def credentials(
        self, token: Any, method: str, url: str, headers: Mapping[str, str]
    ) -> dict[str, str]:
        return access.signed(token, method, url, headers)

    def query(self, prefix: str, marker: Marker, limit: int) -> dict[str, str]:
        begin = {"continuation-token": marker.token, "start-after": marker.name}
        if marker.token:
            del begin["start-after"]
        return {
            "list-type": "2",
            "delimiter": "/",
            "encoding-type": "url",
            "max-keys": str(limit),
            "prefix": prefix,
            **begin,
        }

    def page(self, body: bytes, prefix: str, marker: Marker) -> Page:
        found, beside = xml_rows(body, "Contents", "CommonPrefixes")
        decoded = unquote_plus if beside.get("EncodingType") == "url" else str
        rows = [_of_s3(kind, row, decoded) for kind, row in found]
        is_cut = beside["IsTruncated"] == "true"
        return _page(rows, prefix, marker, beside["NextContinuationToken"] if is_cut else "")

    def md5_of(self, headers: Mapping[str, str]) -> str:
        encryption = headers.get("x-amz-server-side-encryption", "AES256")
        is_of_customer = "x-amz-server-side-encryption-customer-algorithm" in headers
        is_md5 = encryption == "AES256" and not is_of_customer
        return md5_in_etag(headers) if is_md5 else ""


class Google(BucketService):
    """Google's store: objects by its XML API, whose paths are shorter, and listings by its JSON API."""

    #: Without it, an object that is stored as a gzip would be sent inflated.
    headers: Mapping[str, str] = {"Accept-Encoding": "gzip"}
    _checksum = "x-goog-meta-oslogserve-checksum"

    def address(self, region: str) -> str:
        return self._options["endpoint"] or "https://storage.googleapis.com"

    def authenticate(self, *, writes: bool = False) -> Callable[[], Access]:
        scope = access.READ_WRITE if writes else access.READ_ONLY
        return access.of_google(self.address(""), scope)

    def described(self, media_type: str, encoding: str, checksum: str) -> dict[str, str]:
        # Public objects would be cached for an hour, also a console that grows.
        return super().described(media_type, encoding, checksum) | {"cache-control": "no-cache"}

    def listing_path(self, container: str) -> str:
        return f"/storage/v1/b{self.path(container)}/o"

    def query(self, prefix: str, marker: Marker, limit: int) -> dict[str, str]:
        return {
            "delimiter": "/",
            "fields": "items(name,size,updated,contentType),prefixes,nextPageToken",
            "maxResults": str(limit),
            "prefix": prefix,
            "pageToken": marker.token,
            "startOffset": marker.name,
        }

    def page(self, body: bytes, prefix: str, marker: Marker) -> Page:
        found = json.loads(body)
        rows = [_of_google(row) for row in found.get("items", ())]
        rows += map(Listed, found.get("prefixes", ()))
        return _page(rows, prefix, marker, found.get("nextPageToken", ""))

    def md5_of(self, headers: Mapping[str, str]) -> str:
        hashes = headers.get("x-goog-hash", "")
        found = re.search(r"(?:^|[ ,])md5=([0-9A-Za-z+/]{22}==)", hashes)
        return _in_hexadecimal(found[1]) if found else ""


class Azure(BucketService):
    """Azure's Blob Storage."""

    headers: Mapping[str, str] = {"x-ms-version": "2023-11-03"}
    page_size = 5000
    _checksum = "x-ms-meta-oslogserve_checksum"

    def address(self, region: str) -> str:
        return str(self._options["endpoint"])

    def authenticate(self, *, writes: bool = False) -> Callable[[], Access]:
        return access.of_azure(self.address(""))

    def described(self, media_type: str, encoding: str, checksum: str) -> dict[str, str]:
        given = super().described(media_type, encoding, checksum).items()
        named = {name.replace("content-", "x-ms-blob-content-"): text for name, text in given}
        return {"x-ms-blob-type": "BlockBlob", **named}

    def query(self, prefix: str, marker: Marker, limit: int) -> dict[str, str]:
        # It cannot begin after a name: then a listing begins with the first one.
        wanted = {"restype": "container", "comp": "list", "delimiter": "/"}
        return wanted | {"maxresults": str(limit), "prefix": prefix, "marker": marker.token}

    def page(self, body: bytes, prefix: str, marker: Marker) -> Page:
        found, beside = xml_rows(body, "Blob", "BlobPrefix")
        rows = [_of_azure(kind, row) for kind, row in found]
        return _page(rows, prefix, marker, beside["NextMarker"])

    def md5_of(self, headers: Mapping[str, str]) -> str:
        of_all = headers.get("x-ms-blob-content-md5", "")
        if not of_all and "content-range" not in headers:
            of_all = headers.get("content-md5", "")
        return _in_hexadecimal(of_all)


def service_of(options: dict[str, Any]) -> BucketService:
    services: dict[str, type[BucketService]] = {"s3": S3, "gs": Google, "az": Azure}
    return services[options["url"].service](options)


def _page(rows: list[Listed], prefix: str, marker: Marker, token: str) -> Page:
    """A page in the order of names. Objects and folders come one after the other."""
    rows.sort(key=lambda row: row.name.encode())
    if not marker.token:  # a folder is listed where only its first objects are not after a name
        rows = [row for row in rows if row.name.encode() > marker.name.encode()]
    last = rows[-1].name if rows else marker.name
    return Page(checked(rows, prefix, marker.name), Marker(last, token) if token else None)


def _of_s3(kind: str, row: dict[str, str], decoded: Callable[[str], str]) -> Listed:
    if kind == "CommonPrefixes":
        return Listed(decoded(row["Prefix"]))
    modified = datetime.fromisoformat(row["LastModified"])
    return listed_object(decoded(row["Key"]), int(row["Size"]), modified)


def _of_google(row: dict[str, Any]) -> Listed:
    modified = datetime.fromisoformat(row["updated"])
    return listed_object(row["name"], int(row["size"]), modified, row.get("contentType", ""))


def _of_azure(kind: str, row: dict[str, str]) -> Listed:
    name = unquote(row["Name"]) if "Encoded" in row else row["Name"]
    if kind == "BlobPrefix":
        return Listed(name)
    modified = parsedate_to_datetime(row["Last-Modified"])
    is_folder = row.get("ResourceType") == "directory"
    content_type = "application/directory" if is_folder else row.get("Content-Type", "")
    return listed_object(name, int(row["Content-Length"]), modified, content_type)


def _in_hexadecimal(md5: str) -> str:
    """The digits of a digest in Base64; "" for what is none."""
    try:
        digest = base64.b64decode(md5, validate=True)
    except binascii.Error:
        return ""
    return digest.hex() if len(digest) == 16 else ""
