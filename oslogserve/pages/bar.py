# SPDX-License-Identifier: Apache-2.0
"""The bar above a log's lines: where it lies, its levels, the search, other views of the same lines.

All of it is links and one form: what a reader asked for stands in the address and nowhere else.
"""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import NamedTuple
from urllib.parse import urlencode

from oslogserve.lines.formats import SEVERITIES
from oslogserve.lines.search import LONGEST
from oslogserve.pages.humanize import size_element, time_element
from oslogserve.query import MAX_CONTEXT, Parameters, Query

#: What says how a log is shown, and not which lines of it.
_VIEW = ("format", "content-type", "wrap")
#: Of the level links and the form: a line that was brought in does not come along.
_OF_ONE_VIEW = ("format", "content-type", "show")
#: What leaves lines out.
_CHOOSES = ("level", "lines", "since", "until", "q", "re", "not", "context", "limit", "tail")


#: For the script, which knows errors and keys: a button does what its key does. Its name is its
#: title: what is seen of two of them is an arrow beside the same word.
_STEPS = (
    '<div class="steps scripted"><a class="first" title="First error" hidden>line</a>'
    '<button type="button" data-key="p" title="Previous error (p)"><span aria-hidden="true">'
    '&uarr; <span class="word">error</span></span></button>'
    '<button type="button" data-key="n" title="Next error (n)"><span aria-hidden="true">'
    '&darr; <span class="word">error</span></span></button>'
    '<button type="button" data-key="?" title="Keys (?)"><span aria-hidden="true">?</span></button>'
    "</div>\n"
)


class LogInfo(NamedTuple):
    """What is known of a log before it is read."""

    #: Name of the source that has it.
    source: str = ""
    #: Bytes as it is stored; None where unknown.
    stored_size: int | None = None
    #: When it was last written, in seconds since 1970; None for now.
    modified: float | None = None
    #: Bytes of its text, or an estimate.
    text_size: int = 0


class _Field(NamedTuple):
    """attributes: of its input. is_wide: words are typed into it, not a figure."""

    name: str
    label: str
    attributes: str
    is_wide: bool = False


_LONGEST = f'maxlength="{LONGEST}" spellcheck="false" autocapitalize="off"'
_SEARCH = _Field("q", "Search", f'type="search" placeholder="Search" {_LONGEST}', True)
_FIELDS = (
    _Field("re", "Regular expression", f'placeholder="time.*out" {_LONGEST}', True),
    _Field("not", "Leave out", f'placeholder="heartbeat" {_LONGEST}', True),
    _Field("since", "From", 'placeholder="2013-09-27T18:22"'),
    _Field("until", "To", 'placeholder="2013-09-27T18:25"'),
    _Field("lines", "Lines", 'placeholder="1000-2000"'),
    _Field("context", "Lines around", f'type="number" min="0" max="{MAX_CONTEXT}" placeholder="0"'),
)
_FILLED_IN = (_SEARCH.name, *(field.name for field in _FIELDS))


def bar(query: Query, name: str, path: str, log: LogInfo) -> str:
    """name: of the log. path: the breadcrumbs."""
    saved_as = escape(name.removesuffix(".gz"))
    text, views = _views(query.source, query.parameters, query.wraps)
    return (
        f'<header>\n<div class="top">\n<nav class="path" aria-label="Folders">{path}</nav>\n'
        f'<div class="about">\n{_facts(log)}<nav class="views" aria-label="Views">{views}'
        f'<a href="{text}" download="{saved_as}" title="These lines as a file">download</a>'
        f'</nav>\n</div>\n</div>\n<div class="controls">\n{_tools(query.parameters)}{_STEPS}</div>\n'
        "</header>\n"
    )


@lru_cache(maxsize=1024)
def _facts(log: LogInfo) -> str:
    shown = [f"<span>{escape(log.source)}</span>"]
    if log.stored_size is not None:
        shown.append(size_element(log.stored_size))
    if log.modified is not None:
        shown.append(time_element(log.modified, " UTC"))
    return f'<p class="facts">{" ".join(shown)}</p>\n'


@lru_cache(maxsize=256)
def _views(source: str, parameters: Parameters, wraps: bool) -> tuple[str, str]:
    """The address of the same lines as text, and the links to the other views."""
    same = [pair for pair in parameters if pair[0] not in _VIEW and pair[1]]
    text = _address([*same, ("format", "text")])
    raw = _address([("source", source), ("format", "raw")])
    wrap = _address([*same, ("wrap", "no")] if wraps else same)
    return text, (
        f'<a class="wraps" data-key="w" href="{wrap}">wrap: {"on" if wraps else "off"}</a>'
        f'<a href="{text}" title="These lines as plain text">text</a>'
        f'<a href="{raw}" title="The whole log as it is stored">raw</a>'
    )


@lru_cache(maxsize=256)
def _tools(parameters: Parameters) -> str:
    kept = [pair for pair in parameters if pair[0] not in _OF_ONE_VIEW and pair[1]]
    return (
        f"{_levels(kept)}"
        f'<details class="tools"><summary>search</summary>\n{_form(kept)}</details>\n'
    )


def _levels(kept: Sequence[tuple[str, str]]) -> str:
    others = [pair for pair in kept if pair[0] != "level"]
    current = next((value.upper() for name, value in kept if name == "level"), SEVERITIES[0])
    links = []
    for level in SEVERITIES:
        mark = ' aria-current="true"' if level == current else ""
        label = "all" if level == SEVERITIES[0] else level
        address = _address([*others, ("level", level)])
        links.append(f'<a class="{level}" href="{address}"{mark}>{label}</a>')
    return f'<nav class="levels" aria-label="Severity">{"".join(links)}</nav>\n'


def _form(kept: Sequence[tuple[str, str]]) -> str:
    more = "".join(_inputs(field, kept) for field in _FIELDS)
    hidden = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in kept
        if name not in _FILLED_IN
    )
    count = sum(1 for name, _ in kept if name in _FILLED_IN and name != "q")
    count += max(sum(1 for name, _ in kept if name == "q") - 1, 0)
    told = f" ({count})" if count else ""
    view = [pair for pair in kept if pair[0] not in _CHOOSES]
    chosen = len(view) < len(kept)
    clear = f'<a class="clear" href="{_address(view)}">clear</a>' if chosen else ""
    return (
        f'<form role="search" aria-label="Lines">{_inputs(_SEARCH, kept)}'
        f'<details class="extra"><summary>more{told}</summary><div>{more}</div></details>'
        f"{hidden}<button>Search</button>{clear}</form>\n"
    )


def _inputs(field: _Field, kept: Sequence[tuple[str, str]]) -> str:
    """One for each value, so that what was asked can be changed; an empty one else."""
    values = [value for name, value in kept if name == field.name] or [""]
    wide = ' class="wide"' if field.is_wide else ""
    return "".join(
        f"<label{wide}><span>{field.label}</span>"
        f'<input name="{field.name}" value="{escape(value)}" {field.attributes}></label>'
        for value in values
    )


def _address(pairs: Sequence[tuple[str, str]]) -> str:
    """For an attribute."""
    return "?" + escape(urlencode(pairs))
