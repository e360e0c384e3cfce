# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.bench.samples import Body


@pytest.mark.parametrize("most", [1, 3, 7, 100])
@pytest.mark.parametrize("offset", [0, 4, 6])
def test_a_body_is_its_data_round_and_round_from_its_offset(most, offset):
    body = Body(b"0123456", 20, offset)
    pieces = list(iter(lambda: body.read(most), b""))
    assert b"".join(pieces) == (b"0123456" * 5)[offset:][:20]
    assert max(map(len, pieces)) <= most


def test_a_body_is_sent_again_from_where_libcurl_says():
    body = Body(b"0123456", 10, 3)
    first = body.read(4)
    assert body.seek(0) == 0
    assert body.read(4) == first
    assert body.seek(2) == 0
    assert body.read(2) == first[2:]


def test_an_empty_body_ends_at_once():
    assert Body(b"", 0).read(100) == b""
