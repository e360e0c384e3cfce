# SPDX-License-Identifier: Apache-2.0
import os
import re
import threading
import time

import pytest

from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import Context, Folder
from oslogserve.sources import guard as guards
from oslogserve.sources.guard import (
    FAILURES,
    FIRST_PAUSE,
    LONGEST_PAUSE,
    MIN_FAILING,
    PATIENCE,
    Guard,
)
from tests.kit.open_logs import FakeLog, FakeSource
from tests.unit.handlers.asking import Asking

#: Seconds after which a test has failed; none waits for so long where all is well.
BOUND = 20


class Flaky(FakeSource):
    """A source that raises its error, if it has one, and counts who asks."""

    def __init__(self):
        super().__init__("swift")
        self.error = None
        self.times = 0

    def open(self, path, options=None):
        self.times += 1
        if self.error is not None:
            raise self.error

    def entries(self, path, wanted=None):
        return self.open(path)

    def check(self):
        self.open(b"")


@pytest.fixture
def metrics(monkeypatch):
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)
    return Metrics()


@pytest.fixture
def source():
    return Flaky()


@pytest.fixture
def guard(source, metrics):
    return Guard(source, metrics, threads=4)


def guarded(guard, context=None):
    return guard.for_request(context or Context())


def fail(guard, times, reason="failed"):
    guard.source.error = SourceError("swift", "status 503", reason)
    for _ in range(times):
        with pytest.raises(SourceError):
            guarded(guard).open(b"a")
    guard.source.error = None


def sicken(guard, clock):
    """As few failures as it takes until the source is left alone."""
    fail(guard, FAILURES - 1)
    clock.now += MIN_FAILING
    fail(guard, 1)


def is_available(metrics):
    return value(metrics, 'oslogserve_source_available{source="swift"}') == 1


def value(metrics, series):
    found = re.search(rf"^{re.escape(series)} (\S+)$", metrics.exposition().decode(), re.MULTILINE)
    return float(found[1]) if found else None


# The server's log


def told(capsys):
    return [line.partition(" ")[2] for line in capsys.readouterr().err.splitlines()]


def test_an_outage_is_logged_once_when_it_begins_and_once_when_it_ends(guard, clock, capsys):
    sicken(guard, clock)
    fail(guard, 20)
    process = os.getpid()
    what = f"oslogserve: swift fails in process {process}: status 503 [container logs]"
    assert told(capsys) == [what]
    clock.now += 40
    for _ in range(3):
        guarded(guard).open(b"a")
    assert told(capsys) == [f"oslogserve: swift answers process {process} again, after 41 s"]


def test_a_source_that_fails_now_and_then_is_logged_once_a_minute(guard, clock, capsys):
    for _ in range(59):
        fail(guard, 1)
        guarded(guard).open(b"a")
        clock.now += 1
    assert len(told(capsys)) == 2
    clock.now += 2
    fail(guard, 1)
    assert len(told(capsys)) == 1


def test_the_length_of_an_outage_counts_from_its_first_failure(guard, clock, capsys):
    fail(guard, 1)
    guarded(guard).open(b"a")
    clock.now += 10
    fail(guard, 1)  # within a minute of the last one that was logged
    clock.now += 55
    fail(guard, 1)
    clock.now += 5
    guarded(guard).open(b"a")
    assert told(capsys)[-1].endswith("again, after 1 min")


@pytest.mark.parametrize("reason", ["forbidden", "changed", "lost"])
def test_a_failure_of_one_log_is_no_outage(guard, capsys, reason):
    fail(guard, 20, reason)
    assert told(capsys) == []


def test_a_check_notices_an_outage_too(guard, source, capsys):
    source.error = SourceError("swift", "status 503")
    with pytest.raises(SourceError):
        guard.check()
    source.error = None
    guard.check()
    assert len(told(capsys)) == 2


@pytest.mark.parametrize("ask", ["open", "entries"])
def test_a_request_knows_why_a_source_failed(guard, source, ask):
    context = Context()
    source.error = SourceError("swift", "status 503")
    with pytest.raises(SourceError):
        getattr(guarded(guard, context), ask)(b"a")
    assert context.trace.failures == {"swift": "status 503"}


def test_a_request_knows_that_a_source_failed_in_the_middle_of_a_folder(metrics):
    context = Context()
    names = [b"a", SourceError("swift", "status 503")]
    source = guarded(Guard(FakeSource("swift", names=names), metrics, 4), context)
    with pytest.raises(SourceError):
        list(source.entries(b""))
    assert context.trace.failures == {"swift": "status 503"}


# The circuit breaker


def test_a_source_that_keeps_failing_is_left_alone(guard, source, metrics, clock):
    sicken(guard, clock)
    assert source.times == FAILURES
    assert not is_available(metrics)
    for ask in (guarded(guard).open, guarded(guard).entries):
        with pytest.raises(SourceError, match="it failed 5 times and is left alone"):
            ask(b"a")
    assert source.times == FAILURES


def test_a_hiccup_that_fails_many_at_once_is_no_sickness(guard, metrics, clock):
    fail(guard, 10 * FAILURES)
    clock.now += 0.9 * MIN_FAILING
    fail(guard, 10 * FAILURES)
    assert is_available(metrics)
    assert guarded(guard).open(b"a") is None
    clock.now += MIN_FAILING
    fail(guard, 10 * FAILURES)  # the seconds are counted anew
    assert is_available(metrics)


def test_few_failures_are_no_sickness_however_long_it_takes(guard, metrics, clock):
    for _ in range(FAILURES - 1):
        fail(guard, 1)
        clock.now += MIN_FAILING
    assert is_available(metrics)


def test_one_success_in_between_and_failures_are_counted_anew(guard, metrics, clock):
    for _ in range(3):
        fail(guard, FAILURES - 1)
        clock.now += MIN_FAILING
        assert guarded(guard).open(b"a") is None
    assert is_available(metrics)


@pytest.mark.parametrize("reason", ["changed", "lost", "forbidden", "refused"])
def test_trouble_with_one_log_is_no_sickness(guard, source, metrics, clock, reason):
    for _ in range(3):
        fail(guard, FAILURES, reason)
        clock.now += MIN_FAILING
    assert source.times == 3 * FAILURES
    assert is_available(metrics)


@pytest.mark.parametrize("answer", [None, "forbidden"])
def test_after_a_pause_one_tries_and_its_success_is_for_all(guard, metrics, clock, answer):
    sicken(guard, clock)
    clock.now += 2 * FIRST_PAUSE
    if answer:  # a source that refuses one log answers
        fail(guard, 1, answer)
    else:
        guarded(guard).open(b"a")
    assert is_available(metrics)
    assert guarded(guard).open(b"a") is None


def test_a_probe_that_fails_doubles_the_pause_up_to_a_bound(guard, source, clock):
    sicken(guard, clock)
    pause = FIRST_PAUSE
    for number in range(10):
        clock.now += 0.5 * pause
        fail(guard, 1)
        assert source.times == FAILURES + number  # still left alone
        clock.now += 0.8 * pause
        fail(guard, 1)
        assert source.times == FAILURES + number + 1
        pause = min(2 * pause, LONGEST_PAUSE)


def test_after_an_outage_the_next_one_begins_with_the_first_pause(guard, metrics, clock):
    sicken(guard, clock)
    for _ in range(5):
        clock.now += 2 * LONGEST_PAUSE
        fail(guard, 1)
    clock.now += 2 * LONGEST_PAUSE
    guarded(guard).open(b"a")
    sicken(guard, clock)
    clock.now += 2 * FIRST_PAUSE
    guarded(guard).open(b"a")
    assert is_available(metrics)


def test_the_look_at_its_health_asks_in_any_case(guard, source, metrics, clock):
    sicken(guard, clock)
    source.error = SourceError("swift", "status 503")
    with pytest.raises(SourceError):
        guard.check()
    assert source.times == FAILURES + 1
    source.error = None
    guard.check()
    assert is_available(metrics)
    guarded(guard).open(b"a")


# The bulkhead


class Hanging(Flaky):
    """Those who ask wait until they are let go; then they get its error, if it has one."""

    def __init__(self):
        super().__init__()
        self.arrived = threading.Semaphore(0)
        self.goes_on = threading.Event()

    def open(self, path, options=None):
        self.arrived.release()
        assert self.goes_on.wait(BOUND)
        if self.error is not None:
            raise self.error


class Readers:
    """Threads that ask for a log each; their failures are kept."""

    def __init__(self, guard):
        self.guard = guard
        self.failures = []
        self.threads = []

    def ask(self, count=1):
        for _ in range(count):
            self.threads.append(threading.Thread(target=self._run))
            self.threads[-1].start()

    def _run(self):
        try:
            guarded(self.guard).open(b"a")
        except SourceError as error:
            self.failures.append(error)

    def end(self):
        self.guard.source.goes_on.set()
        for thread in self.threads:
            thread.join(BOUND)
        return len(self.failures)


def hanging(metrics, threads, is_fallback=False):
    guard = Guard(Hanging(), metrics, threads, is_fallback)
    return guard, Readers(guard)


def arrive(guard, count):
    assert all(guard.source.arrived.acquire(timeout=BOUND) for _ in range(count))


def test_half_of_the_threads_may_wait_for_a_source_that_hangs(metrics, clock):
    guard, readers = hanging(metrics, threads=4)
    readers.ask(2)
    arrive(guard, 2)
    clock.now += PATIENCE
    with pytest.raises(SourceError, match="slow to answer"):
        guarded(guard).open(b"a")
    assert readers.end() == 0
    assert guarded(guard).open(b"a") is None


def test_behind_another_source_a_quarter_of_the_threads_stays_free(metrics, monkeypatch):
    monkeypatch.setattr(guards, "FALLBACK_PATIENCE", BOUND)
    guard, readers = hanging(metrics, threads=4, is_fallback=True)
    readers.ask(2)
    arrive(guard, 2)
    readers.ask()
    while not guard._places._limit.waiting:
        time.sleep(0.001)
    began = time.monotonic()
    with pytest.raises(SourceError, match="slow to answer"):
        guarded(guard).open(b"a")
    assert time.monotonic() - began < BOUND / 4
    assert readers.end() == 0


def test_who_finds_no_place_gets_the_next_that_is_free(metrics):
    guard, readers = hanging(metrics, threads=2)
    readers.ask()
    arrive(guard, 1)
    readers.ask()
    assert readers.end() == 0
    arrive(guard, 1)


def test_calls_that_began_before_it_was_left_alone_do_not_prolong_that(metrics, clock):
    guard, readers = hanging(metrics, threads=128)
    readers.ask(64)
    arrive(guard, 64)
    guard.source.error = SourceError("swift", "status 503")
    guard._breaker._record_failure(is_probe=False)
    clock.now += MIN_FAILING
    assert readers.end() == 64
    assert not is_available(metrics)
    clock.now += 1.25 * FIRST_PAUSE
    guard.source.error = None
    assert guarded(guard).open(b"a") is None


def test_who_waits_for_a_place_is_told_when_the_source_is_left_alone(metrics, monkeypatch):
    monkeypatch.setattr(guards, "MIN_FAILING", 0)
    monkeypatch.setattr(guards, "FAILURES", 1)
    guard, readers = hanging(metrics, threads=2)
    guard.source.error = SourceError("swift", "status 503")
    readers.ask()
    arrive(guard, 1)
    readers.ask(4)
    assert readers.end() == 5
    assert not guard.source.arrived.acquire(blocking=False)


# Times


@pytest.mark.parametrize(
    ("held", "outcome", "size"),
    [
        (FakeLog("disk", [b"x"]), "hit", "64KiB"),
        (FakeLog("disk", [bytes(65537)]), "hit", "1MiB"),
        (Folder(), "hit", "none"),
        (None, "miss", "none"),
        (SourceError("disk", "broken"), "error", "none"),
    ],
)
def test_opening_is_timed_by_its_outcome_and_the_logs_size(metrics, held, outcome, size):
    context = Context()
    source = guarded(Guard(FakeSource("disk", {b"a": held}), metrics, 4), context)
    try:
        source.waiting_anew().open(b"a")
    except SourceError:
        assert outcome == "error"
    labels = f'outcome="{outcome}",size="{size}",source="disk"'
    assert value(metrics, f"oslogserve_source_open_seconds_count{{{labels}}}") == 1
    [(*opening, seconds)] = context.trace.openings
    assert opening == ["disk", outcome]
    assert seconds > 0


@pytest.mark.parametrize("is_slow", ["source", "client"])
def test_reading_is_counted_once_without_the_clients_time(metrics, is_slow, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    class Slow(FakeLog):
        def __iter__(self):
            for chunk in self.chunks:
                now[0] += 0.05 if is_slow == "source" else 0
                yield chunk

    inner = Slow("disk", [b"abc", b"de"])
    log = guarded(Guard(FakeSource("disk", {b"a": inner}), metrics, 4)).open(b"a")
    came = []
    for chunk in log:
        came.append(chunk)
        now[0] += 0.05 if is_slow == "client" else 0
    log.close()
    log.close()
    assert came == [b"abc", b"de"]
    assert inner.closed == 1
    read, labels = "oslogserve_source_read", 'size="64KiB",source="disk"'
    assert value(metrics, f'{read}_bytes_sum{{source="disk"}}') == 5
    assert value(metrics, f"{read}_seconds_count{{{labels}}}") == 1
    spent = value(metrics, f"{read}_seconds_sum{{{labels}}}")
    assert spent == (0 if is_slow == "client" else pytest.approx(0.1))


# Dot files

HIDDEN = [".env", ".git/config", ".git", "job/.htaccess", "job/.git/hooks/x", "..a", ".a.txt"]
SHOWN = ["a.txt", "job/a.", "job/a.b/c.txt"]


@pytest.fixture
def root(tmp_path):
    for name in (*HIDDEN, *SHOWN):
        path = tmp_path / name
        if name != ".git":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"line\n")
    (tmp_path / ".packed.gz").write_bytes(b"line\n")
    return tmp_path


@pytest.mark.parametrize("name", [*HIDDEN, ".packed", ".none"])
def test_a_dot_file_is_as_if_it_were_not_there(root, guard, source, name):
    assert guarded(guard).open(name.encode()) is guarded(guard).entries(name.encode()) is None
    assert source.times == 0
    ask = Asking(root)
    assert ask(f"/{name}").status_int == ask(f"/{name}/").status_int == 404
    assert ask(f"/{name}").body == ask("/none").body


@pytest.mark.parametrize("name", SHOWN)
def test_other_dots_hide_nothing(root, name):
    assert Asking(root)(f"/{name}").body == b"line\n"


def test_a_listing_names_no_dot_file_unless_they_are_served(root):
    assert names(Asking(root)) == ["a.txt", "job/"]
    every = Asking(root, serve_dot_files="yes")
    assert {".env", ".git/", "a.txt"} <= set(names(every))
    assert every("/.git/config").body == b"line\n"


def names(ask):
    return [entry["name"] for entry in ask("/?format=json").json["entries"]]
