# SPDX-License-Identifier: Apache-2.0
"""The bar above a log's lines: its levels, the search, the filters in use, other views of the same lines.

All of it is links and one form: what a reader chose is in the URL and nowhere else.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from markupsafe import Markup

from oslogserve.lines.grammar.severities import SEVERITIES
from oslogserve.pages.address import address
from oslogserve.pages.template import join, template, template_of, text_of
from oslogserve.query import Parameters

#: Parameters that say how a log is shown, and not which lines of it.
_VIEW = ("format", "content-type", "wrap")
#: Parameters that level links and the form drop: a line that was brought in does not come along.
_OF_ONE_VIEW = ("format", "content-type", "show")
#: Parameters that choose lines of all logs of a job.
_OF_ALL_LOGS = ("level", "since", "until", "q", "re", "not", "context")

_VIEWS = template_of("views")
_TOOLS = template_of("tools")
_FORM = template_of("form")
_FAULTY = Markup(' aria-invalid="true" aria-describedby="fault"')
_FAULT = template('<strong id="fault">{sentence}</strong>')
_LEVEL = template('<a class="{level}" href="{address}"{current}>{label}</a>')
_LEAST = template('<span class="least">\N{GREATER-THAN OR EQUAL TO} </span>{level}')
_LEVEL_LABELS: dict[str, str] = {level: _LEAST(level=level.lower()) for level in SEVERITIES[1:-1]}
_LEVEL_LABELS |= {SEVERITIES[0]: "all", SEVERITIES[-1]: SEVERITIES[-1].lower()}
CURRENT = Markup(' aria-current="true"')
_CHIP = template('<a class="chip" href="{address}" title="Without this filter">{label}</a>')
_CHIPS = template('<nav class="chips" aria-label="Filters in use">{chips}{clear}</nav>\n')
_CLEAR = template('<a class="clear" href="{address}">clear</a>')
#: Filters as their chips say them, by their parameters.
_LABELS = {
    "level": "\N{GREATER-THAN OR EQUAL TO} {}",
    "lines": "lines {}",
    "since": "from {}",
    "until": "to {}",
    "q": "\N{LEFT DOUBLE QUOTATION MARK}{}\N{RIGHT DOUBLE QUOTATION MARK}",
    "re": "/{}/",
    "not": "not \N{LEFT DOUBLE QUOTATION MARK}{}\N{RIGHT DOUBLE QUOTATION MARK}",
    "context": "{} lines around",
    "limit": "the first {}",
    "tail": "the last {}",
    "logs": "logs {}",
}
HIDDEN = template('<input type="hidden" name="{name}" value="{value}">')
#: Inputs by their parameters, in the form's order. All but the first stand behind "more".
_INPUTS = {
    re.findall('name="(.*?)"', html)[0]: template(html) for html in text_of("fields").splitlines()
}


class LogInfo(NamedTuple):
    """Facts of a log that are known before it is read."""

    #: Name of the source that has it.
    source: str = ""
    #: Bytes as it is stored; None where unknown.
    stored_size: int | None = None
    #: When it was last written, in seconds since 1970; None for now.
    modified: float | None = None
    #: Bytes of its text, or an estimate.
    text_size: int = 0


# Most requests have no parameters or those of a few links, and these links and inputs take twice as
# long as all else around a small log's lines.
@lru_cache(maxsize=64)
def bar(source: str, wraps: bool, parameters: Parameters) -> dict[str, str]:
    """The fields of a page's template that depend on the query alone: text, views, tools, chips."""
    text = address(parameters, _VIEW, format="text")
    views = _VIEWS(
        wrap=address(parameters, _VIEW, wrap="no" if wraps else ""),
        state="on" if wraps else "off",
        text=text,
        all_logs=_all_logs(parameters),
        raw=address(source=source, format="raw"),
    )
    kept = [pair for pair in parameters if pair[0] not in _OF_ONE_VIEW and pair[1]]
    return {"text": text, "views": views, "tools": _tools(kept), "chips": chips(kept)}


def _all_logs(parameters: Parameters) -> str:
    """The URL of the same lines of all logs of the job, or of what went wrong in it."""
    chosen = [pair for pair in parameters if pair[0] in _OF_ALL_LOGS and pair[1]]
    added = {"in": "job"} if chosen else {"format": "overview", "in": "job"}
    source = [pair for pair in parameters if pair[0] == "source"]
    return "./" + address([*source, *chosen, *added.items()])


def corrected(
    parameters: Iterable[tuple[str, str]], wrong: tuple[str, str], sentence: str, is_log: bool
) -> Markup:
    """The form with all that was typed. wrong: one of the parameters; its input says the sentence.
    is_log: False for a folder."""
    kept = [pair for pair in parameters if pair[0] not in _OF_ONE_VIEW and pair[1]]
    names = (name for name in _INPUTS if is_log or name != "lines" or name == wrong[0])
    fields = [_inputs(name, kept, wrong, sentence) for name in names]
    hidden = [pair for pair in kept if pair != wrong]
    return _FORM(fields=join(fields), hidden=_hidden(hidden))


def _tools(kept: list[tuple[str, str]]) -> Markup:
    filled_in = [name for name, _ in kept if name in _INPUTS]
    below_more = len(filled_in) - ("q" in filled_in)
    search, *fields = [_inputs(name, kept) for name in _INPUTS]
    return _TOOLS(
        levels=_levels(kept),
        search=search,
        count=f" ({below_more})" if below_more else "",
        fields=join(fields),
        hidden=_hidden(kept),
    )


def chips(kept: list[tuple[str, str]]) -> Markup:
    """A link for each filter that is in use, to the lines without it, and one without any."""
    links = [
        _CHIP(address=address([*kept[:place], *kept[place + 1 :]]), label=_label(name, value))
        for place, (name, value) in enumerate(kept)
        if name in _LABELS and (name, value.upper()) != ("level", SEVERITIES[0])
    ]
    clear = _CLEAR(address=address(kept, (*_LABELS, "order"))) if len(links) > 1 else ""
    return _CHIPS(chips=join(links), clear=clear) if links else Markup()


def _label(name: str, value: str) -> str:
    return _LABELS[name].format(value.lower() if name == "level" else value)


def _hidden(kept: list[tuple[str, str]]) -> Markup:
    return join(HIDDEN(name=name, value=value) for name, value in kept if name not in _INPUTS)


def _levels(kept: list[tuple[str, str]]) -> Markup:
    current = dict(kept).get("level", SEVERITIES[0]).upper()
    return join(
        _LEVEL(
            level=level,
            address=address(kept, ("level",), level=level),
            current=CURRENT if level == current else "",
            label=_LEVEL_LABELS[level],
        )
        for level in SEVERITIES
    )


def _inputs(
    name: str, kept: list[tuple[str, str]], wrong: tuple[str, str] | None = None, sentence: str = ""
) -> Markup:
    """An input for each value, so that all can be changed; an empty one where there is none."""
    values = [value for of, value in kept if of == name] or [""]
    return join(
        _INPUTS[name](value=value, fault=_FAULTY, sentence=_FAULT(sentence=sentence))
        if (name, value) == wrong
        else _INPUTS[name](value=value, fault="", sentence="")
        for value in values
    )
