# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.config import load, renderer
from oslogserve.config.renderer import digest_of_code


@pytest.fixture
def package(tmp_path):
    (tmp_path / "lines/__pycache__").mkdir(parents=True)
    (tmp_path / "lines/html.py").write_text("A = 1")
    (tmp_path / "page.html").write_text("<p>")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("lines/html.py", True),
        ("page.html", True),
        ("lines/__pycache__/html.cpython-311.pyc", False),
    ],
)
def test_the_etags_of_another_build_differ(package, name, changes):
    before = digest_of_code.__wrapped__(package)
    (package / name).write_text("another")
    assert (digest_of_code.__wrapped__(package) != before) == changes


def test_an_etag_depends_on_the_whole_package(monkeypatch):
    digested = []
    monkeypatch.setattr(renderer, "digest_of_code", lambda package: digested.append(package))
    renderer.etag_salt(load(None, environ={}))
    assert (digested[0] / "templates/log.html").is_file()
