# SPDX-License-Identifier: Apache-2.0
"""The only reader of configuration files and of the environment.

One table, OPTIONS, says what there is; etc/oslogserve.conf shows it, a test compares them.
"""

import os
import re
from collections.abc import Callable, Mapping
from configparser import RawConfigParser
from dataclasses import dataclass, field
from typing import Any

from oslogserve.errors import Error


class ConfigError(Error):
    """A line for each fault: it names the file, the line and the key."""


@dataclass(frozen=True)
class Option:
    """parse raises ValueError with what the option takes. env: used where the file is silent.

    instead_of: the option over which this one wins; in a file it keeps this one's env out.
    """

    section: str
    key: str
    default: str
    parse: Callable[[str], Any]
    help: str
    env: str = ""
    secret: bool = False
    instead_of: str = ""


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


def one_of(*choices: str, fold: Callable[[str], str] = str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if fold(value) not in choices:
            raise ValueError("one of " + ", ".join(choices))
        return fold(value)

    return parse


def _path(value: str) -> str:
    if value and not value.startswith("/"):
        raise ValueError('a path that begins with "/", or nothing')
    return value


def _url(value: str) -> str:
    if value and not re.match("https?://[^/]", value, re.IGNORECASE):
        raise ValueError("an address that begins with http:// or https://")
    return value


def _pattern(value: str) -> re.Pattern[str]:
    try:
        return re.compile(value)
    except re.error as error:
        raise ValueError(f"a regular expression ({error})") from None


def _gzip_level(value: str) -> int | None:
    if value.lower() == "off":
        return None
    if value not in ("0", "1", "2", "3"):
        raise ValueError("0, 1, 2, 3 or off")
    return int(value)


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
        "[0-9A-Za-z_-]{1,64}",
        _pattern,
        "What a first segment must look like to name a container (regular expression).",
    ),
    Option(
        "swift",
        "auth_version",
        "3",
        one_of("3", "1"),
        "3: Keystone, by password or application credential. 1: tempauth and its like.",
    ),
    Option("swift", "auth_url", "", _url, "Where tokens come from.", "OS_AUTH_URL"),
    Option("swift", "username", "", str, "Version 1: account:user.", "OS_USERNAME"),
    Option("swift", "password", "", str, "Version 1: the key.", "OS_PASSWORD", secret=True),
    Option("swift", "project_name", "", str, "Project that owns the container.", "OS_PROJECT_NAME"),
    Option(
        "swift",
        "project_id",
        "",
        str,
        "Instead of its name.",
        "OS_PROJECT_ID",
        instead_of="project_name",
    ),
    Option(
        "swift", "user_domain_name", "Default", str, "The user's domain.", "OS_USER_DOMAIN_NAME"
    ),
    Option(
        "swift",
        "user_domain_id",
        "",
        str,
        "Instead of its name.",
        "OS_USER_DOMAIN_ID",
        instead_of="user_domain_name",
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
        "project_domain_id",
        "",
        str,
        "Instead of its name.",
        "OS_PROJECT_DOMAIN_ID",
        instead_of="project_domain_name",
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
        one_of("public", "internal", "admin"),
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
        "Seconds to wait for the next bytes, answer_timeout at the most. Swift itself gives a slow\n"
        "disk 10.",
    ),
    Option(
        "swift",
        "answer_timeout",
        "20",
        _between(0.1, 3600, float),
        "Seconds until the first bytes of a log must be here, retries and a new token included.",
    ),
    Option(
        "swift",
        "retries",
        "2",
        _between(0, 10, int),
        "How often a request that failed is made once more, where that can help.",
    ),
    Option(
        "swift",
        "resumes",
        "10",
        _between(0, 1000, int),
        "How often a log that breaks off midway goes on from there.",
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
        "gzip_level",
        "1",
        _gzip_level,
        "How hard answers are compressed for clients that take gzip, 0 to 3, or off.",
    ),
    Option(
        "serve",
        "max_age",
        "0",
        _between(0, 365 * 24 * 3600, int),
        "Seconds for which caches and browsers may show a log without asking whether it is still\n"
        "the same, once it has not changed for a day. Before, they always ask.",
    ),
    Option(
        "serve",
        "threads",
        "8",
        _between(1, 10000, int),
        "Threads of each process, where gunicorn does not say: half of them may wait for a source.",
        "OSLOGSERVE_THREADS",
    ),
    Option(
        "serve",
        "renderer",
        "auto",
        one_of("auto", "native", "pure"),
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
        one_of(*VIEWS),
        "log: lines as HTML or text. raw: passed through with its type.",
    ),
)


@dataclass(frozen=True)
class Config:
    """values: every option's parsed value by (section, key). views: (pattern, view) by the name
    of their section, first wins."""

    values: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    views: Mapping[str, tuple[re.Pattern[str], str]] = field(default_factory=dict)

    def __getitem__(self, where: tuple[str, str]) -> Any:
        return self.values[where]

    def described(self) -> str:
        """What was understood, as a file that load() reads again; secrets are not shown."""
        lines = []
        section = ""
        for option in OPTIONS:
            if option.section != section:
                section = option.section
                lines.append(f"[{section}]")
            value = _without_secret(option, _written(self[option.section, option.key]))
            lines.append(f"{option.key} = {value}")
        for name, (pattern, view) in self.views.items():
            lines += [f"[{name}]", f"pattern = {pattern.pattern}", f"view = {view}"]
        return "\n".join(lines) + "\n"


def _written(value: Any) -> str:
    """As an option's parse takes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, re.Pattern):
        return str(value.pattern)
    return "off" if value is None else str(value)


def _without_secret(option: Option, value: str) -> str:
    if option.secret:
        return "(set)" if value else ""
    if option.parse is _url:
        return re.sub("(https?://)?.*@", r"\1(set)@", value, flags=re.IGNORECASE)
    return value


@dataclass(frozen=True)
class _Section:
    """line: of its header. settings: key -> (line, value)."""

    line: int
    settings: dict[str, tuple[int, str]] = field(default_factory=dict)


#: "key = value" or "key: value"; values may hold both signs.
_SETTING = re.compile(r"([^=:]+?)\s*[=:]\s*(.*)")


class _Faults(list[tuple[int, str]]):
    """(line, what); line 0 where the file is not to blame."""

    def told(self, file: str | None) -> str:
        return "\n".join(f"{file}:{line}: {what}" if line else what for line, what in sorted(self))


def load(
    file: str | None,
    environ: Mapping[str, str] = os.environ,
    must_exist: bool = False,
    **overrides: str,
) -> Config:
    """overrides: 'section_key' -> text, from the command line; they win over the file.

    must_exist: a folder that is not there is a fault; a server may wait for its mount.
    Raises ConfigError with all faults.
    """
    faults = _Faults()
    sections = _sections(_text(file), faults) if file is not None else {}
    _check_names(sections, faults)
    given = {
        (option.section, option.key): (option, *_given(option, sections, environ, overrides))
        for option in OPTIONS
    }
    values = {where: _parsed(*option_given, faults) for where, option_given in given.items()}
    views = {
        name: _view(name, section, faults)
        for name, section in sections.items()
        if name.startswith("view ")
    }
    root = values["disk", "root"]
    if must_exist and root and not os.path.isdir(root):
        faults.append((given["disk", "root"][1], f"[disk] root: there is no folder {root!r}"))
    config = Config(values, views)
    missing = _missing_of_swift(config)
    if missing:
        told = f"[swift] container: it is of no use without {', '.join(missing)}"
        faults.append((given["swift", "container"][1], told))
    if faults:
        raise ConfigError(faults.told(file))
    return config


def _text(file: str) -> str:
    try:
        with open(file, "rb") as stream:
            content = stream.read()
        return content.decode("utf-8-sig")  # some editors begin a file with a mark
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{file}:{line}: the line is not UTF-8") from None


def _sections(text: str, faults: _Faults) -> dict[str, _Section]:
    """Not configparser's: it stops at the first fault, forgets the lines, and takes an indented
    line for more of the value above it, which no option has.

    No fault holds a line's text: it may be a secret.
    """
    sections: dict[str, _Section] = {}
    name, section = "", None
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("["):
            name, bracket, _ = line[1:].rpartition("]")
            section = _Section(number)
            if not bracket:
                name = "?"
                faults.append((number, 'a section without its "]"'))
            elif name in sections:
                section = sections[name]
                faults.append((number, f"[{name}]: it began in line {section.line} already"))
            else:
                sections[name] = section
            continue
        if section is None:
            if not faults:  # once: a log that is given by mistake has many such lines
                faults.append((number, "a setting before the first [section]"))
            continue
        setting = _SETTING.fullmatch(line)
        key = setting[1].lower() if setting else ""
        if setting is None:
            faults.append((number, f"[{name}]: neither a [section] nor a key with its value"))
        elif key in section.settings:
            earlier, _ = section.settings[key]
            faults.append((number, f"[{name}] {key}: it is given in line {earlier} already"))
        else:
            section.settings[key] = number, setting[2]
    return sections


def _check_names(sections: Mapping[str, _Section], faults: _Faults) -> None:
    for name, section in sections.items():
        if name.startswith("view "):
            keys = {option.key for option in VIEW_OPTIONS}
        else:
            keys = {option.key for option in OPTIONS if option.section == name}
        if not keys:
            faults.append((section.line, f"[{name}]: no such section"))
            continue
        for key, (line, _) in section.settings.items():
            if key not in keys:
                faults.append((line, f"[{name}] {key}: no such key"))


def _given(
    option: Option,
    sections: Mapping[str, _Section],
    environ: Mapping[str, str],
    overrides: Mapping[str, str],
) -> tuple[int, str, str]:
    """(line, where, value) of what was said last: command line, file, environment, default."""
    override = overrides.get(f"{option.section}_{option.key}")
    if override is not None:
        return 0, f"{option.section} {option.key}", override
    settings = sections[option.section].settings if option.section in sections else {}
    if option.key in settings:
        line, value = settings[option.key]
        return line, f"[{option.section}] {option.key}", value
    asks = option.env and option.instead_of not in settings
    return 0, option.env, (environ.get(option.env) if asks else None) or option.default


def _parsed(option: Option, line: int, where: str, value: str, faults: _Faults) -> Any:
    """None where it is not understood."""
    try:
        return option.parse(value)
    except ValueError as takes:
        shown = repr(_without_secret(option, value))
        faults.append((line, f"{where}: {shown} is not understood: it takes {takes}"))
        return None


def _view(name: str, section: _Section, faults: _Faults) -> tuple[re.Pattern[str], str]:
    line, pattern = section.settings.get("pattern", (section.line, ""))
    if not pattern:  # it would fit every path
        faults.append((line, f"[{name}]: a view needs a pattern"))
    parsed = {}
    for option in VIEW_OPTIONS:
        line, value = section.settings.get(option.key, (0, option.default))
        parsed[option.key] = _parsed(option, line, f"[{name}] {option.key}", value, faults)
    return parsed["pattern"], parsed["view"]


def _missing_of_swift(config: Config) -> list[str]:
    """A Swift that is configured by half is found at start, not by a reader."""
    version = config["swift", "auth_version"]
    if not config["swift", "container"] or version is None:
        return []
    wanted = ["auth_url"]
    if version == "1":
        wanted += ["username", "password"]
    elif config["swift", "application_credential_id"]:
        wanted += ["application_credential_secret"]
    else:
        wanted += ["username", "password"]
        if not config["swift", "project_id"]:
            wanted += ["project_name"]
    return [key for key in wanted if not config["swift", key]]
