# SPDX-License-Identifier: Apache-2.0
import tomllib
from pathlib import Path

import pytest

from oslogserve import __version__

SPEEDUPS = Path(__file__).resolve().parents[2] / "speedups"


@pytest.mark.parametrize("name", ["Cargo.toml", "Cargo.lock"])
def test_the_native_core_is_of_the_same_release(name):
    named = tomllib.loads((SPEEDUPS / name).read_text())
    packages = named["package"] if name == "Cargo.lock" else [named["package"]]
    found = {package["name"]: package["version"] for package in packages}
    assert found["oslogserve-speedups"] == __version__
