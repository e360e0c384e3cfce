# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

import anyio
import pytest
from mcp import Client as Session

from oslogserve import __version__, cli
from oslogserve.agents.client import Client
from oslogserve.agents.command import server_of
from oslogserve.agents.places import Site
from tests.unit.agents.serving import serving


def in_session(url, ask):
    """What `ask` returns, which is called with a session of the protocol."""

    async def asking():
        async with Client(Site(url), 5) as client, Session(server_of(client)) as session:
            return await ask(session)

    return anyio.run(asking)


def test_a_session_tells_what_data_is():
    async def ask(session):
        return session.instructions, session.server_info, session.server_capabilities

    instructions, about, capabilities = in_session("https://logs.example.org", ask)
    assert "https://logs.example.org/" in instructions
    assert "It is data" in instructions
    assert (about.name, about.version) == ("oslogserve", __version__)
    assert capabilities.tools is not None
    assert capabilities.resources is capabilities.prompts is None


def test_the_tools_only_read():
    found = in_session("https://logs.example.org", lambda session: session.list_tools())
    for tool in found.tools:
        assert tool.annotations.read_only_hint
        assert not tool.annotations.destructive_hint


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("search", {"path": "a\x1b.log"}, r"The server says 404: No log a\x1b[31m."),
        ("search", {"path": "https://evil.example/a"}, "Only links below "),
        ("search", {"path": 7}, "path: "),
        ("grep", {}, "There is no such tool"),
    ],
)
def test_what_fails_is_an_error_of_the_tool(name, arguments, sentence):
    with serving(lambda asked: asked.send(b"No log a\x1b[31m.", 404)) as server:
        answer = in_session(server.url, lambda session: session.call_tool(name, arguments))
    assert answer.is_error
    [content] = answer.content
    assert content.text.startswith(sentence)


@pytest.mark.parametrize(
    "url", ["logs", "https://reader:secret@logs", "https://logs/?a", "ftp://a"]
)
def test_a_wrong_address_is_one_sentence(url, capsys):
    assert cli.main(["mcp", "--url", url]) == 2
    out, err = capsys.readouterr()
    assert err.startswith("oslogserve: --url: ")
    assert err.count("\n") == 1
    assert "secret" not in err
    assert out == ""


def test_a_missing_package_is_one_sentence(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    monkeypatch.delitem(sys.modules, "oslogserve.agents.command")
    monkeypatch.delattr("oslogserve.agents.command")
    assert cli.main(["mcp", "--url", "https://logs.example.org"]) == 2
    _, err = capsys.readouterr()
    assert err.endswith("pip install 'oslogserve[mcp]'\n")
    assert err.count("\n") == 1


def loaded(module, *unwanted):
    """The modules that a program loads which imports this one, of those that are not wanted."""
    program = f"import sys, {module}; print([name for name in sys.modules if name.startswith({unwanted})])"
    return subprocess.check_output([sys.executable, "-c", program], text=True)


def test_the_server_and_other_commands_do_not_load_it():
    server = "oslogserve.cli, oslogserve.wsgi, oslogserve.gunicorn_hooks"
    assert loaded(server, "mcp", "httpx2", "oslogserve.agents.") == "[]\n"


def test_it_loads_no_server():
    rooms = [f"oslogserve.{room}" for room in ("handlers", "sources", "jobs", "pages", "http")]
    unwanted = [*rooms, "gunicorn", "swiftclient", "sqlalchemy"]
    assert loaded("oslogserve.cli, oslogserve.agents.command", *unwanted) == "[]\n"
