# SPDX-License-Identifier: Apache-2.0
"""`oslogserve-mcp` and servers that ask for a password, a token or a certificate, which nobody else gets to see."""

import base64

import anyio
import pytest

from client_kit import Handler, data_of, serving
from oslogserve_mcp.access import NONE, Access, context_of, headers_of
from oslogserve_mcp.client import Client, Failed
from oslogserve_mcp.places import Elsewhere, Error, Site
from tests.kit.agent import agent
from tests.servers.client import ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.tls import Authority, Guarded

PASSWORD = "correct/horse+battery=staple"
BASIC = base64.b64encode(f"reader:{PASSWORD}".encode()).decode()
#: As a user gives it.
LINE = f"Authorization: Basic {BASIC}"
ACCESS = Access(headers_of(LINE))


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def elsewhere():
    with serving(Handler.send) as server:
        yield server


@pytest.fixture(scope="module")
def guarded(authority, elsewhere, tmp_path_factory):
    root = tmp_path_factory.mktemp("guarded")
    (root / "a.log").write_text("ERROR: disk is full\n")
    with (
        Gunicorn(ini({"disk": {"root": root}})) as gunicorn,
        Guarded(gunicorn.port, authority, f"reader:{{PLAIN}}{PASSWORD}\n", elsewhere.url) as nginx,
    ):
        yield nginx


@pytest.fixture
def certificate(authority, tmp_path, monkeypatch):
    """Files of a certificate, of its key, and of both. The server's authority is trusted."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    made = authority.certificate("agent.example.org")
    parts = {"cert": made.cert_chain_pems[0], "key": made.private_key_pem}
    for name, part in parts.items():
        part.write_to_path(tmp_path / name)
        part.write_to_path(tmp_path / "both", append=True)
    return tmp_path


def get(url, path, access=NONE):
    """What a client reads of a path, as text. Raises Error."""

    async def asking():
        async with Client(Site(url), 5, access) as client:
            return (await client.get(path, (), 1000)).body.decode()

    return anyio.run(asking)


def test_a_password_is_in_a_file(guarded, tmp_path):
    file = tmp_path / "headers"
    file.write_text(f"X-More: {'more' * 9}\n{LINE}\n")
    with agent("--url", guarded.plain_url, "--header-file", str(file)) as ask:
        assert data_of(ask("search", path="a.log"))[-1] == "1: ERROR: disk is full"
        [said] = data_of(ask("files", is_error=True, path="repeat"))
        assert said == f"The server says 400: Basic {'*' * len(BASIC)} {'*' * 36}"


def test_without_a_password_an_agent_learns_what_its_user_has_to_do(guarded):
    with pytest.raises(Failed, match="401: Unauthorized") as raised:
        get(guarded.plain_url, b"a.log")
    assert "--header-file" in raised.value.hint


@pytest.mark.parametrize("key", ["key", ""])
def test_a_client_certificate_opens_a_server(guarded, certificate, key):
    context = context_of(
        str(certificate / ("cert" if key else "both")), key and str(certificate / key)
    )
    assert get(guarded.url, b"a.log", Access(context=context)) == "ERROR: disk is full\n"


def test_without_a_client_certificate_a_server_refuses(guarded, certificate):
    with pytest.raises(Failed, match="400: Bad Request"):
        get(guarded.url, b"a.log")


def test_another_server_gets_no_password(guarded, elsewhere):
    with pytest.raises(Elsewhere) as raised:
        get(guarded.plain_url, b"away", ACCESS)
    assert elsewhere.asked == []
    assert BASIC not in str(raised.value)
    # It may have led to a page where people log in.
    assert "--header-file" in raised.value.hint


@pytest.mark.parametrize("path", ["repeat", "repeat-in-redirect"])
def test_a_server_that_repeats_a_password_is_not_repeated(guarded, path):
    with pytest.raises(Error) as raised:
        get(guarded.plain_url, path.encode(), ACCESS)
    said = str(raised.value)
    assert "*" * len(BASIC) in said
    assert not any(secret[:8] in said for secret in (BASIC, PASSWORD))


def test_a_proxy_is_asked_if_a_user_wants_it(guarded, tmp_path):
    """With its own password, and with that of the server, whose address it gets."""
    with serving(lambda asked: asked.send(b"1 line", 502)) as proxy:
        address = proxy.url.replace("//", "//me:proxy-password@")
        variables = {"HTTP_PROXY": address, "NO_PROXY": "", "OSLOGSERVE_MCP_HEADER": LINE}
        with agent("--url", "http://logs.example.org", "--proxy", **variables) as ask:
            ask("search", is_error=True, path="a.log")
        assert proxy.asked == ["http://logs.example.org/a.log?format=jsonl&limit=100"]
        [headers] = proxy.headers
        assert headers["authorization"] == LINE.partition(": ")[2]
        assert base64.b64decode(headers["Proxy-Authorization"].split()[1]) == b"me:proxy-password"
