# SPDX-License-Identifier: Apache-2.0
"""Addresses of one server: which ones a client may request, and how they are written."""

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import (
    SplitResult,
    parse_qsl,
    quote,
    unquote_to_bytes,
    urlencode,
    urlsplit,
)

Pairs = Sequence[tuple[str, str]]

#: Bytes of a path, as of the server's.
_LONGEST_PATH = 4096
#: Characters of a link or a path: three for each byte of a path, and a query.
LONGEST = 16384
#: Parameters of a link that are looked at.
_MOST_PARAMETERS = 100
_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?", re.IGNORECASE)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|//", re.IGNORECASE)
#: What a link says behind a path. A file's name may have other "?" and "#" of its own.
_BEHIND = re.compile(r"(?:\?[a-z]+=[^?#]*)?(?:#L[0-9L-]+)?\Z")
_OF_LINK = re.compile(r"%(?=[0-9A-Fa-f]{2})|[?#]")
_SPACE = re.compile(r"[\0- \x7f]")
_LINES = re.compile(r"L([1-9][0-9]{0,11})(?:-L?([1-9][0-9]{0,11}))?")


class Error(Exception):
    """One sentence for an agent, which may quote a log. hint: what this package adds, which quotes none."""

    def __init__(self, sentence: str, hint: str = "") -> None:
        super().__init__(sentence)
        self.hint = hint


class BadRequest(Error):
    """What an agent gave is not taken."""


class Elsewhere(BadRequest):
    """An address that is not below the server's."""


class Place(NamedTuple):
    """A log or a folder, and what else a link to it says."""

    #: Below the server's address, without a slash at its beginning.
    path: bytes
    #: The query of the link.
    query: Pairs = ()
    #: Numbers of the lines that the link leads to; 0 for none.
    first: int = 0
    last: int = 0

    @property
    def source(self) -> str:
        """The source that the link names; "" for none."""
        return self._first("source")

    @property
    def goto(self) -> str:
        """The line, time or cause that the link leads to; "" for none."""
        return self._first("goto")

    def _first(self, name: str) -> str:
        return next((value for one, value in self.query if one == name), "")


class Site:
    """A server. url: its address, as a user gives it. Raises ValueError that says what is wrong."""

    def __init__(self, url: str) -> None:
        if _SPACE.search(url):
            raise ValueError("an address has no spaces: write them as %20")
        address = urlsplit(url)
        self._origin = _origin(address)
        if address.query or address.fragment:
            raise ValueError("give it without ? and #")
        root = _path(address.path.strip("/"))
        self._root = root + b"/" if root else b""
        self._host = f"{address.scheme}://{address.netloc}"
        self._quoted_root = quote(self._root)
        self.url = f"{self._host}/{self._quoted_root}"

    def place(self, given: str) -> Place:
        """What an agent names: a link, or a path as links have it. Raises BadRequest.

        A path that begins with a slash may be below the server's address or below its host.
        """
        if len(given) > LONGEST:
            raise BadRequest(f"A path or link of more than {LONGEST} characters is not taken.")
        if _ADDRESS.match(given):
            return self._of_link(given)
        name, behind = _split(given)
        if behind and not name:
            raise BadRequest(f"Put the link to its log before {behind}.")
        path = quote(name.removeprefix("/"), safe="/%", errors="replace")
        is_of_host = name.startswith("/") and f"{path}/".startswith(self._quoted_root)
        root = "" if is_of_host else self._quoted_root
        return self._of_link(f"{self._host}/{root}{path}{behind}")

    def _of_link(self, given: str) -> Place:
        try:
            link = urlsplit(given)
            is_ours = _origin(link) == self._origin
            query = parse_qsl(link.query, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
        except ValueError as error:
            raise Elsewhere(f"That is no link to a log here: {error}.") from None
        path = _path(link.path.removeprefix("/"))
        if not is_ours or not (path + b"/").startswith(self._root):
            raise Elsewhere(f"Only links below {self.url} are opened.")
        first, last = _lines_of(link.fragment, dict(reversed(query)))
        return Place(path[len(self._root) :], query, first, last)

    def address(self, path: bytes, query: Pairs) -> str:
        """The address of a log or a folder, with a query."""
        return f"{self.url}{quote(path)}{'?' if query else ''}{urlencode(query)}"

    def link(self, path: bytes, line: int = 0, source: str = "") -> str:
        """A permanent link to a log, a folder, or a line of a log."""
        pairs = [("source", source), ("goto", str(line or ""))]
        return self.address(path, [pair for pair in pairs if pair[1]])


def as_path(name: str) -> str:
    """The name of a log as a path has it, which an agent may give back."""
    return _OF_LINK.sub(lambda found: quote(found[0]), name)


def below(folder: bytes, href: str) -> bytes:
    """The path of an entry, from its address relative to its folder. Raises BadRequest."""
    name = _path(href.removeprefix("./"))
    return folder.rstrip(b"/") + b"/" + name if folder else name


def _split(given: str) -> tuple[str, str]:
    """A path, and what a link to its lines has behind it."""
    end = next(found.start() for found in _BEHIND.finditer(given))
    return given[:end], given[end:]


def _path(quoted: str) -> bytes:
    """The path that a link has. Raises BadRequest where it would lead out of the server's address."""
    path = unquote_to_bytes(quoted).removeprefix(b"/")
    segments = path.removesuffix(b"/").split(b"/")
    if len(path) > _LONGEST_PATH:
        raise BadRequest(f"The path is longer than {_LONGEST_PATH} bytes.")
    if b"\0" in path:
        raise BadRequest("The path holds a NUL byte.")
    if b"." in segments or b".." in segments:
        raise BadRequest('The path has a "." or ".." segment: name the log itself.')
    if path and b"" in segments:
        raise BadRequest('The path has an empty segment ("//").')
    return path


def _lines_of(fragment: str, query: dict[str, str]) -> tuple[int, int]:
    """The first and the last line to which a link leads; 0 for none."""
    named = (fragment, f"L{query.get('goto')}", f"L{query.get('lines')}")
    numbers = next(filter(None, map(_numbers, named)), (0, 0))
    # The lines of a cause are in `show`, and the fragment is the first of them.
    shown = _numbers(query.get("show", ""))
    return shown if shown and shown[0] == numbers[0] else numbers


def _numbers(fragment: str) -> tuple[int, int] | None:
    found = _LINES.fullmatch(fragment)
    return (int(found[1]), int(found[2] or found[1])) if found else None


def _origin(address: SplitResult) -> tuple[str, str, int]:
    """Scheme, host and port. Raises ValueError."""
    if address.scheme not in _PORTS or not _HOST.fullmatch(address.netloc):
        raise ValueError("an address has http:// or https:// and a host, and no user")
    return address.scheme, str(address.hostname), address.port or _PORTS[address.scheme]
