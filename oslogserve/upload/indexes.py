# SPDX-License-Identifier: Apache-2.0
"""Stores the index of an uploaded log next to it, so that no server has to read the log first."""

import tempfile
from collections.abc import Iterator

from oslogserve.config import Config
from oslogserve.encodings import encoding_of
from oslogserve.errors import Incomplete, SourceError
from oslogserve.fastzlib import fast
from oslogserve.index import beside
from oslogserve.index.indexed_log import interval_of, is_indexed
from oslogserve.index.log_index import Facts, IndexFile, LogIndex, file_of
from oslogserve.lines.contents import learn
from oslogserve.lines.log_text import LogText
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Wanted
from oslogserve.logs.decode import Decoded, FirstBytes, first_bytes
from oslogserve.logs.media_type import passed_through_as
from oslogserve.salt import rules_of
from oslogserve.sources import Stored
from oslogserve.sources.objects.location import MAX_NAME, Location
from oslogserve.sources.objects.log import ObjectLog
from oslogserve.upload.payload import Changed, Payload, segment_of
from oslogserve.upload.report import Report
from oslogserve.upload.writer import Interrupted, Writer


class IndexWriter:
    """Stores indexes; for many threads."""

    def __init__(self, config: Config, writer: Writer, report: Report) -> None:
        self._views = config.views
        self._renderer = Renderer(config.formats)
        self._rules = rules_of(config)
        self._writer = writer
        self._report = report

    def store(self, path: bytes, location: Location, payload: Payload) -> None:
        """Stores the index of a log that is stored, unless it is there or the log needs none.

        path: of the log, for messages. Nothing depends on an index: a failure is told. Raises Changed,
        Interrupted.
        """
        try:
            self._store(location, payload)
        except (Incomplete, SourceError) as error:
            if self._writer.stopped.is_set():
                raise Interrupted(self._writer.stop_reason) from error
            self._report.without_index(path, str(error))

    def _store(self, location: Location, payload: Payload) -> None:
        to = Location(location.container, beside.name_beside(location.name.encode()).decode())
        first = next(payload.pieces(), b"")
        begins = first_bytes(first, payload.encoding or encoding_of(location.name))
        expected = Stored(self._writer.source, payload.size, 0.0, payload.etag, payload.encoding)
        is_log = passed_through_as(location.name, begins.text, self._views) is None
        has_index = is_log and is_indexed(expected, begins.packing)
        if not has_index or len(to.name.encode()) > MAX_NAME:
            return
        stored = self._stored(location, payload)
        identity = beside.identity(stored)
        of = f"{self._rules} {identity}"
        found = self._writer.head(to)
        if found is not None and found.index_of == of:
            return
        file = self._made(payload, stored, begins)
        with tempfile.TemporaryFile() as content:
            content.write(beside.with_head(file, self._rules, identity))
            content.flush()
            size = content.tell()
            segments = [segment_of(content, 0, size)]
            index = Payload(content, size, "application/octet-stream", "", segments, of)
            self._writer.replace(to, found, index)
        self._report.indexed()

    def _stored(self, location: Location, payload: Payload) -> Stored:
        """The log as the server sees it. Raises SourceError if it is another one."""
        source = self._writer.source
        found = self._writer.head_anew(location)
        if found is None:
            raise SourceError(source, "the log is not there yet")
        stored = ObjectLog(source, dict(found.headers)).stored
        if (found.checksum, stored.size) != (payload.etag, payload.size):
            raise SourceError(source, "another log is there")
        return stored._replace(encoding=stored.encoding or encoding_of(location.name))

    def _made(self, payload: Payload, stored: Stored, begins: FirstBytes) -> bytes:
        """The file of the index. Reads the log twice: where its words belong is known at its end.

        Raises Changed, and Incomplete for a log that is not whole, and once the upload is stopped.
        """
        interval = interval_of(stored.size or 0, bool(begins.packing))
        decoded = Decoded(payload.pieces(), stored.encoding, interval=interval)
        again = Decoded(payload.pieces(), stored.encoding)
        blocks = _Collecting(decoded, again, interval, begins)
        text = LogText(lambda: decoded, blocks)
        wanted = Wanted("summary", written=stored.modified)
        _, outcome = self._renderer.summary(text, wanted, charge=self._charge)
        if outcome.broke_off:
            raise outcome.broke_off
        learn(text, self._charge)
        return blocks.file

    def _charge(self) -> None:
        if self._writer.stopped.is_set():
            raise Incomplete("failed", self._writer.stop_reason)


class _Collecting:
    """Takes the index of a log that is read, and then its blocks in order, see `lines.log_text.Blocks`."""

    facts: Facts | None = None
    compact: Facts | None = None
    is_kept = True

    def __init__(self, decoded: Decoded, again: Decoded, interval: int, begins: FirstBytes) -> None:
        """decoded, again: the log's text, to be read once each."""
        self.interval = interval
        self.file = b""
        self.index: LogIndex | None = None
        self._begins = begins
        self._decoded = decoded
        self._pieces = iter(again)
        #: What was read beyond the last block.
        self._rest = b""

    def collect(self) -> None:
        """Nothing is to be prepared."""

    def refuse(self, why: str) -> None:
        """No index is there to be refused."""

    def keep(self, facts: Facts, blocks: bytes) -> None:
        self._take(file_of(self._begins, facts, blocks, self._decoded.points))

    def keep_contents(self, words: bytes, ids: bytes) -> None:
        self._take(IndexFile(self.file).with_contents(words, ids))

    def _take(self, file: bytes) -> None:
        self.file = file
        self.index = IndexFile(file).index()

    def read(self, place: int, most_held: int | None = None) -> Iterator[bytes]:
        """Yields the text of the next block. Raises Changed if it is another one than at first."""
        if self.index is None:
            raise ValueError("it has no index yet")
        _, size, expected = self.index.blocks[place]
        checksum = 0
        while size:
            piece = self._rest or next(self._pieces, None)
            if piece is None:
                raise Changed
            within, self._rest = piece[:size], piece[size:]
            size -= len(within)
            checksum = fast.crc32(within, checksum)
            yield within
        if checksum != expected:
            raise Changed
