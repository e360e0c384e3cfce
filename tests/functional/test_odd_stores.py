# SPDX-License-Identifier: Apache-2.0
"""Logs with indexes in a store that speaks only some of Swift's language."""

import time

import pytest

from tests.functional.test_lying_swift import CONTAINER, LOG, MD5, SIZE, page, put, row, swift
from tests.servers.faulty import ACCOUNT, Fault, reply
from tests.unit.handlers.asking import Asking

__all__ = ["swift"]

LINES = LOG.splitlines(keepends=True)
FOLDER = "/d/?format=summary"


def asking(swift, tmp_path, **options):
    options = {f"swift_{key}": value for key, value in (swift.settings() | options).items()}
    return Asking("", index_directory=str(tmp_path / "index"), **options)


@pytest.fixture
def folder(swift):
    """A folder of one log."""
    listed = page([row("d/a.txt", bytes=SIZE)])
    swift.answers["GET", CONTAINER] = [page([])]
    for limit, prefix in ((10_000, "d%2F"), (1, "d%2Fa.txt")):
        query = f"format=json&limit={limit}&prefix={prefix}&delimiter=%2F"
        swift.answers["GET", f"{CONTAINER}?{query}"] = [listed]
    swift.answers["HEAD", ACCOUNT] = [reply("204 No Content")]
    put(swift, reply("200 OK", LOG, ETag=MD5), name="d/a.txt")


@pytest.mark.parametrize("status", ["405 No", "403 Forbidden", "500 Broken", "404 Not Found"])
def test_a_folder_is_summarised_where_no_metadata_can_be_had(swift, folder, tmp_path, status):
    put(swift, reply(status), name="d/a.txt", method="HEAD")
    ask = asking(swift, tmp_path)
    for _ in range(2):  # the second time by its index
        summary = ask(FOLDER).json
        assert (summary["complete"], summary["logs"][0]["lines"]) == (True, len(LINES))


def test_a_store_that_hangs_costs_a_log_the_time_of_one_call(swift, folder, tmp_path):
    ask = asking(swift, tmp_path, answer_timeout="1")
    swift.behave(Fault(after=0, then="hold", only=b"/d/a.txt"))
    began = time.monotonic()
    assert ask(FOLDER).json["complete"] is False
    assert 1 <= time.monotonic() - began < 1.8


@pytest.mark.parametrize("url", ["/d/a.txt?format=text&tail=2", "/d/?format=text&tail=2"])
def test_a_log_with_an_index_is_read_where_its_store_sends_no_ranges(swift, folder, tmp_path, url):
    whole = reply("200 OK", Content_Length=SIZE, ETag=MD5)
    put(swift, whole, name="d/a.txt", method="HEAD")
    ask = asking(swift, tmp_path)
    expected = ask(url).body
    ask(FOLDER)
    assert ask.counted("indexes_made_total")
    assert ask(url).body == expected
    assert LINES[-1] in expected
    assert b"incomplete" not in expected
    assert ask.counted("indexes_refused_total") == {'reason="ranges"': 1}
