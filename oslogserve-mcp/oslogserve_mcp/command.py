# SPDX-License-Identifier: Apache-2.0
"""`oslogserve-mcp`: its options, and what they lead to."""

import argparse
import math
import os
import signal
from collections.abc import Sequence
from ipaddress import ip_address

from oslogserve_mcp import __version__
from oslogserve_mcp.access import MOST_OF_HEADERS, Access, context_of, headers_of, proxy_of
from oslogserve_mcp.places import Error, Site

#: Seconds of a request. Agents give up after a minute.
TIMEOUT = 50
#: A variable that has a line such as "Authorization: Bearer ...".
HEADER = "OSLOGSERVE_MCP_HEADER"
_LOOPBACK = "127.0.0.1"


def main(arguments: Sequence[str] | None = None) -> int:
    about = (
        "Gives an agent tools that read a server's logs, on standard input and output or over HTTP."
    )
    parser = argparse.ArgumentParser(prog="oslogserve-mcp", description=about)
    add = parser.add_argument
    add("--version", action="version", version=f"%(prog)s {__version__}")
    url = "address of the server, such as https://logs.example.org"
    add("--url", type=_site, required=True, metavar="URL", help=url)
    timeout = "seconds until a request has failed (default: %(default)s)"
    add("--timeout", type=seconds, default=TIMEOUT, metavar="S", help=timeout)
    headers = f'file of headers to send, such as "Authorization: Bearer ..."; so is ${HEADER}'
    add("--header-file", metavar="FILE", default="", help=headers)
    add("--cert", metavar="FILE", default="", help="client certificate to send, in PEM")
    add("--key", metavar="FILE", default="", help="its key, if that is in another file")
    add("--proxy", action="store_true", help="use the proxy that the environment names")
    http = f"serve the tools over HTTP there, at /mcp (default of HOST: {_LOOPBACK})"
    add("--http", type=address, metavar="[HOST:]PORT", help=http)
    host = "a name by which clients reach that; needed for a HOST that is not this machine's alone"
    add("--allow-host", action="append", default=[], metavar="NAME", help=host)
    options = parser.parse_args(arguments)
    if options.key and not options.cert:
        parser.error("--key needs --cert")
    if options.http and not (_is_loopback(options.http[0]) or options.allow_host):
        parser.error("argument --http: other machines reach that, which needs --allow-host")
    try:
        access = _access(options)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    # Nothing is begun that could be left half done, and a thread waits for standard input.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # What takes long to load is not needed by all.
    from oslogserve_mcp.client import Client

    client = Client(options.url, options.timeout, access)
    if options.http:
        try:
            from oslogserve_mcp.http import over_http

            over_http(client, options.http, options.allow_host)
        except OSError as error:
            parser.error(f"argument --http: {error.strerror}")
    else:
        from oslogserve_mcp.stdio import over_stdio

        over_stdio(client)
    return 0


def _access(options: argparse.Namespace) -> Access:
    """Raises OSError and ValueError, which quote no secret."""
    headers = headers_of(os.environ.get(HEADER, ""))
    if options.header_file:
        with open(options.header_file, encoding="latin-1") as file:
            headers |= headers_of(file.read(MOST_OF_HEADERS + 1))
    context = context_of(options.cert, options.key) if options.cert else None
    return Access(headers, context, proxy_of(options.url.url) if options.proxy else "")


def _site(url: str) -> Site:
    try:
        return Site(url)
    except (ValueError, Error) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def seconds(text: str) -> float:
    time = float(text)
    if not 0 < time < math.inf:
        raise ValueError
    return time


def address(text: str) -> tuple[str, int]:
    """Host and port."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 2**16):
        raise ValueError
    return host.removeprefix("[").removesuffix("]") or _LOOPBACK, int(port)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False  # a name, which may lead anywhere
