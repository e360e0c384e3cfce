# SPDX-License-Identifier: Apache-2.0
"""How a line shows its time and its severity: the one table.

To teach oslogserve a kind of line, add a Row to TABLE with example lines: the examples are tests.
A pattern is a regular expression over the beginning of a line, in which `{NAME}` stands for

* a time: one of TIMES; a line may begin with any of them that is in `{time}`;
* a severity: a word of one of VOCABULARIES, which ends where it ends there. A row that has none
  gives its lines the severity that is named in it; if there is none, the line only looks as if it
  showed one;
* `{content}`, at a pattern's end: what follows is looked at like a line. What it shows counts
  before the row's own severity, and behind the row's own time;
* a part of others: one of PARTS; `{eol}`: the line's end.

The first row that fits counts. What is behind a time is looked up apart from what is before it, so
what one row has before its time goes with what another one has behind it. "NONE" is for what is
known to be no error: it does not belong to an error above it, as a line without a severity does.

Both renderers compile these rows. The native one refuses what it would read otherwise than `re`
does: groups, look-around, what may match a line's end; in a time, also what HTML escapes. An
atomic group is there for `re` alone, against backtracking: it must have but one way to match.
"""

from collections.abc import Mapping
from dataclasses import dataclass

#: Lowest first; `level=X` shows X and all that stand behind it. NONE: never recognised.
SEVERITIES = ("NONE", "DEBUG", "INFO", "AUDIT", "TRACE", "WARNING", "ERROR", "CRITICAL")
#: Of lines that show none.
NONE = SEVERITIES[0].encode()
RANK = {name.encode(): rank for rank, name in enumerate(SEVERITIES)}

#: No more of a line is looked at: a level may be the last field of a JSON line, but what is looked
#: at is also what a hostile line costs.
HEAD = 4096

#: So many lines may be within each other: a log in a journal in a console.
DEEPEST = 3

#: Line -> (time, severity) recognised, b"" for none.
Examples = Mapping[bytes, tuple[bytes, bytes]]


@dataclass(frozen=True)
class Row:
    name: str
    pattern: bytes
    examples: Examples
    severity: str | None = None


@dataclass(frozen=True)
class Ending:
    """A line's last bytes, for lines to which no row gives a severity."""

    name: str
    suffix: bytes
    examples: Examples
    severity: str


@dataclass(frozen=True)
class OwnRow:
    """An operator's. The first that fits comes before the table, which adds what it does not show.

    pattern: in RE2's syntax, over a line's beginning, with groups named time, severity or both.
    words: what the latter may hold, in upper case -> its severity; empty for LEVELS.
    """

    name: str
    pattern: bytes
    words: Mapping[bytes, str]


@dataclass(frozen=True)
class Vocabulary:
    """words: word, in upper case -> its severity. any_case: in a log they may be in any.

    is_whole: no word character follows.
    """

    words: Mapping[bytes, str]
    any_case: bool = False
    is_whole: bool = True


def _words(**severities: str) -> dict[bytes, str]:
    return {word.encode(): name for name, words in severities.items() for word in words.split()}


#: These are a level even where nothing but a space follows.
_PLAIN_LEVELS = _words(
    CRITICAL="CRITICAL FATAL CRIT EMERG EMERGENCY",
    ERROR="ERROR SEVERE",
    WARNING="WARNING WARN",
    TRACE="TRACE",
    AUDIT="AUDIT",
    INFO="INFO NOTICE",
    DEBUG="DEBUG",
)
_SAID_LEVELS = _PLAIN_LEVELS | _words(CRITICAL="ALERT PANIC", ERROR="ERR", INFO="NOTE", DEBUG="DBG")
#: Also those that say a level only where a format has its place for one; some cut to four letters.
LEVELS = _SAID_LEVELS | _words(
    CRITICAL="EMER FATA PANI",
    ERROR="ERRO EROR",
    INFO="INFORMATION NOTI",
    DEBUG="DEBUG1 DEBUG2 DEBUG3 DEBUG4 DEBUG5 DEBU DBUG VERBOSE",
    TRACE="TRACE1 TRACE2 TRACE3 TRACE4 TRACE5 TRACE6 TRACE7 TRACE8 TRAC",
)
_SYSLOG = ("CRITICAL", "CRITICAL", "CRITICAL", "ERROR", "WARNING", "INFO", "INFO", "DEBUG")
_BUNYAN = _words(CRITICAL="60", ERROR="50", WARNING="40", INFO="30", DEBUG="20", TRACE="10")


def _of_status(status: int) -> str:
    return "ERROR" if status >= 500 else "WARNING" if status >= 400 else "INFO"


_PRIORITIES = {b"%d" % number: severity for number, severity in enumerate(_SYSLOG)}

VOCABULARIES = {
    "PLAIN": Vocabulary(_PLAIN_LEVELS),
    "LEVEL": Vocabulary(LEVELS | _words(INFO="LOG", DEBUG="FINE FINER FINEST")),
    "level": Vocabulary(LEVELS, any_case=True),
    "said": Vocabulary(
        {word: name for word, name in _SAID_LEVELS.items() if name not in ("AUDIT", "TRACE")},
        any_case=True,
    ),
    "klog": Vocabulary(_words(CRITICAL="F", ERROR="E", WARNING="W", INFO="I"), is_whole=False),
    "apt": Vocabulary(_words(ERROR="E", WARNING="W")),
    "mysql": Vocabulary(LEVELS | _words(INFO="SYSTEM"), any_case=True),
    "erlang": Vocabulary(LEVELS | _words(ERROR="CRASH SUPERVISOR", INFO="PROGRESS")),
    "facility_and_severity": Vocabulary({b"%d" % n: _SYSLOG[n % 8] for n in range(192)}),
    "json_level": Vocabulary(LEVELS | _BUNYAN, any_case=True),
    "priority": Vocabulary(_PRIORITIES),
    "status": Vocabulary({b"%d" % n: _of_status(n) for n in range(100, 600)}),
}

_FRACTION = rb"(?:[.,]\d{1,9})?"
_CLOCK = rb"\d\d:\d\d:\d\d" + _FRACTION
_MONTH = rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DAY = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_NAMED_ZONE = rb"(?:UTC|GMT|WES?T|BST|IST|CES?T|EES?T|MSK|JST|KST|AE[SD]T|[ECMP][SD]T)"
_ZONE = rb"(?:Z|[+-]\d\d(?::?\d\d)?| (?:" + _NAMED_ZONE + rb"|[+-]\d\d:?\d\d))?"
_ISO = rb"\d{4}-\d\d-\d\d[ T] ?\d{1,2}:\d\d:\d\d" + _FRACTION + _ZONE
_EPOCH = rb"(?:\d{10}(?:\.\d{1,9})?|\d{13}|\d{16}|\d{19}|\d\.\d{1,18}e\+09)"

_CALENDAR = (
    _ISO,  # ISO 8601, also with a space for its T, and as MariaDB has it with one digit of an hour
    _DAY + rb" " + _ISO,  # journal short-full
    rb"\d{4}/\d\d/\d\d " + _CLOCK,  # nginx, Go
    _MONTH + rb" [ \d]\d " + _CLOCK,  # syslog and journal
    _MONTH + rb" \d{1,2},? \d{4} \d{1,2}:\d\d:\d\d(?: [AP]M)?",  # java.util.logging
    _DAY + rb" " + _MONTH + rb" [ \d]\d " + _CLOCK + rb" \d{4}",  # ctime, Apache's errors
    rb"\d\d/" + _MONTH + rb"/\d{4}[: ]" + _CLOCK + rb"(?: [+-]\d{4})?",  # access logs
    rb"\d{1,2}-" + _MONTH + rb"-\d{4}(?:::| )" + _CLOCK,  # RabbitMQ until 3.6, Tomcat
    rb"\d\d/\d\d/\d{4} " + _CLOCK + rb"(?: [AP]M)?",  # strftime's %x
    rb"\d{6} [ \d]\d:\d\d:\d\d",  # MySQL until 5.6
    _CLOCK,  # logback
)

#: Each must be followed by what is neither part of a word nor `:` with a digit.
TIMES = {
    "time": b"|".join(_CALENDAR),
    "json_time": b"|".join((*_CALENDAR, _EPOCH)),
    "klog_time": rb"(?:\d{4})?\d{4} \d\d:\d\d:\d\d\.\d{6}",
    "epoch": _EPOCH,
    "uptime": rb"\d{1,8}\.\d{6}",
    "day_of_year": rb"\d{3}/\d{6}",
}

_STRING = rb'"[^"\\]*(?>(?:\\.[^"\\]*)*)"'
_NESTED = rb'[{\[](?>(?:[^"{}\[\]]+|' + _STRING + rb")*)[}\]]"
_NESTED = rb'[{\[](?>(?:[^"{}\[\]]+|' + _STRING + rb"|" + _NESTED + rb")*)[}\]]"
_VALUE = _STRING + rb'|[^\s"{}\[\],]+|' + _NESTED

PARTS = {
    # Narrow, so that what one row takes for a word is nothing to most others.
    "word": rb'(?>[^\s"=\[\]{}|:]+)',
    "address": rb"(?>[\w.:-]+)",
    "host": rb"(?>[^\s\[\]|]+)",
    "unit": rb"(?>[^\s:\[]+)(?:\[\d{1,10}\])?",
    "path": rb'(?>[^\s:()"={}\[\]|<>]+)',
    "quoted": _STRING,
    "bracketed": rb"\[(?>[^\]]*)\]",
    "colon": rb"[ \t]*:[ \t]*",
    # Of a test, behind its name.
    "parameters": rb"(?>[^\s\[]+)\[.*\]",
    # What stands before a key: of a JSON object, of logfmt.
    "members": rb"\{[ \t]*(?>" + _STRING + rb"[ \t]*:[ \t]*(?:" + _VALUE + rb")[ \t]*,[ \t]*)*?",
    "pairs": rb"(?>[\w.@/-]+=(?:" + _STRING + rb'|[^\s"]*) +)*?',
    "dotted": rb"(?>(?:\w+\.)*)",
    "exception": rb"(?:[A-Z]\w*)?(?:Error|Exception|Failure)|(?:Base)?ExceptionGroup|(?:System|Generator)Exit"
    rb"|KeyboardInterrupt|Stop(?:Async)?Iteration",
}

#: A line that begins with a time, and what may stand behind one.
_TIMED = (
    Row(
        "oslo.log; log4j, logback, Spring; Rust's tracing",
        rb"{time}[ \t]+(?:\d{1,10}[ \t]+)?{PLAIN}(?:[ \t:!|]|{eol})",
        {
            b"2013-09-27 18:22:11.248 2790 ERROR glanceclient [-] x": (
                b"2013-09-27 18:22:11.248",
                b"ERROR",
            ),
            b"2013-09-27 18:24:37.719 TRACE nova.compute.api [req-1 a b] x": (
                b"2013-09-27 18:24:37.719",
                b"TRACE",
            ),
            b"2024-03-04 05:06:07,123 CRITICAL nova.x [-] y": (
                b"2024-03-04 05:06:07,123",
                b"CRITICAL",
            ),
            b"2013-09-27 18:24:37.719 ERRORS are few": (b"2013-09-27 18:24:37.719", b""),
            b"2024-03-04 05:06:07.123  WARN 1 --- [main] a.b.C : x": (
                b"2024-03-04 05:06:07.123",
                b"WARNING",
            ),
            b"2024-03-04T05:06:07.123456Z ERROR hyper::proto: x": (
                b"2024-03-04T05:06:07.123456Z",
                b"ERROR",
            ),
        },
    ),
    Row(
        "a level with a colon, in any case",
        rb"{time}:?[ \t]+(?:\d{1,10}[ \t]+)?{level}:",
        {
            b"2024-03-04 05:06:07: ERROR: x": (b"2024-03-04 05:06:07", b"ERROR"),
            b"2024-03-04T05:06:07+00:00 error: x": (b"2024-03-04T05:06:07+00:00", b"ERROR"),
            b"2024-03-04T05:06:07+00:00 errors: 3": (b"2024-03-04T05:06:07+00:00", b""),
        },
    ),
    Row(
        "zap and others with tabs",
        rb"{time}\t{level}\t",
        {b"2024-03-04T05:06:07.123Z\terror\ta/b.go:12\tx": (b"2024-03-04T05:06:07.123Z", b"ERROR")},
    ),
    Row(
        "a level in brackets: nginx, RabbitMQ, MariaDB, Terraform",
        rb"{time}[ \t]+(?:\d{1,20}[ \t]+)?\[{mysql} *\]",
        {
            b"2024/03/04 05:06:07 [error] 12#12: *3 open() failed": (
                b"2024/03/04 05:06:07",
                b"ERROR",
            ),
            b"2024-03-04 05:06:07.123456+00:00 [warning] <0.1.0> x": (
                b"2024-03-04 05:06:07.123456+00:00",
                b"WARNING",
            ),
            b"2024-03-04T05:06:07.123456Z 0 [System] [MY-010116] [Server] x": (
                b"2024-03-04T05:06:07.123456Z",
                b"INFO",
            ),
            b"2024-03-04  5:06:07 140 [Note] InnoDB: x": (b"2024-03-04  5:06:07", b"INFO"),
            b"240304  5:06:07 [ERROR] Aborting": (b"240304  5:06:07", b"ERROR"),
            b"2024-03-04T05:06:07.123Z [WARN]  agent: x": (b"2024-03-04T05:06:07.123Z", b"WARNING"),
        },
    ),
    Row(
        "a thread before the level: log4j, logback, Jenkins, ZooKeeper",
        rb"{time}[ \t]+{bracketed}(?: {bracketed})?[ \t]+(?:- )?\[?{LEVEL}[\] \t:]",
        {
            b"05:06:07.123 [main] ERROR a.b.C - x": (b"05:06:07.123", b"ERROR"),
            b"2024-03-04 05:06:07,123 [myid:1] - INFO  [main:QuorumPeer@1] - x": (
                b"2024-03-04 05:06:07,123",
                b"INFO",
            ),
            b"2024-03-04 05:06:07.123+0000 [id=1]\tSEVERE\tjenkins.X#y: z": (
                b"2024-03-04 05:06:07.123+0000",
                b"ERROR",
            ),
        },
    ),
    Row(
        "Python's logging with dashes between the fields",
        rb"{time}(?: - {word}){0,3}? - {LEVEL} ",
        {
            b"2020-01-01 12:00:00,123 - a.b - ERROR - x": (b"2020-01-01 12:00:00,123", b"ERROR"),
            b"2020-01-01 12:00:00,123 - a - b - ERRORS": (b"2020-01-01 12:00:00,123", b""),
        },
    ),
    Row(
        "Python's logging with a column for the name",
        rb"{time} {word} {2,}{PLAIN} ",
        {b"2024-03-04 05:06:07,123 root         INFO     x": (b"2024-03-04 05:06:07,123", b"INFO")},
    ),
    Row(
        "Python's logging with the name before the level",
        rb"{time} (?>\w+(?:\.\w+)+|root) {PLAIN}[ :]",
        {
            b"2024-03-04 05:06:07,123 nova.compute ERROR x": (
                b"2024-03-04 05:06:07,123",
                b"ERROR",
            ),
            b"2024-03-04 05:06:07,123 found ERROR in x": (b"2024-03-04 05:06:07,123", b""),
        },
    ),
    Row(
        "cloud-init",
        rb"{time} - {word}\[{LEVEL}\]: ",
        {
            b"2024-03-04 05:06:07,123 - util.py[WARNING]: x": (
                b"2024-03-04 05:06:07,123",
                b"WARNING",
            ),
        },
    ),
    Row(
        "host, program and process before the level",
        rb"{time} {host} {word} \d+ {PLAIN} ",
        {
            b"2024-03-04T05:06:07.123+00:00 h nova-compute 71 INFO nova [-] x": (
                b"2024-03-04T05:06:07.123+00:00",
                b"INFO",
            ),
        },
    ),
    Row(
        "Python's logging with colons between the fields",
        rb"{time}:(?:[\w.]+:)?{LEVEL}:",
        {b"2020-01-01 12:00:00,123:ERROR:root:x": (b"2020-01-01 12:00:00,123", b"ERROR")},
    ),
    Row(
        "PostgreSQL",
        rb"{time} (?:[A-Z]{3,5} )?\[\d+(?:-\d+)?\](?: {word}| \[unknown\]@\[unknown\])? {LEVEL}:",
        {
            b"2024-03-04 05:06:07 UTC [42] [unknown]@[unknown] LOG:  x": (
                b"2024-03-04 05:06:07 UTC",
                b"INFO",
            ),
            b"2024-03-04 05:06:07.123 UTC [42] FATAL:  role does not exist": (
                b"2024-03-04 05:06:07.123 UTC",
                b"CRITICAL",
            ),
            b"2024-03-04 05:06:07 UTC [42-1] nova@nova_api LOG:  x": (
                b"2024-03-04 05:06:07 UTC",
                b"INFO",
            ),
            b"2024-03-04 05:06:07 UTC [42] STATEMENT:  SELECT": (b"2024-03-04 05:06:07 UTC", b""),
        },
    ),
    Row(
        "Open vSwitch",
        rb"{time}\|\d+\|[^|]*\|{LEVEL}\|",
        {
            b"2024-03-04T05:06:07.123Z|00001|vlog|ERR|x": (b"2024-03-04T05:06:07.123Z", b"ERROR"),
        },
    ),
    Row(
        "libvirt",
        rb"{time}: \d+: {level} : ",
        {
            b"2024-03-04 05:06:07.123+0000: 1234: error : virFoo:12 : x": (
                b"2024-03-04 05:06:07.123+0000",
                b"ERROR",
            ),
        },
    ),
    Row(
        "loguru",
        rb"{time} \| {LEVEL} *(?:\||{eol})",
        {
            b"2024-03-04 05:06:07.123 | WARNING  | a:b:12 - x": (
                b"2024-03-04 05:06:07.123",
                b"WARNING",
            )
        },
    ),
)

#: A line that begins with a time, and what stands behind it is one in itself.
_WRAPPED = (
    Row(
        "GitLab: the number and the kind of the stream",
        rb"{time} [\da-f]{2}[OE][+ ]{content}",
        {
            b"2024-05-22T12:43:47.962646Z 00O ERROR: Job failed": (
                b"2024-05-22T12:43:47.962646Z",
                b"ERROR",
            ),
        },
    ),
    Row(
        "Kubernetes (CRI)",
        rb"{time} (?:stdout|stderr) [FP] {content}",
        {
            b"2024-03-04T05:06:07.123456789Z stderr F E0304 05:06:07.123456  1 a.go:1] x": (
                b"2024-03-04T05:06:07.123456789Z",
                b"ERROR",
            ),
        },
    ),
    Row(
        "Ansible's own log",
        rb"{time} p=\d+ u=\S+ (?:n=\S+ )?(?:[A-Z]+ *)?\| +{content}",
        {
            b"2024-03-04 05:06:07,123 p=1 u=root n=ansible | fatal: [h]: FAILED! => {": (
                b"2024-03-04 05:06:07,123",
                b"ERROR",
            ),
        },
    ),
    Row(
        "Zuul and Jenkins consoles",
        rb"{time} \| (?:{host} \| )?{content}",
        {
            b"2013-09-27 18:07:11.860 | Started by user": (b"2013-09-27 18:07:11.860", b""),
            b"2024-03-04 05:06:07.123456 | ubuntu-jammy | changed": (
                b"2024-03-04 05:06:07.123456",
                b"NONE",
            ),
            b"2024-03-04 05:06:07.123456 | ubuntu-jammy | 2024-03-04 05:06:01 ERROR x": (
                b"2024-03-04 05:06:07.123456",
                b"ERROR",
            ),
            b"2024-03-04 05:06:07.123456 | [ERROR] x": (b"2024-03-04 05:06:07.123456", b"ERROR"),
        },
    ),
    Row(
        "journal and syslog (RFC 3164): host, unit[pid]",
        rb"{time} {host} {unit}: +{content}",
        {
            b"Mar 28 12:20:42.377230 host systemd[1]: Started x.": (b"Mar 28 12:20:42.377230", b""),
            b"Mar  8 12:20:42 host kernel: up": (b"Mar  8 12:20:42", b""),
            b"Mar 28 12:20:43.570064 host cinder-api[8526]: WARNING oslo [-] x": (
                b"Mar 28 12:20:43.570064",
                b"WARNING",
            ),
            b"Mar 28 12:20:43 host devstack@c-api.service[1]: DEBUG x [-] y": (
                b"Mar 28 12:20:43",
                b"DEBUG",
            ),
            b"Mar 28 12:20:43 host app[1]: the word ERROR in a body": (b"Mar 28 12:20:43", b""),
            b"2024-03-04T05:06:07+0000 host app[1]: ERROR: x": (
                b"2024-03-04T05:06:07+0000",
                b"ERROR",
            ),
            b"Mon 2024-03-04 05:06:07 UTC host app[1]: level=error x": (
                b"Mon 2024-03-04 05:06:07 UTC",
                b"ERROR",
            ),
        },
    ),
    Row(
        "syslog (RFC 5424)",
        rb"{time} {word} {word} {word} {word} (?:-|(?:\[\w(?>(?:[^\]\"]|{quoted})*)\])+) {content}",
        {
            b'<134>1 2024-03-04T05:06:07.123Z host app 12 ID47 [a@1 b="]"] ERROR x': (
                b"2024-03-04T05:06:07.123Z",
                b"ERROR",
            ),
        },
    ),
    Row(
        "GitHub, Azure and Jenkins consoles, docker logs",
        rb"{time}[ \t]+{content}",
        {
            b"2024-03-04T05:06:07.1234567Z ##[error]Process completed": (
                b"2024-03-04T05:06:07.1234567Z",
                b"ERROR",
            ),
            b"2024-03-04T05:06:07.123Z starting": (b"2024-03-04T05:06:07.123Z", b""),
            b"2013-09-27": (b"", b""),
        },
    ),
)

#: A line with its time in another place.
_TIME_INSIDE = (
    Row(
        "HAProxy: requests",
        rb"(?:{word}(?:\[\d+\])?: )?{address} \[{time}\] {word} {word} [\d/+-]+ {status} ",
        {
            b"10.0.0.1:53 [04/Mar/2024:05:06:07.123] fe be/s1 0/0/0/1/1 503 212 - - SC-- 1/1": (
                b"04/Mar/2024:05:06:07.123",
                b"ERROR",
            ),
            b"Mar  4 05:06:07 h haproxy[1]: 10.0.0.1:53 [04/Mar/2024:05:06:07.123] fe~ be/s"
            b" 0/0/0/1/1 404 212 - - ---- 1/1": (b"Mar  4 05:06:07", b"WARNING"),
        },
    ),
    Row(
        "access logs, common and combined",
        rb"(?:{address} )?{address} {word} {word} \[{time}\] {quoted} {status}(?: |{eol})",
        {
            b'10.0.0.1 - - [04/Mar/2024:05:06:07 +0000] "GET /error HTTP/1.1" 200 12': (
                b"04/Mar/2024:05:06:07 +0000",
                b"INFO",
            ),
            b'::1 - bob [04/Mar/2024:05:06:07 +0000] "GET /\\"a HTTP/1.1" 404 12 "-" "x"': (
                b"04/Mar/2024:05:06:07 +0000",
                b"WARNING",
            ),
            b'a:80 10.0.0.1 - - [04/Mar/2024:05:06:07 +0000] "GET / HTTP/1.1" 502 0': (
                b"04/Mar/2024:05:06:07 +0000",
                b"ERROR",
            ),
        },
    ),
    Row(
        "uWSGI: requests",
        rb"\[pid: \d+\|app: [^\]|]*\|req: [^\]]*\] {address} \([^)]*\) \{[^}]*\} \[{time}\]"
        rb" [A-Z]+ \S+ => generated \d+ bytes in \d+ msecs \(HTTP/\d\.\d {status}\)",
        {
            b"[pid: 12|app: 0|req: 3/4] 10.0.0.1 () {30 vars in 400 bytes} [Mon Mar  4 05:06:07"
            b" 2024] GET /v3 => generated 20 bytes in 2 msecs (HTTP/1.1 500) 2 headers": (
                b"Mon Mar  4 05:06:07 2024",
                b"ERROR",
            ),
        },
    ),
    Row(
        "gunicorn; Kafka; Rust's env_logger; Elasticsearch",
        rb"\[{time}(?:\] ?\[\d+\])?\]? ?\[?{LEVEL}[ \]:]",
        {
            b"[2024-03-04 05:06:07 +0000] [123] [ERROR] x": (
                b"2024-03-04 05:06:07 +0000",
                b"ERROR",
            ),
            b"[2024-03-04 05:06:07,123] WARN x (kafka.server)": (
                b"2024-03-04 05:06:07,123",
                b"WARNING",
            ),
            b"[2024-03-04T05:06:07Z INFO  my_crate] x": (b"2024-03-04T05:06:07Z", b"INFO"),
            b"[2024-03-04T05:06:07,123][ERROR][o.e.x] [n] y": (
                b"2024-03-04T05:06:07,123",
                b"ERROR",
            ),
        },
    ),
    Row(
        "Apache: errors",
        rb"\[{time}\] \[(?:[\w-]*:)?{level}\]",
        {
            b"[Mon Mar 04 05:06:07.123456 2024] [core:error] [pid 1:tid 2] AH00126: x": (
                b"Mon Mar 04 05:06:07.123456 2024",
                b"ERROR",
            ),
            b"[Mon Mar 04 05:06:07 2024] [notice] Apache configured": (
                b"Mon Mar 04 05:06:07 2024",
                b"INFO",
            ),
        },
    ),
    Row(
        "Celery",
        rb"\[{time}: {LEVEL}/",
        {b"[2024-03-04 05:06:07,123: ERROR/MainProcess] x": (b"2024-03-04 05:06:07,123", b"ERROR")},
    ),
    Row(
        "Monolog",
        rb"\[{time}\] [\w-]+\.{LEVEL}: ",
        {
            b"[2024-03-04T05:06:07.123456+00:00] app.ERROR: x []": (
                b"2024-03-04T05:06:07.123456+00:00",
                b"ERROR",
            )
        },
    ),
    Row(
        "Ruby's Logger",
        rb"[A-Z], \[{time} #\d+\] +{LEVEL} -- ",
        {
            b"E, [2024-03-04T05:06:07.123456 #123] ERROR -- : x": (
                b"2024-03-04T05:06:07.123456",
                b"ERROR",
            ),
        },
    ),
    Row(
        "a time in brackets",
        rb"\[{time}\]:? {content}",
        {b"[Mon Mar  4 05:06:07 2024] usb 1-1: new": (b"Mon Mar  4 05:06:07 2024", b"")},
    ),
    Row(
        "a level before the time, Cassandra's thread between them",
        rb"\[?{LEVEL}(?: *\])?[ \t:]+(?:{bracketed} )?\[?{time}",
        {
            b"WARN  [main] 2024-03-04 05:06:07,123 A.java:1 - x": (
                b"2024-03-04 05:06:07,123",
                b"WARNING",
            ),
            b"ERROR 2024-03-04 05:06:07,123 django 1 2 x": (b"2024-03-04 05:06:07,123", b"ERROR"),
            b"WARN  [2024-03-04 05:06:07,123] org.x: y": (b"2024-03-04 05:06:07,123", b"WARNING"),
            b"[INFO] 2024-03-04 05:06:07 x": (b"2024-03-04 05:06:07", b"INFO"),
        },
    ),
    Row(
        "RabbitMQ until 3.6",
        rb"={erlang} REPORT==== {time}",
        {
            b"=ERROR REPORT==== 4-Mar-2024::05:06:07 ===": (b"4-Mar-2024::05:06:07", b"ERROR"),
            b"=CRASH REPORT==== 4-Mar-2024::05:06:07 ===": (b"4-Mar-2024::05:06:07", b"ERROR"),
        },
    ),
    Row(
        "logrus, with its whole time",
        rb"{LEVEL}\[{time}\]",
        {b"WARN[2024-03-04T05:06:07Z] x": (b"2024-03-04T05:06:07Z", b"WARNING")},
    ),
    Row(
        "klog, glog",
        rb"{klog}{klog_time} ",
        {b"E0304 05:06:07.123456   12345 f.go:12] x": (b"0304 05:06:07.123456", b"ERROR")},
    ),
    Row(
        "GitLab: sections",
        rb"section_(?:start|end):{epoch}",
        {b"section_end:1709528767:build": (b"1709528767", b"NONE")},
    ),
    Row(
        "kernel",
        rb"\[ *{uptime}\] {content}",
        {b"[   12.345678] usb 1-1: error -71": (b"12.345678", b"")},
    ),
    Row(
        "kernel, by dmesg -x",
        rb"(?:kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local\d) *:{level} *: "
        rb"\[ *{uptime}\]",
        {b"kern  :err   : [   12.345678] x": (b"12.345678", b"ERROR")},
    ),
    Row(
        "HAProxy: its own messages",
        rb"\[{level}\] +{day_of_year} ",
        {b"[ALERT] 063/050607 (1) : Starting frontend x": (b"063/050607", b"CRITICAL")},
    ),
    Row(
        "logfmt: time",
        rb"{pairs}(?:time|ts|t|timestamp|datetime|date)=\"?{json_time}",
        {
            b'level=info time="2024-03-04T05:06:07Z" msg="x"': (b"2024-03-04T05:06:07Z", b"INFO"),
            b"ts=2024-03-04T05:06:07.123Z caller=main.go:1 level=error err=x": (
                b"2024-03-04T05:06:07.123Z",
                b"ERROR",
            ),
        },
    ),
    Row(
        "JSON: time",
        rb"{members}\"(?:time|@?timestamp|ts|@?t|asctime|date|datetime|@time|eventTime"
        rb"|__REALTIME_TIMESTAMP|_SOURCE_REALTIME_TIMESTAMP)\"{colon}\"?{json_time}",
        {
            b'{"a": {"time": 1}, "time": "2024-03-04T05:06:07.123Z", "msg": "x"}': (
                b"2024-03-04T05:06:07.123Z",
                b"",
            ),
            b'{"level":50,"time":1709528767123,"msg":"x"}': (b"1709528767123", b"ERROR"),
            b'{"level":"info","ts":1709528767.123,"msg":"x"}': (b"1709528767.123", b"INFO"),
        },
    ),
)

#: A line, or what stands behind a time, that shows its severity at its beginning.
_LEVELS = (
    Row(
        "JSON: severity, in words or as a number (pino, bunyan)",
        rb"{members}\"(?:(?:log[._]?)?[lL]evel|level_?name|severity|Severity|@?lvl|@l|@level|log_?Level"
        rb"|LogLevel|severity_?[tT]ext)\"{colon}\"?{json_level}\"?[ \t]*[,}]",
        {
            b'{"msg": "level", "levelname": "WARN"}': (b"", b"WARNING"),
            b'{"@t":"2024-03-04T05:06:07.1Z","@m":"x","@l":"Error"}': (
                b"2024-03-04T05:06:07.1Z",
                b"ERROR",
            ),
            b'{"log.level": "error", "a": [1, {"level": "info"}]}': (b"", b"ERROR"),
            b'{"a": {"level": "error"}, "msg": "\\"level\\": \\"error\\""}': (b"", b""),
            b'{"name":"a","level":60,"msg":"x"}': (b"", b"CRITICAL"),
            b'{"severity_text":"ERROR"}': (b"", b"ERROR"),
            b'{"level": 30.5}': (b"", b""),
            b'{"level": 3}': (b"", b""),
        },
    ),
    Row(
        "JSON of Elastic's common schema",
        rb"{members}\"log\"{colon}\{[ \t]*\"level\"{colon}\"{level}\"",
        {b'{"message":"x","log":{"level":"warn","logger":"a"}}': (b"", b"WARNING")},
    ),
    Row(
        "journald's JSON",
        rb"{members}\"PRIORITY\"{colon}\"?{priority}\"?[ \t]*[,}]",
        {
            b'{"MESSAGE":"x","__REALTIME_TIMESTAMP":"1709528767123456","PRIORITY":"4"}': (
                b"1709528767123456",
                b"WARNING",
            ),
        },
    ),
    Row(
        "logfmt: severity",
        rb"{pairs}(?:level|lvl|severity|loglevel|log_level)=\"?{level}(?:[ \"]|{eol})",
        {
            b'msg="level=error" level=info': (b"", b"INFO"),
            b"level=error-page": (b"", b""),
            b'a=b level="warn" msg=x': (b"", b"WARNING"),
        },
    ),
    Row(
        "syslog's facility and severity",
        rb"<{facility_and_severity}>(?:1 )?{content}",
        {
            b"<11>Mar  4 05:06:07 host app[1]: x": (b"Mar  4 05:06:07", b"ERROR"),
            b"<30>Mar  4 05:06:07 host app[1]: WARNING x": (b"Mar  4 05:06:07", b"WARNING"),
            b"<34>1 2003-10-11T22:14:15.003Z host su - ID47 - x": (
                b"2003-10-11T22:14:15.003Z",
                b"CRITICAL",
            ),
            b"<3>[   12.345678] x": (b"12.345678", b"ERROR"),
            b"<192>x": (b"", b""),
        },
    ),
    Row(
        "docker compose",
        rb"[\w.-]+[_-]\d+ +\| {content}",
        {b"web_1  | 2024-03-04 05:06:07 ERROR x": (b"2024-03-04 05:06:07", b"ERROR")},
    ),
    Row(
        "a YAML or Java property, no level",
        rb" *[a-z]+: +(?:true|false|yes|no|null|none|\d+|\{\}|\[\]){eol}",
        {b"debug: true": (b"", b""), b"error: 0": (b"", b"")},
    ),
    Row(
        "a word with a colon: pip, git, logging's default",
        rb" *{said}:(?: |{eol})",
        {
            b"  error: subprocess-exited-with-error": (b"", b"ERROR"),
            b"audit: type=1400": (b"", b""),
            b"error: failed to push some refs": (b"", b"ERROR"),
            b"Warning: x": (b"", b"WARNING"),
            b"fatal: not a git repository": (b"", b"CRITICAL"),
            b"errors: 0": (b"", b""),
        },
    ),
    Row(
        "logging's default; java.util.logging",
        rb"{LEVEL}:",
        {
            b"ERROR:root:x": (b"", b"ERROR"),
            b"SEVERE: x": (b"", b"ERROR"),
            b"ERRORS:3": (b"", b""),
        },
    ),
    Row(
        "in brackets: Maven, Ansible",
        rb"\[(?:DEPRECATION )?{level} *\]",
        {
            b"[ERROR] COMPILATION ERROR": (b"", b"ERROR"),
            b"[WARNING]: x": (b"", b"WARNING"),
            b"[INFO] 0 errors": (b"", b"INFO"),
        },
    ),
    Row(
        "Rust's env_logger without a time",
        rb"\[{LEVEL} +[\w:]+\] ",
        {b"[ERROR foo::bar] x": (b"", b"ERROR"), b"[ERROR in foo] x": (b"", b"")},
    ),
    Row(
        "a thread before the level",
        rb"{bracketed} +{PLAIN} ",
        {b"[main] ERROR a.b.C - x": (b"", b"ERROR")},
    ),
    Row(
        "a logger's name before the level",
        rb"(?>[\w.]+) - {PLAIN} - ",
        {b"root - ERROR - x": (b"", b"ERROR")},
    ),
    Row(
        "Open vSwitch, in syslog",
        rb"ovs\|\d+\|[^|]*\|{LEVEL}\|",
        {b"ovs|00001|vsctl|INFO|Called as ovs-vsctl": (b"", b"INFO")},
    ),
    Row(
        "logrus",
        rb"{LEVEL}\[\d+\]",
        {b"ERRO[0012] x": (b"", b"ERROR"), b"INFO[0000] x": (b"", b"INFO")},
    ),
)

#: A level and a space: of most lines that show one, so it is looked for first.
_PLAIN = (
    Row(
        "a setting or a count, no level",
        rb"[A-Z]{4,9} +(?:= |\d+{eol})",
        {b"DEBUG = True": (b"", b""), b"ERROR 0": (b"", b""), b"WARNING   3": (b"", b"")},
    ),
    Row(
        "a word alone",
        rb"{PLAIN}(?:[ \t!|]|{eol})",
        {
            b"ERROR x": (b"", b"ERROR"),
            b"ERROR! x": (b"", b"ERROR"),
            b"ERROR 1045 (28000): Access denied": (b"", b"ERROR"),
            b"ERROR    root:a.py:3 x": (b"", b"ERROR"),
            b"ERROR_COUNT 0": (b"", b""),
            b"ERROR=1": (b"", b""),
            b"Error handling begins": (b"", b""),
        },
    ),
)

#: What runs jobs: Ansible, GitHub, Azure, GitLab.
_JOBS = (
    Row(
        "Ansible: a task that failed",
        rb"(?:fatal|failed): \[\w",
        {
            b"fatal: [host]: UNREACHABLE! => {": (b"", b"ERROR"),
            b"failed: [host] (item=x) => {": (b"", b"ERROR"),
        },
        severity="ERROR",
    ),
    Row(
        "Ansible: FAILED!",
        rb"(?:{word} \| )?(?:FAILED|UNREACHABLE)!",
        {
            b"FAILED! => {": (b"", b"ERROR"),
            b"compute1 | UNREACHABLE! => {": (b"", b"ERROR"),
        },
        severity="ERROR",
    ),
    Row(
        "Ansible: an exception",
        rb"An exception occurred during task execution\.",
        {b"An exception occurred during task execution. To see": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "Zuul: a playbook that was ended",
        rb"(?:PRE-|POST-)?RUN END RESULT_(?:TIMED_OUT|UNREACHABLE|ABORTED|DISK_FULL):",
        {
            b"RUN END RESULT_TIMED_OUT: [untrusted : a/run.yaml@main]": (b"", b"ERROR"),
            b"RUN END RESULT_NORMAL: [untrusted : a/error.yaml@main]": (b"", b""),
        },
        severity="ERROR",
    ),
    Row(
        "Ansible: a command that failed",
        rb"{word} \| (?:FAILED|UNREACHABLE) \| ",
        {b"compute1 | FAILED | rc=1 >>": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "Ansible: a task that did not",
        rb"(?:ok|changed|skipping|included|rescued|ignored)(?:: \[|{eol})",
        {
            b"ok: [host] => (item=error)": (b"", b"NONE"),
            b"changed: [host]": (b"", b"NONE"),
        },
        severity="NONE",
    ),
    Row(
        "Ansible: headings",
        rb"(?:TASK|PLAY|RUNNING HANDLER|HANDLER) (?:\[|RECAP)",
        {
            b"TASK [error : fail] ****": (b"", b"NONE"),
            b"PLAY RECAP ****": (b"", b"NONE"),
        },
        severity="NONE",
    ),
    Row(
        "Ansible: a recap with failures",
        rb"{word} +: ok=\d+ +changed=\d+ +(?:unreachable=[1-9]|unreachable=0 +failed=[1-9])",
        {
            b"h : ok=1 changed=0 unreachable=0 failed=2": (b"", b"ERROR"),
            b"h   : ok=1    changed=0    unreachable=1    failed=0": (b"", b"ERROR"),
        },
        severity="ERROR",
    ),
    Row(
        "Zuul: a recap with failures",
        rb"ok: \d+ changed: \d+ (?:unreachable: [1-9]|unreachable: 0 failed: [1-9])",
        {b"ok: 14 changed: 5 unreachable: 0 failed: 1 skipped: 2": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "Ansible: a recap without",
        rb"{word} +: ok=\d+ +changed=\d+ +unreachable=0 +failed=0",
        {b"h : ok=1 changed=0 unreachable=0 failed=0": (b"", b"NONE")},
        severity="NONE",
    ),
    Row(
        "GitHub and Azure: markers",
        rb"##\[{level}\]",
        {b"##[error]Process completed with exit code 1.": (b"", b"ERROR")},
    ),
    Row(
        "GitHub and Azure: groups",
        rb"##\[(?:group|endgroup|section|command)\]",
        {b"##[group]Run error": (b"", b"NONE")},
        severity="NONE",
    ),
    Row(
        "Azure: logging commands",
        rb"##vso\[task\.logissue (?:[^\]]*;)?type={level}[;\]]",
        {b"##vso[task.logissue type=error;sourcepath=a]x": (b"", b"ERROR")},
    ),
    Row(
        "GitHub: workflow commands",
        rb"::{level}(?: [^:].*)?::",
        {
            b"::error file=a.py,line=1::x": (b"", b"ERROR"),
            b"::warning::x": (b"", b"WARNING"),
            b"::error-matcher::x": (b"", b""),
        },
    ),
    Row(
        "GitHub: groups",
        rb"::(?:group|endgroup|add-mask|set-output|add-matcher)(?: .*)?::",
        {b"::group::Install": (b"", b"NONE")},
        severity="NONE",
    ),
    Row(
        "GitLab and Travis: parts of a job",
        rb"(?:section_(?:start|end):\d+:|travis_fold:(?:start|end):)",
        {b"section_start:1709528767:build\r\x1b[0KError": (b"1709528767", b"NONE")},
        severity="NONE",
    ),
)

#: What runs tests.
_TESTS = (
    Row(
        "pytest: what a failure explains",
        rb"E {3}",
        {b"E   assert 1 == 2": (b"", b"ERROR"), b"E assert": (b"", b"")},
        severity="ERROR",
    ),
    Row(
        "pytest, unittest, ninja, go test, jest: a failure",
        rb"FAIL(?:ED)?(?:[ :\t]|{eol})",
        {
            b"FAILED tests/a.py::test_x - assert 1": (b"", b"ERROR"),
            b"FAILED (errors=1)": (b"", b"ERROR"),
            b"FAIL: test_x (a.b.C)": (b"", b"ERROR"),
            b"FAIL\tgithub.com/a/b\t0.01s": (b"", b"ERROR"),
        },
        severity="ERROR",
    ),
    Row(
        "pytest, go test, jest, TAP: no failure",
        rb"(?:PASSED|PASS|SKIPPED|XFAIL|XPASS|ok)(?:[ \t]|{eol})",
        {
            b"PASSED tests/a.py::test_error": (b"", b"NONE"),
            b"ok  \tgithub.com/a/b\t0.01s": (b"", b"NONE"),
            b"ok 1 - error": (b"", b"NONE"),
        },
        severity="NONE",
    ),
    Row(
        "pytest -v: a failure",
        rb"{path}::(?:\S+|{parameters}) +(?:FAILED|ERROR)(?: |{eol})",
        {
            b"tests/a.py::test_x FAILED                [ 50%]": (b"", b"ERROR"),
            b"tests/a.py::test_x[1 and 2] FAILED       [ 50%]": (b"", b"ERROR"),
        },
        severity="ERROR",
    ),
    Row(
        "pytest -v: no failure",
        rb"{path}::(?:\S+|{parameters}) +(?:PASSED|SKIPPED|XFAIL|XPASS)(?: |{eol})",
        {
            b"tests/a.py::test_error PASSED            [100%]": (b"", b"NONE"),
            b"tests/a.py::test_x[no ERROR] PASSED      [100%]": (b"", b"NONE"),
        },
        severity="NONE",
    ),
    Row(
        "pytest-xdist: a failure",
        rb"\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) ",
        {b"[gw0] [ 50%] FAILED tests/a.py::test_x": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "pytest: the heading of an error",
        rb"_+ ERROR (?:at (?:setup|teardown) of|collecting) ",
        {
            b"____ ERROR at setup of test_x ____": (b"", b"ERROR"),
            b"____ ERROR collecting tests/test_x.py ____": (b"", b"ERROR"),
            b"____ test_error ____": (b"", b""),
        },
        severity="ERROR",
    ),
    Row(
        "pytest: it went no further",
        rb"!+ (?:Interrupted: |stopping after )\d+ ",
        {b"!!!! Interrupted: 1 error during collection !!!!": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "pytest: the last line, with failures",
        rb"=+ (?:\d+ \w+, )*?[1-9]\d* (?:failed|errors?)[ ,]",
        {
            b"=== 1 failed, 2 passed in 1s ===": (b"", b"ERROR"),
            b"==== 2 passed, 1 error in 1.00s ====": (b"", b"ERROR"),
        },
        severity="ERROR",
    ),
    Row(
        "pytest: the last line, without",
        rb"=+ (?:\d+ \w+, )*\d+ \w+ in \d",
        {b"=== 2 passed, 1 warning in 1s ===": (b"", b"NONE")},
        severity="NONE",
    ),
    Row(
        "go test",
        rb" {0,32}--- FAIL: ",
        {b"--- FAIL: TestX (0.00s)": (b"", b"ERROR"), b"    --- FAIL: TestX/a": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "go test: no failure",
        rb" {0,32}--- (?:PASS|SKIP): ",
        {b"--- PASS: TestError (0.00s)": (b"", b"NONE")},
        severity="NONE",
    ),
    Row(
        "stestr: the totals",
        rb" - (?:Failed|Unexpected Success): [1-9]",
        {b" - Failed: 2": (b"", b"ERROR"), b" - Failed: 0": (b"", b"")},
        severity="ERROR",
    ),
    Row(
        "tox: an environment that failed",
        rb" +{word}: FAIL (?:code |\xe2\x9c\x96)",
        {b"  py311: FAIL code 1 (3.2=setup[1.0]+cmd[2.2] seconds)": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row("TAP", rb"not ok ", {b"not ok 1 - x": (b"", b"ERROR")}, severity="ERROR"),
    Row(
        "cargo test: totals",
        rb"test result: FAILED",
        {b"test result: FAILED. 1 passed; 1 failed": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "ctest",
        rb" *\d+/\d+ +Test +#\d+: {word} \.*\*\*\*(?:Failed|Exception|Timeout|Not Run)",
        {b"1/2 Test #1: a.b ...***Failed    0.01 sec": (b"", b"ERROR")},
        severity="ERROR",
    ),
)

#: What breaks down.
_CRASHES = (
    Row(
        "Python: a traceback",
        rb" *(?:[+|] (?: *\| )?)?(?:Exception Group )?Traceback \(most recent call last\):",
        {
            b"Traceback (most recent call last):": (b"", b"ERROR"),
            b"  + Exception Group Traceback (most recent call last):": (b"", b"ERROR"),
            b"    Traceback (most recent call last):": (b"", b"ERROR"),
        },
        severity="ERROR",
    ),
    Row(
        "Python: a warning",
        rb"(?:{path}:\d+: )?{dotted}[A-Z]\w*Warning: ",
        {b"/a/b.py:12: DeprecationWarning: error is deprecated": (b"", b"WARNING")},
        severity="WARNING",
    ),
    Row(
        "an exception by its name",
        rb" *(?:\| )?{dotted}{exception}(?:: |:?{eol})",
        {
            b"ValueError: x": (b"", b"ERROR"),
            b"KeyboardInterrupt": (b"", b"ERROR"),
            b"a.b.FooException": (b"", b"ERROR"),
            b"  | KeyError: 'x'": (b"", b"ERROR"),
            b"  | ExceptionGroup: x (2 sub-exceptions)": (b"", b"ERROR"),
            b"    a.MismatchError: 1 != 2": (b"", b"ERROR"),
            b"ValueErrors: x": (b"", b""),
        },
        severity="ERROR",
    ),
    Row(
        "an exception by its place",
        rb" *[a-z_]\w*\.{dotted}[A-Z]\w*: ",
        {b"keystoneauth1.exceptions.http.NotFound: x (HTTP 404)": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "an exception by its place, without a message",
        rb"[a-z_][\w.]*(?:exceptions?|errors?|exc)\.{dotted}[A-Z]\w*{eol}",
        {b"nova.exception.PortLimitExceeded": (b"", b"ERROR"), b"a.b.Server": (b"", b"")},
        severity="ERROR",
    ),
    Row(
        "Python: exceptions in lower case",
        rb"(?:socket|select|zlib|binascii|struct)\.(?:error|timeout|gaierror|herror)(?:: |{eol})",
        {b"socket.timeout: timed out": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "Python: where an exception was raised, by pytest",
        rb"{path}:\d+: {exception}{eol}",
        {b"tests/a.py:12: AssertionError": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "Java",
        rb"(?:Exception in thread |Caused by: )",
        {
            b'Exception in thread "main" java.lang.Error: x': (b"", b"ERROR"),
            b"Caused by: a.b.C: x": (b"", b"ERROR"),
        },
        severity="ERROR",
    ),
    Row(
        "Go and Rust: a panic",
        rb"(?:panic: |fatal error: |thread '[^']*' (?:\(\d+\) )?panicked at )",
        {
            b"panic: runtime error: index out of range": (b"", b"CRITICAL"),
            b"fatal error: all goroutines are asleep - deadlock!": (b"", b"CRITICAL"),
            b"thread 'main' panicked at src/main.rs:2:5:": (b"", b"CRITICAL"),
        },
        severity="CRITICAL",
    ),
)

#: What builds and installs.
_TOOLS = (
    Row(
        "compilers: gcc, clang, javac, mypy, tsc; psql",
        rb"(?:psql:|[A-Za-z]:\\)?{path}(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\))(?::| -) (?:fatal )?{level}(?: [A-Z]+\d+)?: ",
        {
            b"src/error.c:12:3: warning: unused variable 'error'": (b"", b"WARNING"),
            b"f.c:12: fatal error: x.h: No such file": (b"", b"ERROR"),
            b"src/a.ts(1,2): error TS2304: x": (b"", b"ERROR"),
            b"src/a.ts:1:2 - error TS2304: x": (b"", b"ERROR"),
            b"Foo.java:3: error: x": (b"", b"ERROR"),
            b"psql:a.sql:3: ERROR:  x": (b"", b"ERROR"),
            b"C:\\a\\a.cpp(12): error C2065: x": (b"", b"ERROR"),
            b"http://host:80: error: x": (b"", b""),
        },
    ),
    Row(
        "compilers without a place: tsc, MSVC and its linker",
        rb"(?:LINK : )?(?:fatal )?{level} [A-Z]{1,5}\d+: ",
        {
            b"error TS2304: Cannot find name 'x'.": (b"", b"ERROR"),
            b"LINK : fatal error LNK1104: cannot open file": (b"", b"ERROR"),
            b"error codes: 3": (b"", b""),
        },
    ),
    Row(
        "Go's compiler",
        rb"{path}:\d+:\d+: (?:undefined|syntax error|(?:cannot|invalid|missing|not enough|too many"
        rb"|unknown|assignment|duplicate) \w+|\S+ (?:imported|declared) and not used|declared and not used)",
        {
            b"./foo.go:12:3: undefined: x": (b"", b"ERROR"),
            b'a/b.go:3:2: "fmt" imported and not used': (b"", b"ERROR"),
            b"a/b.go:3:2: cannot use x (variable of type int)": (b"", b"ERROR"),
            b"a/b.go:3:2: starting": (b"", b""),
        },
        severity="ERROR",
    ),
    Row(
        "rustc",
        rb"{level}\[[\w:-]+\]: ",
        {b"error[E0308]: mismatched types": (b"", b"ERROR")},
    ),
    Row(
        "a program's name before the level: configure, dpkg, argparse, ld",
        rb"(?>[\w.+/@-]+)(?:\[\d+\])?: (?:fatal )?{level}: ",
        {
            b"configure: error: no C compiler": (b"", b"ERROR"),
            b"dpkg: warning: x": (b"", b"WARNING"),
            b"a: no error: x": (b"", b""),
        },
    ),
    Row(
        "a program's name before the level in brackets: nginx, MySQL",
        rb"(?>[\w.+/@-]+): \[{level}\] ",
        {
            b"nginx: [emerg] bind() to 0.0.0.0:80 failed": (b"", b"CRITICAL"),
            b"mysql: [Warning] Using a password on the command line": (b"", b"WARNING"),
        },
    ),
    Row(
        "dpkg",
        rb"dpkg: error processing ",
        {b"dpkg: error processing package x (--configure):": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "ninja",
        rb"ninja: build stopped: ",
        {b"ninja: build stopped: subcommand failed.": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "linkers",
        rb"{path}: ?(?:\S+: )?undefined reference to ",
        {b"a.o: undefined reference to `g'": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "make",
        rb"(?:g?make(?:\[\d+\])?|{path}:\d+): \*\*\* ",
        {b"make[1]: *** [Makefile:12: all] Error 2": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "CMake: errors",
        rb"CMake Error(?:[: ]|{eol})",
        {b"CMake Error at CMakeLists.txt:1 (find_package):": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "CMake: warnings",
        rb"CMake (?:Deprecation )?Warning[: ]",
        {b"CMake Warning (dev) at CMakeLists.txt:1 (x):": (b"", b"WARNING")},
        severity="WARNING",
    ),
    Row(
        "npm: errors",
        rb"npm (?:ERR!|error)(?:[ \t]|{eol})",
        {
            b"npm ERR! code 1": (b"", b"ERROR"),
            b"npm error code 1": (b"", b"ERROR"),
            b"npm errors": (b"", b""),
        },
        severity="ERROR",
    ),
    Row(
        "npm: warnings",
        rb"npm (?:WARN|warn) ",
        {b"npm WARN deprecated x": (b"", b"WARNING")},
        severity="WARNING",
    ),
    Row(
        "npm: notices",
        rb"npm (?:notice|info) ",
        {b"npm notice created a lockfile": (b"", b"INFO")},
        severity="INFO",
    ),
    Row(
        "apt",
        rb"{apt}: ",
        {b"E: Unable to locate package x": (b"", b"ERROR")},
    ),
    Row(
        "docker",
        rb"Error response from daemon: ",
        {b"Error response from daemon: x": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "Gradle, Ant",
        rb"(?:BUILD FAILED|FAILURE: )",
        {b"FAILURE: Build failed with an exception.": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "curl",
        rb"curl: \(\d+\) ",
        {b"curl: (22) The requested URL returned error: 404": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "shells: a command that is not there",
        rb"{path}: (?:(?:line )?\d+: [^\s:]+: (?:command )?|[^\s:]+: command )not found{eol}",
        {
            b"bash: line 1: foo: command not found": (b"", b"ERROR"),
            b"bash: foo: command not found": (b"", b"ERROR"),
            b"a: b: not found": (b"", b""),
        },
        severity="ERROR",
    ),
    Row(
        "shells: a command that crashed",
        rb"(?:Segmentation fault|Aborted|Bus error|Illegal instruction) \(core dumped\)",
        {b"Segmentation fault (core dumped)": (b"", b"ERROR")},
        severity="ERROR",
    ),
    Row(
        "yarn",
        rb"error Command failed ",
        {b"error Command failed with exit code 1.": (b"", b"ERROR")},
        severity="ERROR",
    ),
)

#: Ansible's `fatal: [` comes before the word `fatal:`, compilers before what has a colon; what is
#: behind a time is tried in this order too, and a space with just anything behind it comes last.
TABLE = (*_PLAIN, *_TIMED, *_TIME_INSIDE, *_WRAPPED, *_JOBS, *_CRASHES, *_LEVELS, *_TESTS, *_TOOLS)

ENDINGS = (
    Ending(
        "stestr, tempest, unittest, cargo test: a failure",
        b"... FAILED",
        {b"{0} tempest.api.test_error [1.2s] ... FAILED": (b"", b"ERROR")},
        "ERROR",
    ),
    Ending(
        "unittest: a failure", b"... FAIL", {b"test_x (a.b.C) ... FAIL": (b"", b"ERROR")}, "ERROR"
    ),
    Ending(
        "unittest: an error", b"... ERROR", {b"test_x (a.b.C) ... ERROR": (b"", b"ERROR")}, "ERROR"
    ),
    Ending("no failure", b"... ok", {b"test_error (a.b.C) ... ok": (b"", b"NONE")}, "NONE"),
    Ending("Gradle: a task", b" FAILED", {b"> Task :app:compile FAILED": (b"", b"ERROR")}, "ERROR"),
)
