# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.sources.disk import Disk
from oslogserve.sources.dot_files import WithoutDotFiles
from tests.unit.handlers.asking import Asking

HIDDEN = [".env", ".git/config", ".git", "job/.htaccess", "job/.git/hooks/x", "..a", ".a.txt"]
SHOWN = ["a.txt", "job/a.", "job/a.b/c.txt"]


@pytest.fixture
def root(tmp_path):
    for name in (*HIDDEN, *SHOWN):
        path = tmp_path / name
        if name != ".git":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"line\n")
    (tmp_path / ".packed.gz").write_bytes(b"line\n")
    return tmp_path


@pytest.mark.parametrize("name", [*HIDDEN, ".packed", ".none"])
def test_a_dot_file_is_as_if_it_were_not_there(root, name):
    source = WithoutDotFiles(Disk(str(root), 10))
    assert source.open(name.encode()) is None
    assert source.entries(name.encode()) is None
    ask = Asking(root)
    assert ask(f"/{name}").status_int == ask(f"/{name}/").status_int == 404
    assert ask(f"/{name}").body == ask("/none").body


@pytest.mark.parametrize("name", SHOWN)
def test_other_dots_hide_nothing(root, name):
    assert Asking(root)(f"/{name}").body == b"line\n"


def test_a_listing_names_no_dot_file_unless_they_are_served(root):
    assert names(Asking(root)) == ["a.txt", "job/"]
    every = Asking(root, serve_dot_files="yes")
    assert {".env", ".git/", "a.txt"} <= set(names(every))
    assert every("/.git/config").body == b"line\n"


def names(ask):
    return [entry["name"] for entry in ask("/?format=json").json["entries"]]
