# SPDX-License-Identifier: Apache-2.0
"""Addresses of a moment: what all logs of a job say in the seconds around it."""

from oslogserve.humanize import iso_moment
from oslogserve.lines.places import Moment
from oslogserve.pages.page import address

#: Seconds before and after the moment.
AROUND = 2
#: Lines with this word are left out, since most are. A level would leave out consoles, whose lines have
#: none. The moment's own line is shown anyway.
WITHOUT = "DEBUG"
#: The element of the moment's line.
ID = "moment"


def around(micros: int, source: str, moment: Moment | None = None, in_job: bool = False) -> str:
    """The address, relative to the job's folder; "" at the end of all years.

    micros: since 1970, in UTC. moment: the line to mark. in_job: the address is relative to a folder in
    the job's folder.
    """
    try:
        since, until = (iso_moment(micros / 10**6 + shift) or "" for shift in (-AROUND, AROUND))
    except ValueError:
        return ""
    kept = [("source", source)] if source != "all" else []
    marked = {"moment": moment.value} if moment else {}
    folder = {"in": "job"} if in_job else {}
    times = {"since": since, "until": until, "not": WITHOUT, "order": "time"}
    return address(kept, (), **times, **marked, **folder) + (f"#{ID}" if moment else "")
