# SPDX-License-Identifier: Apache-2.0
"""Tools for agents that read logs, by the Model Context Protocol: `oslogserve mcp`.

It is a client of a server, over HTTP, and needs no rights of its own. `places` says which addresses it may
request, `client` requests them, `tools` has the tools, with the texts of `job` and `rows` in the frames of
`answer`. `command` serves them on standard input and output. What a job wrote is data: each answer says so.

Here are the arguments of the command, which is imported only when it runs.
"""

import argparse
from typing import Any

from oslogserve.config.values import duration

#: Seconds of a request. Agents give up after a minute.
TIMEOUT = 50


def add_to(commands: Any) -> None:
    mcp = commands.add_parser("mcp", help="let an agent read a server's logs")
    url = "address of the server, such as https://logs.example.org"
    mcp.add_argument("--url", required=True, metavar="URL", help=url)
    timeout = "time until a request has failed (default: %(default)s)"
    mcp.add_argument("--timeout", type=duration, default=TIMEOUT, metavar="T", help=timeout)
    mcp.set_defaults(run=_mcp)


def _mcp(options: argparse.Namespace) -> int:
    try:
        from oslogserve.agents import command
    except ImportError as error:
        raise OSError(f"{error}: pip install 'oslogserve[mcp]'") from error
    return command.mcp(options)
