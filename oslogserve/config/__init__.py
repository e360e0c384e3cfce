# SPDX-License-Identifier: Apache-2.0
"""The configuration, from a file, the environment, the command line and the defaults."""

import os
import re
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

from oslogserve.config.clouds import credentials, names_credentials, of_cloud
from oslogserve.config.options import NAMED_OPTIONS, OPTIONS, REMOVED, Option
from oslogserve.config.parser import ConfigError, ConfigFile
from oslogserve.config.values import BucketUrl, Secret, database, storage_url, url, without_secrets
from oslogserve.folders import why_no_folder
from oslogserve.native import Format
from oslogserve.search import rewritten
from oslogserve.text import quoted

__all__ = ["Config", "ConfigError", "load"]

#: Options of what the server writes.
_WRITTEN = ("index", "directory"), ("seen", "directory"), ("request_log", "to")
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
NO_SOURCE = "nothing to serve: give a [disk] root, a [swift] container or a [store] url"
#: Characters of a value that a fault shows.
LONGEST_SHOWN = 100


@dataclass(frozen=True)
class Config:
    #: Those of the table, then those of the sections [view NAME] and the like, as in the file.
    options: Sequence[Option]
    #: The parsed value of each option by (section, key).
    values: Mapping[tuple[str, str], Any]
    file: ConfigFile = field(compare=False)

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

    @property
    def removed(self) -> list[str]:
        """What to do about each option that the file sets and that is gone, with file, line and key."""
        gone = [where for where in self.file.settings if where in REMOVED]
        return [f"{self.place_of(*where)} is gone: {REMOVED[where]}" for where in gone]

    @property
    def has_source(self) -> bool:
        return bool(self["disk", "root"] or self["swift", "container"] or self.stores)

    def lacks(self) -> list[str]:
        """What a server starts without, a sentence each: sources, and the folder of logs."""
        root = self["disk", "root"]
        if root and (what := why_no_folder(root)):  # a mount may come later
            return [f"{self.place_of('disk', 'root')}: {root}: {what}"]
        given = [
            key
            for key in credentials(self.values, self.file)
            if self.file.settings.get(("swift", key))
        ]
        if given and not self["swift", "container"]:  # an upload may name one
            what = f"it is empty, and needed for {', '.join(given)}"
            return [f"{self.place_of('swift', 'container')}: {what}"]
        return [] if self.has_source else [NO_SOURCE]

    def exposed(self) -> list[str]:
        """What the server writes and readers can read, a sentence each: it is in the folder of logs."""
        found = []
        for where in _WRITTEN:
            root, given = self["disk", "root"], self[where] or ""
            path = Path(given).resolve()
            if root and given.startswith("/") and path.is_relative_to(Path(root).resolve()):
                names = path.relative_to(Path(root).resolve()).parts
                if self["serve", "dot_files"] or not any(one.startswith(".") for one in names):
                    what = "readers can read it, since it is in [disk] root"
                    found.append(f"{self.place_of(*where)}: {given}: {what}")
        return found

    def place_of(self, section: str, key: str) -> str:
        """The option as a fault names it, with file and line if the file sets it."""
        line = self.file.lines.get((section, key))
        return f"{self.file.path}:{line}: [{section}] {key}" if line else f"[{section}] {key}"

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


def load(path: str | None, environ: Mapping[str, str] = os.environ, **overrides: str) -> Config:
    """The configuration of a file, or the defaults. Raises ConfigError with all faults.

    overrides: 'section_key' -> text, from the command line.
    """
    file = ConfigFile(path)
    named = [
        replace(option, section=section)
        for section in file.sections
        for option in NAMED_OPTIONS
        if section.startswith(f"{option.section} ")
    ]
    options = (*OPTIONS, *named)
    values = {option.where: _value(option, file, environ, overrides) for option in options}
    values |= of_cloud(values, file, environ)
    config = Config(options, values, file)
    for where, what in _misnamed(config):
        file.add_fault(where, what)
    # Where something is not understood, what it would need or be of use to is not known.
    unclear = frozenset(file.faulty)
    for where, what in _misfits(config):
        if where[0] not in unclear:
            file.add_fault(where, what)
    if file.faults:
        faults = (f"{path}:{line}: {what}" if line else what for line, what in sorted(file.faults))
        raise ConfigError("\n".join(faults))
    return config


def _value(
    option: Option, file: ConfigFile, environ: Mapping[str, str], overrides: Mapping[str, str]
) -> Any:
    """The option's value; None, and a fault is added, if its text is not valid.

    The command line overrides the file, and the file the environment.
    """
    # keystoneauth prefers an id to a name. If the file has the name, ignore an id in the environment.
    name = option.section, option.key.removesuffix("id") + "name"
    is_settled = name in file.settings
    if option.env == "OS_CLOUD":
        is_settled = names_credentials(file)
    if option.where == ("seen", "directory"):
        is_settled = bool(file.settings.get(("seen", "database")))
    variable = None if is_settled else environ.get(option.env)
    outside, text = "", option.default
    if (override := overrides.get(f"{option.section}_{option.key}")) is not None:
        outside, text = f"{option.section} {option.key}: ", override
    elif option.where in file.settings:
        text = file.settings[option.where]
    elif variable:
        outside, text = f"{option.env}: ", variable
    try:
        return option.parse(text)
    except ValueError as takes:
        shown = quoted(_without_secret(option, text)[:LONGEST_SHOWN])
        what = f"{shown} is not understood: it takes {takes}"
        if outside:
            file.faults.append((0, outside + what))
            file.faulty.add(option.section)
        else:
            file.add_fault(option.where, what)
        return None


_Faults = Iterator[tuple[tuple[str, str], str]]


def _misnamed(config: Config) -> _Faults:
    """Yields section and key of what nobody reads."""
    file = config.file
    sections = {section for section, _ in config.values}
    for section in file.sections:
        if section not in sections:
            yield (section, ""), "no such section"
    for where in file.settings:
        if where[0] in sections and where not in config.values and where not in REMOVED:
            yield where, "no such key"
    for name, _ in config.rows("store"):
        if not STORE_NAME.fullmatch(name) or name in _TAKEN_NAMES:
            what = "a name has letters from a to z, digits, - and _, and is none of"
            yield (f"store {name}", ""), f"{what} {', '.join(_TAKEN_NAMES)}"


def _misfits(config: Config) -> _Faults:
    """Yields section and key of what cannot be used beside the rest of its section, and why."""
    file = config.file
    yield from _faults_of_swift(config)
    for section in dict.fromkeys(section for section, _ in config.values):
        if section.partition(" ")[0] == "store":
            yield from _faults_of_store(section, config)
    if config["seen", "database"] and file.settings.get(("seen", "directory")):
        yield ("seen", "directory"), "of no use next to database"
    for option in config.options:
        if option.key == "pattern" and not file.settings.get(option.where):  # it would fit all
            yield option.where, f"a {option.section.partition(' ')[0]} needs a pattern"
    for name, row in config.rows("format"):
        pattern = row["pattern"]
        if row["words"] and pattern and not re.search(r"\(\?P?<severity>", pattern):
            yield (f"format {name}", "words"), "of no use, its pattern has no group severity"


def _faults_of_swift(config: Config) -> _Faults:
    swift = config.section("swift")
    container, storage_url, ca_file = swift["container"], swift["storage_url"], swift["ca_file"]
    # Keys without which the container cannot be read, so that the start fails, not a request.
    project = "project_id" if swift["project_id"] else "project_name"
    needed = ["auth_url", "username", "password", project]
    if swift["auth_version"] == "1":
        needed.remove(project)
    elif swift["application_credential_id"]:
        needed = ["auth_url", "application_credential_secret"]
    missing = [key for key in needed if not swift[key]]
    if container and missing and not (storage_url or swift["cloud"]):
        yield ("swift", "container"), f"it is of no use without {', '.join(missing)}"
    if storage_url and not container:
        yield ("swift", "storage_url"), "it is of no use without container"
    elif storage_url and (given := credentials(config.values, config.file).values()):
        what = f"it is for reading without credentials: leave out {', '.join(given)}"
        yield ("swift", "storage_url"), what
    if container and ca_file and (what := _unfit_authorities(ca_file)):
        yield ("swift", "ca_file"), what


def _faults_of_store(section: str, config: Config) -> _Faults:
    row = config.section(section)
    url, ca_file = row["url"], row["ca_file"]
    if not url:
        if section != "store" and (section, "url") not in config.file.settings:
            yield (section, "url"), "a store needs one"
        for key in _OF_A_STORE if section == "store" else ():
            if row[key]:
                yield (section, key), "of no use without url"
        return
    service = url.service
    if service == "az" and not row["endpoint"]:
        what = "it needs an endpoint, such as https://ACCOUNT.blob.core.windows.net"
        yield (section, "url"), what
    if not row["anonymous"] and not _is_installed(_LIBRARIES[service]):
        yield (section, "url"), "it needs oslogserve[store], which is not installed"
    for key in _OF_S3:
        if service in ("gs", "az") and row[key]:
            yield (section, key), f"of no use to {service}://"
    if row["anonymous"] and row["profile"]:
        yield (section, "profile"), "of no use to an anonymous reader"
    if ca_file and (what := _unfit_authorities(ca_file)):
        yield (section, "ca_file"), what


def _unfit_authorities(path: str) -> str:
    """Why a file of certificates, or a folder of such files, cannot be used; "" if it can."""
    try:
        if os.path.isfile(path):  # else it may be a pipe, which never ends
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
        elif not os.path.isdir(path):
            return f"{quoted(path)} cannot be read"
    except ssl.SSLError:
        return f"{quoted(path)} has no certificates"
    except OSError as error:
        return f"{quoted(path)} cannot be read: {error.strerror}"
    return ""


def _is_installed(library: str) -> bool:
    try:
        return find_spec(library) is not None
    except ModuleNotFoundError:  # the package around it
        return False
