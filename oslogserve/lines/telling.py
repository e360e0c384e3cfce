# SPDX-License-Identifier: Apache-2.0
"""How much a normalised line tells of a failure."""

import re
from collections.abc import Sequence

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
    | (?:fatal|failed):[ ]\[.*[ ]=>[ ]\{(?:"changed":[ ]\w+,[ ])?"msg":[ ]"All[ ]items[ ]completed"\}
    | \S+[ ]=>[ ]MODULE[ ]FAILURE
    | ●[ ]Test[ ]suite[ ]failed[ ]to[ ]run
    | See[ ]stdout/stderr[ ]for[ ]the[ ]exact[ ]error
    """,
    re.VERBOSE | re.ASCII,
)
_WORD = re.compile(r"[^\W\d_]{3}")
#: A line that names an exception, or says what is wrong.
_EXCEPTION = re.compile(
    r"(?!Error Trace:)(?:E +)?(?:[\w.$]{0,200}(?:Error|Exception|Failure|Timeout|Fault)\b|(?:\w{1,50}\.){1,10}[A-Z]\w{1,50}: "
    r"|.{0,200}\b(?:panicked at|error:|fatal:))"
)
#: The next line says what is wrong.
_ANNOUNCES = re.compile(r"Error Message:$|error: [|>][-+]?$|.{0,200}\bpanicked at \S{1,200}:$")

#: Lines that any program may print when it breaks: they tell nothing of which one did. Exceptions of a language's
#: own are among them if they have no text, or a short one; those that name a file or a module are not.
ANYWHERE = re.compile(
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
        | (?:Coverage[ ]failure:[ ]total[ ]of|FAIL[ ]Required[ ]test[ ]coverage[ ]of)[ ].{0,80}
    )$
    """,
    re.VERBOSE | re.ASCII,
)


def tells(line: str) -> bool:
    """True if the line says more than that something failed."""
    return not says_nothing(line) and _WORD.search(_OUTCOME.sub("", line)) is not None


def says_nothing(line: str) -> bool:
    """True if the whole line is known to tell nothing."""
    return _SAYS_NOTHING.fullmatch(line) is not None


def exception_of(told: Sequence[str]) -> str:
    """The first of the lines that names an exception, or says what is wrong; "" for none.

    Of one that only announces it, the next line.
    """
    place = next((at for at, line in enumerate(told) if _EXCEPTION.match(line)), len(told))
    if place < len(told) - 1 and _ANNOUNCES.match(told[place]):
        place += 1
    return told[place] if place < len(told) else ""
