# SPDX-License-Identifier: Apache-2.0
import re
import time

import pytest

from oslogserve.errors import Incomplete
from oslogserve.http.answer import Answer, Body
from oslogserve.metrics import Metrics


class Made:
    def __init__(self, pieces, missing=()):
        self.metrics = Metrics()
        self.metrics["requests_in_progress"].inc()
        self.closed = 0
        sent = {"view": "text", "source": "disk", "stored_size": 9, "close": self.close}
        answer = Answer(pieces=pieces, missing=list(missing), **sent)
        self.noted = []
        self.body = Body(answer, self.metrics, time.perf_counter(), self.noted.append)

    def close(self):
        self.closed += 1

    def endings(self):
        told = self.metrics.exposition().decode()
        return re.findall(r'response_seconds_count\{ending="(\w+)",size="64KiB"\S+ 1\.0', told)

    def sent(self):
        return float(re.search(r"sent_bytes_total\S+ (\S+)", self.metrics.exposition().decode())[1])


def failing(error):
    yield b"abc"
    raise error


def test_a_whole_answer_is_complete_and_closed_once():
    made = Made([b"abc", b"de"])
    assert b"".join(made.body) == b"abcde"
    made.body.close()
    made.body.close()
    assert made.closed == 1
    assert made.endings() == ["complete"]
    assert made.sent() == 5
    [body] = made.noted
    assert body is made.body
    assert (body.ending, body.sent) == ("complete", 5)
    assert 0 < body.first_byte <= body.seconds
    assert b"requests_in_progress 0.0" in made.metrics.exposition()


@pytest.mark.parametrize("read", [0, 1])
def test_a_client_that_left_is_aborted(read):
    made = Made([b"abc", b"de"])
    for _ in range(read):
        next(made.body)
    made.body.close()
    assert made.closed == 1
    assert made.endings() == ["aborted"]
    [body] = made.noted
    assert (body.first_byte is None) == (read == 0)
    assert made.sent() == 3 * read


@pytest.mark.parametrize("error", [ValueError("x"), Incomplete("timeout", "x")])
def test_a_failure_is_failed_and_breaks_the_answer(error):
    made = Made(failing(error))
    assert next(made.body) == b"abc"
    with pytest.raises(type(error)):
        next(made.body)
    made.body.close()
    assert made.endings() == ["failed"]
    counted = b'incomplete_logs_total{reason="timeout",source="disk"} 1.0'
    assert (counted in made.metrics.exposition()) is isinstance(error, Incomplete)


def test_what_was_told_as_missing_is_failed_and_counted():
    made = Made([b"abc"], [Incomplete("corrupt", "x")])
    assert b"".join(made.body) == b"abc"
    made.body.close()
    assert made.endings() == ["failed"]
    assert b'incomplete_logs_total{reason="corrupt",source="disk"} 1.0' in made.metrics.exposition()


def test_an_answer_that_never_began_is_failed():
    made = Made([b"abc"])
    made.body.fail()
    assert made.endings() == ["failed"]
    assert made.sent() == 0
    assert b"requests_in_progress 0.0" in made.metrics.exposition()
