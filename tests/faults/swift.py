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
from tests.faults.proxied import (
    MIDWAY,
    SOON,
    ProxiedStage,
    add_rows_of_the_proxy,
    during,
    name_of,
)
from tests.faults.rows import CELLS, LINES, Cell, Rows
from tests.faults.stage import BOUNDS
from tests.faults.starve import read_without_descriptors
from tests.servers.faulty import BLACK_HOLE, TRICKLE, Faulty
from tests.servers.keystone import Keystone
from tests.servers.process import poll
from tests.servers.swift import SERVERS, FourProcessSwift, Swift

CONTAINER = "faults"
FOLDER = "folder"
PROBE = "probe.txt"
#: Swift's, of a file that holds an object.
METADATA = "user.swift.metadata"
FOLDER_CELLS = (Cell(False, "html"), Cell(False, "text"))


def flip(path, at):
    """Alters a few bytes of a file as a failing disk does."""
    with path.open("r+b") as file:
        file.seek(at)
        rotten = bytes(byte ^ 1 for byte in file.read(16))
        file.seek(at)
        file.write(rotten)


class SwiftStage(ProxiedStage):
    """A Swift whose servers can be killed one by one, behind a faulty proxy."""

    def __init__(self, swift, **bounds_of_its_own):
        self.swift = swift
        self._numbers = itertools.count()
        settings = swift.settings(CONTAINER) | BOUNDS | bounds_of_its_own
        super().__init__("swift", {"swift": settings}, PROBE, swift.faulty)

    def __enter__(self):
        with self.filling() as connection:
            connection.put_container(CONTAINER)
            connection.put_object(CONTAINER, PROBE, b"a line\n")
            connection.put_object(CONTAINER, f"{FOLDER}/log.txt", b"a line\n")
            for packed in (False, True):
                for stem, size in (("log", logs.SIZE), ("large", logs.LARGE)):
                    content = logs.stored(size, packed)
                    connection.put_object(CONTAINER, name_of(packed, stem), content)
        return super().__enter__()

    @contextlib.contextmanager
    def filling(self):
        with contextlib.closing(self.swift.connection(retries=0)) as connection:
            yield connection

    def settle(self):
        for process in self.swift.processes.values():
            if process.running:
                process.thaw()
            else:
                process.start()
        super().settle()

    # The steps of the rows

    def new(self, packed, content=None):
        """The name of a log that no other cell has seen, and the file that holds it."""
        name = name_of(packed, f"new-{next(self._numbers)}")
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


ROWS = Rows()
row = ROWS.row


def _midway(name, trouble, after=lambda swift: None, *, survives=False):
    """Adds a row of trouble(swift) while a log is on its way, and after(swift) before it goes on."""

    @row(name, survives=survives)
    def _(stage, cell):
        log = name_of(cell.packed, "large")
        swift = stage.swift
        return stage.midway(log, cell.view, lambda: trouble(swift), lambda: after(swift))


add_rows_of_the_proxy(ROWS)


def _back_after_1_s(swift):
    time.sleep(1)
    swift.start("object")


def _restart_proxy(swift):
    swift.kill("proxy")
    swift.start("proxy")


_midway(
    "object server killed midway, back after 1 s",
    lambda swift: swift.kill("object"),
    _back_after_1_s,
    survives=True,
)
_midway("object server killed midway", lambda swift: swift.kill("object"))
_midway("proxy server killed midway, restarted", _restart_proxy, survives=True)
_midway("proxy server killed midway", lambda swift: swift.kill("proxy"))
for _server in SERVERS:
    # Without accounts logs can be had, folders cannot.
    during(
        ROWS,
        f"{_server} server down",
        lambda stage, server=_server: stage.swift.kill(server),
        survives=_server == "account",
    )
during(
    ROWS,
    "account server down: a folder",
    lambda stage: stage.swift.kill("account"),
    path=f"{FOLDER}/",
    cells=FOLDER_CELLS,
)
for _server in SERVERS:
    during(
        ROWS, f"{_server} server frozen", lambda stage, server=_server: stage.swift.freeze(server)
    )
during(
    ROWS,
    "account server frozen: a folder",
    lambda stage: stage.swift.freeze("account"),
    path=f"{FOLDER}/",
    cells=FOLDER_CELLS,
)
_midway("proxy server frozen midway", lambda swift: swift.freeze("proxy"))
_midway("object server frozen midway", lambda swift: swift.freeze("object"))


@contextlib.contextmanager
def _impatient(stage):
    patience = stage.swift.client_timeout
    stage.swift.reconfigure(client_timeout=1)
    yield
    stage.swift.reconfigure(client_timeout=patience)


@row("Swift gives up a reader that stalls", survives=True, around=_impatient)
def _(stage, cell):
    """Holds the answer for longer than Swift waits, and shorter than READ_TIMEOUT."""
    return stage.midway(name_of(cell.packed, "large"), cell.view, lambda: time.sleep(1.6))


def _replaced(name, replace, *, cut=True, survives=False):
    """Adds a row of replace(connection, name, packed) midway. cut: then the connection is cut."""

    @row(name, survives=survives)
    def _(stage, cell):
        log, _ = stage.new(cell.packed)

        def trouble():
            with stage.filling() as connection:
                replace(connection, log, cell.packed)
            if cut:
                stage.proxy.cut()

        return stage.midway(log, cell.view, trouble)


def _overwrite(connection, name, packed):
    connection.put_object(CONTAINER, name, logs.stored(logs.SIZE, packed, seed=1))


def _delete(connection, name, packed):
    connection.delete_object(CONTAINER, name)


# Swift sends the old one to its end.
_replaced("object overwritten midway", _overwrite, cut=False, survives=True)
_replaced("object overwritten midway, then cut", _overwrite)
_replaced("object deleted midway, then cut", _delete)


def _stored(name, harm, **options):
    """Adds a row of a log whose file in Swift is harmed; harm(path)."""

    @row(name, **options)
    def _(stage, cell):
        log, path = stage.new(cell.packed)
        accepted = [stage.healthy(log, cell.view)]
        harm(path)
        return stage.read(log, cell.view), accepted


_stored("stored file truncated", lambda path: os.truncate(path, MIDWAY))
_stored("stored file lost its metadata", lambda path: os.removexattr(path, METADATA))
_stored("stored bytes flipped", lambda path: flip(path, MIDWAY), rotten=True)


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


during(ROWS, "token revoked", lambda stage: stage.swift.reconfigure(), survives=True)


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
    name = name_of(cell.packed, "log")
    accepted = [stage.healthy(name, cell.view)]
    _wait_for_expiry(stage)
    return stage.read(name, cell.view), accepted


def _expired_midway(stage, cell, trouble):
    name = name_of(cell.packed, "log")
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
    name = name_of(cell.packed, "log")
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
        for name, put in (("dynamic", self.put_dynamic), ("static", self.put_static)):
            put(connection, name_of(packed, name), f"segments/{packed}", manifest)

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

    def put_dynamic(self, connection, name, folder, manifest):
        headers = {"X-Object-Manifest": f"{CONTAINER}/{folder}/"}
        connection.put_object(CONTAINER, name, b"", headers=headers)

    def put_static(self, connection, name, folder, manifest):
        query = "multipart-manifest=put"
        connection.put_object(CONTAINER, name, json.dumps(manifest), query_string=query)

    def damaged_segment(self, cell, put):
        """Reads a large object of which a segment is damaged. put: put_static or put_dynamic."""
        number = next(self._numbers)
        name, folder = name_of(cell.packed, f"new-{number}"), f"damaged/{number}"
        with self.filling() as connection:
            before = self._data()
            manifest = self.put_segments(connection, folder, cell.packed, KNOWN)
            paths = self._data() - before
            put(self, connection, name, folder, manifest)
        accepted = [self.healthy(name, cell.view)]
        flip(min(paths, key=lambda path: path.stat().st_mtime_ns), MIDWAY // 4)
        return self.read(name, cell.view), accepted


@LARGE_ROWS.row("SLO closed midway", survives=True)
def _(stage, cell):
    return stage.read_behind(name_of(cell.packed, "static"), cell.view, after=MIDWAY, times=1)


@LARGE_ROWS.row("DLO without length", survives=True)
def _(stage, cell):
    name = name_of(cell.packed, "dynamic")
    same = stage.healthy(name_of(cell.packed, "log"), cell.view)
    reading = stage.read(name, cell.view)
    if cell.view == "html":  # above the lines stand its own name, and no size
        same = reading.body.partition(LINES)[0] + LINES + same.partition(LINES)[2]
    return reading, [same]


@LARGE_ROWS.row("DLO without length closed midway", survives=True)
def _(stage, cell):
    return stage.read_behind(name_of(cell.packed, "dynamic"), cell.view, after=MIDWAY, times=1)


def _flipped(put):
    return lambda stage, cell: stage.damaged_segment(cell, put)


LARGE_ROWS.row("SLO: bytes of a segment flipped", rotten=True)(_flipped(LargeStage.put_static))
LARGE_ROWS.row("DLO: bytes of a segment flipped", rotten=True)(_flipped(LargeStage.put_dynamic))


# Keystone

KEYSTONE_ROWS = Rows()
#: A new token is three requests to Keystone, a second each where the machine is busy.
KEYSTONE_BOUNDS = {"read_timeout": 5, "answer_timeout": 12}


def _revoked(stage, cell, trouble):
    """Keystone's trouble is its clients' alone: Swift can still ask it who they are."""
    name = name_of(cell.packed, "log")
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


for _fault, _trouble in {
    "Keystone: token revoked": lambda proxy: None,
    "Keystone down, token revoked": Faulty.refuse,
    "Keystone hangs, token revoked": lambda proxy: proxy.behave(BLACK_HOLE),
    "Keystone sends one byte a second, token revoked": lambda proxy: proxy.behave(TRICKLE),
}.items():
    KEYSTONE_ROWS.row(_fault, survives=_fault == "Keystone: token revoked")(
        lambda stage, cell, trouble=_trouble: _revoked(stage, cell, trouble)
    )


def _forgotten(stage, cell, end, back):
    """Swift cannot ask Keystone about the token either, and says 401 of it."""
    name = name_of(cell.packed, "log")
    accepted = [stage.healthy(name, cell.view)]
    end(stage.swift.keystone)
    try:
        stage.swift.reconfigure()
        return stage.read(name, cell.view), accepted
    finally:
        back(stage.swift.keystone)


@KEYSTONE_ROWS.row("Keystone down, Swift knows no token")
def _(stage, cell):
    return _forgotten(stage, cell, Keystone.kill, Keystone.start)


@KEYSTONE_ROWS.row("Keystone frozen, Swift knows no token")
def _(stage, cell):
    return _forgotten(stage, cell, Keystone.freeze, Keystone.thaw)


@contextlib.contextmanager
def _keystone_killed(stage):
    for cell in CELLS:
        stage.healthy(name_of(cell.packed, "log"), cell.view)
    # What Swift still asks Keystone of the row before would hold all of it up.
    stage.swift.reconfigure()
    stage.settle()
    stage.swift.keystone.kill()
    yield
    stage.swift.keystone.start()


@KEYSTONE_ROWS.row("Keystone down, token valid", survives=True, around=_keystone_killed)
def _(stage, cell):
    name = name_of(cell.packed, "log")
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
