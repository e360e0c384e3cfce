# SPDX-License-Identifier: Apache-2.0

from tests.reference.anchor import anchor_of
from tests.reference.escape import escaped


def test_an_anchor_needs_no_escaping():
    anchor = anchor_of(bytes(range(256)))
    assert escaped(anchor) == anchor
    assert not set(anchor) & set(b" \t\n\f\r\"'=<>`")
    assert anchor.isascii()
    assert len(anchor) == 257
