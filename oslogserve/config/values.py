# SPDX-License-Identifier: Apache-2.0
"""What an option takes: each raises ValueError with what that is."""

import re
from collections.abc import Callable
from configparser import RawConfigParser
from typing import Any


def between(lowest: float, highest: float, kind: type) -> Callable[[str], Any]:
    def parse(value: str) -> Any:
        try:
            number = kind(value)
        except ValueError:
            number = None
        if number is None or not lowest <= number <= highest:
            raise ValueError(f"a number from {lowest} to {highest}")
        return number

    return parse


def yes(value: str) -> bool:
    try:
        return RawConfigParser.BOOLEAN_STATES[value.lower()]
    except KeyError:
        raise ValueError("yes or no") from None


def one_of(*choices: str, fold: Callable[[str], str] = str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if fold(value) not in choices:
            raise ValueError("one of " + ", ".join(choices))
        return fold(value)

    return parse


def path(value: str) -> str:
    if value and not value.startswith("/"):
        raise ValueError('a path that begins with "/", or nothing')
    return value


def url(value: str) -> str:
    if value and not re.match("https?://[^/]", value, re.IGNORECASE):
        raise ValueError("an address that begins with http:// or https://")
    return value


def pattern(value: str) -> re.Pattern[str]:
    try:
        return re.compile(value)
    except re.error as error:
        raise ValueError(f"a regular expression ({error})") from None


def gzip_level(value: str) -> int | None:
    if value.lower() == "off":
        return None
    if value not in ("0", "1", "2", "3"):
        raise ValueError("0, 1, 2, 3 or off")
    return int(value)


def container(value: str) -> str:
    rest = value.replace("{partition}", "", 1)
    if "/" in value or "{" in rest or "}" in rest or len(value) > 256:
        raise ValueError("the name of a container, with at most one {partition} in it")
    return value
