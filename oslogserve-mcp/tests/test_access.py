# SPDX-License-Identifier: Apache-2.0
import base64
import logging
from contextlib import suppress
from functools import partial

import pytest

from client_kit import Handler, asked_of, serving
from oslogserve_mcp.access import Access, headers_of, proxy_of
from oslogserve_mcp.client import Failed

TOKEN = "sesame-open-the-door"
ACCESS = Access(headers_of(f"Authorization: Bearer {TOKEN}"))


def test_headers_are_lines():
    text = "\nAuthorization: x\n\r\nX-Y:\tb c \n"
    assert headers_of(text) == {"authorization": "x", "x-y": "b c"}
    assert headers_of("") == {}


@pytest.mark.parametrize(
    "text",
    [TOKEN, f": {TOKEN}", f"a b: {TOKEN}", f"a: {TOKEN}\x00", f"a: {TOKEN}\xe9", "a:", "a: b\n c"],
)
def test_what_is_no_header_is_not_quoted(text):
    with pytest.raises(ValueError, match="a header is a name") as raised:
        headers_of(text)
    assert "sesame" not in str(raised.value)


@pytest.mark.parametrize(
    ("value", "hidden", "shown"),
    [
        (f"Bearer {TOKEN}", [TOKEN, TOKEN.upper()], ["Bearer", "sesame"]),
        (f"a=b; s={TOKEN}", [f"s={TOKEN}", TOKEN], ["a=b"]),
        (
            "a/b+c=d/e",
            ["a/b+c=d/e", r"a\/b+c=d\/e", "a%2Fb%2bc%3Dd/e", r"a/b\u002bc=d/e"],
            ["a/b+c"],
        ),
        ("short", [], ["short"]),
    ],
)
def test_what_is_secret_of_a_header(value, hidden, shown):
    secrets = Access({"x": value}).secrets()
    for one in hidden:
        assert secrets.search(one.encode()), one
    for one in shown:
        assert not (secrets and secrets.search(one.encode())), one


def test_a_proxy_has_a_secret_in_two_forms():
    secrets = Access(proxy="http://me:p%40ss@proxy.example.org").secrets()
    for one in (b"p@ss", base64.b64encode(b"me:p@ss")):
        assert secrets.search(one)
    assert Access(proxy="http://proxy.example.org").secrets() is None


@pytest.mark.parametrize("status", [200, 400])
def test_no_secret_is_logged(caplog, status):
    caplog.set_level(logging.DEBUG)
    answer = partial(Handler.send, body=TOKEN.encode(), status=status)
    with serving(answer) as server, suppress(Failed):
        asked_of(server, lambda client: client.get(b"a", ()), access=ACCESS)
    assert caplog.records
    assert "sesame" not in caplog.text


@pytest.mark.parametrize(
    ("variables", "proxy"),
    [
        ({"https_proxy": "http://a:3128"}, "http://a:3128"),
        ({"HTTPS_PROXY": "a:3128"}, "http://a:3128"),
        ({"ALL_PROXY": "https://a", "HTTP_PROXY": "http://b"}, "https://a"),
        ({"HTTPS_PROXY": "http://a", "NO_PROXY": "localhost,.example.org"}, ""),
        ({"HTTPS_PROXY": "http://a", "NO_PROXY": "*"}, ""),
    ],
)
def test_the_environment_names_a_proxy(variables, proxy, monkeypatch):
    for name in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name}_proxy".upper(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert proxy_of("https://logs.example.org/ci/") == proxy
