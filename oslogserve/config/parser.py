# SPDX-License-Identifier: Apache-2.0
"""The sections of a file, and what is wrong with them."""

import re
from dataclasses import dataclass, field

from oslogserve.errors import Error


class ConfigError(Error):
    """A line for each fault: it names the file, the line and the key."""


@dataclass(frozen=True)
class Section:
    """line: of its header. settings: key -> (line, value)."""

    line: int
    settings: dict[str, tuple[int, str]] = field(default_factory=dict)


#: "key = value" or "key: value"; values may hold both signs.
_SETTING = re.compile(r"([^=:]+?)\s*[=:]\s*(.*)")


class Faults(list[tuple[int, str]]):
    """(line, what); line 0 where the file is not to blame."""

    def told(self, file: str | None) -> str:
        return "\n".join(f"{file}:{line}: {what}" if line else what for line, what in sorted(self))


def sections_of(file: str, faults: Faults) -> dict[str, Section]:
    """By their names. Raises ConfigError where the file is no text."""
    return _sections(_text(file), faults)


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


def _sections(text: str, faults: Faults) -> dict[str, Section]:
    """Not configparser's: it stops at the first fault, forgets the lines, and takes an indented
    line for more of the value above it, which no option has.

    No fault holds a line's text: it may be a secret.
    """
    sections: dict[str, Section] = {}
    name, section = "", None
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith(("#", ";")):
            continue
        if line.startswith("["):
            name, bracket, _ = line[1:].rpartition("]")
            section = Section(number)
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
