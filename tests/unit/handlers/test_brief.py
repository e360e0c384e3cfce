# SPDX-License-Identifier: Apache-2.0
"""The excerpt of a log."""

import gzip
import re

import pytest

from tests.unit.handlers.asking import HTML, Asking

#: A step that failed among others.
LOG = b"".join(
    [
        b"TASK [build] ***\n",
        *[b"compiling part %d of the program\n" % number for number in range(1, 3001)],
        b"ok: [node]\nTASK [test] ***\n",
        *[b"running test %d\n" % number for number in range(1, 2001)],
        b"FAIL: test_sum (tests.Sum)\nAssertionError: 3 != 4\n",
        b'fatal: [node]: FAILED! => {"msg": "non-zero return code"}\n',
        *[b"cleaning part %d\n" % number for number in range(1, 1001)],
    ]
)
FAILED = 3001 + 2 + 2000 + 1


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "logs/run").mkdir(parents=True)
    (tmp_path / "logs/run/a.txt").write_bytes(LOG)
    (tmp_path / "logs/run/b.txt.gz").write_bytes(gzip.compress(LOG))
    (tmp_path / "logs/run/broken.txt.gz").write_bytes(gzip.compress(LOG)[:-9])
    (tmp_path / "logs/run/empty.txt").write_bytes(b"")
    passed = b"".join(line for line in LOG.splitlines(True) if b"3 != 4" not in line)
    (tmp_path / "logs/run/passed.txt").write_bytes(passed)
    return Asking(tmp_path / "logs", index_directory=str(tmp_path / "index"))


@pytest.mark.parametrize("name", ["a.txt", "b.txt.gz"])
@pytest.mark.parametrize("size", [500, 2000, 60_000])
def test_it_has_the_cause_within_the_bytes_and_leads_to_every_line(ask, name, size):
    answer = ask(f"/run/{name}?format=brief&bytes={size}")
    assert answer.status_int == 200
    assert answer.content_type == "text/plain"
    head, *lines = answer.text.splitlines()
    assert head.startswith(
        f"/run/{name}: failed; likely cause at lines {FAILED:,}-{FAILED + 1:,} of 6,006 lines in 'test'"
    )
    assert ">FAIL: test_sum (tests.Sum)" in lines
    assert " AssertionError: 3 != 4" in lines
    assert len(answer.body) <= size
    log = LOG.decode().splitlines()
    number = 0
    for line in lines:
        if marked := re.fullmatch(
            r"(?:\.\.\. [\d,]+ lines? left out: )?\?goto=(\d+)(?:-\d+)?", line
        ):
            number = int(marked[1])
        elif not re.fullmatch(r"\.\.\. [\d,]+ lines? left out", line):
            mark = ">" if number == FAILED else " "
            assert line == mark + log[number - 1]
            number += 1


def test_with_an_origin_each_link_leads_from_anywhere_within_the_bytes(ask):
    origin = "https://logs.example.org"
    answer = ask(f"/run/a.txt?format=brief&bytes=900&origin={origin}")
    assert len(answer.body) <= 900
    assert answer.text.startswith(f"{origin}/run/a.txt: failed; ")
    links = re.findall(r"(\S*)\?goto=\d+", answer.text)
    assert set(links) == {f"{origin}/run/a.txt"}
    other = ask("/run/a.txt?format=brief&bytes=900", If_None_Match=answer.headers["ETag"])
    assert other.status_int == 200


def test_a_link_of_a_run_goes_to_its_lines(ask):
    text = ask("/run/a.txt?format=brief").text
    link = re.search(r"\?goto=\d+-\d+", text)
    answer = ask(f"/run/a.txt{link[0]}", **HTML)
    assert answer.status_int == 302
    numbers = link[0].partition("=")[2].replace("-", "-L")
    assert f"show=L{numbers}" in answer.location


def test_it_is_the_same_with_an_index_and_without(ask, tmp_path):
    log = LOG * 12  # large enough for an index
    (tmp_path / "logs/large.txt").write_bytes(log)
    without = Asking(tmp_path / "logs")
    url = "/large.txt?format=brief&bytes=9000"
    answers = [ask(url).body, ask(url).body, without(url).body]
    assert answers == answers[:1] * 3
    assert ask.counted("indexes_used_total") == {"": 1.0}


def test_a_log_that_is_cut_short_says_so(ask):
    answer = ask("/run/broken.txt.gz?format=brief")
    assert answer.text.splitlines()[-1].startswith("[oslogserve: this log is incomplete here: ")
    assert len(answer.body) <= 2000


def test_an_empty_log_shows_no_failure(ask):
    assert (
        ask("/run/empty.txt?format=brief").text == "/run/empty.txt: shows no failure in 0 lines\n"
    )


def test_new_lines_begin_with_a_plus_in_text(ask):
    head, *lines = ask("/run/a.txt?format=brief&against=run/passed.txt").text.splitlines()
    assert head.endswith("; + is new")
    assert [line for line in lines if line.startswith("+")] == ["+>AssertionError: 3 != 4"]
    assert "  FAIL: test_sum (tests.Sum)" in lines


@pytest.mark.parametrize("size", [500, 2000])
def test_a_comparison_that_failed_is_always_said(ask, size):
    text = ask(f"/run/a.txt?format=brief&bytes={size}&against=run/none.txt").text
    assert re.fullmatch(r"\[oslogserve: .*compared.*\]", text.splitlines()[-1])
    assert "+ is new" not in text


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("format=brief&bytes=499", "bytes takes a whole number from 500 to 1000000"),
        ("format=brief&bytes=1000001", "bytes takes a whole number from 500 to 1000000"),
        ("format=brief&bytes=", "bytes takes a whole number"),
        ("bytes=2000", "bytes is for format=brief and format=markdown."),
        ("format=summary&bytes=2000", "bytes is for format=brief and format=markdown."),
        (
            "format=brief&level=ERROR",
            "level is for other views: format=brief chooses the lines itself",
        ),
        ("format=brief&lines=1-10", "format=brief chooses the lines itself"),
        ("format=brief&chapter=test", "format=brief chooses the lines itself"),
    ],
)
def test_what_it_does_not_take_is_said(ask, query, told):
    answer = ask(f"/run/a.txt?{query}")
    assert answer.status_int == 400
    assert told in answer.text


def test_etags_tell_sizes_apart(ask):
    tags = {ask(f"/run/a.txt?format=brief&bytes={size}").etag for size in (500, 2000)}
    assert len(tags) == 2
    answer = ask("/run/a.txt?format=brief")
    assert ask("/run/a.txt?format=brief", If_None_Match=f'"{answer.etag}"').status_int == 304
