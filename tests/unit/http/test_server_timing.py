# SPDX-License-Identifier: Apache-2.0
import os
import re
import time

import webob

from oslogserve.http.request import Request
from oslogserve.http.server_timing import ServerTiming


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
