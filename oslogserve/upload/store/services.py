# SPDX-License-Identifier: Apache-2.0
"""The services that store buckets: how each takes an object, and a large one in parts.

Parts that an earlier upload has sent are found, and not sent again. Nobody sees one before the last
request, which joins all of them.
"""

import base64
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote_plus

from oslogserve.errors import SourceError
from oslogserve.sources.objects.access import Access
from oslogserve.sources.objects.errors import Refusal
from oslogserve.sources.objects.location import Location
from oslogserve.sources.store import access
from oslogserve.sources.store.services import BucketService, XmlRows
from oslogserve.upload.payload import Changed, Found, Payload, Segment, segment_of
from oslogserve.upload.writer import except_forbidden

#: The least and the most bytes of a part, by service. The last part may be smaller.
SEGMENT_SIZES = {
    "s3": (5 * 2**20, 5 * 2**30),
    "gs": (5 * 2**20, 5 * 2**30),
    "az": (2**20, 4000 * 2**20),
}
#: What Google's tokens of an upload are good for.
READ_WRITE = "https://www.googleapis.com/auth/devstorage.read_write"
#: Some send a compressed answer to whoever takes one, as Google is told of objects.
_PLAIN = {"Accept-Encoding": "identity"}


class Piece(NamedTuple):
    """A part of a file as the body of a request."""

    file: BinaryIO
    segment: Segment

    def check(self) -> None:
        """Raises Changed if the file does not have these bytes any more."""
        if segment_of(self.file, self.segment.start, self.segment.size) != self.segment:
            raise Changed


class Ask(NamedTuple):
    """A request for an object, or for its bucket."""

    method: str
    location: Location
    query: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    body: bytes | Piece = b""


class Answer(NamedTuple):
    #: In small letters.
    headers: Mapping[str, str]
    body: bytes


#: Makes a request. Returns None for status 404; raises SourceError, Interrupted and Changed.
Asking = Callable[[Ask], Answer | None]


class LargeUpload(ABC):
    """The upload of an object in parts."""

    #: The numbers of segments that are there already.
    there: Collection[int] = ()
    #: False if the object may not be there, or with other metadata: it should be looked at.
    is_certain = True

    @abstractmethod
    def put(self, number: int, segment: Segment) -> None:
        """Stores a segment."""

    @abstractmethod
    def finish(self) -> None:
        """Joins the segments to the object, in place of an earlier one."""

    def give_up(self) -> None:  # noqa: B027 - not all have to
        """Deletes the parts."""


class Uploads(ABC):
    """How a service stores objects."""

    #: The beginning of the names of metadata.
    metadata = ""

    def __init__(self, source: str, service: BucketService) -> None:
        """source: the store's name."""
        self.source = source
        self.service = service

    def authenticate(self) -> Callable[[], Access]:
        """What looks for the user's credentials."""
        return self.service.authenticate()

    def found(self, headers: Mapping[str, str]) -> Found:
        checksum = self.service.md5_of(headers) or headers.get(f"{self.metadata}checksum", "")
        return Found(headers, checksum)

    def headers(self, payload: Payload) -> dict[str, str]:
        """The headers of a whole object."""
        described = {"content-type": payload.media_type, "content-encoding": payload.encoding}
        described[f"{self.metadata}checksum"] = payload.etag
        return {name: text for name, text in described.items() if text}

    @abstractmethod
    def begin(
        self, ask: Asking, location: Location, payload: Payload, may_continue: bool
    ) -> LargeUpload:
        """The upload of a large object. may_continue: False if earlier parts do not count."""


class S3(Uploads):
    metadata = "x-amz-meta-oslogserve-"

    def begin(
        self, ask: Asking, location: Location, payload: Payload, may_continue: bool
    ) -> LargeUpload:
        return _Parts(self, ask, location, payload, may_continue)


class Google(S3):
    """Its XML API takes objects in parts as S3 does."""

    metadata = "x-goog-meta-oslogserve-"

    def authenticate(self) -> Callable[[], Access]:
        return access.of_google(self.service.address(""), READ_WRITE)

    def headers(self, payload: Payload) -> dict[str, str]:
        # Public objects would be cached for an hour, also a console that grows.
        return super().headers(payload) | {"cache-control": "no-cache"}


class Azure(Uploads):
    metadata = "x-ms-meta-oslogserve_"

    def headers(self, payload: Payload) -> dict[str, str]:
        named = super().headers(payload).items()
        names = {name: f"x-ms-blob-{name}" for name in ("content-type", "content-encoding")}
        return {"x-ms-blob-type": "BlockBlob"} | {
            names.get(name, name): text for name, text in named
        }

    def begin(
        self, ask: Asking, location: Location, payload: Payload, may_continue: bool
    ) -> LargeUpload:
        return _Blocks(self, ask, location, payload)


def uploads_of(source: str, kind: str, service: BucketService) -> Uploads:
    """kind: as in the store's url."""
    services: dict[str, type[Uploads]] = {"s3": S3, "gs": Google, "az": Azure}
    return services[kind](source, service)


class _Parts(LargeUpload):
    """S3's multipart upload, which lasts until it is completed or aborted."""

    def __init__(
        self, of: S3, ask: Asking, location: Location, payload: Payload, may_continue: bool
    ) -> None:
        self._of = of
        self._ask = ask
        self._location = location
        self._payload = payload
        #: The ETags of stored parts, by number.
        self._etags: dict[int, str] = {}
        self._id = self._unfinished(may_continue)
        if self._id:  # its metadata is of the file as it was then
            self.is_certain = False
            self._etags = self._stored()
        else:
            self._id = self._begun()
        self.there = frozenset(self._etags)

    def put(self, number: int, segment: Segment) -> None:
        query = {"partNumber": str(number + 1), "uploadId": self._id}
        piece = Piece(self._payload.file, segment)
        answer = self._ask(Ask("PUT", self._location, query, body=piece))
        if answer is None:
            raise SourceError(self._of.source, "its bucket or its unfinished upload is gone")
        self._etags[number] = answer.headers["etag"]

    def finish(self) -> None:
        numbers = range(len(self._payload.segments))
        parts = [(number + 1, self._etags[number].strip('"')) for number in numbers]
        rows = [
            f'<Part><PartNumber>{number}</PartNumber><ETag>"{etag}"</ETag></Part>'
            for number, etag in parts
        ]
        body = f"<CompleteMultipartUpload>{''.join(rows)}</CompleteMultipartUpload>".encode()
        asked = Ask("POST", self._location, {"uploadId": self._id}, _PLAIN, body)
        if self._ask(asked) is None:  # an earlier request was served, though its answer was lost
            self.is_certain = False

    def give_up(self) -> None:
        with except_forbidden():
            self._abort(self._id)

    def _abort(self, upload: str) -> None:
        self._ask(Ask("DELETE", self._location, {"uploadId": upload}))

    def _begun(self) -> str:
        headers = _PLAIN | self._of.headers(self._payload)
        answer = self._ask(Ask("POST", self._location, {"uploads": ""}, headers))
        if answer is None:
            raise SourceError(self._of.source, "there is no such bucket")
        return XmlRows(answer.body, ()).beside["UploadId"]

    def _unfinished(self, may_continue: bool) -> str:
        """The latest unfinished upload of this object, if it may go on; "" for none. Aborts all others."""
        uploads: list[dict[str, str]] = []
        with except_forbidden():
            uploads = self._listed()
        uploads.sort(key=lambda row: row["Initiated"])
        kept = uploads.pop()["UploadId"] if uploads and may_continue else ""
        for row in uploads:
            with except_forbidden():
                self._abort(row["UploadId"])
        return kept

    def _listed(self) -> list[dict[str, str]]:
        """The unfinished uploads of this object."""
        container, name = self._location
        query = {"uploads": "", "prefix": name, "encoding-type": "url"}
        answer = self._ask(Ask("GET", Location(container, ""), query, _PLAIN))
        if answer is None:
            return []
        found = XmlRows(answer.body, ("Upload",))
        decoded = unquote_plus if found.beside.get("EncodingType") == "url" else str
        return [row for _, row in found.rows if decoded(row["Key"]) == name]

    def _stored(self) -> dict[int, str]:
        """The ETags of parts that have the bytes of segments."""
        etags: dict[int, str] = {}
        segments = self._payload.segments
        answer = None
        with except_forbidden():
            answer = self._ask(Ask("GET", self._location, {"uploadId": self._id}, _PLAIN))
        for _, row in XmlRows(answer.body, ("Part",)).rows if answer else ():
            number, etag = int(row["PartNumber"]) - 1, row["ETag"].strip('"')
            segment = segments[number] if number < len(segments) else None
            if segment and (etag, int(row["Size"])) == (segment.md5, segment.size):
                etags[number] = etag
        return etags


class _Blocks(LargeUpload):
    """Azure's blocks, named by their checksums. Those that no list names are deleted after a week."""

    def __init__(self, of: Azure, ask: Asking, location: Location, payload: Payload) -> None:
        self._of = of
        self._ask = ask
        self._location = location
        self._payload = payload
        self._names = [
            base64.b64encode(f"{number:04}-{segment.md5}".encode()).decode()
            for number, segment in enumerate(payload.segments)
        ]
        query = {"comp": "blocklist", "blocklisttype": "all"}
        answer = ask(Ask("GET", location, query))
        rows = XmlRows(answer.body, ("Block",)).rows if answer else []
        stored = {row["Name"] for _, row in rows}
        self.there = frozenset(number for number, name in enumerate(self._names) if name in stored)

    def put(self, number: int, segment: Segment) -> None:
        query = {"comp": "block", "blockid": self._names[number]}
        self._checked(Ask("PUT", self._location, query, body=Piece(self._payload.file, segment)))

    def finish(self) -> None:
        rows = "".join(f"<Latest>{name}</Latest>" for name in self._names)
        body = f'<?xml version="1.0" encoding="utf-8"?><BlockList>{rows}</BlockList>'.encode()
        headers = self._of.headers(self._payload)
        del headers["x-ms-blob-type"]
        self._checked(Ask("PUT", self._location, {"comp": "blocklist"}, headers, body))

    def _checked(self, asked: Ask) -> None:
        if self._ask(asked) is None:
            raise SourceError(self._of.source, "there is no such bucket")


def check_answer(answer: Answer) -> None:
    """Raises Refusal for a failure that came after a successful status: S3 joins parts slowly."""
    if b"<Error>" in answer.body[:1000]:
        raise Refusal(500, answer.body, answer.headers)
