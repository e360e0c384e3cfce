# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from client_kit import data_of
from oslogserve_mcp.answer import Report
from oslogserve_mcp.client import Answer
from oslogserve_mcp.places import Site
from oslogserve_mcp.rows import Line, show_rows

SITE = Site("https://logs.example.org")
URL = SITE.url
END = {"end": True, "lines": 9, "matched": 2, "complete": True, "read_to_end": True, "next": None}


def row(line, text="text", **members):
    return {"line": line, "text": text, **members}


def shown(*objects, to="job/a.log", most=4000, around=None, is_cut=False):
    """The data of an answer to a URL, whose objects these are."""
    body = b"".join(json.dumps(one).encode() + b"\n" for one in objects)
    report = Report(most)
    show_rows(Answer(body, is_cut, SITE.place(URL + to)), SITE, report, around)
    assert len(report.text().encode()) <= most
    return data_of(report.text())


def test_the_lines_of_a_log_have_their_numbers_and_a_link_to_the_first():
    end = {**END, "reason": None}
    lines = shown(row(3, "three"), row(7, "seven", new=True), end)
    assert lines == ["2 of 9 lines fit", f"[1] {URL}job/a.log?goto=3", "3: three", "+7: seven"]


def test_a_link_keeps_the_source():
    lines = shown(row(3), END, to="job/a.log?source=swift&format=jsonl")
    assert f"[1] {URL}job/a.log?source=swift&goto=3" in lines


def test_the_lines_of_a_folder_have_the_links_of_their_logs_once():
    rows = [row(1, log="a b.log"), row(5, log="c/é"), row(2, log="a b.log"), row(3, log="a b.log")]
    assert shown(*rows, END, to="job/")[1:] == [
        f"[1] {URL}job/a%20b.log?goto=1",
        "1: text",
        f"[2] {URL}job/c/%C3%A9?goto=5",
        "5: text",
        "[1]",
        "2: text",
        "3: text",
    ]


@pytest.mark.parametrize(
    ("to", "next_", "link"),
    [
        (
            "job/a.log?q=x&format=jsonl&limit=2",
            "/job/a.log?q=x&format=jsonl&limit=2&lines=8-",
            None,
        ),
        ("job/?q=x&format=jsonl&limit=2", "?q=x&format=jsonl&limit=2&after=2", "job/?q=x&after=2"),
    ],
)
def test_the_link_to_more_is_one_for_search(to, next_, link):
    last = shown(row(3), {**END, "next": next_}, to=to)[-1]
    assert last.endswith(URL + (link or "job/a.log?q=x&lines=8-"))


def test_where_lines_do_not_fit_the_link_goes_on_behind_the_last_one():
    rows = [row(number, "x" * 50) for number in range(1, 101)]
    lines = shown(
        *rows, {**END, "next": "?lines=101-"}, to="job/a.log?q=x&after=0&limit=100", most=2000
    )
    last = lines[-2].partition(":")[0]
    assert lines[-1].endswith(f"{URL}job/a.log?q=x&after={last}")
    assert 10 < int(last) < 40


def test_in_a_folder_it_counts_the_lines_of_all_logs():
    rows = [row(7, "x" * 50, log=f"{number}.log") for number in range(100)]
    lines = shown(*rows, END, to="job/?q=x&after=5&from=0.log", most=2000)
    count = sum(line.startswith("7: ") for line in lines)
    assert lines[-1].endswith(f"{URL}job/?q=x&from=0.log&after={5 + count}")


@pytest.mark.parametrize("log", ["", "b.log"])
def test_the_lines_around_one_are_shown_where_not_all_fit(log):
    named = {"log": "b.log.zst"} if log else {}
    rows = [row(number, "x" * 50, **named) for number in range(1, 1001)]
    lines = shown(*rows, END, most=2000, around=Line(log, 500))
    numbers = [int(line.partition(":")[0]) for line in lines if line.endswith("x")]
    assert numbers[0] < 490
    assert numbers[-1] > 510
    assert numbers == [*range(numbers[0], numbers[-1] + 1)]
    assert f"{1000 - len(numbers)} lines left out: ask for more bytes" in lines


def test_of_a_long_line_something_is_shown():
    lines = shown(row(5, "x" * 10**6), END, most=1000, around=Line("", 5))
    assert lines[-1].startswith("5: xxx")
    assert "bytes or more are left out" in lines[-1]


def test_the_end_of_what_the_server_cut_is_not_taken_for_the_end_of_the_line():
    lines = shown(row(5, "x" * 10**6, cut=True), END)
    assert lines[-1].endswith("x ... the rest of the line is left out")


def test_what_is_missing_is_said():
    notices = ["The folder b could not be listed.", "c.log has no times."]
    skipped = [{"name": f"{number}.png", "reason": "it is image/png"} for number in range(7)]
    end = {**END, "complete": False, "compared": False, "notices": notices, "skipped": skipped}
    lines = shown(row(1, log="a"), end, to="job/")
    assert "Something is missing from this answer." in lines
    assert any(line.startswith("Not compared") for line in lines)
    assert {*notices} < {*lines}
    assert any(line.startswith("7 files not read: 0.png (it is image/png), ") for line in lines)
    [reason] = [line for line in shown({**END, "reason": "It is damaged."}) if "damaged" in line]
    assert reason == "It is damaged."


def test_many_notices_leave_room_for_lines():
    end = {
        **END,
        "notices": ["x" * 900] * 1000,
        "skipped": [{"name": "y" * 900, "reason": "z"}] * 10**4,
    }
    assert "1: text" in shown(row(1, log="a"), end, to="job/")


@pytest.mark.parametrize("is_cut", [False, True])
def test_an_answer_without_its_last_object_is_not_complete(is_cut):
    lines = shown(row(1), row(2), is_cut=is_cut)
    assert ("The rest is left out" in lines[0]) == is_cut
    assert lines[0].startswith("The rest is") or "missing" in lines[0]
    assert lines[-1] == "2: text"


def test_a_row_that_is_cut_is_left_out():
    body = b'{"line": 1, "text": "one"}\n{"line": 2, "te'
    report = Report(2000)
    show_rows(Answer(body, True, SITE.place(URL + "a.log")), SITE, report)
    assert data_of(report.text())[-1] == "1: one"


def test_how_many_lines_fit_is_not_said_if_the_rest_was_not_looked_at():
    assert not any("fit" in line for line in shown(row(1), {**END, "read_to_end": False}))


def test_no_line_is_said_if_the_rest_was_not_looked_at():
    assert "0 lines" in shown({**END, "read_to_end": False})


def test_a_log_whose_name_is_not_utf_8_has_no_link():
    assert shown(row(1, log="a\ufffd.log"), END, to="job/")[1:] == [
        "[1] a\ufffd.log (no link: this name is not UTF-8)",
        "1: text",
    ]


@pytest.mark.parametrize("length", [100, 300, 500, 2000])
def test_a_link_is_never_cut(length):
    to = f"{'a' * length}.log"
    lines = shown(*(row(number, "x" * 90) for number in range(1, 40)), END, to=to, most=1200)
    links = [line for line in lines if "aaa" in line]
    assert all(f"{URL}{to}" in line for line in links)
    assert links or lines[-1] == "Further lines are left out: ask for more bytes"
