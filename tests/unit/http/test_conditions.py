# SPDX-License-Identifier: Apache-2.0
import time

import pytest

from oslogserve.errors import RangeUnsatisfiable
from oslogserve.http import Answer, conditions

TAG = conditions.etag("disk a")
TIME = 1_000_000_000.7
DATE = conditions.last_modified(TIME)
LATER = conditions.last_modified(TIME + 60)
EARLIER = conditions.last_modified(TIME - 60)


def test_tags_are_quoted_and_differ():
    assert TAG[0] == TAG[-1] == '"'
    assert (
        len({TAG, conditions.etag("disk b"), conditions.etag(""), conditions.etag("\udcff")}) == 4
    )
    assert DATE == "Sun, 09 Sep 2001 01:46:40 GMT"


@pytest.mark.parametrize(
    ("match", "since", "unchanged"),
    [
        (TAG, None, True),
        (f'"x", W/{TAG}', None, True),
        ("*", None, True),
        ('"x"', None, False),
        ('"x"', LATER, False),
        (None, DATE, True),
        (None, LATER, True),
        (None, EARLIER, False),
        (None, "no date", False),
        (None, None, False),
    ],
)
def test_unchanged(match, since, unchanged):
    given = {"HTTP_IF_NONE_MATCH": match, "HTTP_IF_MODIFIED_SINCE": since}
    environ = {name: told for name, told in given.items() if told is not None}
    assert conditions.is_conditional(environ) is bool(environ)
    assert conditions.is_unchanged(environ, TAG, TIME) is unchanged


@pytest.mark.parametrize(
    ("asked", "condition", "size", "span"),
    [
        (None, None, 10, None),
        ("bytes=0-0", None, 10, (0, 1)),
        ("bytes=2-", None, 10, (2, 10)),
        ("bytes=-3", None, 10, (7, 10)),
        ("bytes=-10", None, 10, (0, 10)),
        ("bytes=-11", None, 10, (0, 10)),
        ("bytes=5-99", None, 10, (5, 10)),
        ("bytes=0-1", None, None, None),
        ("lines=0-1", None, 10, None),
        ("bytes=0-1,3-4", None, 10, None),
        ("bytes=0-1", TAG, 10, (0, 2)),
        ("bytes=0-1", '"x"', 10, None),
        ("bytes=0-1", DATE, 10, (0, 2)),
        ("bytes=0-1", LATER, 10, None),
        ("bytes=0-1", "x", 10, None),
    ],
)
def test_spans(asked, condition, size, span):
    given = {"HTTP_RANGE": asked, "HTTP_IF_RANGE": condition}
    environ = {name: told for name, told in given.items() if told is not None}
    environ["REQUEST_METHOD"] = "GET"
    assert conditions.span(environ, size, TAG, TIME) == span
    if size is not None:
        assert conditions.asks_for_part(environ, TAG, TIME) is (span is not None)


def test_a_weak_tag_is_of_no_part():
    environ = {"REQUEST_METHOD": "GET", "HTTP_RANGE": "bytes=0-1", "HTTP_IF_RANGE": f"W/{TAG}"}
    assert not conditions.asks_for_part(environ, TAG, TIME)
    assert conditions.span(environ, 10, TAG, TIME) is None


def test_a_part_has_the_strong_tag_whatever_the_whole_has():
    answer = Answer("200 OK", [("ETag", f"W/{TAG}"), ("Vary", "Accept")])
    conditions.make_part(answer, (2, 5), 10)
    assert answer.status == "206 Partial Content"
    told = [("ETag", TAG), ("Vary", "Accept"), ("Content-Range", "bytes 2-4/10")]
    assert answer.headers == told


def test_a_span_outside_is_refused():
    with pytest.raises(RangeUnsatisfiable):
        conditions.span({"REQUEST_METHOD": "GET", "HTTP_RANGE": "bytes=10-"}, 10, TAG, TIME)
    assert conditions.content_range((2, 5), 10) == ("Content-Range", "bytes 2-4/10")


def test_a_range_of_thousands_of_digits_is_ignored():
    environ = {"REQUEST_METHOD": "GET", "HTTP_RANGE": "bytes=" + "9" * 5000 + "-"}
    assert conditions.span(environ, 10, '"tag"', 0) is None


@pytest.mark.parametrize("asked", ["0-", "0-5", "-5", "-0"])
def test_nothing_has_no_part(asked):
    with pytest.raises(RangeUnsatisfiable):
        conditions.span({"REQUEST_METHOD": "GET", "HTTP_RANGE": f"bytes={asked}"}, 0, TAG, TIME)


def test_the_last_zero_bytes_cannot_be_had():
    environ = {"REQUEST_METHOD": "GET", "HTTP_RANGE": "bytes=-0"}
    with pytest.raises(RangeUnsatisfiable):
        conditions.span(environ, 10, TAG, TIME)


def test_a_range_is_for_get_alone():
    environ = {"REQUEST_METHOD": "HEAD", "HTTP_RANGE": "bytes=1-2"}
    assert conditions.span(environ, 10, TAG, TIME) is None


@pytest.mark.parametrize(
    ("age", "max_age", "told"),
    [(0, 60, 0), (86_000, 60, 0), (87_000, 60, 60), (87_000, 0, 0), (-60, 60, 0)],
)
def test_a_log_at_rest_may_be_kept(age, max_age, told):
    expected = ("Cache-Control", f"max-age={told}")
    assert conditions.cache_control(time.time() - age, max_age, False) == expected
    no_store = ("Cache-Control", "no-store")
    assert conditions.cache_control(time.time() - age, max_age, True) == no_store
