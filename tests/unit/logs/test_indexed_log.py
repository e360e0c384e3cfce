# SPDX-License-Identifier: Apache-2.0
import gzip
import json
import os
import random
import re

import pytest

from oslogserve.logs.blocks import INTERVAL, MOST_BLOCKS, interval_of
from oslogserve.logs.indexes import Indexes, LogIndex
from tests.fuzz import indexes as fuzz
from tests.kit.packing import frame, stored_as
from tests.kit.small import small_indexes
from tests.unit.handlers.asking import Asking, plain

LOG = b"".join(
    b"2013-09-27 18:%02d:%02d.248 %s nova.api [-] request %d took %d ms\n"
    % (*divmod(number // 4, 60), b"ERROR" if number % 10_000 == 500 else b"INFO", number, number**3)
    for number in range(14_400)
)


@pytest.fixture(params=["a.txt", "a.txt.gz", "a.txt.zst"])
def log(request, tmp_path):
    """A log of 14,400 lines in many blocks."""
    (tmp_path / "logs").mkdir()
    path = tmp_path / "logs" / request.param
    path.write_bytes(stored_as(path.name, LOG))
    os.utime(path, (1.4e9, 1.4e9))
    with small_indexes(8000, 4096):
        yield path


def asking(log, **options):
    index = str(log.parents[1] / "index")
    return Asking(log.parent, index_directory=index, serve_chunk_size="4096", **options)


def unread(ask):
    return sum(ask.counted("index_unread_bytes_total").values())


def test_a_summary_makes_an_index_and_the_next_one_reads_nothing(log):
    ask = asking(log)
    first, second = ask("/a.txt?format=summary"), ask("/a.txt?format=summary")
    assert first.body == second.body
    assert json.loads(second.body)["lines"] == 14_400
    assert ask.counted("indexes_made_total") == {"": 1}
    assert ask.counted("indexes_used_total") == {"": 1}
    assert unread(ask) == log.stat().st_size


@pytest.mark.parametrize(
    ("query", "most"),
    [
        ("format=text&tail=10", 0.1),
        ("format=text&lines=9000-9020", 0.1),
        ("format=jsonl&level=ERROR", 0.3),
        ("format=html&level=ERROR&context=3", 0.4),
        ("format=text&since=2013-09-27T18:59:30", 0.1),
        ("format=html&after=14000", 0.1),
        ("format=jsonl&after=14000&level=INFO&context=2", 0.1),
        ("format=text&after=14000&not=took 8", 0.1),
        ("goto=14390", 0.1),
    ],
)
def test_an_answer_reads_only_the_blocks_that_it_needs(log, query, most):
    expected = Asking(log.parent, serve_chunk_size="4096")(f"/a.txt?{query}")
    ask = asking(log)
    ask("/a.txt?format=summary")
    found = ask(f"/a.txt?{query}")
    assert (found.status, plain(found), found.location) == (
        *(expected.status, plain(expected), expected.location),
    )
    size = log.stat().st_size
    if not query.startswith("goto"):
        assert size - unread(ask) < most * size


def test_the_first_search_learns_which_words_the_blocks_have(log):
    ask = asking(log)
    ask("/a.txt?format=summary")
    for query in ("request 9000 took", "absent"):
        expected = Asking(log.parent)(f"/a.txt?format=text&q={query}")
        assert ask(f"/a.txt?format=text&q={query}").body == expected.body
    assert unread(ask) > 0.9 * log.stat().st_size


def test_a_search_that_ends_early_learns_nothing(log):
    ask = asking(log)
    ask("/a.txt?format=summary")
    ask("/a.txt?format=text&q=took&limit=3")
    assert ask.counted("indexes_made_total") == {"": 1}


def test_a_full_page_counts_the_lines_behind_it_without_reading_them(log):
    ask = asking(log, serve_page_size="4096")
    ask("/a.txt?format=summary")
    page = ask("/a.txt?format=html").text
    assert (
        page
        == Asking(log.parent, serve_chunk_size="4096", serve_page_size="4096")(
            "/a.txt?format=html"
        ).text
    )
    assert unread(ask) > 0.8 * log.stat().st_size


@pytest.mark.parametrize(
    "query",
    [
        *("level=INFO", "level=ERROR&context=1", "q=request 14", "not=took 8", "lines=7000-"),
        *("after=5", "show=L14001", "since=2013-09-27T18:50", "until=2013-09-27T18:50"),
        *("against=passed.txt", "against=passed.txt&level=INFO", "against=passed.txt&new=only"),
    ],
)
def test_a_full_page_tells_the_same_of_the_lines_behind_it_as_without_an_index(log, query):
    (log.parent / "passed.txt").write_bytes(LOG[:4096])
    ask, url = asking(log, serve_page_size="4096"), f"/a.txt?format=html&{query}"
    ask("/a.txt?format=summary")
    assert (
        ask(url).text
        == Asking(log.parent, serve_chunk_size="4096", serve_page_size="4096")(url).text
    )
    assert ask.counted("indexes_used_total") == {"": 1}


def test_a_full_page_names_the_first_line_of_each_severity_behind_it(log):
    record = b"2013-09-27 18:%02d:00.248 %sx\n  follows\n"
    behind = record % (58, b"ERROR ") + record % (59, b"")
    log.write_bytes(stored_as(log.name, LOG + behind))
    os.utime(log, (1.4e9, 1.4e9))
    ask, url = asking(log, serve_page_size="4096"), "/a.txt?format=html"
    ask("/a.txt?format=summary")
    assert (
        ask(url).text
        == Asking(log.parent, serve_chunk_size="4096", serve_page_size="4096")(url).text
    )


def read(ask):
    return sum(ask.counted("source_read_bytes_sum").values())


@pytest.fixture
def job(log):
    """The same log beside a second one, and what is asked: both have an index with words."""
    other = log.with_name("b.txt")
    other.write_bytes(LOG)
    os.utime(other, (1.4e9, 1.4e9))
    ask = asking(log)
    ask("/?format=summary")
    ask("/?format=text&q=absent")
    return ask


@pytest.mark.parametrize("query", ["format=summary", "format=text&q=absent", "level=CRITICAL"])
def test_a_job_reads_nothing_of_logs_whose_indexes_answer(log, job, query):
    before = read(job)
    found = job(f"/?{query}")
    assert plain(found) == plain(Asking(log.parent)(f"/?{query}"))
    assert read(job) == before


def test_a_log_that_an_overview_opens_twice_counts_as_unread_once(log, job):
    before, size = unread(job), sum(path.stat().st_size for path in log.parent.iterdir())
    assert "nova.api" in job("/?format=overview").text
    assert unread(job) == before + size


def test_logs_that_are_read_to_their_ends_count_as_read(log, job):
    before = unread(job)
    found = job("/?format=text")
    assert found.body == Asking(log.parent)("/?format=text").body
    assert unread(job) == before


def test_an_index_makes_no_log_of_a_document(log):
    page = log.with_name("page.html")
    page.write_bytes(b"<!doctype html>\n" + LOG)
    os.utime(page, (1.4e9, 1.4e9))
    ask = asking(log)
    ask("/page.html?format=summary")
    assert ask.counted("indexes_made_total") == {"": 1}
    found = ask("/?format=jsonl&tail=1").text
    assert found == Asking(log.parent)("/?format=jsonl&tail=1").text
    assert '{"name": "page.html", "reason": "it is text/html; charset=utf-8"}' in found


def test_a_log_that_is_removed_once_its_index_was_found_breaks_off(log, job, monkeypatch):
    find = Indexes.find

    def found(self, opened):
        index = find(self, opened)
        log.unlink(missing_ok=True)
        return index

    monkeypatch.setattr(Indexes, "find", found)
    *_, end = map(json.loads, job("/?format=jsonl&tail=1&logs=a.*").text.splitlines())
    assert end["complete"] is False


UNTIMED = b"without a time\n" * 900


@pytest.mark.parametrize(
    "query",
    [
        "level=ERROR",
        "level=ERROR&context=2",
        "since=2013-09-27T18:59:30",
        "moment=b.txt:9000&since=2013-09-27T18:55:30&until=2013-09-27T18:55:32",
    ],
)
@pytest.mark.parametrize("above", [b"", UNTIMED, UNTIMED + UNTIMED])
def test_logs_that_are_merged_by_time_are_read_by_their_indexes(log, query, above):
    other = log.with_name("b.txt")
    other.write_bytes(above + LOG.replace(b":00.248", b":00.999"))
    os.utime(other, (1.4e9, 1.4e9))
    url = f"/?order=time&format=text&{query}"
    ask = asking(log)
    ask("/?format=summary")
    assert ask(url).text == Asking(log.parent)(url).text
    assert unread(ask) > 0.6 * (log.stat().st_size + other.stat().st_size)


@pytest.mark.parametrize(
    ("first", "end"),
    [(0, 1), (0, 9000), (500_000, 500_001), (700_000, 720_000), (len(LOG) - 9, None)],
)
def test_a_range_of_the_text_reads_only_its_blocks(log, first, end):
    ask = asking(log)
    ask("/a.txt?format=summary")
    before = unread(ask)
    last = "" if end is None else end - 1
    answer = ask("/a.txt?format=text", Range=f"bytes={first}-{last}")
    assert (answer.status_int, answer.body) == (206, LOG[first:end])
    assert answer.headers["Content-Range"] == f"bytes {first}-{(end or len(LOG)) - 1}/{len(LOG)}"
    if log.suffix == ".gz":
        assert unread(ask) - before > 0.85 * log.stat().st_size


RECORDS = b"".join(
    b"2026-03-04 18:%02d:17.000 1 ERROR nova [-] failed\nTraceback (most recent call last):\n  File f.py\n"
    b"ValueError: no\n18:%02d:18 there\n  more\nImage creation date:\nTue Dec  5 20:11:19 UTC 2017\n"
    % (minute, minute)
    for minute in range(60)
)


@pytest.mark.parametrize(
    "query",
    [
        *("", "level=ERROR", "level=ERROR&context=3", "q=no&context=9", "not=more&level=INFO"),
        *("since=2026-03-04T18:40", "since=2026-03-04T18:40&context=2", "lines=400-&level=ERROR"),
    ],
)
@pytest.mark.parametrize("made", [False, True], ids=["read", "indexed"])
def test_lines_behind_a_number_are_those_of_the_whole_log(log, query, made):
    log.write_bytes(stored_as(log.name, RECORDS))
    os.utime(log, (1.4e9, 1.4e9))

    def lines(behind=""):
        address = f"/a.txt?{behind}{query}"
        page, rows = (plain(ask(f"{address}&format={view}")) for view in ("html", "jsonl"))
        items = re.findall(rb"<li[^>]*? id=L(\d+)>", page), re.findall(rb"<li[^>]*? id=L.*>", page)
        shown = {int(number): item.split(b">", 1)[0] for number, item in zip(*items, strict=True)}
        return shown, [row for row in map(json.loads, rows.splitlines()) if "line" in row]

    with small_indexes(300, 64):
        ask = asking(log)
        if made:
            ask("/a.txt?format=summary")
        shown, rows = lines()
        assert shown
        for after in range(1, 481, 59):
            behind = {number: item for number, item in shown.items() if number > after}
            assert lines(f"after={after}&") == (
                behind,
                [row for row in rows if row["line"] > after],
            )


@pytest.fixture
def growing(tmp_path):
    """A log that is not compressed and was just written."""
    (tmp_path / "logs").mkdir()
    with small_indexes(300, 64):
        yield tmp_path / "logs" / "a.txt"


#: Questions for the lines behind one.
NEWER = (
    *("format=jsonl", "format=text&not=more", "format=jsonl&level=ERROR&limit=1", "format=html"),
    *(
        "format=html&level=ERROR&context=2",
        "format=text&since=2026-03-04T18:40",
        "format=jsonl&tail=2",
    ),
    *("format=text&show=L3&q=there", "format=summary", "format=jsonl&lines=2-2870", "format=brief"),
)


GROWN = RECORDS * 6


@pytest.mark.parametrize("size", range(1100, len(GROWN), 18007))
def test_what_a_log_has_grown_is_read_behind_its_older_index(growing, size):
    growing.write_bytes(GROWN[:size])
    ask = asking(growing)
    ask("/a.txt?format=summary")
    growing.write_bytes(GROWN)
    lines = GROWN[:size].count(b"\n")
    for after in (lines - 30, lines - 1, lines, lines + 1, 2870):
        for query in NEWER:
            url = f"/a.txt?after={max(1, after)}&{query}"
            assert ask(url).body == Asking(growing.parent)(url).body, url
    assert ask.counted("indexes_used_total")
    assert ask.counted("indexes_made_total") == {"": 1}


def test_of_a_log_that_has_grown_the_older_blocks_are_not_read(growing):
    growing.write_bytes(GROWN)
    ask = asking(growing)
    ask("/a.txt?format=summary")
    with growing.open("ab") as file:
        file.write(b"goes on\n")
    assert ask("/a.txt?format=text&after=2880").body == b"goes on\n"
    assert unread(ask) > 0.9 * len(GROWN)


def test_a_log_that_grows_again_while_it_is_asked_for_is_read_as_it_was_opened(
    growing, monkeypatch
):
    growing.write_bytes(GROWN)
    ask = asking(growing)
    ask("/a.txt?format=summary")
    before = Indexes.before

    def grown(self, stored, path):
        append(b"again\n")
        return before(self, stored, path)

    def append(text):
        with growing.open("ab") as file:
            file.write(text)

    monkeypatch.setattr(Indexes, "before", grown)
    append(b"goes on\n")
    assert ask("/a.txt?format=text&after=2880").body in (b"goes on\n", b"goes on\nagain\n")


def test_an_index_of_a_log_that_was_replaced_is_not_that_of_its_beginning(growing):
    growing.write_bytes(GROWN)
    ask = asking(growing)
    ask("/a.txt?format=summary")
    for other in (b"x" + GROWN, GROWN[:2000] + b"\n" + GROWN[2000:], GROWN[:-9]):
        growing.write_bytes(other)
        url = "/a.txt?format=jsonl&after=2878"
        assert ask(url).body == Asking(growing.parent)(url).body
    assert unread(ask) == 0


@pytest.mark.parametrize("text", [b"2013-09-27 18:00:00 there", b"18:00:00 there"])
def test_a_log_of_which_nothing_is_read_shows_dates_or_none(log, text):
    log.write_bytes(text)
    os.utime(log, (1.4e9, 1.4e9))
    ask, url = asking(log), "/a.txt?format=html&level=ERROR"
    ask("/a.txt?format=summary")
    page = ask(url).text
    assert page == Asking(log.parent)(url).text
    assert ("data-undated" in page) == (b"2013" not in text)


def test_a_date_behind_blocks_that_are_passed_over_is_that_of_the_thing_above(log):
    thing = b"Tue Dec  5 20:11:19 UTC 2017\n%s\nImage creation date:\n" % (b"x" * 13)
    log.write_bytes(b"Image creation date:\n".rjust(4096, b"x") + thing * 1000)
    ask = asking(log)
    ask("/a.txt?format=summary")
    for tail in range(1, 3000, 97):
        assert b"2017-12-05T" not in plain(ask(f"/a.txt?format=jsonl&tail={tail}"))
    assert unread(ask) > 0


@pytest.mark.parametrize("query", ["level=ERROR", "tail=3", "q=request 9000 took"])
@pytest.mark.parametrize(("ending", "last"), [(b"not fini", 14_400), (b"finished\n", 14_401)])
def test_newer_lines_begin_with_one_that_was_not_finished(log, query, ending, last):
    log.write_bytes(stored_as(log.name, LOG + ending))
    ask = asking(log)
    ask("/a.txt?format=summary")
    assert f'data-last="{last}"' in ask(f"/a.txt?format=html&{query}").text


def test_a_log_that_was_replaced_has_no_index(log):
    ask = asking(log)
    ask("/a.txt?format=summary")
    status, other = log.stat(), LOG.replace(b"ERROR", b"DEBUG")
    replaced = log.with_name("other")
    replaced.write_bytes(stored_as(log.name, other))
    os.replace(replaced, log)
    os.utime(log, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert "ERROR" not in ask("/a.txt?format=summary").json["severities"]
    assert ask.counted("indexes_made_total") == {"": 2}


def other_bytes(log):
    """Changes the log's end, and not its version: a disk that fails, or an inode that is used again."""
    status = log.stat()
    stored = bytearray(log.read_bytes())
    stored[-2000:-1900] = bytes(100)
    log.write_bytes(stored)
    os.utime(log, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_two_names_of_one_file_share_an_index_and_tell_the_same_of_it(log):
    log.with_name(f"b{log.name[1:]}").hardlink_to(log)
    ask = asking(log)
    answers = [ask(f"/{name}.txt?format=summary").body for name in "ab"]
    assert answers[0] == answers[1]
    assert ask.counted("indexes_made_total") == {"": 1}
    assert ask.counted("indexes_used_total") == {"": 1}


def test_a_log_with_other_bytes_under_its_version_is_read_without_its_index(log):
    ask = asking(log)
    ask("/a.txt?format=summary")
    other_bytes(log)
    url = "/a.txt?format=text&tail=20"
    assert ask(url).text == Asking(log.parent, serve_chunk_size="4096")(url).text
    assert ask.counted("indexes_refused_total") == {'reason="text"': 1}


def test_an_answer_that_has_begun_says_that_its_index_did_not_fit(log):
    ask = asking(log)
    ask("/a.txt?format=summary")
    other_bytes(log)
    url = "/a.txt?format=text&lines=9000-"
    assert "its index did not fit the log: ask again" in ask(url).text
    assert "its index" not in ask(url).text
    assert ask.counted("indexes_refused_total") == {'reason="text"': 1}


@pytest.mark.parametrize("held", [0, 8 * 1024 * 1024])
def test_no_line_of_a_block_with_other_text_is_shown(log, monkeypatch, held):
    monkeypatch.setattr("oslogserve.logs.blocks.MOST_HELD", held)
    ask = asking(log)
    ask("/a.txt?format=summary")
    lines = LOG.splitlines(keepends=True)
    assert ask("/a.txt?format=text&lines=14000-").body == b"".join(lines[13_999:])
    other_bytes(log)
    shown = ask("/a.txt?format=text&lines=9000-").body.splitlines(keepends=True)
    assert shown[:-1] == lines[8999 : 8999 + len(shown) - 1]
    assert len(shown) > 4000
    assert b"its index did not fit the log: ask again" in shown[-1]


def test_a_file_that_is_damaged_anywhere_is_a_miss(log):
    ask = asking(log)
    urls = ("format=summary", "format=text&q=14399", "order=time&format=text&tail=3")
    urls = [f"/{'' if url.startswith('order') else 'a.txt'}?{url}" for url in urls]
    expected = [Asking(log.parent, serve_chunk_size="4096")(url).body for url in urls]
    for url in urls:
        ask(url)
    [index] = (log.parents[1] / "index").iterdir()
    content, chance = index.read_bytes(), random.Random(7)
    for _ in range(12):
        wrong = bytearray(content)
        for _ in range(chance.choice((1, 9))):
            wrong[chance.randrange(chance.choice((100, len(wrong))))] ^= 1 << chance.randrange(8)
        index.write_bytes(wrong[: chance.choice((len(wrong), chance.randrange(len(wrong))))])
        assert [ask(url).body for url in urls] == expected


def test_a_log_that_broke_off_gets_no_index(log):
    if log.suffix != ".txt":
        log.write_bytes(log.read_bytes()[:-9])
        ask = asking(log)
        assert ask("/a.txt?format=summary").json["complete"] is False
        assert ask.counted("indexes_made_total") == {}


def test_every_block_begins_close_behind_a_place_from_which_it_can_be_inflated(tmp_path):
    path, interval = tmp_path / "logs" / "a.txt.gz", 1_000_000
    path.parent.mkdir()
    path.write_bytes(gzip.compress(LOG * 14, mtime=0))
    with small_indexes(interval, 4096):
        asking(path)("/a.txt?format=summary")
    [file] = (tmp_path / "index").iterdir()
    index = LogIndex(file.read_bytes())
    assert len(index.blocks) == len(index.points) + 1 > 10
    for place in range(1, len(index.blocks)):
        at = index.blocks[place][0]
        assert 0 <= at - index.points_around(at)[0]["at"] <= interval / 3


@pytest.mark.parametrize("query", ["format=text&tail=3", "format=text&q=request+14399+took"])
def test_a_log_that_is_one_frame_of_zstandard_is_read_from_its_beginning(tmp_path, query):
    path = tmp_path / "logs" / "a.txt.zst"
    path.parent.mkdir()
    path.write_bytes(frame(LOG))
    with small_indexes(8000, 4096):
        ask = asking(path)
        summary = ask("/a.txt?format=summary").body
        assert ask("/a.txt?format=summary").body == summary
        assert unread(ask) == path.stat().st_size  # the summary needs nothing of it
        assert ask(f"/a.txt?{query}").body == Asking(path.parent)(f"/a.txt?{query}").body
    assert ask.counted("indexes_used_total") == {"": 2}
    [file] = (tmp_path / "index").iterdir()
    assert LogIndex(file.read_bytes()).points == []


def test_the_blocks_of_a_large_log_are_large():
    assert interval_of(100, is_packed=True) == INTERVAL
    assert interval_of(INTERVAL * MOST_BLOCKS, is_packed=False) == INTERVAL
    assert interval_of(INTERVAL * MOST_BLOCKS + 1, is_packed=False) == 2 * INTERVAL


@pytest.mark.parametrize("size", [8000, 10_000, 18_000, 20_000])
@pytest.mark.parametrize("query", ["lines=1-{}&q=kumquat", "limit={}&level=ERROR", "lines=7-{}"])
def test_an_answer_that_ends_with_the_log_says_so_where_a_block_may_begin(tmp_path, size, query):
    line = b"2013-09-27 18:22:11.248 1 INFO nova.compute [-] x\n"
    (tmp_path / "logs").mkdir()
    path = tmp_path / "logs" / "a.txt"
    path.write_bytes(line * (size // len(line)))
    os.utime(path, (1.4e9, 1.4e9))
    url = f"/a.txt?format=jsonl&{query.format(size // len(line))}"
    with small_indexes(2000, 2000):
        ask = Asking(tmp_path / "logs", index_directory=str(tmp_path / "index"))
        ask("/a.txt?format=summary")
        ask(url)
        assert ask(url).body == Asking(tmp_path / "logs")(url).body


@pytest.mark.long
def test_random_questions_have_the_same_answers_with_and_without_an_index():
    fuzzer = fuzz.Indexes()
    assert not fuzzer.fault(fuzzer.case_of(0))


def test_a_log_that_is_read_twice_has_an_index_the_second_time(tmp_path):
    log = b"".join(b"2026-03-04 18:22:11.000 INFO line %d\n" % number for number in range(200_000))
    log = log[:-40] + b"\nERROR: at the end\n"
    (tmp_path / "a.txt").write_bytes(log)
    ask = Asking(tmp_path)
    read = "source_read_bytes_sum"
    assert "ERROR: at the end\n" in ask("/a.txt?format=brief").text
    [(_, brief)] = ask.counted(read).items()
    assert len(log) < brief < 1.5 * len(log)
    assert ask.counted("indexes_used_total") == {}
