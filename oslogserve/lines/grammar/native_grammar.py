# SPDX-License-Identifier: Apache-2.0
"""The grammar's tables as data for the native core, which defines none of its own.

A row goes there as its name and its pattern. The core checks it, and names it if it is at fault.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from oslogserve.lines.grammar import causes, chapters, exceptions, severities, times, tokens
from oslogserve.lines.grammar.severities import RANKS, SEVERITIES, WORDS

#: The name of a row, and its pattern.
_Row = tuple[str, bytes]


@dataclass(frozen=True)
class UserFormat:
    """A section [format NAME]. The first one that matches a line decides its time and severity.

    The grammar of heads adds the one that is missing. pattern: a regular expression, matched at a line's
    beginning, with groups named time, severity or both. words: severities by the words in upper case
    that the severity group may hold; empty for the usual words.
    """

    name: str
    pattern: bytes
    words: Mapping[bytes, str]

    @property
    def ranks(self) -> dict[bytes, int]:
        """The rank of each word, in upper case."""
        if not self.words:
            return {word: says.rank for word, says in WORDS.items()}
        return {word: SEVERITIES.index(name) for word, name in self.words.items()}


class NativeGrammar:
    """The tables, as attributes that core/src/recognition/grammar.rs reads."""

    def __init__(self, user_formats: Sequence[UserFormat] = ()) -> None:
        self.severities = severities.NAMES
        self.words = [(word, says.rank) for word, says in WORDS.items()]
        self.letters = [(letter[0], rank) for letter, rank in severities.LETTERS.items()]
        self.syslog = severities.SYSLOG
        self.numbers = severities.BUNYAN
        self.tokens = [
            (rule.positions, rule.kind, (rule.name, _as_rust(rule.pattern)), b"(?=" in rule.pattern)
            for rule in tokens.RULES
        ]
        self.times = _guarded(times.LAYOUTS)
        self.klog, self.epoch, self.day_of_year = (
            _guarded(times.PLACED_LAYOUTS[place]) for place in ("klog", "epoch", "day_of_year")
        )
        self.uptime = ("UPTIME", times.UPTIME)
        self.audit = ("AUDIT", times.AUDIT)
        self.dated_thing = ("DATED_THING", _as_rust(times.DATED_THING))
        self.readable = [
            (layout, rb"%b\z" % times.pattern_of(layout).encode()) for layout in times.READABLE
        ]
        self.exceptions = [
            ((rule.name, _as_rust(rule.pattern)), rule.rank) for rule in exceptions.RULES
        ]
        self.endings = list(exceptions.ENDINGS.items())
        self.location = ("LOCATION", _as_rust(exceptions.LOCATION))
        self.location_words = ("LOCATION_WORDS", exceptions.LOCATION_WORDS)
        self.progress = ("PROGRESS", exceptions.PROGRESS)
        self.continuation = ("CONTINUATION", _as_rust(exceptions.CONTINUATION))
        self.level_keys = severities.LEVEL_KEYS
        self.time_keys = severities.TIME_KEYS
        self.number_keys = severities.NUMBER_KEYS
        self.numbered = severities.NUMBERED
        self.setting_keys = severities.SETTING_KEYS
        self.wrappers = severities.WRAPPERS
        self.user_formats = [
            ((f"format {one.name}", one.pattern), one.ranks) for one in user_formats
        ]


class NativeCauses:
    """The tables of causes, as attributes that core/src/causes/cause_rules.rs reads."""

    def __init__(self) -> None:
        self.rules = [
            (rule.mark.name.title().replace("_", ""), (rule.name, rule.pattern), rule.is_anywhere)
            for rule in causes.RULES
        ]
        self.hints = ("HINTS", b"|".join(map(re.escape, causes.HINTS)))
        self.green_hints = ("GREEN_HINTS", b"|".join(map(re.escape, causes.GREEN_HINTS)))
        self.behind_time = ("BEHIND_TIME", chapters.BEHIND_TIME)
        self.job_head = ("JOB_HEAD", chapters.JOB_HEAD)
        self.step_head = ("STEP_HEAD", chapters.STEP_HEAD)
        self.green = [row for row in causes.GREEN if not row[1].startswith(b".")]
        self.green_anywhere = [row for row in causes.GREEN if row[1].startswith(b".")]
        self.weak = causes.WEAK
        self.frame = ("FRAME", causes.FRAME)
        self.call = ("CALL", causes.CALL)
        self.library = ("LIBRARY", causes.LIBRARY)
        self.usage = ("USAGE", causes.USAGE)
        self.option = ("OPTION", causes.OPTION)
        self.recap = ("RECAP", causes.RECAP)
        self.number = ("NUMBER", causes.NUMBER)
        self.words = ("WORDS", causes.WORDS)
        self.passing = ("PASSING", causes.PASSING)
        self.record = ("RECORD", causes.RECORD)
        self.subtest = causes.SUBTEST
        self.source = causes.SOURCE
        self.quoting = causes.QUOTING
        self.unnamed = causes.UNNAMED
        self.running = causes.RUNNING
        self.stack = causes.STACK
        self.annotation = causes.ANNOTATION
        self.overwritten = chapters.OVERWRITTEN
        self.echo = chapters.ECHO
        self.warning = RANKS["WARNING"]
        self.chapters = NativeChapters()


class NativeChapters:
    """The tables of chapters, as attributes that core/src/causes/chapter_rules.rs reads."""

    def __init__(self) -> None:
        self.rules = [
            (
                rule.event.name.title(),
                rule.outcome,
                rule.level,
                rule.tool,
                (rule.name, rule.pattern),
            )
            for rule in chapters.CHAPTERS
        ]
        self.section = ("SECTION", chapters.SECTION)
        self.fold = ("FOLD", chapters.FOLD)
        self.overwritten_level = chapters.OVERWRITTEN_LEVEL
        self.seconds = ("SECONDS", chapters.SECONDS)


def _as_rust(pattern: bytes) -> bytes:
    """The pattern for Rust's regex, which has no look-ahead: the guard becomes a part of it."""
    return pattern.replace(b"{end}", rb"\z").replace(b"(?=", b"(?:")


def _guarded(layouts: Iterable[str]) -> list[_Row]:
    """Each layout as a row, with its guard."""
    return [
        (layout, _as_rust((times.pattern_of(layout) + times.GUARD).encode())) for layout in layouts
    ]
