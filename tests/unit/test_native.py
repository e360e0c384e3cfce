# SPDX-License-Identifier: Apache-2.0
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from oslogserve import __version__, native

RUST = Path(__file__).resolve().parents[2] / "speedups" / "src" / "lib.rs"


def test_a_native_core_that_fits_is_used(monkeypatch):
    core = SimpleNamespace(__version__=__version__, INTERFACE=native.INTERFACE)
    monkeypatch.setitem(sys.modules, "oslogserve_speedups", core)
    assert native._imported() == (core, "")


@pytest.mark.parametrize(
    ("core", "why_not"),
    [
        (
            SimpleNamespace(__version__="0.9", INTERFACE=native.INTERFACE),
            f"is of version 0.9, not {__version__}: install that version",
        ),
        (
            SimpleNamespace(__version__=__version__, INTERFACE=native.INTERFACE + 1),
            f"has interface {native.INTERFACE + 1}, not {native.INTERFACE}: build and install it anew",
        ),
        (
            SimpleNamespace(__version__=__version__),
            f"has interface 0, not {native.INTERFACE}: build and install it anew",
        ),
    ],
)
def test_a_native_core_that_does_not_fit_is_refused_with_what_to_do(monkeypatch, core, why_not):
    monkeypatch.setitem(sys.modules, "oslogserve_speedups", core)
    assert native._imported() == (None, f"oslogserve-speedups {why_not}")


def test_both_sides_have_the_same_interface():
    numbers = re.findall(r"^const INTERFACE: u32 = (\d+);$", RUST.read_text(), re.MULTILINE)
    assert numbers == [str(native.INTERFACE)]
