# SPDX-License-Identifier: Apache-2.0
"""What people know of causes: rules with a title and a link, in a folder of YAML files."""

import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypedDict

import yaml

from oslogserve.config import Config
from oslogserve.config.parser import ConfigError, text_of
from oslogserve.native import Patterns, state_count
from oslogserve.search import LONGEST, rewritten
from oslogserve.seen import Run
from oslogserve.text import quoted

ENDINGS = (".yaml", ".yml")
MOST_FILES, MOST_RULES = 500, 500
#: Characters of a title and of an address.
LONGEST_TITLE, LONGEST_URL = 200, 1000
#: States of all patterns together. Each may cost a step for each byte of a cause.
MOST_STATES = 30_000
_KEYS = ("pattern", "job", "file", "title", "url")
#: Characters of a line that are searched.
REACH = 400


class RuleInJson(TypedDict):
    title: str
    url: str


class Rule(NamedTuple):
    """A cause that people know, and what they say of it. Patterns have RE2's syntax; an empty one fits everything."""

    #: A pattern of a line of the cause.
    pattern: str
    title: str
    #: Of a bug, say; "" for none.
    url: str = ""
    #: Patterns of the names of the job and of the log.
    job: str = ""
    file: str = ""
    #: Where it is written: file and line.
    where: str = ""

    def as_json(self) -> RuleInJson:
        return {"title": self.title, "url": self.url}


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

    def known(self, run: Run) -> list[Rule]:
        """The rules that know a cause of the run. Of those that say the same, the first one."""
        says: dict[tuple[str, str], Rule] = {}
        for rule in map(self.rules.__getitem__, self.hits(run)):
            says.setdefault((rule.title, rule.url), rule)
        return [*says.values()]

    def hits(self, run: Run) -> list[int]:
        """The places of the rules that know a cause of the run."""
        if not self.rules:
            return []
        of_job = _hits(self._jobs, run.job)
        found: set[int] = set()
        for cause in run.causes:
            candidates = (of_job & _hits(self._files, cause.log)) - found
            for line in (cause.told or cause.text).split("\n") if candidates else ():
                found |= candidates & _hits(self._lines, line)
        return sorted(found)


def _hits(patterns: Patterns, text: str) -> set[int]:
    return set(patterns.hits(text[:REACH].encode("utf-8", "replace")))


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
    faults: list[str] = []
    rules = [rule for name in names for rule in _in_file(os.path.join(folder, name), faults)]
    patterns = (one for rule in rules[:MOST_RULES] for one in (rule.pattern, rule.job, rule.file))
    are_too_many = len(rules) > MOST_RULES
    if are_too_many:
        faults.append(f"{folder}: it has {len(rules)} rules: at most {MOST_RULES} are taken")
    if sum(state_count(rewritten(pattern)) for pattern in patterns) > MOST_STATES:
        what = "all patterns together are too complex: use fewer repetitions or rules"
        return Rules(), [*faults, f"{folder}: {what}"]
    try:
        return Rules([] if are_too_many else rules), faults
    except ValueError as error:
        return Rules(), [*faults, f"{folder}: all patterns together: {error}"]


def _in_file(path: str, faults: list[str]) -> Iterator[Rule]:
    """Yields the rules of a file that have no fault. Adds a sentence to `faults` for each fault."""
    try:
        root = yaml.compose(text_of(path), Loader=yaml.SafeLoader)
    except ConfigError as error:
        faults.append(str(error))
        return
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        faults.append(f"{path}:{line}: no YAML: {error.problem}")
        return
    except (yaml.YAMLError, RecursionError):
        faults.append(f"{path}: no YAML")
        return
    several = root.value if isinstance(root, yaml.SequenceNode) else filter(None, [root])
    for node in several:
        where, before = f"{path}:{node.start_mark.line + 1}", len(faults)
        if not isinstance(node, yaml.MappingNode):
            faults.append(f"{where}: no rule: it has the keys {', '.join(_KEYS)}")
            continue
        values: dict[str, str] = {}
        for key, value in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else ""
            if fault := _fault_of(name, value, values):
                faults.append(f"{path}:{key.start_mark.line + 1}: {fault}")
            else:
                values[name] = value.value.strip()
        if len(faults) > before:
            continue
        if missing := [name for name in ("pattern", "title") if not values.get(name)]:
            faults.append(f"{where}: a rule needs {' and '.join(missing)}")
        else:
            yield Rule(**values, where=where)


def _fault_of(name: str, node: yaml.Node, values: dict[str, str]) -> str:
    """What is wrong with a key of a rule; "" for nothing. values: the keys before it."""
    if name not in _KEYS:
        return f"{quoted(name[:40])}: no such key: a rule takes {', '.join(_KEYS)}"
    if name in values:
        return f"{name}: it is given already"
    if not isinstance(node, yaml.ScalarNode):
        return f"{name}: it takes a text"
    text = node.value.strip()
    if name == "url":
        is_url = re.fullmatch(r"(?:https?://[^\s]+)?", text, re.IGNORECASE)
        is_fit = is_url and len(text) <= LONGEST_URL
        return "" if is_fit else f"{name}: it takes an address that begins with https://"
    longest = LONGEST_TITLE if name == "title" else LONGEST
    if len(text) > longest:
        return f"{name}: it takes at most {longest} characters"
    try:
        if name != "title":
            state_count(rewritten(text))
    except ValueError as error:
        return f"{name}: it takes a regular expression of RE2's syntax ({error})"
    return ""
