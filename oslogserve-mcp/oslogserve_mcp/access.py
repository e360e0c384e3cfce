# SPDX-License-Identifier: Apache-2.0
"""What a server, or the way to it, asks of its readers: headers with a password, a certificate, a proxy.

No error here quotes a value, and what a server repeats of one is replaced.
"""

import base64
import re
import ssl
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

#: A header, of printable ASCII.
_HEADER = re.compile(r"([\w!#$%&'*+.^`|~-]+):[ \t]*([!-~](?:[\t -~]*[!-~])?)[ \t]*", re.ASCII)
#: Characters of all headers.
MOST_OF_HEADERS = 8192
#: Characters of one of a secret in its longest form.
LONGEST_FORM = 6
#: Characters of what is replaced in answers: a shorter one stands in logs for other reasons.
_LEAST = 8


class Access(NamedTuple):
    """How a client reaches its server. No request to another one has any of it."""

    headers: Mapping[str, str] = MappingProxyType({})
    #: With a client certificate; None for one without.
    context: ssl.SSLContext | None = None
    #: The URL of a proxy; "" for none.
    proxy: str = ""

    def secrets(self) -> re.Pattern[bytes] | None:
        """What no answer may show; None if there is nothing."""
        found = [secret for value in self.headers.values() for secret in _secrets_of(value)]
        proxy = urlsplit(self.proxy)
        if proxy.password:
            pair = f"{unquote(proxy.username or '')}:{unquote(proxy.password)}"
            found += [unquote(proxy.password), base64.b64encode(pair.encode()).decode()]
        forms = map(_forms, sorted(found, key=len, reverse=True))
        return re.compile("|".join(forms).encode(), re.IGNORECASE) if found else None


#: No password, certificate or proxy.
NONE = Access()


def _secrets_of(value: str) -> list[str]:
    """What is secret of a header's value: its words, and those behind the name of a cookie."""
    words = re.findall(rf"[^\s,;]{{{_LEAST},}}", value)
    return words + [part for word in words for part in re.findall(rf'[^="]{{{_LEAST},}}', word)]


def _forms(secret: str) -> str:
    """A pattern for it as it is, in JSON, and in a URL."""
    return "".join(
        c if c.isalnum() else rf"(?:\\?{re.escape(c)}|%{ord(c):02x}|\\u00{ord(c):02x})"
        for c in secret
    )


def headers_of(text: str) -> dict[str, str]:
    """The headers of lines such as "Authorization: Bearer ...", by name. Raises ValueError."""
    found = [_HEADER.fullmatch(line) for line in text.splitlines() if line.strip()]
    if len(text) > MOST_OF_HEADERS or None in found:
        most = f"all have at most {MOST_OF_HEADERS:,} characters"
        raise ValueError(f"a header is a name, a colon, and a value of printable ASCII; {most}")
    return {match[1].lower(): match[2] for match in found if match}


def context_of(certificate: str, key: str) -> ssl.SSLContext:
    """With a client certificate. key: "" if it is in the same file. Raises ValueError."""
    context = ssl.create_default_context()
    try:
        # A key with a passphrase would ask for it where the protocol is.
        context.load_cert_chain(certificate, key or None, password="")
    except (OSError, ValueError):  # of ssl, too
        what = "the certificate and the key of --cert and --key"
        raise ValueError(
            f"{what} are not there, not in PEM, not a pair, or want a passphrase"
        ) from None
    return context


def proxy_of(url: str) -> str:
    """The proxy that the environment names for an address; "" if it excludes that. Raises ValueError."""
    from urllib.request import getproxies, proxy_bypass  # few need it, and it takes long

    address = urlsplit(url)
    if proxy_bypass(address.netloc):
        return ""
    named = getproxies()
    proxy = named.get(address.scheme) or named.get("all") or ""
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    try:
        parts = urlsplit(proxy)
        is_known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_known = False
    if not is_known:
        name = f"{address.scheme.upper()}_PROXY"
        raise ValueError(f"--proxy: {name} or ALL_PROXY has to name one at http:// or https://")
    return proxy
