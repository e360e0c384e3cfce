# SPDX-License-Identifier: Apache-2.0
"""Lines that tell why a build failed, and lines that only say that it did.

A row is a tool, or the kind of tools that print such a line, and a pattern. The pattern is matched
where a line's content begins: behind its time and blanks. Rust's `regex` reads it: it is ASCII, without
look-around. Only those of chapters have groups. The documentation of a tool with a star defines the
line; the other rows were seen in logs of two projects or more.
"""

from enum import StrEnum
from typing import NamedTuple

from oslogserve.lines.grammar import chapters


class Mark(StrEnum):
    """The meaning of a line, in the order in which the rules are tried."""

    STOPPED = "stopped"  #: a verdict, and the cause
    FAILED = "failed"  #: a verdict
    STEP_FAILED = "step failed"  #: a verdict, unless a later step that failed shows more
    CANCELED = "canceled"  #: the same, and the cause if its step shows nothing
    BUILD_FAILED = "build failed"  #: a verdict on all steps, as EXITED
    EXITED = "exited"  #: a verdict, unless the log goes on for long
    TASK_FAILED = "task failed"
    HEALTHY = "healthy"  #: an outcome; the last line of a log that passed
    PASSED = "passed"
    TASK_PASSED = "task passed"
    BEGINS = "begins"  #: a step begins
    TASK_BEGINS = "task begins"  #: a task of a step
    SHOWN = "shown"  #: a step's own text ends
    OVER = "over"  #: the step has ended; what follows cleans up
    RECAP = "recap"  #: what follows repeats what happened, or cleans up
    ENDED = "ended"  #: the last words of a log that has a verdict if it failed
    CRASH = "crash"
    HEADING = "heading"  #: the next line is the first failed test
    ABORTS = "aborts"  #: the next line is an error
    RESULT = "result"  #: an outcome that holds what its command printed
    FATAL = "fatal"  #: an error, and an outcome
    OUTCOME = "outcome"  #: says that something failed, and not why
    TEST = "test"  #: a failed test
    NUMBERED = "numbered"  #: the same, if a count of failures follows
    TITLE = "title"  #: the same, below a heading
    INLINE = "inline"  #: a failed test that is reported elsewhere
    ERROR = "error"  #: as a line at ERROR
    SUCCEEDED = "succeeded"  #: says that all went well
    CHAPTER = "chapter"  #: only begins or ends a chapter, or the report of a failed test


_CRASHES = rb"""
sanitizers (?:= )?=*\d*=*ERROR: \w+Sanitizer
system .*No space left on device
travis* No output has been received in the last
travis* The job exceeded the maximum
travis* The log length has exceeded
github* The job running on runner .* has exceeded the maximum
jenkins* Build timed out \(after
"""
_HEADINGS = rb"""
tests (?:Failures|Failed tests|failures):? *$
pytest* =+ (?:FAILURES|ERRORS) =+$
phpunit There (?:was|were) \d+ (?:failures?|errors?):
mocha (?:\S+ )?[1-9]\d* failing$
awesome_bot Issues :-\(
linters* Summary of [Ff]ailures
ctest* The following tests FAILED:
node* \xe2\x9c\x96 failing tests:
testtools* Captured traceback:
behat* --- Failed scenarios:
behave* Failing scenarios:$
cucumber* \(::\) failed steps \(::\)
"""
_ABORTS = rb"""
rake rake aborted!
gradle* \* What went wrong:
composer* .*Your requirements could not be resolved to an installable set
composer* Your lock file does not contain a compatible set
npm* # npm audit report$
"""
_FATAL = rb"""
npm npm (?:ERR!|error) (?:code E[^L\W]|[Mm]issing script:|gyp ERR!)
buildkit* (?:(?:ERROR|error): )?failed to solve: (?:[^pe]|p[^r]|e[^x])
docker* (?:COPY|ADD) failed:[ ]
ansible* (?:fatal|failed): \[
"""
_RESULTS = rb"""
zuul* ERROR$
ansible* (?:fatal|failed): \[.*\bmsg\W{1,4}non-zero return code
"""
_OUTCOMES = rb"""
make (?:\S*make(?:\.\w+)?(?:\[\d+\])?): \*\*\* (?:\[|Waiting for )
npm (?:npm (?:ERR!|error)|lerna ERR!|error Command failed with|error An unexpected error)
tools (?:\[\w+\] )?(?:BUILD|Build|COMPILATION) (?:FAILED|FAILURE|failed)
tools [\w /-]*\b(?:[Bb]uild|BUILD|[Tt]ests?|[Ss]uites?|[Cc]ompilation|check) (?:FAILED|FAILURE|failed)(?:[.!,:]|$)
tools (?:FAIL(?:ED|URES?)?|ERRORS)[!.]?$
go FAIL\t
tools .*\b[1-9]\d* (?:tests? |examples? |specs? |of \d+ tests? )?(?:failed|failures?|failing|errors?)\b
surefire (?:\[\w+\] |##\[error\])?Tests run:.*(?:Failures|Errors): +[1-9]
phpunit Tests: \d+,.*(?:Failures|Errors): +[1-9]
maven (?:\[ERROR\]|##\[error\]) *(?:$|\[Help|To see the full|Re-run Maven|For more info|After correcting|  mvn|-> \[Help|COMPILATION ERROR)
jenkins* Finished:[ ]
travis Done\. Your build
travis The command "
ninja* ninja: build stopped
github* ##\[error\]Process completed
cargo* (?:warning: build failed|(?:error: )?(?:build failed|aborting due to|could not compile))
cargo* error: test failed, to rerun
tools .*\b(?:exited with|exit(?:ed)? (?:code|status)|returned|return code|error code)(?: code)?:? \(?[1-9]\d*\)?[.:]?$
gcc* collect2: error: ld returned
tools Command failed with
gradle* Execution failed for task
gradle* (?:> )?A failure occurred while executing[ ]
gradle* (?:> )?(?:There were failing tests\.|Compilation (?:error|failed)[.;] |Process .* finished with non-zero exit value)
gradle* FAILURE: Build (?:failed|completed) with
gradle* (?:> Task )?(?::[\w.-]+)+ FAILED$
docker* .*returned a non-zero code: [1-9]
tox* ERROR: +[\w.-]+: commands failed
tox* ERROR: +InvocationError
tox* [\w.+,-]+: (?:exit [1-9]\d* \(|FAIL (?:code [1-9]|\xe2\x9c\x96))
tox* evaluation failed :\(
tools .*\b(?:failed|FAILED)[.,:;!]* (?:[Pp]lease )?(?:[Ss]ee|[Cc]heck) (?:[\w ]{1,20} )?(?:logs?|output)\b
gulp* '[\w:.-]+' errored after[ ]
grunt* Aborted due to warnings\.
cmake* -- Configuring incomplete, errors occurred
ansible* NO MORE HOSTS LEFT
zuul* (?:\S+ \| )?ok: \d+ changed: \d+ unreachable: (?:[1-9]|0 failed: [1-9])
ansible* [\w.\[\]:-]+ +: ok=\d+ +changed=\d+ +unreachable=(?:[1-9]|0 +failed=[1-9])
xcodebuild* The following build commands failed:
xcodebuild* \*\* [A-Z]+ FAILED \*\*
stestr* Failed \d+ tests? - output below:
zuul* Job complete, result: (?:[^S]|S[^U])
eslint* \xe2\x9c\x96 \d+ problems? \(
tools (?:Failed!|Tests?\b|Test Count).*\b[Ff]ailed: +[1-9]
node* (?:#|\xe2\x84\xb9) fail [1-9]
bun* [1-9]\d* fail$
pip* error: (?:subprocess-exited-with-error|metadata-generation-failed)
pip* \xc3\x97 .* did not run successfully
yarn* \xe2\x9e\xa4 YN0000: \S* ?Failed with errors
mkdocs* Aborted with \d+ warnings in strict mode
sphinx* build finished with problems
github* ##\[error\](?:Command failed|(?:[A-Z][\w ]{0,40} )?[Ff]ailed with exit code|Action failed: The process)
sbt* \[error\] \(.*\) (?:Compilation failed|sbt\.TestsFailedException)
"""
_TESTS = rb"""
go --- FAIL:[ ]
unittest* FAIL: \w\S*(?: \([\w.]+\))?$
unittest* ERROR: (?:\w+ \([\w.]+\)|\w+(?:\.\w+)+)$
tap not ok[ ]
gradle+junit* \S.* > .* FAILED$
minitest (?:Failure|Error):$
surefire .*<<< (?:FAILURE|ERROR)!
pester* \[-\][ ]
r-check* Running (?:the tests|examples) in .* failed\.?$
r-check* \* checking .*\.\.\.(?: \[.*\])? ERROR$
gotestsum* === FAIL:[ ]
ginkgo* \xe2\x80\xa2 \[(?:FAILED|PANICKED|TIMEDOUT)\]
go-vet* FAIL: \S+:\d+: \S+$
clojure.test* (?:FAIL|ERROR) in \(
testthat* \xe2\x94\x80\xe2\x94\x80 (?:\d+\. )?(?:Failure|Error|FAILURE|ERROR)[ :]
scalatest* .*\*\*\* FAILED \*\*\*
busted* (?:Failure|Error) \xe2\x86\x92[ ]
prove* #? +Failed test[ ']
jest* \xe2\x97\x8f (?:.* \xe2\x80\xba |Test suite failed to run)
gtest* .*:\d+: Failure$
vitest* FAIL  ?(?:\|.{1,40}\| )?\S+ (?:> \S|\[ )
pest* FAILED +\S+ > \S
bats+ava* (?:\xe2\x9c\x97|\xe2\x9c\x98) \S
pre-commit* \S.*\.{3}Failed$
xctest* Test Case '.*' failed
subunit* (?:failure|error): \S+ \[(?: multipart)?$
ert* Test \S+ condition:$
julia* (?:Test Failed|Error During Test) at[ ]
quickcheck* \*\*\* Failed! (?:Fals|Exc|Assert)
bazel* FAIL: //\S
dotnet* Failed \S+ \[[\d.< ]+m?s\]
"""
_NUMBERED = rb"""
mocha+rspec+phpunit \d+\) \S
"""
_TITLES = rb"""
pytest* _{3,} (?:(?:[\w:]+\.)*[Tt]est\w*.*|ERROR (?:at|collecting) .*|\[doctest\] .*) _{3,}$
rust* ---- \S.* std(?:out|err) ----$
"""
_INLINE = rb"""
unittest .* \.\.\. (?:FAIL|ERROR|FAILED)$
automake* \S+: FAIL$
dart* .* \[E\]$
xunit* .*\[FAIL\]$
karma* (?:\S+ ){0,2}\(.*\) \S.* FAILED$
gtest* \[  FAILED  \] \w
jest+node* (?:\xe2\x9c\x95|\xe2\x9c\x96) \S
vitest* \xc3\x97 .*(?: > |\d ?m?s$)
"""
_ERRORS = rb"""
logging* (?:DEBUG|INFO|WARNING):[\w.-]+:(?:[A-Z]+: ?)?(?:[Ee]rror|ERROR|[Ff]atal|FATAL|CRITICAL):[ ]
github* ##\[error\]
latex* ! [A-Z]\w+
shell* \w+: command not found
linters* [\w.@/+-]+\.\w{1,8}:\d+:\d+: [EF]\d{2,4}:? [^ ]
php* (?:PHP )?(?:Parse|Fatal|Catchable fatal) error:[ ]
apt* E: [A-Z]
perl* Can't locate \S+ in @INC
spock* Condition not satisfied:
bundler* (?:Bundler )?[Cc]ould not find (?:gem|compatible versions)
bundler* An error occurred while installing[ ]
pip* No matching distribution found
ruff* [A-Z]{1,4}\d{3,4} \[\*\][ ]
ruff* (?:unformatted: File would be reformatted|Would reformat: )
prettier* \[warn\] \S+\.\w+$
rustfmt* Diff in \S
commitlint* \xe2\x9c\x96 {3}\S.* \[[a-z-]+\]$
markdown-link-check* \[\xe2\x9c\x96\][ ]
jest* Jest: "[^"]*" coverage threshold for[ ]
"""
#: What tools print at the end of all that they do, if it passed. They print none if something failed.
_SUCCEEDED = rb"""
zuul* (?:\S+ \| )?ok: \d+ changed: \d+ unreachable: 0 failed: 0\b
ansible* [\w.\[\]:-]+ +: ok=\d+ +changed=\d+ +unreachable=0 +failed=0\b
unittest* OK(?: \(.*\))?$
phpunit* OK \(\d+ tests?,
pytest* =+ [^=]*\b\d+ passed\b.* in [\d.]+
tox* congratulations :\)
stestr* - Failed: 0$
maven* (?:\[INFO\] )?BUILD SUCCESS(?:FUL)?(?: in|$)
sbt* \[success\] Total time:
cargo* test result: ok\.
go* PASS$
ctest* 100% tests passed, 0 tests failed
prove* (?:All tests successful\.|Result: PASS)
jest* Tests: +(?:\d+ (?:skipped|todo), )*\d+ passed
mocha* \d+ passing \(
rspec* \d+ examples?, 0 failures
exunit* \d+ (?:doctests?, \d+ )?tests?, 0 failures
minitest* \d+ (?:runs|tests), \d+ assertions, 0 failures, 0 errors
xcodebuild* \*\* [A-Z]+ SUCCEEDED \*\*
dotnet* Build succeeded\.$
bazel* INFO: Build completed successfully
docker* Successfully (?:built|tagged)[ ]
dib* Build completed successfully$
npm* (?:added|changed|removed|up to date).* \d+ packages? in \d
pip* Successfully installed[ ]
autoconf* configure: exit 0$
devstack* stack\.sh completed in \d
terraform* (?:Apply|Destroy) complete!
tools (?:[Bb]uild|[Tt]ests?|[Ii]nstallation|[Dd]eployment|[Cc]ompilation)(?: (?:has|have|was|were))? (?:completed|finished|succeeded|successful)(?: successfully)?[.!]?$
"""
#: Headings of lists of tests, behind the reports of these.
_LISTS = rb"""
maven* \[(?:ERROR|WARNING|INFO)\] (?:Failures|Errors|Flakes): *$
"""
#: Lines that are no error, whatever their severity is: what passed, commands, quoted source.
_GREEN = rb"""
tests .*\d pass(?:ing|ed)\b
tests .*(?: ok| OK|PASS(?:ED)?| passed)[ .]*(?:\d[^ ]* ?m?s)?$
tests (?:ok|PASS|\xe2\x9c\x93|\xe2\x9c\x94|\[\+\]|--- PASS)[ :\t]
shells (?:\+{1,4}|>|\$) ?\S
compilers \d+ +\|
rpm* /var/tmp/rpm-tmp\.\w+: line \d+:[ ]
github \[command\]
"""
#: Each pattern of _GREEN that begins with `.*` needs one of these.
GREEN_HINTS = (b" ok", b" OK", b"PASS", b"pass")
#: Lines that locate a fault. They are asked near the end of a step that has nothing better.
_WEAK = rb"""
linters (?:\./|/)?[\w.@/+-]+\.\w{1,8}(?::\d+|\(\d+[,)])(?::\d+)?[:) -]
shells [\w./-]+: (?:.*: )?(?:cannot |can't |command not found|No such file|Permission denied|not found|invalid )
perl .* at \S+ line \d+(?:, (?:<\w+> )?(?:line|chunk) \d+)?\.
ocaml* File "[^"]+", line \d+, characters \d+-\d+:
linters* \w[\w.+-]*: \S+:\d+: \S
black* would reformat \S
eslint* \d+:\d+[ \t]+\S
shellcheck* \^-*\^? SC\d{4} \(
hadolint* \S+:\d+ (?:DL|SC)\d{4} (?:error|warning|info|style):[ ]
ruff* [A-Z]{1,4}\d{3} [A-Z][a-z`]
mkdocs* WARNING +-  \S
"""
#: Words of a failure, anywhere in a line; asked as _WEAK.
WORDS = (
    rb"(?i)\b(?:errors?|fail(?:ed|ures?|s|ing)?|cannot|can't|could not|couldn't|unable|missing"
    rb"|forbidden|not (?:found|defined|installed|exist|allowed|supported|valid|permitted)|no such|no \w+ found"
    rb"|never|invalid|unexpected|undefined|unknown|unrecogni[sz]ed|illegal|aborted|denied|refused|timed out|mismatch|conflict"
    rb"|exception|fatal|expected|forgot|must|should|violations?|please)\b"
)
#: Counts in which such a word says nothing.
PASSING = (
    rb"\b(?:[Pp]assed|[Tt]ests|[Tt]otal|[Rr]an|[Rr]uns?)\b.*"
    rb"\b(?:[Ff]ail(?:ed|ures)?|[Ee]rrors)\b[:=]? *\d|\| *\d+ *\|$"
)
#: How a record without a time begins, as Python's logging writes it.
RECORD = rb"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[\w.-]+:"
#: A count of failures, after which numbered lines are failed tests.
RECAP = (
    rb".*\b[1-9]\d* (?:tests? |examples? |specs? )?(?:failed|failures?|failing|errors?)\b"
    rb"|FAILED \(|.*(?:[Ff]ailures?|[Ee]rrors|[Ff]ailed): *[1-9]|(?:FAILURES|ERRORS)!"
)
#: The number of a failed test of Mocha. Its suites and its name are on lines below each other.
NUMBER = rb"\d+\) "
#: A frame of a stack in Ruby.
FRAME = rb"\S+:\d+:in [`']"
#: A frame of a stack in Python, Java, JavaScript or .NET, or a test that Go stopped.
CALL = (
    rb'File "[^"]+", line \d+, in '
    rb"|at (?:async |new )?[\w$.<>/@`\[\],-]+ ?(?:\[as \w+\] )?\("
    rb"|(?:Test|Fuzz|Example|Benchmark)\S* \([\d.hms]+\)$"
)
#: One in code that is not the program's own.
LIBRARY = (
    rb'File "(?:<|[^"]*(?:/lib(?:64)?/python\d|/site-packages/|/dist-packages/))'
    rb"|at (?:java|javax|jdk|sun|com\.sun|scala|kotlin|groovy|org\.(?:junit|testng|gradle|apache\.maven|codehaus))[.x/]"
    rb"|at java\.base/|at (?:System|Microsoft|Xunit|NUnit)\."
    rb"|at .*(?:node_modules|node:|internal/|<anonymous>\)$|native\)$)"
)
#: The first line of a program's usage text, and an indented line in it. They speak of failures that there
#: may be.
USAGE = rb"[Uu]sage:|USAGE:?$"
OPTION = rb"--?\w[\w-]*(?:[ \t,=\[<]|$)"
#: The heading of Go's failed tests: the deeper one of two tells more.
SUBTEST = b"--- FAIL"
#: An error of GitHub's runner: the last line of a step that failed without an exit code.
ANNOTATION = b"##[error]"
#: The head of a stack in Python, whose last line tells.
STACK = b"Traceback ("
#: The line of the source that failed, in pytest's report.
SOURCE = b">   "
#: The head of a report that quotes the source of the test before its error: pytest's.
QUOTING = b"___"
#: The end of a failed test's first line that has no name, and the line above that has it: GoogleTest's.
UNNAMED = b": Failure"
RUNNING = b"[ RUN      ] "
#: A pattern that may begin with any byte is tried only for a line with one of these.
HINTS = (
    *(b"fail", b"Fail", b"FAIL", b"... ERROR", b"<<< ERROR", b" error", b"exit", b"return"),
    *(b"***", b"[E]", b"space left", b"could not be", b"not found", b": E", b": F"),
)


class Rule(NamedTuple):
    """A pattern, and the mark of a line that it matches."""

    name: str
    mark: Mark
    pattern: bytes

    @property
    def is_anywhere(self) -> bool:
        """True if it may begin with any byte."""
        return self.pattern.startswith((b".", rb"\S", rb"(?:\S", rb"\w", rb"[\w"))


def _rows(name: str, table: bytes) -> list[tuple[str, bytes]]:
    """The name of each row, and its pattern. Raises ValueError, with the name, for a row without one."""
    rows = []
    for row in table.strip(b"\n").split(b"\n"):
        _, separator, pattern = row.partition(b" ")
        named = f'{name} "{row.decode()}"'
        if not separator:
            raise ValueError(f"{named}: there is no pattern")
        rows.append((named, pattern))
    return rows


#: The first rule that matches counts.
RULES = [
    Rule(name, mark, pattern)
    for mark, table in {
        Mark.STOPPED: chapters.STOPPED,
        Mark.FAILED: chapters.FAILED,
        Mark.STEP_FAILED: chapters.STEP_FAILED,
        Mark.CANCELED: chapters.CANCELED,
        Mark.BUILD_FAILED: chapters.BUILD_FAILED,
        Mark.EXITED: chapters.EXITED,
        Mark.TASK_FAILED: chapters.TASK_FAILED,
        Mark.HEALTHY: chapters.HEALTHY,
        Mark.PASSED: chapters.PASSED,
        Mark.TASK_PASSED: chapters.TASK_PASSED,
        Mark.BEGINS: chapters.BEGINS,
        Mark.TASK_BEGINS: chapters.TASK_BEGINS,
        Mark.SHOWN: chapters.SHOWN,
        Mark.OVER: chapters.OVER,
        Mark.RECAP: chapters.RECAPS,
        Mark.ENDED: chapters.ENDED,
        Mark.CRASH: _CRASHES,
        Mark.HEADING: _HEADINGS,
        Mark.ABORTS: _ABORTS,
        Mark.RESULT: _RESULTS,
        Mark.FATAL: _FATAL,
        Mark.OUTCOME: _OUTCOMES,
        Mark.TEST: _TESTS,
        Mark.NUMBERED: _NUMBERED,
        Mark.TITLE: _TITLES,
        Mark.INLINE: _INLINE,
        Mark.ERROR: _ERRORS,
        Mark.SUCCEEDED: _SUCCEEDED,
        Mark.CHAPTER: _LISTS,
    }.items()
    for name, pattern in _rows(mark, table)
]
RULES += [Rule(rule.name, Mark.CHAPTER, rule.pattern) for rule in chapters.CHAPTERS]
#: Names and patterns.
GREEN = _rows("green", _GREEN)
WEAK = _rows("weak", _WEAK)
