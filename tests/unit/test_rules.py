# SPDX-License-Identifier: Apache-2.0
"""Files of rules, and how their faults are told."""

import os

import pytest

from oslogserve.cli import main
from oslogserve.config import ConfigError, load, rules
from oslogserve.config.rules import load_rules
from oslogserve.seen.known import Known, Rule


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "rules"
    path.mkdir()
    return path


def fault(folder, text):
    (folder / "a.yaml").write_text(text)
    with pytest.raises(ConfigError) as raised:
        load_rules(str(folder))
    return raised.value.sentence.replace(f"{folder}/", "")


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
    first, *others = load_rules(str(folder)).rules
    assert first == Rule(
        Known("Mirror", "https://bugs.example.org/1"),
        "mirror .* is gone",
        "^tempest",
        "console",
        f"{folder}/a.yaml:2",
    )
    assert [one.says.title for one in others] == ["y", "1234", "z"]


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
        ("title: x\npattern: x\nurl: javascript:x", "a.yaml:3: url: an address that begins"),
        ("title: x\npattern: x\nurl: https://a b", "a.yaml:3: url: an address that begins"),
        ("- x\n- 3", "a.yaml:1: no rule: it has the keys pattern"),
        ("a: b: c", "a.yaml:1: no YAML: mapping values are not allowed here"),
        ("[" * 5000, "a.yaml: no YAML"),
        ("a: \x1b[31m", "a.yaml:1: the line has a control character, U+001B"),
        (f"title: x\npattern: {'x' * 1001}", "pattern: at most 1000 characters"),
        (f"title: {'x' * 201}\npattern: x", "title: at most 200 characters"),
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
    with pytest.raises(ConfigError, match="more than 500 files"):
        load_rules(str(folder))


def test_a_pipe_is_no_file_of_rules(folder):
    os.mkfifo(folder / "a.yaml")
    with pytest.raises(ConfigError, match="no regular file"):
        load_rules(str(folder))


@pytest.fixture
def file(folder, tmp_path):
    path = tmp_path / "oslogserve.conf"
    path.write_text(f"[known]\nrules = {folder}\n")
    return path


def test_a_check_tells_the_faults_of_rules_with_those_of_the_configuration(folder, file):
    (folder / "a.yaml").write_text("title: x\npattern: (a\n")
    begins = f"{file}:2: [known] rules: {folder}/a.yaml:2: pattern: "
    with pytest.raises(ConfigError) as raised:
        load(str(file), {}, must_exist=True)
    assert raised.value.sentence.startswith(begins)
    file.write_text(f"{file.read_text()}[seen]\ndays = x\n")
    for must_exist in (False, True):
        with pytest.raises(ConfigError) as raised:
            load(str(file), {}, must_exist=must_exist)
        first, second = raised.value.sentence.split("\n")
        assert first.startswith(begins)
        assert second.startswith(f"{file}:4: [seen] days:")


def test_a_server_does_without_faulty_rules_and_has_the_others(folder, file):
    (folder / "a.yaml").write_text("- {pattern: (a, title: x}\n- {pattern: b, title: y}\n")
    (folder / "b.yaml").write_text("- {pattern: c, title: z}\n- [\n")
    (folder / "c.yaml").mkdir()
    (folder / "d.yaml").write_text("{pattern: d, title: w}\n")
    config = load(str(file), {})
    assert [rule.says.title for rule in config.rules.rules] == ["y", "w"]
    told = [one.removeprefix(f"{file}:2: [known] rules: {folder}/") for one in config.lacks()]
    assert [one.partition(" ")[0] for one in told] == ["a.yaml:1:", "b.yaml:3:", "c.yaml:"]
    assert all(one.endswith("; the server runs without it") for one in told)


@pytest.mark.parametrize("name", ["gone", "file"])
def test_a_server_does_without_a_folder_of_rules_that_it_cannot_read(tmp_path, name):
    (tmp_path / "file").touch()
    config = load(None, {}, known_rules=f"{tmp_path}/{name}")
    assert len(config.rules) == 0
    (told,) = config.lacks()
    assert told.startswith(f"[known] rules: {tmp_path}/{name}: No")


def test_a_server_has_no_rule_of_too_many(folder, file, monkeypatch):
    monkeypatch.setattr(rules, "MOST_RULES", 1)
    (folder / "a.yaml").write_text("- {pattern: x, title: y}\n" * 2)
    config = load(str(file), {})
    assert len(config.rules) == 0
    (told,) = config.lacks()
    assert "it has 2 rules: at most 1 are taken; the server runs without it" in told


def test_check_config_fails_for_faulty_rules(folder, file, capsys):
    (folder / "a.yaml").write_text("title: x\npattern: (a\n")
    assert main(["check-config", str(file)]) == 2
    assert f"{file}:2: [known] rules: {folder}/a.yaml:2: pattern: " in capsys.readouterr().err


def test_check_config_counts_them(folder, tmp_path, capsys):
    (folder / "a.yaml").write_text("- {pattern: x, title: y}\n- {pattern: z, title: y}\n")
    file = tmp_path / "oslogserve.conf"
    file.write_text(f"[known]\nrules = {folder}\n")
    assert main(["check-config", str(file)]) == 0
    assert "\n# 2 rules of known causes\n" in capsys.readouterr().out
