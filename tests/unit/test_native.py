# SPDX-License-Identifier: Apache-2.0
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from oslogserve import native
from oslogserve.lines.selection import Selection, Wanted

CORE = Path(__file__).resolve().parents[2] / "core"
ABSENT = "import sys; sys.modules['oslogserve_core'] = None; from oslogserve.__main__ import main; exit(main())"
GRAMMAR = native.Grammar([])
POINT = {"stored": 0, "bits": 0, "bit_count": 0, "at": 0, "window": b"\x03\0"}


def renderer(view="summary", **selection):
    return native.Renderer(GRAMMAR, Wanted(view, Selection(**selection)), 0, 4096)


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


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (
            lambda: native.Masks([b"hunter2", b""], []),
            "value 2: it has 4 to 32768 bytes and no line feed",
        ),
        (
            lambda: native.Masks([b"hunter2\n"], []),
            "value 1: it has 4 to 32768 bytes and no line feed",
        ),
        (lambda: native.Merge(2).feed(2, native.MergedRows()), "log: there is no 2"),
        (lambda: native.Merge(2**40), "logs: 1099511627776 is not from 0 to 65536"),
        (lambda: native.Merge(2).run(2**63), "most: 9223372036854775808 is not from 1 to 16777216"),
        (lambda: native.LastRows(2**63), "most: 9223372036854775808 is not from 0 to .*"),
        (lambda: native.Inflater("lzma", 1000), "packing: there is no lzma"),
        (lambda: native.Inflater("gzip", 0), "piece_size: 0 is not from 1 to 16777216"),
        (lambda: native.Inflater.at("zstd", 2**50, POINT), "piece_size: .* is not from 1 to .*"),
        (lambda: native.Inflater.at("gzip", 9, POINT | {"bit_count": 8}), "bit_count: .*"),
        (lambda: native.Inflater.at("gzip", 9, POINT | {"window": b"x"}), "window: .*"),
        (lambda: native.Inflater("gzip", 9).collect_points(0), "interval: 0 is not from 1 to .*"),
        (lambda: renderer().collect_index(0), "interval: 0 is not from 1 to .*"),
        (lambda: renderer("xml"), "no such view: xml"),
        *(
            (lambda given=given: renderer(**given), "a number of lines: .* is not from 0 to .*")
            for given in (
                {"first": 2**64 - 1},
                {"last": 2**63},
                {"tail": 2**63},
                {"limit": 2**63},
                {"context": 2**64 - 1},
                {"after": 2**64 - 1},
                {"show": (b"L7-L%d" % 2**63,)},
            )
        ),
    ],
)
def test_what_the_core_cannot_take_is_refused_with_a_sentence(ask, told):
    with pytest.raises(ValueError, match=f"^{told}$"):
        ask()


@pytest.mark.parametrize("name", ["last", "tail", "limit", "context", "first", "after"])
def test_the_largest_numbers_of_lines_are_taken(name):
    core = renderer("text", **{name: 2**62})
    shown = core.feed(b"a\nb\n") + core.finish()
    assert shown == (b"" if name in {"first", "after"} else b"a\nb\n")


def test_a_summary_gives_its_totals_once():
    core = renderer()
    core.feed(b"ERROR: no a\n")
    core.finish()
    assert core.totals()["cause"]["line"] == 1
    assert core.totals() is None


def test_an_open_file_may_be_asked_for_more_than_it_has(tmp_path):
    (tmp_path / "log").write_bytes(b"a\n")
    found = native.open_beneath(bytes(tmp_path), b"log", 2**62, False)
    assert found["head"] == b"a\n"
