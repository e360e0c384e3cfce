# SPDX-License-Identifier: Apache-2.0
"""The steps of a log, and the one that failed.

A log is a row of steps: the commands of Travis, the stages of Jenkins; a step may have tasks, as those
of Ansible. The first verdict that says "failed" ends the search: the cause is in its step. A verdict
that any program may print counts only near the log's end. Without a verdict, the cause is in the first
of the steps that show most, in the last one that shows errors alone, or in the last step. The log then
failed if its last step did, or a task by its recap: the log went on behind all others. The first
failures of all steps are noted, tests before other ones.
"""

from oslogserve.lines.grammar.causes import Mark
from oslogserve.native import LIMITS
from tests.reference.step import (
    ANNOTATED,
    ERRORS_ALONE,
    MOST_NOTED,
    SURVIVED,
    Cause,
    Group,
    Step,
    Text,
)

OUTCOME_REACH, LAST_WORDS = LIMITS["steps.OUTCOME_REACH"], LIMITS["steps.LAST_WORDS"]

#: Verdicts that are revoked if many lines follow.
_REVOCABLE = (Mark.EXITED, Mark.BUILD_FAILED)
#: Those that a later one overrules, in a step that shows more.
_OVERRULED = (Mark.STEP_FAILED, Mark.CANCELED)
_VERDICTS = (Mark.STOPPED, Mark.FAILED, Mark.TASK_FAILED, *_REVOCABLE, *_OVERRULED)


class Steps:
    """The current step or task, and those before it that show most."""

    def __init__(self) -> None:
        self._step = Step()
        #: One of the earlier tasks of the current step, and one of the earlier steps.
        self._task: Step | None = None
        self._kept: Step | None = None
        #: The verdict that decided, and its cause.
        self._verdict: Mark | None = None
        self._decided: Cause | None = None
        #: The number of the verdict's line.
        self._decided_at = 0
        #: The weight of the step that it decided on.
        self._weight = 0
        #: The number of the first line of the step in which it was.
        self._begin: int | None = None
        #: The first failures, at most MOST_NOTED.
        self._noted: list[Cause] = []
        #: True if an earlier task failed by a recap or its last line.
        self._has_failed = False
        #: The number of the last line that says that the log is whole.
        self._ended: int | None = None

    @property
    def are_decided(self) -> bool:
        """True if a verdict decided the cause."""
        return self._decided is not None

    @property
    def are_final(self) -> bool:
        """True if no line can change the cause."""
        return self.are_decided and self._verdict in (Mark.STOPPED, Mark.FAILED)

    def add(self, text: Text, mark: Mark | None) -> None:
        if mark in _VERDICTS:
            self._revoke(text.number)
            self._decide(text, mark)
        elif mark == Mark.PASSED:
            self._note_step()
            self._task, self._step = None, Step(text)
            self._has_failed = False
        elif mark == Mark.TASK_PASSED:
            if self._verdict == Mark.TASK_FAILED:
                self._drop()
            self._note_step()
            self._step = Step(text)
        elif mark in (Mark.BEGINS, Mark.TASK_BEGINS):
            self._end_task(text)
            if mark == Mark.BEGINS:
                self._kept, self._task = _kept(self._kept, self._task), None
        elif mark == Mark.SHOWN:
            self._step.show()
        elif mark == Mark.OVER:
            self._step.close(text.number)
        elif mark == Mark.RECAP:
            self._step.end()
            self._step.recap(text)
        elif mark == Mark.ENDED:
            self._ended = text.number
            self._note(self._step.add(text, None))
        else:
            self._note(self._step.add(text, None if mark == Mark.HEALTHY else mark))

    def _end_task(self, text: Text) -> None:
        self._step.settle(text.number)
        self._step.end()
        self._note_step()
        self._has_failed = self._has_failed or self._step.has_ended_failed
        self._task = _kept(self._task, self._step)
        self._step = Step(text)
        if self._verdict == Mark.TASK_FAILED:
            self._verdict = Mark.FAILED

    def _revoke(self, end: int) -> None:
        """Drops a verdict that the log survived until the line of this number."""
        if self._verdict in _REVOCABLE and end > self._decided_at + SURVIVED:
            self._drop()

    def _drop(self) -> None:
        self._note(self._decided)
        self._decided = self._verdict = None

    def _note_step(self) -> None:
        """Notes what the current step shows of a failure."""
        if self._step.weight:
            for cause in (self._step.cause(), *self._step.further_of_cause()):
                self._note(cause)

    def _note(self, cause: Cause | None) -> None:
        """Notes a cause, unless the same lines were noted. The end of a step tells nothing. If there is no
        room, a test takes the place of what is none."""
        told = [one.told for one in self._noted]
        if not cause or cause.why == "end" or cause.told in told:
            return
        others = [one for one in self._noted if one.why != "test"]
        if len(self._noted) == MOST_NOTED and others and cause.why == "test":
            self._noted.remove(others[-1])
        self._noted = [*self._noted, cause][:MOST_NOTED]

    def _decide(self, text: Text, mark: Mark | None) -> None:
        self._step.settle(text.number)
        weight = 0 if mark == Mark.CANCELED else self._shown_of_failed()
        begin = self._step.begin.number if self._step.begin else None
        is_overruled = self._verdict in _OVERRULED and begin != self._begin
        if self._decided and not (is_overruled and weight > self._weight):
            self._verdict = self._verdict if self._verdict in _OVERRULED else Mark.FAILED
            return
        self._weight, self._begin = weight, begin
        if mark == Mark.CANCELED and self._step.weight < ERRORS_ALONE:
            cause = Group.of(text).cause("severity")
        elif mark == Mark.TASK_FAILED:
            cause = self._step.cause()
        else:
            cause = self._most_telling().cause() if mark == Mark.BUILD_FAILED else self._failed()
        self._decided = cause or Cause(text, text.number, "end")
        if mark == Mark.STOPPED:
            self._decided = Cause(text, text.number, "severity", told=[text.content])
        self._verdict, self._decided_at = mark, text.number

    def _shown_of_failed(self) -> int:
        step = _heavier(self._task, self._step)
        return self._kept.shown if self._kept and step.is_silent else step.shown

    def _failed(self) -> Cause | None:
        """The cause in the step that failed, by a verdict; in an earlier one if that shows nothing."""
        step = _heavier(self._task, self._step)
        cause = self._kept.cause() if self._kept and step.is_silent else None
        begin = step.begin.number if step.begin else None
        return cause._replace(silent_step=begin) if cause else step.cause()

    def _most_telling(self) -> Step:
        return _heavier(self._kept, _heavier(self._task, self._step))

    def cause(self, end: int, *, is_of_service: bool) -> tuple[Cause | None, bool]:
        """The cause, and whether the log says that something failed.

        end: the last line's number. is_of_service: whether most lines are records of a service.
        """
        self._revoke(end)
        if self._decided:
            return self._decided, True
        self._step.settle(end)
        self._step.end()
        if not self._has_failed and self._step.has_passed:
            last = self._step.last_lines()
            return last and last._replace(why="end"), False
        step = self._most_telling()
        if not step.weight:
            return step.likely_end(), False
        cause = step.cause()
        tells_nothing = cause is None or cause.why == "end"
        reach = LAST_WORDS if is_of_service or tells_nothing else OUTCOME_REACH
        start = max(0, end - reach)
        failed = self._has_failed or self._step.has_failed(start, is_of_service=is_of_service)
        return cause, failed

    @property
    def has_verdict(self) -> bool:
        """True if a verdict says that the log failed, or a task's recap or last line."""
        return self.are_decided or self._has_failed or self._step.has_ended_failed

    def have_passed(self, end: int) -> bool:
        """True if the last words of the log say that all went well: a tool behind steps that show no failure,
        or a runner that would have told a verdict.

        end: the last line's number.
        """
        if self.are_decided or self._has_failed or self._step.has_ended_failed:
            return False
        passed = self._step.succeeded if self._step.has_passed else None
        if self._most_telling().shown > ERRORS_ALONE:
            passed = None
        return any(one is not None and one + LAST_WORDS >= end for one in (passed, self._ended))

    def failures(self, *, is_build: bool, has_failed: bool) -> list[Cause]:
        """The first failures of a log: those that it survived, or, if it failed, its failed tests. None if it
        has not failed and is not the log of a build. is_build: true if its end says so."""
        if not (has_failed or is_build or self._step.begin):
            return []
        self._note_step()
        return [one for one in self._noted if not has_failed or one.why == "test"]


def _heavier(earlier: Step | None, later: Step) -> Step:
    """The step that shows more. Of two alike it is the later one, but the earlier one if they say that they failed."""
    if earlier and (earlier.weight > later.weight or earlier.weight == ANNOTATED):
        return earlier
    return later


def _kept(kept: Step | None, step: Step | None) -> Step | None:
    """The step that shows more; None for two that show nothing.

    Of two alike it is the earlier one, but the later one if they show errors alone.
    """
    most = kept.weight if kept else 0
    weight = step.weight if step else 0
    return step if weight > most or weight == most == ERRORS_ALONE else kept
