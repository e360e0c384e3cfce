# SPDX-License-Identifier: Apache-2.0
import ast
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import anyio
import pytest
from mcp import Client as Session

from client_kit import data_of, serving
from oslogserve_mcp import __version__
from oslogserve_mcp.client import Client
from oslogserve_mcp.command import main
from oslogserve_mcp.http import server_of
from oslogserve_mcp.places import Site

PROJECT = Path(__file__).resolve().parents[1]


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
    [said] = data_of(content.text)
    assert said.startswith(sentence)


@pytest.mark.parametrize(
    "url", ["logs", "https://reader:secret@logs", "https://logs/?a", "ftp://a"]
)
def test_a_wrong_address_is_one_sentence(url, capsys):
    with pytest.raises(SystemExit):
        main(["--url", url])
    out, err = capsys.readouterr()
    assert "oslogserve-mcp: error: argument --url: " in err
    assert "secret" not in err
    assert out == ""


@pytest.mark.parametrize("timeout", ["0", "-1", "nan", "inf", "5m"])
def test_a_time_without_an_end_is_refused(timeout, capsys):
    with pytest.raises(SystemExit):
        main(["--url", "https://logs.example.org", "--timeout", timeout])
    assert "argument --timeout: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--http", "0.0.0.0:0"], "needs --allow-host"),
        (["--http", "[::]:0"], "needs --allow-host"),
        (["--http", "logs.example.org:0"], "needs --allow-host"),
        (["--http", "127.0.0.1"], "argument --http: "),
        (["--http", "65536"], "argument --http: "),
        (["--key", "FILE"], "--key needs --cert"),
        (["--cert", "FILE"], "--cert and --key are not there"),
        (["--header-file", "/nothing"], "No such file"),
        (["--header-file", "FILE"], "a header is a name"),
    ],
)
def test_wrong_options_are_one_sentence_without_what_a_file_has(
    options, sentence, tmp_path, capsys
):
    file = tmp_path / "file"
    file.write_text("Bearer sesame-open")
    given = [str(file) if option == "FILE" else option for option in options]
    with pytest.raises(SystemExit):
        main(["--url", "https://logs.example.org", *given])
    said = capsys.readouterr().err
    assert sentence in said
    assert "sesame" not in said


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("OSLOGSERVE_MCP_HEADER", "Bearer sesame-open"),
        ("OSLOGSERVE_MCP_HEADER", "Authorization: Bearer sesame\x1b-open"),
        ("OSLOGSERVE_MCP_HEADER", f"Authorization: {'sesame' * 2000}"),
        ("HTTPS_PROXY", ""),
        ("HTTPS_PROXY", "socks5://me:sesame@proxy"),
        ("HTTPS_PROXY", "http://me:sesame@proxy:sesame"),
        ("HTTPS_PROXY", "http://me:sesame@[proxy"),
    ],
)
def test_a_wrong_variable_is_one_sentence_without_its_value(variable, value, monkeypatch, capsys):
    for name in ("https_proxy", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, value)
    with pytest.raises(SystemExit):
        main(["--url", "https://logs.example.org", "--proxy"])
    said = capsys.readouterr().err
    assert "a header is" in said or "--proxy: HTTPS_PROXY or ALL_PROXY has to" in said
    assert "sesame" not in said


@pytest.mark.parametrize(
    ("module", "left_out"),
    [
        ("command", {"anyio", "asyncio", "httpx2", "mcp", "mcp_types", "pydantic"}),
        ("stdio", {"mcp", "mcp_types", "starlette", "uvicorn"}),
    ],
)
def test_a_start_loads_nothing_that_takes_long(module, left_out):
    assert not loaded_by(f"oslogserve_mcp.{module}") & left_out


def loaded_by(*modules):
    """The packages that these load, in a process of their own."""
    program = "import sys; print({name.partition('.')[0] for name in sys.modules})"
    command = [sys.executable, "-c", f"import {', '.join(modules)}; {program}"]
    return ast.literal_eval(subprocess.check_output(command, cwd=PROJECT, text=True))


def test_it_imports_nothing_of_the_server():
    loaded = loaded_by("oslogserve_mcp.http", "oslogserve_mcp.stdio")
    assert "mcp" in loaded
    assert not loaded & {"oslogserve", "oslogserve_core", "gunicorn", "swiftclient", "sqlalchemy"}


def test_its_script_is_what_the_module_runs():
    metadata = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    [script] = metadata["scripts"].items()
    assert EntryPoint(*script, "console_scripts").load() is main
    [told] = subprocess.check_output(
        [sys.executable, "-m", "oslogserve_mcp", "--version"], cwd=PROJECT, text=True
    ).splitlines()
    assert told == f"{script[0]} {__version__}"
