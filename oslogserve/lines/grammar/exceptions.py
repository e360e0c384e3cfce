# SPDX-License-Identifier: Apache-2.0
"""Lines without a level in their head: outcomes, crashes, tools with words of their own.

One table of patterns, tried where a line's content begins if its head has no
level. The severities are tried in the table's order. Rust's `regex` reads a pattern: it is ASCII,
without look-around.
"""

from typing import NamedTuple

from oslogserve.lines.grammar.severities import RANKS
from oslogserve.lines.grammar.tokens import expanded

#: Patterns by severity, one on each line; indented lines continue a pattern. A name in braces is one
#: of _FRAGMENTS; {end} is the end of the line.
_TABLE = {
    "CRITICAL": rb"""
Kernel panic - |panic:[ ]|fatal error:[ ]|thread '[^']*' (?:\(\d+\) )?panicked at[ ]
""",
    "ERROR": rb"""
{request}5\d\d(?:[ )]|{end})
(?:fatal|failed): \[\w
(?:[\w./@-][^\s|]* \| )?(?:FAILED|UNREACHABLE)(?:!| \|[ ])
An exception occurred during task execution\.
{token} +: ok=\d+ +changed=\d+ +unreachable=(?:[1-9]|0 +failed=[1-9])
ok: \d+ changed: \d+ unreachable: (?:[1-9]|0 failed: [1-9])
(?:PRE-|POST-)?RUN END RESULT_(?:TIMED_OUT|UNREACHABLE|ABORTED|DISK_FULL):
(?:[+|] (?: *\| )?)?(?:Exception Group )?Traceback \(most recent call last\):
(?:\| )?{exception}(?::[ ]|:?{end}|\(| \[)
{path}:\d+: {exception}{end}
(?:[a-z_]\w*\.)+(?:exceptions?|errors?|exc)\.(?:\w+\.)*[A-Z]\w*(?::[ ]|{end})
(?:socket|select|zlib|binascii|struct)\.(?:error|timeout|gaierror|herror)(?::[ ]|{end})
Exception in thread[ ]|Caused by:[ ]|Unhandled (?:exception|rejection)
(?:==\d+== ?)?(?:(?:ERROR|SUMMARY): \w+Sanitizer|ERROR SUMMARY: [1-9])
(?:{token}: line \d+: +\d+ )?(?:Segmentation fault|Aborted|Bus error|Illegal instruction)
    [ ]+\(core dumped\)
{token}: line \d+: +\d+ (?:Segmentation fault|Aborted|Bus error|Illegal instruction|Killed) {2,}
{path}: (?:-c: )?line \d+: syntax error
E {3}
{path}::(?:\S+|[^\s\[]+\[.*\]) +(?:FAILED|ERROR)(?:[ ]|{end})
\[gw\d+\] \[ *\d+%\] (?:FAILED|ERROR)[ ]
_+ ERROR (?:at (?:setup|teardown) of|collecting)[ ]
!+ (?:Interrupted: |stopping after )\d+[ ]
FAIL(?:ED|URE)?(?:[ :\t]|![ ]|{end})
[ =*_>#-]*
    (?:(?:Tests?|Test (?:Suites|Files)|test cases|Build|DONE)(?: run)?:? +(?:\d+ \| )?)?
    {counts}[1-9]\d* (?:tests? |examples? |specs? |suites? )?
    (?:failed|failures?|failing|errors?)(?: in \d|,| \||;| \(|\)|\.? *[=*-]*{end})
(?:\[\w+\] )?Tests run: \d+, +Failures: (?:[1-9]|0, +Errors: [1-9])
Tests: \d+, Assertions: \d+,.*(?:Failures|Errors): [1-9]
(?:FAILURES|ERRORS)!{end}
(?:FAILED \()?(?:failures|errors)=[1-9]
{token}(?: {2,}|\t)(?:ERROR|FAIL(?:ED)?){end}
--- FAIL:[ ]|- (?:Failed|Unexpected Success): [1-9]
not ok[ ]|test result: FAILED
{token}: FAIL (?:code[ ]|\xe2\x9c\x96)
\d+/\d+ +Test +#\d+: \S+ \.*(?:\w+ \w+)?\*\*\*(?:Failed|Exception|Timeout|Not Run)
\d+/\d+ \S.* {2}(?:FAIL|ERROR|TIMEOUT) {2,}|(?:Fail|Timeout): {4,}[1-9]
Failed \d+/\d+ (?:subtests|test programs)|#[ ]+Failed test[ ]
{token} +\(Wstat: \d+ (?:\(.*\) )?Tests: \d+ Failed: [1-9]
The following tests FAILED|Errors while running CTest
\d+ - \S.* \((?:SEGFAULT|Failed|Timeout|Not Run|Exit code.*|Child aborted)\)
\d+% tests passed, [1-9]\d* tests? failed
\xe2\x97\x8f Test suite failed|\xe2\x9c[\x95\x98][ ]|\xc3\x97[ ]|\xe2\x80\xa2 \[FAILED\]
\xe2\x9d\xaf \S+ \(\d+ tests? \| [1-9]\d* failed\)
[A-Z]\w+(?: \w+)? [\d.]+ \([^)]*\): Executed \d+ of \d+ .*\([1-9]\d* FAILED\)
Failure/Error:[ ]|Failed \S+ \[[\d.< ]+m?s\]|Failed![ ]
fail: [A-Z][\w.]+\[\d+\]{end}
\*\* \((?:[A-Z][\w.]*Error|throw|exit|EXIT[^)]*)\)[ ]|\*\* [A-Z]+ FAILED \*\*
Test (?:Case|Suite) '.*' failed[ ]
\[ +FAILED +\]|[1-9]\d* FAILED TESTS?|\*\*\* [1-9]\d* failures?[ ]
//\S+ +(?:FAILED|TIMEOUT)[ ]
{token} \.+ (?:Dubious|Failed \d+)
\d+ (?:scenarios?|steps?) \([^)]*?[1-9]\d* failed
Found [1-9]\d* errors?[ .]|Finished: FAILURE
##teamcity\[(?:testFailed|buildProblem|message .*status='ERROR')
{path}:\d+:\d+: (?:undefined|syntax error|(?:\S+ (?:imported|declared)|declared) and not used
    |(?:cannot|invalid|missing|not enough|too many|unknown|assignment|duplicate) \w+)
{path}: ?(?:\S+: |in function .*: )?undefined reference to[ ]
{token}: symbol lookup error:[ ]|(?:{token})?ld: cannot find[ ]
(?:(?:{token})?make(?:\.\w+)?(?:\[\d+\])?|scons|{path}:\d+): \*\*\*[ ]
CMake Error(?:[: ]|{end})
(?:# )?\*\* (?:Error|Fatal):[ ]
e: (?:file://)?/|E\d{2,4}:[ ]|Error #\d+:[ ]|Error detected while processing[ ]
(?:\*+ |Semantic |syntax |PCC-\d+: )?[Ee]rror (?:number \d+ |\d+ |E\d+ )?
    (?:(?:on|at|in) (?:line[ ]|\(|\S+ line[ ])|\S+ \d+:[ ])
(?:! )?[A-Z]\w+ (?:[\w-]+ )?(?:Error|ERROR):[ ]+[^ \d]
\[{exception}\]{end}
E, {path}\(\d+,\d+\)[ ]
vet: {path}:\d+:\d+:[ ]|[\dA-F]+:error:[\dA-F]+:
\(EE\)[ ]|BUG: unable to[ ]|[\w-]+ error \([^)]*\):[ ]
{path}:\d+:\d+: E\d{4}:|\xe2\x9c\x96 \d+ problems? \([1-9]
The command '.*' returned a non-zero code: [1-9]
ERR_PNPM_\w+ {2}|\d+ error (?:code|errno|syscall|path|command)[ ]
\xe2\xa8\xaf[ ]|\d+:\d+ +\xe2\x9c\x96[ ]
(?:BUILD|Build|COMPILATION) (?:FAILED|FAILURE|failed)
npm (?:ERR!|error)(?:[ \t]|{end})
error (?:Command failed|An unexpected error)[ ]|Err:\d+[ ]
log4j:ERROR[ ]|rsync error:[ ]|ninja: build stopped:[ ]|dpkg: error processing[ ]
(?:docker: )?Error (?:response from daemon|from server)[ :]|curl: \(\d+\)[ ]
CONFLICT \(
{path}: (?:(?:line )?\d+: [^\s:]+: (?:command )?|[^\s:]+: command )not found{end}
{path}: line \d+: .*: (?:Permission denied|No such file or directory){end}
""",
    "WARNING": rb"""
{request}4\d\d(?:[ )]|{end})
(?:{path}:\d+: )?(?:\w+\.)*[A-Z]\w*Warning:[ ]
WARNINGS!{end}
CMake (?:Deprecation )?Warning[: ]
(?:# )?\*\* Warning:[ ]
w: (?:file://)?/
[A-Z]\w+ (?:[\w-]+ )?Warning:[ ]
npm (?:WARN|warn)[ ]
(?:\*+ )?[Ww]arning (?:(?:on|at|in|near) (?:line[ ]|\S+ line[ ])|[A-Z]\d+ \S+ \d+:[ ])
\(WW\)[ ]|[\w-]+ warning \([^)]*\):[ ]|{path}:\d+:\d+: W\d{4}:
{redis} #[ ]
W, {path}\(\d+,\d+\)[ ]
\xe2\x9a\xa0(?:\xef\xb8\x8f)?[ ]|\d+:\d+ +\xe2\x9a\xa0
\d+[smhd](?:\d+[smhd])? {2,}Warning {2,}
warning (?:\S+[@/.]\S+[@:.]|\S+ >[ ]|")|DEPRECATION:[ ]|log4j:WARN[ ]
OpenJDK .* VM warning:[ ]|\(node:\d+\) .*Warning:[ ]
""",
    "INFO": rb"""
{request}[1-3]\d\d(?:[ )]|{end})
{redis} [*][ ]|\(II\)[ ]
npm (?:notice|info)[ ]
info (?:Visit|No lockfile|Direct|All)[ ]|info  -[ ]
""",
    "DEBUG": rb"""
{redis} [.-][ ]
npm (?:verb|sill|timing)[ ]|debug\d:[ ]|\d+ (?:verbose|silly|timing)[ ]
""",
}
_FRAGMENTS = {
    # A word that begins like a name or a path.
    b"token": rb"[\w./~@$+\x1b\x80-\xff-]\S*",
    b"path": rb'[^\s:()"={}\[\]|<>]+',
    # Process, role and time; the sign after them is the level.
    b"redis": rb"\d+:[XCSM] \d\d [A-Z][a-z][a-z] (?:\d{4} )?[\d:.]+",
    # Counts before the one that decides, as in `2 passed, 1 skipped, 1 failed`.
    b"counts": rb"(?:\d+%? [a-z]+(?: [a-z]+)?(?: \([^)]*\))?(?:,| \||;| and|) ?)*?",
    b"exception": rb"(?:[A-Za-z_$][\w$]*\.)*(?:[A-Z]\w*)?(?:(?:Error|Exception|Failure|Fault)\d?"
    rb"|(?:Base)?ExceptionGroup|(?:System|Generator)Exit|KeyboardInterrupt|Stop(?:Async)?Iteration"
    rb"|(?:Error|Exception|Failure)[A-Z]\w{0,31})",
    # The text before an HTTP status: in the common log format, of uWSGI and HAProxy.
    b"request": rb"(?:(?:[\w.:-]+ )?[\w.:-]+ [^\s\[]+ [^\s\[]+ \[{clock}\] \"(?:[^\"\\]|\\.)*\""
    rb"|\"[A-Z]+ \S+ HTTP/\d(?:\.\d)?\"|[\w.:-]+ \[{clock}\] \S+ \S+ [\d/+-]+"
    rb"|\[pid: \d+\|app: [^\]|]*\|req: [^\]]*\] .* msecs \(HTTP/\d\.\d) ",
    b"clock": rb"\d\d/[A-Z][a-z][a-z]/\d{4}[: ]\d\d:\d\d:\d\d[^\]]*",
}


class Rule(NamedTuple):
    """A pattern, and the rank of a line that it matches."""

    name: str
    pattern: bytes
    rank: int


#: In the order in which they are tried.
RULES = [
    Rule(f'{severity} "{row.decode()}"', expanded(row, _FRAGMENTS), RANKS[severity])
    for severity, rows in _TABLE.items()
    for row in rows.strip().replace(b"\n    ", b"").split(b"\n")
]
#: Severities that compilers and linters print after a location in a file.
_WORDS = rb"[Ee]rror|ERROR|[Ww]arning|WARNING|[Nn]ote|[Ii]nfo|[Hh]int|[Rr]emark"
_LETTER = rb"[EWIF](?:: |\] )"
#: Everything that LOCATION matches contains one of these.
LOCATION_WORDS = _WORDS + rb"|" + _LETTER
LOCATION = (
    rb"(?:[\w)\]'\"./+}>-](?::\d+(?:[:.,-]\d+)*(?:\]?:| :| -|[ \t])|\(\d+(?:[,:-] ?\d+)*\)|:\[\d+(?:,\d+)?\]|\", ?line \d+(?:\.\d+)?"
    rb"|\",\d+|[:,] line \d+(?:, (?:col|char|column) \d+)?,?|::|\.\w{1,16} -)|[ \t]\d+:\d+(?:-\d+:\d+)? )(?: ?:| -)?"
    rb"(?:[ \t]*(?:[\w-]+:|-|\{\w\}|\[\w+\]|[A-Z]{2}\d{4})){0,2}?[ \t]{0,8}\(?(?:[Ff]atal |[Hh]int |[Cc]atastrophic )?"
    rb"(?:(" + _WORDS + rb"|[Ii]nformation|[Ii]nformational)(?:[: \t\[!]|(?:/\d)?\) )"
    rb"|\[?(" + _LETTER + rb"))"
)
#: Ends of lines that have no severity elsewhere, and their rank.
ENDINGS = {
    **dict.fromkeys((b" FAILED", b"... FAIL", b": FAIL", b" [FAIL]", b"| FAIL |"), RANKS["ERROR"]),
    **dict.fromkeys((b"... ERROR", b"<<< FAILURE!", b"<<< ERROR!"), RANKS["ERROR"]),
    b"... WARNING": RANKS["WARNING"],
}
#: The beginnings of indented lines that continue none: the next step of a tool that builds, as cargo and
#: pip write it below a warning.
PROGRESS = (
    rb"[ \t]+(?:(?:Add|Archiv|Build|Check|Compil|Document|Download|Fetch|Generat|Install|Link|Lock|Packag|Prepar"
    rb"|Process|Remov|Unpack|Updat|Upload|Verify)ing|Downloaded|Finished|Fresh|Installed)[ ]"
)
#: The beginnings of such lines: indentation, frames and causes of tracebacks, the last line of an
#: exception, a compiler's context, closing brackets.
CONTINUATION = (
    rb"[ \t]|at [\w.$<>]+\(|Caused by: |\.\.\. \d+ more|During handling of the above|The above exception"
    rb"|(?:[\w$]+\.)+[A-Z][\w$]*(?::|{end})|\d+ +\||[|^~]|-->|In file included from |[})\]]+[,;]?{end}"
)
