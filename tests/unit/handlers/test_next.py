# SPDX-License-Identifier: Apache-2.0
"""Following `next` gives every line once, and the counts are those of the lines that were looked at."""

import json
import re
from html import unescape
from itertools import chain

import pytest

from tests.unit.handlers.asking import HTML, Asking, followed

LINES = 600
#: Every 197th line is a hit.
LOG = b"".join(
    b"2013-09-27 18:22:11.248 1 INFO x [-] %b %d\n" % (b"hit" if n % 197 == 0 else b"line", n)
    for n in range(1, LINES + 1)
)
CONTEXTS = (0, 3, 60, 196)


@pytest.fixture
def ask(request, tmp_path):
    (tmp_path / "a.txt").write_bytes(LOG)
    (tmp_path / "open.txt").write_bytes(b"hit 1\nhit 2\nhit 3")
    return Asking(tmp_path, serve_page_size="4096")


def around_hits(context, others=()):
    hits = range(197, LINES + 1, 197)
    near = {hit + step for hit in hits for step in range(-context, context + 1)}
    return sorted(n for n in near | {*others} if 1 <= n <= LINES)


def parts(ask, address):
    """Numbers of the lines of each part of a page."""

    def next_of(answer):
        following = re.search(r'<a href="([^"]*)" rel="next">', answer.text)
        return following and unescape(following[1])

    pages = (answer.text for answer in followed(ask, address, next_of, **HTML))
    return [[int(number) for number in re.findall(r" id=L(\d+)>", page)] for page in pages]


def answered(ask, address):
    return told(ask(address))


def told(answer):
    *rows, end = map(json.loads, answer.text.splitlines())
    return [row["line"] for row in rows], end


@pytest.mark.parametrize("context", CONTEXTS)
def test_the_parts_of_a_search_have_the_context_of_all_hits(ask, context):
    found = parts(ask, f"/a.txt?q=hit&context={context}")
    assert [*chain(*found)] == around_hits(context)
    assert len(found) > 1 or context < 60


@pytest.mark.parametrize("show", ["show=L500-L502", "show=L7&show=L590", "show=L197&show=L198"])
@pytest.mark.parametrize("context", CONTEXTS)
def test_a_line_that_is_shown_in_any_case_is_on_one_of_the_parts(ask, context, show):
    numbers = [range(*map(int, one)) for one in ((500, 503), (7, 8), (590, 591), (197, 199))]
    others = {"show=L500-L502": numbers[:1], "show=L7&show=L590": numbers[1:3]}.get(
        show, numbers[3:]
    )
    found = parts(ask, f"/a.txt?lines=1-&q=hit&context={context}&{show}")
    expected = around_hits(context, {n for one in others for n in one})
    page = ask(f"/a.txt?lines=1-&q=hit&context={context}&{show}", **HTML).text
    begin = re.search(r"This page begins with line (\d+)", page)
    assert [*chain(*found)] == [n for n in expected if n >= int(begin[1] if begin else 1)]


@pytest.mark.parametrize(("tail", "limit"), [(7, 1), (7, 4), (7, 50), (100, 9), (100, 50)])
def test_a_limit_takes_the_first_lines_of_a_tail_and_next_the_others(ask, limit, tail):
    address, found = f"/a.txt?format=jsonl&q=hit&context=40&tail={tail}&limit={limit}", []
    for answer in followed(ask, address, lambda answer: told(answer)[1]["next"]):
        numbers, _ = told(answer)
        assert len(numbers) <= limit
        found += numbers
    assert found == around_hits(40)[-tail:]


def test_a_part_behind_other_lines_says_where_it_begins(ask):
    page = ask("/a.txt?after=300&q=hit", **HTML).text
    assert 'This page begins with line 301: <a href="?q=hit&amp;lines=1-300" rel="prev">' in page


def test_hits_behind_a_limit_are_counted_where_the_log_is_read_to_its_end(ask):
    for query in (
        "limit=1&show=L599",
        "limit=1&context=9&show=L1",
        "limit=2&context=250&lines=400-",
    ):
        _, end = answered(ask, f"/a.txt?format=jsonl&q=hit&{query}")
        assert end["read_to_end"] == (end["lines"] == LINES), query
        hits = [
            n for n in range(197, end["lines"] + 1, 197) if "lines=400-" not in query or n >= 400
        ]
        assert end["matched"] == len(hits), query
    assert ask("/a.txt?format=summary&q=hit&limit=1").json["matched"] == 3


def test_a_last_line_without_a_line_feed_that_was_not_read_is_not_the_end(ask):
    for query in ("lines=1-2", "limit=2", "q=hit&lines=2"):
        _, end = answered(ask, f"/open.txt?format=jsonl&{query}")
        assert (end["lines"], end["read_to_end"]) == (2, False), query
    _, end = answered(ask, "/open.txt?format=jsonl&lines=1-3")
    assert (end["lines"], end["read_to_end"]) == (3, True)


def test_a_line_that_is_shown_in_any_case_takes_no_place_of_a_limit_or_tail(ask):
    assert answered(ask, "/a.txt?format=jsonl&q=hit&tail=2&show=L450-L460")[0] == [
        *(394, *range(450, 461), 591)
    ]
    assert answered(ask, "/a.txt?format=jsonl&q=hit&limit=1&show=L197&show=L394")[0] == [197, 394]
