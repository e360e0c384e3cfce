# SPDX-License-Identifier: Apache-2.0
import threading

import pytest

from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import circuit_breaker
from oslogserve.sources.circuit_breaker import (
    FAILURES,
    FIRST_PAUSE,
    LONGEST_PAUSE,
    MIN_FAILING,
    PATIENCE,
    CircuitBreaker,
)

#: Seconds after which a test has failed; none waits for so long where all is well.
BOUND = 20


class Flaky:
    """A source that gives what it is told to, and counts who asks."""

    name = "swift"

    def __init__(self):
        self.error = None
        self.asked = 0

    def open(self, path, options):
        self.asked += 1
        if self.error is not None:
            raise self.error

    def entries(self, path):
        return self.open(path, None)

    def check(self):
        self.open(b"", None)


@pytest.fixture
def clock():
    class Clock:
        now = 100.0

        def __call__(self):
            return self.now

    return Clock()


@pytest.fixture
def metrics(monkeypatch):
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)
    return Metrics()


@pytest.fixture
def source():
    return Flaky()


@pytest.fixture
def breaker(source, metrics, clock):
    return CircuitBreaker(source, metrics, threads=4, clock=clock)


def fail(breaker, source, times, reason="failed"):
    source.error = SourceError("swift", "status 503", reason)
    for _ in range(times):
        with pytest.raises(SourceError):
            breaker.open(b"a")


def sicken(breaker, source, clock):
    """As few failures as it takes until it is left alone."""
    fail(breaker, source, FAILURES - 1)
    clock.now += MIN_FAILING
    fail(breaker, source, 1)


def is_available(metrics):
    return b'source_available{source="swift"} 1.0' in metrics.exposition()


def test_a_source_that_keeps_failing_is_left_alone(breaker, source, metrics, clock):
    sicken(breaker, source, clock)
    assert source.asked == FAILURES
    assert not is_available(metrics)
    source.error = None
    with pytest.raises(SourceError, match="left alone"):
        breaker.open(b"a")
    with pytest.raises(SourceError, match="left alone"):
        breaker.entries(b"a")
    assert source.asked == FAILURES


def test_a_hiccup_that_fails_many_at_once_is_no_sickness(breaker, source, metrics, clock):
    fail(breaker, source, 10 * FAILURES)
    clock.now += 0.9 * MIN_FAILING
    fail(breaker, source, 10 * FAILURES)
    assert is_available(metrics)
    source.error = None
    assert breaker.open(b"a") is None
    clock.now += MIN_FAILING
    fail(breaker, source, 10 * FAILURES)  # the seconds are counted anew
    assert is_available(metrics)


def test_few_failures_are_no_sickness_however_long_it_takes(breaker, source, metrics, clock):
    for _ in range(FAILURES - 1):
        fail(breaker, source, 1)
        clock.now += MIN_FAILING
    assert is_available(metrics)


def test_one_success_in_between_and_nothing_is_held_against_it(breaker, source, metrics, clock):
    for _ in range(3):
        fail(breaker, source, FAILURES - 1)
        clock.now += MIN_FAILING
        source.error = None
        assert breaker.open(b"a") is None
    assert is_available(metrics)


@pytest.mark.parametrize("reason", ["changed", "lost", "forbidden", "refused"])
def test_trouble_with_one_log_is_no_sickness(breaker, source, metrics, clock, reason):
    for _ in range(3):
        fail(breaker, source, FAILURES, reason)
        clock.now += MIN_FAILING
    assert source.asked == 3 * FAILURES
    assert is_available(metrics)


def test_a_source_that_tells_of_trouble_with_one_log_answers(breaker, source, metrics, clock):
    sicken(breaker, source, clock)
    clock.now += 2 * FIRST_PAUSE
    fail(breaker, source, 1, "forbidden")
    assert is_available(metrics)


def test_after_a_while_one_tries_and_its_success_is_for_all(breaker, source, metrics, clock):
    sicken(breaker, source, clock)
    clock.now += 2 * FIRST_PAUSE
    source.error = None
    breaker.open(b"a")
    assert is_available(metrics)
    breaker.open(b"a")
    assert source.asked == FAILURES + 2


def test_a_probe_that_fails_doubles_the_pause_up_to_a_bound(breaker, source, clock):
    sicken(breaker, source, clock)
    pause = FIRST_PAUSE
    for number in range(10):
        clock.now += 0.5 * pause
        fail(breaker, source, 1)
        assert source.asked == FAILURES + number  # still left alone
        clock.now += 0.8 * pause
        fail(breaker, source, 1)
        assert source.asked == FAILURES + number + 1
        pause = min(2 * pause, LONGEST_PAUSE)


def test_the_look_at_its_health_asks_in_any_case(breaker, source, metrics, clock):
    sicken(breaker, source, clock)
    with pytest.raises(SourceError):
        breaker.check()
    assert source.asked == FAILURES + 1
    source.error = None
    breaker.check()
    assert is_available(metrics)
    breaker.open(b"a")


class Hanging(Flaky):
    """Those who ask wait until they are let go; then they get its error, if it has one."""

    def __init__(self):
        super().__init__()
        self.arrived = threading.Semaphore(0)
        self.goes_on = threading.Event()

    def open(self, path, options):
        self.arrived.release()
        assert self.goes_on.wait(BOUND)
        if self.error is not None:
            raise self.error


def ask(breaker, failures):
    def run():
        try:
            breaker.open(b"a")
        except SourceError as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_half_of_the_threads_may_wait_for_a_source_that_hangs(metrics, clock):
    source = Hanging()
    breaker = CircuitBreaker(source, metrics, threads=4, clock=clock)
    failures = []
    threads = [ask(breaker, failures) for _ in range(2)]
    assert all(source.arrived.acquire(timeout=BOUND) for _ in range(2))
    clock.now += PATIENCE[1]
    with pytest.raises(SourceError, match="slow to answer"):
        breaker.open(b"a")
    source.goes_on.set()
    for thread in threads:
        thread.join(BOUND)
    assert breaker.open(b"a") is None
    assert failures == []


@pytest.mark.parametrize(("usual", "patience"), [(0.001, 0.1), (0.15, 0.45), (2.0, 1.0)])
def test_a_source_that_is_slow_is_waited_for_longer(metrics, clock, usual, patience):
    class Slow(Flaky):
        def open(self, path, options):
            clock.now += usual

    breaker = CircuitBreaker(Slow(), metrics, 4, (0.1, 1.0), clock)
    assert breaker._places.patience == 1.0
    for _ in range(2):
        breaker.open(b"a")
    assert breaker._places.patience == pytest.approx(patience)


def test_what_fails_tells_nothing_of_how_long_an_answer_takes(metrics, clock):
    class Failing(Flaky):
        def open(self, path, options):
            clock.now += 20
            raise SourceError("swift", "it does not answer")

    breaker = CircuitBreaker(Failing(), metrics, 4, (0.1, 1.0), clock)
    breaker._record_success(clock.now)
    with pytest.raises(SourceError):
        breaker.open(b"a")
    assert breaker._places.patience == 0.1


def test_who_finds_no_place_gets_the_next_that_is_free(metrics):
    source = Hanging()
    breaker = CircuitBreaker(source, metrics, threads=2, patience=(BOUND, BOUND))
    failures = []
    threads = [ask(breaker, failures)]
    assert source.arrived.acquire(timeout=BOUND)
    threads.append(ask(breaker, failures))
    source.goes_on.set()
    for thread in threads:
        thread.join(BOUND)
    assert source.arrived.acquire(timeout=BOUND)
    assert failures == []


def test_those_who_asked_before_it_was_left_alone_make_it_no_longer(metrics, clock):
    source = Hanging()
    breaker = CircuitBreaker(source, metrics, threads=128, clock=clock)
    failures = []
    threads = [ask(breaker, failures) for _ in range(64)]
    assert all(source.arrived.acquire(timeout=BOUND) for _ in range(64))
    source.error = SourceError("swift", "status 503")
    breaker._record_failure(is_probe=False)
    clock.now += MIN_FAILING
    source.goes_on.set()
    for thread in threads:
        thread.join(BOUND)
    assert len(failures) == 64
    assert not is_available(metrics)
    clock.now += 1.25 * FIRST_PAUSE
    source.error = None
    assert breaker.open(b"a") is None


def test_who_waits_for_a_place_is_told_when_the_source_is_left_alone(metrics, monkeypatch):
    monkeypatch.setattr(circuit_breaker, "MIN_FAILING", 0)
    monkeypatch.setattr(circuit_breaker, "FAILURES", 1)
    source = Hanging()
    source.error = SourceError("swift", "status 503")
    breaker = CircuitBreaker(source, metrics, threads=2, patience=(BOUND, BOUND))
    failures = []
    threads = [ask(breaker, failures)]
    assert source.arrived.acquire(timeout=BOUND)
    threads += [ask(breaker, failures) for _ in range(4)]
    source.goes_on.set()
    for thread in threads:
        thread.join(BOUND)
    assert len(failures) == 5
    assert not source.arrived.acquire(blocking=False)
