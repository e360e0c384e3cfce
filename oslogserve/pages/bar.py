# SPDX-License-Identifier: Apache-2.0
"""The bar above a log's lines: its levels, the search, the filters in use, other views of the same lines.

All of it is links and one form: what a reader chose is in the URL and nowhere else.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from markupsafe import Markup

from oslogserve.native import SEVERITIES
from oslogserve.query import Query
from oslogserve.query.parameters import FIELDS, OF_ALL_LOGS, PARAMETERS, Parameters
from oslogserve.templates import rendered
from oslogserve.urls import address

#: Parameters that choose how a log is shown, not which lines.
_VIEW = ("format", "content-type", "wrap")
#: Parameters that level links and the form drop, such as lines that the reader has opened.
_OF_ONE_VIEW = ("format", "content-type", "show")
#: Fields that are always shown, and those that only a log's page has.
_SHOWN, _OF_LOG = ("q", "goto"), ("goto", "lines", "chapter")
_FILTERS = [name for name, parameter in PARAMETERS.items() if parameter.label]
#: Filters whose values are numbers of lines.
_OF_NUMBERS = ("lines", "context", "limit", "tail")

_Pairs = list[tuple[str, str]]


class Form(NamedTuple):
    """The search form, with the values that were typed."""

    #: Values by their parameters; "" for an empty field.
    fields: dict[str, list[str]]
    hidden: _Pairs
    #: The sentences that fields show, by name and value of what is not valid.
    faults: dict[tuple[str, str], str]

    @property
    def hides_fault(self) -> bool:
        """True if a field behind "more" is not valid."""
        return any(name not in _SHOWN for name, _ in self.faults)

    @property
    def more(self) -> int:
        """Values behind "more"."""
        hidden = (values for name, values in self.fields.items() if name not in _SHOWN)
        return sum(bool(value) for values in hidden for value in values)


def bar(query: Query) -> dict[str, Any]:
    """Values of a page's bar. Its addresses are of the same lines, but for `raw`. Without a choice of lines,
    `all_logs` is the job's overview.
    """
    parameters = query.parameters
    kept = _kept(parameters)
    lines = query.selection.shown_ranges[:1]
    chosen = [pair for pair in parameters if pair[0] in OF_ALL_LOGS and pair[1]]
    of_job = [*(pair for pair in parameters if pair[0] == "source"), *chosen]
    if not chosen:
        of_job.append(("format", "overview"))
    return {
        "wrap": address(parameters, _VIEW, wrap="no" if query.wraps else ""),
        "text": address(parameters, _VIEW, format="text"),
        "raw": address(source=query.source, format="raw"),
        "chapters": address(source=query.source, format="chapters"),
        "all_logs": "./" + address([*of_job, ("in", "job")]),
        "cause": address(source=query.source, goto="cause"),
        "moment": address(source=query.source, moment=lines[0][0]) if lines else "",
        "controls": _controls(parameters, query.faults),
        "filters": filters(kept),
    }


# Most requests have no parameters or those of a few links, and rendering this takes 0.1 ms.
@lru_cache(maxsize=64)
def _controls(parameters: Parameters, faults: tuple[tuple[tuple[str, str], str], ...]) -> Markup:
    """The levels and the form, HTML of their template."""
    kept = _kept(parameters)
    controls = rendered(
        "controls.html",
        severities=SEVERITIES,
        with_level=lambda level: address(kept, ("level",), level=level),
        current=dict(kept).get("level", SEVERITIES[0]).upper(),
        form=form(parameters, faults),
    )
    return Markup(controls.decode())  # noqa: S704


def form(
    parameters: Iterable[tuple[str, str]],
    faults: Iterable[tuple[tuple[str, str], str]] = (),
    is_log: bool = True,
) -> Form:
    """parameters: without those of `faults`. is_log: False for a folder."""
    kept = _kept(parameters)
    wrong = dict(faults)
    filled_in = [*kept, *wrong]
    fields = {
        name: [value for of, value in filled_in if of == name] or [""]
        for name in FIELDS
        if is_log or name not in _OF_LOG or any(name == of for of, _ in wrong)
    }
    hidden = [pair for pair in kept if pair[0] not in FIELDS]
    return Form(fields, hidden, wrong)


def filters(kept: _Pairs) -> tuple[_Pairs, str]:
    """Links that remove a filter in use, and the address that removes all."""
    chips = []
    for place, (name, value) in enumerate(kept):
        label = PARAMETERS[name].label
        if not label or (name, value.upper()) == ("level", SEVERITIES[0]):
            continue
        if name == "level":
            value = value.lower()
        elif name in _OF_NUMBERS:
            value = re.sub(r"\d+", lambda digits: f"{int(digits[0]):,}", value)
        others = [*kept[:place], *kept[place + 1 :]]
        # If nothing is compared, no line is new.
        without = address(others, ("new",) if name == "against" else ())
        chips.append((without, label.format(value)))
    return chips, address(kept, (*_FILTERS, "order"))


def _kept(parameters: Iterable[tuple[str, str]]) -> _Pairs:
    return [pair for pair in parameters if pair[0] not in _OF_ONE_VIEW and pair[1]]
