# SPDX-License-Identifier: Apache-2.0
"""The form of the labelled corpus. Its labels are compared in tests/unit/lines/test_recognised."""

import re
from collections import Counter

import pytest

from tests import corpus

#: Colours and the like; what a terminal would not show.
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


def test_no_line_is_there_twice():
    count = Counter(each.line for each in corpus.everything())
    assert [line for line, times in count.items() if times > 1] == []


@pytest.mark.parametrize("name", corpus.families())
def test_time_of_a_line_stands_in_it(name):
    strange = [e.where for e in corpus.family(name) if e.time not in ESCAPES.sub(b"", e.line)]
    assert strange == []
