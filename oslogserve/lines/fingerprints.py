# SPDX-License-Identifier: Apache-2.0
"""Fingerprints of a failure's cause: equal for runs that failed for the same reason.

Times, numbers, hashes, addresses and names of temporary files differ from run to run, and do not count.
Exit codes, statuses, numbers of errors, small numbers that a test compares, and numbers in names do.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

#: Raised when the same lines give other fingerprints than before.
VERSION = 3
#: Characters of a fingerprint, which are hexadecimal digits.
SIZE = 32
#: Characters of a line that count.
REACH = 400

#: In the order in which they are tried at a place of the text.
_VARYING = re.compile(
    r"""
    (?P<kept>
        (?i:\b(?:exit(?:ed)?|exit[ -]?code|returned|returncode|return[ ]code|rc|status|code|errno|signal|HTTP|
            status_?code|WinError|HRESULT|SQLSTATE|error[ ]code|answered)\b
            (?:[ ](?:code|status|value|with|a|non-zero|error|response)){0,3}
            ["']? [ :=(\[]{0,4} -?(?:0x[0-9a-f]{1,8}|\d{1,10})\b)
        | (?i:\b(?:expected|actual|received|got|want|left|right|but[ ]was|to[ ]equal|asserting[ ]that|matches)
            [ ]{0,3}:?[ ]{0,3}
            [<(]?(?:[1-5]\d\d(?![.,:]?\w)|\d{1,3}(?=[>.]?$|>|[ ](?:to|but|matches)\b)))
        | (?<![\w.,:])\d{1,3}(?=[ ][!=]=)
        | (?<=[!=]=[ ])\d{1,3}(?![.,:]?\w)
        | \bHTTP/\d(?:\.\d)?(?:[ ][1-5]\d\d\b)?
        | \b[1-5]\d\d(?=[ ](?:Client|Server)[ ]Error)
        | \bcurl:[ ]\(\d{1,3}\)
        | \bERROR[ ]\d{4}[ ]\(\w{5}\)
        | \bCVE-\d{4}-\d{1,7}
        | (?<=\w)[=~<>]=\d[\w.]{0,30}
        | (?<![\w/.-])(?:[A-Z]{1,6}-?\d{2,5}|[A-Z]{1,6}\d)(?![\w-])
    )
    | \d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?
    | /(?:private/)?var/folders/[^\s/]{1,64}/[^\s/]{1,64}
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
_PLACE = re.compile(r"^\d+\) |(?<=^not ok )\d+ |(?<=^── )\d+\. ")
#: The copy of a workspace of Jenkins that a build got because others use the first one.
_COPY = re.compile(r"(/workspace/[^\s/@]{1,200})@(?:\d{1,3}(?:@tmp)?|tmp)(?![\w.@-])")
_BLANKS = re.compile(r"\s+")
#: What announces a failure without telling why.
_OUTCOME = re.compile(
    r"\b(?:a|all|an|and|are|at|build|by|code|command|complete|completed|ctest|did|environment|error|errors|"
    r"errored|execution|exit|exited|fail|failed|failing|failure|failures|fatal|finished|for|had|has|have|"
    r"in|is|it|job|longer|make|non|not|of|on|one|prepare|process|rc|result|return|returned|run|running|"
    r"script|seconds|see|status|step|stopped|succeed|successfully|system|task|test|tests|than|the|there|"
    r"took|was|were|while|with|zero)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3}")
#: A line that names an exception, or says what is wrong.
_EXCEPTION = re.compile(
    r"(?!Error Trace:)(?:E +)?(?:[\w.$]{0,200}(?:Error|Exception|Failure|Timeout|Fault)\b|(?:\w{1,50}\.){1,10}[A-Z]\w{1,50}: "
    r"|.{0,200}\b(?:panicked at|error:|fatal:))"
)

#: Lines that any program may print when it breaks: they tell nothing of which one did. Exceptions of a language's
#: own are among them if they have no text, or a short one; those that name a file or a module are not.
_ANYWHERE = re.compile(
    r"""
    (?:E[ ]+)?(?:
        Traceback[ ]\(.{0,40}
        | (?:Exception|(?:Uncaught[ ])?(?:Arithmetic|Assertion|Attribute|BrokenPipe|EOF|Index|Key|Lookup|Memory|
            Name|NotImplemented|Overflow|Range|Recursion|Reference|Runtime|Timeout|Type|UnboundLocal|Value|
            ZeroDivision|Connection(?:Aborted|Refused|Reset)?)Error|KeyboardInterrupt|StopIteration)
          (?::[ ]?(?:.{0,40}|'NoneType'[ ].{0,100}|Cannot[ ]read[ ]propert.{0,100}))?
        | assert[ ].{0,20}
        | (?:Exception[ ]in[ ]thread[ ]"[^"]{0,60}"[ ]|Caused[ ]by:[ ]|Unhandled[ ]exception\.[ ])?
          (?:java\.(?:lang|util)\.(?:\w{0,40}OutOfBounds|NullPointer|ClassCast|Arithmetic|ArrayStore|IllegalState|
            IllegalArgument|NumberFormat|NegativeArraySize|UnsupportedOperation|Interrupted|Runtime|NoSuchElement|
            ConcurrentModification|concurrent\.Timeout|StackOverflow|OutOfMemory|Assertion)(?:Exception|Error)
            | System\.(?:NullReference|IndexOutOfRange|InvalidCast|InvalidOperation|OutOfMemory)Exception)
          (?::[ ]?.{0,40}|:[ ]Object[ ]reference[ ]not[ ]set.{0,40})?
        | panic:[ ]runtime[ ]error:[ ].{0,80}
        | \[signal[ ]SIG\w{1,10}:.{0,120}
        | goroutine[ ]\#[ ]\[.{0,40}
        | fatal[ ]error:[ ]all[ ]goroutines[ ]are[ ]asleep.{0,20}
        | thread[ ]'main'[ ]panicked[ ]at[ ]src/(?:main|lib)\.rs:.{0,20}
        | index[ ]out[ ]of[ ]bounds:.{0,60}
        | called[ ]`(?:Option|Result)::unwrap\(\)`[ ]on[ ].{0,40}
        | assertion[ ].{0,40}[ ]failed
        | (?:left|right):[ ].{0,20}
        | terminate[ ]called[ ].{0,80}
        | (?:\S{1,60}:[ ])?(?:line[ ]\#:[ ])?(?:\#[ ])?
          (?:Segmentation[ ]fault|Killed|Aborted|Bus[ ]error|Illegal[ ]instruction|Terminated|
            Floating[ ]point[ ]exception)(?:[ ]\(core[ ]dumped\))?
    )$
    """,
    re.VERBOSE | re.ASCII,
)


def fingerprints(cause: Mapping[str, Any] | None, chapter: str | None = None) -> dict[str, str]:
    """The fingerprints of a cause by their names; none for one that is only an outcome.

    "exact" is of all its lines; if any program may print them, with the chapter's name, and none without a chapter.
    "failure" is of the failed test, or else the chapter's name, and the exception.
    cause: see lines.summary. chapter: the name of the innermost one around it.
    """
    if cause is None or cause["why"] == "end":
        return {}
    name = _name_of(cause)
    lines = (normalised(line, line == name) for line in cause["told"])
    told = [*dict.fromkeys(filter(None, lines))]
    telling = [line for line in told if _WORD.search(_OUTCOME.sub("", line))]
    if not telling:
        return {}
    found = {}
    if not all(map(_ANYWHERE.match, telling)):
        found["exact"] = _digest("exact", told)
    elif chapter:
        found["exact"] = _digest("exact", [*told, normalised(chapter)])
    failure = [*_failure(told, normalised(name, is_name=True) or normalised(chapter or ""))]
    if len(failure) > 1:
        found["failure"] = _digest("failure", failure)
    return found


def _name_of(cause: Mapping[str, Any]) -> str:
    """The line that names the failed test; "" for none. Go prints it below the test's messages."""
    if cause["why"] != "test":
        return ""
    first: str = cause["told"][0]
    named = (line for line in cause["told"] if line.startswith("--- FAIL"))
    return next(named, "" if first.startswith("Traceback (") else first)


def _failure(told: Sequence[str], name: str) -> Iterator[str]:
    """Yields the name of the test or step that failed and the exception, as far as they are known."""
    if name:
        yield name
    exception = exception_of([line for line in told if line != name])
    if exception:
        yield exception


def exception_of(told: Sequence[str]) -> str:
    """The first of the lines that names an exception, or says what is wrong; "" for none."""
    return next(filter(_EXCEPTION.match, told), "")


def normalised(line: str, is_name: bool = False) -> str:
    """The line without what differs from run to run. is_name: it names a test, whose numbers stay, but for its own."""

    def kept(found: re.Match[str]) -> str:
        stays = found["kept"] or found["name"] or (is_name and found["number"])
        return found[0] if stays else "#"

    line = _PLACE.sub("", line) if is_name else line
    line = _COPY.sub(r"\1", line[:REACH])
    return _BLANKS.sub(" ", _VARYING.sub(kept, line)).strip()


def _digest(kind: str, lines: Sequence[str]) -> str:
    text = "\n".join([f"{VERSION} {kind}", *lines])
    return blake2b(text.encode("utf-8", "replace"), digest_size=SIZE // 2).hexdigest()
