# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from oslogserve.lines.renderer import Room
from oslogserve.lines.selection import NO_TIME, UNTIMED, UNTIMED_LINES, Selection, Wanted
from oslogserve.search import literal
from tests.kit.renderers import cut, rows_of

REACH = 4096

LOG = b"""a start without a time
2013-09-27 18:22:12 INFO one <b>
  of it
2013-09-27 18:22:11 ERROR a step back
2013-09-27T20:22:13+02:00 INFO a zone
[   12.500000] ERROR seconds since boot
"""
SECOND = 10**6
AT_12 = 1380306132 * SECOND


def rows(renderer, log, view="text", label=b"a.txt:", longest=REACH, **selection):
    wanted = Wanted(view, Selection(**selection), 1.4e9, b"", None, label, by_time=True)
    return rows_of(renderer(log, wanted, room=Room(line=longest)))


def test_a_row_names_its_log_and_number(renderer):
    texts = [text for _, text in rows(renderer, [LOG], level="ERROR")]
    assert texts == [
        b"a.txt:4:2013-09-27 18:22:11 ERROR a step back\n",
        b"a.txt:6:[   12.500000] ERROR seconds since boot\n",
    ]


def test_a_row_of_json_begins_with_its_log(renderer):
    [(_, row)] = rows(
        renderer, [LOG], "jsonl", b'"log": "a.txt", ', searches=(literal("<b>"),)
    )  # fmt: skip
    assert list(json.loads(row)) == ["log", "line", "time", "severity", "text"]


def test_a_row_of_html_links_to_its_line_and_has_no_number_of_its_own(renderer):
    [(_, row)] = rows(renderer, [LOG], "html", b"x/a.txt", first=3, last=3)
    assert row == b"<li class=i><a href=x/a.txt#L3>3</a>  of it\n"


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_a_long_line_is_cut_wherever_the_log_is(renderer, size):
    log = b"x" * (REACH + 2) + b"\ny\n"
    wanted = Wanted("text", label=b"")
    rendering = renderer(cut(log, range(size, len(log), size)), wanted, room=Room(line=REACH))
    found = rows_of(rendering)
    assert [text for _, text in found] == [b"1:" + b"x" * REACH + b"\n", b"2:y\n"]
    assert rendering.tally.cut_line == 1


def test_a_log_without_a_time_in_its_first_lines_has_none(renderer):
    log = b"x\n" * UNTIMED_LINES + b"2013-09-27 18:22:12 INFO late\n"
    times = [time for time, _ in rows(renderer, [log])]
    assert times == [NO_TIME] * (UNTIMED_LINES - 1) + [UNTIMED] * 2
    assert rows(renderer, [log[2:]])[-1][0] == AT_12


@pytest.mark.parametrize("size", [40, 4096])
def test_the_first_time_that_is_reached_is_the_logs_whatever_is_left_out(renderer, size):
    pieces = cut(LOG, range(size, len(LOG), size))
    for text, context in (("start", 0), ("nothing", 9), ("zone", 9)):
        asked = Selection(searches=(literal(text),), context=context)
        wanted = Wanted("text", asked, 1.4e9, b"", None, b"", by_time=True)
        found = renderer(pieces, wanted, room=Room(line=REACH)).rows()
        reached = [rows.reached for rows in found]
        assert next(time for time in reached if time != NO_TIME) == AT_12
