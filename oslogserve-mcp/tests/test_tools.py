# SPDX-License-Identifier: Apache-2.0
from urllib.parse import parse_qsl, urlsplit

import pytest
from jsonschema import Draft202012Validator

from client_kit import asked_of, data_of, serving
from oslogserve_mcp import tools
from oslogserve_mcp.client import Failed
from oslogserve_mcp.places import BadRequest

END = b'{"end": true, "lines": 1, "matched": 0, "complete": true, "read_to_end": true, "next": null}\n'
SUMMARY = b'{"logs": [], "chapters": [], "seen": null, "known": [], "skipped": [], "complete": true, "notices": [], "next": null}'
FAILING = b'{"days": 7, "causes": [], "more": false}'
ANSWERS = {"summary": SUMMARY, "json": FAILING, "text": b"text"}


def answered(asked):
    query = dict(parse_qsl(urlsplit(asked.path).query))
    if "goto" in query:
        asked.redirect("?show=L40#L40")
    elif "moment" in query and "since" not in query:
        asked.redirect("./?since=x&order=time&moment=a.log:40")
    else:
        asked.send(ANSWERS.get(query.get("format"), END))


def requests(name, **arguments):
    """The paths and queries of the requests that a tool makes. {} is the server's address."""
    with serving(answered) as server:
        given = {
            key: value.replace("{}", server.url) if isinstance(value, str) else value
            for key, value in arguments.items()
        }
        asked_of(server, lambda client: tools.answer(client, name, given))
    urls = [urlsplit(one) for one in server.asked]
    return [(url.path, parse_qsl(url.query)) for url in urls]


EXCERPT = b"/a.log: failed; likely cause at line 2 of 3 lines\n?goto=2\nERROR: x\x1b[1m\n... 1 line left out\n"
LIMIT = [("format", "jsonl"), ("limit", "100")]
ALL = [("format", "jsonl"), ("limit", "1000")]


@pytest.mark.parametrize(
    ("name", "arguments", "path", "query"),
    [
        ("job", {"path": "job"}, "/job/", [("format", "summary")]),
        ("job", {"path": ""}, "/", [("format", "summary")]),
        (
            "job",
            {"path": "{}/job/?format=html&source=swift", "logs": ["a*", "b"], "against": "@unit"},
            "/job/",
            [
                ("source", "swift"),
                ("logs", "a*"),
                ("logs", "b"),
                ("against", "@unit"),
                ("format", "summary"),
            ],
        ),
        ("search", {"path": "a.log", "text": "x y"}, "/a.log", [("q", "x y"), *LIMIT]),
        (
            "search",
            {
                "path": "job/",
                "pattern": "a+",
                "without": "b",
                "level": "ERROR",
                "context": 2,
                "limit": 7,
            },
            "/job/",
            [
                ("re", "a+"),
                ("not", "b"),
                ("level", "ERROR"),
                ("context", "2"),
                ("format", "jsonl"),
                ("limit", "7"),
            ],
        ),
        (
            "search",
            {"path": "{}/job/?q=x&after=3&wrap=yes&limit=9&format=html&show=L1", "level": "ERROR"},
            "/job/",
            [("q", "x"), ("after", "3"), ("level", "ERROR"), *LIMIT],
        ),
        ("search", {"path": "{}/job/?q=x", "text": "y"}, "/job/", [("q", "y"), *LIMIT]),
        ("lines", {"path": "a.log", "first": 5, "last": 9}, "/a.log", [("lines", "5-9"), *ALL]),
        ("lines", {"path": "a.log", "last": 9}, "/a.log", [("lines", "1-9"), *ALL]),
        ("lines", {"path": "a.log", "first": 5}, "/a.log", [("lines", "5-"), *ALL]),
        ("lines", {"path": "{}/a.log#L30", "context": 40}, "/a.log", [("lines", "1-70"), *ALL]),
        (
            "lines",
            {"path": "{}/a.log?source=disk&goto=30-31", "context": 1},
            "/a.log",
            [("source", "disk"), ("lines", "29-32"), *ALL],
        ),
        ("failing", {}, "/_oslogserve/seen", [("format", "json")]),
        (
            "failing",
            {"cause": "{}/_oslogserve/seen?cause=0f&job=a&format=html", "days": 3, "job": "b"},
            "/_oslogserve/seen",
            [("cause", "0f"), ("days", "3"), ("job", "b"), ("format", "json")],
        ),
        ("failing", {"cause": "0f"}, "/_oslogserve/seen", [("cause", "0f"), ("format", "json")]),
        (
            "steps",
            {"path": "{}/a.log?source=disk&level=ERROR"},
            "/a.log",
            [("source", "disk"), ("format", "summary")],
        ),
        ("files", {"path": "a.log"}, "/a.log", [("format", "text")]),
        (
            "compare",
            {"path": "a.log", "against": "{}/passed/a.log?goto=7", "text": "x"},
            "/a.log",
            [("against", "passed/a.log"), ("new", "only"), ("q", "x"), *LIMIT],
        ),
    ],
)
def test_a_tool_makes_one_request(name, arguments, path, query):
    assert requests(name, **arguments) == [(path, query)]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("job", "If that is a log, use brief."), ("lines", "A name in an excerpt is below the link")],
)
def test_what_is_not_there_is_a_sentence_with_a_hint(name, hint):
    arguments = {"path": "a.log"} | ({"first": 1} if name == "lines" else {})
    with (
        serving(lambda asked: asked.send(b"No source has this log.", 404)) as server,
        pytest.raises(Failed, match="says 404: No source has this log") as raised,
    ):
        asked_of(server, lambda client: tools.answer(client, name, arguments))
    assert raised.value.hint.startswith(hint)


def brief(body, path="a.log", **arguments):
    """The request and the data of an excerpt."""
    with serving(lambda asked: asked.send(body)) as server:
        text = asked_of(
            server, lambda client: tools.answer(client, "brief", {"path": path, **arguments})
        )
    [url] = map(urlsplit, server.asked)
    assert len(text.encode()) <= arguments.get("bytes", 8000)
    return dict(parse_qsl(url.query)), [line.replace(server.url, "") for line in data_of(text)]


def test_an_excerpt_is_below_the_link_to_which_its_links_are_relative():
    query, lines = brief(EXCERPT, against="@unit")
    assert lines == ["/a.log", *EXCERPT.decode().replace("\x1b", "\\x1b").splitlines()]
    assert query.keys() == {"format", "against", "bytes"}


@pytest.mark.parametrize("size", [1000, 8000, 1_000_000])
def test_an_excerpt_may_have_all_bytes_of_an_answer(size):
    asked = int(brief(b"", bytes=size)[0]["bytes"])
    assert size - 400 < asked
    _, lines = brief(
        b"x" * 99 + b"\n" + b"y" * (asked % 100) + (b"\n" + b"x" * 99) * (asked // 100 - 1),
        bytes=size,
    )
    assert not any("left out" in line for line in lines)
    assert len(lines) == asked // 100 + 2


def test_an_excerpt_that_is_longer_where_it_is_escaped_is_cut():
    _, lines = brief(b"\x1b\n" * 300, bytes=1000)
    shown = lines.count("\\x1b")
    assert shown > 100
    assert lines[-1] == f"{300 - shown} lines left out: ask for more bytes"


def test_lines_around_a_time_take_a_request_that_finds_the_line():
    first, second = requests("lines", path="a.log", around="18:25", context=5)
    assert first == ("/a.log", [("goto", "18:25")])
    assert second == ("/a.log", [("lines", "35-45"), *ALL])


@pytest.mark.parametrize("place", ["cause", "18:25:11"])
def test_a_link_to_a_time_or_the_cause_takes_a_request_that_finds_the_line(place):
    first, second = requests("lines", path=f"/a.log?goto={place}", context=5)
    assert first == ("/a.log", [("goto", place)])
    assert second == ("/a.log", [("lines", "35-45"), *ALL])


def test_a_moment_in_all_logs_takes_a_request_that_finds_the_job():
    found, moment, answer = requests("lines", path="job/a.log", around="18:25", all_logs=True)
    assert found == ("/job/a.log", [("goto", "18:25")])
    assert moment == ("/job/a.log", [("moment", "40")])
    assert answer[0] == "/job/"
    assert answer[1] == [("since", "x"), ("order", "time"), ("moment", "a.log:40"), *ALL]


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("grep", {}, "There is no such tool"),
        ("job", {}, "path: Field required"),
        ("job", {"path": "x", "bytes": 999}, "bytes: "),
        ("job", {"path": "x", "bytes": 1_000_001}, "bytes: "),
        ("search", {"path": "x", "limit": 1001}, "limit: "),
        ("search", {"path": "x", "re": "y"}, "re: "),
        ("search", {"path": "x", "text": "y" * 1001}, "text: "),
        ("search", {"path": "../x"}, "segment"),
        ("search", {"path": "https://evil.example/x"}, "Only links below http://127.0.0.1:"),
        ("lines", {"path": "a.log"}, "Give first, last or around"),
        ("steps", {"path": "a.log", "step": "7"}, "step: "),
        ("files", {"path": "../x"}, "segment"),
        ("failing", {"cause": "https://evil.example/x"}, "Only links below"),
        ("compare", {"path": "a.log"}, "against: "),
        ("compare", {"path": "a.log", "against": "https://evil.example/x"}, "Only links below"),
    ],
)
def test_what_a_tool_does_not_take_is_a_sentence_and_no_request(name, arguments, sentence):
    with serving(answered) as server, pytest.raises(BadRequest) as raised:
        asked_of(server, lambda client: tools.answer(client, name, arguments))
    assert sentence in str(raised.value)
    assert server.asked == []


@pytest.mark.parametrize(
    "body", [b"{}", b"[]\n", b"text\n", b'{"line": 1}\n', b"\xff\n", b"[" * 9**6]
)
@pytest.mark.parametrize("name", ["job", "search"])
def test_an_answer_of_another_server_is_a_sentence(name, body, capsys):
    with serving(lambda asked: asked.send(body)) as server:
        if name == "search" and not body.endswith(b"\n"):
            text = asked_of(server, lambda client: tools.answer(client, name, {"path": "x"}))
            assert "missing" in text
            return
        with pytest.raises(Failed, match="no answer of oslogserve"):
            asked_of(server, lambda client: tools.answer(client, name, {"path": "x"}))
    assert len(capsys.readouterr().err) < 1000


@pytest.mark.parametrize("tool", tools.TOOLS.values(), ids=tools.TOOLS)
def test_a_schema_is_valid_and_says_what_each_argument_is(tool):
    schema = tools.schema_of(tool)
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    assert all(one.get("description") for one in schema["properties"].values()), schema
    assert "title" not in str(schema)
    required = schema.get("required", [])
    Draft202012Validator(schema).validate(dict.fromkeys(required, "x"))


def test_descriptions_are_short():
    schemas = [(tool.description, tools.schema_of(tool)) for tool in tools.TOOLS.values()]
    assert all(len(description) < 300 for description, _ in schemas)
    assert len(str(schemas)) < 11000
