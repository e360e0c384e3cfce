# SPDX-License-Identifier: Apache-2.0
"""The only reader of configuration files and of the environment.

One table, OPTIONS, says what there is; etc/oslogserve.conf shows it, a test compares them.
"""

import os
import re
from collections.abc import Callable, Mapping
from configparser import Error as SyntaxFault
from configparser import RawConfigParser
from dataclasses import dataclass, field
from typing import Any

from oslogserve.errors import Error


class ConfigError(Error):
    """Names the file, the line and the key of what was not understood."""


@dataclass(frozen=True)
class Option:
    """parse raises ValueError with what the option takes. env: used where the file is silent."""

    section: str
    key: str
    default: str
    parse: Callable[[str], Any]
    help: str
    env: str = ""
    secret: bool = False


def _between(lowest: float, highest: float, kind: type) -> Callable[[str], Any]:
    def parse(value: str) -> Any:
        try:
            number = kind(value)
        except ValueError:
            number = None
        if number is None or not lowest <= number <= highest:
            raise ValueError(f"a number from {lowest} to {highest}")
        return number

    return parse


def _yes(value: str) -> bool:
    try:
        return RawConfigParser.BOOLEAN_STATES[value.lower()]
    except KeyError:
        raise ValueError("yes or no") from None


def _one_of(*choices: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value not in choices:
            raise ValueError("one of " + ", ".join(choices))
        return value

    return parse


def _path(value: str) -> str:
    if value and not value.startswith("/"):
        raise ValueError('a path that begins with "/", or nothing')
    return value


def _pattern(value: str) -> re.Pattern[str]:
    try:
        return re.compile(value)
    except re.error as error:
        raise ValueError(f"a regular expression ({error})") from None


def _container(value: str) -> str:
    rest = value.replace("{partition}", "", 1)
    if "/" in value or "{" in rest or "}" in rest or len(value) > 256:
        raise ValueError("the name of a container, with at most one {partition} in it")
    return value


OPTIONS = (
    Option("disk", "root", "", _path, "Folder of the logs on disk. Empty: no disk source."),
    Option(
        "swift",
        "container",
        "",
        _container,
        "Container of the logs in Swift. Empty: no Swift source. With {partition} in it, the\n"
        "first segment of a log's path takes its place and is no part of the object's name.",
    ),
    Option(
        "swift",
        "partitions",
        "[0-9a-f]{1,8}",
        _pattern,
        "What a first segment must look like to name a container (regular expression).",
    ),
    Option(
        "swift",
        "auth_version",
        "3",
        _one_of("3", "1"),
        "3: Keystone, by password or application credential. 1: tempauth and its like.",
    ),
    Option("swift", "auth_url", "", str, "Where tokens come from.", "OS_AUTH_URL"),
    Option("swift", "username", "", str, "Version 1: account:user.", "OS_USERNAME"),
    Option("swift", "password", "", str, "Version 1: the key.", "OS_PASSWORD", secret=True),
    Option("swift", "project_name", "", str, "Project that owns the container.", "OS_PROJECT_NAME"),
    Option(
        "swift", "user_domain_name", "Default", str, "The user's domain.", "OS_USER_DOMAIN_NAME"
    ),
    Option(
        "swift",
        "project_domain_name",
        "Default",
        str,
        "The project's domain.",
        "OS_PROJECT_DOMAIN_NAME",
    ),
    Option(
        "swift",
        "application_credential_id",
        "",
        str,
        "Instead of username and password.",
        "OS_APPLICATION_CREDENTIAL_ID",
    ),
    Option(
        "swift",
        "application_credential_secret",
        "",
        str,
        "Its secret.",
        "OS_APPLICATION_CREDENTIAL_SECRET",
        secret=True,
    ),
    Option("swift", "region_name", "", str, "Region of the endpoint.", "OS_REGION_NAME"),
    Option(
        "swift",
        "interface",
        "public",
        _one_of("public", "internal", "admin"),
        "Which endpoint of the catalog.",
        "OS_INTERFACE",
    ),
    Option("swift", "ca_file", "", str, "Certificates to trust; empty: the usual.", "OS_CACERT"),
    Option(
        "swift",
        "connect_timeout",
        "5",
        _between(0.1, 300, float),
        "Seconds to wait for a connection.",
    ),
    Option(
        "swift",
        "read_timeout",
        "30",
        _between(0.1, 3600, float),
        "Seconds to wait for the next bytes. Swift itself gives a slow disk 10.",
    ),
    Option(
        "serve",
        "chunk_size",
        "65536",
        _between(1024, 16 * 1024 * 1024, int),
        "Bytes read from a source at a time.",
    ),
    Option(
        "serve",
        "listing",
        "yes",
        _yes,
        "Whether a folder without index.html is shown as a listing.",
    ),
    Option(
        "serve",
        "renderer",
        "auto",
        _one_of("auto", "native", "pure"),
        "native: oslogserve-speedups must be there. pure: in Python. auto: native where it is\n"
        "installed. Their pages are the same.",
        "OSLOGSERVE_RENDERER",
    ),
    Option(
        "metrics",
        "path",
        "/metrics",
        _path,
        "Where Prometheus finds the metrics, below the mount point. Empty: nowhere.",
    ),
)

VIEWS = ("log", "raw")
#: Options of a section [view NAME].
VIEW_OPTIONS = (
    Option("view", "pattern", "", _pattern, "Regular expression, searched in the path."),
    Option(
        "view",
        "view",
        "log",
        _one_of(*VIEWS),
        "log: lines as HTML or text. raw: passed through with its type.",
    ),
)


@dataclass(frozen=True)
class Config:
    """values: every option's parsed value by (section, key). views: (pattern, view), first wins."""

    values: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    views: tuple[tuple[re.Pattern[str], str], ...] = ()

    def __getitem__(self, where: tuple[str, str]) -> Any:
        return self.values[where]

    def described(self) -> str:
        """What was understood, as an INI file; secrets are not shown."""
        lines = []
        section = ""
        for option in OPTIONS:
            if option.section != section:
                section = option.section
                lines.append(f"[{section}]")
            value = self[option.section, option.key]
            if option.secret:
                value = "(set)" if value else ""
            elif option.key == "auth_url":
                value = re.sub(r"//[^/]*@", "//(set)@", value)
            elif isinstance(value, re.Pattern):
                value = value.pattern
            lines.append(f"{option.key} = {value}")
        for pattern, view in self.views:
            lines += ["[view]", f"pattern = {pattern.pattern}", f"view = {view}"]
        return "\n".join(lines) + "\n"


def load(file: str | None, environ: Mapping[str, str] = os.environ, **overrides: str) -> Config:
    """overrides: 'section_key' -> text, from the command line; they win over the file.

    Raises ConfigError.
    """
    parser = RawConfigParser(interpolation=None, default_section="")
    text = ""
    if file is not None:
        try:
            with open(file, encoding="utf-8") as stream:
                text = stream.read()
            parser.read_string(text, source=file)
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{file}: {error}") from None
        except SyntaxFault as error:
            raise ConfigError(f"{file}:{_fault_lines(error)}: {type(error).__name__}") from None
    known = {(option.section, option.key): option for option in OPTIONS}
    view_keys = {option.key: option for option in VIEW_OPTIONS}
    views = []
    given: dict[tuple[str, str], Any] = {}
    for section in parser.sections():
        is_view = section.startswith("view ")
        if not is_view and section not in {option.section for option in OPTIONS}:
            raise ConfigError(_fault(file, text, section, "", "no such section"))
        parsed = {}
        for key, value in parser.items(section):
            option = view_keys.get(key) if is_view else known.get((section, key))
            if option is None:
                raise ConfigError(_fault(file, text, section, key, "no such key"))
            parsed[key] = _parsed(option, value, _fault(file, text, section, key, ""))
        if is_view:
            if "pattern" not in parsed:
                raise ConfigError(_fault(file, text, section, "", "a view needs a pattern"))
            views.append((parsed["pattern"], parsed.get("view", "log")))
        else:
            given.update({(section, key): value for key, value in parsed.items()})
    values = {}
    for where, option in known.items():
        override = overrides.get("_".join(where))
        if override is not None:
            values[where] = _parsed(option, override, f"{option.section} {option.key}: ")
        elif where in given:
            values[where] = given[where]
        else:
            fallback = (environ.get(option.env) if option.env else None) or option.default
            values[where] = _parsed(option, fallback, f"{option.env or where}: ")
    config = Config(values, tuple(views))
    _check_swift(config, file)
    return config


def _parsed(option: Option, value: str, place: str) -> Any:
    try:
        return option.parse(value)
    except ValueError as takes:
        shown = "(secret)" if option.secret else repr(value)
        raise ConfigError(f"{place}{shown} is not understood: it takes {takes}") from None


def _fault(file: str | None, text: str, section: str, key: str, what: str) -> str:
    """'FILE:LINE: [section] key: what'."""
    line = 0
    here = False
    for number, content in enumerate(text.split("\n"), 1):
        if content.startswith("["):
            here = content.strip() == f"[{section}]"
            if here and not key:
                line = number
        elif here and key and re.match(re.escape(key) + r"\s*[=:]", content.lower()):
            line = number
    return f"{file}:{line}: [{section}]{' ' + key if key else ''}: {what}"


def _fault_lines(error: SyntaxFault) -> str:
    """Without the line's text, which the error's own words hold: it may be a secret."""
    found = [error.lineno] if hasattr(error, "lineno") else []
    found = found or [number for number, _ in getattr(error, "errors", ())]
    return ",".join(map(str, found))


def _check_swift(config: Config, file: str | None) -> None:
    """A Swift that is configured by half is found at start, not by a reader."""
    if not config["swift", "container"]:
        return
    wanted = ["auth_url"]
    if config["swift", "auth_version"] == "1":
        wanted += ["username", "password"]
    elif config["swift", "application_credential_id"]:
        wanted += ["application_credential_secret"]
    else:
        wanted += ["username", "password", "project_name"]
    missing = [key for key in wanted if not config["swift", key]]
    if missing:
        raise ConfigError(f"{file}: [swift] has a container but no {', '.join(missing)}")
