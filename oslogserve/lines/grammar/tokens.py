# SPDX-License-Identifier: Apache-2.0
"""The tokens of a line's head: one table of patterns.

Rust's `regex` reads a pattern: it is ASCII. {end} is the end of the text; other names in braces are
fragments. A pattern may end in a guard, `(?=X)`, for the byte or the end that must follow the token.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from oslogserve.lines.grammar.severities import CUT, LETTERS, PLACED, PLAIN, SAID, WORDS


class Kind(StrEnum):
    """The meaning of a token. The values are its names in the native core."""

    # Levels; the comment says which part of the token has the severity.
    FIRST_WORD = "FirstWord"  #: the first word of a level
    LAST_WORD = "LastWord"  #: the last word of a level
    LETTER = "Letter"  #: the letter at its beginning
    LINE_LETTER = "LineLetter"  #: the same, only where a line begins
    DIGIT = "Digit"  #: a digit of syslog's
    FATAL = "Fatal"  #: it is CRITICAL
    COLUMN = "Column"  #: a word in a column of its own
    KLOG = "Klog"  #: a letter; the time follows
    NUMBER_TIME = "NumberTime"  #: a time that is a number, the last one in it
    SECTION_TIME = "SectionTime"  #: the same, in the mark of a section: it begins no record
    # After these, content begins again, in the context that the comment names.
    PREFIX = "Prefix"  #: START
    PRIORITY = "Priority"  #: START, after a priority of syslog's
    AGAIN = "Again"  #: the same as before
    ORNAMENT = "Ornament"  #: NAMED
    PROGRAM = "Program"  #: LOGGED after a time, else NAMED
    PROCESS = "Process"  #: LOGGED
    BAR = "Bar"
    # Fields, and separators of fields.
    MARK = "Mark"
    DASH = "Dash"
    GROUP = "Group"
    OBJECT = "Object"
    PAIR = "Pair"
    LAST_PAIR = "LastPair"
    NUMBER = "Number"
    FIELD = "Field"
    WORD = "Word"
    STOP = "Stop"


class Position(StrEnum):
    """The context of a token. It is FIRST_ up to the first field of the content."""

    START = "S"  #: before any time
    FIRST_START = "s"
    NAMED = "N"  #: after a program's name, before any time
    FIRST_NAMED = "n"
    TIMED = "T"  #: after a time
    FIRST_TIMED = "t"
    NUMBERED = "#"  #: after a time and numbers
    LOGGED = "L"  #: after a name, with a time or a process
    FIRST_LOGGED = "l"
    PROSE = "p"  #: as LOGGED, right after a word of prose: no level can be here


#: Positions that may have a level; those after a time; all.
_LEVEL = "sntlT#L"
_LOGGED = "tT#lLp"
_ALL = "sSnN" + _LOGGED


def _either(words: Iterable[bytes]) -> bytes:
    return b"(?:" + b"|".join(words) + b")"


def _words(*strictness: int) -> list[bytes]:
    return [word for word, says in WORDS.items() if says.strictness in strictness]


_NOT_FIELD = rb" \t\n\r\x0b\x0c\[\](){}<>|,=\"';"
_FRAGMENTS = {
    b"f": rb"[^" + _NOT_FIELD + rb"]",
    b"delimiter": rb"[" + _NOT_FIELD + rb"]|{end}",
    b"blank": rb"[ \t]|{end}",
    b"not space": rb"[^ \t\n\r\x0b\x0c]",
    # Words of levels in upper case: all; those that are levels outside brackets too; those that a line
    # may begin with before a colon; before a space.
    b"ANY": _either(_words(PLAIN, CUT, SAID, PLACED)),
    b"COMMON": _either(_words(PLAIN, CUT, SAID)),
    b"SAID": _either(_words(PLAIN, SAID)),
    b"PLAIN": _either(_words(PLAIN, CUT)),
    b"LETTER": rb"[" + b"".join(LETTERS) + rb"]",
    b"any": rb"(?i:{ANY})",
    b"common": rb"(?i:{COMMON})",
    b"lower any": _either(word.lower() for word in _words(PLAIN, CUT, SAID, PLACED)),
    b"lower common": _either(word.lower() for word in _words(PLAIN, CUT, SAID)),
    b"Common": _either(word.capitalize() for word in _words(PLAIN, CUT, SAID)),
    b"adjective": rb"(?:[Ff]atal|FATAL|[Ii]nternal|[Rr]untime|[Ss]yntax|[Pp]arse|[Hh]int) ",
    b"code": rb"(?: #?[A-Z]{0,6}[0-9]+(?:-D)?| ?\([a-z]+:[0-9]+\)) ?:",
    b"codes": rb"(?:\[[\w:.-]{1,64}\]){1,2}",
    b"colon": rb"[ \t]{0,8}:(?=[ \t]|{end})",
    b"facility": rb"(?:kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local[0-9])",
    # Allowed in brackets before a level.
    b"before": rb"(?:[\w.-]{0,32}:|[\w.]{1,64}#|ID [0-9]+ [a-z]+[0-9]?\.|[a-z]+[0-9]?\.|DEPRECATION )?",
    b"mark": rb"[^\x00-\x7f]+",
    b"nanos": rb"[0-9]{19}",
    b"process": rb"[^\] \t\n\r\x0b\x0c]",
}
#: The first rule that matches counts.
_TABLE: list[tuple[str, Kind, bytes]] = [
    # Layouts of their own.
    ("s", Kind.PREFIX, rb"#[0-9]+ (?:[0-9]+\.[0-9]+ )?|[0-9]+> ?|[0-9]+\. |[0-9]{1,3}% "),
    ("s", Kind.PREFIX, rb"[DIWEFA], (?=\[)"),
    ("s", Kind.PRIORITY, rb"<(?:1[0-8][0-9]|19[01]|[0-9]{1,2})>(?:1 )?"),
    ("s", Kind.LINE_LETTER, rb"[EWN]: [^0-9]"),  # apt's
    # Marks of sections, overwritten by the text after them: GitLab's, then Travis'. The line with an
    # end mark of Travis was written when the command finished.
    ("s", Kind.SECTION_TIME, rb"section_(?:start|end):[0-9]{10}(?=:)"),
    ("t", Kind.ORNAMENT, rb"[\w.-]{1,64}(?:\[[^\]\r]*\])?\r"),
    ("s", Kind.SECTION_TIME, rb"travis_time:end:[\w.-]+:start={nanos},finish={nanos}(?=[,\r])"),
    ("s", Kind.PREFIX, rb"travis_(?:fold|time):(?:start|end):[\w.-]+\r"),
    ("t", Kind.PREFIX, rb"duration=[^ \r]{1,64}\r"),
    ("s", Kind.NUMBER_TIME, rb"[0-9]{10}\.[0-9]{3,6}(?=[ \t])"),  # Squid's
    ("sn", Kind.PREFIX, rb"\([\w.-]+:[0-9]+\): "),
    ("s", Kind.LETTER, rb"{LETTER} \[[0-9]{2}/"),  # CUPS's
    ("s", Kind.LETTER, rb"{LETTER} [0-9]{4}-[0-9]{2}-[0-9]{2}[ T]"),
    ("sS", Kind.NUMBER_TIME, rb"\[[0-9]{10}(?:\.[0-9]{1,9})?\]|\[ *[0-9]{1,8}\.[0-9]{6}\]"),
    ("s", Kind.LAST_WORD, rb"{facility} *:{lower any} *:"),
    ("s", Kind.FIRST_WORD, rb"\* ERROR: "),
    ("s", Kind.ORNAMENT, rb"\*{2,4} |==> "),
    ("stl", Kind.AGAIN, rb"PHP "),
    ("t", Kind.AGAIN, rb"(?:stdout|stderr) [FP] "),
    # GitHub's and Azure's commands to the reader of the log.
    ("stl", Kind.FIRST_WORD, rb"##\[{lower any}\]|::{lower any}(?: [^:].*)?::"),
    ("stl", Kind.FIRST_WORD, rb"##vso\[task\.logissue (?:[^\]]*;)?type={lower any}[;\]]"),
    ("stl", Kind.KLOG, rb"[IWEF][0-9]{4}(?:[0-9]{4})? +[0-9]{1,2}:"),
    ("stl", Kind.LETTER, rb"[VDIWEF]/[\w.$-]+ *(?:\( *[0-9]+\))?:"),  # Android's
    (_ALL, Kind.DIGIT, rb"%[A-Z0-9_]{1,32}-[0-7]-[A-Z0-9_]{1,32}: "),  # Cisco's
    ("stl", Kind.LAST_WORD, rb"={ANY} REPORT==== ?"),
    ("stl", Kind.FIRST_WORD, rb"{PLAIN} - "),
    ("t", Kind.PRIORITY, rb"(?:Em|Al|Cr|Er|Wa|No|In|De)\([0-9]{1,3}\)"),  # ESXi's
    ("sSnNtlTL#", Kind.LAST_WORD, rb"(?:[\w-]+-)?{ANY} \*\*: "),  # GLib's
    ("stl", Kind.LAST_WORD, rb"(?:[\w-]+\.|[\w.]+ - |ovs\|[0-9]+\|\w*\|){ANY}(?:: | - |\|)"),
    # Levels in brackets. The bus is no level.
    (_LOGGED, Kind.GROUP, rb"\[system\]"),
    (_LOGGED, Kind.DIGIT, rb"<[0-9]{1,2}\.[0-7]>"),
    (_LOGGED, Kind.LAST_WORD, rb"\[[ \t]*{before}(?:{any}|{LETTER})[ \t]*[\])>]"),
    (_LOGGED, Kind.LAST_WORD, rb"\[[\w-]{1,32} +(?:{ANY} +[\w.]|{lower any} ')"),
    ("snN" + _LOGGED, Kind.LAST_WORD, rb"\[[\w .#:-]{1,64}/{ANY}\]"),
    ("snN" + _LOGGED, Kind.FIRST_WORD, rb"\[{ANY}:[\w.-]+\]"),
    (_LOGGED, Kind.LAST_WORD, rb"\([ \t]*{before}{any}[ \t]*[\])>]"),
    (_LOGGED, Kind.LAST_WORD, rb"<[ \t]*{before}(?:{any}|{LETTER})[ \t]*[\])>]"),
    (
        "snN",
        Kind.LAST_WORD,
        rb"\[[ \t]*{before}(?:{ANY}|{common}|Information|{LETTER})[ \t]*[\])>]",
    ),
    ("nN", Kind.LAST_WORD, rb"\([ \t]*{before}{ANY}[ \t]*[\])>]"),
    ("snN", Kind.LAST_WORD, rb"<[ \t]*{before}(?:{ANY}|{LETTER})[ \t]*[\])>]"),
    ("snN" + _LOGGED, Kind.FIRST_WORD, rb"\[{ANY} +[\w:.]+\] "),
    # Words with a code.
    (_LEVEL, Kind.FIRST_WORD, rb"{ANY}\[(?:[0-9]{2,4}[-/.:]|[A-Z][a-z][a-z] )"),
    (_LEVEL, Kind.FIRST_WORD, rb"{ANY}{codes}(?=[ \t]|{end})"),
    (_LEVEL, Kind.FIRST_WORD, rb"{any}{codes}:(?=[ \t]|{end})"),
    ("stlT#L", Kind.FATAL, rb"(?:[Ff]atal|FATAL) (?:[Ee]rror|warning)(?:{code}|{colon})"),
    (_LEVEL, Kind.LAST_WORD, rb"{adjective}(?:[Ee]rror|warning)(?:{code}|{colon})"),
    (_LEVEL, Kind.FIRST_WORD, rb"{any}{code}"),
    # Words that are names or prose: settings, counts, keys.
    (_LEVEL, Kind.WORD, rb"{any}:?[ \t]+(?:= |[0-9.]+%?{end})"),
    (_LEVEL, Kind.WORD, rb"fatal: \["),
    # Words before a colon.
    ("tT#", Kind.FIRST_WORD, rb"{any}{colon}"),
    ("lL", Kind.FIRST_WORD, rb"{ANY}{colon}"),
    ("sn", Kind.FIRST_WORD, rb"{COMMON}{colon}"),
    (
        "snlL",
        Kind.WORD,
        rb"{any}:[ \t]*(?:true|false|yes|no|on|off|null|none|[0-9]+|\{\}|\[\]|[|>]-?){end}",
    ),
    ("snlL", Kind.WORD, rb"(?:alert|audit|trace){colon}"),
    ("lL", Kind.FIRST_WORD, rb"{any}{colon}"),
    ("sn", Kind.FIRST_WORD, rb"(?i:{SAID}){colon}"),
    # Words before a space.
    ("tT#lL", Kind.FIRST_WORD, rb"{ANY}(?=[ \t:|\])!/]|{end})"),
    ("s", Kind.FIRST_WORD, rb"{COMMON}(?=:)|{PLAIN}(?=[ \t|!]|{end})"),
    ("t", Kind.FIRST_WORD, rb"{any}(?=/)"),
    ("t", Kind.FIRST_WORD, rb"{lower common}(?=[ \t])"),
    ("t", Kind.FIRST_WORD, rb"{Common}(?:\t|  | - | [A-Z][\w.]*: )"),
    ("t", Kind.FIRST_WORD, rb"{adjective}(?:[Ee]rror|warning) "),
    ("#TL", Kind.COLUMN, rb"{common}(?=[ \t])"),
    ("t#", Kind.LETTER, rb"[VDIWEFT](?: {not space}|:[ \t]|! )"),
    # Fields.
    (_LOGGED, Kind.LAST_WORD, rb"{facility}\.{lower any}(?=[ \t])"),
    (_LOGGED, Kind.LAST_WORD, rb"(?:[a-z]+,)*{lower any}(?:,[a-z]+)+(?=[ \t])"),
    (_LOGGED, Kind.LAST_WORD, rb"(?:[a-z]+,)+{lower any}(?=[ \t])"),
    (_LOGGED, Kind.LAST_WORD, rb"{f}+\[[ \t]*{before}{ANY}[ \t]*[\])>]"),
    (_ALL, Kind.GROUP, rb"\[(?:[^\]\"]|\"(?:[^\"\\]|\\.)*\")*\]|\[[^\]]*\]|\([^)]*\)"),
    ("nN" + _LOGGED, Kind.GROUP, rb"<[^>]*>"),
    (_ALL, Kind.GROUP, rb"\{[^}]*\}"),
    (_ALL, Kind.OBJECT, rb"\{"),
    (_LOGGED, Kind.BAR, rb"\|"),
    ("sS", Kind.BAR, rb"\|"),
    (_LOGGED, Kind.MARK, rb"{mark}|[:,;\])>]"),
    (_LOGGED, Kind.MARK, rb"(?:--?|=>|->)(?=[ \t])"),
    ("sSnN", Kind.ORNAMENT, rb"{mark}"),
    ("sSnN", Kind.DASH, rb"(?:--?|->)(?=[ \t])"),
    (_ALL, Kind.STOP, rb"[+$#]+(?={delimiter})"),
    ("nN", Kind.STOP, rb":"),
    (_ALL, Kind.PROCESS, rb"{f}+(?:\[{process}{1,32}\]|\([0-9]{1,10}\)):(?={blank})"),
    ("sS", Kind.PROGRAM, rb"{f}+ : "),
    (_ALL, Kind.PROGRAM, rb"{f}*:(?={blank})"),
    (_LOGGED, Kind.PAIR, rb"{f}+={not space}+(?=[ \t])"),
    (_ALL, Kind.LAST_PAIR, rb"{f}+="),
    ("sSt#", Kind.NUMBER, rb"(?:0x)?[0-9A-Fa-f]*[0-9][0-9A-Fa-f]*(?={delimiter})"),
    (_ALL, Kind.WORD, rb"[A-Za-z]+(?={delimiter})"),
    (_ALL, Kind.FIELD, rb"{f}+"),
]


def expanded(pattern: bytes, fragments: Mapping[bytes, bytes]) -> bytes:
    """The pattern with the fragments, within each other too, for their names in braces."""
    while True:
        outer = pattern
        pattern = re.sub(rb"\{([A-Za-z ]+)\}", lambda name: fragments.get(name[1], name[0]), outer)
        if pattern == outer:
            return pattern


class Rule(NamedTuple):
    """A kind of token in some positions. {end} in its pattern is the end of the text."""

    name: str
    positions: str
    kind: Kind
    pattern: bytes


RULES = [
    Rule(f'{kind} "{row.decode()}"', positions, kind, expanded(row, _FRAGMENTS))
    for positions, kind, row in _TABLE
]
