# SPDX-License-Identifier: Apache-2.0
import json
import re
import socket
import socketserver
import struct
import threading
from functools import partial
from urllib.parse import quote

import pytest

from client_kit import TEXT, Handler, asked_of, serving
from oslogserve_mcp.access import Access, headers_of
from oslogserve_mcp.client import Failed
from oslogserve_mcp.places import Elsewhere


def get(server, path=b"a.log", query=(), root="", **options):
    most = options.pop("most", 1000)
    return asked_of(server, lambda client: client.get(path, query, most), root, **options)


def test_a_path_and_a_query_are_quoted():
    with serving(lambda asked: asked.send(b"text")) as server:
        answer = get(server, b"a b/\xff?c", [("q", "é&=#"), ("re", "a+b")], "/ci")
        assert answer.body == b"text"
        assert not answer.is_cut
        assert answer.place.path == b"a b/\xff?c"
    assert server.asked == ["/ci/a%20b/%FF%3Fc?q=%C3%A9%26%3D%23&re=a%2Bb"]


def test_a_request_has_no_credential_and_asks_for_text_as_it_is(monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login reader password secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))

    async def twice(client):
        for _ in range(2):
            await client.get(b"a.log", ())

    with serving(lambda asked: asked.send(b"", headers=TEXT | {"Set-Cookie": "a=b"})) as server:
        asked_of(server, twice)
    assert len(server.headers) == 2
    for headers in server.headers:
        assert {name.lower() for name in headers} & {"authorization", "cookie"} == set()
        assert headers["accept-encoding"] == "identity"
        assert "html" not in headers["accept"]


def test_no_proxy_is_used(monkeypatch):
    with serving(lambda asked: asked.send(b"proxy")) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.setenv("no_proxy", "")
        with serving(lambda asked: asked.send(b"server")) as server:
            assert get(server).body == b"server"
    assert proxy.asked == []


SECRET = 'to/ken+of="readers"'
FORMS = (SECRET, json.dumps(SECRET), SECRET.replace("/", r"\/"), quote(SECRET, safe=""))


@pytest.mark.parametrize("repeated", FORMS)
@pytest.mark.parametrize("before", [0, 990])
def test_what_a_server_repeats_of_a_header_is_masked_in_each_form(repeated, before):
    access = Access(headers_of(f"Authorization: Bearer {SECRET}\nCookie: a=b; session={SECRET}"))
    body = b"x" * before + repeated.encode()
    with serving(lambda asked: asked.send(body)) as server:
        read = get(server, access=access).body
        assert len(read) == min(1000, len(body))
        assert not {b"to", b"ken", b"readers"} & set(re.findall(rb"[a-z]+", read))
        assert server.headers[0]["authorization"] == f"Bearer {SECRET}"


def test_a_header_does_not_replace_what_bounds_an_answer():
    access = Access(headers_of("Accept-Encoding: gzip\naccept: text/html"))
    with serving(lambda asked: asked.send(b"")) as server:
        get(server, access=access)
    [headers] = server.headers
    assert headers["accept-encoding"] == "identity"
    assert "html" not in headers["accept"]


def test_no_more_than_the_limit_is_read():
    """Of a body without an end, which nobody waits for."""
    has_left = threading.Event()

    def endless(asked):
        asked.send(b"", headers=TEXT | {"Content-Length": str(2**40)})
        try:
            while True:
                asked.wfile.write(b"x" * 65536)
        except OSError:
            has_left.set()
            asked.close_connection = True

    with serving(endless) as server:
        answer = get(server, most=100_000)
        assert has_left.wait(5)
    assert answer.body == b"x" * 100_000
    assert answer.is_cut


def test_an_answer_as_long_as_the_limit_is_not_cut():
    with serving(lambda asked: asked.send(b"x" * 1000)) as server:
        assert not get(server).is_cut


def test_a_redirect_below_the_address_is_followed():
    def answer(asked):
        if asked.path.startswith("/ci/job/?"):
            asked.send(b"folder")
        else:
            asked.redirect("./job/?q=a%20b&format=text", 301)

    with serving(answer) as server:
        answer = get(server, b"job", [("q", "a b")], "/ci")
    assert answer.body == b"folder"
    assert answer.place.path == b"job/"
    assert answer.place.query == [("q", "a b"), ("format", "text")]


@pytest.mark.parametrize("to", ["http://127.0.0.1:1/ci/x", "//evil.example/ci/x", "/x", "../x"])
def test_a_redirect_to_elsewhere_is_refused(to):
    with serving(lambda asked: asked.redirect(to)) as server:
        with pytest.raises(Elsewhere, match="Only links below"):
            get(server, root="/ci")
        assert len(server.asked) == 1


def test_redirects_without_end_are_left():
    with serving(lambda asked: asked.redirect("/a.log")) as server:
        with pytest.raises(Failed, match="again and again"):
            get(server)
        assert len(server.asked) < 10


@pytest.mark.parametrize(
    ("status", "kind", "body", "sentence"),
    [
        (404, "text/plain", b"No source has this log.", "404: No source has this log."),
        (503, "text/plain; charset=utf-8", b"Busy. " * 1000, "503: Busy. "),
        (502, "text/html", b"<h1>Bad Gateway</h1>", "502: Bad Gateway"),
        (401, "text/html", b"Log in", "401: Unauthorized"),
        (206, "text/plain", b"", "206: Partial Content"),
        (200, "text/html", b"<h1>It works</h1>", "--url may not be the address of oslogserve"),
    ],
)
def test_an_error_of_the_server_is_a_sentence(status, kind, body, sentence):
    answer = partial(Handler.send, body=body, status=status, headers={"Content-Type": kind})
    with serving(answer) as server, pytest.raises(Failed) as raised:
        get(server)
    assert sentence in str(raised.value)
    assert len(str(raised.value)) < 1100


def test_a_compressed_answer_is_refused():
    compressed = TEXT | {"Content-Encoding": "gzip"}
    answer = partial(Handler.send, body=b"\x1f\x8b", headers=compressed)
    with serving(answer) as server, pytest.raises(Failed, match="compresses"):
        get(server)


def test_a_server_that_is_away_is_a_sentence():
    with serving(lambda asked: asked.send()) as server:
        pass
    with pytest.raises(Failed, match="could not be asked"):
        get(server)


@pytest.mark.parametrize("began", [False, True])
def test_a_request_ends_at_its_deadline(began):
    """Also if a byte comes now and then."""
    may_end = threading.Event()

    def answer(asked):
        if began:
            asked.send(b"", headers=TEXT | {"Content-Length": "1000"})
        while not may_end.wait(0.05):
            if began:
                asked.wfile.write(b"x")
        asked.close_connection = True

    with serving(answer) as server:
        try:
            with pytest.raises(Failed, match=r"did not answer within 0\.3 s"):
                get(server, timeout=0.3)
        finally:
            may_end.set()


def test_an_answer_that_breaks_off_is_a_sentence():
    def answer(asked):
        asked.send(b"begun", headers=TEXT | {"Content-Length": "1000"})
        asked.close_connection = True

    with serving(answer) as server, pytest.raises(Failed, match="could not be asked"):
        get(server)


def test_a_server_that_resets_a_handshake_is_a_sentence_with_a_reason():
    """Its error has no text: only what the error comes from tells something."""

    class Closing(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.recv(1)
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.request.close()  # a reset, and no end

    with socketserver.TCPServer(("127.0.0.1", 0), Closing) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        server.url = f"https://127.0.0.1:{server.server_address[1]}"
        with pytest.raises(Failed) as raised:
            get(server)
        thread.join()
    assert (
        str(raised.value) == "The server could not be asked: [Errno 104] Connection reset by peer."
    )
