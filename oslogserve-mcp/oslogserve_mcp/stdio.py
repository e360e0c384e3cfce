# SPDX-License-Identifier: Apache-2.0
"""A session on standard input and output: a line of JSON for each message.

It needs few of the protocol's messages, and an agent waits for it at each start: the package mcp, which has all of
them, takes three times as long to load as all that is used here.
"""

import json
import logging
import sys
from typing import Any

import anyio
import anyio.to_thread

from oslogserve_mcp import __version__
from oslogserve_mcp.client import Client
from oslogserve_mcp.protocol import called, instructions, listed

_LOG = logging.getLogger(__name__)
#: Versions of the protocol that have these messages, the oldest first.
_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
#: Codes and sentences of JSON-RPC. Nothing of a message is repeated.
_NO_JSON = {"code": -32700, "message": "This is no JSON."}
_NO_REQUEST = {"code": -32600, "message": "This is no request."}
_NO_METHOD = {"code": -32601, "message": "There is no such method."}
_WRONG = {"code": -32602, "message": "The parameters are wrong."}
_BROKEN = {"code": -32603, "message": "Internal error."}


def over_stdio(client: Client) -> None:
    """Returns when the agent is gone."""
    try:
        anyio.run(_serve, client)
    except* BrokenPipeError:
        pass


async def _serve(client: Client) -> None:
    async def answer(line: bytes) -> None:
        if (message := await answered(client, line)) is not None:
            sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
            sys.stdout.buffer.flush()

    async with client, anyio.create_task_group() as calls:
        while line := await anyio.to_thread.run_sync(sys.stdin.buffer.readline):
            calls.start_soon(answer, line)
        calls.cancel_scope.cancel()


async def answered(client: Client, line: bytes) -> dict[str, Any] | None:
    """The answer to a message; None if it wants none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {"jsonrpc": "2.0", "id": None, "error": _NO_JSON}
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return {"jsonrpc": "2.0", "id": None, "error": _NO_REQUEST}
    if "id" not in message:
        return None
    about = {"jsonrpc": "2.0", "id": message["id"]}
    params = message.get("params", {})
    if not isinstance(params, dict):
        return {**about, "error": _WRONG}
    result: dict[str, Any] = {}
    match message["method"]:
        case "initialize":
            version = params.get("protocolVersion")
            result = {
                "protocolVersion": version if version in _VERSIONS else _VERSIONS[-1],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "oslogserve", "version": __version__},
                "instructions": instructions(client.site),
            }
        case "ping":
            pass
        case "tools/list":
            result = listed()
        case "tools/call":
            name, arguments = params.get("name"), params.get("arguments") or {}
            if not isinstance(name, str) or not isinstance(arguments, dict):
                return {**about, "error": _WRONG}
            try:
                result = await called(client, name, arguments)
            except Exception:  # noqa: BLE001 - a session outlives it
                _LOG.exception("A tool failed")
                return {**about, "error": _BROKEN}
        case _:
            return {**about, "error": _NO_METHOD}
    return {**about, "result": result}
