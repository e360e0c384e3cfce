// SPDX-License-Identifier: Apache-2.0
//! The steps of a log, and the one that failed.
//!
//! A log is a row of steps: the commands of Travis, the stages of Jenkins; a step may have tasks, as those
//! of Ansible. The first verdict that says "failed" ends the search: the cause is in its step. A verdict
//! that any program may print counts only near the log's end. Without a verdict, the cause is in the first
//! of the steps that show most, in the last one that shows errors alone, or in the last step. The log then
//! failed if its last step did, or a task by its recap or last line: the log went on behind all others. At
//! most three steps are held, whatever the log's size. The first failures of all steps are noted, tests before
//! other ones.

use std::mem;

use crate::causes::cause_rules::{Caches, Causes};
use crate::causes::found::{MOST_NOTED, ends_with_name};
use crate::causes::group::{Cause, Group, Text};
use crate::causes::marks::Mark;
use crate::causes::step::{ANNOTATED, ERRORS_ALONE, SURVIVED, Step};

/// How far above the log's end its last outcome is if the log failed. The same for a service, which logs
/// outcomes of others and goes on, and for a log in which nothing else tells of a failure.
pub const OUTCOME_REACH: u64 = 100;
pub const LAST_WORDS: u64 = 10;

/// When a verdict is revoked.
#[derive(PartialEq)]
enum Revoked {
    Never,
    /// If the same task passed after all.
    WithTask,
    /// If many lines follow the one of this number.
    Behind(u64),
    /// By one on a step that shows more than this, and does not begin at the line of this number.
    ByWeight(u8, Option<u64>),
}

/// What is known of a whole log.
pub struct Log {
    /// The number of the last line.
    pub end: u64,
    pub is_empty: bool,
    /// True if its last line says that it passed.
    pub is_healthy: bool,
    /// True if most lines are records of a service.
    pub is_of_service: bool,
}

/// What a log says of failures.
#[derive(Default)]
pub struct Ending {
    pub cause: Option<Cause>,
    /// True if the log says that something failed.
    pub has_failed: bool,
    /// True if a verdict says so.
    pub has_verdict: bool,
    /// True if it says in its last words that all went well.
    pub has_passed: bool,
    /// The first failures: those that it survived, or, if it failed, its failed tests. None if it has not
    /// failed and is not the log of a build.
    pub failures: Vec<Cause>,
}

/// The cause that a verdict decided.
struct Decided {
    cause: Cause,
    revoked: Revoked,
}

/// The current step or task, and those before it that show most.
#[derive(Default)]
pub struct Steps {
    step: Step,
    /// One of the earlier tasks of the current step.
    task: Option<Step>,
    /// One of the earlier steps: one that shows something, or else one whose last words speak of a failure.
    kept: Option<Step>,
    decided: Option<Decided>,
    /// Causes of the first steps that showed a failure, and their further failed tests; causes of verdicts that
    /// were revoked, and groups of errors that later ones displaced.
    noted: Vec<Cause>,
    /// True if an earlier task failed by a recap or its last line.
    has_failed: bool,
    /// True if a line says of itself that it tells why its step failed.
    has_annotation: bool,
    /// The number of the last line that says that the log is whole.
    ended: Option<u64>,
}

impl Steps {
    /// True if a verdict decided the cause.
    pub fn are_decided(&self) -> bool {
        self.decided.is_some()
    }

    /// True if no line can change the cause.
    pub fn are_final(&self) -> bool {
        self.decided.as_ref().is_some_and(|decided| decided.revoked == Revoked::Never)
    }

    /// Takes a line.
    pub fn add(
        &mut self,
        causes: &Causes,
        caches: &mut Caches,
        text: &Text<'_>,
        mark: Option<Mark>,
    ) {
        match mark {
            None if text.rank < causes.error && self.step.is_calm() => self.step.push(text),
            Some(verdict) if verdict.is_verdict() => {
                self.revoke(causes, caches, text.number);
                self.decide(causes, caches, text, mark);
            }
            Some(Mark::Passed) => {
                self.note_step(causes, caches);
                self.has_failed = false;
                self.task = None;
                self.step = Step::beginning_at(text);
            }
            Some(Mark::TaskPassed) => self.pass_task(causes, caches, text),
            Some(Mark::Begins) => {
                self.keep_words(causes, caches);
                self.end_task(causes, caches, text);
                if let Some(step) = self.task.take() {
                    keep(&mut self.kept, step);
                }
            }
            Some(Mark::TaskBegins) => self.end_task(causes, caches, text),
            Some(Mark::Shown) => self.step.show(),
            Some(Mark::Over) => self.step.close(text.number),
            Some(Mark::Recap) => self.step.recap(causes, text),
            mark => {
                if mark == Some(Mark::Ended) {
                    self.ended = Some(text.number);
                }
                self.has_annotation |=
                    mark == Some(Mark::Error) && causes.marks.ends_failed(text.content());
                let mark = mark.filter(|&mark| mark != Mark::Healthy && mark != Mark::Ended);
                let displaced = self.step.add(causes, caches, text, mark);
                self.note(causes, caches, displaced.map(|errors| errors.into_cause("severity")));
            }
        }
    }

    /// Begins what follows a task that passed.
    fn pass_task(&mut self, causes: &Causes, caches: &mut Caches, text: &Text<'_>) {
        let is_with_task = |one: &mut Decided| one.revoked == Revoked::WithTask;
        let revoked = self.decided.take_if(is_with_task);
        self.note(causes, caches, revoked.map(|one| one.cause));
        self.note_step(causes, caches);
        self.step = Step::beginning_at(text);
    }

    /// Notes what the current step shows of a failure.
    fn note_step(&mut self, causes: &Causes, caches: &mut Caches) {
        let is_room = self.noted.len() < MOST_NOTED;
        if self.step.weight() > 0 && (is_room || self.step.has_test()) {
            let cause = self.step.cause(causes, caches);
            self.note(causes, caches, cause);
            for cause in self.step.further().collect::<Vec<_>>() {
                self.note(causes, caches, Some(cause));
            }
        }
    }

    /// Notes a cause, unless each of its lines was noted, or is a word in the first line of a noted one or ends with the
    /// name of its test, as in a list of failed tests. The end of a step tells nothing. If there is no room, a test
    /// takes the place of what is none.
    fn note(&mut self, causes: &Causes, caches: &mut Caches, cause: Option<Cause>) {
        let Some(cause) = cause.filter(|cause| cause.why != "end") else { return };
        let mut has = |one: &Cause, line: &Vec<u8>| {
            let mut words = one.told[0].split(|&byte| byte == b' ');
            let named = one.told.iter().enumerate();
            let mut names =
                named.filter(|&(at, told)| at == 0 || causes.marks.nests(&mut caches.marks, told));
            one.told.contains(line)
                || words.any(|word| word == line)
                || names.any(|(_, told)| ends_with_name(line, told))
        };
        if cause
            .told
            .iter()
            .all(|line| self.noted.iter().any(|one| one.why == cause.why && has(one, line)))
        {
            return;
        }
        if self.noted.len() == MOST_NOTED {
            let other = self.noted.iter().rposition(|one| one.why != "test");
            let Some(place) = other.filter(|_| cause.why == "test") else { return };
            self.noted.remove(place);
        }
        self.noted.push(cause);
    }

    /// Begins a task or a step.
    fn end_task(&mut self, causes: &Causes, caches: &mut Caches, text: &Text<'_>) {
        self.step.end(causes, text.number);
        self.note_step(causes, caches);
        self.has_failed |= self.step.has_ended_failed();
        let task = mem::replace(&mut self.step, Step::beginning_at(text));
        keep(&mut self.task, task);
        if let Some(decided) = &mut self.decided {
            if decided.revoked == Revoked::WithTask {
                decided.revoked = Revoked::Never;
            }
        }
    }

    /// Keeps the current step for its words of failure, if no step shows more.
    fn keep_words(&mut self, causes: &Causes, caches: &mut Caches) {
        let is_calm = |step: &Step| step.weight() == 0;
        if [&self.task, &self.kept].into_iter().flatten().all(is_calm)
            && is_calm(&self.step)
            && self.step.speaks_of_failure(causes, caches)
        {
            self.kept = Some(mem::take(&mut self.step));
        }
    }

    /// Drops a verdict that the log survived until the line of this number.
    fn revoke(&mut self, causes: &Causes, caches: &mut Caches, end: u64) {
        let revoked = self.decided.take_if(
            |one| matches!(one.revoked, Revoked::Behind(number) if end > number + SURVIVED),
        );
        self.note(causes, caches, revoked.map(|one| one.cause));
    }

    fn decide(
        &mut self,
        causes: &Causes,
        caches: &mut Caches,
        text: &Text<'_>,
        mark: Option<Mark>,
    ) {
        self.step.settle(text.number);
        let weight = if mark == Some(Mark::Canceled) { 0 } else { self.shown_by_failed() };
        let begin = self.step.first_line();
        match self.decided.as_mut().map(|decided| &mut decided.revoked) {
            Some(&mut Revoked::ByWeight(most, step)) if weight <= most || step == begin => return,
            None | Some(Revoked::ByWeight(..)) => {}
            Some(revoked) => {
                *revoked = Revoked::Never;
                return;
            }
        }
        let is_stopped = match mark {
            Some(Mark::Canceled) => self.step.weight() < ERRORS_ALONE,
            mark => mark == Some(Mark::Stopped),
        };
        let cause = match mark {
            _ if is_stopped => Some(Group::new(text).cause("severity")),
            Some(Mark::TaskFailed) => self.step.cause(causes, caches),
            Some(Mark::BuildFailed) => self.telling(causes, caches).cause(causes, caches),
            _ => self.failed(causes, caches),
        };
        let mut cause = cause.unwrap_or_else(|| Group::new(text).cause("end"));
        cause.exit_code = causes.told.exit_code(text.content()).or(cause.exit_code);
        let revoked = match mark {
            Some(Mark::TaskFailed) => Revoked::WithTask,
            Some(Mark::StepFailed | Mark::Canceled) => Revoked::ByWeight(weight, begin),
            Some(Mark::Exited | Mark::BuildFailed) => Revoked::Behind(text.number),
            _ => Revoked::Never,
        };
        self.decided = Some(Decided { cause, revoked });
    }

    /// The cause in the step that failed, by a verdict; in an earlier one if that shows nothing.
    fn failed(&self, causes: &Causes, caches: &mut Caches) -> Option<Cause> {
        let step = heavier(self.task.as_ref(), &self.step);
        if let Some(kept) = self.kept.as_ref().filter(|_| step.is_silent()) {
            let cause = kept.cause(causes, caches);
            return cause.map(|cause| Cause { silent_step: step.first_line(), ..cause });
        }
        step.cause(causes, caches)
    }

    /// How much the step shows that `failed` asks.
    fn shown_by_failed(&self) -> u8 {
        let step = heavier(self.task.as_ref(), &self.step);
        self.kept.as_ref().filter(|_| step.is_silent()).unwrap_or(step).shown()
    }

    /// The step that shows most.
    fn most_telling(&self) -> &Step {
        heavier(self.kept.as_ref(), heavier(self.task.as_ref(), &self.step))
    }

    /// The same of a build that failed; if none shows anything, the last one whose last words speak of a failure.
    fn telling(&self, causes: &Causes, caches: &mut Caches) -> &Step {
        let step = self.most_telling();
        let earlier = self.kept.as_ref().filter(|_| step.weight() == 0);
        earlier.filter(|_| !step.speaks_of_failure(causes, caches)).unwrap_or(step)
    }

    /// What the log says of failures.
    pub fn end(mut self, causes: &Causes, caches: &mut Caches, log: &Log) -> Ending {
        self.revoke(causes, caches, log.end);
        let is_healthy = log.is_healthy && !self.are_decided();
        if !is_healthy && self.decided.is_none() {
            self.step.end(causes, log.end);
        }
        let (cause, has_failed) =
            if is_healthy { (None, false) } else { self.cause(causes, caches, log) };
        let has_ended_failed = self.are_decided() || self.has_ended_failed();
        if has_failed || log.is_healthy || self.step.first_line().is_some() {
            self.note_step(causes, caches);
            self.noted.retain(|one| !has_failed || one.why == "test");
        } else {
            self.noted.clear();
        }
        let has_passed = !has_ended_failed && self.have_passed(log.end);
        Ending {
            cause,
            has_failed,
            has_verdict: has_failed && has_ended_failed,
            has_passed: has_passed || (is_healthy && !log.is_empty),
            failures: self.noted,
        }
    }

    /// The cause, and whether the log says that something failed. Its last step has ended.
    fn cause(&self, causes: &Causes, caches: &mut Caches, log: &Log) -> (Option<Cause>, bool) {
        if let Some(decided) = &self.decided {
            return (Some(decided.cause.clone()), true);
        }
        if self.is_whole(log.end) || (!self.has_failed && self.step.passed_at().is_some()) {
            return (
                self.step.last_lines(causes).map(|cause| Cause { why: "end", ..cause }),
                false,
            );
        }
        let step = self.most_telling();
        if step.weight() == 0 {
            return (step.likely_end(causes, caches), false);
        }
        let cause = step.cause(causes, caches);
        let tells_nothing = cause.as_ref().is_none_or(|cause| cause.why == "end");
        let reach = if log.is_of_service || tells_nothing { LAST_WORDS } else { OUTCOME_REACH };
        let from = log.end.saturating_sub(reach);
        let is_uncaught = !log.is_of_service && self.step.ends_with_stack(causes, caches);
        let has_failed = self.step.has_failed(from, log.is_of_service);
        (cause, self.has_failed || has_failed || is_uncaught)
    }

    /// True if a task's recap says that the log failed, or a step's last line.
    fn has_ended_failed(&self) -> bool {
        self.has_failed || self.step.has_ended_failed()
    }

    /// True if the last words of the log say that all went well: a tool behind steps that show no failure, or
    /// a runner that would have told a verdict. end: the number of the last line.
    fn have_passed(&self, end: u64) -> bool {
        let is_late = |number: u64| number + LAST_WORDS >= end;
        let is_quiet = self.most_telling().shown() <= ERRORS_ALONE;
        self.ended.is_some_and(is_late) || (is_quiet && self.step.passed_at().is_some_and(is_late))
    }

    /// True if a runner that writes a verdict into each log that failed wrote none, and the log went on behind its
    /// errors, if it shows any. end: the number of the last line.
    fn is_whole(&self, end: u64) -> bool {
        let is_ended = self.ended.is_some_and(|number| number + LAST_WORDS >= end);
        let step = self.most_telling();
        is_ended && !(self.has_failed || self.has_annotation) && step.has_survived(end)
    }
}

/// The step that shows more. Of two alike it is the later one, but the earlier one if both say that they
/// failed.
fn heavier<'s>(earlier: Option<&'s Step>, later: &'s Step) -> &'s Step {
    let is_heavier = |weight| weight > later.weight() || weight == ANNOTATED;
    earlier.filter(|earlier| is_heavier(earlier.weight())).unwrap_or(later)
}

/// Keeps a step that shows more than those before it. Of steps that show errors alone, it keeps the last.
fn keep(kept: &mut Option<Step>, step: Step) {
    let most = kept.as_ref().map_or(0, Step::weight);
    let weight = step.weight();
    if weight > most || (weight == most && weight == ERRORS_ALONE) {
        *kept = Some(step);
    }
}
