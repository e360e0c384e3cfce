# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.compression import encoding_of, plain_name, stored_names, stored_paths


@pytest.mark.parametrize(
    ("name", "plain", "encoding"),
    [
        ("log.txt.gz", "log.txt", "gzip"),
        ("log.txt.zst", "log.txt", "zstd"),
        ("log.zst.gz", "log.zst", "gzip"),
        ("log.txt", "log.txt", ""),
        ("zst", "zst", ""),
        ("a.zst/log", "a.zst/log", ""),
        ("logs\udcff/log.zst", "logs\udcff/log", "zstd"),
        ("", "", ""),
    ],
)
def test_a_suffix_declares_an_encoding_and_is_no_part_of_a_plain_name(name, plain, encoding):
    assert plain_name(name) == plain
    assert encoding_of(name) == encoding_of(name.encode("utf-8", "surrogateescape")) == encoding


def test_a_log_is_looked_for_under_its_name_first():
    assert stored_names("a") == ["a", "a.gz", "a.zst"]
    assert stored_paths(b"a/\xff") == [b"a/\xff", b"a/\xff.gz", b"a/\xff.zst"]
