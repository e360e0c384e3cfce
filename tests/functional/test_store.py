# SPDX-License-Identifier: Apache-2.0
"""`[store]`: logs in buckets of a server that answers like S3."""

import gzip
import json
import multiprocessing
import re
import shutil
import sys
from urllib.parse import quote

import pytest

from oslogserve.cli import main
from oslogserve.errors import SourceError
from oslogserve.sources import WantedEntries
from oslogserve.sources.store.services import S3 as S3Service
from tests.servers.client import ask, ini, metric
from tests.servers.gunicorn import Gunicorn
from tests.servers.s3 import ENVIRONMENT, S3
from tests.servers.stores import reading

LINE = b"2024-03-28 12:20:43.570 1 ERROR nova.compute [-] A line like any other\n"
LOG = LINE * 4000
ODD_NAMES = (
    *("a b.txt", "what?.txt", "C#.txt", "100%.txt", "a+b&c=d;e.txt", "%2e%2e.txt"),
    *("Grüße 日本語.txt", "back\\slash.txt", "q'\"<>.txt", "a\ttab.txt"),
)
#: A run of the demo that failed.
JOB = "57/123457/3/check/smoke/5e0d1a9"
VIEWS = ("format=text", "format=jsonl", "format=summary", "level=ERROR", "q=failed", "tail=20")


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    with S3(tmp_path_factory.mktemp("s3")) as s3:
        yield s3


@pytest.fixture(scope="module")
def root(demo, tmp_path_factory):
    """A folder with a job's logs, packed and not, and with odd names."""
    root = tmp_path_factory.mktemp("disk")
    shutil.copytree(demo / JOB, root / "job")
    (root / "long.txt").write_bytes(LOG)
    (root / "packed.txt.gz").write_bytes(gzip.compress(LOG))
    (root / "cut.txt.gz").write_bytes(gzip.compress(LOG)[:-20])
    (root / "empty.txt").write_bytes(b"")
    for name in ODD_NAMES:
        (root / "odd").mkdir(exist_ok=True)
        (root / "odd" / name).write_bytes(name.encode())
    return root


@pytest.fixture(scope="module")
def server(s3, root):
    s3.upload(root, "logs")
    s3.put("other", "deep/only.txt", LOG)
    sections = {
        "disk": {"root": root},
        "store": s3.settings("logs"),
        "store other": s3.settings("other/deep"),
    }
    with Gunicorn(ini(sections), env=ENVIRONMENT) as server:
        yield server


def from_each(server, path, query=""):
    """The answers of disk and store, without their names."""
    answers = [ask(server, f"{path}?{query}&source={name}") for name in ("disk", "store")]
    bodies = [answer.body.replace(b"source=store", b"source=disk") for answer in answers]
    return answers, bodies


@pytest.mark.parametrize("view", VIEWS)
def test_a_log_is_the_same_from_disk_and_from_a_store(server, root, view):
    logs = [path for path in (root / "job").rglob("*") if path.is_file()]
    names = [str(path.relative_to(root)) for path in logs]
    for name in ["long.txt", "packed.txt", "cut.txt", "empty.txt", *names]:
        answers, (of_disk, of_store) = from_each(server, f"/{quote(name)}", view)
        assert answers[0].status == answers[1].status
        assert of_disk == of_store


@pytest.mark.parametrize("view", ["format=summary", "format=overview", "format=jsonl", "q=failed"])
def test_a_job_is_the_same_from_disk_and_from_a_store(server, view):
    answers, (of_disk, of_store) = from_each(server, "/job/", view)
    assert [answer.status for answer in answers] == [200, 200]
    of_disk, of_store = (re.sub(rb'"modified": "[^"]*"', b"", body) for body in (of_disk, of_store))
    assert of_disk.replace(b'"disk"', b'"store"') == of_store


@pytest.mark.parametrize("folder", ["/", "/job/", "/odd/"])
def test_a_listing_is_the_same_from_disk_and_from_a_store(server, folder):
    found = [json.loads(answer.body) for answer in from_each(server, folder, "format=json")[0]]
    sizes = [
        [(row["name"], row["size"]) for row in listing["entries"] if row["size"] is not None]
        for listing in found
    ]
    names = [[row["name"] for row in listing["entries"]] for listing in found]
    assert names[0] == names[1]
    assert sizes[0] == sizes[1]
    assert found[1]["complete"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_name_that_must_be_quoted_is_found(server, name):
    assert ask(server, f"/odd/{quote(name)}?source=store&format=raw").body == name.encode()


def test_a_missing_log_is_not_found(server):
    assert ask(server, "/none.txt?source=store").status == 404
    assert ask(server, "/job?source=store").headers["Location"] == "./job/?source=store"


def test_a_second_store_is_asked_after_the_first_one_and_by_its_name(server):
    assert ask(server, "/only.txt?format=text").body == LOG
    assert ask(server, "/only.txt?format=text&source=other").body == LOG
    assert ask(server, "/only.txt?source=store").status == 404
    listing = json.loads(ask(server, "/?format=json").body)
    row = next(row for row in listing["entries"] if row["name"] == "only.txt")
    assert row["sources"] == ["other"]
    assert ask(server, "/only.txt?source=third").status == 400
    assert metric(server, "oslogserve_source_open_seconds_count", source="other", outcome="hit") > 0


def test_a_range_of_a_stored_log_is_sent(server):
    answer = ask(server, "/long.txt?source=store&format=raw", Range="bytes=71-141")
    assert (answer.status, answer.body) == (206, LINE)


def test_objects_with_an_encoding_are_read_by_it(server, s3):
    s3.put("logs", "encoded.txt", gzip.compress(LOG), ContentEncoding="gzip")
    assert ask(server, "/encoded.txt?format=text&source=store").body == LOG
    stored = ask(server, "/encoded.txt?format=raw&source=store", Accept_Encoding="gzip")
    assert gzip.decompress(stored.body) == LOG


def test_markers_of_folders_are_no_logs(server, s3):
    s3.put("logs", "marked/", b"")
    s3.put("logs", "zuul", b"", ContentType="application/directory")
    assert ask(server, "/marked?source=store").headers["Location"] == "./marked/?source=store"
    assert ask(server, "/zuul?source=store").headers["Location"] == "./zuul/?source=store"
    assert json.loads(ask(server, "/marked/?format=json&source=store").body)["entries"] == []


def source(s3, place, **options):
    return reading(**s3.settings(place) | options)


@pytest.fixture
def credentials(monkeypatch):
    for name, text in ENVIRONMENT.items():
        monkeypatch.setenv(name, text)


def failure_of(call):
    with pytest.raises(SourceError) as failed:
        call()
    return str(failed.value)


def test_check_config_says_how_each_store_answers(s3, credentials, tmp_path, capfd):
    s3.put("there", "a.txt", LOG)
    sections = {"store": s3.settings("none/folder"), "store b": s3.settings("there")}
    (tmp_path / "conf").write_text(ini(sections))
    assert main(["check-config", str(tmp_path / "conf")]) == 1
    shown = capfd.readouterr().out
    assert shown.endswith("# store: there is no such bucket (s3://none/folder)\n# b: ok\n")
    assert not re.search("secret of the tests|AKIA", shown)


def test_a_bucket_that_is_missing_is_told(s3, credentials):
    with source(s3, "none/folder") as opened:
        assert failure_of(opened.check) == "there is no such bucket"
        assert failure_of(lambda: opened.open(b"a.txt")) == "there is no such bucket"
    with source(s3, "none-{partition}") as opened:
        opened.check()
        assert opened.open(b"part/a.txt") is None
        assert opened.entries(b"part") is None


def test_credentials_that_are_missing_are_told(s3, monkeypatch, tmp_path):
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    with source(s3, "logs") as opened:
        assert failure_of(opened.check) == "no credentials are found"


def test_a_public_bucket_is_read_without_credentials(server, s3):
    s3.put("public", "log.txt", LOG, ACL="public-read")
    s3.put("public", "own.txt", LOG)
    s3.client.put_bucket_acl(Bucket="public", ACL="public-read")
    with source(s3, "public", anonymous="yes") as opened:
        opened.check()
        assert b"".join(opened.open(b"log.txt")) == LOG
        assert opened.open(b"none.txt") is None
        assert failure_of(lambda: opened.open(b"own.txt")) == "status 403"


def test_a_store_that_is_made_before_a_fork_works_after_it(s3, credentials):
    """As with gunicorn's preload_app: nothing is connected, and no thread begins, before a request."""
    s3.put("logs", "forked.txt", LOG)
    with source(s3, "logs") as opened:

        def read():
            sys.exit(b"".join(opened.open(b"forked.txt")) != LOG)

        child = multiprocessing.get_context("fork").Process(target=read)
        child.start()
        child.join(20)
        assert child.exitcode == 0
        assert b"".join(opened.open(b"forked.txt")) == LOG


def test_a_part_of_the_path_may_be_a_part_of_the_buckets_name(s3, credentials):
    s3.put("logs-ab", "folder/log.txt", LOG)
    with source(s3, "logs-{partition}/folder") as opened:
        assert b"".join(opened.open(b"ab/log.txt")) == LOG
        assert [entry.name for entry in opened.entries(b"ab")] == [b"log.txt"]
        assert opened.open(b"ab/../x") is None


@pytest.mark.parametrize("page", [1, 2, 3, 7])
def test_a_listing_is_complete_across_pages(s3, credentials, monkeypatch, page):
    names = [f"f{n:02}" for n in range(6)] + ["f02/a", "f02/b", "f02/c", "f02.x", "ü", "z/1", "z/2"]
    for name in names:
        s3.put("paged", f"folder/{name}", b"")
    monkeypatch.setattr(S3Service, "page_size", page)
    expected = sorted({name.encode().partition(b"/")[0] + b"/" * ("/" in name) for name in names})
    with source(s3, "paged/folder") as opened:
        assert [entry.name for entry in opened.entries(b"")] == expected
        for first in (*expected, b"f02-", b"f02/\xff", "ü".encode() + b"\xff", b"zz"):
            rest = [entry.name for entry in opened.entries(b"", WantedEntries(first))]
            assert rest == [name for name in expected if name >= first]
        assert opened.entries(b"none", WantedEntries(b"f02")) is None


def test_a_store_is_measured_beside_the_disk(server, capsys):
    options = "--sources", "disk,store", "--requests", "2", "--json"
    assert main(["bench", "get", *options, f"{server.url}/long.txt"]) == 0
    assert json.loads(capsys.readouterr().out)["setup"]["sources"] == "disk, store"
