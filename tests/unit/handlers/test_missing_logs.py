# SPDX-License-Identifier: Apache-2.0
"""Logs of a folder that are damaged, or gone: every answer about the folder says so."""

import gzip
import json
import shutil

import pytest

from oslogserve.ci.reports import MOST_OF_ZUULS
from oslogserve.jobs.job import Jobs
from tests.unit.handlers.asking import HTML, Asking

LOG = b"2013-09-27 18:22:11.248 1 INFO x [-] a needle\n" * 50
PACKED = gzip.compress(LOG, mtime=0)
DAMAGED = {
    "another first byte": b"\7" + PACKED[1:],
    "nothing": b"",
    "one byte": PACKED[:1],
    "zeros": bytes(len(PACKED)),
    "cut short": PACKED[:-4],
    "an archive": b"PK\3\4\0\0\0\0",
}
VIEWS = (
    "format=overview",
    "q=needle&format=text",
    "q=needle&format=html",
    "order=time&format=text",
    "order=time&format=html",
)


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "whole.txt.gz").write_bytes(PACKED)
    return Asking(tmp_path)


@pytest.fixture(params=DAMAGED)
def damaged(request, tmp_path, ask):
    (tmp_path / "job" / "bad.txt.gz").write_bytes(DAMAGED[request.param])
    return ask


@pytest.mark.parametrize("view", VIEWS)
def test_a_damaged_log_is_named_below_the_lines_of_its_folder(damaged, view):
    page = damaged(f"/job/?{view}").text
    assert "bad.txt.gz: the compressed data " in page
    assert page.count("needle") >= 50 or view == "format=overview"


@pytest.mark.parametrize("view", ["q=needle&format=jsonl", "format=summary"])
def test_an_answer_about_a_folder_with_a_damaged_log_is_not_complete(damaged, view):
    end = json.loads(damaged(f"/job/?{view}").text.splitlines()[-1])
    assert end["complete"] is False
    assert [notice.startswith("bad.txt.gz: the compressed data ") for notice in end["notices"]] == [
        True
    ]
    assert not end["skipped"]


@pytest.mark.parametrize("name", ["bad.txt.gz", "bad.txt"])
def test_a_damaged_log_says_so_itself(damaged, name):
    for headers in ({}, HTML):
        answer = damaged(f"/job/{name}", **headers)
        assert answer.content_type == ("text/html" if headers else "text/plain")
        assert "this log is incomplete here: the compressed data " in answer.text
    *_, end = map(json.loads, damaged(f"/job/{name}?format=jsonl").text.splitlines())
    assert (end["complete"], end["read_to_end"]) == (False, False)


def test_text_that_is_called_a_gzip_is_text(tmp_path, ask):
    (tmp_path / "job" / "text.txt.gz").write_bytes(LOG)
    assert ask("/job/text.txt.gz").body == LOG
    end = json.loads(ask("/job/?q=needle&format=jsonl").text.splitlines()[-1])
    assert (end["complete"], end["notices"], end["sent"]) == (True, [], 100)


@pytest.mark.parametrize(
    "view", ["q=needle&format=jsonl", "order=time&format=jsonl", "format=summary"]
)
def test_a_log_that_was_removed_after_it_was_listed_is_told(tmp_path, ask, view, monkeypatch):
    opened = Jobs.open

    def opened_and_removed(*arguments):
        job = opened(*arguments)
        shutil.rmtree(tmp_path / "job")
        return job

    monkeypatch.setattr(Jobs, "open", opened_and_removed)
    end = json.loads(ask(f"/job/?{view}").text.splitlines()[-1])
    assert end["complete"] is False
    assert end["notices"] == ["whole.txt.gz: it was removed after it was listed"]
    assert end["skipped"] == [
        {"name": "whole.txt.gz", "reason": "it was removed after it was listed"}
    ]
    monkeypatch.undo()


def test_the_lowest_level_asks_a_folder_for_all_lines(ask):
    assert ask("/job/?level=NONE&format=text").text.count("whole.txt.gz:") == 50
    assert ask("/job/?level=none&format=html").text.count("needle") == 50
    assert "needle" not in ask("/job/?format=text").text


def test_the_end_of_a_folders_lines_has_the_counts_of_all_logs(tmp_path, ask):
    (tmp_path / "job" / "another.txt").write_bytes(LOG + b"other\n")
    (tmp_path / "job" / "no-log.txt").write_bytes(b"PK\3\4")

    def end(query):
        found = json.loads(ask(f"/job/?format=jsonl&{query}").text.splitlines()[-1])
        return [found[name] for name in ("logs", "lines", "matched", "sent", "read_to_end")]

    assert end("q=needle") == [2, 101, 100, 100, True]
    assert end("q=needle&tail=3&order=time") == [2, 101, 100, 3, True]
    # How far each log was read is up to chance.
    assert end("q=needle&limit=3")[1:] == [None, None, 3, False]


def test_a_summary_of_a_folder_counts_the_lines_that_match_in_each_log(ask):
    [log] = ask("/job/?format=summary&q=needle&limit=1").json["logs"]
    assert (log["lines"], log["matched"], log["read_to_end"]) == (50, 50, True)


@pytest.mark.parametrize("name", ["image.png.gz", "image.png"])
def test_a_file_that_is_no_log_is_sent_as_it_is_although_its_name_says_gzip(tmp_path, ask, name):
    (tmp_path / "job" / "image.png.gz").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    answer = ask(f"/job/{name}")
    assert (answer.content_type, answer.body) == ("image/png", b"\x89PNG\r\n\x1a\n\0\0")


def test_a_damaged_report_is_named_in_what_went_wrong(ask, tmp_path):
    report = tmp_path / "job" / "job-output.json.gz"
    report.write_bytes(b"\7" + gzip.compress(b"[]", mtime=0)[1:])
    assert "job-output.json: the compressed data " in ask("/job/?format=overview").text


def test_a_report_of_which_only_the_beginning_is_read_is_named(ask, tmp_path):
    (tmp_path / "job" / "job-output.json").write_bytes(b" " * (MOST_OF_ZUULS + 1))
    assert "job-output.json: only 8 MiB of it are read" in ask("/job/?format=overview").text


def test_a_folder_of_which_a_log_was_removed_was_not_read_to_its_end(ask, tmp_path, monkeypatch):
    opened = Jobs.open

    def opened_and_removed(*arguments):
        job = opened(*arguments)
        (tmp_path / "job" / "whole.txt.gz").unlink()
        return job

    monkeypatch.setattr(Jobs, "open", opened_and_removed)
    end = json.loads(ask("/job/?q=needle&format=jsonl").text.splitlines()[-1])
    assert (end["complete"], end["read_to_end"]) == (False, False)
