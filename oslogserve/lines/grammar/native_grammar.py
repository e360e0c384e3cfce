# SPDX-License-Identifier: Apache-2.0
"""The grammar's tables as data for the native core, which defines none of its own."""

import re
from collections.abc import Iterable, Sequence

from oslogserve.lines.grammar import causes, chapters, exceptions, members, times, tokens
from oslogserve.lines.grammar.continuation import CONTINUATION
from oslogserve.lines.grammar.severities import BUNYAN, LETTERS, NAMES, RANKS, SYSLOG, WORDS
from oslogserve.lines.grammar.user_formats import UserFormat


class NativeGrammar:
    """The tables, as attributes that core/src/grammar.rs reads."""

    def __init__(self, user_formats: Sequence[UserFormat] = ()) -> None:
        self.severities = NAMES
        self.words = [(word, says.rank) for word, says in WORDS.items()]
        self.letters = [(letter[0], rank) for letter, rank in LETTERS.items()]
        self.syslog = SYSLOG
        self.numbers = BUNYAN
        self.tokens = [
            (positions, kind, _as_rust(pattern), b"(?=" in pattern)
            for positions, kind, pattern in tokens.RULES
        ]
        self.times = _guarded(times.LAYOUTS)
        self.klog, self.epoch, self.day_of_year = (
            _guarded(times.PLACED_LAYOUTS[place]) for place in ("klog", "epoch", "day_of_year")
        )
        self.readable = [(layout, times.pattern_of(layout) + r"\z") for layout in times.READABLE]
        self.exceptions = [(_as_rust(pattern), rank) for pattern, rank in exceptions.RULES]
        self.endings = list(exceptions.ENDINGS.items())
        self.location = _as_rust(exceptions.LOCATION)
        self.location_words = exceptions.LOCATION_WORDS
        self.continuation = _as_rust(CONTINUATION)
        self.level_keys = members.LEVEL_KEYS
        self.time_keys = members.TIME_KEYS
        self.number_keys = members.NUMBER_KEYS
        self.numbered = members.NUMBERED
        self.setting_keys = members.SETTING_KEYS
        self.wrappers = members.WRAPPERS
        self.user_formats = [(one.pattern, one.ranks) for one in user_formats]
        self.causes = NativeCauses()


class NativeCauses:
    """The tables of causes, as attributes that core/src/cause_rules.rs reads."""

    def __init__(self) -> None:
        self.rules = [(rule.mark, rule.pattern, rule.is_anywhere) for rule in causes.RULES]
        self.hints = b"|".join(map(re.escape, causes.HINTS))
        self.green_hints = b"|".join(map(re.escape, causes.GREEN_HINTS))
        self.behind_time = chapters.BEHIND_TIME
        self.green = [one for one in causes.GREEN if not one.startswith(b".")]
        self.green_anywhere = _beginning(one for one in causes.GREEN if one.startswith(b"."))
        self.weak = _beginning(causes.WEAK)
        self.frame = _beginning([causes.FRAME])
        self.recap = _beginning([causes.RECAP])
        self.words = causes.WORDS
        self.passing = causes.PASSING
        self.subtest = causes.SUBTEST
        self.stack = causes.STACK
        self.overwritten = chapters.OVERWRITTEN
        self.echo = chapters.ECHO
        self.warning = RANKS["WARNING"]
        self.chapters = NativeChapters()


class NativeChapters:
    """The tables of chapters, as attributes that core/src/chapters.rs reads."""

    def __init__(self) -> None:
        self.rules = [tuple(rule) for rule in chapters.CHAPTERS]
        self.section = chapters.SECTION
        self.fold = chapters.FOLD
        self.overwritten_level = chapters.OVERWRITTEN_LEVEL
        self.seconds = chapters.SECONDS


def _beginning(patterns: Iterable[bytes]) -> bytes:
    """A pattern for a text that begins with any of these."""
    return rb"\A(?:%b)" % b"|".join(b"(?:%b)" % pattern for pattern in patterns)


def _as_rust(pattern: bytes) -> bytes:
    """The pattern for Rust's regex, which has no look-ahead: the guard becomes a part of it."""
    return pattern.replace(b"{end}", rb"\z").replace(b"(?=", b"(?:")


def _guarded(layouts: Iterable[str]) -> list[str]:
    return [
        _as_rust((times.pattern_of(layout) + times.GUARD).encode()).decode() for layout in layouts
    ]
