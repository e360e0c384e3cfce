# SPDX-License-Identifier: Apache-2.0
"""Stores and replaces objects in a bucket, which must be there.

A payload with several segments is sent in parts, and nobody sees one before the last request, which joins all
of them. Parts that an earlier upload has sent are found, and not sent again.
"""

import base64
import time
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import md5
from typing import Any, BinaryIO
from urllib.parse import unquote_plus

from oslogserve.errors import SourceError
from oslogserve.http import TEXT
from oslogserve.metrics import Metrics
from oslogserve.sources.objects.errors import MALFORMED
from oslogserve.sources.objects.location import Location
from oslogserve.sources.store.services import xml_rows
from oslogserve.sources.store.source import connected
from oslogserve.upload.payload import Changed, Payload, Segment, segments_of
from oslogserve.upload.writer import Effort, Writer, except_forbidden

#: The least and the most bytes of a part, by service. The last part may be smaller.
SEGMENT_SIZES = {
    "s3": (5 * 2**20, 5 * 2**30),
    "gs": (5 * 2**20, 5 * 2**30),
    "az": (2**20, 4000 * 2**20),
}
#: Bytes up to which a whole console is sent at each renewal, as many as Swift's last segment has.
WHOLE = 8 * 2**20
#: Bytes of the parts of a larger one.
PART = 256 * 2**20
#: Some send a compressed answer to whoever takes one, as Google is told of objects.
_PLAIN = {"Accept-Encoding": "identity"}


class BucketWriter(Writer):
    _missing = "there is no such bucket"

    def __init__(
        self, name: str, options: dict[str, Any], effort: Effort, prefix: str = ""
    ) -> None:
        """name: the store's. options: of its section. prefix: see Writer."""
        super().__init__(connected(name, options, Metrics(), writes=True), effort, prefix)
        self._has_blocks = options["url"].service == "az"

    def replace(
        self, location: Location, found: Mapping[str, str] | None, payload: Payload
    ) -> None:
        if len(payload.segments) == 1:
            self.put(location, payload.segments[0], self._described(payload))
            return
        try:
            if self._has_blocks:
                self._put_blocks(location, payload)
                return
            for may_continue in (True, False):
                if self._put_parts(location, payload, may_continue) or self._has(location, payload):
                    return
        except MALFORMED as error:
            raise SourceError(self.source, "what answers is not the store") from error
        raise SourceError(self.source, "its parts were not joined")

    def console(self, location: Location, file: BinaryIO, seconds: float) -> Callable[[int], None]:
        """It is sent again as a whole. The larger it is, the longer the pause until then.

        So a console of any size takes at most WHOLE bytes in `seconds`.
        """
        shown, next_at = 0, 0.0

        def renew(size: int) -> None:
            nonlocal shown, next_at
            now = time.monotonic()
            if size == shown or (size > WHOLE and now < next_at):
                return
            next_at = now + seconds * size / WHOLE
            payload = Payload(TEXT, "", segments_of(file, size, PART))
            self.replace(location, None, payload)
            shown = size

        return renew

    def _has(self, location: Location, payload: Payload) -> bool:
        found = None
        with except_forbidden():
            found = self.head_anew(location)
        return found is not None and payload.is_stored_as(found, self.checksum_of(found))

    def _put_blocks(self, location: Location, payload: Payload) -> None:
        """Stores Azure's blocks, named by their checksums. Those that no list names are deleted after a week."""
        names = [
            base64.b64encode(f"{number:04}-{segment.md5}".encode()).decode()
            for number, segment in enumerate(payload.segments)
        ]
        answer = self.ask("GET", location, {"comp": "blocklist", "blocklisttype": "all"})
        there = {row["Name"] for _, row in xml_rows(answer[1], "Block")[0]} if answer else ()
        self._at_once(
            partial(self.put, location, segment, query={"comp": "block", "blockid": name})
            for name, segment in zip(names, payload.segments, strict=True)
            if name not in there
        )
        joined = "".join(f"<Latest>{name}</Latest>" for name in names)
        body = f'<?xml version="1.0" encoding="utf-8"?><BlockList>{joined}</BlockList>'
        headers = self._described(payload)
        del headers["x-ms-blob-type"]
        self.put(location, body.encode(), headers, {"comp": "blocklist"})

    def _put_parts(self, location: Location, payload: Payload, may_continue: bool) -> bool:
        """Stores an object by S3's multipart upload, which lasts until it is completed or aborted.

        may_continue: False if earlier parts do not count. Returns False if the object may not be there, or
        with other metadata.
        """
        upload = self._unfinished(location, may_continue)
        is_certain = not upload  # an earlier one has the metadata of the file as it was then
        etags = self._parts(location, upload, payload.segments) if upload else {}
        upload = upload or self._begun(location, payload)

        def put(number: int, segment: Segment) -> None:
            query = {"partNumber": str(number + 1), "uploadId": upload}
            answer = self.ask("PUT", location, query, body=segment)
            if answer is None:
                raise SourceError(self.source, "its bucket or its unfinished upload is gone")
            etags[number] = answer[0]["etag"].strip('"')

        segments = enumerate(payload.segments)
        try:
            self._at_once(partial(put, *pair) for pair in segments if pair[0] not in etags)
        except Changed:
            self._abort(location, upload)
            raise
        rows = "".join(
            f'<Part><PartNumber>{number + 1}</PartNumber><ETag>"{etags[number]}"</ETag></Part>'
            for number in range(len(payload.segments))
        )
        body = f"<CompleteMultipartUpload>{rows}</CompleteMultipartUpload>".encode()
        digest = md5(body, usedforsecurity=False).hexdigest()  # a signature needs it
        headers = _PLAIN | self._service.verified(digest)
        answer = self.ask("POST", location, {"uploadId": upload}, headers, body)
        # If it is gone, an earlier request was served, though its answer was lost.
        return is_certain and answer is not None

    def _begun(self, location: Location, payload: Payload) -> str:
        answer = self.ask("POST", location, {"uploads": ""}, _PLAIN | self._described(payload))
        if answer is None:
            raise SourceError(self.source, self._missing)
        return xml_rows(answer[1])[1]["UploadId"]

    def _abort(self, location: Location, upload: str) -> None:
        with except_forbidden():
            self.ask("DELETE", location, {"uploadId": upload})

    def _unfinished(self, location: Location, may_continue: bool) -> str:
        """The latest unfinished upload of this object, if it may go on; "" for none. Aborts all others."""
        answer = None
        with except_forbidden():
            query = {"uploads": "", "prefix": location.name, "encoding-type": "url"}
            answer = self.ask("GET", Location(location.container, ""), query, _PLAIN)
        if answer is None:
            return ""
        found, beside = xml_rows(answer[1], "Upload")
        decoded = unquote_plus if beside.get("EncodingType") == "url" else str
        uploads = [row for _, row in found if decoded(row["Key"]) == location.name]
        uploads.sort(key=lambda row: row["Initiated"])
        kept = uploads.pop()["UploadId"] if uploads and may_continue else ""
        for row in uploads:
            self._abort(location, row["UploadId"])
        return kept

    def _parts(self, location: Location, upload: str, segments: list[Segment]) -> dict[int, str]:
        """The ETags of an upload's parts that have the bytes of segments, by number."""
        etags: dict[int, str] = {}
        answer = None
        with except_forbidden():
            answer = self.ask("GET", location, {"uploadId": upload}, _PLAIN)
        for _, row in xml_rows(answer[1], "Part")[0] if answer else ():
            number, etag = int(row["PartNumber"]) - 1, row["ETag"].strip('"')
            segment = segments[number] if number < len(segments) else None
            if segment and (etag, int(row["Size"])) == (segment.md5, segment.size):
                etags[number] = etag
        return etags
