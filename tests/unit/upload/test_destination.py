# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.upload.destination import BadName
from tests.unit.upload.fakes import destination


@pytest.mark.parametrize(
    ("container", "prefix", "path", "location"),
    [
        ("logs", b"42/7", "a/b.txt", ("logs", "42/7/a/b.txt")),
        ("logs", b"", "a/b.txt", ("logs", "a/b.txt")),
        ("logs_{partition}", b"42/7", "Grüße.txt", ("logs_42", "7/Grüße.txt")),
        ("{partition}", b"42", "a.txt", ("42", "a.txt")),
        ("{partition}", b"", "42/a.txt", ("42", "a.txt")),
    ],
)
def test_a_file_is_stored_where_the_server_looks_for_it(container, prefix, path, location):
    given = destination(container, prefix)
    assert given.location(path.encode()) == location
    assert location[1].startswith(given.object_prefix)
    assert given.object_prefix in ("", "7/", "42/7/")


@pytest.mark.parametrize(
    ("container", "prefix", "path", "why"),
    [
        ("logs", b"42/7", b"\xff.txt", "UTF-8"),
        ("logs_{partition}", b"", b"a.txt", "partition"),
        ("{partition}", b"", b"a", "--prefix"),
        ("logs", b"42/7", b"a" * 1020, "1024"),
    ],
)
def test_a_name_that_the_server_could_not_find_is_refused(container, prefix, path, why):
    with pytest.raises(BadName, match=why):
        destination(container, prefix).location(path)
