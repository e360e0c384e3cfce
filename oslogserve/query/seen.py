# SPDX-License-Identifier: Apache-2.0
"""The query of the page of runs that were seen."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from oslogserve.errors import BadRequest
from oslogserve.lines.fingerprints import SIZE
from oslogserve.query import MAX_QUERY, accepts_html
from oslogserve.query.parameters import parameters_of
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
        query_string = environ.get("QUERY_STRING", "")
        if len(query_string) > MAX_QUERY:
            raise BadRequest(f"The query is longer than {MAX_QUERY} characters.")
        found = _parsed(query_string, kept_days)
        named = Named(*(found.get(field, "") for field in Named._fields))
        prefers_html = accepts_html(environ.get("HTTP_ACCEPT", ""))
        is_html = found["format"] == "html" if "format" in found else prefers_html
        cause = found.get("cause", "")
        days = found.get("days", kept_days if cause else min(DAYS, kept_days))
        return cls(environ.get("SCRIPT_NAME", ""), days, kept_days, named, cause, is_html)


def _parsed(query_string: str, kept_days: int) -> dict[str, Any]:
    of_name = partial(name, longest=MOST_NAME)
    parsers: dict[str, Callable[[str], Any]] = {
        "days": partial(number, most=kept_days),
        **dict.fromkeys(Named._fields, of_name),
        "cause": _fingerprint,
        "format": choice("html", "json"),
    }
    found: dict[str, Any] = {}
    for parameter, text in parameters_of(query_string):
        if parameter not in parsers:
            shown = ascii(parameter[:40])
            raise BadRequest(f"Unknown parameter {shown}: this page takes {', '.join(parsers)}.")
        if not text:
            continue  # a field of the form that was not filled in
        try:
            value = parsers[parameter](text)
        except ValueError as error:
            what = f"{parameter}={text[:40]!a} is not understood"
            raise BadRequest(f"{what}: it takes {error}.") from None
        if found.setdefault(parameter, value) != value:
            raise BadRequest(f"{parameter} contradicts an earlier value: give it once.")
    return found


def _fingerprint(text: str) -> str:
    if not re.fullmatch(f"[0-9a-f]{{{SIZE}}}", text):
        raise ValueError(f"a fingerprint, {SIZE} hexadecimal digits")
    return text
