# SPDX-License-Identifier: Apache-2.0
"""The last lines of several logs by time: their indexes say where they begin."""

import gzip
import json
import os
from datetime import datetime, timedelta

import pytest

from oslogserve.logs.indexes import LogIndex, file_of
from tests.kit.small import small_indexes
from tests.unit.handlers.asking import Asking, plain

BEGIN = datetime(2026, 3, 4, 18)


def log_of(name, *, seconds=2000, every=400, first=0):
    """A line for each second, an error for some of them."""
    lines = []
    for second in range(first, first + seconds):
        stamp = f"{BEGIN + timedelta(seconds=second):%Y-%m-%d %H:%M:%S}.000"
        lines.append(f"{stamp} {'INFO' if second % every else 'ERROR'} {name} line {second}\n")
    return "".join(lines).encode()


@pytest.fixture
def write(tmp_path):
    """Writes logs by their names into the folder."""
    (tmp_path / "logs").mkdir()

    def write(**logs):
        for name, log in logs.items():
            path = tmp_path / "logs" / f"{name}.txt"
            path.write_bytes(log)
            os.utime(path, (1.4e9, 1.4e9))

    with small_indexes(8000, 4096):
        yield write


@pytest.fixture
def ask(tmp_path):
    """Asks for all logs, by their indexes."""
    index = str(tmp_path / "index")
    return Asking(tmp_path / "logs", index_directory=index, serve_chunk_size="4096")


def with_blocks(content, change):
    """The file of an index, with other blocks."""
    index = LogIndex(content)
    facts = index.first_bytes, index.lines, index.size, index.ends_a_line
    blocks = json.dumps(change(json.loads(index._inflated("blocks")))).encode()
    return file_of(*facts, summary=index.summary, compact=index.compact, blocks=blocks)


@pytest.fixture
def expected(tmp_path):
    """The answer without any index."""
    return lambda url: plain(Asking(tmp_path / "logs")(url))


def unread(ask):
    return sum(ask.counted("index_unread_bytes_total").values())


@pytest.mark.parametrize(
    "query",
    [
        *("tail=3&level=ERROR", "tail=50", "tail=3&level=ERROR&format=jsonl", "tail=9&format=html"),
        *("tail=2&limit=1&level=ERROR", "tail=8&after=3", "tail=5&until=2026-03-04T18:33"),
        "tail=5&since=2026-03-04T18:20&until=2026-03-04T18:33&level=ERROR&format=jsonl",
    ],
)
def test_only_blocks_that_may_have_the_last_lines_are_read(write, ask, expected, tmp_path, query):
    write(a=log_of("a"), b=log_of("b", first=300), c=log_of("c", seconds=500))
    ask("/?format=summary")
    before = unread(ask)
    url = f"/?order=time&{'' if 'format' in query else 'format=text&'}{query}"
    assert plain(ask(url)) == expected(url)
    stored = sum(path.stat().st_size for path in (tmp_path / "logs").iterdir())
    assert unread(ask) - before > 0.5 * stored


@pytest.mark.parametrize("tail", [1, 30, 3000])
def test_logs_without_times_have_the_last_lines(write, ask, expected, tail):
    nothing = b"".join(b"ERROR number %d\n" % number for number in range(3000))
    write(a=log_of("a"), b=nothing, c=nothing.replace(b"number", b"other"))
    ask("/?format=summary")
    for query in ("", "&level=ERROR", "&level=ERROR&format=jsonl"):
        url = f"/?order=time&format=text&tail={tail}{query}"
        assert plain(ask(url)) == expected(url)


@pytest.mark.parametrize("above", [10, 900, 1100])
def test_lines_above_the_first_time_count_as_always(write, ask, expected, above, monkeypatch):
    monkeypatch.setattr("oslogserve.jobs.lines.MOST_WAITING", 9000)
    write(a=log_of("a"), b=b"ERROR nothing\n" * above + log_of("b", first=1000))
    ask("/?format=summary")
    for tail in (3, 300):
        url = f"/?order=time&format=jsonl&level=ERROR&tail={tail}"
        assert plain(ask(url)) == expected(url)


def test_a_log_without_an_index_is_read_to_its_end(write, ask, expected):
    write(a=log_of("a"))
    ask("/?format=summary")
    write(b=log_of("b", first=1000))
    url = "/?order=time&format=jsonl&level=ERROR&tail=3"
    assert plain(ask(url)) == expected(url)


def test_a_cut_line_that_is_not_shown_is_told_as_always(write, ask, expected, monkeypatch):
    monkeypatch.setattr("oslogserve.jobs.lines.MERGED_LINES", 2 * 4096)
    long = log_of("a", seconds=1)[:-1] + b"x" * 5000 + b"\n"
    write(a=long + log_of("a"), b=log_of("b"))
    ask("/?format=summary")
    url = "/?order=time&format=text&tail=3"
    found = plain(ask(url))
    assert b"a row has at most 4 KiB of a line, and line 1 has more" in found
    assert found == expected(url)


def test_a_block_that_is_too_large_to_be_held_is_read_twice(write, ask, expected, monkeypatch):
    monkeypatch.setattr("oslogserve.jobs.lines.MERGED_BLOCKS", 2)
    write(a=log_of("a"), b=log_of("b"))
    ask("/?format=summary")
    for query in ("level=ERROR&tail=3", "since=2026-03-04T18:30"):
        url = f"/?order=time&format=text&{query}"
        assert plain(ask(url)) == expected(url)


@pytest.mark.parametrize("wrong", ["counts", "times"])
def test_an_index_that_claims_lines_that_are_not_there_hides_no_others(
    write, ask, expected, tmp_path, wrong
):
    write(a=log_of("a"), b=log_of("b"))
    url = "/?order=time&format=jsonl&level=ERROR&tail=3"
    ask("/?format=summary")
    files = {path: path.read_bytes() for path in (tmp_path / "index").iterdir()}
    [path] = (path for path in files if b"b line" in LogIndex(files[path]).first_bytes.text)

    def changed(blocks):
        for block in blocks[-5:]:
            if wrong == "counts":
                block["severities"] = [one | {"rank": 6} for one in block["severities"]]
            else:
                block["times"] = block["times"] | {"earliest_utc": 2**60, "latest_utc": 2**60}
        return blocks

    path.write_bytes(with_blocks(files[path], changed))
    assert "its index did not fit the log: ask again" in ask(url).text
    assert plain(ask(url)) == expected(url)


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        *((f"/a.txt?{query}", {}) for query in ("level=ERROR", "q=absent", "tail=3")),
        ("/?order=time&format=text&tail=3", {}),
        ("/a.txt", {"Range": "bytes=9000-9999"}),
    ],
)
def test_an_index_whose_blocks_are_of_no_log_is_removed(write, ask, tmp_path, url, asked):
    write(a=gzip.compress(log_of("a")))
    ask("/?format=summary")
    [path] = (tmp_path / "index").iterdir()
    path.write_bytes(with_blocks(path.read_bytes(), lambda blocks: blocks[1:]))
    answers = [ask(url, **asked) for _ in range(2)]
    assert [answer.status_int for answer in answers] == ([503, 206] if asked else [200, 200])
    assert plain(answers[1]) == plain(Asking(tmp_path / "logs")(url, **asked))
    assert ask.counted("indexes_refused_total") == {'reason="damaged"': 1}


def test_the_last_rows_lead_to_a_time_that_lines_above_them_share(write, ask, expected):
    """Without an index those lines are rendered too, and the first one of a time had its name alone."""
    lines = b"".join(b"2026-03-04 18:00:00.000 ERROR line %d\n" % number for number in range(2000))
    write(a=lines, b=lines)
    ask("/?format=summary")
    url = "/?format=html&order=time&tail=9"
    page = plain(ask(url)).decode()
    assert page == expected(url).decode()
    assert page.count(" name=_2026-03-04_18_00_00_000>") == 9
