# SPDX-License-Identifier: Apache-2.0
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oslogserve.lines.beginning import bytes_of, may_match

WORD = bytes_of(rb"\w")


@pytest.mark.parametrize(
    ("pattern", "beginning", "answer"),
    [
        (rb"ERROR", [b"E"], True),
        (rb"ERROR", [b"F"], False),
        (rb"E{0,2}F", [b"F"], True),
        (rb"E{3}F", [b"E", b"F"], False),
        (rb"(?:a|bc)d", [b"b", b"c"], True),
        (rb"(?:a|bc)d", [b"b", b"d"], False),
        (rb"[^a-c]x", [b"b"], False),
        (rb"\w+: ", [b"a", WORD, b":"], True),
        (rb"\w+: ", [b"a", WORD, b" "], False),
        (rb"\d{4}-", [b"1", WORD, b"-"], True),
        (rb"(?>(?:\w+\.)*)[A-Z]\w*: ", [b"a", WORD, b"."], True),
        (rb"(?>(?:\w+\.)*)[A-Z]\w*: ", [b"a", WORD, b"="], False),
        (rb"ERROR\Z", [b"E", WORD], True),
        (rb"ERROR\Z", [b"E", WORD, b" "], False),
        (rb"(?=x)y", [b"y"], True),
        (rb"[a-c]x", [(b"c", b"d"), b"x"], True),
        (rb"[a-c]x", [(b"d", b"e"), b"x"], False),
        (rb"\w+ \d{2}", [b"a", WORD, b" ", (b"1", b"2")], True),
        (rb"\w+ \d{2}", [b"a", WORD, b" ", (b"x", b"y")], False),
        (rb"(?:ab|c){2}d", [b"c", b"a"], True),
    ],
)
def test_what_may_match(pattern, beginning, answer):
    assert may_match(pattern, beginning) is answer


PATTERNS = st.recursive(
    st.sampled_from([b"a", b"b", b"[ab]", b"[^a]", rb"\d", rb"\w", b" ", b":"]),
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: b"(?:" + a + b"|" + b + b")", inner, inner),
        st.builds(
            lambda a, times: b"(?:" + a + b")" + times,
            inner,
            st.sampled_from([b"*", b"+", b"?", b"{2}", b"{1,3}", b"*?"]),
        ),
    ),
    max_leaves=6,
)


@given(pattern=PATTERNS, text=st.text(alphabet="ab1 :", max_size=8).map(str.encode))
def test_what_matches_is_never_ruled_out(pattern, text):
    if re.match(pattern, text):
        found = re.match(rb"(.?)\w*(.?)(.?)", text)
        first, *behind = (byte for byte in found.groups() if byte) if text else (b"",)
        for last in (behind[-1:], [(behind[-1], b"x")] if behind else []):
            parts = (first, WORD, *behind[:-1], *last)
            assert may_match(pattern, [part for part in parts if part])
        assert may_match(pattern, [text[at : at + 1] for at in range(len(text))][:2])
