# SPDX-License-Identifier: Apache-2.0
"""Places of a log that a query names: a line and its moment, to which an answer redirects, and a chapter."""

from oslogserve.errors import BadRequest
from oslogserve.http.request import Request
from oslogserve.http.response import Response, redirect
from oslogserve.lines.places import Moment, Place, target, time_of
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Wanted
from oslogserve.logs.open_log import OpenLog
from oslogserve.pages.counts import WINDOW
from oslogserve.pages.job import around_moment
from oslogserve.pages.page import address
from oslogserve.query import Fault, Query


def to_line(
    request: Request, query: Query, place: Place, log: OpenLog, renderer: Renderer
) -> Response:
    """The redirect to the page with the line. Raises BadRequest if there is none."""
    found = target(place, log.text_again, renderer, log.stored.modified)
    if found is None:
        typed = next(pair for pair in query.parameters if pair[0] == "goto" and pair[1])
        why = "No line of this log has a date and a time: use a number."
        if place.is_cause:
            why = "This log says that it passed, or has no lines."
        raise BadRequest(why, typed)
    to = address(query.parameters, ("goto", *WINDOW), show=found.show)
    return redirect(request, f"{to}#{found.fragment}", "302 Found")


def to_moment(
    request: Request, query: Query, moment: Moment, log: OpenLog, renderer: Renderer
) -> Response:
    """The redirect to all logs of the job around a line. Raises BadRequest without a time."""
    time = time_of(moment.line, log.text_again, renderer, log.stored.modified)
    named = moment._replace(log=query.path.rpartition(b"/")[2])
    to = time and around_moment(time.first_in_utc, query.one_source, named, in_job=True)
    if not to:
        raise BadRequest("No line up to this one has a date and a time.")
    return redirect(request, "./" + to, "302 Found")


def within_chapter(query: Query, log: OpenLog, renderer: Renderer) -> Query:
    """The query for those of its lines that are in its chapter: of several, the first one that failed.

    On a page, a name that the log does not have is a fault. Reads the whole log. Raises BadRequest for other answers.
    """
    wanted = Wanted("summary", written=log.stored.modified)
    summary, outcome = renderer.summary(log.text_again(), wanted)
    named = [one for one in summary["chapters"] if one["name"] == query.chapter]
    if named:
        failed = (one for one in named if one["outcome"] == "failed")
        chapter = next(failed, named[0])
        selection = query.selection
        last = min(chapter["last"], selection.last or chapter["last"])
        within = selection._replace(first=max(chapter["first"], selection.first), last=last)
        return query._replace(selection=within)
    searched = "of this log"
    if summary["more_chapters"]:
        searched = f"of the {len(summary['chapters'])} that this log's summary lists"
    why = outcome.broke_off
    unread = f", as far as it could be read: {why}" if why else ""
    sentence = f"No chapter {searched} has that name{unread}."
    wrong = "chapter", query.chapter
    if query.view != "html":
        raise BadRequest(sentence, wrong)
    parameters = tuple(pair for pair in query.parameters if pair != wrong)
    faults = (*query.faults, Fault(*wrong, sentence))
    return query._replace(chapter="", parameters=parameters, faults=faults)
