# SPDX-License-Identifier: Apache-2.0
"""The data of the grammar of heads as the native core takes it: the words, the layouts of times, the
exceptions and the keys are defined in this package alone."""

from collections.abc import Iterable, Sequence

from oslogserve.lines import exceptions, members, times
from oslogserve.lines.inheritance import CONTINUATION
from oslogserve.lines.severities import BUNYAN, LETTERS, NAMES, SYSLOG, WORDS
from oslogserve.lines.user_formats import UserFormat


class NativeGrammar:
    """Attributes as speedups/src/grammar.rs reads them; user formats count before the rest."""

    def __init__(self, user_formats: Sequence[UserFormat] = ()) -> None:
        self.severities = NAMES
        self.words = [(word, *says) for word, says in WORDS.items()]
        self.letters = [(letter[0], rank) for letter, rank in LETTERS.items()]
        self.syslog = SYSLOG
        self.numbers = list(BUNYAN.items())
        self.layouts = _with_digits(times.LAYOUTS)
        self.readable = _with_digits(times.READABLE)
        self.placed = {name: _with_digits(each) for name, each in times.PLACED_LAYOUTS.items()}
        self.exceptions = [(_as_rust(pattern), rank) for pattern, rank in exceptions.ROWS]
        self.endings = list(exceptions.ENDINGS.items())
        self.place = _as_rust(exceptions.PLACE)
        self.place_words = exceptions.PLACE_WORDS
        self.continuation = _as_rust(CONTINUATION)
        self.level_keys = members.LEVEL_KEYS
        self.time_keys = members.TIME_KEYS
        self.wrappers = members.WRAPPERS
        self.user_formats = [(one.pattern, list(one.ranks.items())) for one in user_formats]


def _with_digits(layouts: Iterable[str]) -> list[tuple[str, list[int]]]:
    """Layouts with the counts of digits that their times may begin with."""
    return [(layout, sorted(times.leading_digits(layout))) for layout in layouts]


def _as_rust(pattern: bytes) -> bytes:
    return pattern.replace(b"{end}", rb"\z")
