# SPDX-License-Identifier: Apache-2.0
"""A week of runs of the demo's jobs, which end in the days before they are written.

Some failed for the same cause as the build that the demo shows, some for one that a rule knows.
"""

import os
import pathlib
import random
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from oslogserve import demo

_DAY = 24 * 3600


class _Run(NamedTuple):
    job: bytes
    change: int
    #: How long ago it ended.
    days: float
    #: Makes the templates of its console.
    console: Callable[[], Iterator[bytes]]
    has_failed: bool = True

    @property
    def folder(self) -> str:
        number = self.change * 7919 % 16**7
        return f"{self.change % 100:02}/{self.change}/1/check/{self.job.decode()}/{number:07x}"


def _ended(task: bytes, *lines: bytes) -> Callable[[], Iterator[bytes]]:
    """Makes the console of a job that failed in a task with these lines."""

    def console() -> Iterator[bytes]:
        yield from demo.tasks(b"smoke_pre")
        yield from [demo.TEMPLATES[b"smoke_service"]] * 9
        said = b"".join(b"@000 | controller | %b\n" % line for line in (*lines, b"ERROR"))
        yield b"@000 |\n@000 | TASK [%b]\n%b" % (task, said)
        yield from demo.tasks(b"smoke_end")[1:]

    return console


_MIRROR = _ended(
    b"Install the packages",
    b"E: Failed to fetch http://mirror.example.org/noble/InRelease  "
    b"Could not connect to mirror.example.org:80 (10.0.0.%(octet)s), connection timed out",
)
_TAXES = _ended(
    b"Run the unit tests",
    b"FAIL: test_rounding (shop.tests.test_taxes.TestTaxes)",
    b"Traceback (most recent call last):",
    b'  File "/home/zuul/src/shop/tests/test_taxes.py", line %(octet)s, in test_rounding',
    b"AssertionError: Decimal('8.41') != Decimal('8.40')",
    b"Ran 2114 tests in %(seconds)ss",
    b"FAILED (failures=1)",
)
_RUNS = (
    _Run(b"smoke", 123391, 5.4, demo.smoke_console),
    _Run(b"smoke-postgresql", 123402, 4.1, demo.smoke_console),
    _Run(b"smoke", 123419, 2.2, demo.smoke_console),
    _Run(b"smoke-postgresql", 123446, 0.3, demo.smoke_console),
    _Run(b"unit", 123388, 6.2, _MIRROR),
    _Run(b"smoke", 123395, 6.1, _MIRROR),
    _Run(b"smoke-postgresql", 123396, 6.0, _MIRROR),
    _Run(b"unit", 123410, 3.3, _TAXES),
    _Run(b"unit", 123431, 1.2, _TAXES),
    _Run(
        *(b"unit", 123404, 4.4),
        _ended(b"Check the style", b"shop/cards.py:88:1: F401 'os' imported but unused"),
    ),
    _Run(
        *(b"unit", 123426, 1.9),
        _ended(b"Build the wheel", b"error: package `serde v1.0.300` requires rustc 1.95 or newer"),
    ),
    _Run(
        *(b"smoke-postgresql", 123440, 0.8),
        _ended(b"Start the services", b"fatal: database shop is not there after 60 s"),
    ),
    *(
        _Run(job, 123300 + 9 * number, 6.6 - number, demo.passed_console, has_failed=False)
        for number in range(6)
        for job in (b"smoke", b"unit")
    ),
)


def write_runs(folder: pathlib.Path) -> list[pathlib.Path]:
    """The paths of the runs' files, which are written."""
    written = []
    now = time.time()
    for seed, run in enumerate(_RUNS):
        ended = now - run.days * _DAY
        start = datetime.fromtimestamp(ended, UTC).replace(tzinfo=None)
        console = demo.episodes(partial(_templates, run), seed, start=start)
        report = [] if run.has_failed else demo.passed_report()
        files = {
            "job-output.txt": console,
            "zuul-info/inventory.yaml": [_inventory(run)],
            **({"job-output.json": report} if report else {}),
        }
        for name, content in files.items():
            path = folder / run.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            demo.write(path, content)
            os.utime(path, (ended, ended))
            written.append(path)
    return written


def _templates(run: _Run, _: random.Random) -> Iterator[bytes]:
    return run.console()


def _inventory(run: _Run) -> bytes:
    inventory = demo.TEMPLATES[b"inventory"]
    inventory = inventory.replace(b"123457", b"%d" % run.change).replace(b"'3'", b"'1'")
    return inventory.replace(b"job: smoke", b"job: " + run.job)
