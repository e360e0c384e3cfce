# SPDX-License-Identifier: Apache-2.0
import json
import tracemalloc
from functools import partial

import pytest

from oslogserve.ci.reports import (
    MOST_PARTS,
    MOST_TESTS,
    FailedTask,
    failed_tests,
    is_junit,
    zuul_report,
)
from oslogserve.errors import Incomplete

MIB = 2**20


@pytest.fixture
def peak_memory():
    def peak_memory(call):
        """Bytes that Python's objects take at most during a call, without those before it."""
        tracemalloc.start()
        try:
            call()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    return peak_memory


def of_junit(content):
    return failed_tests(content, lambda: None)


REPORT = b"""<?xml version="1.0"?>
<testsuites><testsuite name="x">
<testcase classname="a.B" name="fine"/>
<testcase classname="a.B" name="bad"><failure message="1 != 2">trace</failure></testcase>
<testcase name="worse"><error>
Traceback
  more</error></testcase>
<testcase name="left out"><skipped/></testcase>
</testsuite></testsuites>"""


def test_the_tests_that_failed_are_named():
    assert of_junit(REPORT) == [
        ("a.B.bad", "1 != 2"),
        ("worse", "Traceback"),
    ]


def test_a_test_that_failed_and_could_not_be_cleaned_up_is_named_once():
    both = b'<testcase name="x"><failure message="1 != 2"/><error message="busy"/></testcase>'
    assert of_junit(both) == [("x", "1 != 2")]


def test_of_a_damaged_report_what_stands_before_is_told():
    cut = REPORT[: REPORT.index(b"worse")]
    assert [name for name, _ in of_junit(cut)] == ["a.B.bad"]


def test_no_more_tests_are_named_than_are_read():
    one = b'<testcase name="x"><failure/></testcase>'
    assert len(of_junit(b"<testsuite>" + one * 99 + b"</testsuite>")) == MOST_TESTS


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\xff", b"no xml", b"<html></html>"),
        b'<!DOCTYPE x [<!ENTITY a "b">]><testcase name="&a;"><failure/></testcase>',
    ],
)
def test_what_is_no_report_names_no_test(content):
    assert of_junit(content) == []


def test_a_report_of_very_many_elements_is_not_taken_apart():
    many = b"<a>" * (MOST_PARTS + 1) + b'<testcase name="x"><failure/></testcase>'
    assert of_junit(many) == []


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("logs/testr_results.xml", True),
        *((f"logs/junit.xml{suffix}", True) for suffix in ("", ".gz", ".zst")),
        *((name, False) for name in ("junit.xml.xz", "junit.txt", "domain.xml", "testr.subunit")),
    ],
)
def test_a_test_report_is_known_by_its_name_which_may_be_of_a_compressed_file(name, is_one):
    assert is_junit(name) is is_one


def playbook(phase, *tasks):
    return {"phase": phase, "plays": [{"play": {"name": "all"}, "tasks": list(tasks)}]}


def task(name, **hosts):
    return {"task": {"name": name, "duration": {"end": "2026-03-04T18:23:20Z"}}, "hosts": hosts}


OK = task("fine", controller={"failed": False})
FAILED = task("run tempest", compute={}, controller={"failed": True, "msg": "non-zero return code"})
LATER = task("fetch logs", controller={"failed": True, "msg": "no such file"})
IGNORED = task("maybe", controller={"failed": True, "ignore_errors": True})


def of_zuul(*playbooks):
    return zuul_report(json.dumps(playbooks).encode())[0]


def test_the_task_that_ended_the_run_is_found():
    found = of_zuul(
        playbook("pre", OK), playbook("run", OK, IGNORED, FAILED), playbook("post", LATER)
    )
    assert found == FailedTask(
        "run tempest", "controller", "non-zero return code", "2026-03-04T18:23:20Z"
    )


def test_without_one_in_the_run_that_of_another_phase_counts():
    assert of_zuul(playbook("pre", LATER), playbook("run", OK)).name == "fetch logs"


def test_a_job_that_went_well_has_none():
    assert of_zuul(playbook("run", OK, IGNORED)) is None


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"\xff", b"null", b"[" * 100_000, b"{}", b"[1]", b'[{"plays": 1}]'),
        *(
            b'[{"plays": [{"tasks": [{"hosts": [1]}]}]}]',
            b'[{"plays": [{"tasks": [{"hosts": {"a": 1}}]}]}]',
        ),
    ],
)
def test_what_is_no_report_of_zuul_says_nothing(content):
    assert zuul_report(content) == (None, "", None)


def test_what_it_says_is_cut():
    long = task("x" * 999, **{"h" * 999: {"failed": True, "msg": ["y" * 999]}})
    assert max(map(len, of_zuul(playbook("run", long)))) == 300


def test_what_stands_in_strings_is_no_value():
    noisy = task("run", controller={"failed": True, "stdout": ':,[{\\"' * 200_000, "msg": "x"})
    assert of_zuul(playbook("run", noisy)).message == "x"


@pytest.mark.parametrize("message", [["a", {"b": [1, None]}], {}, [], {"it's": 1.5}, 7])
def test_a_message_that_is_no_text_is_shown_as_python_shows_it(message):
    found = of_zuul(playbook("run", task("x", h={"failed": True, "msg": message})))
    assert found.message == str(message or "")


ESCAPED = "\N{GRINNING FACE}" + "\x7f" * 8_000_000


@pytest.mark.parametrize("message", ["x" * 8_000_000, "\n" * 4_000_000, ESCAPED, [ESCAPED]])
def test_a_long_message_takes_little_more_memory_than_its_text(message, peak_memory):
    report = json.dumps(
        [playbook("run", task("x", h={"failed": True, "msg": message}))], ensure_ascii=False
    )
    assert peak_memory(partial(zuul_report, report.encode())) < 80 * MIB


@pytest.mark.parametrize("phase", ["x" * 10_000 + "\N{GRINNING FACE}", "run"])
def test_a_task_that_failed_on_very_many_hosts_is_copied_once(phase, peak_memory):
    name = ["\N{GRINNING FACE}"] * 2500
    hosts = {f"h{number}": {"failed": True} for number in range(40_000)}
    report = json.dumps([playbook(phase, task(name, **hosts))]).encode()
    found = []
    assert peak_memory(lambda: found.append(zuul_report(report))) < 60 * MIB
    assert found[0][0].host == "h39999"


def many_attributes(number):
    return b"<a " + b" ".join(b'a%d=""' % n for n in range(number)) + b"/>"


@pytest.mark.parametrize("attributes", [1, 90])
def test_a_tag_has_some_attributes(attributes):
    assert of_junit(
        REPORT.replace(
            b"<testsuite ",
            b"<testsuite>" + many_attributes(attributes) + b"</testsuite><testsuite ",
        )
    )


def test_a_tag_of_very_many_attributes_is_not_taken_apart(peak_memory):
    report = (
        b"<testsuite><testcase name='x'><failure/></testcase>"
        + many_attributes(150_000)
        + b"</testsuite>"
    )
    assert of_junit(report) == []
    assert peak_memory(partial(of_junit, report)) < MIB


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-7"])
def test_no_encoding_hides_a_document_type(encoding):
    hidden = (
        f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE x [<!ENTITY a "b">]>'
        + "<testcase name='&a;'><failure/></testcase>"
    )
    assert of_junit(hidden.encode(encoding)) == []


def test_reading_a_report_is_paid_for_while_it_goes_on():
    def charge():
        raise Incomplete("budget", "it is spent")

    with pytest.raises(Incomplete):
        failed_tests(REPORT, charge)


def counted(phase="run", failures=0, unreachable=0, times=()):
    duration = dict(zip(("start", "end"), times, strict=False))
    stats = {"node": {"failures": failures, "unreachable": unreachable, "ok": 3}}
    plays = [{"tasks": [{"task": {"name": "x", "duration": duration}, "hosts": {}}]}]
    return {"phase": phase, "plays": plays, "stats": stats}


@pytest.mark.parametrize(
    ("playbooks", "result"),
    [
        ([], ""),
        ([counted("pre")], ""),
        ([counted("pre"), counted()], "succeeded"),
        ([counted(), counted("cleanup", failures=1)], "succeeded"),
        ([counted(failures=1), counted("post")], "failed"),
        ([counted(), counted("post", unreachable=1)], "failed"),
        ([counted(), {"phase": "run", "plays": []}], ""),
        ([{"phase": "run", "stats": ["x"]}, {"phase": "run", "stats": {"a": 1}}], "succeeded"),
    ],
)
def test_the_result_is_that_of_the_playbooks(playbooks, result):
    assert zuul_report(json.dumps(playbooks).encode())[1] == result


def test_the_duration_is_from_the_first_task_to_the_last():
    playbooks = [
        counted(times=("2026-03-04T18:20:10.5Z", "2026-03-04T18:20:11Z")),
        counted(times=("", "yesterday")),
        counted(times=("2026-03-04T20:21:00+02:00", "2026-03-04T18:22:14.25")),
    ]
    assert zuul_report(json.dumps(playbooks).encode())[2] == 123.75
    assert zuul_report(json.dumps([counted()]).encode())[2] is None
