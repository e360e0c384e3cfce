# SPDX-License-Identifier: Apache-2.0
"""Rules, what they know, and how the faults of their files are told."""

import os
import time

import pytest

from oslogserve.app import App
from oslogserve.cli import main
from oslogserve.config import load
from oslogserve.seen import Cause, Run, rules
from oslogserve.seen.rules import REACH, Rule, Rules, configured_rules, usable_rules


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "rules"
    path.mkdir()
    return path


def fault(folder, text):
    (folder / "a.yaml").write_text(text)
    return "\n".join(usable_rules(str(folder))[1]).replace(f"{folder}/", "")


def test_a_file_has_a_rule_or_a_list_of_them(folder):
    (folder / "b.yaml").write_text('pattern: "full"\ntitle: 1234\n')
    (folder / "a.yaml").write_text(
        "# known since May\n"
        "- pattern: >\n    mirror .* is\n    gone\n"
        "  job: ^tempest\n  file: console\n"
        "  title: Mirror\n  url: https://bugs.example.org/1\n"
        "- {pattern: x, title: y}\n"
    )
    (folder / "empty.yaml").write_text("# none\n")
    (folder / "c.yml").write_text("pattern: x\ntitle: z\n")
    (folder / "README.md").write_text("- no: rule\n")
    found, faults = usable_rules(str(folder))
    first, *others = found.rules
    assert not faults
    assert first == Rule(
        "mirror .* is gone",
        "Mirror",
        "https://bugs.example.org/1",
        "^tempest",
        "console",
        f"{folder}/a.yaml:2",
    )
    assert [one.title for one in others] == ["y", "1234", "z"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("pattern: x", "a.yaml:1: a rule needs title"),
        ("\ntitle: x\npattern:", "a.yaml:2: a rule needs pattern"),
        ("- title: x\n- pattern: x", "a rule needs pattern\na.yaml:2: a rule needs title"),
        ("title: x\npattern: (a", "a.yaml:2: pattern: it takes a regular expression"),
        ("title: x\npattern: x\njob: '['", "a.yaml:3: job: it takes a regular expression"),
        ("title: x\npattern: x\npattern: y", "a.yaml:3: pattern: it is given already"),
        ("title: x\npattern: x\nbug: 1", "a.yaml:3: 'bug': no such key: a rule takes pattern"),
        ("title: x\npattern: [x]", "a.yaml:2: pattern: it takes a text"),
        ("title: x\npattern: x\n[1]: x", "a.yaml:3: '': no such key"),
        (
            "title: x\npattern: x\nurl: javascript:x",
            "a.yaml:3: url: it takes an address that begins",
        ),
        (
            "title: x\npattern: x\nurl: https://a b",
            "a.yaml:3: url: it takes an address that begins",
        ),
        ("- x\n- 3", "a.yaml:1: no rule: it has the keys pattern"),
        ("a: b: c", "a.yaml:1: no YAML: mapping values are not allowed here"),
        ("[" * 5000, "a.yaml: no YAML"),
        ("a: \x1b[31m", "a.yaml:1: the line has a control character, U+001B"),
        (f"title: x\npattern: {'x' * 1001}", "pattern: it takes at most 1000 characters"),
        (f"title: {'x' * 201}\npattern: x", "title: it takes at most 200 characters"),
        ("title: x\npattern: (a{1000}){1000}", "it takes a regular expression"),
        ("- &a [*a]", "a.yaml:1: no rule"),
    ],
)
def test_a_fault_is_told_with_file_line_and_key(folder, text, sentence):
    assert sentence in fault(folder, text)


def test_there_are_so_many_rules_at_most(folder):
    told = fault(folder, "- {pattern: x, title: y}\n" * (rules.MOST_RULES + 1))
    assert "it has 501 rules: at most 500 are taken" in told


@pytest.mark.parametrize("key", ["pattern", "job", "file"])
def test_there_are_so_many_states_at_most(folder, key):
    rule = {"pattern": "x", "title": "y"} | {key: "x{900}"}
    assert "too complex" in fault(folder, f"- {rule}\n" * 100)


def test_there_are_so_many_files_at_most(folder):
    for number in range(rules.MOST_FILES + 1):
        (folder / f"{number}.yaml").touch()
    (told,) = usable_rules(str(folder))[1]
    assert "more than 500 files" in told


def test_a_pipe_is_no_file_of_rules(folder):
    os.mkfifo(folder / "a.yaml")
    (told,) = usable_rules(str(folder))[1]
    assert "no regular file" in told


@pytest.fixture
def file(folder, tmp_path):
    path = tmp_path / "oslogserve.conf"
    path.write_text(f"[known]\nrules = {folder}\n[disk]\nroot = {folder}\n")
    return path


def test_a_server_does_without_faulty_rules_and_has_the_others(folder, file):
    (folder / "a.yaml").write_text("- {pattern: (a, title: x}\n- {pattern: b, title: y}\n")
    (folder / "b.yaml").write_text("- {pattern: c, title: z}\n- [\n")
    (folder / "c.yaml").mkdir()
    (folder / "d.yaml").write_text("{pattern: d, title: w}\n")
    found, faults = configured_rules(load(str(file), {}))
    assert [rule.title for rule in found.rules] == ["y", "w"]
    told = [one.removeprefix(f"{file}:2: [known] rules: {folder}/") for one in faults]
    assert [one.partition(" ")[0] for one in told] == ["a.yaml:1:", "b.yaml:3:", "c.yaml:"]


@pytest.mark.parametrize("name", ["gone", "file"])
def test_a_server_does_without_a_folder_of_rules_that_it_cannot_read(tmp_path, name):
    (tmp_path / "file").touch()
    found, (told,) = configured_rules(load(None, {}, known_rules=f"{tmp_path}/{name}"))
    assert len(found) == 0
    assert told.startswith(f"[known] rules: {tmp_path}/{name}: No")


def test_a_server_has_no_rule_of_too_many(folder, file, monkeypatch):
    monkeypatch.setattr(rules, "MOST_RULES", 1)
    (folder / "a.yaml").write_text("- {pattern: x, title: y}\n" * 2)
    found, (told,) = configured_rules(load(str(file), {}))
    assert len(found) == 0
    assert told.endswith("it has 2 rules: at most 1 are taken")


def test_check_config_fails_for_faulty_rules(folder, file, capsys):
    (folder / "a.yaml").write_text("title: x\npattern: (a\n\n---\n")
    (folder / "b.yaml").write_text("title: x\n")
    assert main(["check-config", str(file)]) == 2
    first, second = capsys.readouterr().err.splitlines()
    place = f"oslogserve: {file}:2: [known] rules: {folder}"
    assert first.startswith(f"{place}/a.yaml:")
    assert second.startswith(f"{place}/b.yaml:1: a rule needs pattern")


def test_an_application_without_faulty_rules_says_so(folder, file):
    (folder / "a.yaml").write_text("title: x\n")
    (told,) = App(load(str(file), {})).faults
    assert told.startswith(f"{file}:2: [known] rules: {folder}/a.yaml:1: ")
    assert told.endswith("; the server runs without it")


def test_check_config_counts_them(folder, tmp_path, capsys):
    (folder / "a.yaml").write_text("- {pattern: x, title: y}\n- {pattern: z, title: y}\n")
    file = tmp_path / "oslogserve.conf"
    file.write_text(f"[known]\nrules = {folder}\n[disk]\nroot = {folder}\n")
    assert main(["check-config", str(file)]) == 0
    assert "\n# 2 rules of known causes\n" in capsys.readouterr().out


ONE, OTHER = ("one", "https://bugs.example.org/1"), ("other", "")


def run(*lines, job="tempest-full", log="controller/console.log"):
    cause = Cause(log, 1, lines[0], "", "", "\n".join(lines))
    return Run("a/1", 1, True, job, causes=(cause,))


def known(rules, run):
    return [(rule.title, rule.url) for rule in Rules(rules).known(run)]


def test_a_rule_knows_a_cause_by_any_of_its_lines():
    rules = [Rule("mirror .* gone$", *ONE)]
    assert known(rules, run("FAIL: x", "the mirror is gone")) == [ONE]
    assert known(rules, run("the mirror is gone again")) == []
    assert known(rules, run("the mirror", "is gone")) == []


def test_a_rule_may_be_of_a_job_and_of_a_log():
    rules = [Rule("full", *ONE, job="^tempest-"), Rule("full", *OTHER, file=r"console\.log$")]
    assert known(rules, run("disk full")) == [ONE, OTHER]
    assert known(rules, run("disk full", job="unit")) == [OTHER]
    assert known(rules, run("disk full", log="a.txt")) == [ONE]


def test_job_and_log_are_of_the_cause_that_a_rule_fits():
    rules = [Rule("full", *ONE, file="^b")]
    causes = (Cause("a.txt", 1, "disk full", ""), Cause("b.txt", 1, "timeout", ""))
    assert known(rules, Run("a/1", 1, True, causes=causes)) == []


def test_each_title_is_told_once_in_the_order_of_the_rules():
    rules = [Rule("b", *ONE), Rule("a", *OTHER), Rule("a", *ONE)]
    assert known(rules, run("a", "b")) == [ONE, OTHER]


def test_a_kept_cause_without_its_lines_is_known_by_its_text():
    kept = Run("a/1", 1, True, causes=(Cause("a.txt", 1, "disk full", ""),))
    assert known([Rule("full", *ONE)], kept) == [ONE]


def test_without_rules_nothing_is_known():
    assert known([], run("disk full")) == []


@pytest.mark.parametrize("line", ["\udcff", "", "\0", "\u2028", "x" * 10**6])
def test_any_text_is_searched(line):
    assert known([Rule("no such", *ONE)], run(line, job=line, log=line)) == []


def test_patterns_have_the_syntax_of_links():
    rules = [Rule(r"(?i)\bdisk\s+\d+ (is )?full\b", *ONE)]
    assert known(rules, run("Disk  12 FULL")) == [ONE]


def test_no_pattern_makes_a_hostile_text_slow():
    rules = [Rule("(a+)+$", *ONE), Rule("(a|aa)*b(a|b)*c", *OTHER), Rule(".*.*.*=x", *ONE)]
    started = time.process_time()
    for _ in range(10):
        known(rules, run(*["a" * (REACH - 1) + "!"] * 40))
    assert time.process_time() - started < 2
