# SPDX-License-Identifier: Apache-2.0
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from oslogserve import native

CORE = Path(__file__).resolve().parents[2] / "core"
ABSENT = "import sys; sys.modules['oslogserve_core'] = None; from oslogserve.__main__ import main; exit(main())"


@pytest.fixture
def clone(tmp_path):
    """A clone with the module and the core's sources."""
    (tmp_path / "oslogserve").mkdir()
    shutil.copy(native.__file__, tmp_path / "oslogserve")
    (tmp_path / "core").mkdir()
    shutil.copy(CORE / "oslogserve_core.pyi", tmp_path / "core")
    shutil.copytree(CORE / "src", tmp_path / "core/src")
    return tmp_path


def import_from(folder):
    runpy.run_path(folder / "oslogserve/native.py")


def add_line(file):
    with file.open("a") as text:
        text.write("// More.\n")


@pytest.mark.parametrize(
    "name", ["python/merge.rs", "selection/mod.rs", "views/totals.rs", "lib.rs"]
)
def test_a_clone_refuses_a_core_of_another_interface_with_what_to_do(clone, name):
    import_from(clone)
    add_line(clone / "core/src" / name)
    with pytest.raises(ImportError, match=r"whose interface is not that of .*; install .* anew"):
        import_from(clone)


@pytest.mark.parametrize("name", ["merge.rs", "terminal/screen.rs"])
def test_a_clone_takes_a_core_whose_interface_is_the_same(clone, name):
    add_line(clone / "core/src" / name)
    import_from(clone)


def test_an_installed_package_takes_the_core_beside_it_alone(clone, monkeypatch):
    shutil.rmtree(clone / "core")
    with pytest.raises(ImportError, match=r"was not installed together with .*; install .* anew"):
        import_from(clone)
    monkeypatch.setattr(native.core, "__file__", str(clone / "oslogserve_core.so"))
    import_from(clone)


def test_the_command_says_in_a_sentence_that_there_is_no_core():
    done = subprocess.run(
        [sys.executable, "-c", ABSENT], capture_output=True, text=True, check=False
    )
    told = "oslogserve: the native core cannot be used: "
    assert (done.returncode, done.stderr[: len(told)], done.stderr.count("\n")) == (2, told, 1)
