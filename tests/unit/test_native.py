# SPDX-License-Identifier: Apache-2.0
import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from oslogserve import native

RUST = Path(__file__).resolve().parents[2] / "core/src/lib.rs"
ABSENT = "import sys; sys.modules['oslogserve_core'] = None; from oslogserve.__main__ import main; exit(main())"


def test_a_core_of_another_interface_is_refused_with_what_to_do(monkeypatch):
    older = SimpleNamespace(**vars(native.core) | {"INTERFACE": native.INTERFACE - 1})
    monkeypatch.setitem(sys.modules, "oslogserve_core", older)
    sentence = f"interface {native.INTERFACE - 1}, not {native.INTERFACE}; install oslogserve anew"
    with pytest.raises(ImportError, match=sentence):
        importlib.reload(native)


def test_the_command_says_in_a_sentence_that_there_is_no_core():
    done = subprocess.run(
        [sys.executable, "-c", ABSENT], capture_output=True, text=True, check=False
    )
    told = "oslogserve: the native core cannot be used: "
    assert (done.returncode, done.stderr[: len(told)], done.stderr.count("\n")) == (2, told, 1)


def test_both_sides_have_the_same_interface():
    numbers = re.findall(r"^const INTERFACE: u32 = (\d+);$", RUST.read_text(), re.MULTILINE)
    assert numbers == [str(native.INTERFACE)]
