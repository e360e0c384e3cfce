# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with Swift and Keystone."""

import contextlib
import gzip
import itertools
import json
import os
import time

import swiftclient

from tests.faults import logs
from tests.faults.rows import CELLS, LINES, Cell, Rows
from tests.faults.stage import LARGE_LOGS, Stage, bounds
from tests.faults.starve import read_without_descriptors
from tests.servers.faulty import BLACK_HOLE, Fault, FaultyProxy
from tests.servers.keystone import Keystone
from tests.servers.process import poll
from tests.servers.swift import FourProcessSwift, Swift

CONTAINER = "faults"
FOLDER = "folder"
PROBE = "probe.txt"
#: Bytes that have come when the trouble begins.
MIDWAY = 1024 * 1024
#: Seconds until an answer is held, or a token refused.
SOON = 20


def _name(packed, stem):
    return f"{stem}.txt.gz" if packed else f"{stem}.txt"


def flip(path, at):
    """Alters a few bytes of a file as a failing disk does."""
    with path.open("r+b") as file:
        file.seek(at)
        rotten = bytes(byte ^ 1 for byte in file.read(16))
        file.seek(at)
        file.write(rotten)


class SwiftStage(Stage):
    """A Swift whose servers can be killed one by one, behind a faulty proxy."""

    def __init__(self, swift, **bounds_of_its_own):
        self.swift = swift
        self.proxy = swift.faulty
        self._numbers = itertools.count()
        settings = swift.settings(CONTAINER) | bounds() | bounds_of_its_own
        super().__init__("swift", {"swift": settings}, PROBE)

    def __enter__(self):
        with self.filling() as connection:
            connection.put_container(CONTAINER)
            connection.put_object(CONTAINER, PROBE, b"a line\n")
            connection.put_object(CONTAINER, f"{FOLDER}/log.txt", b"a line\n")
            for packed in (False, True):
                for stem, size in (("log", logs.SIZE), ("large", logs.LARGE)):
                    content = logs.stored(size, packed)
                    connection.put_object(CONTAINER, _name(packed, stem), content)
        return super().__enter__()

    def _connect(self):
        """Opens as many connections as there may be: all are midway in a log at once."""
        poll(self._connected_at_once, lambda: AssertionError("not at once"), SOON)

    def _connected_at_once(self):
        """A busy machine may be too slow for the bounds."""
        name = _name(False, "log")
        self.behave(name, after=MIDWAY, then="hold")
        readers = [self.reader(name, "raw") for _ in range(LARGE_LOGS)]
        poll(
            lambda: self.proxy.struck == LARGE_LOGS or any(reader.done for reader in readers),
            lambda: AssertionError("neither held nor given up"),
            SOON,
        )
        self.proxy.behave()
        return {reader.result().status for reader in readers} == {200}

    @contextlib.contextmanager
    def filling(self):
        with contextlib.closing(self.swift.connection(retries=0)) as connection:
            yield connection

    def settle(self):
        self.proxy.behave()
        self.proxy.accept()
        for process in self.swift.processes.values():
            if process.running:
                process.thaw()
            else:
                process.start()
        super().settle()

    # The steps of the rows

    def new(self, packed, content=None):
        """The name of a log that no other cell has seen, and the file that holds it."""
        name = _name(packed, f"new-{next(self._numbers)}")
        before = self._data()
        with self.filling() as connection:
            connection.put_object(CONTAINER, name, content or logs.stored(logs.SIZE, packed))
        (path,) = self._data() - before
        return name, path

    def _data(self):
        return set((self.swift.root / "srv/sda/objects").rglob("*.data"))

    def meant(self, name):
        """A part of the requests for this log and no other."""
        return f"GET /v1/{self.swift.storage_url.rpartition('/')[2]}/{CONTAINER}/{name} ".encode()

    def behave(self, name, **fault):
        self.proxy.behave(Fault(only=self.meant(name), **fault))

    def read_behind(self, name, view, **fault):
        """(Reading, accepted bodies) with the faulty proxy between."""
        accepted = [self.healthy(name, view)]
        self.behave(name, **fault)
        return self.read(name, view), accepted

    @contextlib.contextmanager
    def held_midway(self, name, view):
        """A reader whose log is held on its way while the body of the `with` runs."""
        self.healthy(name, view)
        self.behave(name, after=MIDWAY, then="hold", times=1)
        reader = self.reader(name, view)
        poll(lambda: self.proxy.struck, lambda: AssertionError("nothing is held"), SOON)
        yield reader
        self.proxy.behave()

    def midway(self, name, view, trouble, after=lambda: None):
        """Calls trouble() while the log is held, and after() when it goes on."""
        with self.held_midway(name, view) as reader:
            trouble()
        after()
        return reader.result(), [self.healthy(name, view)]


ROWS = Rows()
row = ROWS.row


@row("connection reset midway", survives=True)
def _(stage, cell):
    name = _name(cell.packed, "log")
    return stage.read_behind(name, cell.view, after=MIDWAY, then="reset", times=1)


@row("connection closed midway", survives=True)
def _(stage, cell):
    return stage.read_behind(_name(cell.packed, "log"), cell.view, after=MIDWAY, times=1)


@row("connection closed after every 512 KiB", survives=True)
def _(stage, cell):
    return stage.read_behind(_name(cell.packed, "log"), cell.view, after=MIDWAY // 2)


@row("connection closed after every 64 KiB")
def _(stage, cell):
    return stage.read_behind(_name(cell.packed, "log"), cell.view, after=MIDWAY // 16)


@row("connection closed before the first byte, once", survives=True)
def _(stage, cell):
    return stage.read_behind(_name(cell.packed, "log"), cell.view, after=0, times=1)


@row("object server killed midway, back after 1 s", survives=True)
def _(stage, cell):
    def back():
        time.sleep(1)
        stage.swift.start("object")

    name = _name(cell.packed, "large")
    return stage.midway(name, cell.view, lambda: stage.swift.kill("object"), back)


@row("object server killed midway")
def _(stage, cell):
    name = _name(cell.packed, "large")
    return stage.midway(name, cell.view, lambda: stage.swift.kill("object"))


@row("proxy server killed midway, restarted", survives=True)
def _(stage, cell):
    def restart():
        stage.swift.kill("proxy")
        stage.swift.start("proxy")

    return stage.midway(_name(cell.packed, "large"), cell.view, restart)


@row("proxy server killed midway")
def _(stage, cell):
    name = _name(cell.packed, "large")
    return stage.midway(name, cell.view, lambda: stage.swift.kill("proxy"))


def _while_down(server):
    def read(stage, cell):
        name = _name(cell.packed, "log")
        accepted = [stage.healthy(name, cell.view)]
        stage.swift.kill(server)
        return stage.read(name, cell.view), accepted

    return read


row("proxy server down")(_while_down("proxy"))
row("object server down")(_while_down("object"))
row("container server down")(_while_down("container"))
row("account server down", survives=True)(_while_down("account"))


@row("account server down: a folder", cells=(Cell(False, "html"), Cell(False, "text")))
def _(stage, cell):
    accepted = [stage.healthy(f"{FOLDER}/", cell.view)]
    stage.swift.kill("account")
    return stage.read(f"{FOLDER}/", cell.view), accepted


def _while_frozen(server, path=None):
    def read(stage, cell):
        log = path or _name(cell.packed, "log")
        accepted = [stage.healthy(log, cell.view)]
        stage.swift.freeze(server)
        return stage.read(log, cell.view), accepted

    return read


row("proxy server frozen")(_while_frozen("proxy"))
row("object server frozen")(_while_frozen("object"))
row("container server frozen")(_while_frozen("container"))
row("account server frozen")(_while_frozen("account"))
row("account server frozen: a folder", cells=(Cell(False, "html"), Cell(False, "text")))(
    _while_frozen("account", f"{FOLDER}/")
)


@row("silent midway, once", survives=True)
def _(stage, cell):
    name = _name(cell.packed, "log")
    return stage.read_behind(name, cell.view, after=MIDWAY, then="hold", times=1)


@row("proxy server frozen midway")
def _(stage, cell):
    name = _name(cell.packed, "large")
    return stage.midway(name, cell.view, lambda: stage.swift.freeze("proxy"))


@row("object server frozen midway")
def _(stage, cell):
    name = _name(cell.packed, "large")
    return stage.midway(name, cell.view, lambda: stage.swift.freeze("object"))


@row("black hole")
def _(stage, cell):
    name = _name(cell.packed, "log")
    accepted = [stage.healthy(name, cell.view)]
    stage.proxy.behave(BLACK_HOLE)
    return stage.read(name, cell.view), accepted


@row("connection refused")
def _(stage, cell):
    name = _name(cell.packed, "log")
    accepted = [stage.healthy(name, cell.view)]
    stage.proxy.behave(Fault(after=0, then="reset"))
    stage.proxy.refuse()
    return stage.read(name, cell.view), accepted


@row("first byte after 1 s", survives=True)
def _(stage, cell):
    return stage.read_behind(_name(cell.packed, "log"), cell.view, delay=1)


@row("first byte after 30 s")
def _(stage, cell):
    return stage.read_behind(_name(cell.packed, "log"), cell.view, delay=30)


@row("one byte a second")
def _(stage, cell):
    """None of them is late."""
    return stage.read_behind(_name(cell.packed, "log"), cell.view, rate=1)


@row("one byte a second midway, once", survives=True)
def _(stage, cell):
    name = _name(cell.packed, "log")
    return stage.read_behind(name, cell.view, after=MIDWAY, then="trickle", times=1)


@row("2 MB a second", survives=True)
def _(stage, cell):
    return stage.read_behind(_name(cell.packed, "log"), cell.view, rate=2e6)


@contextlib.contextmanager
def _impatient(stage):
    patience = stage.swift.client_timeout
    stage.swift.reconfigure(client_timeout=1)
    yield
    stage.swift.reconfigure(client_timeout=patience)


@row("Swift gives up a reader that stalls", survives=True, around=_impatient)
def _(stage, cell):
    """Holds the answer for longer than Swift waits, and shorter than READ_TIMEOUT."""
    return stage.midway(_name(cell.packed, "large"), cell.view, lambda: time.sleep(1.6))


@row("object overwritten midway", survives=True)
def _(stage, cell):
    """Swift sends the old one to its end."""

    def overwrite():
        with stage.filling() as connection:
            connection.put_object(CONTAINER, name, b"a new log\n")

    name, _ = stage.new(cell.packed)
    return stage.midway(name, cell.view, overwrite)


@row("object overwritten midway, then cut")
def _(stage, cell):
    def overwrite():
        with stage.filling() as connection:
            connection.put_object(CONTAINER, name, logs.stored(logs.SIZE, cell.packed, seed=1))

    name, _ = stage.new(cell.packed)
    return _cut_after(stage, name, cell.view, overwrite)


@row("object deleted midway, then cut")
def _(stage, cell):
    def delete():
        with stage.filling() as connection:
            connection.delete_object(CONTAINER, name)

    name, _ = stage.new(cell.packed)
    return _cut_after(stage, name, cell.view, delete)


def _cut_after(stage, name, view, trouble):
    def trouble_and_cut():
        trouble()
        stage.proxy.cut()

    return stage.midway(name, view, trouble_and_cut)


@row("stored file truncated")
def _(stage, cell):
    name, path = stage.new(cell.packed)
    accepted = [stage.healthy(name, cell.view)]
    with path.open("r+b") as file:
        file.truncate(MIDWAY)
    return stage.read(name, cell.view), accepted


@row("stored file lost its metadata")
def _(stage, cell):
    name, path = stage.new(cell.packed)
    accepted = [stage.healthy(name, cell.view)]
    os.removexattr(path, "user.swift.metadata")
    return stage.read(name, cell.view), accepted


@row("stored bytes flipped", rotten=True)
def _(stage, cell):
    name, path = stage.new(cell.packed)
    accepted = [stage.healthy(name, cell.view)]
    flip(path, MIDWAY)
    return stage.read(name, cell.view), accepted


@row("stored bytes of a range flipped", cells=(Cell(True, "text"),))
def _(stage, cell):
    """A range of a log's text, after all of it was counted. The gzip has its bytes as they are: an
    altered one can be inflated."""
    content = logs.plain(logs.SIZE)
    name, path = stage.new(True, gzip.compress(content, 0, mtime=0))
    stage.healthy(name, cell.view)
    flip(path, MIDWAY)
    first, last = MIDWAY - 1000, MIDWAY + 1000
    wanted = {"Range": f"bytes={first}-{last}"}
    return stage.read(name, cell.view, headers=wanted), [content[first : last + 1]]


@row("token revoked", survives=True)
def _(stage, cell):
    name = _name(cell.packed, "log")
    accepted = [stage.healthy(name, cell.view)]
    stage.swift.reconfigure()
    return stage.read(name, cell.view), accepted


@contextlib.contextmanager
def _short_tokens(stage):
    life = stage.swift.token_life
    stage.swift.reconfigure(token_life=3)
    yield
    stage.swift.reconfigure(token_life=life)


def _wait_for_expiry(stage):
    _, token = swiftclient.get_auth(stage.swift.auth_url, stage.swift.user, stage.swift.key)
    poll(
        lambda: stage.swift.status_of(token) == 401, lambda: AssertionError("does not expire"), SOON
    )


@row("token expired", survives=True, around=_short_tokens)
def _(stage, cell):
    name = _name(cell.packed, "log")
    accepted = [stage.healthy(name, cell.view)]
    _wait_for_expiry(stage)
    return stage.read(name, cell.view), accepted


def _expired_midway(stage, cell, trouble):
    name = _name(cell.packed, "log")
    accepted = [stage.healthy(name, cell.view)]
    stage.behave(name, rate=6e5)  # so that it takes longer than a token lives
    reader = stage.reader(name, cell.view)
    _wait_for_expiry(stage)
    stage.proxy.behave()
    trouble()
    return reader.result(), accepted


@row("token expired midway", survives=True, around=_short_tokens)
def _(stage, cell):
    """What is on its way goes on."""
    return _expired_midway(stage, cell, lambda: None)


@row("token expired midway, then cut", survives=True, around=_short_tokens)
def _(stage, cell):
    return _expired_midway(stage, cell, stage.proxy.cut)


@row("too many open files")
def _(stage, cell):
    name = _name(cell.packed, "log")
    accepted = [stage.healthy(name, cell.view)]
    return read_without_descriptors(stage, name, cell.view), accepted


# Large objects

SEGMENTS = 8
#: Below SEGMENTS: Swift does not look for more, so it cannot say how long the log is.
LISTED = 5
#: Below LISTED: it says how long this one is.
KNOWN = 4

LARGE_ROWS = Rows()


class LargeStage(SwiftStage):
    def __enter__(self):
        with self.filling() as connection:
            connection.put_container(CONTAINER)
            for packed in (False, True):
                self._put(connection, packed)
        return super().__enter__()

    def _put(self, connection, packed):
        manifest = self.put_segments(connection, f"segments/{packed}", packed, SEGMENTS)
        self.put_dynamic(connection, _name(packed, "dynamic"), f"segments/{packed}")
        self.put_static(connection, _name(packed, "static"), manifest)

    def put_segments(self, connection, folder, packed, count):
        """The manifest of a log in so many segments."""
        content = logs.stored(logs.SIZE, packed)
        width = -(-len(content) // count)
        manifest = []
        for number in range(count):
            part = content[number * width : (number + 1) * width]
            etag = connection.put_object(CONTAINER, f"{folder}/{number}", part)
            path = f"/{CONTAINER}/{folder}/{number}"
            manifest.append({"path": path, "etag": etag, "size_bytes": len(part)})
        return manifest

    def put_dynamic(self, connection, name, folder):
        headers = {"X-Object-Manifest": f"{CONTAINER}/{folder}/"}
        connection.put_object(CONTAINER, name, b"", headers=headers)

    def put_static(self, connection, name, manifest):
        query = "multipart-manifest=put"
        connection.put_object(CONTAINER, name, json.dumps(manifest), query_string=query)

    def damaged_segment(self, cell, put):
        """Reads a large object of which a segment is damaged; put(connection, name, folder,
        manifest) makes one of the segments."""
        number = next(self._numbers)
        name, folder = _name(cell.packed, f"new-{number}"), f"damaged/{number}"
        with self.filling() as connection:
            before = self._data()
            manifest = self.put_segments(connection, folder, cell.packed, KNOWN)
            paths = self._data() - before
            put(connection, name, folder, manifest)
        accepted = [self.healthy(name, cell.view)]
        flip(min(paths, key=lambda path: path.stat().st_mtime_ns), MIDWAY // 4)
        return self.read(name, cell.view), accepted


@LARGE_ROWS.row("SLO closed midway", survives=True)
def _(stage, cell):
    return stage.read_behind(_name(cell.packed, "static"), cell.view, after=MIDWAY, times=1)


@LARGE_ROWS.row("DLO without length", survives=True)
def _(stage, cell):
    name = _name(cell.packed, "dynamic")
    same = stage.healthy(_name(cell.packed, "log"), cell.view)
    reading = stage.read(name, cell.view)
    if cell.view == "html":  # above the lines stand its own name, and no size
        same = reading.body.partition(LINES)[0] + LINES + same.partition(LINES)[2]
    return reading, [same]


@LARGE_ROWS.row("DLO without length closed midway", survives=True)
def _(stage, cell):
    return stage.read_behind(_name(cell.packed, "dynamic"), cell.view, after=MIDWAY, times=1)


@LARGE_ROWS.row("SLO: bytes of a segment flipped", rotten=True)
def _(stage, cell):
    def put(connection, name, folder, manifest):
        stage.put_static(connection, name, manifest)

    return stage.damaged_segment(cell, put)


@LARGE_ROWS.row("DLO: bytes of a segment flipped", rotten=True)
def _(stage, cell):
    def put(connection, name, folder, manifest):
        stage.put_dynamic(connection, name, folder)

    return stage.damaged_segment(cell, put)


# Keystone

KEYSTONE_ROWS = Rows()
#: A new token is three requests to Keystone, a second each where the machine is busy.
KEYSTONE_BOUNDS = {"read_timeout": 5, "answer_timeout": 12}


def _revoked(stage, cell, trouble=lambda keystone: None):
    """Keystone's trouble is its clients' alone: Swift can still ask it who they are."""
    name = _name(cell.packed, "log")
    accepted = [stage.healthy(name, cell.view)]
    keystone = stage.swift.keystone
    keystone.revoke_tokens()
    stage.swift.reconfigure()  # it remembers for minutes that the token was valid
    trouble(keystone.faulty)
    keystone.faulty.cut()
    try:
        return stage.read(name, cell.view), accepted
    finally:
        keystone.faulty.behave()
        keystone.faulty.accept()


@KEYSTONE_ROWS.row("Keystone: token revoked", survives=True)
def _(stage, cell):
    return _revoked(stage, cell)


@KEYSTONE_ROWS.row("Keystone down, token revoked")
def _(stage, cell):
    return _revoked(stage, cell, FaultyProxy.refuse)


@KEYSTONE_ROWS.row("Keystone hangs, token revoked")
def _(stage, cell):
    return _revoked(stage, cell, lambda proxy: proxy.behave(BLACK_HOLE))


@KEYSTONE_ROWS.row("Keystone sends one byte a second, token revoked")
def _(stage, cell):
    return _revoked(stage, cell, lambda proxy: proxy.behave(Fault(rate=1)))


def _forgotten(stage, cell, end, back):
    """Swift cannot ask Keystone about the token either, and says 401 of it."""
    name = _name(cell.packed, "log")
    accepted = [stage.healthy(name, cell.view)]
    end()
    try:
        stage.swift.reconfigure()
        return stage.read(name, cell.view), accepted
    finally:
        back()


@KEYSTONE_ROWS.row("Keystone down, Swift knows no token")
def _(stage, cell):
    keystone = stage.swift.keystone
    return _forgotten(stage, cell, keystone.kill, keystone.start)


@KEYSTONE_ROWS.row("Keystone frozen, Swift knows no token")
def _(stage, cell):
    keystone = stage.swift.keystone
    return _forgotten(stage, cell, keystone.freeze, keystone.thaw)


@contextlib.contextmanager
def _keystone_killed(stage):
    for cell in CELLS:
        stage.healthy(_name(cell.packed, "log"), cell.view)
    # What Swift still asks Keystone of the row before would hold all of it up.
    stage.swift.reconfigure()
    stage.settle()
    stage.swift.keystone.kill()
    yield
    stage.swift.keystone.start()


@KEYSTONE_ROWS.row("Keystone down, token valid", survives=True, around=_keystone_killed)
def _(stage, cell):
    name = _name(cell.packed, "log")
    return stage.read(name, cell.view), [stage.healthy(name, cell.view)]


@contextlib.contextmanager
def stage():
    with FourProcessSwift(faulty=True) as swift, SwiftStage(swift) as stage:
        yield stage


@contextlib.contextmanager
def large_stage():
    with (
        Swift(faulty=True, constraints={"container_listing_limit": LISTED}) as swift,
        LargeStage(swift) as stage,
    ):
        yield stage


@contextlib.contextmanager
def keystone_stage():
    with (
        Keystone(faulty=True) as keystone,
        Swift(keystone=keystone, faulty=True) as swift,
        SwiftStage(swift, **KEYSTONE_BOUNDS) as stage,
    ):
        yield stage
