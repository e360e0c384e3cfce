# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.sources import Context, Trace, transaction_of

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_a_traceparent_goes_on_as_it_came():
    assert Trace(PARENT).headers == {"traceparent": PARENT}


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
    assert Trace(hostile).headers == {}


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
    assert transaction_of({"x-trans-id": header}) == transaction


def test_the_calls_of_a_request_share_one_deadline_until_its_answer_begins(clock):
    context = Context(Trace(PARENT))
    clock.now += 1
    assert context.deadline(20) == 1020
    later = context.anew()
    assert later.trace is context.trace
    assert later.deadline(20) == 1021
    context.answer_begins()
    clock.now += 1
    assert context.deadline(20) == 1022
    assert later.deadline(20) == 1021
