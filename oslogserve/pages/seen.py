# SPDX-License-Identifier: Apache-2.0
"""What fails now, as a page and as JSON: causes of several runs, and the runs of one cause."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from oslogserve.humanize import counted, iso_moment
from oslogserve.pages.job_seen import LIST, folder_address, run_address, run_json
from oslogserve.pages.log import json_line
from oslogserve.pages.page import Breadcrumbs, Link, address, frame
from oslogserve.seen import MOST_NAME, Cause, Recent, Run
from oslogserve.seen.query import SeenQuery
from oslogserve.seen.rules import Rule
from oslogserve.templates import rendered

#: Width and height of a day's bar, and the space beside it, in units of the drawing.
_WIDTH, _HEIGHT, _GAP = 8, 24, 2


class ListedCause(NamedTuple):
    """A cause of the list."""

    found: Recent
    known: Sequence[Rule]

    @property
    def bars(self) -> tuple[int, int, str]:
        """Width, height and SVG path of its runs by day. The highest bar has the whole height."""
        drawn = ""
        for day, runs in enumerate(self.found.days):
            if runs:
                height = max(2, round(_HEIGHT * runs / max(self.found.days)))
                left = (_WIDTH + _GAP) * day
                drawn += f"M{left} {_HEIGHT}v-{height}h{_WIDTH}v{height}z"
        return (_WIDTH + _GAP) * len(self.found.days), _HEIGHT, drawn


class _ListedRun(NamedTuple):
    """A run with the cause that it is listed for."""

    run: Run
    cause: Cause
    mount: str

    @property
    def overview(self) -> str:
        return run_address(self.mount, self.run)

    @property
    def line(self) -> str:
        """The address of the cause's line; "" if the log's name is not kept whole."""
        if len(self.cause.log) >= MOST_NAME:
            return ""
        folder, line = folder_address(self.mount, self.run), f"L{self.cause.line}"
        return f"{folder}{quote(self.cause.log)}?show={line}#{line}"


def causes_html(query: SeenQuery, causes: Sequence[ListedCause], has_more: bool) -> bytes:
    """has_more: true if there are more causes."""
    return rendered(
        "seen.html",
        **_frame(query, "What fails now"),
        causes=[
            (one, _ListedRun(one.found.run, one.found.run.causes[0], query.mount)) for one in causes
        ],
        has_more=has_more,
        query=query,
        chips=[
            Link(_address(query, **{name: ""}), f"{name} {value}")
            for name, value in _filters(query)
        ],
        narrowed=lambda name, value: _address(query, **{name: value}),
        runs_of=lambda found: _address(query, cause=found.fingerprint),
        as_json=_address(query, format="json"),
    )


def runs_html(
    query: SeenQuery, runs: Sequence[Run], known: Sequence[Rule], has_more: bool
) -> bytes:
    """has_more: true if there are more runs."""
    listed = [_ListedRun(run, run.causes[0], query.mount) for run in runs]
    shown = [f"{name} {value}" for name, value in _filters(query)]
    if shown or query.days != query.kept_days:
        shown.insert(0, f"of the last {counted(query.days, 'day')}")
    return rendered(
        "seen_runs.html",
        **_frame(query, "Runs with a cause", "cause"),
        cause=listed[0].cause,
        failed=[one for one in listed if one.run.has_failed],
        passed=[one for one in listed if not one.run.has_failed],
        known=known,
        has_more=has_more,
        shown=", ".join(shown),
        all_runs=address(cause=query.cause),
    )


def _filters(query: SeenQuery) -> list[tuple[str, str]]:
    return [(name, value) for name, value in query.named._asdict().items() if value]


def _frame(query: SeenQuery, title: str, below: str = "") -> dict[str, Any]:
    """below: the name of a page below the list; "" for the list."""
    name = "what fails now"
    links = [Link(query.mount + LIST, name)] if below else []
    path = Breadcrumbs(f"{query.mount}/", "", links, below or name)
    return frame(query.mount, b"", title) | {"path": path}


def _address(query: SeenQuery, **changed: str) -> str:
    """The address of the list, with its days and filters but for what changed."""
    named = query.named._asdict() | changed
    return address(days=query.days, **named)


def causes_json(query: SeenQuery, causes: Sequence[ListedCause], has_more: bool) -> bytes:
    """See causes_html."""
    found = [_cause_in_json(query, one) for one in causes]
    about = {"days": query.days, "kept_days": query.kept_days, **query.named._asdict()}
    return json_line({**about, "causes": found, "more": has_more})


def _cause_in_json(query: SeenQuery, one: ListedCause) -> dict[str, Any]:
    found = one.found
    return {
        "fingerprint": found.fingerprint,
        "text": found.run.causes[0].text,
        "runs": found.runs,
        "runs_last_day": found.days[-1],
        "jobs": found.jobs,
        "passed": found.passed,
        "first": iso_moment(found.first),
        "last": iso_moment(found.run.ended),
        "by_day": found.days,
        "known": [rule.as_json() for rule in one.known],
        "last_run": _run_in_json(query, found.run, found.run.causes[0]),
    }


def runs_json(
    query: SeenQuery, runs: Sequence[Run], known: Sequence[Rule], has_more: bool
) -> bytes:
    """See runs_html."""
    found = [(run, run.causes[0]) for run in runs]
    return json_line(
        {
            "fingerprint": query.cause,
            "days": query.days,
            **query.named._asdict(),
            "text": found[0][1].text,
            "known": [rule.as_json() for rule in known],
            "runs": [_run_in_json(query, run, cause) for run, cause in found],
            "more": has_more,
        }
    )


def _run_in_json(query: SeenQuery, run: Run, cause: Cause) -> dict[str, Any]:
    return {**run_json(query.mount, run), "log": cause.log, "line": cause.line}
