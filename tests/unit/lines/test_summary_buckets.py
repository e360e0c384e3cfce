# SPDX-License-Identifier: Apache-2.0
"""Where the spans of a summary's histogram begin, of both renderers."""

import json

import pytest

from oslogserve.lines.selection import Wanted
from tests import renderers


def first_lines(rendered, log):
    summary = json.loads(b"".join(rendered([log], Wanted("summary"), None)))
    return [bucket["first_line"] for bucket in summary["histogram"]["buckets"]]


def stamped(seconds):
    return b"2026-03-04 18:%02d:%02d.000 1 INFO x [-] y\n" % divmod(seconds, 60)


@pytest.mark.parametrize("rendered", renderers.EACH)
def test_a_span_names_its_first_line(rendered):
    log = b"no time yet\n" + stamped(1) + b"more\n" + stamped(1) + stamped(2) + stamped(3)
    assert first_lines(rendered, log) == [2, 5, 6]


@pytest.mark.parametrize("rendered", renderers.EACH)
def test_spans_that_merge_keep_the_lowest(rendered):
    log = b"".join(map(stamped, range(900)))
    assert first_lines(rendered, log) == list(range(1, 901, 5))


@pytest.mark.parametrize("rendered", renderers.EACH)
def test_a_clock_that_goes_back_does_not_confuse_them(rendered):
    assert first_lines(rendered, stamped(9) + stamped(5) + stamped(9)) == [2, 1]
