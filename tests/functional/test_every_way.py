# SPDX-License-Identifier: Apache-2.0
"""Some of what tests/unit/test_every_way.py asks of a disk, asked of Swift and of S3."""

import pytest

from tests.kit.asker import Asker, Way, as_frames, as_members, as_plain
from tests.servers.client import ini
from tests.servers.s3 import ENVIRONMENT, S3
from tests.unit import test_every_way as unit

WAYS = (
    Way("plain", "", as_plain),
    Way(
        "gzip members, with a searched index", ".gz", as_members, "searched", in_job=True, block=200
    ),
    Way("frames of Zstandard, cut anywhere", ".zst", as_frames, piece=5),
)
VIEWS = ("jsonl", "text")


class InSwift:
    """A container of Swift, as a place for logs."""

    def __init__(self, swift, container):
        self._connection = swift.connection()
        self._container = container
        self._connection.put_container(container)
        self._names = set()
        self.config = ini({"swift": swift.settings(container)})

    def put(self, files):
        for name in self._names - set(files):
            self._connection.delete_object(self._container, name)
        for name, stored in files.items():
            self._connection.put_object(self._container, name, stored)
        self._names = set(files)


class InS3:
    """A bucket of S3, as a place for logs."""

    def __init__(self, s3, bucket):
        self._s3 = s3
        self._bucket = bucket
        self._names = set()
        self.config = ini({"store": s3.settings(bucket)})

    def put(self, files):
        for name in self._names - set(files):
            self._s3.client.delete_object(Bucket=self._bucket, Key=name)
        for name, stored in files.items():
            self._s3.put(self._bucket, name, stored)
        self._names = set(files)


@pytest.fixture(scope="module", params=["swift", "s3"])
def asker(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ways")
    if request.param == "swift":
        swift = request.getfixturevalue("swift")
        asker = Asker(folder, lambda own: InSwift(swift, f"every-{own.name}"), WAYS, VIEWS)
        yield asker
        asker.check_indexes()
        return
    with S3(tmp_path_factory.mktemp("s3")) as s3, pytest.MonkeyPatch.context() as environment:
        for name, value in ENVIRONMENT.items():
            environment.setenv(name, value)
        asker = Asker(folder, lambda own: InS3(s3, f"every-{own.name}"), WAYS, VIEWS)
        yield asker
        asker.check_indexes()


@pytest.mark.parametrize(
    ("log", "query", "expected"),
    [
        (unit.ZONES, "since=2026-03-04T18:22:15Z&level=WARNING", [6, 7]),
        (unit.ZONES, "since=2026-03-04T18:22:19Z&show=L5", [5, 8, 9]),
        (unit.TRACEBACKS, "level=ERROR&not=line&context=1&lines=3-12", [3, 4, 9, 10, 11, 12]),
        (unit.WORDS, "q=volume_att&context=1", [19, 20, 21]),
        (unit.BUILD, "chapter=test&since=2026-03-04T18:22:18", [9, 10]),
    ],
)
def test_a_log_has_the_same_lines_as_on_disk(asker, log, query, expected):
    assert asker.ask(log, query).lines == expected


def test_all_that_is_readable_of_a_log_that_was_cut_short_is_found(asker):
    found = asker.ask(unit.ZONES, "since=2026-03-04T18:22:17Z", is_cut=True)
    assert found.lines == [6, 7, 8, 9]
    assert (found.end["complete"], found.end["read_to_end"]) == (False, False)


def test_a_comparison_goes_with_other_filters(asker):
    query = "against=passed/a.txt&new=only&level=ERROR"
    found = asker.ask(unit.FAILED, query, passed={"a.txt": unit.PASSED})
    assert (found.lines, found.end["new"]) == ([5, 6], 2)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("since=2026-03-04T18:22:14Z", "a2 a3 b3 b4 a4"),
        ("q=two&context=1&order=time&since=2026-03-04T18:22:14Z", "a2 a3 b3 b4 a4"),
    ],
)
def test_a_job_has_the_same_lines_as_on_disk(asker, query, expected):
    names = [f"{one[0]}.txt:{one[1]}" for one in expected.split()]
    assert asker.ask_job(unit.JOB, query).lines == names


@pytest.mark.parametrize(("byte_range", "first", "end"), [("50-199", 50, 200), ("-30", -30, None)])
def test_a_range_has_the_same_bytes_as_on_disk(asker, byte_range, first, end):
    size = len(unit.WORDS)
    body = unit.WORDS[first:end]
    begin = first % size
    told = f"bytes {begin}-{begin + len(body) - 1}/{size}"
    assert asker.ask_range(unit.WORDS, byte_range) == (206, told, body)
