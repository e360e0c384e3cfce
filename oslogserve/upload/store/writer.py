# SPDX-License-Identifier: Apache-2.0
"""Stores and replaces objects in a bucket.

A payload with several segments is sent in parts, which are joined at the end. The bucket must be there.
"""

import base64
from functools import partial
from hashlib import md5
from typing import Any, BinaryIO

from swiftclient.utils import LengthWrapper

from oslogserve.config.values import BucketUrl
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources.objects.errors import MALFORMED, Refusal
from oslogserve.sources.objects.listing import BEGINNING
from oslogserve.sources.objects.location import Location
from oslogserve.sources.objects.service import headers_of, query_string
from oslogserve.sources.store.services import service_of
from oslogserve.sources.store.source import session_of
from oslogserve.upload.growing import AsAWhole, Growing
from oslogserve.upload.payload import Changed, Found, Payload
from oslogserve.upload.store.services import (
    Answer,
    Ask,
    LargeUpload,
    Piece,
    check_answer,
    uploads_of,
)
from oslogserve.upload.writer import Effort, SegmentReader, Writer, except_forbidden


class StoreWriter(Writer):
    def __init__(
        self, name: str, options: dict[str, Any], effort: Effort, prefix: str = ""
    ) -> None:
        """name: the store's. options: of its section. prefix: see Writer."""
        url: BucketUrl = options["url"]
        service = service_of(url, options)
        self._uploads = uploads_of(name, url.service, service)
        self._service = service
        authenticate = self._uploads.authenticate()
        session = session_of(name, options, service, authenticate, Metrics())
        super().__init__(name, session, effort, prefix)

    def head_anew(self, location: Location) -> Found | None:
        headers = self._request(self._service.head, *location)
        return None if headers is None else self._uploads.found(headers)

    def console(self, location: Location, file: BinaryIO, seconds: float) -> Growing:
        return AsAWhole(self, location, file, seconds)

    def replace(self, location: Location, found: Found | None, payload: Payload) -> None:
        if len(payload.segments) == 1:
            piece = Piece(payload.file, payload.segments[0])
            headers = self._uploads.headers(payload)
            if self._ask(Ask("PUT", location, headers=headers, body=piece)) is None:
                raise SourceError(self.source, "there is no such bucket")
            return
        for may_continue in (True, False):
            try:
                large = self._uploads.begin(self._ask, location, payload, may_continue)
                self._put_parts(large, payload)
            except MALFORMED as error:
                raise SourceError(self.source, "what answers is not the store") from error
            if large.is_certain or self._is_stored(location, payload):
                return
        raise SourceError(self.source, "its parts were not joined")

    def _put_parts(self, large: LargeUpload, payload: Payload) -> None:
        try:
            self._at_once(
                partial(large.put, number, segment)
                for number, segment in enumerate(payload.segments)
                if number not in large.there
            )
        except Changed:
            large.give_up()
            raise
        large.finish()

    def _is_stored(self, location: Location, payload: Payload) -> bool:
        found = None
        with except_forbidden():
            found = self.head_anew(location)
        return found is not None and payload.is_stored_as(found)

    def _names(self, container: str) -> frozenset[str] | None:
        # Most folders are new: this is told by one row, and a page would have only 1000.
        asked = {"prefix": self._prefix, "marker": BEGINNING, "limit": 1}
        page = self._request(self._service.listed, container, **asked)
        is_empty = page is None or (not page.rows and page.next is None)
        return frozenset() if is_empty else None

    def _ask(self, asked: Ask) -> Answer | None:
        return self._request(partial(self._answer, asked), *asked.location)

    def _answer(self, asked: Ask, *args: Any, http_conn: Any) -> Answer:
        """A successful answer. Raises Refusal and Changed."""
        address, signer, bucket, name = args
        url = address + self._service.path(bucket, name)
        if asked.query:
            url += "?" + query_string(asked.query)
        keep_alive = self._keep_alive(http_conn)
        headers, body = dict(asked.headers), asked.body
        if isinstance(body, Piece):
            segment = body.segment
            headers["Content-MD5"] = base64.b64encode(bytes.fromhex(segment.md5)).decode()
            reader = SegmentReader(body.file, segment, keep_alive)
            body = LengthWrapper(reader, segment.size) if segment.size else b""
        elif body:
            digest = md5(body, usedforsecurity=False).digest()
            headers["Content-MD5"] = base64.b64encode(digest).decode()
        try:
            sent = asked.method, url, signer, headers, body
            response = self._service.answer(*sent, http_conn=http_conn)
            answer = Answer(headers_of(response), response.read())
            check_answer(answer)
        except Refusal as error:
            if error.http_status == 400 and isinstance(asked.body, Piece):
                asked.body.check()  # each service has its own word for it
            raise
        return answer
