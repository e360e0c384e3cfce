# SPDX-License-Identifier: Apache-2.0
"""What is asked of a log's lines, over HTTP: the same answer wherever the log lies."""

import gzip
import json
import re
import subprocess
import sys
from html import unescape
from urllib.parse import parse_qsl, urlencode

import pytest

from oslogserve.lines.renderer import pure_renderer
from oslogserve.pages.bar import LogInfo
from oslogserve.pages.log import LogView
from oslogserve.query import Query
from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import environment

CONTAINER = "test_grammar"
SEVERITIES = (b"INFO", b"DEBUG", b"INFO", b"WARNING", b"INFO", b"ERROR", b"DEBUG")
REQUEST = b"req-0f3d2c1a-1111-2222-3333-4444555566"


def made(lines):
    for n in range(lines):
        stamp = b"2013-09-27 18:%02d:%02d.%03d" % (n // 60 % 60, n % 60, n % 1000)
        severity = SEVERITIES[n % 7]
        request = b"[%b%02d a]" % (REQUEST, n % 50)
        yield stamp + b" 2790 %b nova.x %b line <%d> timed out\r\n" % (severity, request, n)
        if severity == b"ERROR":
            yield b"Traceback (most recent call last):\n"
            yield b'  File "x.py", \xff\0 \x1b[1;31mNoSuchThing\x1b[0m\n'


#: Less than a chunk, and many of them; the last line has no end.
LOGS = {"small": b"".join(made(150)) + b"end", "large": b"".join(made(2500)) + b"end"}
PLACES = [
    f"/{folder}/%s.txt?source={s}" for folder in ("plain", "packed") for s in ("disk", "swift")
]
QUERIES = (
    "",
    "lines=17-40",
    "lines=140-",
    "since=2013-09-27T18:01&until=2013-09-27T18:01:30",
    "since=2013-09-27T20:02%2B02:00",
    "level=ERROR",
    "q=nosuch&q=Thing",
    "re=%3C\\d*7%3E&not=debug",
    "q=nosuch&context=2&level=WARNING",
    "level=error&limit=4",
    "tail=5",
    "tail=3&limit=20&level=INFO",
    "show=L3&show=_2013-09-27_18_02_07_127&q=nosuch",
    "q=%FF&not=%00",
    "lines=3-100&since=2013&until=2014&level=INFO&q=1&re=.&not=7&context=1&limit=9&tail=5&show=L1",
)


@pytest.fixture(scope="module")
def stored(swift, tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    for folder in ("plain", "packed", "cut"):
        (root / folder).mkdir()
    for name, log in LOGS.items():
        (root / "plain" / f"{name}.txt").write_bytes(log)
        (root / "packed" / f"{name}.txt.gz").write_bytes(gzip.compress(log))
        (root / "cut" / f"{name}.txt.gz").write_bytes(gzip.compress(log)[:-500])
    swift.upload(root, CONTAINER)
    return root


@pytest.fixture(scope="module")
def server(swift, stored):
    settings = {"disk": {"root": stored}, "swift": swift.settings(CONTAINER)}
    with Gunicorn(ini(settings), "--workers", "1", "--threads", "8") as server:
        yield server


def expected(address, view, log):
    """By the definition, of the whole log."""
    path, _, query = address.partition("?")
    query = Query(path[1:].encode(), False).with_parameters(parse_qsl(query))
    shown = LogView(query, LogInfo(), [], pure_renderer(), read_again=lambda: [log])
    return b"".join(shown.render(view, [log]))


def asked_for(address):
    pairs = parse_qsl((address or "").partition("?")[2])
    return sorted(pair for pair in pairs if pair[0] != "format")


def from_its_lines_on(page):
    _, begin, lines = page.partition(b'<div id="log"')
    assert begin
    return lines


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("name", LOGS)
def test_disk_and_swift_plain_and_packed_give_the_same_answer(server, name, query):
    for view in ("text", "jsonl", "summary", "html"):
        for place in PLACES:
            address = f"{place % name}&{query}".removesuffix("&") + f"&format={view}"
            answer = ask(server, address)
            assert answer.status == 200, address
            told = expected(address, view, LOGS[name])
            if view == "html":
                assert from_its_lines_on(answer.body) == from_its_lines_on(told), address
            else:
                assert answer.body == told, address


def test_gzipped_on_its_way_it_is_the_same(server):
    for view in ("text", "jsonl", "summary", "html"):
        for name in LOGS:
            address = f"/packed/{name}.txt?level=INFO&not=x&format={view}"
            packed = ask(server, address, Accept_Encoding="gzip")
            body = packed.body
            if packed.headers["Content-Encoding"] == "gzip":
                body = gzip.decompress(body)
            assert body == ask(server, address).body


@pytest.mark.parametrize(
    ("view", "media_type"),
    [
        ("html", "text/html; charset=utf-8"),
        ("text", "text/plain; charset=utf-8"),
        ("jsonl", "application/x-ndjson; charset=utf-8"),
        ("summary", "application/json"),
    ],
)
def test_head_is_get_without_the_body(server, view, media_type):
    for place in PLACES:
        for query in ("", "&level=ERROR", "&q=thing&context=1&limit=5"):
            address = f"{place % 'small'}&format={view}{query}"
            head, whole = ask(server, address, "HEAD"), ask(server, address)
            assert (head.status, head.body) == (200, b"")
            assert head.headers["Content-Type"] == whole.headers["Content-Type"] == media_type
            for name in ("ETag", "Last-Modified", "Vary", "Accept-Ranges"):
                assert head.headers[name] == whole.headers[name]


def test_each_selection_has_a_tag_of_its_own_and_is_304_while_nothing_changed(server):
    for place in (PLACES[0], PLACES[-1]):
        tags = set()
        addresses = [
            f"{place % 'small'}&{query}&format={view}"
            for query in QUERIES
            for view in ("html", "text", "jsonl", "summary")
        ]
        for address in addresses:
            tag = ask(server, address, "HEAD").headers["ETag"]
            tags.add(tag)
            unchanged = ask(server, address, If_None_Match=tag)
            assert (unchanged.status, unchanged.body) == (304, b""), address
            assert unchanged.headers["ETag"] == tag
        assert len(tags) == len(addresses)


WRONG = {
    "lines": ("x", "0", "9-3", "-"),
    "since": ("yesterday", "2013-13", "18:22"),
    "until": ("2013-02-30", "2013-09-27T18:22:61"),
    "level": ("FATAL", ""),
    "re": ("(", "a**", "(?=x)", "[", r"\1"),
    "q": ("x" * 1001,),
    "not": ("x" * 1001,),
    "context": ("-1", "1001"),
    "limit": ("0", "x", ""),
    "tail": ("0", "100001"),
    "show": ("7", "L0", "<b>"),
    "format": ("xml",),
    "source": ("s3",),
    "content-type": ("image/png",),
}


@pytest.mark.parametrize("accept", ["*/*", "text/html"])
def test_each_bad_value_is_a_400_with_an_example_that_is_right(server, accept):
    for name, values in WRONG.items():
        for value in values:
            answer = ask(server, f"/plain/small.txt?{urlencode({name: value})}", Accept=accept)
            told = unescape(answer.body.decode())
            assert answer.status == 400, (name, value)
            found = re.search(
                rf"{name}=.* is not understood: {name} takes .*, such as (\S+)\.", told
            )
            assert found, told
            assert ask(server, f"/plain/small.txt?{found[1]}").status == 200


@pytest.mark.parametrize(
    "query", ["level=ERROR&level=INFO", "re=a&" * 9, "Level=ERROR", "lines=1-2&lines=1-3"]
)
def test_what_cannot_be_together_is_a_400(server, query):
    answer = ask(server, f"/plain/small.txt?{query}")
    assert (answer.status, answer.headers["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert answer.body.count(b"\n") == 1


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("query", ["", "level=ERROR", "q=7&not=%3C1", "lines=20-120&level=INFO"])
def test_following_next_until_null_gives_every_line_once(server, name, query):
    limit = 61 if name == "small" else 700
    for place in (PLACES[0], PLACES[-1]):
        whole = ask(server, f"{place % name}&{query}&format=jsonl").body.splitlines()
        found, following = [], f"{place % name}&{query}&format=jsonl&limit={limit}"
        while following:
            *rows, last = ask(server, following).body.splitlines()
            end = json.loads(last)
            assert end["sent"] == len(rows) <= limit
            assert end["complete"]
            found += rows
            following = end["next"]
        assert found == whole[:-1]


def test_a_page_links_to_the_next_lines(server):
    address = "/packed/large.txt?source=swift&q=%3C1&q=%3E&level=INFO&limit=50&format=html"
    page = ask(server, address).body.decode()
    following = unescape(re.search('<a href="([^"]*)" rel="next">', page)[1])
    numbers = re.findall(r'id="L(\d+)"', page + ask(server, following).body.decode())
    whole = ask(server, address.replace("limit=50", "limit=100")).body.decode()
    assert numbers == re.findall(r'id="L(\d+)"', whole)


@pytest.mark.parametrize("query", QUERIES[1:])
def test_headers_of_a_small_text_say_what_the_end_of_its_objects_says(server, query):
    for place in PLACES:
        address = f"{place % 'small'}&{query}"
        text = ask(server, address)
        end = json.loads(ask(server, f"{address}&format=jsonl").body.splitlines()[-1])
        told = text.headers
        for name in ("Lines", "Matched", "Sent"):
            assert int(told[f"Log-{name}"]) == end[name.lower()]
        assert told["Log-Complete"] == "true"
        assert int(told["Content-Length"]) == len(text.body)
        following = end["next"] and end["next"].replace("&format=jsonl", "")
        assert told["Link"] == (f'<{following}>; rel="next"' if following else None)


def test_headers_of_a_large_text_or_a_whole_one_say_nothing_of_it(server):
    for address in ("/plain/large.txt?level=ERROR", "/plain/small.txt", "/packed/small.txt"):
        told = ask(server, address).headers
        assert not [name for name in told if name.startswith("Log-") or name == "Link"]


@pytest.mark.parametrize("source", ["disk", "swift"])
@pytest.mark.parametrize("query", ["", "level=INFO", "q=out&context=1", "tail=50"])
@pytest.mark.parametrize("name", LOGS)
def test_a_log_that_is_cut_short_says_so_in_every_view(server, name, query, source):
    address = f"/cut/{name}.txt?source={source}&{query}"
    reason = "the compressed data ends early"
    *rows, end = map(json.loads, ask(server, f"{address}&format=jsonl").body.splitlines())
    assert (end["end"], end["complete"], end["reason"]) == (True, False, reason)
    assert end["sent"] == len(rows) > 0
    figures = json.loads(ask(server, f"{address}&format=summary").body)
    assert (figures["complete"], figures["reason"]) == (False, reason)
    assert figures["lines"] == end["lines"]
    page = ask(server, f"{address}&format=html").body
    assert page.count(b'class="notice"') == 1
    assert f"incomplete here: {reason}</p>".encode() in page
    text = ask(server, f"{address}&format=text")
    assert text.body.endswith(f"\n[oslogserve: this log is incomplete here: {reason}]\n".encode())
    if query and name == "small":
        assert text.headers["Log-Complete"] == "false"


@pytest.mark.parametrize("query", QUERIES[2::3])
def test_render_gives_what_the_server_gives(server, stored, query):
    pairs = parse_qsl(query)
    file = stored / "packed" / "small.txt.gz"
    for view in ("text", "jsonl", "summary"):
        given = [f"--{name}={value}" for name, value in pairs]
        command = [sys.executable, "-m", "oslogserve", "render", file, "--format", view, *given]
        ran = subprocess.run(command, capture_output=True, check=True, env=environment())
        served = ask(server, f"/packed/small.txt?{query}&format={view}".replace("?&", "?")).body
        if view == "jsonl":
            *rows, end = map(json.loads, ran.stdout.splitlines())
            *served_rows, served_end = map(json.loads, served.splitlines())
            assert rows == served_rows
            assert asked_for(end["next"]) == asked_for(served_end["next"])
            assert {**end, "next": None} == {**served_end, "next": None}
        else:
            assert ran.stdout == served
        assert ran.stderr == b""
