# SPDX-License-Identifier: Apache-2.0
"""Parses a configuration file into settings, and collects its faults.

configparser stops at the first fault, does not keep line numbers, and joins indented lines to the
value above.
"""

import os
import re
import stat

from oslogserve.errors import Error


class ConfigError(Error):
    """The faults of a configuration, one on each line, with file, line and key."""


#: "key = value" or "key: value"; values may hold both signs.
_SETTING = re.compile(r"([^=:]+?)\s*[=:]\s*(.*)")


#: Bytes of a file.
LARGEST_FILE = 1024 * 1024
#: What a terminal would obey, if a fault or check-config showed it. A form feed is harmless.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")


class ConfigFile:
    def __init__(self, path: str | None) -> None:
        """path: None for no settings. Raises ConfigError if the file is not UTF-8 text."""
        self.path = path
        #: The text of each setting by section and key; those after a broken header have the section "".
        self.settings: dict[tuple[str, str], str] = {}
        #: The line of each setting, and of each section's header, whose key is "".
        self.lines: dict[tuple[str, str], int] = {}
        #: What is wrong, and its line; 0 for none.
        self.faults: list[tuple[int, str]] = []
        #: The sections with a fault.
        self.faulty: set[str] = set()
        section, begun = None, 0
        for number, line in enumerate(text_of(path).split("\n") if path is not None else (), 1):
            line, fault = line.strip(), ""
            if not line or line.startswith(("#", ";")):
                continue
            if line.startswith("["):
                section, bracket, _ = line[1:].rpartition("]")
                begun = number
                if not bracket:
                    fault = 'a section without its "]"'
                elif (first := self.lines.setdefault((section, ""), number)) != number:
                    fault = f"[{section}]: it began in line {first} already"
            elif section is None:
                if not self.faults:  # once, since a log given by mistake has many such lines
                    fault = "a setting before the first [section]"
            elif match := _SETTING.fullmatch(line):
                where = section, match[1].lower()
                self.settings.setdefault(where, match[2])
                first = self.lines.setdefault(where, number)
                # A section that began before has a fault already.
                if first != number and self.lines.get((section, ""), begun) == begun:
                    fault = f"[{section}] {where[1]}: it is given in line {first} already"
            else:
                fault = f"[{section}]: neither a [section] nor a key with its value"
            if fault:
                self.faults.append((number, fault))
                self.faulty.add(section or "")

    @property
    def sections(self) -> list[str]:
        return [section for section, key in self.lines if not key]

    def add_fault(self, where: tuple[str, str], what: str) -> None:
        """Adds a fault of an option, at its section's line if the file does not set it. what: without its value,
        which may be secret."""
        section, key = where
        self.faulty.add(section)
        line = self.lines.get(where) or self.lines.get((section, ""), 0)
        self.faults.append((line, f"[{section}]{' ' * bool(key)}{key}: {what}"))


def text_of(path: str) -> str:
    """The text of a file of settings. Raises ConfigError at once for what is no such file."""
    try:
        # O_NONBLOCK: it does not wait for the other end of a pipe.
        at_once = lambda path, flags: os.open(path, flags | os.O_NONBLOCK)
        with open(path, "rb", opener=at_once) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise ConfigError(f"{path}: it is no regular file")
            content = stream.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise ConfigError(f"{path}: it has more than {LARGEST_FILE >> 20} MiB")
        text = content.decode("utf-8-sig")  # some editors begin a file with a mark
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}:{line}: the line is not UTF-8") from None
    if control := _CONTROL.search(text):
        line = text.count("\n", 0, control.start()) + 1
        raise ConfigError(
            f"{path}:{line}: the line has a control character, U+{ord(control[0]):04X}"
        )
    return text
