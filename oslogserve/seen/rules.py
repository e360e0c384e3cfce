# SPDX-License-Identifier: Apache-2.0
"""What people know of causes: rules with a title and a link, in a folder of YAML files."""

import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import yaml

from oslogserve.config import Config
from oslogserve.config.parser import ConfigError, text_of
from oslogserve.native import Patterns, state_count
from oslogserve.search import LONGEST, rewritten
from oslogserve.seen import Run

ENDINGS = (".yaml", ".yml")
MOST_FILES, MOST_RULES = 500, 500
#: Characters of a title and of an address.
LONGEST_TITLE, LONGEST_URL = 200, 1000
#: States of all patterns together. Each may cost a step for each byte of a cause.
MOST_STATES = 30_000
_KEYS = ("pattern", "job", "file", "title", "url")
#: Characters of a line that are searched.
REACH = 400


class Known(NamedTuple):
    """What a rule says of a cause that it knows."""

    title: str
    #: Of a bug, say; "" for none.
    url: str


class Rule(NamedTuple):
    """Patterns in RE2's syntax: an empty one fits everything."""

    says: Known
    #: Of a line of the cause.
    pattern: str
    #: Of the names of the job and of the log.
    job: str = ""
    file: str = ""
    #: Where it is written: file and line.
    where: str = ""


class Rules:
    """The rules of a folder, in the order of their names. All are tried at once, in linear time."""

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        """Raises ValueError if the patterns are too large together."""
        self.rules = rules
        self._jobs = Patterns([rewritten(rule.job) for rule in rules])
        self._files = Patterns([rewritten(rule.file) for rule in rules])
        self._lines = Patterns([rewritten(rule.pattern) for rule in rules])

    def __len__(self) -> int:
        return len(self.rules)

    def known(self, run: Run) -> list[Known]:
        """What the rules say of the run's causes, each once."""
        return [*dict.fromkeys(self.rules[place].says for place in self.hits(run))]

    def hits(self, run: Run) -> list[int]:
        """The places of the rules that know a cause of the run."""
        if not self.rules:
            return []
        of_job = _hits(self._jobs, run.job.job)
        found: set[int] = set()
        for cause in run.causes:
            candidates = (of_job & _hits(self._files, cause.log)) - found
            for line in (cause.told or cause.text).split("\n") if candidates else ():
                found |= candidates & _hits(self._lines, line)
        return sorted(found)


def configured_rules(config: Config) -> tuple[Rules, list[str]]:
    """The configured rules that have no fault; and all faults, a sentence each that begins with the option."""
    folder = config["known", "rules"]
    rules, faults = usable_rules(folder) if folder else (Rules(), [])
    return rules, [f"{config.place_of('known', 'rules')}: {fault}" for fault in faults]


def usable_rules(folder: str) -> tuple[Rules, list[str]]:
    """The rules that have no fault, in the order of their files' names; and all faults, a sentence each.

    There are none if all together are too much.
    """
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(ENDINGS))
    except OSError as error:
        return Rules(), [f"{folder}: {error.strerror}"]
    if len(names) > MOST_FILES:
        return Rules(), [f"{folder}: it has more than {MOST_FILES} files of rules"]
    rules: list[Rule] = []
    faults: list[str] = []
    for name in names:
        path = os.path.join(folder, name)
        try:
            for one in _in_file(path):
                if isinstance(one, str):
                    faults.append(one)
                else:
                    rules.append(one)
        except ConfigError as error:
            faults.append(str(error))
    if too_much := [*_too_much(folder, rules)]:
        return Rules(), faults + too_much
    try:
        return Rules(rules), faults
    except ValueError as error:
        return Rules(), [*faults, f"{folder}: all patterns together: {error}"]


def _too_much(folder: str, rules: list[Rule]) -> Iterator[str]:
    """Yields what is too much of all rules together."""
    if len(rules) > MOST_RULES:
        yield f"{folder}: it has {len(rules)} rules: at most {MOST_RULES} are taken"
    states = sum(
        state_count(rewritten(pattern))
        for rule in rules[:MOST_RULES]
        for pattern in (rule.pattern, rule.job, rule.file)
    )
    if states > MOST_STATES:
        yield f"{folder}: all patterns together are too complex: use fewer repetitions or rules"


def _in_file(path: str) -> Iterator[Rule | str]:
    """Yields the rules of a file, and a sentence for each fault. Raises ConfigError."""
    text = text_of(path)
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{path}:{line}: no YAML: {error.problem}") from None
    except (yaml.YAMLError, RecursionError):
        raise ConfigError(f"{path}: no YAML") from None
    if root is None:
        return
    several = root.value if isinstance(root, yaml.SequenceNode) else [root]
    for node in several:
        if isinstance(node, yaml.MappingNode):
            yield from _rule(path, node)
        else:
            where = f"{path}:{node.start_mark.line + 1}"
            yield f"{where}: no rule: it has the keys {', '.join(_KEYS)}"


def _rule(path: str, node: yaml.MappingNode) -> Iterator[Rule | str]:
    """Yields the rule, or its faults."""
    where = f"{path}:{node.start_mark.line + 1}"
    values: dict[str, str] = {}
    has_fault = False
    for key, value in node.value:
        name = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
        what = _fault_of(name, value, values)
        if what:
            has_fault = True
            yield f"{path}:{key.start_mark.line + 1}: {what}"
        else:
            values[name] = value.value.strip()
    missing = [name for name in ("pattern", "title") if not values.get(name)]
    if missing and not has_fault:
        yield f"{where}: a rule needs {' and '.join(missing)}"
    elif not has_fault:
        says = Known(values.pop("title"), values.pop("url", ""))
        yield Rule(says, **values, where=where)


def _fault_of(name: str, node: yaml.Node, values: dict[str, str]) -> str:
    """What is wrong with a key of a rule; "" for nothing. values: the keys before it."""
    if name not in _KEYS:
        return f"{name[:40]!r}: no such key: a rule takes {', '.join(_KEYS)}"
    if name in values:
        return f"{name}: it is given already"
    if not isinstance(node, yaml.ScalarNode):
        return f"{name}: it takes a text"
    takes = _checked(name, node.value.strip())
    return f"{name}: {takes}" if takes else ""


def _checked(name: str, text: str) -> str:
    """What is wrong with a value; "" for nothing."""
    if name == "title":
        return f"at most {LONGEST_TITLE} characters" if len(text) > LONGEST_TITLE else ""
    if name == "url":
        is_url = re.fullmatch(r"(?:https?://[^\s]+)?", text, re.IGNORECASE)
        return "" if is_url and len(text) <= LONGEST_URL else "an address that begins with https://"
    if len(text) > LONGEST:
        return f"at most {LONGEST} characters"
    try:
        state_count(rewritten(text))
    except ValueError as error:
        return f"it takes a regular expression of RE2's syntax ({error})"
    return ""


def _hits(patterns: Patterns, text: str) -> set[int]:
    return set(patterns.hits(text[:REACH].encode("utf-8", "replace")))
