# SPDX-License-Identifier: Apache-2.0
import gzip
import json
import re
from urllib.parse import parse_qsl

import pytest

from oslogserve.errors import Incomplete
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import TAIL_BYTES
from oslogserve.pages.log import LogView, with_notices
from oslogserve.query import Query
from tests.kit.open_logs import open_log

RENDERER = Renderer()
INFO = b"2013-09-27 18:22:11.248 1234 INFO nova.x [-] started\n"
ERROR = b"2013-09-27 18:22:12.248 1234 ERROR nova.x [-] <failed>\n"
TRACE = b"Traceback (most recent call last):\n"
LOG = INFO + ERROR + TRACE + INFO
#: No UTF-8, carriage returns, a NUL, no newline at the end.
ODD = b"\xff\xfe\r\n\n\0\x1b[1m<b>&amp;\r" + INFO + b"no end"
NOTICE = b"oslogserve: this log is incomplete here: it <broke>"


def cut(whole, size):
    return [whole[at : at + size] for at in range(0, len(whole), size)]


class Shown:
    """One answer: of bytes, however they come, and of an address's parameters. breaks: true if they break off."""

    def __init__(self, chunks, query="", mount="", breaks=False, title=None):
        pairs = parse_qsl(query, keep_blank_values=True)
        self.query = Query(b"job/a.txt", False, mount).with_parameters(pairs)
        self.log = open_log(*chunks, error=Incomplete("failed", "it <broke>") if breaks else None)
        self.view = LogView(self.query, self.log, RENDERER, file_title=title)

    def of(self, view):
        if view == "text" and self.query.is_unfiltered:
            return with_notices(self.log.text(), [])
        return self.view.render(view, self.log.text())


def as_text(chunks, query="", **more):
    return b"".join(Shown(chunks, query, **more).of("text"))


def as_html(chunks, query="", **more):
    return b"".join(Shown(chunks, query, **more).of("html"))


def as_objects(chunks, query="", **more):
    return list(map(json.loads, b"".join(Shown(chunks, query, **more).of("jsonl")).splitlines()))


def as_figures(chunks, query="", **more):
    return json.loads(b"".join(Shown(chunks, query, **more).of("summary")))


def ids(shown):
    return re.findall(rb" id=(L\d+)", shown)


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1 << 16])
@pytest.mark.parametrize("whole", [LOG, ODD, b""], ids=["log", "odd", "empty"])
def test_text_is_the_log_byte_for_byte(whole, size):
    assert as_text(cut(whole, size)) == whole
    assert as_text(cut(gzip.compress(whole), size)) == whole


@pytest.mark.parametrize("query", ["", "limit=9", "tail=9", "q=i&context=1"])
def test_the_texts_notice_is_a_line_of_its_own_and_none_is_empty(query):
    notice = b"[" + NOTICE + b"]\n"
    assert as_text([b"half a li"], query, breaks=True) == b"half a li\n" + notice
    assert as_text([INFO], query, breaks=True) == INFO + notice


def test_html_ends_with_the_notice_escaped_after_the_lines():
    shown = as_html([LOG], breaks=True)
    notice = NOTICE.replace(b"<", b"&lt;").replace(b">", b"&gt;")
    _, _, after = shown.partition(b"</ol></div>\n")
    assert b'<p class="notice" role="status">' + notice + b"</p>\n" in after
    assert shown.endswith(b"</html>\n")
    assert len(ids(shown)) == 4


@pytest.mark.parametrize(
    ("log", "query", "told"),
    [
        (LOG, "", None),
        (LOG, "level=CRITICAL", "No line of this log fits these filters."),
        (LOG, "q=nowhere&context=1", "No line of this log fits these filters."),
        (LOG, "q=nowhere&show=L1", "No line of this log fits these filters."),
        (LOG, "q=failed&show=L1", None),
        (b"", "level=ERROR", "This log is empty."),
    ],
)
def test_a_page_says_so_where_no_line_is_a_hit_and_only_there(log, query, told):
    found = re.findall(r'<p class="none">(.*)</p>', as_html([log], query).decode())
    assert found == ([told] if told else [])


def test_html_links_to_the_rest_where_a_limit_cut():
    shown = as_html([LOG], "limit=2&q=%22&q=0&level=debug&source=disk", mount="/m")
    assert ids(shown) == []
    shown = as_html([LOG], "limit=2&q=1&level=debug&source=disk", mount="/m")
    assert ids(shown) == [b"L1", b"L2"]
    following = "/m/job/a.txt?limit=2&amp;q=1&amp;level=debug&amp;source=disk&amp;lines=3-"
    assert (
        f'</ol></div>\n<p class="notice" role="status">A limit was reached: '
        f'<a href="{following}" rel="next">the next lines</a>.</p>\n'
    ).encode() in shown


@pytest.mark.parametrize("query", ["", "level=ERROR", "limit=1", "tail=1", "q=x&context=2"])
def test_the_page_comes_before_anything_is_read(query):
    shown = Shown(cut(INFO * 100 + ERROR + b"x", 1000), query)
    pieces = shown.of("html")
    first = next(pieces)
    assert re.search(rb'<main>\n<div id="log"[^>]*>$', first)
    assert shown.log.source_log.taken == 1  # when it was opened
    assert b" id=L1" in b"".join(pieces)


# JSON lines.


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_objects_end_with_what_came_of_it(size):
    *rows, end = as_objects(cut(LOG, size), "level=ERROR")
    assert [(row["line"], row["severity"]) for row in rows] == [(2, "ERROR"), (3, "ERROR")]
    assert rows[0]["text"] == ERROR.decode().rstrip("\n")
    assert end == {
        "end": True,
        "lines": 4,
        "matched": 2,
        "sent": 2,
        "complete": True,
        "read_to_end": True,
        "reason": None,
        "next": None,
    }


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
@pytest.mark.parametrize(
    ("parameters", "is_read"),
    [
        ("limit=3", False),
        ("limit=4", True),
        ("lines=1-3", False),
        ("lines=2-4", True),
        ("lines=2-4&limit=1", False),
        ("level=ERROR&context=1&limit=2", False),
        ("tail=1", True),
        ("lines=-1&show=L3", True),
        ("limit=1&show=L3", True),
        ("q=nowhere", True),
        ("", True),
    ],
)
def test_a_log_whose_reading_a_limit_or_lines_ended_is_not_said_to_be_read_to_its_end(
    size, parameters, is_read
):
    *_, end = as_objects(cut(LOG, size), parameters)
    assert (end["complete"], end["read_to_end"]) == (True, is_read)
    shown = Shown(cut(LOG, size), parameters)
    b"".join(shown.of("text"))
    if parameters:
        assert dict(shown.view.headers())["Log-Read-To-End"] == str(is_read).lower()
    assert as_figures(cut(LOG, size), parameters)["read_to_end"] is True  # it is all counted


def test_objects_end_with_what_is_missing():
    *rows, end = as_objects([LOG, b"half"], breaks=True)
    assert len(rows) == 5
    assert (end["complete"], end["reason"]) == (False, "it <broke>")
    assert end["read_to_end"] is False
    told = as_figures([LOG, b"half"], breaks=True)
    assert (told["complete"], told["reason"], told["lines"]) == (False, "it <broke>", 5)


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
@pytest.mark.parametrize(
    "query",
    [
        *("", "level=ERROR", "q=INFO&not=x", "lines=3-17", "since=2013-09"),
        *("level=ERROR&context=1", "q=ERROR&context=2", "q=ERROR&context=3&lines=2-18"),
    ],
)
def test_following_next_gives_every_line_once(query, limit):
    whole = as_objects([LOG * 5], query)[:-1]
    parts, asked = [], f"{query}&limit={limit}".removeprefix("&")
    while asked:
        *rows, end = as_objects([LOG * 5], asked)
        assert len(rows) <= limit
        parts += rows
        asked = end["next"] and end["next"].removeprefix("/job/a.txt?")
    assert parts == whole


def test_next_does_not_bring_in_once_more_what_was_brought_in():
    log = b"".join(b"line %d\n" % number for number in range(1, 13))
    *rows, end = as_objects([log], "limit=4&show=L10")
    assert [row["line"] for row in rows] == [1, 2, 3, 4, 10]
    assert end["next"] == "/job/a.txt?limit=4&lines=5-"


def test_a_limit_within_the_context_of_a_hit_does_not_lose_the_rest_of_it():
    log = b"ERROR a\n" + b"INFO b\n" * 3
    *_, end = as_objects([log], "level=ERROR&context=2&limit=1")
    assert end["next"] == "/job/a.txt?level=ERROR&context=2&limit=1&after=1&lines=1-"
    *rows, _ = as_objects([log], "level=ERROR&context=2&after=1&lines=1-")
    assert [row["line"] for row in rows] == [2, 3]


def test_the_next_address_is_escaped():
    query = Query(b"a b/\xff?.txt", False, "/\xc3\xa9").with_parameters(
        [("q", "1&2 <é>"), ("q", "4"), ("limit", "1")]
    )
    view = LogView(query, log := open_log(b"41&2 <\xc3\xa9>\n" * 2), RENDERER)
    b"".join(view.render("jsonl", log.text()))
    assert view.next_address() == (
        "/%C3%A9/a%20b/%FF%3F.txt?q=1%262+%3C%C3%A9%3E&q=4&limit=1&lines=2-"
    )


# Figures, of the log and of a text.


def test_a_log_in_figures():
    told = as_figures(cut(gzip.compress(LOG), 7))
    assert list(told) == [
        *("lines", "bytes", "matched", "first_time", "last_time", "cause", "failed"),
        *("verdict", "passed", "more_chapters", "chapters", "severities", "histogram"),
        *(
            "more_failures",
            "step",
            "first_error",
            "last_error",
            "complete",
            "read_to_end",
            "reason",
        ),
    ]
    assert (told["lines"], told["bytes"], told["matched"]) == (4, len(LOG), 4)
    assert (told["first_error"]["line"], told["last_error"]["line"]) == (2, 3)
    assert told["severities"] == {
        "INFO": {"count": 2, "first_line": 1},
        "ERROR": {"count": 2, "first_line": 2},
    }
    assert (told["complete"], told["reason"]) == (True, None)


def test_headers_say_what_came_of_a_text():
    shown = Shown([LOG], "level=INFO&limit=2&source=disk")
    b"".join(shown.of("text"))
    assert shown.view.headers() == [
        ("Log-Lines", "2"),
        ("Log-Matched", "2"),
        ("Log-Sent", "2"),
        ("Log-Complete", "true"),
        ("Log-Read-To-End", "false"),
        ("Link", '</job/a.txt?level=INFO&limit=2&source=disk&lines=3->; rel="next"'),
    ]
    shown = Shown([LOG], "tail=1", breaks=True)
    b"".join(shown.of("text"))
    assert shown.view.headers() == [
        ("Log-Lines", "4"),
        ("Log-Matched", "4"),
        ("Log-Sent", "1"),
        ("Log-Complete", "false"),
        ("Log-Read-To-End", "false"),
    ]


@pytest.mark.parametrize("view", ["html", "text", "jsonl"])
def test_a_tail_that_could_not_be_held_is_told_in_every_view(view):
    large = (b"x" * 65_535 + b"\n") * (TAIL_BYTES // 65_536)
    shown = Shown([b"a\n" * 9, large], "tail=259")
    told = b"".join(shown.of(view))
    assert b"3 of the last 259 lines are left out: the last 16 MiB are all that is kept" in told
    assert [error.reason for error in shown.view.missing] == ["capped"]


# A page that is a file of its own.


def test_a_page_that_is_a_file_leads_nowhere_else():
    request = b"req-0f3d2c1a-1111-2222-3333-444455556666"
    page = as_html([LOG + request + b" end\n" + LOG], "q=end&context=1&limit=2", title="a.txt")
    assert re.findall(rb"<li class=gap>(.*)\n", page) == [b"3 lines"]
    assert request + b" <mark>end</mark>" in page
    assert not re.findall(rb'href="?(?!["#])', page)
    assert b"A limit was reached before line 6." in page
