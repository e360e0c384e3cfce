# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.grammar.native_grammar import NativeGrammar
from tests.renderers import speedups, the_native_core


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("place", b"a(", "unclosed group"),
        ("continuation", b"a(", "error"),
        ("exceptions", [(b"a(", 6)], "error"),
        ("exceptions", [("é".encode("latin-1"), 6)], "outside ASCII"),
        ("severities", [b"NONE"], "no TRACE"),
        ("words", [(b"x" * 17, 1)], "too long"),
        ("tokens", [("s", "verb", b"x", False)], "no such kind of token: verb"),
    ],
)
def test_data_at_fault_is_refused(name, value, told):
    the_native_core()
    data = NativeGrammar()
    setattr(data, name, value)
    with pytest.raises(ValueError, match=told):
        speedups().Grammar(data)
