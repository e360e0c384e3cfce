# SPDX-License-Identifier: Apache-2.0
"""Asks about a log in every way in which a server may come to read it.

A log and a query go in. The log is stored plain and packed, as one member and as several. It is read whole and cut
anywhere, without an index, with one that is made meanwhile and with one that is there. It is asked for itself and in its
job, alone and merged with a copy by time, as JSON, text and HTML. All answers must have the same lines, and the text
must be the log's own. Whatever differs is an AssertionError that names the way.

What comes out is for a test to compare with what the manual says::

    assert asker.ask(log, "level=ERROR&limit=2").lines == [3, 9]

Nothing here knows how a server reads: applications are made from a configuration and asked by WSGI. Only `kit.small`
makes pieces and blocks small enough for logs that a test can show.
"""

import contextlib
import gzip
import json
import os
import re
import shutil
import zlib
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urljoin

import webob

from oslogserve.app import App
from oslogserve.config import load
from tests.kit.answers import read
from tests.kit.packing import frame, frames
from tests.kit.small import small_indexes, small_pieces

#: When each log was last written, where its place lets a test say so: 2026-03-05 06:00 UTC.
WRITTEN = 1_772_690_400
#: Bytes of the largest log that is cut into single bytes, and of pieces and blocks of others.
_SMALL = 20_000
_LARGE_PIECE, _LARGE_BLOCK = 4099, 100_000
#: The least bytes of text of a block of a gzip member.
_DEFLATED = 50
#: Bytes of a piece of a small log that has an index.
_PIECE = 16
#: More bytes than the lines above the first time of a log of a test.
_WAITING = 100_000
#: Parameters that a folder does not take, or counts otherwise.
_OF_LOGS = {"lines", "chapter", "show", "against", "after"}
#: Parameters that count the lines of all logs together.
_COUNTING = {"limit", "tail"}
#: Bytes of a line that a folder's answer has.
_MOST_IN_JOB = 1024 * 1024
_VIEWS = ("jsonl", "text", "html")
_MOST_FOLLOWED = 50


def as_plain(text, is_cut):
    return None if is_cut else text


def as_member(text, is_cut):
    return gzip.compress(text, 1, mtime=0)[: -4 if is_cut else None]


def as_members(text, is_cut):
    """Several members, which end within lines; one of them is empty. Points of an index are within them too."""
    ends = [0, len(text) // 7, len(text) // 7, len(text) // 3 + 1, len(text)]
    stored = b"".join(_member(text[begin:end]) for begin, end in pairwise(ends))
    return stored[: -4 if is_cut else None]


def _member(text):
    """A gzip member of many deflate blocks, which refer to text of those before."""
    packer = zlib.compressobj(1, wbits=31)
    size = max(_DEFLATED, len(text) // 50)
    parts = (text[at : at + size] for at in range(0, len(text), size))
    blocks = [packer.compress(part) + packer.flush(zlib.Z_PARTIAL_FLUSH) for part in parts]
    return b"".join([*blocks, packer.flush()])


def as_frame(text, is_cut):
    return frame(text)[: -2 if is_cut else None]


def as_frames(text, is_cut):
    return (frames(text, len(text) // 5 + 1) or frame(b""))[: -2 if is_cut else None]


class Way(NamedTuple):
    """A way to a log."""

    name: str
    suffix: str
    #: The stored bytes of a text, cut short or not; None if there is no such log.
    pack: object
    #: "": none, "made": made by each answer that makes one, "there": found by each, "searched": found, with the words
    #: that a search has learnt.
    index: str = ""
    #: Bytes of a piece of text; None for the usual number.
    piece: int | None = None
    #: True if it is asked for in its job too.
    in_job: bool = False
    #: Bytes of a block of a small log: of about one line, or of several.
    block: int = 40


WAYS = (
    Way("plain", "", as_plain, in_job=True),
    Way("one gzip member", ".gz", as_member),
    Way("gzip members, byte by byte", ".gz", as_members, piece=1),
    Way("gzip members, cut anywhere", ".gz", as_members, piece=7, in_job=True),
    Way("a frame of Zstandard", ".zst", as_frame),
    Way("frames of Zstandard, cut anywhere", ".zst", as_frames, piece=5),
    Way("plain, with an index that is made", "", as_plain, "made"),
    Way("gzip members, with an index that is made", ".gz", as_members, "made", block=150),
    Way("plain, with an index that is there", "", as_plain, "there", in_job=True),
    Way(
        "gzip members, with a searched index", ".gz", as_members, "searched", in_job=True, block=150
    ),
    Way("frames of Zstandard, with a searched index", ".zst", as_frames, "searched"),
)


class Disk:
    """A folder of this machine, as a place for logs: it puts files, and its `config` has the source that reads them."""

    def __init__(self, folder):
        self.root = folder / "logs"
        self.root.mkdir()
        self.config = f"[disk]\nroot = {self.root}\n"
        self._written = WRITTEN * 10**9

    def put(self, files):
        """Stores these files, by their paths, and no others."""
        self._written += 1  # a file of the same size may get the same inode
        for path in self.root.iterdir():
            shutil.rmtree(path)
        for name, stored in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(stored)
            os.utime(path, ns=(self._written, self._written))


class Found(NamedTuple):
    """What all ways found."""

    #: Numbers of lines; of a job, the log's name and the number: "a.txt:3".
    lines: list
    #: The last JSON object of the first answer.
    end: dict
    #: The rows of JSON, of all answers that `next` leads to.
    rows: list


class Asker:
    """Asks applications, of which each reads by one way. For a session: to make an application takes long."""

    def __init__(self, folder, place=Disk, ways=WAYS, views=_VIEWS):
        """place: makes a place for logs, of a folder. views: in which it asks, JSON among them."""
        self._views = views
        self._ways = [_Asked(way, folder / f"way{n}", place) for n, way in enumerate(ways)]

    def ask(self, log, query, *, passed=None, is_cut=False, follows=False):
        """What is found in a log. query: without its format. See `_ask`."""
        files = {"job/a.txt": log, "job/b.txt": log}
        found = self._ask(files, f"/job/a.txt?{query}", passed, is_cut, follows)
        given = {name for name, _ in parse_qsl(query)}
        if not given & _OF_LOGS and max(map(len, log.split(b"\n"))) < _MOST_IN_JOB:
            self._ask_in_job(query, found, log, given, follows)
        return found

    def ask_job(self, logs, query, *, passed=None, is_cut=False, follows=False):
        """What is found in logs, by their names. query: of their folder, without its format."""
        files = {f"job/{name}": text for name, text in logs.items()}
        return self._ask(files, f"/job/?{query}", passed, is_cut, follows)

    def ask_range(self, log, byte_range):
        """Status, Content-Range and body of a range of a log's text."""
        expected = None
        for way in self._filled({"job/a.txt": log}, None, False):
            answer = way.get("/job/a.txt?format=text", Range=f"bytes={byte_range}")
            found = answer.status_int, answer.headers.get("Content-Range"), answer.body
            expected = expected or found
            _same(way, f"Range: {byte_range}", found, expected)
        return expected

    def summary(self, log, query="", *, passed=None, is_cut=False):
        """The summary of a log, or of a folder of them by their names."""
        is_job = isinstance(log, dict)
        files = {f"job/{name}": text for name, text in (log if is_job else {"a.txt": log}).items()}
        query = quote(query, safe="=&%")
        url = f"/job/{'' if is_job else 'a.txt'}?format=summary&{query}"
        expected = None
        for way in self._filled(files, passed, is_cut):
            found = json.loads(way.get(url).body)
            expected = expected or found
            _same(way, url, found, expected)
        return expected

    def _ask(self, files, url, passed, is_cut, follows):
        """passed: logs of a run that passed, by their names; it is the folder `passed`. is_cut: packed logs have lost
        their ends, but not a byte of their text. follows: `next` is followed to its end.
        """
        expected = None
        for way in self._filled(files, passed, is_cut):
            by_view = {view: way.answers(url, view, follows) for view in self._views}
            found = _found_of(by_view["jsonl"])
            texts = {name.removeprefix("job/"): text for name, text in files.items()}
            _check_views(way, url, found, by_view, texts)
            expected = expected or found
            _same(way, url, found.rows, expected.rows)
            _same(way, url, _comparable(found.end), _comparable(expected.end))
        if expected is None:
            raise AssertionError("no way has such a log")
        return expected

    def _ask_in_job(self, query, expected, log, given, follows):
        """The same query about the log's folder, of the log alone and of it merged with a copy."""
        lines = log.split(b"\n")
        alone = [f"/job/?logs=a.*&{query}", f"/job/?logs=a.*&order=time&{query}"]
        twins = (
            [] if given & _COUNTING else [f"/job/?order=log&{query}", f"/job/?order=time&{query}"]
        )
        for way in self._ways:
            if not (way.way.in_job and way.has_logs):
                continue
            for url in alone + twins:
                rows = _found_of(way.answers(url, "jsonl", follows)).rows
                for name in sorted({row["log"][0] for row in rows} | {"a"}):
                    own = [row for row in rows if row["log"][0] == name]
                    own = [{k: v for k, v in row.items() if k != "log"} for row in own]
                    _same(way, url, own, expected.rows)
            # Text of the last one, which is merged.
            text = _text_of(way.answers(url, "text", follows))
            shown = [
                b"%s:%d:%s" % (row["log"].encode(), row["line"], lines[row["line"] - 1])
                for row in rows
            ]
            _same(way, f"{url} as text", text, shown)

    def _filled(self, files, passed, is_cut):
        """The ways, with these files stored."""
        for way in self._ways:
            way.fill(files, passed or {}, is_cut)
            if way.has_logs:
                yield way

    def check_indexes(self):
        """Raises AssertionError if an index was refused, of any log that was asked about."""
        for way in self._ways:
            way.check_indexes()


class _Asked:
    """One way, with its place and its application."""

    def __init__(self, way, folder, place):
        self.way = way
        folder.mkdir()
        self._place = place(folder)
        self._indexes = folder / "indexes"
        config = folder / "oslogserve.conf"
        index = f"[index]\ndirectory = {self._indexes}\n" if way.index else ""
        config.write_text(f"{self._place.config}\n{index}")
        self._app = App(load(str(config), {}))
        self._files = None
        self._is_small = True
        self.has_logs = True

    def fill(self, files, passed, is_cut):
        """Stores files, if they are not those that are there."""
        wanted = files, passed, is_cut
        if wanted == self._files:
            return
        pack, suffix = self.way.pack, self.way.suffix
        self._is_small = sum(map(len, files.values())) < _SMALL
        stored = {name + suffix: pack(text, is_cut) for name, text in files.items()}
        self.has_logs = None not in stored.values()
        self._files = wanted
        if not self.has_logs:
            return
        self._place.put(stored | {f"passed/{name}": text for name, text in passed.items()})
        self._forget_indexes()
        if self.way.index in ("there", "searched"):
            for name in files:
                self.get(f"/{name}?format=summary")
                if self.way.index == "searched":
                    self.get(f"/{name}?format=text&q=%01nowhere")
            if not is_cut and any(files.values()):
                assert any(self._indexes.iterdir()), f"{self.way.name}: no index was made"

    def _forget_indexes(self):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self._indexes)

    def check_indexes(self):
        """Raises AssertionError if an index was refused: the log was then read without it, and nothing looks wrong."""
        if not (self.way.index and self._files):
            return
        metrics = webob.Request.blank("/metrics", {"REMOTE_ADDR": "127.0.0.1"})
        told = metrics.get_response(self._app).text
        refused = re.findall(r"^oslogserve_indexes_refused_total\S* [1-9].*", told, re.MULTILINE)
        assert "oslogserve_indexes_made_total" in told
        assert not refused, f"{self.way.name}: {refused}"

    def get(self, url, **headers):
        """The answer, read and closed."""
        if self.way.index == "made":
            self._forget_indexes()
        request = webob.Request.blank(url, headers=headers)
        with self._sizes():
            answer = request.get_response(self._app)
            told = list(answer.headerlist)
            answer.body  # noqa: B018 (read and closed)
            answer.headerlist = told  # WebOb has added a length
        return answer

    def _sizes(self):
        is_small = self._is_small
        if self.way.index:
            sizes = (self.way.block, _PIECE) if is_small else (_LARGE_BLOCK, _LARGE_PIECE)
            return small_indexes(*sizes, most_waiting=_WAITING)
        if self.way.piece is None:
            return contextlib.nullcontext()
        return small_pieces(self.way.piece if is_small else _LARGE_PIECE + self.way.piece)

    def answers(self, url, view, follows):
        """The answer in a view, and where `next` is followed, the further ones."""
        path, _, query = url.partition("?")
        following = f"{path}?format={view}&{quote(query, safe='=&%')}"
        found = []
        while following and len(found) < (_MOST_FOLLOWED if follows else 1):
            answer = self.get(following)
            if answer.status_int != 200:
                raise AssertionError(f"{self.way.name}: {following}: {answer.status} {answer.text}")
            found.append(read(view, answer))
            following = found[-1].next and urljoin(following, found[-1].next)
        return found


def _found_of(answers):
    rows = [row for answer in answers for row in answer.rows]
    for row in rows:
        if "log" in row:
            row["log"] = re.sub(r"\.(gz|zst)$", "", row["log"])
    lines = [f"{row['log']}:{row['line']}" if "log" in row else row["line"] for row in rows]
    return Found(lines, answers[0].end, rows)


def _comparable(end):
    """What of the last object does not depend on how a log is stored."""
    told = ("lines", "matched", "sent", "complete", "read_to_end", "new", "compared", "logs")
    return {name: end[name] for name in told if name in end}


def _check_views(way, url, found, by_view, texts):
    """Text and HTML have the lines that JSON has, and text has the bytes of the log."""
    lines = {name: text.split(b"\n") for name, text in texts.items()}
    expected = [_line_of(row, lines) for row in found.rows]
    if "text" in by_view:
        _same(way, f"{url} as text", _text_of(by_view["text"]), expected)
    rows = [row for answer in by_view.get("html", ()) for row in answer.rows]
    shown = [row for row in rows if hasattr(row, "classes")]
    if "html" in by_view:
        _same(
            way,
            f"{url} as HTML",
            [row.number for row in shown],
            [row["line"] for row in found.rows],
        )


def _line_of(row, lines):
    if "log" not in row:
        return lines["a.txt"][row["line"] - 1]
    name = row["log"]
    return b"%s:%d:%s" % (name.encode(), row["line"], lines[name][row["line"] - 1])


def _text_of(answers):
    """The rows of text, without their line feeds and with the plain names of logs."""
    rows = [row.removesuffix(b"\n") for answer in answers for row in answer.rows]
    return [re.sub(rb"^(\S+?\.txt)\.(?:gz|zst)(?=:\d+:)", rb"\1", row) for row in rows]


def _same(way, what, found, expected):
    """Raises AssertionError that names the way and the first difference."""
    if found == expected:
        return
    if isinstance(found, list):
        pairs = zip(found, expected, strict=False)
        place = next((n for n, (one, other) in enumerate(pairs) if one != other), None)
        place = min(len(found), len(expected)) if place is None else place
        what = f"{what}: {len(found)} rows instead of {len(expected)}, from row {place + 1} on"
        found, expected = found[place : place + 1], expected[place : place + 1]
    raise AssertionError(
        f"{way.way.name}: {what}:\n{_short(found)}\ninstead of\n{_short(expected)}"
    )


def _short(value):
    text = repr(value)
    return text if len(text) < 2000 else f"{text[:1000]} ... {text[-1000:]}"
