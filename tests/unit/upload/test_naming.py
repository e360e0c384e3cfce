# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.sources.swift import Place
from oslogserve.upload.naming import Unstorable
from tests.unit.upload.fakes import naming


def test_a_file_is_named_by_its_path_below_the_prefix():
    assert naming().place(b"a/b.txt") == Place("logs", "42/7/a/b.txt")
    assert naming(prefix=b"").place(b"a/b.txt") == Place("logs", "a/b.txt")


def test_the_first_segment_names_the_container_as_the_server_reads_it():
    parted = naming("logs_{partition}")
    assert parted.place("Grüße.txt".encode()) == Place("logs_42", "7/Grüße.txt")


@pytest.mark.parametrize(
    ("given", "path", "why"),
    [
        (naming(), b"\xff.txt", "UTF-8"),
        (naming("logs_{partition}", b""), b"a.txt", "partition"),
        (naming("{partition}", b""), b"a", "--prefix"),
        (naming(), b"a" * 1020, "1024"),
    ],
)
def test_a_name_that_the_server_could_not_find_is_refused(given, path, why):
    with pytest.raises(Unstorable, match=why):
        given.place(path)


@pytest.mark.parametrize(
    ("container", "prefix", "begin"),
    [
        ("logs", b"42/7", "42/7/"),
        ("logs", b"", ""),
        ("{partition}", b"42/7", "7/"),
        ("{partition}", b"42", ""),
        ("{partition}", b"", ""),
    ],
)
def test_names_begin_with_what_is_below_the_container(container, prefix, begin):
    given = naming(container, prefix)
    assert given.object_prefix == begin
    assert given.place(b"1/2/a.txt").name.startswith(begin)
