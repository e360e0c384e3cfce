# SPDX-License-Identifier: Apache-2.0
"""Bounded requests to one server, by httpx2, which the package mcp brings."""

import ssl
from collections.abc import Awaitable
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import NamedTuple, Self, TypeVar
from urllib.parse import urljoin

import anyio
import httpx2

from oslogserve_mcp import __version__
from oslogserve_mcp.places import Error, Pairs, Place, Site

_T = TypeVar("_T")

#: Bytes of an answer of JSON that are read.
MOST_READ = 4 * 2**20
#: Bytes of an error that are read.
_MOST_OF_ERROR = 1000
#: Redirects of a request: to a folder, to the folder of its job, and one more.
_MOST_REDIRECTS = 3
_MOST_CONNECTIONS = 4
_HEADERS = {
    "User-Agent": f"oslogserve-mcp/{__version__}",
    # Errors come as a sentence.
    "Accept": "text/plain, application/json",
    # Inflating could make any size of what is read.
    "Accept-Encoding": "identity",
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
    """Requests below the address of a server. No proxy, cookie or credential is used.

    timeout: seconds of a request, redirects included.
    """

    def __init__(self, site: Site, timeout: float) -> None:
        self.site = site
        self._timeout = timeout
        self._http = httpx2.AsyncClient(
            headers=_HEADERS,
            verify=ssl.create_default_context(),
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
            raise Failed(f"The server could not be asked: {_reason(error)}.") from error

    async def _followed(self, url: str, most: int) -> Answer:
        for _ in range(_MOST_REDIRECTS + 1):
            async with self._http.stream("GET", url) as response:
                if not response.has_redirect_location:
                    await _check(response)
                    body = await _read(response, most + 1)
                    return Answer(body[:most], len(body) > most, self.site.place(url))
                url = self._target(url, response)
        raise Failed("The server redirects again and again.")

    async def _redirected(self, url: str) -> Place:
        async with self._http.stream("GET", url) as response:
            if response.has_redirect_location:
                return self.site.place(urljoin(url, response.headers["Location"]))
            await _check(response)
        raise Failed("The server does not know where that is.")

    def _target(self, url: str, response: httpx2.Response) -> str:
        """The address that a redirect names. Raises Elsewhere."""
        place = self.site.place(urljoin(url, response.headers["Location"]))
        return self.site.address(place.path, place.query)


def _reason(error: BaseException) -> str:
    """What an error says, or the error that it comes from."""
    cause: BaseException | None = error
    while cause is not None:
        if said := str(cause):
            return said
        error, cause = cause, cause.__cause__ or cause.__context__
    return type(error).__name__


async def _check(response: httpx2.Response) -> None:
    """Raises Failed unless the answer is one of oslogserve's that can be read."""
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if response.status_code != 200:
        said = await _read(response, _MOST_OF_ERROR) if kind == "text/plain" else b""
        sentence = said.decode("utf-8", "replace").strip() or response.reason_phrase
        failed = NotFound if response.status_code == 404 else Failed
        raise failed(f"The server says {response.status_code}: {sentence}")
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise Failed("The server compresses an answer, although it was asked not to.")
    if kind == "text/html":
        raise Failed("The server sent a page: --url may not be the address of oslogserve.")


async def _read(response: httpx2.Response, most: int) -> bytes:
    """The first bytes of the body, as they are sent."""
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece[: most - len(body)]
        if len(body) == most:
            break
    return bytes(body)
