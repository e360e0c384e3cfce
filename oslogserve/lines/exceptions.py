# SPDX-License-Identifier: Apache-2.0
"""Lines whose severity is no level in their head: outcomes, crashes, tools with words of their own.

One short table of patterns, tried where a line's content begins and only where the grammar of
`head` found no level; the first that matches counts. A pattern is what Python's `re` and Rust's
`regex` read alike: no captures, no look-around, ASCII; `{end}` is the end of the line.
"""

import functools
import re
from typing import NamedTuple

from oslogserve.lines.severities import RANKS, WORDS


class Row(NamedTuple):
    """One kind of line.

    pattern: matched where content begins. severity: its lines'. first: the bytes it may begin
    with; empty for any. part: what all of its lines hold, where that saves most lines the pattern.
    """

    pattern: bytes
    severity: str
    first: bytes = b""
    part: bytes = b""


def _by_status(before: bytes, behind: bytes, **gates: bytes) -> list[Row]:
    """Rows of requests, by their HTTP status."""
    return [
        Row(before + status + rb"\d\d" + behind, severity, **gates)
        for status, severity in ((b"5", "ERROR"), (b"4", "WARNING"), (b"[1-3]", "INFO"))
    ]


_DIGITS = b"0123456789"
_UPPER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#: What begins with a name or a path.
_TOKEN = rb"[\w./~@$+\x1b\x80-\xff-]\S*"
_PATH = rb'[^\s:()"={}\[\]|<>]+'
_QUOTED = rb'"(?:[^"\\]|\\.)*"'
_CLOCK = rb"\d\d/[A-Z][a-z][a-z]/\d{4}[: ]\d\d:\d\d:\d\d[^\]]*"
#: Counts before the one that decides, as in `2 passed, 1 skipped, 1 failed`.
_COUNTS = rb"(?:\d+%? [a-z]+(?: [a-z]+)?(?: \([^)]*\))?(?:,| \||;| and|) ?)*?"
_FAILED = rb"(?:tests? |examples? |specs? |suites? )?(?:failed|failures?|failing|errors?)"
_EXCEPTION = (
    rb"(?:[A-Za-z_$][\w$]*\.)*(?:[A-Z]\w*)?(?:(?:Error|Exception|Failure|Fault)\d?"
    rb"|(?:Base)?ExceptionGroup|(?:System|Generator)Exit|KeyboardInterrupt|Stop(?:Async)?Iteration"
    rb"|(?:Error|Exception|Failure)[A-Z]\w*)"
)

_REQUESTS = (
    *_by_status(
        rb"(?:[\w.:-]+ )?[\w.:-]+ [^\s\[]+ [^\s\[]+ \[" + _CLOCK + rb"\] " + _QUOTED + rb" ",
        rb"(?: |{end})",
        part=b'] "',
    ),
    *_by_status(rb'"[A-Z]+ \S+ HTTP/\d(?:\.\d)?" ', rb"(?: |{end})", first=b'"'),
    *_by_status(  # HAProxy
        rb"[\w.:-]+ \[" + _CLOCK + rb"\] \S+ \S+ [\d/+-]+ ", rb" ", part=b"/"
    ),
    *_by_status(  # uWSGI
        rb"\[pid: \d+\|app: [^\]|]*\|req: [^\]]*\] .* msecs \(HTTP/\d\.\d ", rb"\)", first=b"["
    ),
)
_ANSIBLE_AND_ZUUL = (
    Row(rb"(?:fatal|failed): \[\w", "ERROR", b"f"),
    Row(rb"(?:[\w./@-][^\s|]* \| )?(?:FAILED|UNREACHABLE)(?:!| \| )", "ERROR", part=b"E"),
    Row(rb"An exception occurred during task execution\.", "ERROR", b"A"),
    Row(
        _TOKEN + rb" +: ok=\d+ +changed=\d+ +unreachable=(?:[1-9]|0 +failed=[1-9])",
        "ERROR",
        part=b": ok=",
    ),
    Row(rb"ok: \d+ changed: \d+ unreachable: (?:[1-9]|0 failed: [1-9])", "ERROR", b"o"),
    Row(
        rb"(?:PRE-|POST-)?RUN END RESULT_(?:TIMED_OUT|UNREACHABLE|ABORTED|DISK_FULL):",
        "ERROR",
        b"PR",
    ),
)
_CRASHES = (
    Row(
        rb"(?:[+|] (?: *\| )?)?(?:Exception Group )?Traceback \(most recent call last\):",
        "ERROR",
        b"+|ET",
    ),
    Row(rb"(?:" + _PATH + rb":\d+: )?(?:\w+\.)*[A-Z]\w*Warning: ", "WARNING", part=b"Warning: "),
    Row(rb"(?:\| )?" + _EXCEPTION + rb"(?:: |:?{end}|\(| \[)", "ERROR"),
    Row(
        rb"(?:[a-z_]\w*\.)+(?:exceptions?|errors?|exc)\.(?:\w+\.)*[A-Z]\w*(?:: |{end})",
        "ERROR",
        part=b".",
    ),
    Row(
        rb"(?:socket|select|zlib|binascii|struct)\.(?:error|timeout|gaierror|herror)(?:: |{end})",
        "ERROR",
        b"bsz",
    ),
    Row(_PATH + rb":\d+: " + _EXCEPTION + rb"{end}", "ERROR", part=b": "),
    Row(rb"Exception in thread |Caused by: |Unhandled (?:exception|rejection)", "ERROR", b"ECU"),
    Row(rb"panic: |fatal error: |thread '[^']*' (?:\(\d+\) )?panicked at ", "CRITICAL", b"pft"),
    Row(rb"(?:==\d+== ?)?(?:ERROR|SUMMARY): \w+Sanitizer", "ERROR", b"=ES"),
    Row(
        rb"(?:"
        + _TOKEN
        + rb": line \d+: +\d+ )?(?:Segmentation fault|Aborted|Bus error|Illegal instruction)"
        rb" +\(core dumped\)",
        "ERROR",
        part=b"(core dumped)",
    ),
)
_TESTS = (
    # pytest
    Row(rb"E {3}", "ERROR", b"E"),
    Row(_PATH + rb"::(?:\S+|[^\s\[]+\[.*\]) +(?:FAILED|ERROR)(?: |{end})", "ERROR", part=b"::"),
    Row(rb"\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR) ", "ERROR", b"["),
    Row(rb"_+ ERROR (?:at (?:setup|teardown) of|collecting) ", "ERROR", b"_"),
    Row(rb"!+ (?:Interrupted: |stopping after )\d+ ", "ERROR", b"!"),
    # any language: totals, a column of outcomes
    Row(rb"FAIL(?:ED|URE)?(?:[ :\t]|! |{end})", "ERROR", b"F"),
    Row(
        rb"[=*_>#-]*[ =*_>#-]*(?:(?:Tests?|Test Suites|test cases|Build|DONE)(?: run)?:? +(?:\d+ \| )?)?"
        + _COUNTS
        + rb"[1-9]\d* "
        + _FAILED
        + rb"(?: in \d|,| \||;| \(|\)|\.? *[=*-]*{end})",
        "ERROR",
        b"=*_>#-TtBD0123456789",
    ),
    Row(rb"(?:\[\w+\] )?Tests run: \d+, +Failures: (?:[1-9]|0, +Errors: [1-9])", "ERROR", b"[T"),
    Row(rb"Tests: \d+, Assertions: \d+,.*(?:Failures|Errors): [1-9]", "ERROR", b"T"),
    Row(rb"(?:FAILURES|ERRORS)!{end}", "ERROR", b"FE"),
    Row(rb"WARNINGS!{end}", "WARNING", b"W"),
    Row(rb"(?:FAILED \()?(?:failures|errors)=[1-9]", "ERROR", b"Ffe"),
    Row(_TOKEN + rb"(?: {2,}|\t)(?:ERROR|FAIL(?:ED)?){end}", "ERROR", part=b"  "),
    # go, TAP, stestr, tox, cargo, ctest
    Row(rb"--- FAIL: |- (?:Failed|Unexpected Success): [1-9]", "ERROR", b"-"),
    Row(rb"not ok |test result: FAILED", "ERROR", b"nt"),
    Row(_TOKEN + rb": FAIL (?:code |\xe2\x9c\x96)", "ERROR", part=b": FAIL "),
    Row(
        rb"\d+/\d+ +Test +#\d+: \S+ \.*\*\*\*(?:Failed|Exception|Timeout|Not Run)", "ERROR", _DIGITS
    ),
    Row(rb"The following tests FAILED|Errors while running CTest", "ERROR", b"TE"),
    Row(
        rb"\d+ - \S.* \((?:SEGFAULT|Failed|Timeout|Not Run|Exit code.*|Child aborted)\)",
        "ERROR",
        _DIGITS,
    ),
    Row(rb"\d+% tests passed, [1-9]\d* tests? failed", "ERROR", _DIGITS),
    # JavaScript, Ruby, Elixir, Xcode, .NET, Google Test, Bazel, prove, cucumber
    Row(
        rb"\xe2\x97\x8f Test suite failed|\xe2\x9c\x95 |\xc3\x97 |\xe2\x80\xa2 \[FAILED\]",
        "ERROR",
        b"\xe2\xc3",
    ),
    Row(rb"\xe2\x9d\xaf \S+ \(\d+ tests? \| [1-9]\d* failed\)", "ERROR", b"\xe2"),
    Row(
        rb"[A-Z]\w+(?: \w+)? [\d.]+ \([^)]*\): Executed \d+ of \d+ .*\([1-9]\d* FAILED\)",
        "ERROR",
        _UPPER,
    ),
    Row(rb"Failure/Error: |Failed \S+ \[[\d.< ]+m?s\]|Failed! ", "ERROR", b"F"),
    Row(rb"fail: [A-Z][\w.]+\[\d+\]{end}", "ERROR", b"f"),
    Row(
        rb"\*\* \((?:[A-Z][\w.]*Error|throw|exit|EXIT[^)]*)\) |\*\* [A-Z]+ FAILED \*\*",
        "ERROR",
        b"*",
    ),
    Row(rb"Test (?:Case|Suite) '.*' failed ", "ERROR", b"T"),
    Row(
        rb"\[ +FAILED +\]|[1-9]\d* FAILED TESTS?|\*\*\* [1-9]\d* failures? ",
        "ERROR",
        b"[*123456789",
    ),
    Row(rb"//\S+ +(?:FAILED|TIMEOUT) ", "ERROR", b"/"),
    Row(_TOKEN + rb" \.+ (?:Dubious|Failed \d+)", "ERROR", part=b". "),
    Row(rb"\d+ (?:scenarios?|steps?) \([^)]*?[1-9]\d* failed", "ERROR", _DIGITS),
    Row(rb"Found [1-9]\d* errors?[ .]|Finished: FAILURE", "ERROR", b"F"),
    Row(rb"##teamcity\[(?:testFailed|buildProblem|message .*status='ERROR')", "ERROR", b"#"),
)
_TOOLS = (
    # compilers, linkers, make
    Row(
        _PATH
        + rb":\d+:\d+: (?:undefined|syntax error|(?:cannot|invalid|missing|not enough|too many"
        rb"|unknown|assignment|duplicate) \w+|\S+ (?:imported|declared) and not used|declared and not used)",
        "ERROR",
        part=b": ",
    ),
    Row(
        _PATH + rb": ?(?:\S+: |in function .*: )?undefined reference to ",
        "ERROR",
        part=b"undefined reference",
    ),
    Row(
        _TOKEN + rb": symbol lookup error: |(?:" + _TOKEN + rb")?ld: cannot find ",
        "ERROR",
        part=b": ",
    ),
    Row(
        rb"(?:(?:" + _TOKEN + rb")?make(?:\.\w+)?(?:\[\d+\])?|scons|" + _PATH + rb":\d+): \*\*\* ",
        "ERROR",
        part=b": *** ",
    ),
    Row(rb"CMake Error(?:[: ]|{end})", "ERROR", b"C"),
    Row(rb"CMake (?:Deprecation )?Warning[: ]", "WARNING", b"C"),
    Row(rb"(?:# )?\*\* (?:Error|Fatal): ", "ERROR", b"#*"),
    Row(rb"(?:# )?\*\* Warning: ", "WARNING", b"#*"),
    Row(
        rb"e: (?:file://)?/|E\d{2,4}: |Error #\d+: |Error detected while processing ",
        "ERROR",
        b"eE",
    ),
    Row(rb"w: (?:file://)?/", "WARNING", b"w"),
    Row(
        rb"(?:\*+ |Semantic |syntax |PCC-\d+: )?[Ee]rror (?:number \d+ |\d+ |E\d+ )?"
        rb"(?:(?:on|at|in) (?:line |\(|\S+ line )|\S+ \d+: )",
        "ERROR",
        b"*SsPEe",
    ),
    Row(rb"(?:[A-Z]\w+ )(?:[\w-]+ )?Error: ", "ERROR", _UPPER),
    Row(rb"(?:[A-Z]\w+ )(?:[\w-]+ )?Warning: ", "WARNING", _UPPER),
    Row(rb"(?:BUILD|Build|COMPILATION) (?:FAILED|FAILURE|failed)", "ERROR", b"BC"),
    # packages, clients
    Row(rb"npm (?:ERR!|error)(?:[ \t]|{end})", "ERROR", b"n"),
    Row(rb"npm (?:WARN|warn) ", "WARNING", b"n"),
    Row(rb"npm (?:notice|info) ", "INFO", b"n"),
    Row(rb"npm (?:verb|sill|timing) |debug\d: ", "DEBUG", b"nd"),
    Row(rb"error (?:Command failed|An unexpected error) |Err:\d+ ", "ERROR", b"eE"),
    Row(rb"warning (?:\S+[@/.]\S+[@:.]|\S+ > |\")|DEPRECATION: |log4j:WARN ", "WARNING", b"wDl"),
    Row(rb"info (?:Visit|No lockfile|Direct|All) |info  - ", "INFO", b"i"),
    Row(rb"OpenJDK .* VM warning: |\(node:\d+\) .*Warning: ", "WARNING", b"O("),
    Row(
        rb"log4j:ERROR |rsync error: |ninja: build stopped: |dpkg: error processing ",
        "ERROR",
        b"lrnd",
    ),
    Row(
        rb"(?:docker: )?Error (?:response from daemon|from server)[ :]|curl: \(\d+\) ",
        "ERROR",
        b"dEc",
    ),
    Row(rb"CONFLICT \(", "ERROR", b"C"),
    Row(
        _PATH + rb": (?:(?:line )?\d+: [^\s:]+: (?:command )?|[^\s:]+: command )not found{end}",
        "ERROR",
        part=b"not found",
    ),
    Row(
        _PATH + rb": line \d+: .*: (?:Permission denied|No such file or directory){end}",
        "ERROR",
        part=b": line ",
    ),
)
#: In the order in which they are tried.
ROWS = (*_REQUESTS, *_ANSIBLE_AND_ZUUL, *_CRASHES, *_TESTS, *_TOOLS)
#: A place in a file and a severity behind it: compilers, linters.
PLACE_WORDS = rb"[Ee]rror|ERROR|[Ww]arning|WARNING|[Nn]ote|[Ii]nfo|[Hh]int|[Rr]emark"
PLACE = (
    rb"(?:[\w)\]'\"./+}-](?::\d+(?:[:.,-]\d+)*(?: ?:| -|[ \t])|\(\d+(?:[,:-] ?\d+)*\)|:\[\d+(?:,\d+)?\]|\", ?line \d+(?:\.\d+)?"
    rb"|\",\d+|, line \d+(?:, (?:col|char|column) \d+)?,?|::|\.\w{1,16} -)|[ \t]\d+:\d+(?:-\d+:\d+)? )(?: ?:| -)?"
    rb"(?:[ \t]*(?:[\w-]+:|-|\{\w\}|\[\w+\]|[A-Z]{2}\d{4})){0,2}?[ \t]{0,2}\(?(?:[Ff]atal |[Hh]int |[Cc]atastrophic )?"
    rb"(" + PLACE_WORDS + rb"|[Ii]nformation|[Ii]nformational)"
    rb"(?:[: \t\[!]|(?:/\d)?\) )"
)
#: Ends of lines that show nothing at their beginning, and their rank.
ENDINGS = {
    b"... FAILED": RANKS["ERROR"],
    b"... FAIL": RANKS["ERROR"],
    b"... ERROR": RANKS["ERROR"],
    b" FAILED": RANKS["ERROR"],
    b": FAIL": RANKS["ERROR"],
    b"<<< FAILURE!": RANKS["ERROR"],
    b"<<< ERROR!": RANKS["ERROR"],
    b" [FAIL]": RANKS["ERROR"],
    b"... WARNING": RANKS["WARNING"],
}


@functools.cache
def _rows_of(first: int) -> list[tuple[bytes, re.Pattern[bytes], int]]:
    """Part, pattern and rank of the rows that may begin with a byte."""
    return [
        (row.part, re.compile(row.pattern.replace(b"{end}", rb"\Z")), RANKS[row.severity])
        for row in ROWS
        if not row.first or first in row.first
    ]


def rank_at(text: bytes, at: int) -> int | None:
    """The rank of the first row that matches there; None for none."""
    for part, pattern, rank in _rows_of(text[at]):
        if part in text and pattern.match(text, at):
            return rank
    return None


_place = functools.cache(lambda: re.compile(PLACE).search)
_place_words = functools.cache(lambda: re.compile(PLACE_WORDS).search)


def rank_of_place(text: bytes, start: int, end: int) -> int | None:
    """The rank of the severity that stands behind a place in a file; None for none."""
    if not _place_words()(text, start, end):
        return None
    found = _place()(text, start, end)
    if found is None:
        return None
    word = WORDS.get(found[1].upper())
    return word.rank if word else RANKS["INFO"]
