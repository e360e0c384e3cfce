# SPDX-License-Identifier: Apache-2.0
"""What Swift, or what stands before it, may answer beside what was asked for."""

import contextlib
import gzip
import hashlib
import json

from tests.faults import logs
from tests.faults.reading import Reading
from tests.faults.rows import Cell, Rows
from tests.faults.stage import Stage, bounds
from tests.servers.lying_swift import ACCOUNT, CONTAINER, LyingSwift, reply

PROBE = "probe.txt"
NAME = "log"
#: Stored bytes that have come when an answer breaks off.
MIDWAY = 1024 * 1024
#: Bytes of a segment of a large object.
SEGMENT = 600_000
#: Bytes of a range, and of what a lie adds.
SOME = 5000
ROWS = Rows()
row = ROWS.row
FOLDER_CELLS = (Cell(False, "html"), Cell(False, "text"))


class Log:
    """A log as it is stored, another of the same length, and answers with them."""

    def __init__(self, packed):
        self.name = f"{NAME}.txt.gz" if packed else f"{NAME}.txt"
        self.content = logs.stored(logs.SIZE, packed)
        self.text = gzip.decompress(self.content) if packed else self.content
        self.size = len(self.content)
        self.other = bytes(byte ^ 1 for byte in self.content)
        self.etag = hashlib.md5(self.content).hexdigest()

    def whole(self, body=None, **headers):
        headers = {"ETag": self.etag, "Content_Length": self.size, **headers}
        return reply("200 OK", self.content if body is None else body, **headers)

    def broken(self):
        return self.whole(self.content[:MIDWAY])

    def rest(self, body, status="206 Partial Content", first=MIDWAY, **headers):
        content_range = f"bytes {first}-{self.size - 1}/{self.size}"
        headers = {"Content_Range": content_range, "ETag": self.etag, **headers}
        return reply(status, body, **headers)


class LyingStage(Stage):
    def __init__(self, swift):
        self.swift = swift
        settings = swift.settings() | bounds() | {"retries": 1, "resumes": 2}
        super().__init__("swift", {"swift": settings}, PROBE)

    def settle(self):
        self.swift.answers[("GET", f"{CONTAINER}/{PROBE}")] = [reply("200 OK", b"a line\n")]
        super().settle()

    def lied_to(self, cell, answers):
        """Reads a log to which Swift answers so, in turn; answers(log)."""
        log = Log(cell.packed)
        self.answering(log, log.whole())
        accepted = [self.healthy(log.name, cell.view)]
        if cell.view != "html":  # of its page nobody but the server knows the bytes
            accepted = [log.text if cell.view == "text" else log.content]
        self.answering(log, *answers(log))
        return self.read(log.name, cell.view), accepted

    def answering(self, log, *answers):
        self.swift.answers["GET", f"{CONTAINER}/{log.name}"] = list(answers)


def _lie(name, **options):
    """Adds a row of a function that gives Swift's answers."""

    def add(answers):
        row(name, **options)(lambda stage, cell: stage.lied_to(cell, answers))
        return answers

    return add


def _chunked(body):
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


# How a download goes on


@_lie("a resume that fits", survives=True)
def _(log):
    return log.broken(), log.rest(log.content[MIDWAY:])


@_lie("a resume that is longer")
def _(log):
    return log.broken(), log.rest(log.other[MIDWAY:] + b"x" * SOME)


@_lie("a resume that is longer, chunked")
def _(log):
    body = _chunked(log.other[MIDWAY:] + b"x" * SOME)
    return log.broken(), log.rest(body, Content_Length=None, Transfer_Encoding="chunked")


@_lie("a resume of another place")
def _(log):
    return log.broken(), log.rest(log.content[MIDWAY - SOME :], first=MIDWAY - SOME)


@_lie("a resume that says another place")
def _(log):
    return log.broken(), log.rest(log.content[MIDWAY:], first=MIDWAY - SOME)


@_lie("a resume that says no place")
def _(log):
    return log.broken(), log.rest(log.content[MIDWAY:], Content_Range=None)


@_lie("a resume with the whole log")
def _(log):
    return log.broken(), log.whole()


@_lie("a resume of another version")
def _(log):
    return log.broken(), log.rest(log.other[MIDWAY:], ETag="f" * 32)


@_lie("a resume with other bytes", rotten=True)
def _(log):
    return log.broken(), log.rest(log.other[MIDWAY:])


# Bodies and lengths


@_lie("a length below zero")
def _(log):
    return (log.whole(Content_Length=-5),)


@_lie("a length that is no number")
def _(log):
    return (log.whole(Content_Length="many"),)


@_lie("no body")
def _(log):
    return (log.whole(b""),)


@_lie("no body, and 204")
def _(log):
    return (reply("204 No Content", ETag=log.etag),)


@_lie("a body without a length that ends early", rotten=True)
def _(log):
    return (log.whole(log.content[:MIDWAY], Content_Length=None),)


@_lie("a body that is longer than its length")
def _(log):
    body = _chunked(log.content + log.other[:SOME])
    return (log.whole(body, Transfer_Encoding="chunked"),)


@_lie("a page of something else")
def _(log):
    return (reply("200 OK", b"<html>Please log in", Last_Modified=None),)


# Large objects


def _large(log, body, rows=None):
    """Answers with a large object and its manifest; rows: other segments than its own."""
    segments = [log.content[at : at + SEGMENT] for at in range(0, log.size, SEGMENT)]
    digests = [hashlib.md5(segment).hexdigest() for segment in segments]
    etag = hashlib.md5("".join(digests).encode()).hexdigest()
    if rows is None:
        pairs = zip(digests, segments, strict=True)
        rows = [{"hash": digest, "bytes": len(segment)} for digest, segment in pairs]
    headers = {"ETag": f'"{etag}"', "X_Static_Large_Object": "True"}
    return log.whole(body, **headers), reply("200 OK", json.dumps(rows).encode())


@_lie("a large object that fits", survives=True)
def _(log):
    return _large(log, log.content)


@_lie("a large object with other bytes", rotten=True)
def _(log):
    return _large(log, log.content[:SEGMENT] + log.other[SEGMENT:])


@_lie("a large object without its segments' list")
def _(log):
    return _large(log, log.content, rows=[])


# Redirects


@contextlib.contextmanager
def _another_host(stage):
    with LyingSwift() as stage.other:
        yield


@row("a redirect to another host", around=_another_host)
def _(stage, cell):
    def redirect(log):
        stage.other.answers["GET", f"{CONTAINER}/{log.name}"] = [log.whole()]
        location = f"{stage.other.url}{CONTAINER}/{log.name}"
        return (reply("307 Temporary Redirect", Location=location),)

    reading, accepted = stage.lied_to(cell, redirect)
    if stage.other.asked:
        reading = Reading(body=b"the token went along")
    return reading, accepted


# Listings


def _entry(name, **fields):
    entry = {"name": name, "bytes": 7, "content_type": "text/plain"}
    return {**entry, "last_modified": "2013-09-27T18:22:11.248000", **fields}


def _page(*entries):
    return reply("200 OK", json.dumps(entries).encode(), Content_Type="application/json")


FIRST = _page(*(_entry(f"d/{letter}.txt") for letter in "abc"))
LAST = _page(_entry("d/d.txt"))


def _listing_lie(name, first, second=LAST):
    """Adds a row of a folder with these pages."""

    def answering(stage, first, second):
        limits = "limit=10000&prefix=d/&delimiter=/"
        stage.swift.answers |= {
            ("HEAD", ACCOUNT): [reply("204 No Content")],
            ("GET", CONTAINER): [_page()],
            ("GET", f"{CONTAINER}?format=json&{limits}"): [first],
            ("GET", f"{CONTAINER}?format=json&marker=d/c.txt&{limits}"): [second],
        }

    @row(f"a folder: {name}", cells=FOLDER_CELLS)
    def _(stage, cell):
        answering(stage, FIRST, LAST)
        accepted = [stage.healthy("d/", cell.view)]
        answering(stage, first, second)
        return stage.read("d/", cell.view), accepted


_listing_lie("its second page is 404", FIRST, reply("404 Not Found"))
_listing_lie("its second page is 503", FIRST, reply("503 Service Unavailable"))
_listing_lie("its second page is the first", FIRST, FIRST)
_listing_lie("its second page is none", FIRST, reply("200 OK", b"7"))
_listing_lie("a malformed row", _page(_entry("d/a.txt", bytes=-5)))
_listing_lie("a row that is none", FIRST, _page(7))
_listing_lie("a row of another folder", FIRST, _page(_entry("e/z.txt")))


@contextlib.contextmanager
def stage():
    with LyingSwift() as swift, LyingStage(swift) as stage:
        yield stage
