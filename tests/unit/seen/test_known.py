# SPDX-License-Identifier: Apache-2.0
import time

import pytest

from oslogserve.seen import Cause, Named, Run
from oslogserve.seen.known import REACH, Known, Rule, Rules

ONE, OTHER = Known("one", "https://bugs.example.org/1"), Known("other", "")


def run(*lines, job="tempest-full", log="controller/console.log"):
    cause = Cause(log, 1, lines[0], "", "", "\n".join(lines))
    return Run("a/1", 1, True, Named(job), "", (cause,))


def test_a_rule_knows_a_cause_by_any_of_its_lines():
    rules = Rules([Rule(ONE, "mirror .* gone$")])
    assert rules.known(run("FAIL: x", "the mirror is gone")) == [ONE]
    assert rules.known(run("the mirror is gone again")) == []
    assert rules.known(run("the mirror", "is gone")) == []


def test_a_rule_may_be_of_a_job_and_of_a_log():
    rules = Rules([Rule(ONE, "full", job="^tempest-"), Rule(OTHER, "full", file=r"console\.log$")])
    assert rules.known(run("disk full")) == [ONE, OTHER]
    assert rules.known(run("disk full", job="unit")) == [OTHER]
    assert rules.known(run("disk full", log="a.txt")) == [ONE]


def test_job_and_log_are_of_the_cause_that_a_rule_fits():
    rules = Rules([Rule(ONE, "full", file="^b")])
    causes = (Cause("a.txt", 1, "disk full", ""), Cause("b.txt", 1, "timeout", ""))
    assert rules.known(Run("a/1", 1, True, causes=causes)) == []


def test_each_title_is_told_once_in_the_order_of_the_rules():
    rules = Rules([Rule(ONE, "b"), Rule(OTHER, "a"), Rule(ONE, "a")])
    assert rules.known(run("a", "b")) == [ONE, OTHER]


def test_a_kept_cause_without_its_lines_is_known_by_its_text():
    kept = Run("a/1", 1, True, causes=(Cause("a.txt", 1, "disk full", ""),))
    assert Rules([Rule(ONE, "full")]).known(kept) == [ONE]


def test_without_rules_nothing_is_known():
    assert Rules().known(run("disk full")) == []


@pytest.mark.parametrize("line", ["\udcff", "", "\0", "\u2028", "x" * 10**6])
def test_any_text_is_searched(line):
    assert Rules([Rule(ONE, "no such")]).known(run(line, job=line, log=line)) == []


def test_patterns_have_the_syntax_of_links():
    rules = Rules([Rule(ONE, r"(?i)\bdisk\s+\d+ (is )?full\b")])
    assert rules.known(run("Disk  12 FULL")) == [ONE]


def test_no_pattern_makes_a_hostile_text_slow():
    rules = Rules([Rule(ONE, "(a+)+$"), Rule(OTHER, "(a|aa)*b(a|b)*c"), Rule(ONE, ".*.*.*=x")])
    started = time.process_time()
    for _ in range(10):
        rules.known(run(*["a" * (REACH - 1) + "!"] * 40))
    assert time.process_time() - started < 2
