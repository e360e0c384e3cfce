# SPDX-License-Identifier: Apache-2.0
"""Two features at once, asked in every way; what is expected is read from the manual, line by line."""

import pytest

from tests.kit.asker import Asker

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def asker(tmp_path_factory):
    asker = Asker(tmp_path_factory.mktemp("ways"))
    yield asker
    asker.check_indexes()


def text_of(*lines):
    return b"".join(line.encode() + b"\n" for line in lines)


#: Lines with zones: their order in time is that of their numbers.
ZONES = text_of(
    "2026-03-04T18:22:10Z INFO api.server the first",
    "2026-03-04T20:22:12+02:00 INFO api.worker ahead",
    "  follows what is ahead",
    "2026-03-04T18:22:14Z ERROR api.server in UTC again",
    "2026-03-04T12:52:16-05:30 INFO api.worker behind",
    "2026-03-04T12:52:17-05:30 ERROR api.worker still behind",
    "2026-03-04T20:22:18+02:00 WARNING api.worker ahead again",
    "2026-03-04T20:22:19+02:00 INFO api.worker and still",
    "2026-03-04T18:22:20Z INFO api.server the last",
)
#: An error with a traceback of its own program, and one with a traceback without times.
TRACEBACKS = text_of(
    "2013-09-27 18:22:11.100 2790 INFO nova.compute [-] begins",
    "2013-09-27 18:22:11.248 2790 ERROR nova.compute [-] it broke",
    "2013-09-27 18:22:11.248 2790 TRACE nova.compute Traceback (most recent call last):",
    '2013-09-27 18:22:11.248 2790 TRACE nova.compute   File "a.py", line 1',
    "  a line without a head",
    "2013-09-27 18:22:12.000 2790 INFO nova.compute [-] goes on",
    "  more of it",
    "2013-09-27 18:22:13.000 2790 WARNING nova.api [-] slow",
    "  was slow",
    "2013-09-27 18:22:14.000 2790 ERROR nova.api [-] it broke again",
    "Traceback (most recent call last):",
    '  File "b.py", line 2',
    "ValueError: no",
    "2013-09-27 18:22:15.000 2790 DEBUG nova.api [-] ends",
)
#: A traceback that its program alone ties to its error: each line has a time of its own.
SLOW_TRACEBACK = text_of(
    "2013-09-27 18:22:11.248 2790 ERROR nova.compute [-] it broke",
    "2013-09-27 18:22:11.301 2790 TRACE nova.compute Traceback (most recent call last):",
    '2013-09-27 18:22:11.402 2790 TRACE nova.compute   File "a.py", line 1',
    "2013-09-27 18:22:11.503 2790 TRACE nova.compute ValueError: no",
    "2013-09-27 18:22:11.604 2790 TRACE nova.api of another program",
)
#: Lines above the first date, times of day, and a clock that is set back.
CLOCKS = text_of(
    "a heading",
    "18:22:09 INFO only a time of day",
    "2026-03-04 18:22:10 INFO the first date",
    "18:59:59 INFO a time of day again",
    "2026-03-04 18:22:30 INFO ahead",
    "no time at all",
    "2026-03-04 18:22:20 INFO the clock was set back",
    "2026-03-04 18:22:40 ERROR the last",
)
#: Lines of one block that show the same time, in two zones.
SAME_CLOCK = text_of(
    "2026-03-04T18:22:10Z INFO one",
    "2026-03-04T18:22:10-05:30 ERROR two",
    "2026-03-04T18:22:11Z INFO three",
)
#: Times without a year, in a log that was last written to on 5 March 2026 at 06:00.
YEARLESS = text_of(
    "Mar  6 06:01:01 node nova[17]: INFO more than a day later: last year's",
    "Dec 31 23:59:59 node nova[17]: INFO last year's",
    "Mar  4 18:22:10 node nova[17]: INFO this year's",
    "Mar  4 18:22:11 node nova[17]: ERROR this year's",
    "Mar  6 05:59:59 node nova[17]: INFO less than a day later",
)
#: Carriage returns: at the end, within, and both.
RETURNS = text_of(
    "alpha has its end\r",
    "progress 10%\rprogress 100%\r",
    "beta has its end",
    "covered\rneedle\r",
    "2026-03-04 18:22:10 ERROR gamma has its end\r",
    "\r",
)
#: Two tasks named "test"; the second one failed.
BUILD = text_of(
    "2026-03-04 18:22:10.000000 | TASK [install] ***",
    "2026-03-04 18:22:11.000000 | node | one",
    "2026-03-04 18:22:12.000000 | node | ok",
    "2026-03-04 18:22:13.000000 | TASK [test] ***",
    "2026-03-04 18:22:14.000000 | node | two",
    "2026-03-04 18:22:15.000000 | ok: [node]",
    "2026-03-04 18:22:16.000000 | TASK [test] ***",
    "2026-03-04 18:22:17.000000 | node | three",
    "2026-03-04 18:22:18.000000 | node | four",
    "2026-03-04 18:22:19.000000 | fatal: [node]: FAILED! => {}",
    "2026-03-04 18:22:20.000000 | TASK [clean] ***",
    "2026-03-04 18:22:21.000000 | node | five",
)
#: Few of its blocks have each word.
WORDS = text_of(
    *(f"common lines of padding, number {n}" for n in range(1, 20)),
    "a Kernel panic in volume_attach",
    *(f"common lines of padding, number {n}" for n in range(21, 40)),
    "id 0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9 is gone",
    *(f"common lines of padding, number {n}" for n in range(41, 60)),
    "a kernel without that other word",
)
LAST_OF_UUID = "1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
COLOURS = text_of(
    "2026-03-04 18:22:10 \x1b[1;31mERROR\x1b[0m red",
    "\x1b[32m2026-03-04 18:22:11\x1b[0m INFO green",
    "  \x1b[1mfollows\x1b[0m",
    "2026-03-04 18:22:12 DEBUG plain",
)

CASES = [
    # Zones, and ranges of times with and without one.
    (ZONES, "since=2026-03-04T18:22:12Z", [2, 3, 4, 5, 6, 7, 8, 9]),
    (ZONES, "until=2026-03-04T18:22:16Z", [1, 2, 3, 4, 5]),
    (ZONES, "since=2026-03-04T18:22:12Z&until=2026-03-04T18:22:17Z", [2, 3, 4, 5, 6]),
    (ZONES, "since=2026-03-04T20:22:16+02:00", [5, 6, 7, 8, 9]),
    (ZONES, "since=2026-03-04T20:00", [2, 3, 7, 8]),
    (ZONES, "until=2026-03-04T12:52:16", [5]),
    (ZONES, "since=2026-03-04T12:52:16-05:30&limit=2", [5, 6]),
    (ZONES, "since=2026-03-04T12:52:16-05:30&tail=2", [8, 9]),
    (ZONES, "since=2026-03-04T18:22:15Z&level=WARNING", [6, 7]),
    (ZONES, "until=2026-03-04T18:22:15Z&level=ERROR", [4]),
    (ZONES, "since=2026-03-04T18:22:14Z&q=behind&context=1", [4, 5, 6, 7]),
    (ZONES, "since=2026-03-04T18:22:18Z&q=ahead again&context=2", [7, 8, 9]),
    (ZONES, "until=2026-03-04T18:22:12Z&q=ahead&context=1", [1, 2, 3]),
    (ZONES, "since=2026-03-04T18:22:19Z&show=L5", [5, 8, 9]),
    (ZONES, "since=2026-03-04T18:22:17Z&after=7", [8, 9]),
    (ZONES, "lines=3-6&since=2026-03-04T18:22:14Z", [4, 5, 6]),
    (SAME_CLOCK, "since=2026-03-04T23:52:10Z", [2]),
    (SAME_CLOCK, "since=2026-03-04T23:00Z&level=ERROR&tail=1", [2]),
    # Records of several lines, and whatever chooses some of them.
    (TRACEBACKS, "level=ERROR", [2, 3, 4, 5, 10, 11, 12, 13]),
    (TRACEBACKS, "level=ERROR&since=2013-09-27T18:22:12", [10, 11, 12, 13]),
    (TRACEBACKS, "level=ERROR&until=2013-09-27T18:22:11", [2, 3, 4, 5]),
    (TRACEBACKS, "level=WARNING&tail=3", [11, 12, 13]),
    (TRACEBACKS, "level=WARNING&tail=6&limit=2", [8, 9]),
    (TRACEBACKS, "level=ERROR&q=line", [4, 5, 12]),
    (TRACEBACKS, "level=ERROR&q=Line", []),
    (TRACEBACKS, "level=ERROR&not=line&context=1", [1, 2, 3, 4, 9, 10, 11, 12, 13, 14]),
    (TRACEBACKS, "level=ERROR&not=line&context=1&lines=3-12", [3, 4, 9, 10, 11, 12]),
    (TRACEBACKS, "level=ERROR&lines=5-11", [5, 10, 11]),
    (TRACEBACKS, "level=ERROR&after=4&limit=2", [5, 10]),
    (TRACEBACKS, "level=ERROR&after=5&tail=3", [11, 12, 13]),
    (TRACEBACKS, "level=ERROR&tail=1&show=L7", [7, 13]),
    (TRACEBACKS, "q=slow&show=_2013-09-27_18_22_14_000", [8, 9, 10]),
    (TRACEBACKS, "since=2013-09-27T18:22:12&until=2013-09-27T18:22:13", [6, 7, 8, 9]),
    (SLOW_TRACEBACK, "level=ERROR", [1, 2, 3, 4]),
    (SLOW_TRACEBACK, "level=ERROR&lines=3-", [3, 4]),
    (SLOW_TRACEBACK, "level=ERROR&since=2013-09-27T18:22:11.4", [3, 4]),
    (SLOW_TRACEBACK, "level=ERROR&tail=1", [4]),
    # Lines above the first date, times without one, and a clock that is set back.
    (CLOCKS, "since=2026-03-04T18:22:10", [3, 4, 5, 6, 7, 8]),
    (CLOCKS, "until=2026-03-04T18:22:10", [1, 2, 3, 4]),
    (CLOCKS, "until=2026-03-04T18:22:10&tail=2", [3, 4]),
    (CLOCKS, "since=2026-03-04T18:22:30", [5, 6, 8]),
    (CLOCKS, "since=2026-03-04T18:22:25Z&context=1&q=last", [8]),
    (CLOCKS, "until=2026-03-04T18:22:20&q=clock&context=3", [4, 7]),
    (CLOCKS, "since=2026-03-04T18:22:10&q=day", [4]),
    (CLOCKS, "level=INFO&until=2026-03-04T18:22:09", [2]),
    # Times without a year.
    (YEARLESS, "since=2026", [3, 4, 5]),
    (YEARLESS, "until=2025-12-31", [1, 2]),
    (YEARLESS, "since=2025-03-06T06:01:01Z&until=2026-03-04T18:22:10Z", [1, 2, 3]),
    (YEARLESS, "since=2026-03-04&level=ERROR", [4]),
    # Carriage returns are a part of the line that is searched.
    (RETURNS, "re=end$", [3]),
    (RETURNS, "re=end\\r?$", [1, 3, 5]),
    (RETURNS, "re=^\\r$&context=1", [5, 6]),
    (RETURNS, "q=needle&lines=2-5", [4]),
    (RETURNS, "re=^needle", []),
    (RETURNS, "not=end&tail=2", [4, 6]),
    (RETURNS, "level=ERROR&re=end\\r$", [5]),
    # Chapters.
    (BUILD, "chapter=test", [7, 8, 9, 10]),
    (BUILD, "chapter=install&q=o", [2, 3]),
    (BUILD, "chapter=test&tail=2", [9, 10]),
    (BUILD, "chapter=test&since=2026-03-04T18:22:18", [9, 10]),
    (BUILD, "chapter=test&lines=8-9", [8, 9]),
    (BUILD, "chapter=clean&context=3&q=five", [11, 12]),
    (BUILD, "chapter=test&limit=1&show=L2", [2, 7]),
    # Words and ids, of which few blocks have each.
    (WORDS, "q=kernel", [20, 60]),
    (WORDS, "q=Kernel", [20]),
    (WORDS, "q=kernel&not=panic", [60]),
    (WORDS, "q=volume_att&context=1", [19, 20, 21]),
    (WORDS, "re=(?i)KERNEL.*word$&context=2", [58, 59, 60]),
    (WORDS, f"q={LAST_OF_UUID}&context=1", [39, 40, 41]),
    (WORDS, f"q={LAST_OF_UUID.upper()}", []),
    (WORDS, "q=kernel&tail=1", [60]),
    (WORDS, "q=kernel&limit=1", [20]),
    (WORDS, "q=kernel&lines=21-", [60]),
    (WORDS, "q=absent&show=L40", [40]),
    (WORDS, "q=number 19&q=padding&context=1&tail=2", [19, 20]),
    (WORDS, "not=common&after=20", [40, 60]),
    (WORDS, "lines=38-42&not=number", [40]),
    # A terminal's colours.
    (COLOURS, "level=ERROR", [1]),
    (COLOURS, "level=INFO&since=2026-03-04T18:22:11", [2, 3]),
    (COLOURS, "re=ERROR red", []),
    (COLOURS, "q=follows&context=1&level=INFO", [2, 3, 4]),
]


@pytest.mark.parametrize(("log", "query", "expected"), CASES, ids=[case[1] for case in CASES])
def test_a_log_has_the_same_lines_in_every_way(asker, log, query, expected):
    assert asker.ask(log, query).lines == expected


@pytest.mark.parametrize(
    ("log", "query", "expected"),
    [
        (TRACEBACKS, "level=ERROR&limit=3", [2, 3, 4, 5, 10, 11, 12, 13]),
        (TRACEBACKS, "level=ERROR&not=line&context=1&limit=4", [1, 2, 3, 4, 9, 10, 11, 12, 13, 14]),
        (ZONES, "since=2026-03-04T18:22:14Z&level=INFO&limit=2", [4, 5, 6, 7, 8, 9]),
        (WORDS, "q=kernel&context=1&limit=2", [19, 20, 21, 59, 60]),
        (BUILD, "chapter=test&limit=3", [7, 8, 9, 10]),
        (TRACEBACKS, "lines=2-6&limit=2", [2, 3, 4, 5, 6]),
    ],
)
def test_next_leads_to_all_lines_in_every_way(asker, log, query, expected):
    assert asker.ask(log, query, follows=True).lines == expected


@pytest.mark.parametrize(
    ("log", "query", "expected"),
    [
        (ZONES, "since=2026-03-04T18:22:17Z", [6, 7, 8, 9]),
        (TRACEBACKS, "level=ERROR&tail=2", [12, 13]),
        (TRACEBACKS, "level=ERROR&until=2013-09-27T18:22:11", [2, 3, 4, 5]),
        (WORDS, "q=kernel&context=1", [19, 20, 21, 59, 60]),
    ],
)
def test_all_that_is_readable_of_a_log_that_was_cut_short_is_found(asker, log, query, expected):
    found = asker.ask(log, query, is_cut=True)
    assert found.lines == expected
    assert (found.end["complete"], found.end["read_to_end"]) == (False, False)


def test_a_log_that_was_cut_short_behind_the_limit_is_complete_so_far(asker):
    found = asker.ask(TRACEBACKS, "level=ERROR&limit=2", is_cut=True)
    assert found.lines == [2, 3]
    assert (found.end["complete"], found.end["read_to_end"]) == (True, False)


@pytest.mark.parametrize("ending", ["", "\n"])
def test_the_last_line_counts_with_and_without_its_line_feed(asker, ending):
    log = ZONES[:-1] + ending.encode()
    assert asker.ask(log, "since=2026-03-04T18:22:20Z").lines == [9]
    assert asker.ask(log, "q=last&tail=1&context=1").lines == [9]
    assert asker.summary(log)["lines"] == 9


def test_the_first_mib_of_a_line_is_searched_to_its_last_byte(asker):
    """Its last byte counts, and the one behind it does not."""
    begin = b"2026-03-04 18:22:10 ERROR "
    within = begin + b"x" * (MIB - len(begin) - 6) + b"needle"
    across = within[: len(begin)] + b"x" + within[len(begin) :]
    behind = b"x" * MIB + b"needle"
    log = b"\n".join(
        [b"short", within + b" and more", across, b"2026-03-04 18:22:12 short", behind, b""]
    )
    assert len(within) == MIB
    assert asker.ask(log, "q=needle").lines == [2]
    assert asker.ask(log, "not=needle&until=2026-03-04T18:22:11").lines == [1, 3]


def test_a_line_of_one_mib_is_searched_to_its_end(asker):
    log = b"short\n" + b"x" * (MIB - 6) + b"needle\nneedle\n"
    assert asker.ask(log, "re=needle$&tail=2").lines == [2, 3]


PASSED = text_of(
    "2026-03-03 10:00:00 INFO the service begins on node 17",
    "2026-03-03 10:00:01 INFO it waits for the database",
    "2026-03-03 10:00:02 ERROR a harmless failure of every run",
)
FAILED = text_of(
    "2026-03-04 18:22:10 INFO the service begins on node 99",
    "2026-03-04 18:22:11 ERROR a harmless failure of every run",
    "2026-03-04 18:22:12 INFO migrations were never applied",
    "2026-03-04 18:22:13 INFO it waits for the database",
    "2026-03-04 18:22:14 ERROR relation instances does not exist",
    "  statement: select everything",
    "2026-03-04 18:22:15 INFO it waits for the database",
    "2026-03-04 18:22:16 WARNING giving up at last",
)


@pytest.mark.parametrize(
    ("query", "expected", "new"),
    [
        ("new=only", [3, 5, 6, 8], 4),
        ("new=only&tail=2", [6, 8], 4),
        ("new=only&limit=1", [3], 1),
        ("new=only&level=ERROR", [5, 6], 2),
        ("new=only&since=2026-03-04T18:22:14&until=2026-03-04T18:22:15", [5, 6], 2),
        ("new=only&q=statement&context=1", [5, 6, 7], 1),
        ("level=ERROR", [2, 5, 6], 2),
        ("level=ERROR&tail=1", [6], 2),
        ("new=only&lines=5-7&context=2", [5, 6, 7], 2),
        ("new=only&after=5", [6, 8], 2),
    ],
)
def test_a_comparison_goes_with_every_other_filter(asker, query, expected, new):
    found = asker.ask(FAILED, f"against=passed/a.txt&{query}", passed={"a.txt": PASSED})
    assert found.lines == expected
    assert (found.end["new"], found.end["compared"]) == (new, True)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("order=time", "a3 c1 a5 a6 a8"),
        ("order=time&tail=3", "a5 a6 a8"),
        ("order=time&tail=4&limit=2", "c1 a5"),
        ("order=time&after=1&limit=2", "c1 a5"),
        ("order=time&level=ERROR&tail=1", "a6"),
        ("order=time&q=unlike&context=1", "c1"),
        ("since=2026-03-04T18:22:13&until=2026-03-04T18:22:14&tail=2", "a5 a6"),
        ("tail=2", "a8 c1"),
        ("level=ERROR", "a5 a6"),
    ],
)
def test_a_comparison_of_a_job_goes_with_every_other_filter(asker, query, expected):
    passed = {"a.txt": PASSED, "b.txt": PASSED}
    unlike = text_of("2026-03-04 18:22:13 INFO unlike all")
    logs = {"a.txt": FAILED, "b.txt": PASSED, "c.txt": unlike}
    names = [f"{one[0]}.txt:{one[1]}" for one in expected.split()]
    found = asker.ask_job(logs, f"against=passed&new=only&{query}", passed=passed)
    assert found.lines == names
    assert found.end["complete"] is True


SERVICE = text_of(
    "2026-03-04T18:22:10Z INFO one",
    "2026-03-04T20:22:14+02:00 ERROR two",
    "  follows two",
    "2026-03-04T18:22:18Z INFO three",
)
OTHER = text_of(
    "a heading",
    "2026-03-04T18:22:12Z INFO one",
    "2026-03-04T18:22:14Z WARNING two",
    "2026-03-04T12:52:16-05:30 ERROR three",
    "2026-03-04T12:52:11-05:30 INFO set back",
)
SILENT = text_of("no time", "needle", "no time either")
JOB = {"a.txt": SERVICE, "b.txt": OTHER, "c.txt": SILENT}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("order=time", "a1 b1 b2 a2 a3 b3 b4 b5 a4 c1 c2 c3"),
        ("order=time&tail=4", "a4 c1 c2 c3"),
        ("order=time&tail=6&limit=3", "b4 b5 a4"),
        ("order=time&after=2&limit=2", "b2 a2"),
        ("order=time&tail=7&after=2&limit=2", "b5 a4"),
        ("order=time&level=ERROR", "a2 a3 b4"),
        ("order=time&level=ERROR&tail=2", "a3 b4"),
        ("order=time&level=WARNING&context=1&tail=3", "b4 b5 a4"),
        ("since=2026-03-04T18:22:14Z", "a2 a3 b3 b4 a4"),
        ("since=2026-03-04T18:22:14Z&until=2026-03-04T18:22:16Z", "a2 a3 b3 b4"),
        ("until=2026-03-04T18:22:12Z", "a1 b1 b2 b5 c1 c2 c3"),
        ("until=2026-03-04T18:22:14Z", "a1 b1 b2 a2 a3 b3 b5 c1 c2 c3"),
        ("since=2026-03-04T20:22:14+02:00&level=WARNING&tail=1", "b4"),
        ("since=2026-03-04T12:00&until=2026-03-04T13:00", "b4 b5"),
        ("order=log&tail=4", "b5 c1 c2 c3"),
        ("order=log&level=ERROR&limit=1&after=1", "a3"),
        ("q=needle&order=time", "c2"),
        ("q=two&context=1&order=time", "a1 b2 a2 a3 b3 b4 a4"),
        ("q=two&context=1&order=time&since=2026-03-04T18:22:14Z", "a2 a3 b3 b4 a4"),
        ("q=t&not=no&order=log&logs=[bc].*", "b2 b3 b4 b5"),
        ("moment=b.txt:1&since=2026-03-04T18:22:16Z&until=2026-03-04T18:22:16Z", "b1 b4"),
    ],
)
def test_a_job_has_the_same_lines_in_every_way(asker, query, expected):
    names = [f"{one[0]}.txt:{one[1]}" for one in expected.split()]
    assert asker.ask_job(JOB, query).lines == names


#: Lines whose place by time is that of lines above them, which a query does not choose.
PLACED = {
    "a.txt": text_of(
        f"ERROR: a heading {'of a block of its own ' * 10}",
        "2026-03-04T18:22:30Z INFO x",
        "2026-03-04T18:22:10Z INFO set back",
        "  note of a",
        "2026-03-04T18:22:40Z INFO y",
    ),
    "b.txt": text_of("2026-03-04T20:22:20+02:00 ERROR two", "  note of b"),
    "c.txt": text_of("2026-03-04T18:22:25Z INFO z", "  note of c", "2026-03-04T18:22:41Z ERROR z"),
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("q=note&order=time", "b2 c2 a4"),
        ("q=note&order=time&tail=1", "a4"),
        ("q=note&context=1&order=time", "b1 b2 c1 c2 a3 a4 a5 c3"),
        ("q=note&context=1&order=time&tail=4", "a3 a4 a5 c3"),
        ("level=ERROR&order=time", "b1 b2 a1 c3"),
        ("level=ERROR&order=time&tail=2", "a1 c3"),
        ("level=ERROR&tail=3&since=2026-03-04T18:22:05Z&order=time", "b1 b2 c3"),
        ("level=INFO&tail=3&since=2026-03-04T18:22:05Z&order=time", "a4 a5 c3"),
        ("re=[xz]$&order=time&until=2026-03-04T18:22:39Z", "c1 a2"),
    ],
)
def test_lines_are_merged_by_times_that_are_not_shown(asker, query, expected):
    names = [f"{one[0]}.txt:{one[1]}" for one in expected.split()]
    assert asker.ask_job(PLACED, query).lines == names


@pytest.mark.parametrize("query", ["order=log&limit=3", "order=log&level=ERROR&limit=1"])
def test_next_leads_to_all_lines_of_a_job_in_every_way(asker, query):
    whole = asker.ask_job(JOB, query.partition("&limit")[0]).lines
    assert asker.ask_job(JOB, query, follows=True).lines == whole


def test_a_job_with_logs_that_were_cut_short_is_merged_as_far_as_they_go(asker):
    found = asker.ask_job(JOB, "order=time&level=WARNING&tail=2", is_cut=True)
    assert found.lines == ["b.txt:3", "b.txt:4"]
    assert found.end["complete"] is False


@pytest.mark.parametrize(
    ("byte_range", "first", "end"),
    [
        ("0-0", 0, 1),
        ("50-199", 50, 200),
        ("-30", -30, None),
        ("100-", 100, None),
        ("0-99999", 0, None),
    ],
)
@pytest.mark.parametrize("log", [ZONES, WORDS], ids=["zones", "words"])
def test_a_range_has_the_same_bytes_in_every_way(asker, log, byte_range, first, end):
    begin, size = first % len(log), len(log)
    body = log[first:end]
    told = f"bytes {begin}-{begin + len(body) - 1}/{size}"
    assert asker.ask_range(log, byte_range) == (206, told, body)


def test_a_range_behind_the_end_is_refused_in_every_way(asker):
    status, told, _ = asker.ask_range(ZONES, "9999-")
    assert (status, told) == (416, f"bytes */{len(ZONES)}")


@pytest.mark.parametrize(
    ("log", "query", "expected"),
    [
        (ZONES, "", {"INFO": (5, 1), "NONE": (1, 3), "ERROR": (2, 4), "WARNING": (1, 7)}),
        (ZONES, "since=2026-03-04T18:22:16Z", {"INFO": (3, 5), "ERROR": (1, 6), "WARNING": (1, 7)}),
        (TRACEBACKS, "level=ERROR&tail=4", {"ERROR": (3, 10), "NONE": (1, 12)}),
        (WORDS, "q=kernel", {"NONE": (2, 20)}),
    ],
)
def test_a_summary_counts_the_same_lines_in_every_way(asker, log, query, expected):
    found = asker.summary(log, query)["severities"]
    assert {name: (one["count"], one["first_line"]) for name, one in found.items()} == expected
