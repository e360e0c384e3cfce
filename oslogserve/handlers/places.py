# SPDX-License-Identifier: Apache-2.0
"""Redirects to a place: to a line of a log, and to a line's moment in all logs of its job."""

from oslogserve.errors import BadRequest
from oslogserve.http.request import Request
from oslogserve.http.response import Response, redirect
from oslogserve.lines.goto import Place, target
from oslogserve.lines.moments import Moment, time_of
from oslogserve.lines.nearest import Read
from oslogserve.lines.renderer import Renderer
from oslogserve.logs.decode import until_incomplete
from oslogserve.logs.open_log import OpenLog
from oslogserve.pages import moments
from oslogserve.pages.counts import WINDOW
from oslogserve.pages.page import address
from oslogserve.query import Query


def to_line(
    request: Request, query: Query, place: Place, log: OpenLog, renderer: Renderer
) -> Response:
    """The redirect to the page with the line. Raises BadRequest if there is none."""
    found = target(place, reader(log), renderer, log.stored.modified)
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
    time = time_of(moment.line, reader(log), renderer, log.stored.modified)
    named = moment._replace(log=query.path.rpartition(b"/")[2])
    to = time and moments.around(time.first_in_utc, query.source, named, in_job=True)
    if not to:
        raise BadRequest("No line up to this one has a date and a time.")
    return redirect(request, "./" + to, "302 Found")


def reader(log: OpenLog) -> Read:
    """Reads the log's text from its beginning. The page says what is missing."""
    return lambda: until_incomplete(log.decoded_again(), [])
