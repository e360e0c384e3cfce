# SPDX-License-Identifier: Apache-2.0
"""A server under test whose source is behind a faulty proxy, and the rows of that proxy."""

import contextlib

from tests.faults.rows import CELLS
from tests.faults.stage import LARGE_LOGS, Stage
from tests.servers.faulty import BLACK_HOLE, Fault
from tests.servers.process import poll

#: Bytes that have come when the trouble begins.
MIDWAY = 1024 * 1024
#: Seconds until an answer is held, or a token refused.
SOON = 20


def name_of(packed, stem):
    return f"{stem}.txt.gz" if packed else f"{stem}.txt"


class ProxiedStage(Stage):
    def __init__(self, source, sections, probe, proxy, env=None):
        self.proxy = proxy
        super().__init__(source, sections, probe, env)

    def meant(self, name):
        """A part of the requests for this log and no other."""
        raise NotImplementedError

    def _connect(self):
        """Opens as many connections as there may be: all are midway in a log at once."""
        poll(self._connected_at_once, lambda: AssertionError("not at once"), SOON)

    def _connected_at_once(self):
        """A busy machine may be too slow for the bounds."""
        name = name_of(False, "log")
        self.behave(name, after=MIDWAY, then="hold")
        readers = [self.reader(name, "raw") for _ in range(LARGE_LOGS)]
        poll(
            lambda: self.proxy.struck == LARGE_LOGS or any(reader.done for reader in readers),
            lambda: AssertionError("neither held nor given up"),
            SOON,
        )
        self.proxy.behave()
        return {reader.result().status for reader in readers} == {200}

    def range_at(self, name):
        return 15_000_000 if name.startswith("large") else super().range_at(name)

    def settle(self):
        self.proxy.behave()
        self.proxy.accept()
        super().settle()

    # The steps of the rows

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


def during(rows, name, trouble, path=None, *, survives=False, cells=CELLS):
    """Adds a row of a log, or of this path, that is asked for after trouble(stage)."""

    def read(stage, cell):
        log = path or name_of(cell.packed, "log")
        accepted = [stage.healthy(log, cell.view)]
        trouble(stage)
        return stage.read(log, cell.view), accepted

    rows.row(name, survives=survives, cells=cells)(read)


def _refuse(stage):
    stage.proxy.behave(Fault(after=0, then="reset"))
    stage.proxy.refuse()


def add_rows_of_the_proxy(rows):
    """Adds the rows in which only the way to the source is bad."""

    def behind(name, *, survives=False, **fault):
        rows.row(name, survives=survives)(
            lambda stage, cell: stage.read_behind(name_of(cell.packed, "log"), cell.view, **fault)
        )

    behind("connection reset midway", survives=True, after=MIDWAY, then="reset", times=1)
    behind("connection closed midway", survives=True, after=MIDWAY, times=1)
    behind("connection closed after every 512 KiB", survives=True, after=MIDWAY // 2)
    behind("connection closed after every 64 KiB", after=MIDWAY // 16)
    behind("connection closed before the first byte, once", survives=True, after=0, times=1)
    behind("silent midway, once", survives=True, after=MIDWAY, then="hold", times=1)
    behind("first byte after 1 s", survives=True, delay=1)
    behind("first byte after 30 s", delay=30)
    # None of the bytes is late.
    behind("one byte a second", rate=1)
    behind("one byte a second midway, once", survives=True, after=MIDWAY, then="trickle", times=1)
    behind("2 MB a second", survives=True, rate=2e6)
    during(rows, "black hole", lambda stage: stage.proxy.behave(BLACK_HOLE))
    during(rows, "connection refused", _refuse)
