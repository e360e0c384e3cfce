# SPDX-License-Identifier: Apache-2.0
import shutil
from pathlib import Path
from zlib import crc32

import pytest

from oslogserve import native, salt
from oslogserve.config import load
from oslogserve.salt import salt_of

CORE = Path(__file__).resolve().parents[2] / "core"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package, of which the salts are."""
    copy = tmp_path / "oslogserve"
    shutil.copytree(Path(salt.__file__).parent, copy, ignore=shutil.ignore_patterns("*.pyc"))
    monkeypatch.setattr(salt, "_PACKAGE", copy)
    return copy


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    salt._of_code.cache_clear()


def salts(file=None):
    salt._of_code.cache_clear()
    config = load(file, {})
    return salt_of(config.formats), salt_of(config.formats, of_indexes=True)


@pytest.mark.parametrize(
    "name",
    ["app.py", "pages/log.py", "templates/base.html", "upload/report.py", "lines/excerpt/worth.py"],
)
def test_code_that_makes_no_index_changes_etags_alone(package, name):
    before = salts()
    with (package / name).open("a") as file:
        file.write("\n")
    after = salts()
    assert (before[0] == after[0], before[1] == after[1]) == (False, True)


@pytest.mark.parametrize("name", ["lines/summary.py", "logs/indexes.py", "logs/decode.py"])
def test_code_that_makes_indexes_changes_all_salts(package, name):
    before = salts()
    with (package / name).open("a") as file:
        file.write("\n")
    after = salts()
    assert (before[0] == after[0], before[1] == after[1]) == (False, False)


def test_a_release_that_changes_no_rule_keeps_indexes(monkeypatch):
    before = salts()
    monkeypatch.setattr(salt, "__version__", "99.0")
    after = salts()
    assert (before[0] == after[0], before[1] == after[1]) == (False, True)


def test_a_format_of_the_operator_changes_all_salts(tmp_path):
    file = tmp_path / "x.conf"
    file.write_text("[format a]\npattern = (?P<severity>\\w+)\n")
    before, after = salts(), salts(str(file))
    assert (before[0] == after[0], before[1] == after[1]) == (False, False)


def test_another_core_of_the_same_sources_keeps_indexes(tmp_path, monkeypatch):
    before = salts()
    other = tmp_path / "core.so"
    other.write_bytes(b"built by another compiler")
    monkeypatch.setattr(native, "FILE", other)
    after = salts()
    assert (before[0] == after[0], before[1] == after[1]) == (False, True)


def test_a_core_of_other_sources_changes_all_salts(monkeypatch):
    before = salts()
    monkeypatch.setattr(native, "SOURCES", "01234567")
    assert salts()[1] != before[1]


def test_the_core_says_of_which_sources_it_is():
    """Built on any machine, cores of the same sources say the same: fails too for a core of another checkout."""
    files = [CORE / "Cargo.lock", CORE / "Cargo.toml"]
    files += sorted((CORE / "grammar").glob("*.toml"))
    files += sorted((CORE / "src").rglob("*.rs"), key=lambda path: path.parts)
    texts = [text for file in files for text in (bytes(file.relative_to(CORE)), file.read_bytes())]
    assert f"{crc32(b''.join(texts)):08x}" == native.SOURCES
