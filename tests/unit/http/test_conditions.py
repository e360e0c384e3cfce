# SPDX-License-Identifier: Apache-2.0
import time

import pytest

from oslogserve.http.conditions import Validator, etag_of
from oslogserve.http.request import Request

TAG = etag_of("disk a")
TIME = 1_000_000_000.7
VALIDATOR = Validator(TAG, TIME)


def date(seconds):
    return dict(Validator(TAG, seconds).headers(False, False))["Last-Modified"]


DATE, LATER, EARLIER = date(TIME), date(TIME + 60), date(TIME - 60)


def request(**headers):
    given = {f"HTTP_{name.upper()}": value for name, value in headers.items() if value is not None}
    return Request({"REQUEST_METHOD": "GET"} | given)


def test_tags_are_quoted_and_differ():
    assert TAG[0] == TAG[-1] == '"'
    assert len({TAG, etag_of("disk b"), etag_of(""), etag_of("\udcff")}) == 4
    assert DATE == "Sun, 09 Sep 2001 01:46:40 GMT"


@pytest.mark.parametrize(
    ("match", "since", "is_unchanged"),
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
def test_unchanged(match, since, is_unchanged):
    asked = request(if_none_match=match, if_modified_since=since)
    assert asked.is_conditional is ((match, since) != (None, None))
    response = VALIDATOR.not_modified(asked, False)
    assert (response is not None) is is_unchanged
    if response is not None:
        assert response.status == "304 Not Modified"
        assert dict(response.headers)["ETag"] == TAG


@pytest.mark.parametrize(
    ("condition", "is_same"),
    [
        (None, True),
        (TAG, True),
        ('"x"', False),
        (f"W/{TAG}", False),
        (DATE, True),
        (LATER, False),
        ("x", False),
    ],
)
def test_a_range_is_of_the_version_that_the_client_has(condition, is_same):
    found = VALIDATOR.byte_range(request(range="bytes=0-1", if_range=condition))
    assert (found is not None) is is_same


def test_without_a_range_there_is_none():
    assert VALIDATOR.byte_range(request(if_range=TAG)) is None


def test_the_tag_of_what_is_compressed_is_weak():
    for is_compressed, expected in ((False, TAG), (True, f"W/{TAG}")):
        assert dict(VALIDATOR.headers(is_compressed, False))["ETag"] == expected
        not_modified = VALIDATOR.not_modified(request(if_none_match="*"), is_compressed)
        assert dict(not_modified.headers)["ETag"] == expected


@pytest.mark.parametrize(
    ("age", "max_age", "expected"),
    [(0, 60, 0), (86_000, 60, 0), (87_000, 60, 60), (87_000, 0, 0), (-60, 60, 0)],
)
def test_a_settled_log_may_be_kept(age, max_age, expected):
    validator = Validator(TAG, time.time() - age, max_age)
    cached = ("Cache-Control", f"max-age={expected}")
    assert cached in validator.headers(False, False)
    assert cached in validator.not_modified(request(if_none_match="*"), False).headers
    assert ("Cache-Control", "no-store") in validator.headers(False, True)
