# SPDX-License-Identifier: Apache-2.0
"""The names under which the server answers.

A page of a foreign site can have its own name resolved to this server's address later (DNS rebinding). Its scripts then
ask with the site's name, and may read the answers, as those of their own site. An address in place of a name, and
localhost, are nobody else's.
"""

import re
from collections.abc import Collection
from ipaddress import ip_address
from typing import Any

from oslogserve.errors import Misdirected

_PORT = re.compile(r":[0-9]*\Z")


def check_host(environ: dict[str, Any], names: Collection[str]) -> None:
    """Raises Misdirected for a Host that is none of the names, in small letters. Clients that send none are no browsers."""
    host = environ.get("HTTP_HOST", "")
    name = _PORT.sub("", host).lower().removesuffix(".")
    if not host or name == "localhost" or name in names:
        return
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        raise Misdirected from None
