# SPDX-License-Identifier: Apache-2.0
"""Demo logs, generated from a seed, so none need be shipped or fetched.

All are made of *episodes*: templates of some records that one event leaves behind, with new times
and ids each time. ``generate_oslo`` gives a log of any size. Its line lengths and gzip ratio follow
real gate logs: most lines short (a pretty-printed body), a few very long (a service catalogue, which
is more than half of all bytes). ``write_demo_logs`` lays out three builds as Zuul uploads them: one for
every kind of file, one that failed in a test because a service failed, and one of the same job that
passed, with a pointer to it.
"""

import base64
import gzip
import itertools
import json
import pathlib
import random
import re
import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta

#: Uncompressed bytes of the one big log: enough to see streaming, quick enough to write.
LARGE_LOG = 50_000_000

_START = datetime(2026, 3, 4, 18, 22, 11)
_JOURNAL_TIME = "%b %d %H:%M:%S.%f"
_CATALOG_SERVICES = (
    "nova neutron glance cinder keystone placement swift heat octavia designate barbican "
    "manila magnum ironic trove aodh gnocchi cloudkitty masakari zaqar senlin mistral"
)

#: Templates of episodes, and the one of a page, by name. "@" at the beginning of a line becomes a time in
#: milliseconds, "@000" one in microseconds.
TEMPLATES: dict[bytes, bytes] = dict(
    re.findall(
        rb"(?ms)^== (\w+)\n(.*?)(?=^== |\Z)",
        pathlib.Path(__file__).with_name("templates.txt").read_bytes(),
    )
)
#: Fields of templates that never change.
_FIXED = {
    b"escape": b"\x1b",
    b"not_utf8": b"\xff\xfe caf\xe9 \xc3\x28 \x00",
    # With it, a line is as long as the longest of real gate logs.
    b"user_data": b"QUJDREVGR0g" * 9_000,
}

#: Names in the tests of the failed build, and how many passed before one failed.
_AREAS = (
    b"accounts baskets cards catalog coupons images invoices mails orders payments prices returns "
    b"search servers stock taxes"
)
_ACTIONS = b"create list show update delete filter_by_date sort page_by_page as_guest as_owner"
_FAILED_TEST = 96

# 64 x 64 pixels in black and white.
_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAFElEQVR42mNgGAV4wX8oGGVgZQAAeqH/AfBAxfwAAAAASUVO"
    "RK5CYII="
)


class _Clock:
    """Times that only grow, with gaps like a busy service's."""

    def __init__(self, rng: random.Random, layout: str, start: datetime) -> None:
        self._rng = rng
        self._start = start
        self._layout = layout
        self._millis = 248

    def after(self, mean: float) -> bytes:
        """The time after a random wait. mean: in milliseconds."""
        self._millis += int(self._rng.expovariate(1 / mean))
        time = self._start + timedelta(milliseconds=self._millis)
        return time.strftime(self._layout)[:-3].encode()


def _uuid(rng: random.Random) -> bytes:
    return str(uuid.UUID(int=rng.getrandbits(128))).encode()


def _catalog(project: str) -> bytes:
    entries = []
    for name in _CATALOG_SERVICES.split():
        url = f"http://10.0.0.4/{name}/v3/{project}"
        endpoint = {"adminURL": url, "region": "RegionOne", "publicURL": url, "internalURL": url}
        entries.append({"endpoints": [endpoint], "type": name, "name": name})
    return json.dumps(entries).encode()


def _identities(rng: random.Random) -> list[dict[bytes, bytes]]:
    """Users with their catalogs: a test class has its user and its project for a while."""
    found = []
    for number in range(12):
        project = f"{rng.getrandbits(128):032x}"
        user = b"tempest-ServersTest-%d demo" % rng.randrange(10**9) if number else b"demo demo"
        found.append({b"user": user, b"catalog": _catalog(project)})
    return found


def _values(rng: random.Random) -> dict[bytes, bytes]:
    """Values of a template's fields in one episode."""
    noise = b"%064x" % rng.getrandbits(256)
    return {
        b"pid": b"%d" % rng.choice(range(2790, 2794)),
        b"req": b"req-" + _uuid(rng),
        b"instance": _uuid(rng),
        b"token": noise,
        b"mac": b":".join((noise[:2], noise[2:4], noise[4:6])),
        b"octet": b"%d" % rng.randrange(2, 255),
        b"port": b"%d" % rng.randrange(32768, 61000),
        b"seconds": b"%.2f" % rng.uniform(0.3, 40),
    }


def episodes(
    templates: Callable[[random.Random], Iterator[bytes]],
    seed: int,
    layout: str = "%Y-%m-%d %H:%M:%S.%f",
    mean_gap: float = 6.0,
    pause: float = 0,
    start: datetime = _START,
) -> Iterator[bytes]:
    """An episode of each template. layout, start: of the times. mean_gap, pause: between records, and
    before each episode, in milliseconds."""
    rng = random.Random(seed)  # noqa: S311 - the same demo logs each time
    clock = _Clock(rng, layout, start)
    identities = _identities(rng)
    for template in templates(rng):
        values = _FIXED | _values(rng) | rng.choice(identities)
        _, *records = (b"\n" + template % values).split(b"\n@")
        if pause:
            clock.after(pause)
        yield b"\n".join([clock.after(mean_gap) + record for record in records])


def _requests(rng: random.Random) -> Iterator[bytes]:
    """Mostly requests; a warning now and then; an error about once a megabyte."""
    for number in itertools.count(1):
        yield TEMPLATES[b"request"]
        if number % 15 == 0:
            yield TEMPLATES[b"warning"]
        if number % 90 == 7:
            yield rng.choice((TEMPLATES[b"error_prefixed"], TEMPLATES[b"error_bare"]))
        if number % 400 == 9:
            yield TEMPLATES[b"hostile"]


def _console(rng: random.Random) -> Iterator[bytes]:
    yield TEMPLATES[b"console_start"]
    for task in (b"Ensure swap is on", b"Run devstack", b"Gather <logs> & results"):
        yield b"@000 |\n@000 | TASK [%b] " % task + b"*" * 40 + b"\n"
        yield from itertools.repeat(TEMPLATES[b"console_step"], rng.randrange(40, 400))
    yield TEMPLATES[b"console_end"]


def _syslog(rng: random.Random) -> Iterator[bytes]:
    for number in range(800):
        yield rng.choice((TEMPLATES[b"c_api"], TEMPLATES[b"system"]))
        if number % 300 == 99:
            yield TEMPLATES[b"c_vol_error"]


def smoke_console() -> Iterator[bytes]:
    """Zuul's console of tests of which one failed."""
    return _console_of_tests(TEMPLATES[b"smoke_failed"], tasks(b"smoke_end"))


def passed_console() -> Iterator[bytes]:
    """Zuul's console of the same tests, which all passed."""
    after = [
        task.replace(b"failed: 1", b"failed: 0").replace(b"FAILURE", b"SUCCESS")
        for task in tasks(b"smoke_end")[1:]
    ]
    test = TEMPLATES[b"smoke_failed"].replace(b"FAILED", b"ok")
    return _console_of_tests(test, [TEMPLATES[b"smoke_passed"], *after])


def _console_of_tests(test: bytes, end: list[bytes]) -> Iterator[bytes]:
    """Zuul's console of many tests. test: the one in the middle. end: what comes after all tests."""
    tests = [
        TEMPLATES[b"smoke_test"].replace(b"AREA", area).replace(b"ACTION", action)
        for area, action in itertools.product(_AREAS.split(), _ACTIONS.split())
    ]
    tests[_FAILED_TEST:_FAILED_TEST] = [test]
    yield from tasks(b"smoke_pre")
    yield from itertools.repeat(TEMPLATES[b"smoke_service"], 40)
    yield from tasks(b"smoke_run")
    yield from tests
    yield from end


def tasks(name: bytes) -> list[bytes]:
    """The parts of a template of a console, which blank lines separate."""
    return re.split(rb"(?m)^(?=@000 \|$)", TEMPLATES[name])


def _volumes(_: random.Random) -> Iterator[bytes]:
    """The log of the service because of which the test failed."""
    yield from itertools.repeat(TEMPLATES[b"volume"], 239)
    yield TEMPLATES[b"volume_failed"]
    yield from itertools.repeat(TEMPLATES[b"volume"], 100)


def _scheduler(_: random.Random) -> Iterator[bytes]:
    """A service's log with an early error that did no harm."""
    yield TEMPLATES[b"scheduler_old_error"]
    yield from itertools.repeat(TEMPLATES[b"scheduler"], 400)


def passed_report() -> list[bytes]:
    """Zuul's report of tests that all passed."""
    report = TEMPLATES[b"smoke_report"].replace(b'"failed": true', b'"changed": true')
    report = report.replace(b'"failures": 1', b'"failures": 0').replace(b'"rc": 1', b'"rc": 0')
    return [report.replace(b"non-zero return code", b"")]


def generate_oslo(size: int, seed: int = 0) -> Iterator[bytes]:
    """Blocks of whole lines of an oslo.log; the last ends with the line that reaches `size`."""
    for episode in episodes(_requests, seed):
        if size <= 0:
            return
        yield episode if len(episode) <= size else episode[: episode.index(b"\n", size - 1) + 1]
        size -= len(episode)


def _screen(size: int, seed: int) -> Iterator[bytes]:
    yield b"+ exec /bin/bash -c '/opt/stack/data/venv/bin/nova-compute --config-file nova.conf'\n"
    yield from generate_oslo(size, seed)


def write_demo_logs(folder: pathlib.Path) -> list[pathlib.Path]:
    """The paths of the demo builds, which are written. Whatever else the folder holds stays."""
    files = {f"{_BUILD}/{name}": content for name, content in _FILES.items()}
    files |= {f"{_FAILED_BUILD}/{name}": content for name, content in _FAILED_FILES.items()}
    files |= {f"{_PASSED_BUILD}/{name}": content for name, content in _PASSED_FILES.items()}
    files["passed/smoke"] = lambda: [f"{_PASSED_BUILD}\n".encode()]
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, content())
    return [folder / name for name in files]


def write(path: pathlib.Path, blocks: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        if path.suffix != ".gz":
            file.writelines(blocks)
            return
        # No name and no time in the header: the same seed gives the same bytes.
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            packed.writelines(blocks)


_BUILD = "42/123442/7/check/nova-tox/abc1234"

_FILES: dict[str, Callable[[], Iterable[bytes]]] = {
    "job-output.txt": lambda: episodes(_console, 1, mean_gap=60),
    "testr_results.html": lambda: [TEMPLATES[b"report"]],
    "controller/logs/screen-n-cpu.txt.gz": lambda: _screen(LARGE_LOG, 2),
    "controller/logs/screen-n-api.txt": lambda: _screen(900_000, 3),
    "controller/logs/screen-hostile.txt": lambda: _screen(400_000, 4),
    "controller/logs/syslog.txt": lambda: episodes(_syslog, 5, _JOURNAL_TIME, 200),
    "controller/logs/devstack@c-api.service.txt.gz": lambda: episodes(
        lambda _: itertools.repeat(TEMPLATES[b"c_api"], 1_700), 6, _JOURNAL_TIME, 200
    ),
    "controller/logs/graph.png": lambda: [base64.b64decode(_PNG)],
}

_FAILED_BUILD = "57/123457/3/check/smoke/5e0d1a9"

_FAILED_FILES: dict[str, Callable[[], Iterable[bytes]]] = {
    "job-output.txt": lambda: episodes(lambda _: smoke_console(), 7, mean_gap=12, pause=3_000),
    "job-output.json": lambda: [TEMPLATES[b"smoke_report"]],
    "zuul-info/inventory.yaml": lambda: [TEMPLATES[b"inventory"]],
    "controller/logs/screen-c-vol.txt": lambda: episodes(_volumes, 8, mean_gap=15, pause=2_000),
    "controller/logs/screen-c-sch.txt": lambda: episodes(_scheduler, 9, mean_gap=12, pause=1_500),
    "controller/logs/syslog.txt": lambda: episodes(
        lambda _: itertools.repeat(TEMPLATES[b"system"], 300), 10, _JOURNAL_TIME, 30, 2_000
    ),
}

_PASSED_BUILD = "57/123456/2/check/smoke/9b2c7f4"

_PASSED_FILES: dict[str, Callable[[], Iterable[bytes]]] = {
    "job-output.txt": lambda: episodes(lambda _: passed_console(), 11, mean_gap=12, pause=3_000),
    "job-output.json": passed_report,
    "zuul-info/inventory.yaml": lambda: [
        TEMPLATES[b"inventory"].replace(b"123457", b"123456").replace(b"'3'", b"'2'")
    ],
    "controller/logs/screen-c-vol.txt": lambda: episodes(
        lambda _: itertools.repeat(TEMPLATES[b"volume"], 340), 12, mean_gap=15, pause=2_000
    ),
    "controller/logs/screen-c-sch.txt": lambda: episodes(_scheduler, 13, mean_gap=12, pause=1_500),
    "controller/logs/syslog.txt": lambda: episodes(
        lambda _: itertools.repeat(TEMPLATES[b"system"], 300), 14, _JOURNAL_TIME, 30, 2_000
    ),
}
