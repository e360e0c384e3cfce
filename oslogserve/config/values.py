# SPDX-License-Identifier: Apache-2.0
"""Parsers of values. Each raises an error that says which values are valid.

For an option it is a ValueError, for an argument of a command argparse's ArgumentTypeError.
"""

import argparse
import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from urllib.parse import urlsplit

from oslogserve.native import SEVERITIES, Masks, Patterns, check_line_pattern
from oslogserve.search import rewritten
from oslogserve.text import quoted

#: Bytes of a pattern, which is tried on every line.
LONGEST_LINE_PATTERN = 1000
#: Bytes of all words with their severities.
LONGEST_WORDS = 2000
DECIMAL_SIZES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
BINARY_SIZES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_TEN_YEARS = 3650 * 86400


def number(lowest: float, highest: float) -> Callable[[str], float]:
    """Whole ones if the lowest is whole."""

    def bounded(text: str) -> float:
        with suppress(ValueError):
            if lowest <= (value := type(lowest)(text)) <= highest:
                return value
        raise ValueError(f"a number from {lowest} to {highest}")

    return bounded


def yes_or_no(text: str) -> bool:
    is_yes = text.lower() in ("yes", "true", "on", "1")
    if not is_yes and text.lower() not in ("no", "false", "off", "0"):
        raise ValueError("yes or no")
    return is_yes


def one_of(*choices: str, fold: Callable[[str], str] = str) -> Callable[[str], str]:
    def chosen(text: str) -> str:
        if fold(text) not in choices:
            raise ValueError("one of " + ", ".join(choices))
        return fold(text)

    return chosen


def matching(pattern: str, takes: str) -> Callable[[str], str]:
    def matched(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(takes)
        return text

    return matched


class Secret(str):
    """Text that repr() does not show."""

    def __repr__(self) -> str:
        return "(set)" if self else "''"


def path(value: str) -> str:
    if value and not value.startswith("/"):
        raise ValueError('a path that begins with "/", or nothing')
    return value


def destination(value: str) -> str | None:
    """The path of a file, "stderr", or None for "off"."""
    if value not in ("off", "stderr") and not value.startswith("/"):
        raise ValueError('off, stderr, or the path of a file, which begins with "/"')
    return None if value == "off" else value


def url(value: str) -> str:
    if value and not (re.match("https?://[^/]", value, re.IGNORECASE) and _is_parsed(value)):
        raise ValueError("an address that begins with http:// or https://")
    return Secret(value) if "@" in value else value


def source_url(value: str) -> str:
    """A template of addresses. No field is in its host."""
    rest = r"(?:[^{}\s]|\{(?:project|commit|path|line)\})*"
    if value and not (
        "{path}" in value
        and "{line}" in value
        and re.fullmatch(rf"https?://[^/{{}}\s?#@\\]+/{rest}", value)
    ):
        what = "https://github.com/{project}/blob/{commit}/{path}#L{line}"
        raise ValueError(f"an address such as {what}")
    return value


def _is_parsed(address: str) -> bool:
    """True if the libraries that get the address can parse it."""
    try:
        urlsplit(address)
    except ValueError:  # such as of "http://[::1"
        return False
    return True


def without_secrets(address: str) -> str:
    """An address without what is before its host, and without its query and fragment."""
    found = re.match("[a-z0-9+]+://", address, re.IGNORECASE)
    scheme = found[0] if found else ""
    user, at, host = address.removeprefix(scheme).rpartition("@")
    if {"?", "#"} & set(user):  # the @ may be a part of what is secret
        return f"{scheme}(set)"
    host = re.sub(r"([?#]).*", r"\1(set)", host, flags=re.DOTALL)
    return f"{scheme}(set)@{host}" if at else scheme + host


def storage_url(value: str) -> str:
    """The address of an account, without a slash at its end."""
    is_address = re.fullmatch(r"https?://[^/\s?#@][^\s?#@]*", value, re.IGNORECASE)
    if value and not (is_address and _is_parsed(value)):
        takes = "an address that begins with http:// or https://, without a user, ? and #"
        raise ValueError(takes)
    scheme, separator, rest = value.partition("://")
    return scheme.lower() + separator + rest.rstrip("/")  # urllib3 knows small letters alone


def database(value: str) -> str:
    """The address of a database, with the driver that is used for it.

    In memory, or by a relative path, each process would have a database of its own.
    """
    takes = (
        "an address that begins with postgresql://, such as postgresql://USER@HOST:5432/NAME, "
        "or sqlite:////FOLDER/FILE with the absolute path of a file"
    )
    found = re.fullmatch(r"(?:(postgresql)(?:\+psycopg)?(://.+)|sqlite:////[^?]*[^?/])", value)
    if not value:
        return value
    if not found:
        raise ValueError(takes)
    if found[1]:
        value = f"postgresql+psycopg{found[2]}"
    from sqlalchemy import create_engine  # it takes a while to import
    from sqlalchemy.exc import ArgumentError

    try:
        engine = create_engine(value)  # without a connection, but with the driver
        if (engine.url.port or 1) > 65535:
            raise ValueError(takes)
    except ImportError:
        raise ValueError("postgresql:// where oslogserve[postgresql] is installed") from None
    except (ArgumentError, ValueError, TypeError):  # such as of its port, or of a parameter
        raise ValueError(takes) from None
    return Secret(value) if "@" in value else value


def pattern(value: str) -> re.Pattern[str]:
    try:
        return re.compile(value)
    except (re.error, OverflowError) as error:
        raise ValueError(f"a regular expression ({error})") from None
    except RecursionError:
        raise ValueError("a regular expression with fewer brackets in brackets") from None


def naming_pattern(value: str) -> re.Pattern[str]:
    found = pattern(value)
    if value and "name" not in found.groupindex:
        raise ValueError("a regular expression with a group that is called name, (?P<name>...)")
    return found


def line_pattern(value: str) -> str:
    """A pattern in RE2's syntax for a line's beginning, with the groups time, severity or both."""
    if (size := len(value.encode())) > LONGEST_LINE_PATTERN:
        raise ValueError(f"at most {LONGEST_LINE_PATTERN} bytes, these are {size}")
    if value:
        try:
            pattern = rewritten(value)
        except ValueError as error:
            raise ValueError(f"a regular expression ({error})") from None
        check_line_pattern(pattern)
    return value


def mask_pattern(value: str) -> str:
    """A pattern in RE2's syntax for what is replaced in an upload."""
    if not value:
        return value
    try:
        pattern = rewritten(value)
        Masks([], [pattern])  # as an upload does
        is_everywhere = Patterns([pattern]).hits(b"")
    except ValueError as error:
        raise ValueError(f"a regular expression of RE2's syntax ({error})") from None
    if is_everywhere:
        raise ValueError("a regular expression that does not match an empty text")
    return value


def words(value: str) -> dict[bytes, str]:
    """Severities by their words, in upper case."""
    if len(value.encode()) > LONGEST_WORDS:
        raise ValueError(f"at most {LONGEST_WORDS} bytes")
    found: dict[bytes, str] = {}
    for entry in value.split():
        word, _, severity = entry.rpartition(":")
        if not word or severity.upper() not in SEVERITIES:
            names = ", ".join(SEVERITIES)
            raise ValueError(f"words as in E:ERROR W:WARNING, not {quoted(entry)}: of {names}")
        if found.setdefault(word.encode().upper(), severity.upper()) != severity.upper():
            raise ValueError(f"each word once, but {quoted(word)} is there with two severities")
    return found


def networks(value: str) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(map(ip_network, value.split()))
    except ValueError:
        raise ValueError("addresses and networks, such as 192.0.2.7 and 10.0.0.0/8") from None


def marks(value: str) -> str:
    """Shell patterns of names."""
    if any("/" in one[:-1] for one in value.split()):
        raise ValueError("shell patterns of names, with a slash at the end of a folder's alone")
    return value


def hosts(value: str) -> tuple[str, ...]:
    """Names of hosts, without ports, in small letters."""
    found = value.lower().split()
    if not all(re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", one) for one in found):
        raise ValueError("names of hosts, such as logs.example.org, without ports or commas")
    return tuple(found)


def origins(value: str) -> tuple[str, ...]:
    """Origins as browsers write them."""
    found = value.lower().split()
    if not all(
        re.fullmatch(r"https?://([a-z0-9._-]+|\[[0-9a-f:]+\])(:[0-9]+)?", one) for one in found
    ):
        raise ValueError("origins, such as https://dashboard.example.org, without a path")
    return tuple(found)


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


def whole_number(
    lowest: int, highest: int, units: Mapping[str, int] | None = None
) -> Callable[[str], int]:
    """A parser of an argument: whole numbers, such as 5, or 10k if `units` has a k."""

    def parsed(text: str) -> int:
        found = re.fullmatch("([0-9]{1,18})([a-z]?)", text.lower())
        unit = (units or {"": 1}).get(found[2]) if found else None
        if found is None or unit is None or not lowest <= int(found[1]) * unit <= highest:
            raise argparse.ArgumentTypeError(f"{text}: give a number from {lowest} to {highest}")
        return int(found[1]) * unit

    return parsed


def duration(text: str) -> float:
    """An argument such as 30d, in seconds. A number without a unit is seconds."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([a-z]?)", text)
    seconds = float(found[1]) * _SECONDS.get(found[2], math.nan) if found else math.nan
    if not 0 < seconds <= _TEN_YEARS:
        raise argparse.ArgumentTypeError(f"{text}: give a time such as 90, 10s, 5m, 2h or 30d")
    return seconds


_URL = re.compile(r"(s3|gs|az)://((?:[\w.-]|\{partition\}){1,255})((?:/[^\s?#]*)?)", re.ASCII)
_TAKES = (
    "s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or az://CONTAINER/FOLDER, the folder if there is one"
)


@dataclass(frozen=True)
class BucketUrl:
    #: "s3", "gs" or "az".
    service: str
    #: The bucket's name; it may contain {partition}.
    bucket: str
    #: The folder, without slashes at its ends; "" for the whole bucket.
    folder: str

    def __str__(self) -> str:
        return f"{self.service}://{self.bucket}" + (f"/{self.folder}" if self.folder else "")

    @classmethod
    def parsed(cls, url: str) -> "BucketUrl | str":
        """Parses an address such as s3://logs/folder; "" for none. Raises ValueError."""
        if not url:
            return ""
        found = _URL.fullmatch(url)
        folder = found[3].removeprefix("/").removesuffix("/") if found else ""
        if (
            found is None
            or not found[2].strip(".")
            or (folder and {"", ".", ".."} & set(folder.split("/")))
        ):
            raise ValueError(_TAKES)
        return cls(found[1], found[2], folder)
