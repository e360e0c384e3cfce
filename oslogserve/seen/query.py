# SPDX-License-Identifier: Apache-2.0
"""The query of the page of runs that were seen."""

from functools import partial
from typing import Any, NamedTuple

from oslogserve.config.values import matching
from oslogserve.lines.fingerprints import SIZE
from oslogserve.query import accepts_html
from oslogserve.query.parameters import FormField, choice, number, parameters_of, parsed, text
from oslogserve.seen import MOST_NAME

#: Days of a list if a query names none.
DAYS = 7

_name = partial(text, longest=MOST_NAME)
_PARAMETERS = {
    "days": FormField(number, "1", "of how many days"),
    "job": FormField(_name, "tempest-full", "runs of this job"),
    "project": FormField(_name, "openstack/nova", "runs of this project"),
    "branch": FormField(_name, "main", "runs of this branch"),
    "cause": FormField(
        matching(f"[0-9a-f]{{{SIZE}}}", f"a fingerprint, {SIZE} hexadecimal digits"),
        "0f" * (SIZE // 2),
        "runs with this cause",
    ),
    "format": FormField(choice("html", "json"), "json", "the view"),
}


class SeenQuery(NamedTuple):
    """A request for the list of causes, or for the runs of one."""

    mount: str
    #: For how many days runs are listed.
    days: int
    #: For how many days runs are kept.
    kept_days: int
    #: Job, project and branch of the runs; "" for any.
    names: dict[str, str]
    #: A fingerprint; "" for the list.
    cause: str
    is_html: bool

    @classmethod
    def from_environ(cls, environ: dict[str, Any], kept_days: int) -> "SeenQuery":
        """kept_days: for which runs are kept. Raises BadRequest that names what is valid."""
        days = _PARAMETERS["days"]._replace(parse=partial(number, most=kept_days))
        parameters = parameters_of(environ.get("QUERY_STRING", ""))
        found = parsed(parameters, _PARAMETERS | {"days": days})
        cause = found.get("cause", "")
        preferred = "html" if accepts_html(environ.get("HTTP_ACCEPT", "")) else "json"
        return cls(
            environ.get("SCRIPT_NAME", ""),
            found.get("days", kept_days if cause else min(DAYS, kept_days)),
            kept_days,
            {name: found.get(name, "") for name in ("job", "project", "branch")},
            cause,
            found.get("format", preferred) == "html",
        )
