# SPDX-License-Identifier: Apache-2.0
"""The query of the page of runs that were seen."""

import re
from functools import partial
from typing import Any, NamedTuple

from oslogserve.lines.fingerprints import SIZE
from oslogserve.query import accepts_html
from oslogserve.query.parameters import FormField, Parameter, parameters_in, parsed
from oslogserve.query.values import choice, name, number
from oslogserve.seen import MOST_NAME, Named

#: Days of a list if a query names none.
DAYS = 7


class SeenQuery(NamedTuple):
    """A request for the list of causes, or for the runs of one."""

    mount: str
    #: For how many days runs are listed.
    days: int
    #: For how many days runs are kept.
    kept_days: int
    named: Named
    #: A fingerprint; "" for the list.
    cause: str
    is_html: bool

    @classmethod
    def from_environ(cls, environ: dict[str, Any], kept_days: int) -> "SeenQuery":
        """kept_days: for which runs are kept. Raises BadRequest that names what is valid."""
        found = parsed(parameters_in(environ), _parameters(kept_days))
        named = Named(*(found.get(field, "") for field in Named._fields))
        prefers_html = accepts_html(environ.get("HTTP_ACCEPT", ""))
        is_html = found["format"] == "html" if "format" in found else prefers_html
        cause = found.get("cause", "")
        days = found.get("days", kept_days if cause else min(DAYS, kept_days))
        return cls(environ.get("SCRIPT_NAME", ""), days, kept_days, named, cause, is_html)


def _parameters(kept_days: int) -> dict[str, Parameter]:
    """The table of parameters. kept_days: see SeenQuery."""
    of_name = partial(name, longest=MOST_NAME)
    return {
        "days": FormField("days", partial(number, most=kept_days), "1", "of how many days"),
        "job": FormField("job", of_name, "tempest-full", "runs of this job"),
        "project": FormField("project", of_name, "openstack/nova", "runs of this project"),
        "branch": FormField("branch", of_name, "main", "runs of this branch"),
        "cause": FormField("cause", _fingerprint, "0f" * (SIZE // 2), "runs with this cause"),
        "format": FormField("format", choice("html", "json"), "json", "the view"),
    }


def _fingerprint(text: str) -> str:
    if not re.fullmatch(f"[0-9a-f]{{{SIZE}}}", text):
        raise ValueError(f"a fingerprint, {SIZE} hexadecimal digits")
    return text
