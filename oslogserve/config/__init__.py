# SPDX-License-Identifier: Apache-2.0
"""The only reader of configuration files and of the environment."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from oslogserve.config.options import NAMED_OPTIONS, OPTIONS, Option
from oslogserve.config.parser import ConfigError, Faults, Section, parsed_sections
from oslogserve.config.values import url
from oslogserve.lines.user_formats import UserFormat

__all__ = ["Config", "ConfigError", "load"]

#: Characters of a value that a fault shows.
LONGEST_SHOWN = 100


@dataclass(frozen=True)
class Config:
    #: The parsed value of each option by (section, key).
    values: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    #: (pattern, view) by the name of their section; the first that fits wins.
    views: Mapping[str, tuple[re.Pattern[str], str]] = field(default_factory=dict)
    #: In the order of the file.
    formats: tuple[UserFormat, ...] = ()

    def __getitem__(self, where: tuple[str, str]) -> Any:
        return self.values[where]

    def section(self, name: str) -> dict[str, Any]:
        """The values of one section by their keys."""
        return {key: value for (section, key), value in self.values.items() if section == name}

    def as_file(self) -> str:
        """The text of a file that load() understands as this; secrets are not shown."""
        lines = []
        section = ""
        for option in OPTIONS:
            if option.section != section:
                section = option.section
                lines.append(f"[{section}]")
            value = _without_secret(option, _as_text(self[option.section, option.key]))
            lines.append(f"{option.key} = {value}")
        for name, (pattern, view) in self.views.items():
            lines += [f"[{name}]", f"pattern = {pattern.pattern}", f"view = {view}"]
        for row in self.formats:
            words = " ".join(f"{word.decode()}:{severity}" for word, severity in row.words.items())
            lines += [f"[format {row.name}]", f"pattern = {row.pattern.decode()}"]
            lines.append(f"words = {words}")
        return "\n".join(lines) + "\n"


def _as_text(value: Any) -> str:
    """The text from which an option's parse gives this value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, re.Pattern):
        return str(value.pattern)
    return "off" if value is None else str(value)


def _without_secret(option: Option, value: str) -> str:
    if option.is_secret:
        return "(set)" if value else ""
    if option.parse is url:
        return re.sub("(https?://)?.*@", r"\1(set)@", value, flags=re.IGNORECASE)
    return value


class _Setting(NamedTuple):
    """The text that an option was given."""

    #: 0 where it is not from the file.
    line: int
    #: How a fault names the place it is from.
    place: str
    text: str


def load(
    file: str | None,
    environ: Mapping[str, str] = os.environ,
    must_exist: bool = False,
    **overrides: str,
) -> Config:
    """The configuration of a file, or the defaults. Raises ConfigError with all faults.

    must_exist: a folder that is not there is a fault; a server may wait for its mount.
    overrides: 'section_key' -> text, from the command line; they win over the file.
    """
    faults = Faults()
    sections = parsed_sections(file, faults) if file is not None else {}
    _check_names(sections, faults)
    settings = {option: _setting(option, sections, environ, overrides) for option in OPTIONS}
    values = {
        (option.section, option.key): _parsed(option, setting, faults)
        for option, setting in settings.items()
    }
    lines = {(option.section, option.key): setting.line for option, setting in settings.items()}
    views = {
        name: (view["pattern"], view["view"])
        for name, view in _named_values("view", sections, faults).items()
    }
    formats = tuple(
        UserFormat(name.partition(" ")[2], row["pattern"], row["words"])
        for name, row in _named_values("format", sections, faults).items()
    )
    config = Config(values, views, formats)
    _check_usable(config, lines, must_exist, faults)
    if faults:
        raise ConfigError(faults.text(file))
    return config


def _check_usable(
    config: Config, lines: dict[tuple[str, str], int], must_exist: bool, faults: Faults
) -> None:
    root = config["disk", "root"]
    if must_exist and root and not os.path.isdir(root):
        faults.append((lines["disk", "root"], f"[disk] root: there is no folder {root!r}"))
    missing = ", ".join(_missing_of_swift(config))
    if missing:
        what = f"[swift] container: it is of no use without {missing}"
        faults.append((lines["swift", "container"], what))


def _check_names(sections: Mapping[str, Section], faults: Faults) -> None:
    for name, section in sections.items():
        prefix, space, _ = name.partition(" ")
        if space:
            keys = {option.key for option in NAMED_OPTIONS.get(prefix, ())}
        else:
            keys = {option.key for option in OPTIONS if option.section == name}
        if not keys:
            faults.append((section.line, f"[{name}]: no such section"))
            continue
        for key, (line, _) in section.settings.items():
            if key not in keys:
                faults.append((line, f"[{name}] {key}: no such key"))


def _setting(
    option: Option,
    sections: Mapping[str, Section],
    environ: Mapping[str, str],
    overrides: Mapping[str, str],
) -> _Setting:
    """From the command line, else the file, the environment or the default."""
    override = overrides.get(f"{option.section}_{option.key}")
    if override is not None:
        return _Setting(0, f"{option.section} {option.key}", override)
    settings = sections[option.section].settings if option.section in sections else {}
    if option.key in settings:
        line, text = settings[option.key]
        return _Setting(line, f"[{option.section}] {option.key}", text)
    variable = None if option.instead_of in settings else environ.get(option.env)
    return _Setting(0, option.env, variable or option.default)


def _parsed(option: Option, setting: _Setting, faults: Faults) -> Any:
    """The value; None, and a fault, where it is not understood."""
    try:
        return option.parse(setting.text)
    except ValueError as takes:
        shown = repr(_without_secret(option, setting.text)[:LONGEST_SHOWN])
        what = f"{setting.place}: {shown} is not understood: it takes {takes}"
        faults.append((setting.line, what))
        return None


def _named_values(
    prefix: str, sections: Mapping[str, Section], faults: Faults
) -> dict[str, dict[str, Any]]:
    """The values of the sections [KIND NAME], by section and key."""
    found = {name: section for name, section in sections.items() if name.startswith(f"{prefix} ")}
    return {name: _section_values(prefix, section, faults) for name, section in found.items()}


def _section_values(prefix: str, section: Section, faults: Faults) -> dict[str, Any]:
    line, pattern = section.settings.get("pattern", (section.line, ""))
    if not pattern:  # it would fit all
        faults.append((line, f"[{section.name}]: a {prefix} needs a pattern"))
    values = {}
    for option in NAMED_OPTIONS[prefix]:
        line, text = section.settings.get(option.key, (0, option.default))
        setting = _Setting(line, f"[{section.name}] {option.key}", text)
        values[option.key] = _parsed(option, setting, faults)
    fits = values["pattern"]
    if values.get("words") and fits and not re.search(rb"\(\?P?<severity>", fits):
        line, _ = section.settings["words"]
        what = f"[{section.name}] words: of no use, its pattern has no group severity"
        faults.append((line, what))
    return values


def _missing_of_swift(config: Config) -> list[str]:
    """Keys without which the container cannot be read: found at start, not by a reader."""
    swift = config.section("swift")
    if not swift["container"] or swift["auth_version"] is None:
        return []
    if swift["auth_version"] == "1":
        needed = ["auth_url", "username", "password"]
    elif swift["application_credential_id"]:
        needed = ["auth_url", "application_credential_secret"]
    else:
        project = "project_id" if swift["project_id"] else "project_name"
        needed = ["auth_url", "username", "password", project]
    return [key for key in needed if not swift[key]]
