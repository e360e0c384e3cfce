# SPDX-License-Identifier: Apache-2.0
"""The only reader of configuration files and of the environment."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oslogserve.config.options import NAMED_OPTIONS, OPTIONS, Option
from oslogserve.config.parser import ConfigError, Faults, Section, sections_of
from oslogserve.config.values import url
from oslogserve.lines.formats import OwnRow

__all__ = ["Config", "ConfigError", "load"]

#: Characters of a value that a fault shows.
LONGEST_SHOWN = 100


@dataclass(frozen=True)
class Config:
    """values: every option's parsed value by (section, key). views: (pattern, view) by the name
    of their section, first wins. formats: in the order of the file."""

    values: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    views: Mapping[str, tuple[re.Pattern[str], str]] = field(default_factory=dict)
    formats: tuple[OwnRow, ...] = ()

    def __getitem__(self, where: tuple[str, str]) -> Any:
        return self.values[where]

    def section(self, name: str) -> dict[str, Any]:
        """The values of one section by their keys."""
        return {key: value for (section, key), value in self.values.items() if section == name}

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
        for row in self.formats:
            words = " ".join(f"{word.decode()}:{severity}" for word, severity in row.words.items())
            lines += [f"[format {row.name}]", f"pattern = {row.pattern.decode()}"]
            lines.append(f"words = {words}")
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
    if option.parse is url:
        return re.sub("(https?://)?.*@", r"\1(set)@", value, flags=re.IGNORECASE)
    return value


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
    faults = Faults()
    sections = sections_of(file, faults) if file is not None else {}
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
    formats = tuple(
        _format(name, section, faults)
        for name, section in sections.items()
        if name.startswith("format ")
    )
    config = Config(values, views, formats)
    missing = _missing_of_swift(config)
    if missing:
        told = f"[swift] container: it is of no use without {', '.join(missing)}"
        faults.append((given["swift", "container"][1], told))
    if faults:
        raise ConfigError(faults.told(file))
    return config


def _check_names(sections: Mapping[str, Section], faults: Faults) -> None:
    for name, section in sections.items():
        kind, space, _ = name.partition(" ")
        options = (
            NAMED_OPTIONS.get(kind, ())
            if space
            else [option for option in OPTIONS if option.section == name]
        )
        keys = {option.key for option in options}
        if not keys:
            faults.append((section.line, f"[{name}]: no such section"))
            continue
        for key, (line, _) in section.settings.items():
            if key not in keys:
                faults.append((line, f"[{name}] {key}: no such key"))


def _given(
    option: Option,
    sections: Mapping[str, Section],
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


def _parsed(option: Option, line: int, where: str, value: str, faults: Faults) -> Any:
    """None where it is not understood."""
    try:
        return option.parse(value)
    except ValueError as takes:
        shown = repr(_without_secret(option, value)[:LONGEST_SHOWN])
        faults.append((line, f"{where}: {shown} is not understood: it takes {takes}"))
        return None


def _view(name: str, section: Section, faults: Faults) -> tuple[re.Pattern[str], str]:
    parsed = _named(name, section, faults)
    return parsed["pattern"], parsed["view"]


def _format(name: str, section: Section, faults: Faults) -> OwnRow:
    parsed = _named(name, section, faults)
    pattern = parsed["pattern"]
    if parsed["words"] and pattern and not re.search(rb"\(\?P?<severity>", pattern):
        line, _ = section.settings["words"]
        faults.append((line, f"[{name}] words: of no use, its pattern has no group severity"))
    return OwnRow(name.partition(" ")[2], pattern, parsed["words"])


def _named(name: str, section: Section, faults: Faults) -> dict[str, Any]:
    """Values by key, of a section of which there may be several."""
    kind = name.partition(" ")[0]
    line, pattern = section.settings.get("pattern", (section.line, ""))
    if not pattern:  # it would fit all
        faults.append((line, f"[{name}]: a {kind} needs a pattern"))
    parsed = {}
    for option in NAMED_OPTIONS[kind]:
        line, value = section.settings.get(option.key, (0, option.default))
        parsed[option.key] = _parsed(option, line, f"[{name}] {option.key}", value, faults)
    return parsed


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
