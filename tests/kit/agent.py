# SPDX-License-Identifier: Apache-2.0
"""`oslogserve-mcp`, as an agent or its user starts it: over standard input and output, or over HTTP."""

import subprocess
import sys
import tempfile
from contextlib import contextmanager

from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.servers.process import REPOSITORY, environment

#: Where the command can be run without being installed.
PROJECT = REPOSITORY / "oslogserve-mcp"
COMMAND = [sys.executable, "-m", "oslogserve_mcp"]


@contextmanager
def agent(*options, **variables):
    """Yields a function that calls a tool and returns the text of its answer. The command says nothing beside it."""
    program, *arguments = COMMAND
    with tempfile.TemporaryFile("w+") as errors, start_blocking_portal() as portal:
        parameters = StdioServerParameters(
            command=program,
            args=[*arguments, *options],
            env=environment(**variables),
            cwd=PROJECT,
        )
        session = Client(stdio_client(parameters, errors))

        def ask(tool, is_error=False, **arguments):
            answer = portal.call(session.call_tool, tool, arguments)
            assert answer.is_error == is_error, answer.content
            [content] = answer.content
            return content.text

        with portal.wrap_async_context_manager(session):
            ask.session, ask.portal = session, portal
            yield ask
        errors.seek(0)
        assert errors.read() == ""


@contextmanager
def over_http(*options):
    """Yields the address at which the command listens, as it says."""
    with subprocess.Popen(
        [*COMMAND, "--http", "0", *options],
        env=environment(),
        cwd=PROJECT,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process.stderr.readline().split()[-1]
        finally:
            process.terminate()
            assert process.communicate(timeout=10)[1] == ""
