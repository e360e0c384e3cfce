# SPDX-License-Identifier: Apache-2.0
"""What is asked of a log's lines, over HTTP: the same answer wherever the log lies."""

import gzip
import re
from urllib.parse import parse_qsl

import pytest

from oslogserve.lines.renderer import Renderer
from oslogserve.pages.log import LogInfo, LogView
from oslogserve.query import Query
from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn

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
    *("", "lines=17-40", "lines=140-", "since=2013-09-27T18:01&until=2013-09-27T18:01:30"),
    *("since=2013-09-27T20:02%2B02:00", "level=ERROR", "q=nosuch&q=Thing"),
    *("re=%3C\\d*7%3E&not=debug", "q=nosuch&context=2&level=WARNING", "level=error&limit=4"),
    *("tail=5", "tail=3&limit=20&level=INFO", "show=L3&show=_2013-09-27_18_02_07_127&q=nosuch"),
    "q=%FF&not=%00",
    "lines=3-100&since=2013&until=2014&level=INFO&q=1&re=.&not=7&context=1&limit=9&tail=5&show=L1",
)
CASES = [
    *(("small", query) for query in QUERIES),
    ("large", "level=ERROR"),
    *(
        pytest.param("large", query, marks=pytest.mark.long)
        for query in sorted(set(QUERIES) - {"level=ERROR"})
    ),
]


@pytest.fixture(scope="module")
def stored(swift, tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    for folder in ("plain", "packed"):
        (root / folder).mkdir()
    for name, log in LOGS.items():
        (root / "plain" / f"{name}.txt").write_bytes(log)
        (root / "packed" / f"{name}.txt.gz").write_bytes(gzip.compress(log))
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
    shown = LogView(query, LogInfo(read_again=lambda: [log]), Renderer())
    return b"".join(shown.render(view, [log]))


def from_its_lines_on(page):
    """Without the link to newer lines, which depends on the log's age."""
    _, begin, lines = page.partition(b'<div id="log"')
    assert begin
    return re.sub(rb'<div class="newer".*?</script>\n', b"", lines, flags=re.DOTALL)


@pytest.mark.parametrize(("name", "query"), CASES)
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
