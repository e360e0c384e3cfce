# SPDX-License-Identifier: Apache-2.0
"""Sessions over HTTP, by the package mcp: requests for names that are ours, and none of a browser's pages."""

import logging
import socket
import sys
from collections.abc import Sequence
from typing import Any

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.routing import Route

from oslogserve_mcp import __version__
from oslogserve_mcp.client import Client
from oslogserve_mcp.protocol import called, instructions, listed

#: Bytes of a request: a tool's arguments have some 20,000 at most.
MOST_OF_REQUEST = 2**16
#: Connections at once; others get a 503.
MOST_CLIENTS = 64
_PATH = "/mcp"
#: Seconds for requests that are not answered when a signal ends it.
_PATIENCE = 5


def over_http(client: Client, to: tuple[str, int], names: Sequence[str]) -> None:
    """Serves until a signal. to: host and port. names: by which clients reach them, beside this machine's own.

    Raises OSError if nothing can listen there.
    """
    host, _ = to
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server(to, family=family) as listening:
        port = listening.getsockname()[1]
        shown = f"[{host}]" if family == socket.AF_INET6 else host
        print(f"oslogserve-mcp: http://{shown}:{port}{_PATH}", file=sys.stderr, flush=True)
        local = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]", shown)]
        anyio.run(_serve, client, listening, [*local, *names, *(f"{name}:*" for name in names)])


async def _serve(client: Client, listening: socket.socket, hosts: list[str]) -> None:
    manager = StreamableHTTPSessionManager(
        server_of(client),
        # No request needs what another one left.
        stateless=True,
        json_response=True,
        max_request_body_size=MOST_OF_REQUEST,
        # No origin: a browser names one, an agent does not.
        security_settings=TransportSecuritySettings(allowed_hosts=hosts),
    )
    # With GET, a client would wait for messages that never come.
    route = Route(_PATH, StreamableHTTPASGIApp(manager), methods=["POST"])
    app = Starlette(routes=[route], lifespan=lambda _: manager.run())
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        limit_concurrency=MOST_CLIENTS,
        timeout_graceful_shutdown=_PATIENCE,
    )
    # What they warn of are headers that any client may send.
    for name in ("mcp", "uvicorn"):
        logging.getLogger(name).setLevel(logging.ERROR)
    logging.getLogger("mcp.server.streamable_http").addFilter(_is_ours)
    async with client:
        await uvicorn.Server(config).serve(sockets=[listening])


def _is_ours(record: logging.LogRecord) -> bool:
    """False for the traceback of a client that left before its request was whole."""
    return not (record.exc_info and isinstance(record.exc_info[1], ClientDisconnect))


def server_of(client: Client) -> Server[Any]:
    async def on_list_tools(*_: Any) -> ListToolsResult:
        return ListToolsResult.model_validate(listed())

    async def on_call_tool(_: Any, call: CallToolRequestParams) -> CallToolResult:
        answer = await called(client, call.name, call.arguments or {})
        return CallToolResult.model_validate(answer)

    return Server(
        "oslogserve",
        version=__version__,
        instructions=instructions(client.site),
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
    )
