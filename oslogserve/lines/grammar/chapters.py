# SPDX-License-Identifier: Apache-2.0
"""The marks that tools of CI print between the steps of a build.

A row is a tool and a pattern, matched where a line's content begins: behind its time and blanks. The
patterns are as in `causes`. Those of chapters have groups as well, whose texts are the chapter's name.
"""

from enum import StrEnum
from typing import NamedTuple

#: A verdict that is itself the cause: the step was stopped.
STOPPED = rb"""
travis+timeout .*" exited with 124\.
gitlab* ERROR: Job failed: (?:execution took longer than|failed to pull image|prepare environment:|image pull failed)
gitlab* ERROR: Job failed \(system failure\)
github* ##\[error\]The action '.*' has timed out after \d+ minutes
zuul* (?:PRE-|POST-)?RUN END RESULT_TIMED_OUT:
"""
#: A verdict that says that the step failed, or the whole build.
FAILED = rb"""
travis .*" (?:failed and )?exited with [1-9]\d*(?:\.| during)
travis The command ".*" failed
travis* Your build has been stopped
jenkins* Build step '.*' marked build as failure
gitlab* ERROR: Job failed
"""
#: A verdict on a step. The build may go on behind it, and fail in a later one.
STEP_FAILED = rb"""
github+azure* (?:##\[error\]|Error: )Process completed with exit code
github+azure* (?:##\[error\]|Error: )(?:Bash|PowerShell|Cmd\.exe|The process '.*') (?:exited|failed) with
buildx* ##\[error\]buildx (?:bake )?failed with
"""
#: A verdict on a step that was stopped, because it or another one took too long or failed.
CANCELED = rb"""
github+azure* (?:##\[error\]|Error: )The operation was cancel
"""
#: A verdict on the whole build: its step may have ended long before.
BUILD_FAILED = rb"""
jenkins* (?:ERROR: )?script returned exit code [1-9]
jenkins* Finished: (?:FAILURE|ABORTED)
"""
#: A verdict in words that any program may print: one that many lines follow decides nothing.
EXITED = rb"""
appveyor* Command exited with code [1-9]
circleci* Exited with code (?:exit status )?[1-9]
"""
#: A verdict on a task.
TASK_FAILED = rb"""
zuul* \[Zuul\] Task exit code: [1-9]
"""
#: A verdict that says that the step passed, or that its failure does not matter.
PASSED = rb"""
travis .*" exited with 0\.
"""
#: The same of a task.
TASK_PASSED = rb"""
zuul* \[Zuul\] Task exit code: 0
zuul* ok: (?:Item: .* )?Runtime:
zuul* ERROR: Ignoring Errors$
ansible* \.\.\.ignoring$
"""
#: The first line of a step.
BEGINS = rb"""
github ##\[group\]Run[ ]
azure* ##\[section\]Starting:
jenkins* \[Pipeline\] (?:\{ \(|stage)
jenkins* \[[\w.@-]+\] \$[ ]
gitlab* Uploading artifacts for successful job$
"""
#: The first line of a task, which may be in a step.
TASK_BEGINS = rb"""
ansible* (?:TASK|RUNNING HANDLER):? \[
zuul* LOOP \[
"""
#: The end of a step's own text, before its output.
SHOWN = rb"""
github ##\[endgroup\]
"""
#: The step has ended; what follows cleans up.
OVER = rb"""
gitlab* Running after_script$
gitlab* Uploading artifacts for failed job$
gitlab* Cleaning up (?:project directory and )?file based variables$
"""
#: What follows repeats what happened, or cleans up.
RECAPS = rb"""
ansible* PLAY RECAP
github* Post job cleanup\.$
buildkit* > \[(?:[^\]]* )?(?:internal|\d+/\d+)\] .*:$
tox* _+ summary _+$
"""
#: The last words of a runner that writes a verdict into each log that failed.
ENDED = rb"""
github* Cleaning up orphan processes$
"""
#: Travis writes this mark at the beginning of a step, and then over it.
OVERWRITTEN = b"travis_time:start"
#: Travis echoes a command behind these bytes.
ECHO = b"\x1b[0K$ "
#: The last line of a log that passed.
HEALTHY = rb"""
jenkins* Finished: SUCCESS
travis Done\. Your build exited with 0
gitlab* Job succeeded$
zuul* Job complete, result: SUCCESS$
"""
#: What may follow a line's time, before its content: brackets, the node in Zuul's console, the container
#: of Docker Compose, and the process, user and name in Ansible's own log.
BEHIND_TIME = (
    rb"[\])]?[ \t]?"
    rb"(?:p=\d{1,10} u=\S{1,64} (?:n=\S{1,64} )?[A-Z]{0,8}\|[ \t]?|\| (?:[\w.-]+ \| )?|[\w.-]{1,64}[-_]\d{1,3} +\| )?"
)

#: What GitHub's client writes before each line: the names of the job and the step. The group is the time.
JOB_HEAD = rb"[^\t]*\t[^\t]*\t(?:\xef\xbb\xbf)?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z) "
#: What BuildKit writes before each line of a step.
STEP_HEAD = rb"#\d{1,5} \d{1,6}\.\d{1,3} "


class Event(StrEnum):
    """The effect of a mark on the chapters."""

    BEGINS = "begins"  #: begins a chapter; ends those of its level or deeper
    WITHIN = "within"  #: the same, in a chapter of its tool
    NESTS = "nests"  #: begins a chapter in one of its level
    ENDS = "ends"  #: ends the innermost chapter of its tool and level, or the one of the name
    REPORTS = "reports"  #: the same; without such a chapter, it begins one
    CLOSES = "closes"  #: ends all of its level or deeper
    SAYS = "says"  #: the outcome of the innermost chapter of its tool and level, or of the last one
    FORGIVES = "forgives"  #: that chapter passed, although a line says that it failed
    HIDDEN = "hidden"  #: that of FOLD, which nothing is written over


class ChapterRule(NamedTuple):
    """A mark of chapters. tool: chapters of a tool are ended by its marks."""

    name: str
    event: Event
    #: "passed", "failed", or "" for unknown.
    outcome: str
    #: Chapters of a deeper level are in those of the levels above.
    level: int
    tool: str
    pattern: bytes


#: Event, outcome, level, tool (with a star as above), pattern.
_CHAPTERS = rb"""
begins - 0 zuul* (SETUP|PRE-RUN|RUN|POST-RUN|CLEANUP) START: (\[.*)
ends - 0 zuul* (?:SETUP|PRE-RUN|RUN|POST-RUN|CLEANUP) END RESULT_NORMAL
ends failed 0 zuul* (?:SETUP|PRE-RUN|RUN|POST-RUN|CLEANUP) END RESULT_
begins - 1 github* ##\[group\](Run .*)
begins - 1 github* (Post job cleanup)\.
nests - 2 github* ##\[group\](.+)
ends - 2 github* ##\[endgroup\]
says failed 1 github* (?:##\[error\]|Error: )(?:Process completed with exit code|The operation was cancel)
nests - 1 azure* ##\[section\]Starting: (.+)
ends - 1 azure* ##\[section\]Finishing:
says failed 1 azure* ##\[error\](?:Bash|PowerShell|Cmd\.exe|The process '.*') (?:exited|failed) with
nests - 1 jenkins* \[Pipeline\] \{(?: \((.+)\))?$
ends - 1 jenkins* \[Pipeline\] \}$
begins - 2 jenkins* \[[\w.@-]+\] \$ (.+)
says failed 2 jenkins* Build step '.*' marked build as failure
hidden - 1 travis* travis_(?:fold|time):(?:start|end):[\w.-]+(?:$|:start=)
says passed 1 travis .*" exited with 0\.
says failed 1 travis .*" (?:failed and )?exited with [1-9]\d*(?:\.| during)
says failed 1 travis The command ".*" failed
begins - 3 ansible* (PLAY \[.*\])[ *]*$
begins - 3 ansible* (PLAY RECAP)
begins - 4 ansible* (?:TASK|RUNNING HANDLER) \[(.*)\][ *]*$
says failed 4 ansible* (?:fatal|failed): \[
says failed 4 ansible ERROR$
says passed 4 ansible (?:ok|changed)(?::|$)
forgives passed 4 ansible* \.\.\.ignoring$
begins - 5 docker* Step (\d+/\d+ : .+)
ends passed 5 docker* Successfully built [0-9a-f]{12}$
ends failed 5 docker* .*The command .* returned a non-zero code: [1-9]
ends failed 5 docker* (?:ERROR: )?(?:Service '[^']*' failed to build ?: )?The command ['\[]/bin/sh -c[ ]
ends failed 5 docker* (?:COPY|ADD) failed:[ ]
ends passed 5 buildkit* #\d{1,5} (?:DONE [\d.]+s|CACHED)$
ends failed 5 buildkit* #\d{1,5} ERROR:[ ]
ends - 5 buildkit* #\d{1,5} (?:CANCELED|\.\.\.)$
begins - 5 buildkit* #\d{1,5} (\[(?:[^\]]* )?(?:internal|auth|context [^\]]*|\d+/\d+)\] .*)
begins - 5 buildkit* #\d{1,5} ((?:exporting (?:to|cache)|importing (?:to|cache)|resolve image config|resolving provenance) .*)
begins - 5 maven* \[INFO\] Building ([^:]+)$
begins - 6 maven* \[INFO\] --- (\S.*) ---$
closes - 5 maven* \[INFO\] (?:BUILD|Reactor Summary)
begins - 6 pytest* ={3,} (test session starts) =+$
within - 7 pytest* ={3,} (ERRORS|FAILURES|PASSES|warnings summary|short test summary info) =+$
within failed 8 pytest* _{3,} (.*\w.*) _{3,}$
ends failed 6 pytest* =+ .*\b\d+ (?:failed|errors?)\b.* in [\d.]+
ends passed 6 pytest* =+ .*\b\d+ (?:passed|skipped)\b.* in [\d.]+
begins failed 8 unittest* FAIL: (\w\S*(?: \([\w.]+\))?)$
begins failed 8 unittest* ERROR: (\w+ \([\w.]+\)|\w+(?:\.\w+)+)$
closes - 8 unittest* Ran \d+ tests? in[ ]
nests - 8 go* === RUN +(\S+)
ends passed 8 go* --- PASS: (\S+)
ends - 8 go* --- SKIP: (\S+)
reports failed 8 go* --- FAIL: (\S+)
closes - 8 go (?:ok +|FAIL|\?   +)\t
"""
#: Marks of GitLab and Travis, written over by what a terminal shows. Groups: "start" or "end", the
#: second, and the section's name; what, "start" or "end", the name, and the nanoseconds of both ends.
SECTION = rb"section_(start|end):(\d{1,10}):([\w.-]+)"
FOLD = rb"travis_(fold|time):(start|end):([\w.-]+)(?::start=(\d{13,19}),finish=(\d{13,19}))?"
#: The level of both.
OVERWRITTEN_LEVEL = 1
#: The seconds that a line names.
SECONDS = rb"(?:\(| in | DONE )(\d{1,9}(?:\.\d{1,6})?) ?s"


def _chapter_rule(row: str) -> ChapterRule:
    """Raises ValueError, with the row, for one at fault."""
    name = f'chapter "{row}"'
    try:
        event, outcome, level, tool, pattern = row.split(" ", 4)
        known, tool = outcome.strip("-"), tool.rstrip("*")
        return ChapterRule(name, Event(event), known, int(level), tool, pattern.encode())
    except ValueError as fault:
        raise ValueError(f"{name}: {fault}") from None


#: The first that matches counts.
CHAPTERS = [_chapter_rule(row) for row in _CHAPTERS.decode().strip("\n").split("\n")]
