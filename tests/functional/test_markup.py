# SPDX-License-Identifier: Apache-2.0
"""Payloads as lines, names of files and folders, queries, fragments and errors, in a real browser: no
script of theirs runs, nothing is fetched for them, no element is theirs."""

import contextlib
import http.client
import os
from urllib.parse import quote, urlsplit

import pytest

from tests.kit.payloads import HOST, PAYLOADS
from tests.servers.client import ask
from tests.servers.gunicorn import Gunicorn

PREFIX = b"2024-03-28 12:20:43.570 1 ERROR nova [-] "
#: Runs in each document before anything of it.
WATCH = """
window.hits = [];
window.hit = () => hits.push(`hit() in ${location}`);
document.addEventListener('securitypolicyviolation', (event) =>
  hits.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""
#: What of a page is none of ours: handlers, and addresses that are no address.
STRANGE = """() => {
  const names = new Set('A BODY BUTTON CODE DATALIST DETAILS DIALOG DIV DL DT DD FOOTER FORM H1 H2 HEAD \
HEADER HTML INPUT KBD LABEL LI LINK MAIN MARK META NAV OL OPTION OUTPUT P PRE SCRIPT SELECT SMALL \
SPAN STRONG SUMMARY TABLE TBODY TD TH THEAD TIME TITLE TR UL B I U S EM SVG G RECT DATA'.split(' '));
  const found = [];
  for (const element of document.querySelectorAll('*')) {
    if (!names.has(element.tagName.toUpperCase())) found.push(element.tagName);
    for (const {name, value} of element.attributes) {
      if (name.startsWith('on') || name === 'srcdoc' || name === 'autofocus') found.push(name);
      const url = ['href', 'src', 'action', 'formaction'].includes(name) && element[name];
      if (url && !/^(https?:|data:,$)/.test(url)) found.push(`${name}=${value}`);
    }
  }
  return [...found, ...window.hits];
}"""


def stored_path(payload):
    """The payload as a path, whose slashes make folders."""
    folders = [part[:200] for part in payload.split(b"/") if part.strip(b". ") and part[:1] != b"."]
    return b"/".join(folders)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("markup")
    lines = [line for payload in PAYLOADS for line in (payload, PREFIX + payload)]
    (root / "all.txt").write_bytes(b"\n".join(lines) + b"\n")
    (root / "all").write_bytes(b"\n".join(lines) + b"\n")
    for payload in PAYLOADS:
        folder = os.path.join(os.fsencode(root), stored_path(payload))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, b"a.txt"), "wb") as log:
            log.write(PREFIX + payload + b"\n" + payload)
        name = stored_path(payload).rpartition(b"/")[2]
        with (
            contextlib.suppress(IsADirectoryError),
            open(folder + b"/" + name + b".txt", "wb") as log,
        ):
            log.write(payload)
    return root


@pytest.fixture(scope="module")
def server(root):
    with Gunicorn(f"[disk]\nroot = {root}\n") as server:
        yield server


@pytest.fixture(scope="module")
def visit(server, chromium):
    """visit(path, fragment): all that a page did that is none of ours."""
    with chromium.new_context() as context:
        context.add_init_script(WATCH)
        page = context.new_page()
        found, requests = [], []
        page.on("console", lambda message: found.append(message.text))
        page.on("pageerror", lambda error: found.append(str(error)))
        page.on("dialog", lambda dialog: (found.append(dialog.message), dialog.dismiss()))
        context.on("request", lambda request: requests.append(request.url))

        def visit(path, fragment=""):
            page.goto("about:blank")  # the scripts of the page before ask for nothing more
            found.clear()
            requests.clear()
            address = f"{server.url}{path}"
            page.goto(f"{address}{'#' if fragment else ''}{fragment}")
            strange = [
                url
                for url in requests
                if not url.startswith((f"{server.url}/_oslogserve/", "data:", "about:"))
                and urlsplit(url).path != urlsplit(address).path  # its script asks for more of it
            ]
            statuses = [
                one for one in found if "the server responded with a status of 4" not in one
            ]
            return [*strange, *statuses, *page.evaluate(STRANGE)]

        yield visit


@pytest.mark.parametrize(
    "query", ["", "format=html", "format=text", "format=summary", "format=raw"]
)
@pytest.mark.parametrize("name", ["all.txt", "all"])
def test_no_line_comes_to_life(visit, name, query):
    assert visit(f"/{name}?{query}") == []


def test_no_line_comes_to_life_in_what_a_filter_leaves(visit):
    for query in ("level=ERROR&context=2", "q=hit", "re=%3C.*%3E&tail=50", "show=L7&limit=3"):
        assert visit(f"/all.txt?format=html&{query}") == []


def test_no_name_comes_to_life_in_a_listing(visit):
    for query in ("format=html", "format=html&sort=time", "format=text", "format=json"):
        assert visit(f"/?{query}") == []


#: Of all payloads, and of some.
SOME = [PAYLOADS[::6], pytest.param(PAYLOADS, marks=pytest.mark.long)]


@pytest.mark.parametrize("payloads", SOME, ids=len)
def test_no_name_query_or_fragment_comes_to_life_in_a_page(visit, payloads):
    found = {}
    for payload in payloads:
        text = quote(payload)
        path = f"/{quote(stored_path(payload))}/a.txt"
        query = f"format=html&q={text}&not={text}x&show={text}&context=1"
        found[payload] = visit(f"{path}?{query}"[:4000], fragment=text)
    assert {path: one for path, one in found.items() if one} == {}


@pytest.mark.parametrize("payloads", SOME, ids=len)
def test_nothing_of_a_request_comes_to_life_in_an_error(visit, payloads):
    found = {}
    for number, payload in enumerate(payloads):
        text = quote(payload, safe="")
        kinds = [
            f"/missing-{text}?format=html",
            f"/all.txt?format=html&{text}=1",
            f"/all.txt?format=html&re=({text}",
        ]
        path = kinds[number % len(kinds)]
        found[path] = visit(path)
    assert {path: one for path, one in found.items() if one} == {}


NAMES = {
    *("Accept-Ranges", "Cache-Control", "Connection", "Content-Disposition", "Content-Encoding"),
    *("Content-Length", "Content-Security-Policy", "Content-Type", "Date", "ETag"),
    *("Last-Modified", "Link", "Location", "Log-Complete", "Log-Lines", "Log-Matched"),
    *("Log-Read-To-End", "Log-Sent", "Referrer-Policy", "Retry-After", "Server", "Server-Timing"),
    *("Transfer-Encoding", "Vary", "X-Content-Type-Options"),
}


def test_nothing_of_a_request_becomes_a_header(server):
    for payload in PAYLOADS:
        text, path = quote(payload, safe=""), quote(stored_path(payload))
        for target in (
            f"/{path}?source=disk&x={text}",
            f"/{path}?{text}",
            f"/{path}",
            f"/{path}/a.txt?format=text&q={text}&limit=1",
            f"/missing-{text}?{text}",
            f"/all.txt?{text}",
        ):
            answer = ask(server, target)
            assert set(answer.headers) <= NAMES, target
            assert answer.status < 500, target
            for name in ("Location", "Link"):
                value = answer.headers.get(name, "")
                assert value.isascii(), target
                assert value.isprintable(), target
                assert f"//{HOST}" not in value, target


def test_no_header_of_a_client_comes_back(server):
    for payload in PAYLOADS:
        value = payload.translate(None, b"\r\n\0").decode("latin-1").strip()
        connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
        headers = dict.fromkeys(
            ("Referer", "User-Agent", "Accept", "If-None-Match", "If-Range", "X-Forwarded-For"),
            value,
        )
        connection.request("GET", "/missing.txt", headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        assert set(answer.headers) <= NAMES
        assert answer.status in (400, 404), body
        assert b"hit()" not in body
        connection.close()
