# SPDX-License-Identifier: Apache-2.0
"""[serve] cors_origins, asked by a real browser on a page of another origin."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.servers.client import ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import HOST

LINE = "2026-03-04 18:22:11.000 1 ERROR nova.compute [-] fails\n"
FETCH = """([address, headers]) => fetch(address, {headers})
    .then(async (answer) => [answer.status, await answer.text(), answer.headers.get("ETag")])
    .catch((error) => error.name)"""


class _Dashboard(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>A dashboard</title>")

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def origin():
    with ThreadingHTTPServer((HOST, 0), _Dashboard) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{HOST}:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cors")
    (folder / "a.txt").write_text(LINE)
    (folder / "page.html").write_text("<!doctype html><p>stored")
    return folder


@pytest.fixture
def fetch(chromium, origin):
    """fetch(address, **headers) by a script of the dashboard."""
    tab = chromium.new_page()
    tab.goto(origin)
    yield lambda address, **headers: tab.evaluate(FETCH, [address, headers])
    tab.close()


def test_a_dashboard_of_a_listed_origin_fetches_lines_and_no_stored_page(fetch, origin, root):
    config = ini({"disk": {"root": root}, "serve": {"cors_origins": origin}})
    with Gunicorn(config) as server:
        status, text, etag = fetch(f"{server.url}/a.txt?format=text")
        assert (status, text) == (200, LINE)
        # A preflight comes before a condition.
        again = fetch(f"{server.url}/a.txt?format=text", **{"If-None-Match": etag})
        assert again[0] == 304
        assert fetch(f"{server.url}/none.txt")[0] == 404
        assert fetch(f"{server.url}/page.html") == "TypeError"
        assert fetch(f"{server.url}/a.txt", Accept="text/html") == "TypeError"
        assert fetch(f"{server.url}/metrics") == "TypeError"


def test_a_dashboard_of_no_listed_origin_fetches_nothing(fetch, root):
    with Gunicorn(ini({"disk": {"root": root}})) as server:
        assert fetch(f"{server.url}/a.txt?format=text") == "TypeError"
