# SPDX-License-Identifier: Apache-2.0
import argparse

import pytest

from oslogserve.config import ConfigError, load
from oslogserve.upload.destination import BadName, Destination, check_options, target_of
from tests.unit.upload.fakes import destination

SWIFT = "[swift]\nauth_version = 1\nauth_url = http://swift\nusername = a\npassword = b\n"
LOGS = "container = logs\n"
STORE = "[store]\nurl = s3://logs/zuul\nanonymous = yes\n"
ARCHIVE = "[store archive]\nurl = gs://old-{partition}\nanonymous = yes\n"


@pytest.fixture
def configured(tmp_path):
    def configure(text):
        (tmp_path / "conf").write_text(text)
        return load(str(tmp_path / "conf"), {})

    return configure


@pytest.mark.parametrize(
    ("text", "name", "chosen"),
    [
        (SWIFT + LOGS, None, "swift"),
        (SWIFT + STORE, None, "store"),
        (ARCHIVE, None, "store archive"),
        (SWIFT + LOGS + STORE, "swift", "swift"),
        (SWIFT + LOGS + STORE + ARCHIVE, "archive", "store archive"),
    ],
)
def test_logs_go_to_the_store_that_is_named_or_to_the_only_one(configured, text, name, chosen):
    assert target_of(configured(text), name).section == chosen


@pytest.mark.parametrize(
    ("text", "name", "sentence"),
    [
        (SWIFT, None, "no container to upload to: give --container, or --config with one"),
        (SWIFT + LOGS + STORE, None, "several .* give --to with one of swift, store$"),
        (STORE + ARCHIVE, "swift", "--to swift: .* give one of store, archive$"),
        ("[swift]\nstorage_url = http://swift/v1\n" + LOGS, None, "storage_url is for reading"),
    ],
)
def test_a_store_that_cannot_be_chosen_is_told(configured, text, name, sentence):
    with pytest.raises(ConfigError, match=sentence):
        target_of(configured(text), name)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"container": "logs"}, "--container: it is of Swift"),
        ({"expire": 86400.0}, "--expire: a bucket has a lifecycle rule"),
        ({"segment_size": 2**20}, "--segment-size: a store like s3:// takes from 5M to 5120M"),
    ],
)
def test_what_a_store_cannot_do_is_refused(configured, given, sentence):
    options = {"container": None, "expire": None, "segment_size": 2**28}
    target = target_of(configured(STORE), None)
    check_options(target, argparse.Namespace(**options))
    with pytest.raises(ConfigError, match=sentence):
        check_options(target, argparse.Namespace(**options | given))


@pytest.mark.parametrize(
    ("text", "prefix", "path", "location", "object_prefix"),
    [
        (STORE, b"42/7", b"a.txt", ("logs", "zuul/42/7/a.txt"), "zuul/42/7/"),
        (STORE, b"", b"a.txt", ("logs", "zuul/a.txt"), "zuul/"),
        (ARCHIVE, b"42/7", b"a.txt", ("old-42", "7/a.txt"), "7/"),
        (ARCHIVE, b"42", b"a.txt", ("old-42", "a.txt"), ""),
    ],
)
def test_a_file_goes_into_the_bucket_where_the_server_looks_for_it(
    configured, text, prefix, path, location, object_prefix
):
    config = configured(text)
    to = Destination(config, target_of(config, None), prefix, 2**28, may_gzip=True)
    assert (to.location(path), to.object_prefix) == (location, object_prefix)


def test_a_name_without_a_partition_is_refused(configured):
    config = configured(ARCHIVE)
    to = Destination(config, target_of(config, None), b"", 2**28, may_gzip=True)
    with pytest.raises(BadName, match=r"archive has no such name: .* \[store archive\] partition"):
        to.location(b"a.txt")


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
