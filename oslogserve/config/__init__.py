# SPDX-License-Identifier: Apache-2.0
"""The configuration, from a file, the environment, the command line and the defaults."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import groupby
from typing import Any

from oslogserve.config.clouds import credentials, names_credentials, of_cloud
from oslogserve.config.options import NAMED_OPTIONS, OPTIONS, REMOVED, Option
from oslogserve.config.parser import ConfigError, ConfigFile
from oslogserve.config.values import BucketUrl, Secret, database, storage_url, url, without_secrets
from oslogserve.native import Format
from oslogserve.search import rewritten

__all__ = ["Config", "ConfigError", "load"]

#: Names of stores: of metrics' labels, and of ?source=NAME.
STORE_NAME = re.compile("[a-z][a-z0-9_-]{0,30}")
#: What a store may not be called, since others are.
_TAKEN_NAMES = ("all", "disk", "store", "swift")
#: What finds the credentials of each service.
_LIBRARIES = {"s3": "botocore", "gs": "google.auth", "az": "azure.identity"}
#: Parsers of addresses, which people write secrets into.
_ADDRESSES = (url, storage_url, database, BucketUrl.parsed)
#: Options of a store that say nothing without a url.
_OF_A_STORE = ("anonymous", "endpoint", "region", "profile", "ca_file")
#: Options that S3 alone has.
_OF_S3 = ("region", "profile")
#: Characters of a value that a fault shows.
LONGEST_SHOWN = 100


@dataclass(frozen=True)
class Config:
    #: Those of the table, then those of the sections [view NAME] and the like, as in the file.
    options: Sequence[Option]
    #: The parsed value of each option by (section, key).
    values: Mapping[tuple[str, str], Any]
    #: What to do about each option that the file sets and that is gone, with file, line and key.
    removed: Sequence[str] = field(compare=False)
    #: File and line of each option that the file sets, by (section, key).
    places: Mapping[tuple[str, str], str] = field(compare=False)

    def __getitem__(self, where: tuple[str, str]) -> Any:
        return self.values[where]

    def section(self, name: str) -> dict[str, Any]:
        """The values of a section, by key."""
        return {key: value for (section, key), value in self.values.items() if section == name}

    @property
    def views(self) -> list[tuple[re.Pattern[str], str]]:
        """Pairs of a pattern and a view, in the order of the file; the first match counts."""
        return [(row["pattern"], row["view"]) for _, row in self.rows("view")]

    @property
    def noise(self) -> list[re.Pattern[str]]:
        """Patterns of errors that say nothing about a failure."""
        return [row["pattern"] for _, row in self.rows("noise")]

    @property
    def formats(self) -> list[Format]:
        """The user formats, in the order of the file. The first one that matches a line counts."""
        return [
            (name, rewritten(row["pattern"]), row["words"]) for name, row in self.rows("format")
        ]

    @property
    def stores(self) -> list[tuple[str, dict[str, Any]]]:
        """Name and options of each store, in the order in which they are asked."""
        first = [("store", self.section("store"))] if self["store", "url"] else []
        return first + self.rows("store")

    def rows(self, prefix: str) -> list[tuple[str, dict[str, Any]]]:
        """NAME and values of each section [prefix NAME]."""
        beginning = f"{prefix} "
        sections = dict.fromkeys(section for section, _ in self.values)
        found = [section for section in sections if section.startswith(beginning)]
        return [(section.removeprefix(beginning), self.section(section)) for section in found]

    def missing_root(self) -> str:
        """A sentence if the folder of logs is not there; "" if it is, or none is configured."""
        root = self["disk", "root"]
        return f"there is no folder {root!r}" if root and not os.path.isdir(root) else ""

    def lacks(self) -> list[str]:
        """What a server does without, a sentence each: removed options, and the folder of logs."""
        root = self.missing_root()  # a mount may come later
        return [*self.removed, f"[disk] root: {root}"] if root else [*self.removed]

    def place_of(self, section: str, key: str) -> str:
        """The option as a fault names it, with file and line if the file sets it."""
        place = self.places.get((section, key))
        return f"{place}: [{section}] {key}" if place else f"[{section}] {key}"

    def as_file(self) -> str:
        """A file's text from which load() would give this configuration. Hides secrets."""
        text = ""
        for section, options in groupby(self.options, key=lambda option: option.section):
            text += f"[{section}]\n"
            for option in options:
                value = _without_secret(option, _as_text(self[option.where]))
                text += f"{option.key} = {value}\n"
        return text


def _as_text(value: Any) -> str:
    """The text of a value, as a file has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, re.Pattern):
        return str(value.pattern)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return " ".join(f"{word.decode()}:{severity}" for word, severity in value.items())
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return "off" if value is None else str(value)


def _without_secret(option: Option, value: str) -> str:
    if option.parse is Secret:
        return "(set)" if value else ""
    return without_secrets(value) if option.parse in _ADDRESSES else value


def load(
    file: str | None,
    environ: Mapping[str, str] = os.environ,
    must_exist: bool = False,
    **overrides: str,
) -> Config:
    """The configuration of a file, or the defaults. Raises ConfigError with all faults.

    must_exist: makes it a fault if the folder of logs is missing. overrides: 'section_key' -> text, from the
    command line.
    """
    parsed = ConfigFile(file)
    named = [
        replace(option, section=section)
        for section in parsed.sections
        for option in NAMED_OPTIONS
        if section.startswith(f"{option.section} ")
    ]
    options = (*OPTIONS, *named)
    values = {option.where: _value(option, parsed, environ, overrides) for option in options}
    values |= of_cloud(values, parsed, environ)
    places = {where: f"{file}:{setting.line}" for where, setting in parsed.settings.items()}
    removed = [
        f"{place}: [{section}] {key} is gone: {REMOVED[section, key]}"
        for (section, key), place in places.items()
        if (section, key) in REMOVED
    ]
    config = Config(options, values, removed, places)
    _check_names(config, parsed)
    _check_usable(config, must_exist, parsed)
    parsed.raise_faults()
    return config


def _value(
    option: Option, parsed: ConfigFile, environ: Mapping[str, str], overrides: Mapping[str, str]
) -> Any:
    """The option's value; None, and a fault is added, if its text is not valid.

    The command line overrides the file, and the file the environment.
    """
    # keystoneauth prefers an id to a name. If the file has the name, ignore an id in the environment.
    name = option.section, option.key.removesuffix("id") + "name"
    is_settled = name in parsed.settings
    if option.env == "OS_CLOUD":
        is_settled = names_credentials(parsed)
    variable = None if is_settled else environ.get(option.env)
    outside, text = "", option.default
    if (override := overrides.get(f"{option.section}_{option.key}")) is not None:
        outside, text = f"{option.section} {option.key}: ", override
    elif option.where in parsed.settings:
        text = parsed.settings[option.where].text
    elif variable:
        outside, text = f"{option.env}: ", variable
    try:
        return option.parse(text)
    except ValueError as takes:
        shown = repr(_without_secret(option, text)[:LONGEST_SHOWN])
        what = f"{shown} is not understood: it takes {takes}"
        if outside:
            parsed.add_fault(0, outside + what)
        else:
            parsed.add_option_fault(option.where, what)
        return None


def _check_names(config: Config, parsed: ConfigFile) -> None:
    known = {section for section, _ in config.values}
    for section, line in parsed.sections.items():
        if section not in known:
            parsed.add_fault(line, f"[{section}]: no such section")
    for where in parsed.settings:
        if where[0] in known and where not in config.values and where not in REMOVED:
            parsed.add_option_fault(where, "no such key")


def _check_usable(config: Config, must_exist: bool, parsed: ConfigFile) -> None:
    ca_file = config["swift", "ca_file"]
    if must_exist and (what := config.missing_root()):
        parsed.add_option_fault(("disk", "root"), what)
    if missing := ", ".join(_missing_of_swift(config)):
        parsed.add_option_fault(("swift", "container"), f"it is of no use without {missing}")
    if fault := _fault_of_storage_url(config, parsed):
        parsed.add_option_fault(("swift", "storage_url"), fault)
    if config["swift", "container"] and ca_file and not os.access(ca_file, os.R_OK):
        parsed.add_option_fault(("swift", "ca_file"), f"{ca_file!r} cannot be read")
    _check_stores(config, parsed)
    for option in config.options:
        setting = parsed.settings.get(option.where)
        if option.key == "pattern" and not (setting and setting.text):  # it would fit all
            prefix, _, _ = option.section.partition(" ")
            parsed.add_option_fault(option.where, f"a {prefix} needs a pattern")
    for name, row in config.rows("format"):
        pattern = row["pattern"]
        if row["words"] and pattern and not re.search(r"\(\?P?<severity>", pattern):
            what = "of no use, its pattern has no group severity"
            parsed.add_option_fault((f"format {name}", "words"), what)


def _check_stores(config: Config, parsed: ConfigFile) -> None:
    for name, _ in config.rows("store"):
        section = f"store {name}"
        if not STORE_NAME.fullmatch(name) or name in _TAKEN_NAMES:
            what = "a name has letters from a to z, digits, - and _, and is none of"
            line = parsed.sections[section]
            parsed.add_fault(line, f"[{section}]: {what} {', '.join(_TAKEN_NAMES)}")
        if (section, "url") not in parsed.settings:
            parsed.add_option_fault((section, "url"), "a store needs one")
    for key in _OF_A_STORE:
        if config["store", "url"] == "" and config["store", key]:
            parsed.add_option_fault(("store", key), "of no use without url")
    for name, row in config.stores:
        _check_store("store" if name == "store" else f"store {name}", row, parsed)


def _check_store(section: str, row: Mapping[str, Any], parsed: ConfigFile) -> None:
    service, ca_file = row["url"] and row["url"].service, row["ca_file"]
    if service == "az" and row["endpoint"] == "":
        what = "it needs an endpoint, such as https://ACCOUNT.blob.core.windows.net"
        parsed.add_option_fault((section, "url"), what)
    if service and not row["anonymous"] and not _is_installed(_LIBRARIES[service]):
        what = "it needs oslogserve[store], which is not installed"
        parsed.add_option_fault((section, "url"), what)
    for key in _OF_S3:
        if service not in ("", "s3") and row[key]:
            parsed.add_option_fault((section, key), f"of no use to {service}://")
    if row["anonymous"] and row["profile"]:
        parsed.add_option_fault((section, "profile"), "of no use to an anonymous reader")
    if ca_file and not os.access(ca_file, os.R_OK):
        parsed.add_option_fault((section, "ca_file"), f"{ca_file!r} cannot be read")


def _is_installed(library: str) -> bool:
    try:
        return find_spec(library) is not None
    except ModuleNotFoundError:  # the package around it
        return False


def _missing_of_swift(config: Config) -> list[str]:
    """Missing keys without which the container cannot be read, so that the start fails, not a request."""
    swift = config.section("swift")
    if not swift["container"] or swift["auth_version"] is None:
        return []
    if swift["storage_url"] != "" or swift["cloud"]:  # one that is not understood is None
        return []
    if swift["auth_version"] == "1":
        needed = ["auth_url", "username", "password"]
    elif swift["application_credential_id"]:
        needed = ["auth_url", "application_credential_secret"]
    else:
        project = "project_id" if swift["project_id"] else "project_name"
        needed = ["auth_url", "username", "password", project]
    return [key for key in needed if swift[key] == ""]


def _fault_of_storage_url(config: Config, parsed: ConfigFile) -> str:
    """The fault of reading without credentials: options that it does not take; "" for none."""
    if not config["swift", "storage_url"]:
        return ""
    if not config["swift", "container"]:
        return "it is of no use without container"
    given = credentials(config.values, parsed).values()
    return f"it is for reading without credentials: leave out {', '.join(given)}" if given else ""
