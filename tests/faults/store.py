# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a store of buckets."""

import contextlib
import itertools

from tests.faults import logs
from tests.faults.proxied import ProxiedStage, add_rows_of_the_proxy, during, name_of
from tests.faults.rows import Rows
from tests.faults.stage import BOUNDS
from tests.servers.s3 import ENVIRONMENT, S3

BUCKET = "faults"
FOLDER = "folder"
PROBE = "probe.txt"


class StoreStage(ProxiedStage):
    """An S3 behind a faulty proxy."""

    def __init__(self, s3):
        self.s3 = s3
        self._numbers = itertools.count()
        section = s3.settings(f"{BUCKET}/{FOLDER}") | BOUNDS
        super().__init__("store", {"store": section}, PROBE, s3.faulty, env=ENVIRONMENT)

    def __enter__(self):
        self.put(PROBE, b"a line\n")
        self.put("deep/log.txt", b"a line\n")
        for packed in (False, True):
            for stem, size in (("log", logs.SIZE), ("large", logs.LARGE)):
                self.put(name_of(packed, stem), logs.stored(size, packed))
        return super().__enter__()

    def put(self, name, content):
        self.s3.put(BUCKET, f"{FOLDER}/{name}", content)

    def settle(self):
        self.s3.process.thaw()
        super().settle()

    def new(self, packed):
        """The name of a log that no other cell has seen."""
        name = name_of(packed, f"new-{next(self._numbers)}")
        self.put(name, logs.stored(logs.SIZE, packed))
        return name

    def meant(self, name):
        return f"GET /{BUCKET}/{FOLDER}/{name} ".encode()


ROWS = Rows()
add_rows_of_the_proxy(ROWS)
during(ROWS, "server frozen", lambda stage: stage.s3.process.freeze())


def _replaced(name, replace, *, cut=True, survives=False):
    """Adds a row of replace(stage, name, packed) midway. cut: then the connection is cut."""

    @ROWS.row(name, survives=survives)
    def _(stage, cell):
        log = stage.new(cell.packed)

        def trouble():
            replace(stage, log, cell.packed)
            if cut:
                stage.proxy.cut()

        return stage.midway(log, cell.view, trouble)


def _overwrite(stage, name, packed):
    stage.put(name, logs.stored(logs.SIZE, packed, seed=1))


def _delete(stage, name, packed):
    stage.s3.client.delete_object(Bucket=BUCKET, Key=f"{FOLDER}/{name}")


_replaced("object overwritten midway", _overwrite, cut=False, survives=True)
_replaced("object overwritten midway, then cut", _overwrite)
_replaced("object deleted midway, then cut", _delete)


@contextlib.contextmanager
def stage():
    with S3(faulty=True) as s3, StoreStage(s3) as stage:
        yield stage
