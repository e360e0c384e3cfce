# SPDX-License-Identifier: Apache-2.0
import re
from urllib.parse import parse_qs, parse_qsl

import pytest

from oslogserve.lines.renderer import Renderer
from oslogserve.native import SEVERITIES
from oslogserve.pages.log import LogView
from oslogserve.query import Query
from tests.kit.open_logs import open_log
from tests.unit.pages.elements import elements, shape

RENDERER = Renderer()
HOSTILE = "\"><script>alert(1)</script>&'"


def shown(given=(), name="a.txt"):
    """given: a query, or pairs."""
    pairs = parse_qsl(given) if isinstance(given, str) else given
    query = Query(name.encode(), False).with_parameters(pairs)
    view = LogView(query, open_log(), RENDERER)
    return b"".join(view.render("html", [])).decode()


def links(text, label):
    """The navigation's links of that label: (shown, attributes)."""
    nav = re.search(rf'<nav [^>]*aria-label="{label}">(.*?)</nav>', text, re.DOTALL)[1]
    return list(zip(re.findall(r"<a [^>]*>(.*?)</a>", nav), elements(nav, "a"), strict=True))


def asked_by(attrs):
    assert attrs["href"].startswith("?")
    return parse_qs(attrs["href"][1:])


def inputs(text, name):
    return [attrs.get("value") for attrs in elements(text, "input") if attrs["name"] == name]


def test_there_is_a_link_for_every_level():
    found = links(shown(), "Severity")
    names = [re.sub("<.*?>", "", name) for name, _ in found]
    least = [f"≥ {level.lower()}" for level in SEVERITIES[1:-1]]
    assert names == ["all", *least, "critical"]
    assert [asked_by(attrs)["level"] for _, attrs in found] == [[level] for level in SEVERITIES]
    assert [attrs["class"] for _, attrs in found] == list(SEVERITIES)


def test_level_links_keep_all_but_a_line_that_was_brought_in_and_the_format():
    given = "level=ERROR&source=disk&q=a&q=b&limit=9&wrap=no&show=L7&format=html"
    for _, attrs in links(shown(given), "Severity"):
        kept = asked_by(attrs)
        del kept["level"]
        assert kept == {"source": ["disk"], "q": ["a", "b"], "limit": ["9"], "wrap": ["no"]}


@pytest.mark.parametrize("level", [None, "error", *SEVERITIES[1:]])
def test_the_current_level_alone_is_marked(level):
    found = links(shown(f"level={level}" if level else ""), "Severity")
    current = [attrs["class"] for _, attrs in found if "aria-current" in attrs]
    assert current == [(level or SEVERITIES[0]).upper()]


def test_without_the_run_to_compare_with_no_new_lines_are_asked_for():
    chips = [
        asked_by(attrs)
        for attrs in elements(shown("against=passed/a.txt&new=only&q=x"), "a")
        if attrs.get("class") == "chip"
    ]
    assert chips == [
        {"q": ["x"]},
        {"against": ["passed/a.txt"], "q": ["x"]},
        {"against": ["passed/a.txt"], "new": ["only"]},
    ]


def test_filters_in_use_have_separators_in_numbers_and_nowhere_else():
    text = shown("lines=12345-20000&limit=5000&tail=999&q=12345&since=2026-03-04")
    chips = re.findall(r'<a class="chip"[^>]*>(.*?)</a>', text)
    assert [re.sub("<.*?>", "", chip) for chip in chips] == [
        *("lines 12,345-20,000", "the first 5,000", "the last 999"),
        *("“12345”", "from 2026-03-04"),
    ]


def test_text_and_download_are_the_same_lines():
    found = dict(links(shown("level=ERROR&tail=9&source=disk&wrap=no", "a.txt.gz"), "Views"))
    wanted = {"level": ["ERROR"], "tail": ["9"], "source": ["disk"], "format": ["text"]}
    assert asked_by(found["text"]) == wanted
    assert asked_by(found["download"]) == wanted
    assert found["download"]["download"] == "a.txt"
    assert asked_by(found["raw"]) == {"source": ["disk"], "format": ["raw"]}


def test_the_form_shows_what_was_asked_and_keeps_the_rest_hidden():
    text = shown("q=a&q=b&re=c&not=d&context=5&since=2013&until=2014&lines=1-9&level=ERROR&tail=3")
    assert inputs(text, "q") == ["a", "b"]
    one_each = ("re", "not", "context", "since", "until", "lines")
    assert [inputs(text, name) for name in one_each] == [
        *(["c"], ["d"], ["5"], ["2013"], ["2014"], ["1-9"])
    ]
    hidden = [a["name"] for a in elements(text, "input") if a.get("type") == "hidden"]
    assert hidden == ["level", "tail"]
    assert "more (6)" in text


def test_each_filter_is_a_link_to_the_lines_without_it():
    found = shown("source=disk&q=a&q=b&level=warning&not=c&since=2013&wrap=no&show=L7")
    links = [a for a in elements(found, "a") if a.get("class") == "chip"]
    asked = {"source": ["disk"], "q": ["a", "b"], "level": ["warning"], "not": ["c"]}
    asked |= {"since": ["2013"], "wrap": ["no"]}
    without = {"q": ["b"]}, {"q": ["a"]}, {"level": None}, {"not": None}, {"since": None}
    assert [asked_by(link) for link in links] == [
        {name: values for name, values in (asked | one).items() if values} for one in without
    ]
    [clear] = [a for a in elements(found, "a") if a.get("class") == "clear"]
    assert asked_by(clear) == {"source": ["disk"], "wrap": ["no"]}
    for label in ("≥ warning", "“a”", "not “c”", "from 2013"):
        assert f">{label}</a>" in found


@pytest.mark.parametrize("query", ["", "level=NONE", "wrap=no", "show=L7", "q=", "format=html"])
def test_what_leaves_nothing_out_is_no_filter(query):
    assert 'class="chip' not in shown(query)


@pytest.mark.parametrize("name", ["q", "not"])
def test_what_was_asked_adds_no_element(name):
    hostile = shown([(name, HOSTILE)], HOSTILE)
    assert shape(hostile) == shape(shown([(name, "x")], "folder/a.txt"))
    assert inputs(hostile, name) == [HOSTILE]


def test_a_field_at_fault_says_so_and_keeps_what_was_typed():
    given = {
        "PATH_INFO": "/a.txt",
        "QUERY_STRING": "q=a&re=(&level=ERROR",
        "HTTP_ACCEPT": "text/html",
    }
    view = LogView(Query.from_environ(given), open_log(), RENDERER)
    text = b"".join(view.render("html", [])).decode()
    [wrong] = [attrs for attrs in elements(text, "input") if "aria-invalid" in attrs]
    assert (wrong["name"], wrong["value"]) == ("re", "(")
    [fault] = elements(text, "strong")
    assert wrong["aria-describedby"] == fault["id"]
    assert [attrs["class"] for attrs in elements(text, "details") if "open" in attrs] == [
        "tools",
        "extra",
    ]
    for _, attrs in links(text, "Severity"):
        assert set(asked_by(attrs)) == {"q", "level"}
