# SPDX-License-Identifier: Apache-2.0
"""Objects of Swift whose names are paths that lead elsewhere, and requests for them as they stand."""

import contextlib
import http.client
import json
from urllib.parse import quote, unquote, urlsplit

import pytest

from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn

SECRET = b"the key of another container\n"
CONTAINER, OTHERS = "names", ("names-private", "private")
#: What the server answers itself, whatever has this name.
OURS = ("_oslogserve/log.js", "healthz", "metrics")
NAMES = [
    "..",
    "../private/key.txt",
    "a/../b.txt",
    "a/../../private/key.txt",
    "a/./b.txt",
    ".",
    "./b.txt",
    "/",
    "//",
    "/leading.txt",
    "//private/key.txt",
    "a//b.txt",
    "a///",
    "trailing/",
    ".env",
    ".git/config",
    "a/.env",
    "...",
    "..;/b.txt",
    "..\\private\\key.txt",
    "%2e%2e/private/key.txt",
    "%2e%2e%2fprivate%2fkey.txt",
    "%00",
    "b.txt%00.html",
    "\\0",
    "\\x00.txt",
    "new\nline.txt",
    "a\r\nX-Injected: yes.txt",
    "\x01\x1b[31m\x7f.txt",
    "\ttab.txt",
    " ",
    " leading and trailing ",
    "-",
    "--help",
    "*",
    "?x=1&format=raw",
    "#L1",
    "a?b#c;d=e&f.txt",
    "{partition}",
    "$(id)`id`|id;id",
    "%s%n{0}${x}",
    "'\"<>&.txt",
    "javascript:hit()",
    "http://evil.invalid/",
    "c:\\windows",
    "index.html/x",
    *OURS,
    "name.gz",
    "name.gz.gz",
    "\u00e9 composed.txt",
    "e\u0301 decomposed.txt",
    "\u202etxt.exe",
    "\u2028\u2029\ufeff\ufffe.txt",
    "\U0001f600.txt",
    "\uff0e\uff0e/fullwidth",
    "n" * 1024,
    "n" * 1021 + ".gz",
    "\u00e9" * 512,
    "/".join("d" * 512),
]


def content_of(name):
    return f"{name!r} and no other\n".encode()


def put_as_it_stands(address, token, name):
    """Stores the object; Swift's client would take segments out of its name."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.netloc, timeout=20)
    target = f"{place.path}/{CONTAINER}/{quote(name, safe='')}"
    connection.request("PUT", target, content_of(name), {"X-Auth-Token": token})
    answer = connection.getresponse()
    assert answer.status == 201, (name, answer.read())
    connection.close()


@pytest.fixture(scope="module")
def server(swift):
    with contextlib.closing(swift.connection(retries=1)) as connection:
        for container in (CONTAINER, *OTHERS):
            connection.put_container(container)
        for container in OTHERS:
            connection.put_object(container, "key.txt", SECRET)
        address, token = connection.get_auth()
    for name in NAMES:
        put_as_it_stands(address, token, name)
    with Gunicorn(ini({"swift": swift.settings(CONTAINER)})) as server:
        yield server


def addresses(name):
    """Ways to write it in a request."""
    quoted = quote(name)
    yield f"/{quoted}"
    yield "/" + quote(name, safe="")
    yield f"/{quoted}/"
    yield f"/{quoted}/../../private/key.txt"
    yield f"/{quoted}%00"


@pytest.mark.parametrize(
    "view", ["?format=raw", pytest.param("?format=html", marks=pytest.mark.long)]
)
def test_a_name_gives_its_own_object_or_none(server, view):
    for name in NAMES:
        for address in addresses(name):
            answer = ask(server, address + view)
            assert answer.status in (200, 301, 400, 404, 414), address
            assert SECRET.strip() not in answer.body, address
            assert "X-Injected" not in answer.headers, address
            is_folder = unquote(address).endswith("/") or name in OURS
            if answer.status == 200 and view == "?format=raw" and not is_folder:
                assert answer.body in map(content_of, NAMES), address


def test_dot_names_and_empty_segments_are_no_logs(server):
    for name in ("..", ".", ".env", ".git/config", "a/.env", "a/../b.txt", "a//b.txt", "..."):
        assert ask(server, "/" + quote(name)).status in (400, 404)


@pytest.mark.parametrize("folder", ["", "a/", "trailing/", "_oslogserve/"])
def test_a_listing_with_such_names_leads_nowhere_else(server, folder):
    page = ask(server, f"/{folder}?format=html")
    assert page.status == 200
    assert b'href="../private' not in page.body
    listed = json.loads(ask(server, f"/{folder}?format=json").body)
    for entry in listed["entries"]:
        assert entry["href"].startswith("./")
        target = entry["href"].removeprefix("./")
        assert target in (quote(entry["name"]), quote(entry["name"], safe=""))
        assert not entry["name"].startswith(".")
        assert SECRET not in ask(server, f"/{folder}{target}").body
