# SPDX-License-Identifier: Apache-2.0
import os
import re
import time

import pytest
import webob
from oslogserve.http.response import Representation, Response

from oslogserve.errors import Incomplete
from oslogserve.http.body import Body, ServerTiming
from oslogserve.http.request import Request
from oslogserve.metrics import Metrics


class Sent(Representation):
    source, stored_size = "disk", 9


class Made:
    def __init__(self, pieces, missing=()):
        self.metrics = Metrics()
        self.metrics["requests_in_progress"].inc()
        self.closed = 0
        response = Response(
            "200 OK", [], pieces, Sent([], view="text", missing=list(missing)), self.close
        )
        self.noted = []
        note = lambda *of: self.noted.append(of)
        self.body = Body(response, self.metrics, time.perf_counter(), note)
        self.response = response

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
    [(response, ended)] = made.noted
    assert response is made.response
    assert (ended.ending, ended.sent) == ("complete", 5)
    assert 0 < ended.first_byte <= ended.seconds
    assert b"requests_in_progress 0.0" in made.metrics.exposition()


@pytest.mark.parametrize("read", [0, 1])
def test_a_client_that_left_is_aborted(read):
    made = Made([b"abc", b"de"])
    for _ in range(read):
        next(made.body)
    made.body.close()
    assert made.closed == 1
    assert made.endings() == ["aborted"]
    [(_, ended)] = made.noted
    assert (ended.first_byte is None) == (read == 0)
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


# The times


def request(**headers):
    return Request(webob.Request.blank("/a.txt", headers=headers).environ)


def test_each_source_is_named_in_the_order_in_which_it_was_asked_and_then_the_beginning():
    timing = ServerTiming(time.perf_counter() - 0.5)
    timing.add("disk", "miss", 0.000041)
    timing.add("swift", "hit", 0.0123)
    [(name, value)] = timing.headers(request())
    assert name == "Server-Timing"
    assert value.startswith("disk;dur=0.041;desc=miss, swift;dur=12.300;desc=hit, begin;dur=")
    assert 500 <= float(value.rpartition("=")[2]) < 60_000


def test_a_response_without_a_source_has_no_times():
    assert ServerTiming(0).headers(request()) == []


def test_the_worker_is_named_only_to_a_client_that_asks():
    headers = ServerTiming(0).headers(request(**{"Log-Worker": "?"}))
    assert headers == [("Log-Worker", str(os.getpid()))]
    assert re.fullmatch("[0-9]+", headers[0][1])
