# SPDX-License-Identifier: Apache-2.0
"""A log in all views."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product

import pytest

from oslogserve.demo import generate_oslo
from oslogserve.lines.renderer import Room
from oslogserve.lines.selection import (
    ALL_LINES,
    LINE_BYTES,
    LONGEST_LINE,
    Selection,
    Tally,
    Wanted,
)
from oslogserve.lines.time_range import time_range
from oslogserve.native import Grammar, Renderer, state_count
from oslogserve.search import MOST_MATCHES, MOST_STATES, literal, rewritten
from tests.kit.renderers import (
    LEVELS,
    VIEWS,
    answered,
    bare,
    cut,
    escaped,
)
from tests.unit.lines.conftest import LINK, WRITTEN


def wanted(view, selection=ALL_LINES):
    return Wanted(view, selection, WRITTEN, LINK)


def text(*given):
    return tuple(map(literal, given))


def pattern(*given):
    return tuple(map(rewritten, given))


# A golden log: each line as it is in every view.

T = b"2013-09-27 18:22:11.248"
ISO = "2013-09-27T18:22:11.248"
U = b"2013-09-27T18:24:00.500Z"
REQUEST = b"req-0f3d2c1a-1111-2222-3333-444455556666"
#: (line, its time and severity in JSON, its text there, its class, what is within the element)
GOLDEN = (
    (b"up\n", None, "NONE", "up", b"", b"up"),
    (
        T + b' 2790 INFO a <b> "c" & d\n',
        *(ISO, "INFO", f'{T.decode()} 2790 INFO a <b> "c" & d', b"I"),
        T + b' 2790 INFO a &lt;b&gt; "c" &amp; d',
    ),
    (
        T + b" ERROR x\r\n",
        *(ISO, "ERROR", f"{T.decode()} ERROR x", b"E"),
        T + b" ERROR x\r",
    ),
    (b"Traceback\n", None, "NONE", "Traceback", b"e", b"Traceback"),
    (b"\n", None, "NONE", "", b"e", b""),
    (
        b" so on " + T + b" | \xff\x00\xc3\xa9\\ \x1b[1;31mred\x1b[0m\n",
        *(None, "NONE", f" so on {T.decode()} | \ufffd\0\xe9\\ red", b"e"),
        b" so on " + T + b' | \xff\x00\xc3\xa9\\ <span class="bold fg1">red</span>',
    ),
    (
        T + b" 1 DEBUG " + REQUEST + b" 5%\r 100%\n",
        *(ISO, "DEBUG", f"{T.decode()} 1 DEBUG {REQUEST.decode()} 5%\r 100%", b"D"),
        b"<s>"
        + (T + b' 1 DEBUG <a href="' + LINK + b"q=" + REQUEST + b'">' + REQUEST + b"</a> 5%&#13;")
        + b"</s> 100%",
    ),
    (
        b"Mar  8 12:20:42 host unit[1]: WARNING w\n",
        *("2014-03-08T12:20:42", "WARNING", "Mar  8 12:20:42 host unit[1]: WARNING w"),
        b"W",
        b"Mar  8 12:20:42 host unit[1]: WARNING w",
    ),
    (
        U + b" 1 DEBUG last",
        *("2013-09-27T18:24:00.500Z", "DEBUG", f"{U.decode()} 1 DEBUG last", b"D"),
        U + b" 1 DEBUG last",
    ),
)
LOG = b"".join(row[0] for row in GOLDEN)
#: Of the times, by the lines that show them.
NAMES = {
    **dict.fromkeys((2, 3, 7), b"_2013-09-27_18_22_11_248"),
    8: b"_Mar__8_12_20_42",
    9: b"_2013-09-27T18_24_00_500Z",
}


def context(number):
    return number, b"context"


def brought_in(number):
    return number, b"shown"


#: What is asked for -> the numbers of the lines of LOG that are shown, and (matched, sent, cut_at).
SHOWN = {
    ALL_LINES: (range(1, 10), (9, 9, None)),
    # The window.
    Selection(first=3): (range(3, 10), (7, 7, None)),
    Selection(last=3): (range(1, 4), (3, 3, None)),
    Selection(first=4, last=4): ([4], (1, 1, None)),
    Selection(first=99): ([], (0, 0, None)),
    Selection(since=time_range("2013-09-27T18:22")): (range(2, 10), (8, 8, None)),
    Selection(since=time_range("2013-09-27T18:23")): ([8, 9], (2, 2, None)),
    Selection(since=time_range("2014")): ([8], (1, 1, None)),
    Selection(since=time_range("2015")): ([], (0, 0, None)),
    Selection(until=time_range("2013-09-27T18:22:11.248")): (range(1, 8), (7, 7, None)),
    Selection(until=time_range("2013-09-27T18:22:11.247")): ([1], (1, 1, None)),
    Selection(until=time_range("2013")): ([*range(1, 8), 9], (8, 8, None)),
    Selection(since=time_range("2013-09-27T18:23"), until=time_range("2013-12")): (
        [9],
        (1, 1, None),
    ),
    # A zone: a line without one is in UTC.
    Selection(
        since=time_range("2013-09-27T20:23:00+02:00"), until=time_range("2013-09-27T21+02")
    ): (*([9], (1, 1, None)),),
    Selection(until=time_range("2013-09-27T20:23:00+02:00")): (range(1, 8), (7, 7, None)),
    Selection(first=3, last=8, since=time_range("2013"), until=time_range("2013")): (
        *(range(3, 8), (5, 5, None)),
    ),
    # The level.
    Selection(level="NONE"): (range(1, 10), (9, 9, None)),
    Selection(level="DEBUG"): (range(2, 10), (8, 8, None)),
    Selection(level="INFO"): ([2, 3, 4, 5, 6, 8], (6, 6, None)),
    Selection(level="ERROR"): ([3, 4, 5, 6], (4, 4, None)),
    Selection(level="ERROR", first=5): ([5, 6], (2, 2, None)),
    Selection(level="CRITICAL"): ([], (0, 0, None)),
    # The search.
    Selection(searches=text("error")): ([3], (1, 1, None)),
    Selection(searches=text("Error")): ([], (0, 0, None)),
    Selection(searches=text("ERROR")): ([3], (1, 1, None)),
    Selection(searches=text("é")): ([6], (1, 1, None)),
    Selection(searches=text("1", "DEBUG")): ([7, 9], (2, 2, None)),
    Selection(searches=pattern("^.{0,10}$")): ([1, 4, 5], (3, 3, None)),
    Selection(searches=pattern(r"\bx\r$")): ([3], (1, 1, None)),
    Selection(searches=pattern("INFO|DEBUG") + text("last")): ([9], (1, 1, None)),
    Selection(searches=pattern(r"\x00")): ([6], (1, 1, None)),
    Selection(without=text("2013")): ([1, 4, 5, 8], (4, 4, None)),
    Selection(without=text("2013", "host") + pattern("^$")): ([1, 4], (2, 2, None)),
    Selection(searches=text("2013"), without=text("ERROR"), level="ERROR"): ([6], (1, 1, None)),
    # The context.
    Selection(context=0, searches=text("trace")): ([4], (1, 1, None)),
    Selection(context=1, searches=text("trace")): (*([context(3), 4, context(5)], (1, 3, None)),),
    Selection(context=1, searches=text("up", "p")): ([1, context(2)], (1, 2, None)),
    Selection(context=2, searches=text("debug")): (
        *([context(5), context(6), 7, context(8), 9], (2, 5, None)),
    ),
    Selection(context=9, searches=text("last"), first=5): (
        *([context(5), context(6), context(7), context(8), 9], (1, 5, None)),
    ),
    Selection(context=9, searches=text("trace"), first=3, last=5): (
        *([context(3), 4, context(5)], (1, 3, None)),
    ),
    Selection(context=1, level="WARNING"): (
        *([context(2), 3, 4, 5, 6, context(7), 8, context(9)], (5, 8, None)),
    ),
    # The limit and the tail.
    Selection(limit=3): ([1, 2, 3], (3, 3, 4)),
    Selection(limit=9): (range(1, 10), (9, 9, None)),
    Selection(limit=2, first=4): ([4, 5], (2, 2, 6)),
    Selection(limit=2, first=4, last=5): ([4, 5], (2, 2, None)),
    Selection(limit=2, level="ERROR"): ([3, 4], (2, 2, 5)),
    Selection(limit=1, searches=text("debug")): ([7], (1, 1, 8)),
    Selection(limit=2, context=1, searches=text("trace")): (*([context(3), 4], (1, 2, 5)),),
    Selection(limit=1, context=1, searches=text("trace")): ([context(3)], (1, 1, 4)),
    Selection(tail=2): ([8, 9], (9, 2, None)),
    Selection(tail=100): (range(1, 10), (9, 9, None)),
    Selection(tail=2, level="ERROR"): ([5, 6], (4, 2, None)),
    Selection(tail=2, last=5): ([4, 5], (5, 2, None)),
    Selection(tail=1, limit=3): ([9], (9, 1, None)),
    Selection(tail=4, limit=2): ([6, 7], (9, 2, 8)),
    Selection(tail=2, context=1, searches=text("trace")): (*([4, context(5)], (1, 2, None)),),
    # Lines that are brought in.
    Selection(show=(b"L4",)): (range(1, 10), (9, 9, None)),
    Selection(show=(b"L1", b"L4"), level="CRITICAL"): (
        *([brought_in(1), brought_in(4)], (0, 2, None)),
    ),
    Selection(show=(b"_Mar__8_12_20_42",), level="ERROR"): (
        *([3, 4, 5, 6, brought_in(8)], (4, 5, None)),
    ),
    Selection(show=(b"L1",), first=4, limit=1): ([brought_in(1), 4], (6, 2, 5)),
    Selection(show=(b"L7",), level="ERROR", limit=2): ([3, 4, brought_in(7)], (4, 3, 5)),
    Selection(show=(b"L6",), level="ERROR", limit=2): ([3, 4, 6], (4, 3, 5)),
    Selection(show=(b"L3", b"L7"), level="ERROR", after=5): ([6, brought_in(7)], (1, 2, None)),
    Selection(show=(b"L2", b"L8"), tail=1, searches=text("2013")): (
        *([2, brought_in(8), 9], (5, 3, None)),
    ),
    Selection(show=(b"L8",), tail=2, searches=text("2013")): (
        *([7, brought_in(8), 9], (5, 3, None)),
    ),
    Selection(show=(b"L77", b"_2011")): (range(1, 10), (9, 9, None)),
    Selection(show=(b"L7-L8", b"L2-L1", b"L8-L999"), level="CRITICAL"): (
        *([brought_in(number) for number in (1, 2, 7, 8, 9)], (0, 5, None)),
    ),
    Selection(show=(b"L1-L2",), first=2, last=3): ([brought_in(1), 2, 3], (2, 3, None)),
    # Lines that were sent before.
    Selection(after=3, first=2, level="ERROR"): ([4, 5, 6], (3, 3, None)),
    Selection(after=3, first=6, level="ERROR"): ([6], (1, 1, None)),
    Selection(after=4, context=2, searches=text("trace")): (
        *([context(5), context(6)], (0, 2, None)),
    ),
    Selection(after=6, context=2, searches=text("trace")): ([], (0, 0, None)),
    Selection(after=2, context=9, searches=text("debug")): (
        *([*map(context, range(3, 7)), 7, context(8), 9], (2, 7, None)),
    ),
    Selection(after=6, context=1, searches=text("debug"), limit=1): ([7], (1, 1, 8)),
    Selection(after=7, tail=3): ([8, 9], (2, 2, None)),
}


def expected(view, shown, first=1, last=0, marked=()):
    """first, last: numbers of the lines that are shown or left out. marked: number of a line -> what
    is within its element."""
    parts, gap, seen = [], first, None
    for one in shown:
        number, role = one if isinstance(one, tuple) else (one, b"")
        parts.append(_gap(view, gap, number - 1))
        name = NAMES.get(number, seen)
        named = b" name=" + name if name != seen else b""
        parts.append(_line(view, number, role, named, dict(marked).get(number)))
        gap, seen = number + 1, name
    return b"".join([*parts, _gap(view, gap, last)])


def _gap(view, first, last):
    if view != "html" or last < first:
        return b""
    lines = b"%d line%b" % (last - first + 1, b"s" if first < last else b"")
    return b'<li class=gap><a href="%blines=%d-%d">%b</a>\n' % (LINK, first, last, lines)


def _line(view, number, role, named, inner):
    line, when, severity, told, kind, unmarked = GOLDEN[number - 1]
    if view == "text":
        return line
    if view == "jsonl":
        row = {"line": number, "time": when, "severity": severity, "text": told}
        return json.dumps(row, ensure_ascii=False).encode() + b"\n"
    inner = unmarked if inner is None else inner
    names = b" ".join(filter(None, (kind, role)))
    quoted = b'"%b"' % names if b" " in names else names
    attribute = b" class=" + quoted if names else b""
    return b"<li%b id=L%d%b>%b\n" % (attribute, number, named, inner)


def without_marks(html):
    return re.sub(b"</?mark>", b"", html)


@pytest.mark.parametrize("selection", SHOWN, ids=repr)
def test_the_golden_log(renderer, selection):
    shown, told = SHOWN[selection]
    for view, size in product(["html", "text", "jsonl"], [7, 64, len(LOG)]):
        pieces = cut(LOG, range(size, len(LOG), size))
        made, tally = answered(renderer, pieces, wanted(view, selection))
        made = bare(made)
        last = 0 if tally.cut_at else tally.lines
        first = max(selection.first, selection.after + 1)
        assert without_marks(made) == expected(view, shown, first, last), (view, size)
        assert (tally.matched, tally.sent, tally.cut_at, tally.dropped) == (*told, 0)


FULLEST = Selection(
    first=2,
    last=8,
    since=time_range("2013"),
    level="INFO",
    searches=text("r"),
    without=text("unit"),
    context=1,
    limit=4,
    tail=3,
    show=(b"L8",),
)
NEWER = Selection(after=5, level="ERROR", context=1)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    "selection", [ALL_LINES, Selection(level="ERROR"), FULLEST, NEWER], ids=repr
)
def test_the_golden_log_is_the_same_however_it_is_cut(renderer, view, selection):
    whole, tally = answered(renderer, [LOG], wanted(view, selection))
    for size in (*range(1, 60), *range(60, len(LOG), 7)):
        pieces = cut(LOG, range(size, len(LOG), size))
        made, told = answered(renderer, pieces, wanted(view, selection))
        told = replace(told, bytes=tally.bytes)  # as many as were read
        assert (made, told) == (whole, tally), size


@pytest.mark.parametrize(
    ("searches", "marked"),
    [
        (text("trace"), {4: b"<mark>Trace</mark>back"}),
        (text("x", "ERR"), {3: T + b" <mark>ERR</mark>OR <mark>x</mark>\r"}),
        (
            pattern(r"18.* ERR"),
            {3: b"2013-09-27 <mark>18:22:11.248 ERR</mark>OR x\r"},
        ),
        (
            pattern('"c"|a <'),
            {2: T + b' 2790 INFO <mark>a &lt;</mark>b&gt; <mark>"c"</mark> &amp; d'},
        ),
        (text("é", "ed\x1b"), {6: None}),
        (
            pattern("\xe9|\x1b.*r"),
            {
                6: b" so on "
                + T
                + b" | \xff\x00<mark>\xc3\xa9</mark>\\ "
                + b'<span class="bold fg1"><mark>r</mark>ed</span>'
            },
        ),
        (
            pattern("[2f]790|.EBUG req-0f3d"),
            {
                7: GOLDEN[6][-1]
                .replace(b"1 DEBUG <a", b"1 <mark>DEBUG </mark><a")
                .replace(b">req-0f3d", b"><mark>req-0f3d</mark>")
            },
        ),
        (pattern("x*$|Trace|ce|ba"), {4: b"<mark>Traceba</mark>ck"}),
    ],
    ids=str,
)
def test_matches_are_marked_within_what_else_there_is(rendered, searches, marked):
    [number] = marked
    if marked[number] is None:
        marked[number] = GOLDEN[number - 1][-1].replace(b"\xc3\xa9", b"<mark>\xc3\xa9</mark>")
        marked[number] = marked[number].replace(b"red<", b"r<mark>ed</mark><")
    made = rendered([LOG], searches=searches, first=number, last=number)
    assert made == expected("html", [number], number, marked=marked)
    assert without_marks(made) == expected("html", [number], number)


def test_so_many_matches_of_a_line_are_marked(rendered):
    for searches in (text("a"), pattern("a"), pattern("a.*b|a|")):
        made = rendered([b"a-" * (MOST_MATCHES + 1)], searches=searches)
        assert made.count(b"<mark>a</mark>") == made.count(b"<mark>")
        assert made.count(b"<mark>") == (
            MOST_MATCHES if len(searches[0]) < 6 else MOST_MATCHES // 2
        )


def test_of_a_costly_pattern_fewer_matches_of_a_line_are_marked(rendered):
    """To find each takes a pass of the pattern over the rest of the line."""
    searches = pattern(".*(?:[a-z].{0,30}){12}Q|a")
    assert rendered([b"a-" * MOST_MATCHES], searches=searches).count(b"<mark>") == 1
    searches = pattern(".*(?:.{0,9}){5}Q|a")
    most = MOST_STATES // sum(map(state_count, searches))
    assert 1 < most < MOST_MATCHES
    assert rendered([b"a-" * MOST_MATCHES], searches=searches).count(b"<mark>") == most


def test_without_an_address_there_are_no_links(renderer):
    line = b"<%b>" % REQUEST
    for searches in ((), text("q"), pattern(".")):
        asked = wanted("html", Selection(searches=searches))._replace(link=b"")
        made = b"".join(renderer([line], asked))
        assert made.count(b"<mark>") == len(searches)
        assert b"<a" not in bare(made)
    for selection in (ALL_LINES, Selection(level="INFO"), *SHOWN):
        asked = wanted("html", selection)
        linked = b"".join(renderer([LOG], asked))
        plain = re.sub(rb"(<li class=gap>)<a[^>]*>(.*)</a>", rb"\1\2", linked)
        plain = re.sub(rb'<a href="[^"]*q=[^"]*">((?:[^<]|</?mark>)*)</a>', rb"\1", plain)
        assert b"".join(renderer([LOG], asked._replace(link=b""))) == plain
        assert LINK not in plain


# Figures.


@pytest.mark.parametrize("selection", SHOWN, ids=repr)
def test_figures_are_of_the_lines_that_are_shown_and_the_whole_log_is_read(renderer, selection):
    shown, told = SHOWN[selection]
    numbers = [one[0] if isinstance(one, tuple) else one for one in shown]
    counts = {}
    for number in numbers:
        severity = GOLDEN[number - 1][2]
        first = counts.get(severity, {"first_line": number})["first_line"]
        count = counts.get(severity, {"count": 0})["count"] + 1
        counts[severity] = {"count": count, "first_line": first}
    figures, tally = answered(renderer, cut(LOG, (50, 60)), wanted("summary", selection))
    assert figures["severities"] == counts
    times = [GOLDEN[number - 1][1] for number in numbers if GOLDEN[number - 1][1]]
    assert (figures["first_time"], figures["last_time"]) == (*times[:1], *times[-1:]) or (
        not times and figures["first_time"] is figures["last_time"] is None
    )
    dated = [n for n in numbers if n >= 2]  # the first line that shows a time
    buckets = figures["histogram"]["buckets"]
    assert sum(sum(bucket["severities"].values()) for bucket in buckets) == len(dated)
    unlimited = answered(renderer, [LOG], wanted("jsonl", selection._replace(limit=None)))[1]
    counted = Tally(9, len(LOG), unlimited.matched, *told[1:], 0)
    assert replace(tally, cut_from=None) == counted


# Odd logs.


@pytest.mark.parametrize("pieces", [[], [b""], [b"", b""]])
@pytest.mark.parametrize("view", ["html", "text", "jsonl"])
def test_nothing_is_nothing(rendered, view, pieces):
    for level in LEVELS:
        assert rendered(pieces, view, level=level) == b""
        assert rendered(pieces, view, level=level, context=1, tail=3, show=(b"L1",)) == b""


ODD = {
    "no end": b"a\nb\nc",
    "empty lines": b"\n\n\na\n\n",
    "one newline": b"\n",
    "Windows": b"a\r\nb\r\n\r\nc\r\n",
    "progress": b"1%\r2%\r3%\rdone\nb\r\r\n\r",
    "NUL": b"\0\0\n\0a\0\nb\0",
    "no UTF-8": b"\xff\xfe\n\xc3\n\x80\x80\n\xed\xa0\x80\n\xf4\x90\x80\x80\n\xe2\x82",
    "breaks that are none": b"a\x0bb\x0cc\x1cd\x85e\n\xc2\x85\n\xe2\x80\xa8\n\xe2\x80\xa9x",
    "UTF-16": "a\nb\n".encode("utf-16"),
    "escapes": b"\x1b[\n\x1b[1m\n\x1b[38;5;9mx\n\x1b\x1b[2Ky\x1b[" + b"1" * 65 + b"mz\n\x1b",
    "times alone": (T + b"\n") * 3 + T,
    "characters of control": b'\t\x08\x0c\x1f\x7f "\\ \n\xf0\x9f\x98\x80\n\x1b[31m\r\n',
}


@pytest.mark.parametrize("name", ODD)
def test_lines_have_the_numbers_that_sed_gives_them(rendered, name):
    log = ODD[name]
    lines = [line + b"\n" for line in log.split(b"\n")]
    lines = [*lines[:-1], *([lines[-1][:-1]] if lines[-1] != b"\n" else [])]
    numbers = range(1, len(lines) + 1)
    for size in (1, 2, len(log)):
        pieces = cut(log, range(size, len(log), size))
        for more in ({}, {"context": 1}):
            ids = re.findall(rb" id=L(\d+)", rendered(pieces, **more))
            assert [int(number) for number in ids] == list(numbers)
            objects = rendered(pieces, "jsonl", **more).split(b"\n")[:-1]
            assert [json.loads(row)["line"] for row in objects] == list(numbers)
            assert rendered(pieces, "text", **more) == log
        for number in numbers:
            asked = {"first": number, "last": number}
            assert rendered(pieces, "text", **asked) == lines[number - 1]
            assert rendered(pieces, "html", **asked).startswith(b"<li id=L%d" % number)


@pytest.mark.parametrize("name", ODD)
def test_the_text_of_an_object_is_that_of_the_line(rendered, name):
    log = ODD[name]
    objects = rendered([log], "jsonl").split(b"\n")[:-1]
    assert [json.dumps(json.loads(one), ensure_ascii=False).encode() for one in objects] == objects
    rows = [json.loads(one)["text"] for one in objects]
    plain = re.sub(rb"\x1b\[[0-?]{0,64}[ -/]{0,4}[@-~]", b"", log).removesuffix(b"\n").split(b"\n")
    assert rows == [line.removesuffix(b"\r").decode("utf-8", "replace") for line in plain]


def test_content_is_always_escaped(rendered):
    attack = b'<script>alert("1")</script>&\x1b[31m<i>\x1b["<b>m"&'
    for line in (attack, T + b" " + attack, T + b" host <b>[1]: ERROR " + attack):
        for more in ({}, {"searches": pattern(".")}, {"searches": text("script>al", '"')}):
            made = rendered([line], **more)
            assert b"<script" not in made
            own = re.sub(rb"</?(li|span|a|mark)[^<>]*>", b"", made).removesuffix(b"\n")
            plain = re.sub(rb"\x1b\[31m", b"", line)
            assert own == escaped(plain)


# Over-long lines.


#: Bytes of a line in which time and severity are looked for, see doc/severities.rst.
REACH = 4096
LONG = T + b" ERROR " + b"x" * (REACH - len(T) - len(b" ERROR "))
LONG_LOGS = {
    "as long": LONG,
    "longer by one": LONG + b"y",
    "a colour across": LONG[:-2] + b"\x1b[31m" + b"y" * 50,
    "a request across": LONG[:-9] + REQUEST + b" " + REQUEST,
    "Windows": LONG[:-1] + b"\r",
    "Windows, longer": LONG + b"y\r",
    "cut at a carriage return": LONG[:-1] + b"\ry",
    "cut in a character": LONG[:-1] + "é".encode() + b"y",
    "much longer": LONG + b"<y>" * 900,
}


LONG_SELECTIONS = (
    ALL_LINES,
    Selection(searches=text("x")),
    Selection(searches=text("y")),
    Selection(context=1, searches=text("a")),
    Selection(tail=2),
    Selection(show=(b"L2",), level="CRITICAL"),
)


@pytest.mark.parametrize("name", LONG_LOGS)
def test_all_is_decided_within_so_many_bytes_of_a_line_however_it_is_cut(renderer, name):
    log = b"a\n" + LONG_LOGS[name] + b"\nb\n" + LONG_LOGS[name]
    for selection, view in product(LONG_SELECTIONS, VIEWS):
        whole, tally = answered(renderer, [log], wanted(view, selection), REACH)
        for size in (17, REACH - 1, REACH, REACH + 1, len(log) - 1):
            pieces = cut(log, range(size, len(log), size))
            found, told = answered(renderer, pieces, wanted(view, selection), REACH)
            told = replace(told, bytes=tally.bytes)
            assert (found, told) == (whole, tally), (selection, view, size)


def test_what_stands_behind_is_shown_and_neither_searched_nor_marked(rendered):
    line = LONG + b"<find> " + REQUEST + b"\x1b[31m"
    for size in (1, 100, len(line)):
        pieces = cut(line, range(size, len(line), size))
        assert rendered(pieces, "text", REACH, searches=text("find")) == b""
        assert rendered(pieces, "text", REACH, without=text("find")) == line
        made = rendered(pieces, "html", REACH, searches=pattern("E", "x+"))
        assert made.endswith(b"</mark>&lt;find&gt; " + REQUEST + b"\x1b[31m\n")


def test_an_object_says_where_its_text_was_cut(rendered):
    for end in (b"", b"\n", b"\r\n"):
        [whole] = rendered([LONG + end], "jsonl", REACH).splitlines()
        is_cut = end == b"\r\n"  # whether it is all of the line's end is not known
        assert json.loads(whole).get("cut", False) is is_cut
        [part] = rendered([LONG + b"y" + end], "jsonl", REACH).splitlines()
        assert json.loads(part) == json.loads(whole) | {"cut": True}
        assert json.loads(part)["text"] == LONG.decode()


def test_context_takes_no_more_than_a_line(renderer):
    lines = b"".join(b"%07d\n" % number for number in range(2 * REACH // 8))
    asked = wanted("text", Selection(context=1000, searches=text("hit")))
    made = b"".join(renderer([lines + b"hit\n"], asked, room=Room(line=REACH)))
    assert made == lines[-(REACH // 8 * 8) :] + b"hit\n"


# Reading.


@pytest.mark.parametrize(
    "asked",
    [{"limit": 2}, {"limit": 2, "level": "INFO"}, {"last": 2}, {"first": 2, "last": 2}],
    ids=str,
)
@pytest.mark.parametrize("view", ["html", "text", "jsonl"])
def test_no_more_is_read_than_is_needed(rendered, view, asked):
    def pieces():
        yield T + b" INFO a\n" + T + b" INFO b\nc\nd"
        raise AssertionError("read on")

    shown = 1 if "first" in asked else 2
    assert rendered(pieces(), view, **asked).count(b"\n") == shown


def test_what_comes_of_a_piece_is_sent_at_once(renderer):
    log = b"2013-09-27 18:22:11.248 INFO x\n" * 100
    for view in ("html", "text"):
        sent = [*renderer([log] * 3, Wanted(view, Selection(level="INFO")))]
        assert [part.count(b"18:22:11.248 INFO") for part in sent[:3]] == [100] * 3


def test_of_a_line_without_an_end_no_more_is_held_than_is_needed(renderer):
    sent = [*renderer([b"x" * 65536] * 40, Wanted("text"))]
    assert max(map(len, sent)) <= LONGEST_LINE
    assert sum(map(len, sent)) == 40 * 65536


# The native core.


def test_one_grammar_serves_threads():
    log = b"".join(generate_oslo(1_000_000))
    grammar = Grammar([])

    def html(_):
        renderer = Renderer(grammar, Wanted("html"), 0, 1024 * 1024)
        return renderer.feed(log) + renderer.finish()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(html, range(8))) == {html(0)}


@pytest.mark.parametrize(
    ("wanted", "longest", "told"),
    [
        (Wanted("pdf"), REACH, "no such view: pdf"),
        (Wanted("html", Selection(level="error")), REACH, "no such level: error"),
        (Wanted("html"), REACH - 1, "longest is less than"),
    ],
)
def test_a_renderer_that_cannot_be_is_refused(wanted, longest, told):
    with pytest.raises(ValueError, match=told):
        Renderer(Grammar([]), wanted, 0, longest)


@pytest.mark.parametrize("selection", [Selection(), Selection(tail=2), Selection(limit=1)])
def test_cuts_do_not_change_how_much_is_shown_of_a_long_line(renderer, selection):
    log = b"a\n" + b"<x>&" * (LINE_BYTES // 3) + b"\nb\n"
    pages = set()
    for size in (len(log), 300_000, 2**20 + 1):
        pieces = [log[at : at + size] for at in range(0, len(log), size)]
        rendering = renderer(pieces, Wanted("html", selection))
        pages.add((b"".join(rendering), rendering.tally.cut_line))
    [(page, cut_line)] = pages
    assert cut_line == (None if selection.limit else 2)
    assert len(page) < 6 * LINE_BYTES


@pytest.mark.parametrize("view", ["html", "text", "jsonl"])
def test_no_tail_is_rendered_in_one_piece(renderer, view):
    log = b"2013-09-27 18:22:11.248 1 INFO a line\n" * 10_000
    pieces = list(renderer([log], Wanted(view, Selection(tail=10_000))))
    assert max(map(len, pieces)) < 2**19
    assert len(pieces) > 1
