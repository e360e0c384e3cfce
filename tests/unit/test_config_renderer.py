# SPDX-License-Identifier: Apache-2.0
import shutil
from pathlib import Path

import pytest

import oslogserve
from oslogserve.config import load
from oslogserve.config.renderer import digest_of_code, etag_salt


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package, of which the salt is taken."""
    shutil.copytree(Path(oslogserve.__file__).parent, tmp_path / "oslogserve")
    monkeypatch.setattr(oslogserve, "__file__", str(tmp_path / "oslogserve/__init__.py"))
    return tmp_path / "oslogserve"


def salt():
    digest_of_code.cache_clear()
    return etag_salt(load(None, {}))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("lines/renderer.py", True),
        ("templates/log.html", True),
        ("lines/__pycache__/renderer.cpython-311.pyc", False),
    ],
)
def test_the_etags_of_another_build_differ(package, name, changes):
    before = salt()
    (package / name).parent.mkdir(exist_ok=True)
    (package / name).write_text("another")
    assert (salt() != before) == changes
