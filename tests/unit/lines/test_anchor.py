# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.pure.anchor import anchor_of
from oslogserve.lines.pure.escape import escaped


@pytest.mark.parametrize(
    ("when", "anchor"),
    [
        (b"2013-09-27 18:22:11.248", b"_2013-09-27_18_22_11_248"),
        (b"2013-09-27 18:22:11,248", b"_2013-09-27_18_22_11_248"),
        (b"2013-09-27T18:22:11.248", b"_2013-09-27T18_22_11_248"),
        (b"2013-09-27T18:22:11Z", b"_2013-09-27T18_22_11Z"),
        (b"Mar  8 12:20:42", b"_Mar__8_12_20_42"),
        (b"04/Mar/2024:05:06:07 +0000", b"_04/Mar/2024_05_06_07_+0000"),
    ],
)
def test_anchors_are_those_of_the_ancestor(when, anchor):
    assert anchor_of(when) == anchor


def test_an_anchor_needs_no_escaping():
    anchor = anchor_of(bytes(range(256)))
    assert escaped(anchor) == anchor
    assert not set(anchor) & set(b" \t\n\f\r\"'=<>`")
    assert anchor.isascii()
    assert len(anchor) == 257
