# SPDX-License-Identifier: Apache-2.0
"""Fingerprints of a failure's cause: equal for runs that failed for the same reason.

Times, numbers, hashes, addresses and names of temporary files differ from run to run, and do not count.
Exit codes, statuses, numbers of errors, small numbers that a test compares, and numbers in names do.
"""

import re
from collections.abc import Sequence
from hashlib import blake2b

from oslogserve.lines.telling import ANYWHERE, exception_of, says_nothing, tells
from oslogserve.lines.varying import WORKER, normalised

#: Raised when the same lines give other fingerprints than before.
VERSION = 3
#: Characters of a fingerprint, which are hexadecimal digits.
SIZE = 32
#: Names of steps that every job of a runner has: GitLab's, and a shell's of Jenkins.
_ANY_STEP = re.compile(
    r'(?:Executing ")?(?:step|build|after)_script\b|\S{1,40}(?: -\w{1,9}){0,3} /tmp/(?:jenkins|hudson)\w+\.'
)


def fingerprints(why: str, lines: Sequence[str], chapter: str | None = None) -> dict[str, str]:
    """The fingerprints of a cause by their names; none for one that is only an outcome.

    "exact" is of all its lines; if any program may print them, with the chapter's name, and none without a chapter.
    "failure" is of the failed test, or else the chapter's name, and the exception.
    why, lines: `why` and `told` of a CauseLine. chapter: the name of the innermost one around it.
    """
    if why == "end":
        return {}
    name = _name_of(lines) if why == "test" else ""
    step = normalised(chapter or "")
    own_step = "" if _ANY_STEP.match(chapter or "") else step
    several = (normalised(line, line == name) for line in lines if not WORKER.match(line))
    told = [*dict.fromkeys(filter(None, several))]
    telling = [*filter(tells, told)]
    if not telling:
        return {}
    found = {}
    if name or not all(map(ANYWHERE.match, telling)):
        found["exact"] = _digest("exact", told)
    elif own_step:
        found["exact"] = _digest("exact", [*told, own_step])
    name = normalised(name, is_name=True)
    exception = exception_of([line for line in told if line != name])
    failed = name or (own_step if ANYWHERE.match(exception) else step)
    if failed and exception:
        found["failure"] = _digest("failure", [failed, exception])
    return found


def _name_of(lines: Sequence[str]) -> str:
    """The line that names the failed test; "" for none. Go prints it below the test's messages."""
    first = lines[0]
    named = (line for line in lines if line.startswith("--- FAIL"))
    is_name = not (first.startswith("Traceback (") or says_nothing(first))
    return next(named, first if is_name else "")


def _digest(kind: str, lines: Sequence[str]) -> str:
    text = "\n".join([f"{VERSION} {kind}", *lines])
    return blake2b(text.encode("utf-8", "replace"), digest_size=SIZE // 2).hexdigest()
