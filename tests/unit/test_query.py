# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.errors import BadRequest
from oslogserve.lines.formats import SEVERITIES
from oslogserve.query import FORMATS, PARAMETERS, SOURCES, Query, accepts_html, checked_path


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
    ],
)
def test_paths(path, expected, folder):
    query = asked(path)
    assert (query.path, query.folder) == (expected, folder)


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


def test_the_longest_path_is_taken():
    assert len(checked_path("/" + "a" * 4096)) == 4096


@pytest.mark.parametrize("level", SEVERITIES[1:])
@pytest.mark.parametrize("fold", [str.upper, str.lower, str.title])
def test_levels_in_any_case(level, fold):
    assert asked(query=f"level={fold(level)}").level == level


@pytest.mark.parametrize("query", ["", "level=NONE", "level=none"])
def test_no_level(query):
    assert asked(query=query).level is None


@pytest.mark.parametrize("source", SOURCES)
def test_sources(source):
    assert asked(query=f"source={source}").source == source
    assert asked().source == "all"


@pytest.mark.parametrize("shown", FORMATS)
def test_formats(shown):
    assert asked(query=f"format={shown}").format == shown
    assert asked().format is None


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


@pytest.mark.parametrize("limit", [1, 10, 10**12 - 1])
def test_limits(limit):
    assert asked(query=f"limit={limit}").limit == limit
    assert asked().limit is None


@pytest.mark.parametrize(
    ("query", "named", "takes"),
    [
        ("level=FATAL", "level", "CRITICAL"),
        ("level=", "level", "NONE, DEBUG"),
        ("level", "level", "NONE, DEBUG"),
        ("source=s3", "source", "all, disk, swift"),
        ("format=xml", "format", "html, text, raw, json"),
        ("content-type=image/png", "content-type", "text/plain, text/html"),
        *((f"limit={value}", "limit", "whole number") for value in ("0", "-1", "1.5", "x", "")),
        *((f"limit={value}", "limit", "whole number") for value in ("1" * 13, "9" * 99)),
        ("limit=%D9%A1", "limit", "whole number"),
        ("limit=+1", "limit", "whole number"),
    ],
)
def test_a_value_not_understood_is_named_with_what_it_takes(query, named, takes):
    with pytest.raises(BadRequest) as caught:
        asked(query=query)
    assert named in caught.value.sentence
    assert takes in caught.value.sentence


@pytest.mark.parametrize("name", ["x", "Level", "limit%00", "", "file"])
def test_an_unknown_parameter_is_named_with_those_there_are(name):
    with pytest.raises(BadRequest) as caught:
        asked(query=f"{name}=1")
    assert all(known in caught.value.sentence for known in PARAMETERS)


def test_what_a_user_typed_is_told_shortened():
    for query in ("x" * 1000 + "=1", "level=" + "x" * 1000):
        with pytest.raises(BadRequest) as caught:
            asked(query=query)
        assert len(caught.value.sentence) < 300


def test_the_same_value_twice_is_one():
    assert asked(query="level=error&level=ERROR").level == "ERROR"


@pytest.mark.parametrize(
    "query", ["level=INFO&level=ERROR", "format=html&content-type=text/plain", "limit=1&limit=2"]
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


@pytest.mark.parametrize("accept", ["html;;;", "text/html;q=x", "\xff html", "text/html," * 500])
def test_any_accept_header_is_survived(accept):
    assert accepts_html(accept) in (True, False)
