# SPDX-License-Identifier: Apache-2.0
"""Operators: the clients that may read metrics and readiness, by their addresses.

Only fronts may set X-Forwarded-For. From any other client it is ignored.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

Address = IPv4Address | IPv6Address
Networks = Sequence[IPv4Network | IPv6Network]


class Operators:
    def __init__(self, operators: Networks, fronts: Networks) -> None:
        """fronts: proxies before this server, which name their clients in X-Forwarded-For."""
        self._operators = operators
        self._fronts = fronts

    def include(self, environ: dict[str, Any]) -> bool:
        client = self.client(environ)
        return client is not None and _is_in(client, self._operators)

    def client(self, environ: dict[str, Any]) -> Address | None:
        """The address of the client that sent the request to the first front; None if unknown."""
        forwarded = environ.get("HTTP_X_FORWARDED_FOR", "")
        hops = forwarded.split(",") if forwarded else []
        peer = environ.get("REMOTE_ADDR", "")
        if peer:
            hops.append(peer)  # else it is a Unix socket, where only fronts connect
        client = None
        for hop in reversed(hops):
            try:
                address = ip_address(hop.strip())
            except ValueError:
                return None
            client = getattr(address, "ipv4_mapped", None) or address
            if not _is_in(client, self._fronts):
                break
        return client


def _is_in(address: Address, networks: Networks) -> bool:
    return any(address in network for network in networks)
