# SPDX-License-Identifier: Apache-2.0
"""Bounded requests to one server, by httpx2, which the package mcp brings."""

import re
import ssl
from collections.abc import Awaitable
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import NamedTuple, Self, TypeVar
from urllib.parse import urljoin, urlsplit

import anyio
import httpx2

from oslogserve_mcp import __version__
from oslogserve_mcp.access import LONGEST_FORM, MOST_OF_HEADERS, NONE, Access
from oslogserve_mcp.places import Elsewhere, Error, Pairs, Place, Site

_T = TypeVar("_T")

#: Bytes of an answer of JSON that are read.
MOST_READ = 4 * 2**20
#: Bytes of an error that are read.
_MOST_OF_ERROR = 1000
#: Redirects of a request: to a folder, to the folder of its job, and one more.
_MOST_REDIRECTS = 3
_MOST_CONNECTIONS = 4
#: Bytes of a secret that a server repeats.
_MOST_OF_SECRET = LONGEST_FORM * MOST_OF_HEADERS
#: They come before those that a user gives.
_HEADERS = {
    "user-agent": f"oslogserve-mcp/{__version__}",
    # Errors come as a sentence.
    "accept": "text/plain, application/json",
    # Inflating could make any size of what is read.
    "accept-encoding": "identity",
}
#: For the person who started the command.
_LOGIN = "If the server wants a password or token, the user of oslogserve-mcp gives it one by --header-file."
_HINTS = {
    401: _LOGIN,
    403: _LOGIN,
    407: "The user of oslogserve-mcp has to give it the proxy's password.",
}


class Failed(Error):
    """The server has no such answer, or could not be asked."""


class NotFound(Failed):
    """The server has no such log or folder."""


class Answer(NamedTuple):
    body: bytes
    #: True if the body was longer than the limit.
    is_cut: bool
    #: What answered: a redirect may have led from a log's name to a folder.
    place: Place


class Client:
    """Requests below the address of a server. No cookie, proxy or credential is used but those of `access`.

    timeout: seconds of a request, redirects included.
    """

    def __init__(self, site: Site, timeout: float, access: Access = NONE) -> None:
        self.site = site
        self._timeout = timeout
        self._secrets = access.secrets()
        self._http = httpx2.AsyncClient(
            headers={**access.headers, **_HEADERS},
            verify=access.context or ssl.create_default_context(),
            proxy=_proxy(access.proxy) if access.proxy else None,
            timeout=None,  # a request has one deadline for all of its parts
            limits=httpx2.Limits(max_connections=_MOST_CONNECTIONS),
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._http.aclose()

    async def get(self, path: bytes, query: Pairs, most: int = MOST_READ) -> Answer:
        """The answer to a request. most: bytes of it that are read. Raises Error."""
        url = self.site.address(path, query)
        return await self._within(self._followed(url, most))

    async def redirect(self, path: bytes, query: Pairs) -> Place:
        """Where the first redirect leads, which is not followed. Raises Error."""
        return await self._within(self._redirected(self.site.address(path, query)))

    async def _within(self, request: Awaitable[_T]) -> _T:
        """The request's result. What fails in it becomes a sentence."""
        try:
            with anyio.fail_after(self._timeout):
                return await request
        except TimeoutError:
            within = f"The server did not answer within {self._timeout:g} s"
            raise Failed(f"{within}: ask for less, or once more.") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            reason = self._masked(_reason(error).encode()).decode()
            raise Failed(f"The server could not be asked: {reason}.") from error

    async def _followed(self, url: str, most: int) -> Answer:
        for _ in range(_MOST_REDIRECTS + 1):
            async with self._http.stream("GET", url) as response:
                if not response.has_redirect_location:
                    await self._check(response)
                    body = await self._read(response, most + 1)
                    return Answer(body[:most], len(body) > most, self.site.place(url))
                place = self._target(url, response)
                url = self.site.address(place.path, place.query)
        raise Failed("The server redirects again and again.")

    async def _redirected(self, url: str) -> Place:
        async with self._http.stream("GET", url) as response:
            if response.has_redirect_location:
                return self._target(url, response)
            await self._check(response)
        raise Failed("The server does not know where that is.")

    def _target(self, url: str, response: httpx2.Response) -> Place:
        """What a redirect names. Raises Elsewhere."""
        to = self._masked(response.headers["Location"].encode()).decode()
        try:
            return self.site.place(urljoin(url, to))
        except Elsewhere as error:
            raise Elsewhere(f"The server redirects elsewhere. {error}", _LOGIN) from None

    async def _check(self, response: httpx2.Response) -> None:
        """Raises Failed unless the answer is one of oslogserve's that can be read."""
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        status = response.status_code
        if status != 200:
            said = await self._read(response, _MOST_OF_ERROR) if kind == "text/plain" else b""
            said = said.strip() or self._masked(response.reason_phrase.encode())
            failed = NotFound if status == 404 else Failed
            sentence = f"The server says {status}: {said.decode('utf-8', 'replace')}"
            raise failed(sentence, _HINTS.get(status, ""))
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise Failed("The server compresses an answer, although it was asked not to.")
        if kind == "text/html":
            page = "The server sent a page: --url may not be the address of oslogserve."
            raise Failed(page, _LOGIN)

    async def _read(self, response: httpx2.Response, most: int) -> bytes:
        """The first bytes of the body, as they are sent."""
        body = bytearray()
        # A secret is not cut, or its beginning would be shown.
        end = most + (_MOST_OF_SECRET if self._secrets else 0)
        async for piece in response.aiter_raw():
            body += piece[: end - len(body)]
            if len(body) == end:
                break
        return self._masked(bytes(body))[:most]

    def _masked(self, said: bytes) -> bytes:
        """What a server says, without secrets that it repeats, and as long as before."""
        return self._secrets.sub(_stars, said) if self._secrets else said


def _proxy(url: str) -> httpx2.Proxy:
    """It gets no client certificate."""
    is_secure = urlsplit(url).scheme == "https"
    return httpx2.Proxy(url, ssl_context=ssl.create_default_context() if is_secure else None)


def _stars(found: re.Match[bytes]) -> bytes:
    return b"*" * len(found[0])


def _reason(error: BaseException) -> str:
    """What an error says, or the error that it comes from."""
    cause: BaseException | None = error
    while cause is not None:
        if said := str(cause):
            return said
        error, cause = cause, cause.__cause__ or cause.__context__
    return type(error).__name__
