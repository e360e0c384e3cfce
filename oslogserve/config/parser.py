# SPDX-License-Identifier: Apache-2.0
"""The sections of a configuration file, and its faults.

configparser would stop at the first fault, forget the lines, and take an indented line for more of
the value above it, which no option has.
"""

import re
from dataclasses import dataclass, field

from oslogserve.errors import Error


class ConfigError(Error):
    """A line for each fault: it names the file, the line and the key."""


@dataclass(frozen=True)
class Section:
    name: str
    #: The line of its header.
    line: int
    #: (line, value) by key.
    settings: dict[str, tuple[int, str]] = field(default_factory=dict)


#: "key = value" or "key: value"; values may hold both signs.
_SETTING = re.compile(r"([^=:]+?)\s*[=:]\s*(.*)")


class Faults(list[tuple[int, str]]):
    """(line, what is wrong); line 0 where the file is not to blame.

    No fault holds the text of a line: it may be a secret.
    """

    def text(self, file: str | None) -> str:
        return "\n".join(f"{file}:{line}: {what}" if line else what for line, what in sorted(self))


def parsed_sections(file: str, faults: Faults) -> dict[str, Section]:
    """The sections by their names. Raises ConfigError where the file is not text."""
    sections: dict[str, Section] = {}
    section = None
    for number, line in enumerate(_text(file).split("\n"), 1):
        line = line.strip()
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("["):
            section = _section(line, number, sections, faults)
        elif section is not None:
            _add_setting(section, line, number, faults)
        elif not faults:  # once: a log that is given by mistake has many such lines
            faults.append((number, "a setting before the first [section]"))
    return sections


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


def _section(line: str, number: int, sections: dict[str, Section], faults: Faults) -> Section:
    """The section of a header. One that has faults takes settings all the same."""
    name, bracket, _ = line[1:].rpartition("]")
    if not bracket:
        faults.append((number, 'a section without its "]"'))
        return Section("?", number)
    if name in sections:
        faults.append((number, f"[{name}]: it began in line {sections[name].line} already"))
    return sections.setdefault(name, Section(name, number))


def _add_setting(section: Section, line: str, number: int, faults: Faults) -> None:
    setting = _SETTING.fullmatch(line)
    if setting is None:
        faults.append((number, f"[{section.name}]: neither a [section] nor a key with its value"))
        return
    key = setting[1].lower()
    if key in section.settings:
        earlier, _ = section.settings[key]
        faults.append((number, f"[{section.name}] {key}: it is given in line {earlier} already"))
    else:
        section.settings[key] = number, setting[2]
