# SPDX-License-Identifier: Apache-2.0
from urllib.parse import parse_qsl, quote, urlencode

import pytest

from oslogserve.errors import BadRequest
from oslogserve.lines.selection import ALL_LINES, Selection
from oslogserve.lines.time_range import time_range
from oslogserve.native import SEVERITIES
from oslogserve.query import Query, accepts_html
from oslogserve.query.parameters import FORMATS, PARAMETERS
from oslogserve.search import literal, rewritten
from oslogserve.urls import path_in_argument


def asked(path="/a.txt", query="", accept=""):
    return Query.from_environ({"PATH_INFO": path, "QUERY_STRING": query, "HTTP_ACCEPT": accept})


@pytest.mark.parametrize(
    ("path", "expected", "folder"),
    [
        ("", b"", True),
        ("/", b"", True),
        ("/a", b"a", False),
        ("/a/", b"a", True),
        ("/a/b.txt.gz", b"a/b.txt.gz", False),
        ("/htmlify/a", b"htmlify/a", False),
        ("/...", b"...", False),
        ("/.hidden/..x", b".hidden/..x", False),
        ("/a b%2e", b"a b%2e", False),
        ("/\xc3\xa4\xff", b"\xc3\xa4\xff", False),
        ("/a\\..\\b", b"a\\..\\b", False),
        ("/" + "a" * 4096, b"a" * 4096, False),
    ],
)
def test_paths(path, expected, folder):
    query = asked(path)
    assert (query.path, query.is_folder) == (expected, folder)


@pytest.mark.parametrize("tracker", ["utm_source=mail", "utm_id=", "fbclid=IwAR1", "gclid=x%ff"])
def test_what_mail_tools_and_trackers_add_to_a_link_is_ignored_and_in_no_other_link(tracker):
    assert asked(query=f"level=ERROR&{tracker}&q=a") == asked(query="level=ERROR&q=a")
    assert asked(query=tracker) == asked()
    assert asked("/a/", f"{tracker}&moment=a.txt:1") == asked("/a/", "moment=a.txt:1")
    assert asked("/a/", tracker).parameters == ()


def test_a_mistyped_filter_is_named_next_to_what_trackers_add():
    with pytest.raises(BadRequest, match="Unknown parameter 'levl'"):
        asked(query="utm_source=mail&levl=ERROR")


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/..", "segment"),
        ("/.", "segment"),
        ("/../other/key", "segment"),
        ("/a/../b", "segment"),
        ("/a/./b", "segment"),
        ("/a/..", "segment"),
        ("/a/../", "segment"),
        ("/a/./", "segment"),
        ("//", "empty segment"),
        ("//a", "empty segment"),
        ("/a//b", "empty segment"),
        ("/a//", "empty segment"),
        ("/a\0b", "NUL"),
        ("/" + "a" * 4097, "longer"),
    ],
)
def test_illegitimate_paths(path, told):
    with pytest.raises(BadRequest, match=told):
        asked(path)


def selected(query):
    return asked(query=query).selection


def test_nothing_asked_is_the_whole_log():
    for query in ("", "format=text", "source=disk", "level=NONE", "level=none", "lines=1-"):
        assert selected(query) == ALL_LINES
        assert asked(query=query).is_unfiltered


@pytest.mark.parametrize("level", SEVERITIES[1:])
@pytest.mark.parametrize("fold", [str.upper, str.lower, str.title])
def test_levels_in_any_case(level, fold):
    assert selected(f"level={fold(level)}") == Selection(level=level)


@pytest.mark.parametrize(
    ("lines", "first", "last"),
    [
        ("7", 7, 7),
        ("7-7", 7, 7),
        ("7-12", 7, 12),
        ("7-", 7, None),
        ("-12", 1, 12),
        ("1-999999999999", 1, 10**12 - 1),
    ],
)
def test_windows_of_lines(lines, first, last):
    assert selected(f"lines={lines}") == Selection(first=first, last=last)


@pytest.mark.parametrize("name", ["since", "until"])
@pytest.mark.parametrize(
    ("given", "time"),
    [
        ("2013", "2013"),
        ("2013-09-27T18:22", "2013-09-27T18:22"),
        ("2013-09-27 18:22:11,248", "2013-09-27T18:22:11.248"),
        ("2013-09-27T18:22%2B02:00", "2013-09-27T18:22+02:00"),
        ("2013-09-27T18:22+02:00", "2013-09-27T18:22+02:00"),  # as browsers and people write it
        ("2013-09-27T18:22Z", "2013-09-27T18:22Z"),
    ],
)
def test_windows_of_time(name, given, time):
    assert selected(f"{name}={given}") == Selection(**{name: time_range(time)})


def test_searches_repeat_and_all_are_kept_in_their_order():
    assert selected("q=a+b&re=c%2Bd&not=e&q=F&not=g") == Selection(
        searches=(literal("a b"), rewritten("c+d"), literal("F")),
        without=(literal("e"), literal("g")),
    )


@pytest.mark.parametrize("name", ["q", "re", "not"])
def test_a_search_has_a_longest(name):
    assert selected(f"{name}={'x' * 1000}") != ALL_LINES
    with pytest.raises(BadRequest, match="at most 1000 characters"):
        asked(query=f"{name}={'x' * 1001}")


@pytest.mark.parametrize(
    ("names", "most"),
    [(["q"], 8), (["re"], 8), (["q", "re"], 8), (["not"], 8), (["show"], 64)],
)
def test_how_often_is_limited(names, most):
    given = [f"{names[number % len(names)]}=L{number + 1}" for number in range(most)]
    assert asked(query="&".join(given))
    with pytest.raises(BadRequest, match=f"too often: at most {most} times"):
        asked(query="&".join([*given, given[-1]]))


@pytest.mark.parametrize(
    ("name", "field", "most"),
    [("context", "context", 1000), ("limit", "limit", 10**12 - 1), ("tail", "tail", 100_000)],
)
def test_numbers_of_lines(name, field, most):
    for value in (1, 10, most):
        assert selected(f"{name}={value}") == Selection(**{field: value})
    with pytest.raises(BadRequest, match=f"from [01] to {most}"):
        asked(query=f"{name}={most + 1}")


def test_no_context_is_not_the_same_as_none_asked_for():
    """Its lines are of another colour."""
    assert selected("context=0") == Selection(context=0)


@pytest.mark.parametrize(
    "fragment",
    [
        *("L1", "L999999999999", "L7-L12", "L12-L7", "_2013-09-27_18_22_11_248"),
        "_04/Mar/2024_05_06_07",
    ],
)
def test_lines_that_are_brought_in(fragment):
    assert selected(f"show={fragment}") == Selection(show=(fragment.encode(),))


def test_what_is_wrong_is_said_in_characters_that_a_terminal_prints():
    for query in ("re=(%1b]0;x%07", "re=(%c2%9b", "level=%1b[31m", "%1b=1"):
        with pytest.raises(BadRequest) as told:
            asked(query=query)
        assert told.value.sentence.isprintable(), query


def test_a_form_that_is_not_filled_in_asks_for_nothing():
    names = [name for name, parameter in PARAMETERS.items() if parameter.in_form]
    assert names == [
        *("lines", "since", "until", "q", "re", "not", "context", "against", "new"),
        *("tail", "show", "chapter", "goto", "logs"),
    ]
    assert selected("&".join(f"{name}=" for name in names)) == ALL_LINES
    assert selected("q=&level=ERROR&q=x&re=") == Selection(level="ERROR", searches=(literal("x"),))


def test_what_was_given_is_kept_for_links():
    given = "level=error&q=a%26b&q=&source=disk&lines=2-"
    assert asked(query=given).parameters == tuple(parse_qsl(given, keep_blank_values=True))


def test_sources_and_formats_by_their_names():
    sources = ["all", "disk", "swift"]
    assert [asked(query=f"source={name}").source for name in sources] == sources
    assert [asked(query=f"format={name}").format for name in FORMATS] == list(FORMATS)
    assert (asked().source, asked().format) == ("all", None)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("content-type=text/plain", "text"),
        ("content-type=text%2Fhtml", "html"),
        ("content-type=TEXT/PLAIN&format=text", "text"),
    ],
)
def test_the_ancestors_content_type(query, shown):
    assert asked(query=query).format == shown


#: Of each parameter what it does not take, and what it says to that.
WRONG = {
    "lines": ("numbers of lines", ["x", "0", "0-5", "-", "5-x", "1-2-3", "+1", "1.5", "-0", "--5"]),
    "since": ("ISO 8601", ["x", "18:22", "2013-13", "2013-02-30", "now", "2013-09-27T25", "1e9"]),
    "until": ("ISO 8601", ["x", "2013-9-27", "2013-09-27T18:22:61", "20139"]),
    "level": ("NONE, DEBUG", ["FATAL", "", "ERROR,INFO", "6"]),
    "re": (
        "a regular expression",
        ["(", "[a", "*", "(?=a)", r"(a)\1", "\\", r"\p{X}", "a{3,2}"],
    ),
    "context": ("a whole number", ["x", "-1", "1001", "1.0"]),
    "limit": ("a whole number", ["x", "", "0", "-1", "1.5", "+1", "1" * 13, "9" * 99, "\u0661"]),
    "tail": ("a whole number", ["x", "0", "-1", "100001"]),
    "show": (
        "a line's address",
        [
            *("x", "L", "L0", "L01", "L-1", "L1-", "L1-2", "L1-L2-L3", "L1000000000000"),
            *("#L1", "2013", "_<b>", "_" + "9" * 65),
        ],
    ),
    "goto": ("a line's number", ["x", "0", "-5", "25:00", "18:60", "2026-13-01", "_", "18:25:61"]),
    "chapter": ("1 to 200 characters", ["x" * 201]),
    "source": ("all, disk, swift or the name of a store", ["S3", "", "a" * 32, "a/b"]),
    "format": (
        "html, text, jsonl, summary, brief, markdown, overview, seen, chapters, raw, json",
        ["xml", ""],
    ),
    "content-type": ("text/plain, text/html", ["image/png", ""]),
}


@pytest.mark.parametrize(
    ("name", "takes", "value"),
    [(name, takes, value) for name, (takes, values) in WRONG.items() for value in values],
)
def test_a_value_not_understood_is_named_with_what_it_takes_and_an_example(name, takes, value):
    with pytest.raises(BadRequest) as caught:
        asked(query=f"{name}={quote(value)}")
    told = caught.value.sentence
    assert told.startswith(f"{name}=")
    assert f"{name} takes {takes}" in told or takes in told
    assert len(told) < 400
    example = told.rpartition(", such as ")[2].removesuffix(".")
    assert [key for key, _ in parse_qsl(example)] == [name]
    assert asked(query=example)


OF_EXCERPTS = ("bytes", "origin")


@pytest.mark.parametrize("name", [name for name in PARAMETERS if name not in ("new", *OF_EXCERPTS)])
def test_every_parameter_takes_its_example(name):
    parameter = PARAMETERS[name]
    query = asked(query=f"{name}={quote(parameter.example)}")
    assert query != asked(query="")
    assert query.parameters == ((name, parameter.example),)


def test_bytes_and_origin_are_of_an_excerpt():
    query = asked(query="format=brief&bytes=4000&origin=http://[::1]:8080")
    assert (query.size, query.origin) == (4000, "http://[::1]:8080")
    assert (asked(query="format=brief").size, asked(query="format=brief").origin) == (2000, "")
    for name in OF_EXCERPTS:
        with pytest.raises(BadRequest, match=f"^{name} is for format=brief"):
            asked(query=f"{name}={PARAMETERS[name].example}")


@pytest.mark.parametrize("origin", ["ftp://a", "https://a/b", "https://a%0Ab", "https://", "a"])
def test_an_origin_is_a_scheme_and_a_host(origin):
    with pytest.raises(BadRequest, match="origin takes the beginning of this server's URLs"):
        asked(query=f"format=brief&origin={origin}")


def test_a_window_that_ends_before_it_begins_says_which_is_right():
    with pytest.raises(BadRequest, match="the lower one first: 5-9"):
        asked(query="lines=9-5")


def test_a_pattern_at_fault_is_told_in_words():
    with pytest.raises(BadRequest) as told:
        asked(query="re=(a")
    assert told.value.parameter == ("re", "(a")
    assert told.value.sentence == (
        "re='(a' is not understood: an opening parenthesis is never closed. "
        "re takes a regular expression of RE2's syntax, such as re=time.*out."
    )


@pytest.mark.parametrize(
    ("query", "wrong", "left"),
    [
        ("re=(a&q=b", [("re", "(a")], "q=b"),
        (
            "since=x&lines=9-5&re=ok&level=error",
            [("since", "x"), ("lines", "9-5")],
            "re=ok&level=error",
        ),
        ("context=1&context=2", [("context", "2")], "context=1"),
        ("&".join(f"q={n}" for n in range(9)), [("q", "8")], "&".join(f"q={n}" for n in range(8))),
    ],
)
def test_a_readers_page_does_without_the_fields_at_fault(query, wrong, left):
    found = asked(query=query, accept="text/html")
    assert [fault for fault, _ in found.faults] == wrong
    assert found._replace(faults=()) == asked(query=left, accept="text/html")
    with pytest.raises(BadRequest) as told:
        asked(query=query)
    assert found.faults[0][1] == told.value.sentence


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/a.txt", "re=(&format=text"),
        ("/a.txt", "re=(&level=LOUD"),
        ("/a.txt", "re=(&unknown=1"),
        ("/a.txt", "&".join(f"re=({n}" for n in range(9))),
        ("/job/", "re=("),
    ],
)
def test_other_pages_and_other_faults_are_errors_for_readers_too(path, query):
    with pytest.raises(BadRequest) as told:
        asked(path, query, "text/html")
    assert told.value.parameter[0] == "re"


@pytest.mark.parametrize("name", ["x", "Level", "limit%00", "", "file"])
def test_an_unknown_parameter_is_named_with_those_there_are(name):
    with pytest.raises(BadRequest) as caught:
        asked(query=f"{name}=1")
    assert all(known in caught.value.sentence for known in PARAMETERS)


def test_what_a_user_typed_is_told_shortened():
    for query in ("x" * 1000 + "=1", "level=" + "x" * 1000, "re=(" + "x" * 900):
        with pytest.raises(BadRequest) as caught:
            asked(query=query)
        assert len(caught.value.sentence) < 300


def test_the_same_value_twice_is_one():
    assert selected("level=error&level=ERROR&lines=7&lines=7-7") == (
        Selection(level="ERROR", first=7, last=7)
    )


@pytest.mark.parametrize(
    "query",
    [
        *("level=INFO&level=ERROR", "format=html&content-type=text/plain", "limit=1&limit=2"),
        *("lines=1-&lines=2-", "since=2013&since=2014"),
    ],
)
def test_contradictions(query):
    with pytest.raises(BadRequest, match="contradicts"):
        asked(query=query)


def test_a_query_has_a_longest():
    with pytest.raises(BadRequest, match="longer"):
        asked(query="level=INFO&" * 400)


@pytest.mark.parametrize(
    ("accept", "html"),
    [
        ("", False),
        ("*/*", False),
        ("text/*", False),
        ("text/plain", False),
        ("application/json", False),
        ("text/html", True),
        ("TEXT/HTML", True),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", True),
        ("text/html;q=0.5, text/plain;q=0.5", True),
        ("text/html;q=0.4, text/plain;q=0.5", False),
        ("text/html;q=0", False),
        ("text/html;q=0, */*", False),
        ("application/xhtml+xml", False),
    ],
)
def test_html_is_for_who_names_it_and_likes_it_no_less(accept, html):
    assert accepts_html(accept) is html
    assert asked(accept=accept).prefers_html is html


@pytest.mark.parametrize(
    "parameters",
    [
        [("re", "(?:[a-z].{0,30}){20}Q")],
        [("re", "(?:[a-z].{0,30}){10}Q"), ("re", "(?:[a-z].{0,30}){10}R")],
        [("q", "a"), ("not", "b"), ("re", r"(?:\pL.?){30}Q")],
    ],
)
def test_no_pattern_is_taken_that_costs_hours(parameters):
    with pytest.raises(BadRequest, match="too complex"):
        asked(query=urlencode(parameters))


@pytest.mark.parametrize("pattern", [r"\pL{3}\pN", ".{1,200}x", "[0-9a-f]{8}(-[0-9a-f]{4}){3}"])
def test_usual_patterns_are_taken(pattern):
    assert selected(urlencode({"re": pattern})).searches


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("/a/b c/", b"a/b c"),
        ("a%20b%2525", b"a b%25"),
        ("ä", "ä".encode()),
        ("./a/", b"a"),
        (".", b""),
    ],
)
def test_a_path_of_a_command_is_as_in_a_url(given, path):
    assert path_in_argument(given) == path
