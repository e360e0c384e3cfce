# SPDX-License-Identifier: Apache-2.0
"""Access to Swift: a storage URL with a token, and the credentials to get one."""

import math
from typing import Any, NamedTuple

from keystoneauth1.identity import v3
from requests.utils import urldefragauth
from swiftclient import authv1


class Access(NamedTuple):
    storage_url: str
    token: str
    #: keystoneauth's object, which knows when the token expires.
    info: Any
    #: Seconds that the token is good for, by its issuer's clock.
    life: float = math.inf


class NeverExpires:
    """Access.info of a public container, which needs no token."""

    def will_expire_soon(self, seconds: float) -> bool:
        return False


def credentials(options: dict[str, Any]) -> Any:
    """keystoneauth's plugin, with an auth_url without secrets, since it may be logged."""
    url = urldefragauth(options["auth_url"])
    plugin: Any = v3.Password  # takes an id before a name
    prefixes: tuple[str, ...] = ("username", "password", "project_", "user_domain_")
    if options["auth_version"] == "1":
        plugin, prefixes = authv1.PasswordPlugin, ("username", "password")
    elif options["application_credential_id"]:
        plugin, prefixes = v3.ApplicationCredential, ("application_credential_",)
    secrets = {key: value for key, value in options.items() if key.startswith(prefixes)}
    made = plugin(auth_url=url, **secrets)
    # keystoneauth would renew a token with two minutes left at each request. A token that expires
    # on its way is renewed after the 401.
    made.MIN_TOKEN_LIFE_SECONDS = 0
    return made
