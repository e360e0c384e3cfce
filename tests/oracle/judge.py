# SPDX-License-Identifier: Apache-2.0
"""Compares answers with what the oracle computed. Each fault is an AssertionError with a sentence."""

import re
from datetime import datetime
from itertools import chain

from tests.oracle import folder, views
from tests.oracle.selection import select

#: Lines above the first that is to be shown, where the page of a large log begins.
ABOVE_SHOWN = 200
MOST_BUCKETS = 200
#: The beginning of the fragment of a time that says its day.
_DAY = re.compile(r"_(\d{4}-|[A-Z][a-z]{2}_)")


def check(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def same(found, expected, what):
    """Both sequences or objects are equal; else the first difference is named."""
    if found == expected:
        return
    if isinstance(found, list) and isinstance(expected, list):
        pairs = zip(found, expected, strict=False)
        place = next((n for n, (one, other) in enumerate(pairs) if one != other), None)
        place = min(len(found), len(expected)) if place is None else place
        sizes = f"{len(found)} instead of {len(expected)}"
        found, expected = found[place : place + 2], expected[place : place + 2]
        what = f"{what}: {sizes}, from place {place} on"
    check(False, what, "is\n", found, "\ninstead of\n", expected)


def begins(found, expected, answers, what):
    """The rows of all answers are those expected, or the first of them if not all links were followed."""
    is_cut = answers[-1].next is not None
    same(found, expected[: len(found)] if is_cut else expected, what)


class OfLog:
    """Judges the answers of one query of a log."""

    def __init__(self, log, lines, query):
        """lines: all of the log, placed."""
        self._log = log
        self._lines = lines
        self._query = query
        self._expected = select(lines, query)
        self._is_filtered = any(name != "format" for name, _ in query.parameters)

    def __call__(self, answers):
        view = self._query.format
        getattr(self, f"_judge_{view}")(answers)
        for answer in answers[1:]:
            check(
                answer.rows or view == "html" or not answer.next, "an empty answer has a next one"
            )
        if view != "html":
            self._judge_end(answers[0], view == "summary")

    def _judge_jsonl(self, answers):
        first, *others = [answer.rows for answer in answers]
        same(first, [*map(views.json_of, self._expected.lines)], "the first answer")
        expected = [*map(views.json_of, self._expected.left)]
        begins([*chain(*others)], expected, answers, "what follows")
        for answer in answers:
            same(answer.end["sent"], len(answer.rows), "sent")

    def _judge_text(self, answers):
        expected = self._text_of(self._expected.lines)
        found = b"".join(answers[0].rows)
        if answers[0].notices and expected and not expected.endswith(b"\n"):
            expected += b"\n"
        same(found.split(b"\n"), expected.split(b"\n"), "the first answer")
        if len(answers) > 1:
            rest = [row for answer in answers[1:] for row in answer.rows]
            expected = self._text_of(self._expected.left).splitlines(keepends=True)
            begins(rest, expected, answers, "what follows")

    def _text_of(self, lines):
        text = b"".join(one.line.content + b"\n" for one in lines)
        if lines and lines[-1].number == len(self._lines) and not self._log.has_end:
            text = text[:-1]
        return text

    def _judge_html(self, answers):
        begin = answers[0].begin
        if begin == max(self._query.first, self._query.after + 1):
            begin = 1  # what is shown in any case may be above it
        else:
            first = min(self._numbers_shown(), default=0)
            check(begin == max(1, first - ABOVE_SHOWN), f"the page begins with line {begin}")
        shown = self._expected.shown
        there = [one for one in self._expected.lines if one.number >= begin or one.number in shown]
        expected = [self._row(one, shown) for one in there]
        expected += [self._row(one) for one in self._expected.left]  # where next has no show
        rows = [row for answer in answers for row in answer.rows if hasattr(row, "classes")]
        begins([row._replace(fragment="") for row in rows], expected, answers, "the page")
        by_number = {one.number: one.line for one in self._lines}
        for row in rows:
            time = by_number[row.number].time
            check(
                row.fragment in ("", time and time.fragment), f"line {row.number}: {row.fragment}"
            )
        for answer in answers:
            self._judge_gaps(answer)
        self._judge_counts(answers[0], begin)
        if not self._may_end_early():
            check(
                bool(answers[-1].notices) == self._log.is_damaged, "notices:", answers[-1].notices
            )

    def _numbers_shown(self):
        """Numbers of the lines that `show` names by a number or by a time with its day."""
        numbers = set()
        for one in self._query.show:
            if isinstance(one[0], int):
                numbers.add(one[0])
            elif _DAY.match(getattr(one, "fragment", one)):
                numbers |= self._expected.shown
        return numbers

    def _row(self, one, shown=frozenset()):
        role = "shown" if one.number in shown else "context"
        return views.html_of(one, "" if one.number in self._expected.hits else role)

    def _judge_gaps(self, answer):
        """Each gap between two lines has the lines between them."""
        last = None
        gap = None
        for row in answer.rows:
            if not hasattr(row, "classes"):
                gap = row
                continue
            if last is not None:
                expected = (last + 1, row.number - 1) if row.number > last + 1 else None
                same(gap, expected, f"the gap above line {row.number}")
            elif gap is not None:
                same(gap[1], row.number - 1, "the end of the first gap")
            last, gap = row.number, None

    def _judge_counts(self, answer, begin):
        if answer.counts is None:
            return
        expected = {}
        for one in self._lines:
            if one.number in self._expected.hits and one.number >= begin:
                lines, first = expected.get(one.line.severity, (0, one.number))
                expected[one.line.severity] = lines + 1, first
        same(answer.counts, expected, "the counts of a page")

    def _judge_summary(self, answers):
        (answer,) = answers
        end, selected = answer.end, self._expected.lines
        expected = views.summary_of(self._lines, selected)
        same({name: end[name] for name in expected}, expected, "the summary")
        same(end["bytes"], len(self._log.text), "bytes")
        same(end["lines"], len(self._lines), "lines")
        histogram = end["histogram"]
        found = {
            datetime.fromisoformat(one["time"]): {
                name: one[name] for name in ("first_line", "severities")
            }
            for one in histogram["buckets"]
        }
        check(len(found) <= MOST_BUCKETS, "too many buckets")
        same(found, views.buckets_of(selected, histogram["seconds"]), "the histogram")

    def _may_end_early(self):
        query = self._query
        kept = len(self._expected.lines)
        is_limited = query.limit is not None and kept >= query.limit and query.tail is None
        return (is_limited or query.last is not None) and not query.show

    def _judge_end(self, answer, reads_all):
        """Counts and completeness that the answer tells."""
        end, total = answer.end, len(self._lines)
        if end is None or (not self._is_filtered and self._query.format == "text"):
            return
        looked_at, is_damaged = end["lines"], self._log.is_damaged
        same(end["matched"], sum(n <= looked_at for n in self._expected.hits), "matched")
        same(end["read_to_end"], looked_at == total and not is_damaged, "read_to_end")
        if reads_all or not self._may_end_early():
            same(looked_at, total, "lines")
            same(end["complete"], not is_damaged, "complete")
        check(end["complete"] or is_damaged, "complete is false of a whole log")
        if "reason" in end:
            same(end["reason"] is None, end["complete"], "reason")
        if self._query.format != "summary":
            self._judge_next(answer)

    def _judge_next(self, answer):
        is_left, has_next = bool(self._expected.left), answer.next is not None
        is_full = self._query.limit is not None and len(answer.rows) >= self._query.limit
        check(has_next or not is_left, "there is more, and no next")
        check(is_left or not has_next or is_full, "next, although no limit was reached")


class OfFolder:
    """Judges the answers of one query of all logs of a folder."""

    def __init__(self, job, query):
        self._query = query
        self._logs = [(log, job.placed[log.name]) for log in folder.chosen(job.logs, query)]
        self._others = {name for name in job.others if folder.is_chosen(name, query)}
        rows, self._matched = folder.rows(self._logs, query)
        self._first, self._left = folder.limited(rows, query)
        self._hits = {
            log.name: select(lines, query._replace(after=0)).hits for log, lines in self._logs
        }

    def __call__(self, answers):
        view = self._query.format
        if view == "summary":
            self._judge_summary(answers)
        else:
            shown = getattr(self, f"_row_of_{view}")
            rows = [
                row
                for answer in answers
                for row in answer.rows
                if not isinstance(row, tuple) or hasattr(row, "classes")
            ]
            if view == "html":
                rows = [row._replace(fragment="") for row in rows]
            begins(rows, [shown(*row) for row in self._first + self._left], answers, "all rows")
            if view != "html" and len(answers) > 1 and self._query.limit is not None:
                most = self._query.limit
                check(
                    all(len(answer.rows) <= most for answer in answers), "more rows than the limit"
                )
        self._judge_ends(answers)

    def _row_of_jsonl(self, log, line):
        return {"log": log.shown, **views.json_of(line)}

    def _row_of_text(self, log, line):
        return views.text_of_folder(log, line)

    def _row_of_html(self, log, line):
        return views.html_of_folder(log, line, line.number in self._hits[log.name])

    def _judge_summary(self, answers):
        found = {log["name"]: log for answer in answers for log in answer.end["logs"]}
        same(sorted(found), sorted(log.shown for log, _ in self._logs), "names of logs")
        for log, lines in self._logs:
            told = found[log.shown]
            selected = select(lines, self._query)
            expected = views.summary_of(lines, selected.lines) | {
                "lines": len(lines),
                "bytes": len(log.text),
                "matched": len(selected.hits),
                "read_to_end": not log.is_damaged,
                "complete": not log.is_damaged,
                "source": "disk",
                "stored": len(log.stored),
            }
            same(
                {name: told.get(name) for name in expected}, expected, f"the summary of {log.shown}"
            )
            same(told["reason"] is None, told["complete"], "reason")

    def _judge_ends(self, answers):
        is_cut = bool(self._left) or (
            self._query.limit is not None and len(self._first) == self._query.limit
        )
        damaged = [log.shown for log, _ in self._logs if log.is_damaged]
        notices = [notice for answer in answers for notice in answer.notices]
        for answer in answers:
            if answer.end is not None and "skipped" in answer.end and len(answers) == 1:
                same({one["name"] for one in answer.end["skipped"]}, self._others, "skipped")
        if self._query.format != "html" and (self._query.format == "summary" or not is_cut):
            for name in damaged:
                check(any(name in notice for notice in notices), name, "is damaged:", notices)
        if len(answers) > 1 or answers[0].end is None:
            return
        end = answers[0].end
        if self._query.format == "summary" or not is_cut:
            same(end["complete"], not damaged, "complete")
        if self._query.format == "jsonl" and not is_cut:
            same(end["logs"], len(self._logs), "logs")
            same(end.get("matched"), self._matched, "matched")
            same(end.get("lines"), sum(len(lines) for _, lines in self._logs), "lines")
            same(end.get("read_to_end"), not damaged, "read_to_end")
