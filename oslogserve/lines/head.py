# SPDX-License-Identifier: Apache-2.0
"""The grammar of a line's head: where its time stands, which severity it shows.

A head is fields, in the order of their program: time, host, program, process, thread, name, level.
They are read from left to right as tokens, until one is a level in a place where levels stand, or
the line has turned to prose. Behind a prefix (a container's name, a syslog program, a task in
brackets) content begins anew. Only `exceptions` knows programs by name.

The native core reads by the same grammar and data (speedups/src/head.rs); where the two differ one
of them is wrong.
"""

import re
from typing import NamedTuple

from oslogserve.lines import exceptions, members
from oslogserve.lines.severities import CUT, LETTERS, PLACED, PLAIN, RANKS, SAID, SYSLOG, WORDS
from oslogserve.lines.times import Match, scan, scan_placed

#: Bytes of a line that are read: a level may be the last member of a JSON object.
REACH = 4096
#: Bytes and tokens of a head that is plain text, which bound what a hostile line costs.
PLAIN_REACH = 512
MOST_TOKENS = 40
#: How often content may begin: a log in a journal in a console.
MOST_CONTENTS = 8
#: Words of prose that may stand before a level: a host and a program.
MOST_BARE = 2
#: Fields before a time, such as a file's name and a counter.
MOST_FIELDS = 6


class Head(NamedTuple):
    """What a head shows. start, end: the time's place, equal for none. rank: the severity's, None
    for none. behind: where the level ends; the program's name follows there."""

    start: int = 0
    end: int = 0
    rank: int | None = None
    behind: int = 0


# What content stands behind: nothing; a program's name; a time; both of them.
_START, _NAMED, _TIMED, _LOGGED = range(4)

_BLANKS = re.compile(rb"[ \t]*").match
_BEHIND_TIME = re.compile(rb"[\]|:,]?[ \t]*").match
#: A word that may be a level.
_WORD = re.compile(rb"[A-Za-z]{1,13}\d?(?!\w)").match
#: The colon behind a level; in a column of its own it has spaces before it.
_COLON = re.compile(rb"[ \t]{0,8}:(?=[ \t]|\Z)").match
_CODE = re.compile(rb"(?: #?[A-Z]{0,6}\d+(?:-D)?| ?\([a-z]+:\d+\)) ?:").match
_CODE_IN_BRACKETS = re.compile(rb"(?:\[[\w:.-]{1,64}\]){1,2}(:?)(?=[ \t]|\Z)").match
#: A value behind a name: of a setting, or of a count.
_VALUE = re.compile(rb":[ \t]*(?:true|false|yes|no|on|off|null|none|\d+|\{\}|\[\]|[|>]-?)\Z").match
_ASSIGNED = re.compile(rb":?[ \t]+(?:= |[\d.]+%?\Z)").match
_ADJECTIVE = re.compile(
    rb"(?:[Ff]atal|FATAL|[Ii]nternal|[Rr]untime|[Ss]yntax|[Pp]arse|[Hh]int) (?=[Ee]rror[: ]|warning )"
).match
_FIELD = re.compile(rb"[^\s\[\](){}<>|,=\"';]+").match
#: Behind a program's name.
_PROCESS = re.compile(rb"(?:\[[^\]\s]{1,32}\]|\(\d{1,10}\)):(?=[ \t]|\Z)").match
_COLUMN = re.compile(rb" : ").match
_NUMBER = re.compile(rb"(?:0x)?[0-9A-Fa-f]*\d[0-9A-Fa-f]*").fullmatch
_KEY = re.compile(rb"[\w.@/-]+=").match
_PAIR_VALUE = re.compile(rb"=\S+(?=[ \t])").match
#: Marks that fields stand between; prose and commands begin with others.
_MARK = re.compile(rb"[^\x00-\x7f]+|(?:--?|=>|->)(?=[ \t])|[|:,;\])>]").match
_GROUPS = {
    b"[": re.compile(rb"\[(?:[^\]\"]|\"(?:[^\"\\]|\\.)*\")*\]|\[[^\]]*\]").match,
    b"(": re.compile(rb"\([^)]*\)").match,
    b"<": re.compile(rb"<[^>]*>").match,
    b"{": re.compile(rb"\{[^}]*\}").match,
}
_LEVEL_ALONE = re.compile(
    rb"[\[(<][ \t]*(?:[\w-]{0,32}:|[\w.]{1,64}#|ID \d+ [a-z]+\d?\.|[a-z]+\d?\.|DEPRECATION )?([A-Za-z]{1,13}\d?)[ \t]*[\])>]"
).match
_LEVEL_AND_NAME = re.compile(rb"\[([A-Z]{3,8}) +[\w:.]+\] ").match
#: A level with the time behind it, in one pair of brackets.
_LEVEL_BEFORE_TIME = re.compile(rb"\[([A-Z]{1,8}) +(?=\d)").match
#: Also with a zone or Chromium's process and thread before the time.
_TIME_BRACKETS = tuple(
    re.compile(one).match for one in (rb"[\[<] *", rb"\[[A-Z]{3,5} ", rb"\[(?:\d+:){1,2}")
)
_WORD_BEFORE_TIME = re.compile(rb"\[[a-z]{1,16} ").match
_EPOCH = re.compile(rb"\[(\d{10}(?:\.\d{1,9})?)\]").match
_UPTIME = re.compile(rb"\[ *(\d{1,8}\.\d{6})\]").match
#: What may stand between a level and the time behind it.
_BETWEEN = re.compile(rb"[ \t:,|\])>-]*\[?").match
_PREFIX = re.compile(
    rb"#\d+ (?:\d+\.\d+ )?|\d+> ?|\d+\. |\d{1,3}% |[DIWEFA], (?=\[\d)|<(?:1[0-8]\d|19[01]|\d{1,2})>(?:1 )?"
).match
_ORNAMENT = re.compile(rb"\*{2,4} |==> |\* (?=ERROR: )").match
_FACILITY_NUMBER = re.compile(rb"<\d{1,2}\.([0-7])>").match
_FACILITIES = rb"(?:kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local\d)"
_FACILITY = re.compile(_FACILITIES + rb"\.([a-z]+)(?=[ \t])").match
_FACILITY_COLUMN = re.compile(_FACILITIES + rb" *:(?=[a-z]+ *:)").match
_TOPICS = re.compile(rb"[a-z]+(?:,[a-z]+)+(?=[ \t])").match
_NAMED_LEVEL = re.compile(rb"(?:[\w-]+\.|[\w.]+ - |ovs\|\d+\|\w*\|)([A-Z]+)(?:: | - |\|)").match
_KLOG = re.compile(rb"[IWEF](?=\d{4})").match
_LOGCAT = re.compile(rb"([VDIWEF])/[\w.$-]+ *(?:\( *\d+\))?:").match
_LETTER = re.compile(rb"[VDIWEFT](?= \S|:[ \t]|! )").match
#: Cisco's severity, a digit between the facility and the mnemonic.
_CISCO = re.compile(rb"%[A-Z\d_]{1,32}-([0-7])-[A-Z\d_]{1,32}: ").match
_APT = re.compile(rb"[EWN](?=: [^\d])").match
#: GitHub's and Azure's commands to the reader of the log.
_COMMAND = re.compile(
    rb"##\[([a-z]+)\]|::([a-z]+)(?: [^:].*)?::|##vso\[task\.logissue (?:[^\]]*;)?type=([a-z]+)[;\]]"
).match
_STREAM = re.compile(rb"(?:stdout|stderr) [FP] ").match
_REPORT = re.compile(rb"=([A-Z]+) REPORT==== ?").match
_SECTION = re.compile(rb"section_(?:start|end):(\d{10})(?!\w)").match
#: Names that a logger may have though they are words of prose.
_LOGGERS = (b"", b"root", b"main")


def _behind(pattern: Match, text: bytes, at: int) -> int:
    found = pattern(text, at)
    return found.end() if found else at


def read_head(text: bytes) -> Head:
    """The head of a line. text: at most REACH bytes of it, without colours and line end."""
    return _Reader(text).read()


class _Reader:
    """The state of reading one head. A step takes a token and returns where the next one begins;
    None to stop."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._limit = min(len(text), PLAIN_REACH)
        self._head = Head()
        #: Places where content began that exceptions may match.
        self._starts: list[int] = []
        self._contents = 0
        #: The rank of syslog's priority, for content that shows none.
        self._default: int | None = None
        self._content = 0  # where the last one began
        self._begin_fields(_START)

    def read(self) -> Head:
        text, at = self._text, self._begin(0, _START)
        for _ in range(MOST_TOKENS):
            if at is None or at >= self._limit:
                break
            at = self._token(at)
            if at is not None:
                behind = _behind(_BLANKS, text, at)
                self._is_column = behind - at > 1
                if self._is_column:
                    self._last = b""  # what stands before a column is no prose
                at = behind
        if self._head.rank is None:
            return self._head._replace(rank=self._outcome())
        return self._head

    def _outcome(self) -> int | None:
        """The rank of a line whose head shows none: by an exception, a place or its ending."""
        text = self._text
        for start in self._starts:
            if (rank := exceptions.rank_at(text, start)) is not None:
                return rank
        if self._starts:
            rank = exceptions.rank_of_place(text, max(self._starts[0] - 1, 0), self._limit)
            if rank is not None:
                return rank
        if self._default is not None:
            return self._default
        endings = exceptions.ENDINGS.items()
        return next((rank for end, rank in endings if text.endswith(end)), None)

    # What is found

    def _found_time(self, start: int, end: int) -> None:
        if self._head.start == self._head.end:
            self._head = self._head._replace(start=start, end=end)

    def _found(self, rank: int, behind: int) -> int | None:
        """Keep the severity, and a time behind it if none stood before. Stop."""
        self._head = self._head._replace(rank=rank, behind=behind)
        at = behind
        for _ in range(3):
            if self._head.start != self._head.end:
                break
            at = _behind(_BETWEEN, self._text, at)
            place = scan_placed("day_of_year")
            if found := scan(self._text, at, self._limit) or place(self._text, at, self._limit):
                self._found_time(*found.span())
                break
            if found := _UPTIME(self._text, at - 1):
                self._found_time(*found.span(1))
                break
            group = _GROUPS[b"["](self._text, max(at - 1, 0), self._limit)
            if not group:
                break
            at = group.end()
        return None

    # Where content begins

    def _begin_fields(self, context: int) -> None:
        self._context = context
        self._bare = self._fields = 0
        self._last = b""  # the word of prose before the next token
        self._is_numeric = True  # nothing but numbers so far
        self._is_column = False  # several spaces before the next token

    def _begin(self, at: int, context: int) -> int | None:
        text = self._text
        at = _behind(_BLANKS, text, at)
        self._contents += 1
        if self._contents > MOST_CONTENTS or at >= self._limit:
            return None
        self._begin_fields(context)
        self._content = at
        if time := self._time_at(at):
            return self._behind_time(*time.span())
        is_column_end = context == _TIMED and text.startswith(b"|", at)
        if context != _NAMED and not is_column_end:
            self._starts.append(at)
        found = None
        if text.startswith(b"{", at):
            found = members.of_json(text, at)
        elif _KEY(text, at):
            found = members.of_pairs(text, at)
        if found:
            self._found_time(found.start, found.end)
            self._head = self._head._replace(rank=found.rank)
            return None
        return self._layout(at)

    def _layout(self, at: int) -> int | None:
        """Read content of a special shape; else return where its fields begin."""
        text, context = self._text, self._context
        if context == _START:
            if prefix := _PREFIX(text, at):
                if prefix[0].startswith(b"<"):
                    self._default = SYSLOG[int(prefix[0][1:].split(b">")[0]) % 8]
                return self._begin(prefix.end(), _START)
            if at == 0 and _APT(text):
                return self._found(LETTERS[text[:1]], 1)
            if section := _SECTION(text, at):
                self._found_time(*section.span(1))
                return None
            if column := _FACILITY_COLUMN(text, at):
                self._context = _LOGGED
                return column.end()
            if ornament := _ORNAMENT(text, at):
                return self._begin(ornament.end(), _NAMED)
        if context != _NAMED and text.startswith(b"PHP ", at):
            return self._begin(at + 4, context)
        if context == _TIMED and (stream := _STREAM(text, at)):
            return self._begin(stream.end(), _TIMED)
        if context != _NAMED:
            if command := _COMMAND(text, at, self._limit):
                word = WORDS.get(command[command.lastindex or 0].upper())
                return self._found(word.rank, command.end()) if word else None
            if _KLOG(text, at) and (time := scan_placed("klog")(text, at + 1, self._limit)):
                self._found_time(*time.span())
                return self._found(LETTERS[text[at : at + 1]], time.end())
            if logcat := _LOGCAT(text, at):
                return self._found(LETTERS[logcat[1]], logcat.end())
            if cisco := _CISCO(text, at):
                return self._found(SYSLOG[int(cisco[1])], cisco.end())
            if (report := _REPORT(text, at)) and report[1] in WORDS:
                return self._found(WORDS[report[1]].rank, report.end())
            if (named := _NAMED_LEVEL(text, at)) and named[1] in WORDS:
                return self._found(WORDS[named[1]].rank, named.end())
        return at

    # One token

    def _token(self, at: int) -> int | None:
        text = self._text
        first = text[at : at + 1]
        if at != self._content and (time := self._time_at(at)):
            return self._behind_time(*time.span())
        if first in _GROUPS:
            return self._group(at, first)
        mark = _MARK(text, at)
        if mark and not (first == b":" and self._context == _START):  # there, an address
            return self._mark(mark)
        if self._last in _LOGGERS and self._level(at):
            return None
        return self._field(at)

    def _time_at(self, at: int) -> re.Match[bytes] | None:
        first = self._text[at : at + 1]
        may_be_one = first.isdigit() or first.isupper()
        return scan(self._text, at, self._limit) if may_be_one else None

    def _behind_time(self, start: int, end: int) -> int | None:
        self._found_time(start, end)
        if self._starts and self._starts[-1] == start:
            self._starts.pop()  # no exception begins with a time
        return self._begin(_behind(_BEHIND_TIME, self._text, end), _TIMED)

    def _mark(self, mark: re.Match[bytes]) -> int | None:
        self._last = b""
        if self._context in (_TIMED, _LOGGED):
            self._bare = 0
            if mark[0] != b"|":
                return mark.end()
            at = _behind(_BLANKS, self._text, mark.end())
            is_table = self._text.startswith(b"|", at)
            return None if is_table else self._begin(at, self._context)
        if not mark[0].isascii():
            return self._begin(mark.end(), _NAMED)
        if mark[0] == b"|":  # without a word before it, or the second of them: the row of a table
            is_prefix = self._contents == 1 and 0 < self._fields + self._bare < 3
            return self._begin(mark.end(), _START) if is_prefix else None
        self._fields += 1
        return mark.end() if mark[0].startswith(b"-") else None

    def _group(self, at: int, first: bytes) -> int | None:
        text = self._text
        if first in b"[<" and (behind := self._time_in_brackets(at)) != at:
            return behind
        group = _GROUPS[first](text, at, self._limit)
        if self._may_hold_level(first) and (rank := self._rank_in_group(at)) is not None:
            return self._found(rank, group.end() if group else at)
        is_markup = first == b"<" and self._context == _START
        if not group or is_markup:
            return None
        if self._context == _START and first == b"[" and not self._bare and self._is_numeric:
            return self._begin(group.end(), _START)  # a task
        self._last, self._is_numeric = b"", False
        self._fields += 1
        return group.end() if self._fields <= MOST_FIELDS else None

    def _time_in_brackets(self, at: int) -> int | None:
        """Read a time behind a bracket; return `at` if there is none."""
        text, limit = self._text, self._limit
        for bracket in _TIME_BRACKETS:
            if (before := bracket(text, at)) and (time := scan(text, before.end(), limit)):
                return self._behind_time(*time.span())
        if (level := _LEVEL_BEFORE_TIME(text, at)) and (time := scan(text, level.end(), limit)):
            name = level[1]
            rank = LETTERS.get(name) if len(name) == 1 else name in WORDS and WORDS[name].rank
            self._found_time(*time.span())
            return self._found(rank, time.end()) if rank else time.end()
        if (word := _WORD_BEFORE_TIME(text, at)) and (time := scan(text, word.end(), limit)):
            return self._behind_time(*time.span())
        if self._context == _START and (time := _EPOCH(text, at) or _UPTIME(text, at)):
            return self._behind_time(*time.span(1))
        return at

    def _may_hold_level(self, bracket: bytes) -> bool:
        if self._context == _START:
            return not self._bare + self._fields and bracket in b"[<"
        return self._bare <= MOST_BARE

    def _rank_in_group(self, at: int) -> int | None:
        text, is_logged = self._text, self._context in (_TIMED, _LOGGED)
        if is_logged and (number := _FACILITY_NUMBER(text, at)):
            return SYSLOG[int(number[1])]
        level = _LEVEL_ALONE(text, at, self._limit) or _LEVEL_AND_NAME(text, at, self._limit)
        if not level:
            return None
        name, bracket = level[1], text[at : at + 1]
        if len(name) == 1:
            return LETTERS.get(name) if name.isupper() and bracket != b"(" else None
        word = WORDS.get(name.upper())
        if word is None or (bracket != b"[" and not (name.isupper() or is_logged)):
            return None
        if bracket == b"<" and level.end() >= len(text):
            return None  # markup
        if not (name.isupper() or is_logged) and word.strictness == PLACED:
            return None
        return word.rank

    def _level(self, at: int) -> bool:
        """Keep the level at `at`; False if none stands there."""
        text = self._text
        begin = adjective.end() if (adjective := _ADJECTIVE(text, at)) else at
        found = _WORD(text, begin, self._limit)
        word = WORDS.get(found[0].upper()) if found else None
        if not found or not word or not self._is_level(found, word.strictness):
            letter = self._is_numeric and self._context == _TIMED and _LETTER(text, at)
            if letter and letter[0] in LETTERS:
                self._found(LETTERS[letter[0]], letter.end())
            return bool(letter)
        rank = word.rank
        if adjective and adjective[0].lower() == b"fatal " and self._context != _NAMED:
            rank = RANKS["CRITICAL"]
        self._found(rank, found.end())
        return True

    def _is_level(self, found: re.Match[bytes], strictness: int) -> bool:
        """True if the word is a level, by its case, its context and what follows it."""
        text, end, context = self._text, found.end(), self._context
        is_upper, is_logged = found[0].isupper(), context in (_TIMED, _LOGGED)
        if not is_logged and self._fields + self._bare:
            return False
        follows = text[end : end + 1]
        if follows == b"[":
            code = _CODE_IN_BRACKETS(text, end, self._limit)
            if is_upper and scan(text, end + 1, self._limit):
                return True
            return bool(code and (is_upper or code[1]))
        if _CODE(text, end, self._limit):
            return True
        if _ASSIGNED(text, end) or (found[0] == b"fatal" and text.startswith(b": [", end)):
            return False
        if _COLON(text, end, self._limit):
            if is_upper or context == _TIMED:
                return is_logged or strictness != PLACED
            is_name = found[0] in (b"alert", b"audit", b"trace") or _VALUE(text, end)
            return not is_name and (is_logged or strictness in (PLAIN, SAID))
        if is_logged and is_upper:
            return follows in b" \t:|])!/"
        if is_upper:
            return (follows == b":" and context == _START) or (
                follows in b" \t|!" and strictness in (PLAIN, CUT) and context == _START
            )
        if is_logged and self._is_column and text.startswith(b"  ", end):
            return strictness != PLACED
        if found[0][:1].isupper() and follows == b" " and not text.startswith(b" - ", end):
            return False  # it begins a sentence
        is_direct = context == _TIMED and not self._fields + self._bare
        return is_direct and (
            follows == b"/" or (strictness != PLACED and follows in (b" ", b"\t"))
        )

    def _field(self, at: int) -> int | None:
        text = self._text
        field = _FIELD(text, at, self._limit)
        if not field:
            return None
        if not field[0].strip(b"+$#"):
            return None  # a shell's prompt, or what it traces
        end, name, is_logged = field.end(), field[0], self._context in (_TIMED, _LOGGED)
        if is_logged and (rank := self._rank_in_field(field)) is not None:
            return self._found(rank, end)
        if (program := self._program_end(field)) is not None:
            is_logged = is_logged or text[end : end + 1] in (b"[", b"(")  # with its process
            may_follow = is_logged or (self._context == _START and not self._fields + self._bare)
            return self._begin(program, _LOGGED if is_logged else _NAMED) if may_follow else None
        follows = text[end : end + 1]
        if follows == b"=":
            value = _PAIR_VALUE(text, end, self._limit) if is_logged else None
            if not value:
                return None
            end, name = value.end(), value[0]
        if name.isalpha():
            self._bare += 1
            self._last, self._is_numeric = name, False
            return end if self._bare <= (MOST_BARE if is_logged else 1) else None
        self._fields += 1
        self._last = name if name.startswith(b"=") else b""
        self._is_numeric = self._is_numeric and bool(_NUMBER(name))
        return end if is_logged or self._fields <= MOST_FIELDS else None

    def _program_end(self, field: re.Match[bytes]) -> int | None:
        """The place where content begins behind a program's name; None if the field is no such name."""
        end = field.end()
        if process := _PROCESS(self._text, end):
            return process.end()
        if self._context == _START and (column := _COLUMN(self._text, end)):
            return column.end()
        is_end = end >= len(self._text) or self._text[end : end + 1] in b" \t"
        return end if is_end and field[0].endswith(b":") else None

    def _rank_in_field(self, field: re.Match[bytes]) -> int | None:
        """The rank that a field names beside a facility, topics or a name."""
        text, at, end = self._text, field.start(), field.end()
        if (facility := _FACILITY(text, at)) and (word := WORDS.get(facility[1].upper())):
            return word.rank
        if topics := _TOPICS(text, at):
            words = [WORDS.get(topic.upper()) for topic in topics[0].split(b",")]
            return max((word.rank for word in words if word), default=None)
        if text[end : end + 1] == b"[" and (level := _LEVEL_ALONE(text, end)):
            return WORDS[level[1]].rank if level[1] in WORDS else None
        return None
