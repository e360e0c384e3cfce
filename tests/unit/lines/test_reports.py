# SPDX-License-Identifier: Apache-2.0
"""What a cause tells of the report of a failed test, and of a stack."""

import pytest

from oslogserve.lines.selection import Selection, Wanted
from tests.kit.renderers import answered


@pytest.fixture(scope="module")
def told_of(renderer):
    def told_of(*lines):
        log = "".join(line + "\n" for line in lines).encode()
        summary, _ = answered(renderer, [log], Wanted("summary", Selection(), 1.4e9))
        return summary["cause"]["told"]

    return told_of


def test_the_first_message_of_a_failed_test_may_be_behind_a_blank_line(told_of):
    thrown = 'thrown: "Exceeded timeout of 5000 ms for a test.'
    jest = (
        "  \u25cf S \u203a t",
        "",
        f"    {thrown}",
        "",
        "      4 |   it()",
        "",
        "      at a.js:4",
    )
    assert told_of(*jest) == ["\u25cf S \u203a t", thrown]
    suite = "  \u25cf Test suite failed to run", "", "    no module a"
    assert told_of(*suite)[1:] == ["no module a"]


def test_a_failed_hook_tells_what_is_below_the_list_of_its_results(told_of):
    hook = ("black....Failed", "- hook id: black", "- files were modified by this hook")
    assert told_of(*hook, "", "reformatted a.py", "", "All done!")[3:] == ["reformatted a.py"]


def test_a_report_goes_on_behind_blank_lines_with_deeper_ones(told_of):
    rspec = ["Failures:", "", "  1) User saves", "     Failure/Error: expect(x).to eq(2)", ""]
    values = ["       expected: 2", "            got: 3"]
    stack = "     # ./spec/a_spec.rb:5:in `block'"
    end = ["", "Finished in 4.2 seconds", "34 examples, 1 failure"]
    told = told_of(*rspec, *values, stack, *end)
    assert told[2:4] == ["expected: 2", "got: 3"]
    assert "Finished in 4.2 seconds" not in told


def test_a_report_does_not_go_on_behind_other_lines_nor_with_quoted_source(told_of):
    name, message = "  \u25cf S \u203a t", "    TypeError: x is not a function"
    quoted = "", "    > 5 |   expect(x)", "        |   ^", "", "      at a.js:5"
    assert told_of(name, "", message, *quoted) == [name.strip(), message.strip()]
    assert told_of(name, "    no a", "", "x", "", "    y") == [name.strip(), "no a"]


def test_the_source_of_a_test_that_pytest_quotes_is_not_told(told_of):
    head = "=== FAILURES ===", "____ test_a ____", "", "    def test_a():", "        x = 1"
    assert told_of(*head, ">       assert x == 2", "E       assert 1 == 2", "") == [
        *("____ test_a ____", ">       assert x == 2", "E       assert 1 == 2")
    ]


def test_the_suites_of_a_test_of_mocha_are_a_part_of_its_name(told_of):
    head = ["1 failing", "", "  1) API", "       v2", "         get:", "     Error: boom"]
    assert told_of(*head) == ["1) API v2 get:", "Error: boom"]
    assert len(told_of("1 failing", "", "  1) A", *["       x" * 40] * 39, "       a:")[0]) <= 400


def test_a_failed_check_of_googletest_has_the_name_of_the_test_that_runs(told_of):
    passed = "[ RUN      ] A.a", "[       OK ] A.a (0 ms)"
    failed = "[ RUN      ] A.b/1", "a_test.cc:34: Failure", "Which is: 3", ""
    assert told_of(*passed, *failed, "[  FAILED  ] A.b/1 (0 ms)") == [
        *("[ RUN      ] A.b/1", "a_test.cc:34: Failure", "Which is: 3")
    ]
    assert told_of("a_test.cc:34: Failure", "x")[0] == "a_test.cc:34: Failure"


def test_an_exception_tells_the_last_call_of_the_program_above_it(told_of):
    own = '  File "/builds/x/main.py", line 7, in load'
    library = '  File "/usr/lib/python3.12/json/decoder.py", line 355, in raw_decode'
    head, error = "Traceback (most recent call last):", "KeyError: 'name'"
    source = "    x(y)", "    ~^^^"
    assert told_of(head, own, *source, error) == [error, own.strip()]
    assert told_of(head, own, *source, library, *source, error) == [error, own.strip()]
    assert told_of(head, library, *source, error) == [error]
    assert told_of(head, own, *source, "x", error) == [error]


@pytest.mark.parametrize(
    ("error", "library", "own"),
    [
        (
            *("java.io.EOFException", "\tat java.base/java.io.A.read(A.java:3)"),
            "\tat com.x.Main.main(Main.java:3)",
        ),
        (
            *("SyntaxError: Unexpected token <", "    at JSON.parse (<anonymous>)"),
            "    at load (/src/a.js:3:1)",
        ),
        (
            *("Unhandled exception. System.NullReferenceException: no", "   at System.A.B()"),
            "   at X.Y.Z(Int32 n) in /src/X.cs:line 3",
        ),
        (
            *("panic: test timed out after 10m0s", "\trunning tests:"),
            "\t\tTestSlow (9m58s)",
        ),
    ],
)
def test_an_exception_tells_the_first_call_of_the_program_below_it(told_of, error, library, own):
    assert told_of(error, library, own, own, "x") == [error, own.strip()]
    assert told_of(error, library, "x", own) == [error]
    assert told_of(error, "", own) == [error]
