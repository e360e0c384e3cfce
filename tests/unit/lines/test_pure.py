# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.pure.renderer import PureRenderer
from oslogserve.lines.selection import Selection, Wanted


@pytest.mark.parametrize("view", ["html", "text", "jsonl"])
def test_what_comes_of_a_piece_is_sent_at_once(view):
    log = b"2013-09-27 18:22:11.248 INFO x\n" * 1000
    wanted = Wanted(view, Selection(level="INFO"))
    whole = b"".join(PureRenderer()([log], wanted))
    sent = [*PureRenderer()([log] * 3, wanted)]
    assert len(sent) == 3
    assert whole.count(b"\n") == 1000
    assert sum(part.count(b"\n") for part in sent) == 3000
