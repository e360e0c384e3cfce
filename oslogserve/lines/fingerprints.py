# SPDX-License-Identifier: Apache-2.0
"""Fingerprints of a failure's cause: equal for runs that failed for the same reason.

Times, numbers, hashes, addresses and names of temporary files differ from run to run, and do not count.
Exit codes, statuses, numbers of errors, small numbers that a test compares, and numbers in names do.
Lines that only announce a failure tell nothing of its reason.
"""

import re
from collections.abc import Sequence
from hashlib import blake2b
from itertools import chain

from oslogserve.lines.results import result_of

#: Raised when the same lines give other fingerprints than before.
VERSION = 5
#: Characters of a fingerprint, which are hexadecimal digits.
SIZE = 32
#: Names of steps that every job of a runner has: GitLab's, and a shell's of Jenkins.
_ANY_STEP = re.compile(
    r'(?:Executing ")?(?:step|build|after)_script\b|\S{1,40}(?: -\w{1,9}){0,3} /tmp/(?:jenkins|hudson)\w+\.'
)

# What differs in a line from run to run.
#: Characters of a line that count.
REACH = 400

#: In the order in which they are tried at a place of the text.
_VARYING = re.compile(
    r"""
    (?P<kept>
        (?i:\b(?:exit(?:ed)?|exit[ -]?code|returned|returncode|return[ ]code|rc|status|code|errno|signal|HTTP|
            status_?code|WinError|HRESULT|SQLSTATE|error[ ]code|err_?code|retval|answered)\b
            (?:[ ](?:code|status|value|with|a|non-zero|error|response)){0,3}
            ["']? [ :=(\[]{0,4} -?(?:0x[0-9a-f]{1,8}|\d{1,10})\b)
        | (?i:\b(?:expected|actual|received|got|want|left|right|but[ ]was|to[ ]equal|asserting[ ]that|matches|
            Which[ ]is)
            [ ]{0,3}:?[ ]{0,3}
            [<(]?(?:[1-5]\d\d(?![.,:]?\w)|\d{1,3}(?=[>.]?$|>|[ ](?:to|but|matches)\b)))
        | (?<![\w.,:])\d{1,3}(?=[ ][!=]=)
        | (?<=[!=]=[ ])\d{1,3}(?![.,:]?\w)
        | (?<=\bassert[ ])\d{1,3}(?=[ ](?:not[ ]in|in|is|[<>]=?)[ ])
        | ^\d{1,3}$
        | (?i:\berror)(?:[ ][1-5]\d\d\b|:?[ ]\#?\d{1,5}(?=$|[.,:;)\]]))
        | \bResponse[ ]\[[1-5]\d\d\]
        | (?<=['"`])[A-Za-z]\d{1,3}(?=['"`])
        | \bHTTP/\d(?:\.\d)?(?:[ ][1-5]\d\d\b)?
        | \b[1-5]\d\d(?=[ ](?:Client|Server)[ ]Error)
        | \bcurl:[ ]\(\d{1,3}\)
        | \bERROR[ ]\d{4}[ ]\(\w{5}\)
        | \bCVE-\d{4}-\d{1,7}
        | (?<=\w)[=~<>]=\d[\w.]{0,30}
        | (?<![\w/.-])(?:(?!PR-)[A-Z]{1,6}-?\d{2,5}|[A-Z]{1,6}\d)(?![\w-])
    )
    | \d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?
    | /(?:private/)?var/folders/[^\s/]{1,64}/[^\s/]{1,64}
    | /builds/[\w-]{6,16}/\d{1,4}(?=/)
    | \brunner-[\w-]{6,16}-project-\d{1,10}-concurrent-\d{1,4}
    | \bfv-az\d{1,5}-\d{1,5}\b
    | (?<=[/\\]_temp[/\\])[^\s/'"<>|:;,)\]\\]{1,200}
    | (?<=\d-)g[0-9a-f]{7,40}\b
    | (?:\d{1,4}[dhm]){1,3}\d{1,6}(?:\.\d{1,9})?(?=s\b)
    | /(?:var/)?tmp/[^\s/'"<>|:;,)\]]{1,200}
    | \btmp(?=\w*[\d_])\w{3,64}
    | \btmp-\d{1,10}-?[A-Za-z0-9]{4,20}(?!\w)
    | (?<=\w)-(?=[a-z]{0,9}\d)[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}(?![\w-])
    | \b0x[0-9a-fA-F]{1,16}\b
    | \b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b
    | (?<![^\W_])(?=[a-fA-F]{0,64}\d)[0-9a-fA-F]{7,64}(?![^\W_])
    | \b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?=[ ](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ ])
    | \b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b(?=[ ,]{1,2}\d)
    | (?<=\d[ -])(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b
    | (?P<name>\b[A-Za-z_][A-Za-z_.]{1,64}\d{1,3}(?!\w))
    | \d+(?:[.,:]\d+){0,16}(?=[ ]?(?:ms|s|sec|seconds|m|min|minutes)\b)
    | (?P<number>\d+(?:[.,:]\d+){0,16})
    """,
    re.VERBOSE | re.ASCII,
)
#: The number of a test among those of its run, before its name.
_PLACE = re.compile(r"^\d+\) |^\d+ - |(?<=^not ok )\d+ |(?<=^── )\d+\. ")
#: The line of a file in a test's name, but not a port among its parameters.
_LINE = re.compile(r"(\.[A-Za-z]\w{0,7})(?::\d+(?::\d+)?| @ \d+)\b(?![^\[]*\])")
#: A frame of Python's stack. Where the code is installed, and the line, differ from run to run.
_FRAME = re.compile(r'^File "(?:[^"]*[/\\])?([^"/\\]+)", line \d+')
#: The copy of a workspace of Jenkins that a build got because others use the first one.
_COPY = re.compile(r"(/workspace/[^\s/@]{1,200})@(?:\d{1,3}(?:@tmp)?|tmp)(?![\w.@-])")
#: The worker that ran a test, in the report of pytest-xdist.
_WORKER = re.compile(r"\[gw\d+\] ")
_BLANKS = re.compile(r"\s+")

# What a line tells, without that.
#: What announces a failure without telling why.
_OUTCOME = re.compile(
    r"\b(?:a|all|an|and|are|at|build|by|code|command|complete|completed|ctest|did|environment|error|errors|"
    r"errored|execution|exit|exited|fail|failed|failing|failure|failures|fatal|finished|for|had|has|have|"
    r"in|is|it|job|longer|make|non|not|of|on|one|prepare|process|rc|result|return|returned|run|running|"
    r"script|seconds|see|status|step|stopped|succeed|successfully|system|task|test|tests|than|the|there|"
    r"took|was|were|while|with|zero)\b",
    re.IGNORECASE,
)
#: Whole lines that do so with words that tell something elsewhere, most of them where somebody stopped a run.
_SAYS_NOTHING = re.compile(
    r"""
    (?:\#\#\[error\]|(?i:error:[ ]))?(?:
        The[ ]operation[ ]was[ ]cancell?ed.?
        | The[ ]runner[ ]has[ ]received[ ]a[ ]shutdown[ ]signal.*
        | The[ ]job[ ]running[ ]on[ ]runner[ ].*[ ]has[ ]exceeded[ ]the[ ]maximum[ ]execution[ ]time.*
        | Sequence[ ]aborted[ ]after[ ]failed[ ]subtask
        | Job[ ]failed[ ]\(system[ ]failure\):[ ](?:prepare[ ]environment:[ ])?exit[ ]status[ ]\d+\.
          (?:[ ]Check[ ]https:.*)?
        | Uploading[ ]artifacts[ ]as[ ].*[ ]to[ ]coordinator\.\.\.[ ]error
    )
    | (?:Build[ ]was[ ]aborted|Aborted[ ]by[ ].*|Finished:[ ][A-Z_]+|Sending[ ]interrupt[ ]signal[ ]to[ ]process)
    | (?:\[ERROR\][ ]|\#\#\[error\])?Failed[ ]to[ ]execute[ ]goal[ ].*:[ ]There[ ](?:are|were)[ ]test[ ]failures\..*
    | (?:fatal|failed):[ ]\[.*[ ]=>[ ]\{.*"censored":.*
    | MODULE[ ]FAILURE.*
    | (?:fatal|failed):[ ]\[.*[ ]=>[ ]\{(?:"changed":[ ]\w+,[ ])?"msg":[ ]"All[ ]items[ ]completed"\}
    | \S+[ ]=>[ ]MODULE[ ]FAILURE
    | ●[ ]Test[ ]suite[ ]failed[ ]to[ ]run
    | See[ ]stdout/stderr[ ]for[ ]the[ ]exact[ ]error
    | .{0,60}\b[Cc]ommand[ ](?:(?P<quote>["'`]).*(?P=quote)|/.*)[ ]\(?
      (?:exited|failed|(?:has[ ])?returned)\b[ a-z-]{1,40}[1-9]\d?(?:[ ]during[ ].{0,60})?\W{0,3}
    """,
    re.VERBOSE | re.ASCII,
)
_WORD = re.compile(r"[^\W\d_]{3}")
#: A line that names an exception, or says what is wrong.
_EXCEPTION = re.compile(
    r"(?!Error Trace:)(?:E +)?(?:[\w.$]{0,200}(?:Error|Exception|Failure|Timeout|Fault)\b|(?:\w{1,50}\.){1,10}[A-Z]\w{1,50}: "
    r"|.{0,200}\b(?:panicked at|error:|fatal:))"
)
#: What frames a line, and pytest's mark of what is wrong.
_BANNER = re.compile(r"^(?:([_=*~─-])\1{4,}|E +(?=\S))|([_=*~─-])\2{4,}\s*$")
#: What stands before the message of a service's record: its process, level, logger and context.
_WRITER = re.compile(r"\d{1,7} [A-Z]{4,8} \w[\w.]{1,200} (?:\[[^\]]{0,400}\] )?(?=[^\[\s])")
#: A line of a failed test's report that stands beside its reason: frames, places, source, heads of differences,
#: other tests of a list.
_BESIDE = re.compile(
    r"(?:at |in |from |File \"|stacktrace|code:|Error Trace:|>)|\S+:\d+(?::\d+)?:?$|[-+@.]{2,}|\d+[.)] "
)
#: Colours, and characters that a line of a log cannot have, which JSON writes as escapes. Databases refuse some.
_UNSEEN = re.compile("\x1b\\[[0-9;]{0,64}[A-Za-z]|[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
#: How Go names a failed test, below its messages.
_NAMES = "--- FAIL"
#: How RSpec quotes the source that failed.
_QUOTES = "Failure/Error:"
#: An exception whose text is in the next line.
_WITHOUT_TEXT = re.compile(r"[\w.$:]{0,200}(?:Error|Exception):")
#: The next line says what is wrong.
_ANNOUNCES = re.compile(r"Error Message:$|error: [|>][-+]?$|.{0,200}\bpanicked at \S{1,200}:$")

#: Lines that any program may print when it breaks: they tell nothing of which one did. Exceptions of a language's
#: own are among them if they have no text, or a short one; those that name a file or a module are not.
_ANYWHERE = re.compile(
    r"""
    (?:E[ ]+)?(?:
        Traceback[ ]\(.{0,40}
        | (?:Exception|(?:Uncaught[ ]|asyncio\.exceptions\.|json\.decoder\.)?(?:Arithmetic|Assertion|Attribute|
            BrokenPipe|EOF|Index|JSONDecode|Key|Lookup|Memory|Name|NotImplemented|Overflow|Range|Recursion|
            Reference|Runtime|Syntax|Timeout|Type|UnboundLocal|Unicode(?:De|En)code|Value|ZeroDivision|
            Connection(?:Aborted|Refused|Reset)?)Error|KeyboardInterrupt|StopIteration)
          (?::[ ]?(?:.{0,40}|(?:'NoneType'|Cannot[ ](?:read[ ]propert|destructure)|unsupported[ ]operand|
            argument[ ]of[ ]type|invalid[ ]literal[ ]for|(?:not[ ]enough|too[ ]many)[ ]values[ ]to[ ]unpack|
            maximum[ ]recursion[ ]depth|\w{3,8}[ ]indices[ ]must[ ]be|'[\w\#-]{2,20}'[ ]codec[ ]can't|
            This[ ]event[ ]loop[ ]is|Expecting[ ](?:value|property|',')|Unexpected[ ]token).{0,120}))?
        | File[ ]"(?:main|app|cli|run|setup|__main__|__init__)\.py",[ ]in[ ](?:main|run|<module>)
        | socket\.timeout(?::[ ]timed[ ]out)?
        | Error:[ ]Timeout[ ]of[ ]\#ms[ ]exceeded.{0,120}
        | assert[ ].{0,20}
        | (?:Exception[ ]in[ ]thread[ ]"[^"]{0,60}"[ ]|Caused[ ]by:[ ]|Unhandled[ ]exception\.[ ])?
          (?:java\.(?:lang|util|io|net)\.(?:EOF|SocketTimeout|\w{0,40}OutOfBounds|NullPointer|ClassCast|
            Arithmetic|ArrayStore|IllegalState|IllegalArgument|NumberFormat|NegativeArraySize|
            UnsupportedOperation|Interrupted|Runtime|NoSuchElement|
            ConcurrentModification|concurrent\.Timeout|StackOverflow|OutOfMemory|Assertion)(?:Exception|Error)
            | System\.(?:NullReference|IndexOutOfRange|InvalidCast|InvalidOperation|OutOfMemory)Exception)
          (?::[ ]?.{0,40}|:[ ]Object[ ]reference[ ]not[ ]set.{0,40}|:[ ]Cannot[ ][a-z]{3,10}[ ].{0,200})?
        | panic:[ ](?:runtime[ ]error:[ ].{0,80}|test[ ]timed[ ]out[ ]after[ ].{0,20}|
            assignment[ ]to[ ]entry[ ]in[ ]nil[ ]map|(?:close[ ]of|send[ ]on)[ ](?:closed|nil)[ ]channel)
            (?:[ ]\[recovered\])?
        | \[signal[ ]SIG\w{1,10}:.{0,120}
        | goroutine[ ]\#[ ]\[.{0,40}
        | fatal[ ]error:[ ](?:all[ ]goroutines[ ]are[ ]asleep|concurrent[ ]map[ ]).{0,40}
        | thread[ ]'main'[ ]panicked[ ]at[ ]src/(?:main|lib)\.rs:.{0,20}
        | index[ ]out[ ]of[ ]bounds:.{0,60}
        | called[ ]`(?:Option|Result)::unwrap\(\)`[ ]on[ ].{0,40}
        | assertion[ ].{0,40}[ ]failed
        | (?:left|right):[ ].{0,20}
        | terminate[ ]called[ ].{0,80}
        | (?:\S{1,60}:[ ])?(?:line[ ]\#:[ ])?(?:\#[ ])?
          (?:Segmentation[ ]fault|Killed|Aborted|Bus[ ]error|Illegal[ ]instruction|Terminated|
            Floating[ ]point[ ]exception)(?:[ ]\(core[ ]dumped\))?
        | .{1,400}:  # what it announces is not told
        | (?:Coverage[ ]failure:[ ]total[ ]of|FAIL[ ]Required[ ]test[ ]coverage[ ]of)[ ].{0,80}
    )$
    """,
    re.VERBOSE | re.ASCII,
)


def fingerprints(why: str, lines: Sequence[str], chapter: str | None = None) -> dict[str, str]:
    """The fingerprints of a cause by their names; none for one that is only an outcome.

    "exact" is of all its lines; if any program may print them, with the chapter's name, and none without a chapter.
    "failure" is of the failed test, or else the chapter's name, and the exception.
    why, lines: `why` and `told` of a CauseLine. chapter: the name of the innermost one around it.
    """
    if why == "end":
        return {}
    name = ""
    if why == "test":
        first = lines[0]
        is_name = not (first.startswith("Traceback (") or _SAYS_NOTHING.fullmatch(first))
        below = (line for line in lines if line.startswith(_NAMES))
        name = next(below, first if is_name else "")
    step = normalised(chapter or "")
    own_step = "" if _ANY_STEP.match(chapter or "") else step
    several = (normalised(line, line == name) for line in lines if not _WORKER.match(line))
    told = [*dict.fromkeys(filter(None, several))]
    # The lines that say more than that something failed.
    telling = [*filter(_tells, told)]
    if not telling:
        return {}
    found = {}
    if name or not all(map(_ANYWHERE.match, telling)):
        found["exact"] = _digest("exact", told)
    elif own_step:
        found["exact"] = _digest("exact", [*told, own_step])
    name = normalised(name, is_name=True)
    exception = exception_of([line for line in told if line != name])
    failed = name or (own_step if _ANYWHERE.match(exception) else step)
    if failed and exception:
        found["failure"] = _digest("failure", [failed, exception])
    return found


def _tells(line: str) -> bool:
    """True if a line tells more than that something failed."""
    return not _SAYS_NOTHING.fullmatch(line) and bool(_WORD.search(_OUTCOME.sub("", line)))


def _digest(kind: str, lines: Sequence[str]) -> str:
    text = "\n".join([f"{VERSION} {kind}", *lines])
    return blake2b(text.encode("utf-8", "replace"), digest_size=SIZE // 2).hexdigest()


def normalised(line: str, is_name: bool = False) -> str:
    """The line without what differs from run to run. is_name: it names a test, whose numbers stay, but for its own."""

    def kept(found: re.Match[str]) -> str:
        stays = found["kept"] or found["name"] or (is_name and found["number"])
        return found[0] if stays else "#"

    line = line[:REACH]
    if is_name:
        line = _LINE.sub(r"\1", _PLACE.sub("", line))
    line = _COPY.sub(r"\1", _FRAME.sub(r'File "\1"', line))
    return _BLANKS.sub(" ", _VARYING.sub(kept, line)).strip()


def headline(why: str, told: Sequence[str]) -> str:
    """The lines of a failure in one: a failed test with its reason, an exception, why a task failed, or the
    first line; behind one that only announces it, the next one too. Arguments: as of fingerprints()."""
    # Members of an object are told without their indentation.
    result, _ = result_of([told[0], *(f"    {line}" for line in told[1:])])
    if result:
        printed = result.outputs.values()
        exceptions = map(exception_of, printed)
        others = (line for line in told[1:] if result.message not in line)
        last = chain.from_iterable(map(reversed, printed))
        reasons = filter(_tells, [result.message, *exceptions, *last, *others])
        return (_UNSEEN.sub("", next(reasons, result.message)) or told[0])[:REACH]
    if why == "test":
        told = sorted(told, key=lambda line: not line.startswith(_NAMES))
    first, *rest = (_BLANKS.sub(" ", _BANNER.sub("", line[:REACH])).strip() for line in told)
    if why == "severity" and (writer := _WRITER.match(first)):
        first = first[writer.end() :]
    if first.startswith("Traceback (") or (
        why != "test" and rest and rest[0].startswith("Traceback (")
    ):
        return exception_of(told)[:REACH] or first
    rest = [line for line in rest if _tells(line)]
    if rest and (first.endswith(":") or not (_tells(first) or _PLACE.search(first))):
        first = f"{first} {rest.pop(0)}"
    if why != "test":
        return first
    reason = exception_of(rest) or next((line for line in rest if not _BESIDE.match(line)), "")
    return f"{first.rstrip(':')}: {reason}" if reason else first


def exception_of(told: Sequence[str]) -> str:
    """The first of the lines that names an exception, or says what is wrong; "" for none.

    Of one that only announces it, the next line; of one without its text, that too. The source that failed is the last
    choice.
    """
    places = [at for at, line in enumerate(told) if _EXCEPTION.match(line)]
    if not places:
        return ""
    place = next((at for at in places if not told[at].startswith(_QUOTES)), places[0])
    line, *below = told[place : place + 2]
    if below and _ANNOUNCES.match(line):
        return below[0]
    return " ".join([line, *below]) if _WITHOUT_TEXT.fullmatch(line) else line
