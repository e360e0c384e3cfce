# SPDX-License-Identifier: Apache-2.0
"""Reads a line's head: where its time is, and which severity it shows.

A head is a row of fields: time, host, program, process, thread, name, level. Each program has its
own order. The fields are read from left to right as tokens. Reading ends at a level where levels may
be, or where the line has become prose. After a prefix, such as a container's name or a syslog
program, content begins again. Only the tables in core/grammar know programs.
"""

import re

from oslogserve.native import LIMITS
from tests.reference import members, tables
from tests.reference.grammar import LETTERS, RANKS, SYSLOG, WORDS
from tests.reference.members import Found
from tests.reference.tables import (
    NO_CLOCK,
    SCAN_PLACED,
    THING,
    UPTIME,
    Kind,
    Match,
    Position,
    Token,
    scan,
    token_at,
)

#: Bytes and tokens that are read of a line and of a plain head; how often content may begin; objects in
#: each other; words and fields before a level; bytes of a date that no layout fits.
(
    REACH,
    PLAIN_REACH,
    MOST_TOKENS,
    MOST_CONTENTS,
    MOST_NESTED,
    MOST_WORDS,
    MOST_FIELDS,
    LONGEST_DATE,
) = (
    LIMITS[f"head.{name}"]
    for name in [
        "REACH",
        "PLAIN_REACH",
        "MOST_TOKENS",
        "MOST_CONTENTS",
        "MOST_NESTED",
        "MOST_WORDS",
        "MOST_FIELDS",
        "LONGEST_DATE",
    ]
)

#: Cisco's marks of a clock that is not set, and wget's dashes.
_MARKS = re.compile(rb"(?:[*.]|--)?").match
#: What stands before a line's text and shows nothing.
_LEAD = re.compile(rb"(?:\xef\xbb\xbf)?[\x00\x0c]*").match
_BLANKS = re.compile(rb"[ \t]*").match
_BEHIND_TIME = re.compile(rb"[\])|:,]?[ \t]*").match
_TIME_OF_DAY = re.compile(rb"[0-9]{1,2}:").match
_LETTERS_AND_DIGITS = re.compile(rb"\w+")
#: Allowed in brackets before a time: a level, a zone, Chromium's process and thread, a word.
_BEFORE_TIME = re.compile(
    rb"\[ *(?:([A-Z]{1,8}) +|[a-z]{1,16} |(?:[0-9]+:){1,2})(?=[A-Z0-9])"
).match
_BRACKET = re.compile(rb"[\[<(] *").match
_GROUP = re.compile(rb"\[[^\]]*\]").match
_NUMBERS = re.compile(rb"[0-9][0-9.]*").findall
#: Allowed behind the date of a thing: a zone, a remark in brackets.
_BEHIND_VALUE = re.compile(rb"\s*[+:0-9-]*\s*(?:\(.*)?\Z", re.DOTALL).match
_DIGITS = re.compile(rb"[0-9]+")
_UPTIME = UPTIME.match
_SYSLOG_DIGIT = re.compile(rb"[-.]([0-7])").search
#: Allowed between a level and the time after it.
_BETWEEN = re.compile(rb"[ \t:,|\])>-]*\[?").match
#: Names of loggers that are also words of prose.
_LOGGERS = (b"root", b"main")


def read_head(text: bytes) -> Found:
    """Time and severity in a line's head. text: at most REACH bytes, without colours and line end."""
    lead = _end(_LEAD, text, 0)
    head = _Reader(text[lead:]).read()
    return head._replace(start=head.start + lead, end=head.end + lead)


class _Reader:
    """The state of reading one head.

    Each step reads a token at an offset. It returns the offset of the next one, or None to stop.
    """

    def __init__(self, text: bytes, depth: int = 0) -> None:
        self._text = text
        self._depth = depth
        self._limit = min(len(text), PLAIN_REACH)
        self._head = Found()
        #: Offsets where content began and an exception may match.
        self._starts: list[int] = []
        self._contents = 0
        #: The rank of a wrapper or syslog's priority, for content without a severity.
        self._default: int | None = None
        self._begin_fields(0, Position.START)

    def read(self) -> Found:
        at = self._begin(0, Position.START)
        for _ in range(MOST_TOKENS):
            if at is None or at >= self._limit:
                break
            at = self._token(at)
            if at is not None:
                behind = _end(_BLANKS, self._text, at)
                self._is_column = behind - at > 1 or self._text.startswith(b"\t", at)
                self._is_prose &= not self._is_column
                at = behind
        if self._head.rank is None:
            return self._head._replace(rank=self._outcome())
        return self._head

    def _outcome(self) -> int | None:
        """The rank without a level; what passed has none."""
        rank = self._shown_outcome()
        if rank is not None and rank >= RANKS["WARNING"] and tables.has_passed(self._text):
            return self._default
        return rank

    def _shown_outcome(self) -> int | None:
        """The rank without a level: by exception, location in a file, end, or that of a wrapper."""
        text = self._text
        for start in self._starts:
            if (rank := tables.rank_at(text, start)) is not None:
                return rank
        if self._starts:
            rank = tables.rank_of_location(text, max(self._starts[0] - 1, 0), self._limit)
            if rank is not None:
                return rank
        rank = tables.rank_of_ending(text)
        return self._default if rank is None else rank

    def _found_time(self, start: int, end: int) -> None:
        """Keeps a line's time, unless it is a thing's, a duration, or a time of day whose date was not read."""
        before = self._text[max(start - LONGEST_DATE, 0) : start]
        is_lost = (_TIME_OF_DAY(self._text, start) and NO_CLOCK.search(before)) or THING.search(
            before
        )
        if self._head.start == self._head.end and not is_lost:
            self._head = self._head._replace(start=start, end=end)

    def _found(self, rank: int, behind: int) -> None:
        """Keeps the severity, and a time after it if none came before."""
        text, limit = self._text, self._limit
        self._head = self._head._replace(rank=rank)
        at = behind
        for _ in range(3):
            if self._head.start != self._head.end:
                return
            at = _end(_BETWEEN, text, at)
            if found := scan(text, at, limit) or SCAN_PLACED["day_of_year"](text, at, limit):
                self._found_time(*found.span())
            elif found := _UPTIME(text, at - 1):
                self._found_time(*found.span(1))
            elif found := _GROUP(text, max(at - 1, 0), limit):
                at = found.end()
            else:
                return

    def _begin_fields(self, content: int, context: Position) -> None:
        self._content = content
        self._context = context
        self._words = self._fields = 0
        self._is_prose: bool = False  # the last token was a word of prose
        self._is_numeric = True  # nothing but numbers so far
        self._is_column = False  # after several spaces or a tab

    def _begin(self, at: int, context: Position) -> int | None:
        """Begins content at `at`. context: START, NAMED, TIMED or LOGGED."""
        text = self._text
        at = _end(_BLANKS, text, at)
        self._contents += 1
        if self._contents > MOST_CONTENTS or at >= self._limit:
            return None
        self._begin_fields(at, context)
        if time := scan(text, _end(_MARKS, text, at), self._limit):
            if context == Position.NAMED and _is_value(text, *time.span()):
                return None
            return self._behind_time(*time.span())
        is_column_end = context == Position.TIMED and text.startswith(b"|", at)
        if context != Position.NAMED and not is_column_end:
            self._starts.append(at)
        return self._object(at) if text.startswith(b"{", at) else at

    def _object(self, at: int) -> int | None:
        found = members.of_json(self._text, at)
        self._found_members(found or Found())
        if self._head.rank is None and self._depth < MOST_NESTED:
            start, end, text = members.quoted(self._text, at)
            head = _Reader(text, self._depth + 1).read()
            self._head = self._head._replace(rank=head.rank)
            time = text[head.start : head.end]
            if time and self._head.start == self._head.end:
                start = self._text.find(time, start, end)
                if start >= 0:
                    self._head = self._head._replace(start=start, end=start + len(time))
        return at if found is None and self._head.rank is None else None

    def _found_members(self, found: Found) -> None:
        head = found if self._head.start == self._head.end else self._head
        self._head = head._replace(rank=found.rank)
        self._default = found.default if self._default is None else self._default

    @property
    def _is_logged(self) -> bool:
        return self._context in (Position.TIMED, Position.LOGGED)

    @property
    def _position(self) -> Position:
        if self._is_logged and self._is_prose:
            return Position.PROSE
        if not self._fields + self._words:
            return Position(self._context.lower())
        if self._context == Position.TIMED and self._is_numeric:
            return Position.NUMBERED
        return self._context

    def _behind_time(self, start: int, end: int) -> int | None:
        self._found_time(start, end)
        if self._starts and self._starts[-1] == self._content == start:
            self._starts.pop()  # no exception begins with a time
        return self._begin(_end(_BEHIND_TIME, self._text, end), Position.TIMED)

    def _time_in_brackets(self, at: int) -> int | None:
        """Reads a time after a bracket; returns `at` if there is none."""
        text, limit = self._text, self._limit
        if (before := _BRACKET(text, at)) and (time := scan(text, before.end(), limit)):
            return self._behind_time(*time.span())
        if (before := _BEFORE_TIME(text, at)) and (time := scan(text, before.end(), limit)):
            rank = _rank_of(before[1] or b"")
            if rank is None:
                return self._behind_time(*time.span())
            self._found_time(*time.span())
            self._found(rank, time.end())
            return None
        return at

    def _token(self, at: int) -> int | None:
        first = self._text[at : at + 1]
        if at != self._content and (time := scan(self._text, at, self._limit)):
            return self._behind_time(*time.span())
        if first in (b"[", b"<", b"(") and (behind := self._time_in_brackets(at)) != at:
            return behind
        token = token_at(self._position, self._text, at, self._limit)
        if token is None:
            return None
        if level := self._level(at, token):
            self._found(*level)
            return None
        return self._break(at, token)

    def _level(self, at: int, token: Token) -> tuple[int, int] | None:
        """The rank of the token and the end of its level; None if it is no level."""
        match token.kind:
            case Kind.LINE_LETTER if at > 0:
                return None
            case Kind.LETTER | Kind.LINE_LETTER:
                return LETTERS[token.text[:1]], at + 1
            case Kind.DIGIT if digit := _SYSLOG_DIGIT(token.text):
                return SYSLOG[int(digit[1])], token.end
            case Kind.KLOG if time := SCAN_PLACED["klog"](self._text, at + 1, self._limit):
                self._found_time(*time.span())
                return LETTERS[token.text[:1]], time.end()
            case Kind.COLUMN if not (self._is_column and self._text[token.end :].startswith(b"  ")):
                return None
            case Kind.LAST_WORD if token.text.startswith(b"<") and token.end == len(self._text):
                return None  # markup
            case Kind.DEFAULT if self._text[:at].endswith(b"  "):
                self._default = _rank_of(token.text.split()[0])
                return None
            case Kind.FIRST_WORD | Kind.DEFAULT | Kind.LAST_WORD | Kind.FATAL | Kind.COLUMN:
                pass
            case _:
                return None
        words = [word for word in _LETTERS_AND_DIGITS.finditer(token.text) if _rank_of(word[0])]
        if not words:
            return None
        word = words[-1 if token.kind == Kind.LAST_WORD else 0]
        rank = RANKS["CRITICAL"] if token.kind == Kind.FATAL else _rank_of(word[0])
        return rank or 0, token.end if token.kind == Kind.LAST_WORD else at + word.end()

    def _break(self, at: int, token: Token) -> int | None:
        """Begins the content after a token, or reads it as a field. None if it ends the head."""
        is_start, is_first = self._context == Position.START, not self._fields + self._words
        match token.kind:
            case Kind.PREFIX:
                return self._begin(token.end, Position.START)
            case Kind.PRIORITY:
                self._default = SYSLOG[int(_DIGITS.findall(token.text)[0]) % 8]
                return self._begin(token.end, Position.START)
            case Kind.WRAPPER | Kind.DEFAULT | Kind.AGAIN:
                return self._begin(token.end, self._context)
            case Kind.ORNAMENT:
                return self._begin(token.end, Position.NAMED)
            case Kind.NUMBER_TIME | Kind.SECTION_TIME:
                start = at + token.text.rindex(number := _NUMBERS(token.text)[-1])
                return self._behind_time(start, start + len(number))
            case Kind.PROCESS:
                return self._begin(token.end, Position.LOGGED)
            case Kind.PROGRAM if self._is_logged or (is_start and is_first):
                return self._begin(
                    token.end, Position.LOGGED if self._is_logged else Position.NAMED
                )
            case Kind.BAR if self._is_logged:
                behind = _end(_BLANKS, self._text, token.end)
                is_table = self._text.startswith(b"|", behind)
                return None if is_table else self._begin(behind, self._context)
            case Kind.BAR if self._contents == 1 and 0 < self._fields + self._words < 3:
                return self._begin(token.end, Position.START)
            case Kind.PROGRAM | Kind.BAR | Kind.OBJECT | Kind.STOP:
                return None
        return self._field(at, token)

    def _field(self, at: int, token: Token) -> int | None:
        """Counts a field. None if there are too many."""
        kind = token.kind
        self._is_prose = False
        match kind:
            case Kind.MARK:
                self._words = 0
                return token.end
            case Kind.PAIR | Kind.LAST_PAIR:
                if at == self._content and (found := members.of_pairs(self._text, at)):
                    self._found_members(found)
                    return None
                if kind == Kind.LAST_PAIR:
                    return None
                self._is_prose = self._words > 0 or self._context != Position.TIMED
            case Kind.GROUP:
                is_task = self._context == Position.START and token.text.startswith(b"[")
                if is_task and self._is_numeric and not self._words:
                    return self._begin(token.end, Position.START)
            case Kind.WORD | Kind.FIRST_WORD | Kind.COLUMN:
                return self._word(at)
        self._is_numeric = self._is_numeric and kind in (Kind.NUMBER, Kind.DASH)
        self._fields += 1
        is_unbound = self._is_logged and kind != Kind.GROUP
        return token.end if is_unbound or self._fields <= MOST_FIELDS else None

    def _word(self, at: int) -> int | None:
        word = _LETTERS_AND_DIGITS.match(self._text, at)
        if not word:
            return None
        self._words += 1
        self._is_prose, self._is_numeric = word[0] not in _LOGGERS, False
        return word.end() if self._words <= (MOST_WORDS if self._is_logged else 1) else None


def _is_value(text: bytes, start: int, end: int) -> bool:
    """True if the time is the value of a label, with nothing but a zone or a remark behind it."""
    return text[:start].rstrip().endswith(b":") and bool(_BEHIND_VALUE(text, end))


def _end(pattern: Match, text: bytes, at: int) -> int:
    found = pattern(text, at)
    return found.end() if found else at


def _rank_of(word: bytes) -> int | None:
    """The rank of a level's word or letter; None for any other."""
    return WORDS.get(word.upper(), LETTERS.get(word))
