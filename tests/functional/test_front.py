# SPDX-License-Identifier: Apache-2.0
"""What a client's headers must not do, behind the front that we ship and without one."""

import http.client
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

from oslogserve import __version__
from tests.servers.apache import PROXY, Apache, public_folder
from tests.servers.client import ask
from tests.servers.gunicorn import Gunicorn
from tests.servers.nginx import Nginx
from tests.servers.process import HOST

LINE = b"2026-03-04 18:22:11.000 1 INFO nova.compute [-] A line like any other\n"
HTML = "text/html"
#: As clients send them, to be taken for a front's.
MOUNTS = ["SCRIPT_NAME", "Script_Name", "script_name", "Script-Name", "X-Forwarded-Prefix"]


@pytest.fixture(scope="module")
def logs():
    with public_folder() as folder:
        (folder / "a.txt").write_bytes(LINE)
        (folder / "folder").mkdir()
        yield folder


@pytest.fixture(scope="module", params=[False, True], ids=["serve", "etc/gunicorn.conf.py"])
def gunicorn(request, logs):
    with Gunicorn(f"[disk]\nroot = {logs}\n", shipped_config=request.param) as running:
        yield running


@pytest.fixture(scope="module")
def proxy(gunicorn, logs):
    defines = {"OSLOGSERVE_BACKEND": gunicorn.url, "OSLOGSERVE_METRICS_FOR": "ip 192.0.2.7"}
    with Apache(logs, "", vhost=PROXY, cache=True, defines=defines) as apache:
        yield apache


@pytest.fixture(scope="module", params=["gunicorn", "proxy"])
def server(request, gunicorn):
    return request.getfixturevalue(request.param)


def ask_with(server, path, headers, source=HOST):
    """(status, body): ask() would write a hyphen for each underscore of a name.

    source: the client's address.
    """
    address = urlsplit(server.url).netloc
    connection = http.client.HTTPConnection(address, timeout=20, source_address=(source, 0))
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize("name", MOUNTS)
def test_a_clients_mount_does_not_open_the_metrics(server, name):
    status, body = ask_with(server, "/x/metrics", {name: "/x"})
    assert status == 404
    assert b"oslogserve_responses_total" not in body


@pytest.mark.parametrize("name", MOUNTS)
def test_a_clients_mount_is_in_no_page_that_others_get(server, name):
    path = f"/a.txt?q={name}"
    status, body = ask_with(server, path, {name: "/a", "Accept": HTML})
    assert status == 200
    assert b'href="/_oslogserve/' in body
    assert ask(server, path, Accept=HTML).body == body


class _Backend(BaseHTTPRequestHandler):
    """A server behind a front, which answers with the headers that it got."""

    def do_GET(self):
        body = json.dumps([*self.headers.items()]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture(params=["apache", "nginx"])
def front(request, logs):
    """A front that is shipped, before a server that believes everything."""
    with ThreadingHTTPServer((HOST, 0), _Backend) as backend:
        backend.port = backend.server_address[1]
        threading.Thread(target=backend.serve_forever, daemon=True).start()
        url = f"http://{HOST}:{backend.port}"
        defines = {"OSLOGSERVE_BACKEND": url}
        shipped = Nginx(backend) if request.param == "nginx" else None
        with shipped or Apache(logs, "", vhost=PROXY, defines=defines) as running:
            yield running
        backend.shutdown()


def test_a_front_passes_on_nothing_that_only_a_front_may_say(front):
    """By itself: what is behind it may believe these headers."""
    said = {"SCRIPT_NAME": "/x", "X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.1"}
    status, body = ask_with(front, "/", said, "127.0.0.9")
    assert status == 200
    passed_on = {name.lower(): value for name, value in json.loads(body)}
    assert passed_on.keys() & {"script_name", "forwarded"} == set()
    assert passed_on["x-forwarded-for"] == "127.0.0.9"


def test_metrics_are_for_the_addresses_of_operators(logs):
    config = f"[disk]\nroot = {logs}\n[serve]\noperators = 127.0.0.1\n"
    with Gunicorn(config) as server:
        for path in ("/metrics", "/readyz"):
            for headers in ({}, {"X-Forwarded-For": "127.0.0.9"}):
                assert ask_with(server, path, headers, "127.0.0.2")[0] == 403
            assert ask_with(server, path, {}, "127.0.0.1")[0] == 200


@pytest.mark.parametrize("path", ["/metrics", "/readyz", "//metrics", "/%6detrics", "/x/../readyz"])
@pytest.mark.parametrize("headers", [{}, {"X-Forwarded-For": "127.0.0.1"}])
def test_behind_the_proxy_readers_get_no_metrics(proxy, path, headers):
    assert ask_with(proxy, path, headers)[0] == 403


#: (path, headers, status): every kind of answer.
KINDS = [
    ("/a.txt", {"Accept": HTML}, 200),
    ("/a.txt", {}, 200),
    ("/a.txt?format=jsonl", {}, 200),
    ("/a.txt?format=summary", {}, 200),
    ("/a.txt?format=raw", {}, 200),
    ("/a.txt", {"Range": "bytes=0-3"}, 206),
    ("/a.txt", {"Range": "bytes=999-"}, 416),
    ("/", {"Accept": HTML}, 200),
    ("/?format=json", {}, 200),
    ("/none.txt", {"Accept": HTML}, 404),
    ("/none.txt", {}, 404),
    ("/a.txt?lines=x", {"Accept": HTML}, 400),
    ("/healthz", {}, 200),
    ("/folder", {}, 301),
]


@pytest.mark.parametrize(("path", "headers", "status"), KINDS)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_every_answer_has_its_policies_and_no_version(gunicorn, path, headers, status, method):
    connection = http.client.HTTPConnection(urlsplit(gunicorn.url).netloc, timeout=20)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
    finally:
        connection.close()
    expected = 200 if method == "HEAD" and status in (206, 416) else status
    assert answer.status == expected
    assert answer.headers.get_all("X-Content-Type-Options") == ["nosniff"]
    policies = answer.headers.get_all("Content-Security-Policy")
    is_page = answer.headers.get_content_type() == HTML
    if is_page or "format=raw" in path:
        assert len(policies) == 1
    if is_page:
        assert "default-src 'none'" in policies[0]
    assert not re.search(r"\d\.\d", answer.headers["Server"])
    assert __version__ not in str(answer.headers)
    assert f"oslogserve {__version__}".encode() not in body
