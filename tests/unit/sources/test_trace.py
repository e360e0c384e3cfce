# SPDX-License-Identifier: Apache-2.0
import threading

import pytest

from oslogserve.http.read_ahead import PIECES_WITHOUT_THREAD, ReadAhead
from oslogserve.sources import trace

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_a_traceparent_goes_on_as_it_came():
    assert trace.Trace(PARENT).headers == {"traceparent": PARENT}


@pytest.mark.parametrize(
    "hostile",
    [
        "",
        PARENT.upper(),
        PARENT + "-x",
        PARENT + "\r\nX-Auth-Token: x",
        PARENT + "\n",
        " " + PARENT,
        "01" + PARENT[2:],
        "ff" + PARENT[2:],
        "00-" + "0" * 32 + PARENT[35:],
        PARENT[:36] + "0" * 16 + "-01",
        PARENT.replace("4", "٤"),
        PARENT[:-1],
    ],
)
def test_any_other_traceparent_is_dropped(hostile):
    assert trace.Trace(hostile).headers == {}


@pytest.mark.parametrize(
    ("header", "transaction"),
    [
        ("tx1c2d-006a_FF", "tx1c2d-006a_FF"),
        ("", ""),
        (None, ""),
        ("tx<script>", ""),
        ("tx\n", ""),
        ("t" * 101, ""),
    ],
)
def test_a_transaction_is_an_id_or_nothing(header, transaction):
    assert trace.transaction_of({"x-trans-id": header}) == transaction


def test_threads_that_read_ahead_have_the_requests_trace_and_others_none():
    begun = trace.begin(PARENT)
    seen = []

    def pieces():
        for _ in range(PIECES_WITHOUT_THREAD + 2):
            seen.append((threading.get_ident(), trace.current()))
            yield b"x"

    list(ReadAhead(pieces(), lambda: None))
    assert len({thread for thread, _ in seen}) == 2
    assert {found for _, found in seen} == {begun}
    thread = threading.Thread(target=lambda: seen.append((0, trace.current())))
    thread.start()
    thread.join()
    assert seen[-1][1] is not begun
    assert trace.begin("") is trace.current() is not begun
