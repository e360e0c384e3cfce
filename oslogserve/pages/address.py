# SPDX-License-Identifier: Apache-2.0
"""Links from a page to the same path, with other parameters."""

from collections.abc import Container, Iterable
from typing import NamedTuple
from urllib.parse import urlencode


class Link(NamedTuple):
    """A link on a page; its template escapes all of it."""

    address: str
    text: str
    rel: str = ""


def address(
    parameters: Iterable[tuple[str, str]] = (),
    without: Container[str] = (),
    **added: str | bytes | int,
) -> str:
    """A relative URL, to be escaped: the parameters but for `without`, then those that are added.

    Parameters that are empty are left out.
    """
    pairs = [(name, value) for name, value in parameters if value and name not in without]
    return "?" + urlencode([*pairs, *((name, value) for name, value in added.items() if value)])
