# SPDX-License-Identifier: Apache-2.0
"""Converts os-loganalyze's configuration: its wsgi.conf and its file conditions.

os-loganalyze read the first with Python 2's ConfigParser, the second with PyYAML. The first condition
whose pattern matches from the beginning of a path decides, as the first [view NAME] does here.
"""

import os
import re
from collections.abc import Callable, Iterator
from configparser import Error, RawConfigParser
from typing import Any

from oslogserve.config import values
from oslogserve.config.options import NAMED_OPTIONS, OPTIONS
from oslogserve.config.parser import CONTROL, ConfigError, text_of

_PARSERS = {option.where: option.parse for option in OPTIONS}
#: os-loganalyze's keys of [swift], and ours.
OPTIONS_OF_SWIFT = {
    "authurl": "auth_url",
    "user": "username",
    "password": "password",
    "tenant": "project_name",
    "region": "region_name",
    "container": "container",
}
#: Our view by os-loganalyze's, which may also be written with "View" behind it.
_VIEWS = {"html": "log", "text": "log", "passthrough": "raw"}


def converted(file: str, conditions: str | None, root: str) -> str:
    """The text of a configuration. Raises ConfigError.

    file: the wsgi.conf. conditions: a file instead of the one that file_conditions names. root: the
    folder of logs on disk.
    """
    given = _parsed(file)
    _check_is_theirs(given, file)
    general = dict(given["general"]) if "general" in given else {}
    named = general.pop("file_conditions", "")
    conditions = conditions or (named and os.path.join(os.path.dirname(file), named))
    # It was about Swift's folders. Apache listed those on disk, and leaves them to oslogserve now.
    wants_listing = general.pop("generate_folder_index", "yes")
    lines = ["[disk]", _setting("root", root, _PARSERS["disk", "root"])]
    if "swift" in given:
        lines += ["[swift]", *_swift(dict(given["swift"]))]
    lines += ["[serve]", _setting("listing", wants_listing, values.yes_or_no)]
    lines += [f"# [general] {key}: left out, see doc/moving.rst" for key in general]
    unknown = set(given.sections()) - {"general", "swift"}
    lines += [f"# [{section}]: left out, os-loganalyze does not know it" for section in unknown]
    if conditions:
        lines += _views(conditions)
    if _view(general.get("view")) == "raw":
        lines += ["[view default]", "pattern = ^", "view = raw"]
    return "\n".join(lines) + "\n"


def _parsed(file: str) -> RawConfigParser:
    parser = RawConfigParser(strict=False, inline_comment_prefixes=(";",))
    try:
        parser.read_string(text_of(file), file)
    except (Error, ValueError) as error:
        # The message's further lines are lines of the file, which may be secret.
        raise ConfigError(f"{file}: {str(error).splitlines()[0]}") from None
    return parser


def _check_is_theirs(given: RawConfigParser, file: str) -> None:
    """Raises ConfigError for oslogserve's own configuration, which has other sections and keys."""
    keys = {key for section, key in _PARSERS if section == "swift"} - OPTIONS_OF_SWIFT.keys()
    sections = {option.section for option in (*OPTIONS, *NAMED_OPTIONS)} - {"swift"}
    found = [f"[{name}]" for name in given.sections() if name.partition(" ")[0] in sections]
    if "swift" in given:
        found += [f"[swift] {key}" for key in given["swift"] if key in keys]
    if found and "general" not in given:
        what = "it is oslogserve's own configuration. Give os-loganalyze's wsgi.conf"
        raise ConfigError(f"{file}: {found[0]}: {what}")


def _setting(key: str, value: str, parse: Callable[[str], Any]) -> str:
    """A line of the configuration. Raises ConfigError without the value, which may be secret."""
    try:
        parse(value)
    except ValueError as takes:
        raise ConfigError(f"{key}: it takes {takes}") from None
    is_text = "\n" not in value and not CONTROL.search(value) and value == value.strip()
    if not is_text or ("%(" in value and key != "pattern"):
        what = "it takes one line of text, without spaces at its ends or %(...) in it"
        raise ConfigError(f"{key}: {what}")
    return f"{key} = {value}"


def _swift(given: dict[str, str]) -> Iterator[str]:
    for key, value in given.items():
        ours = OPTIONS_OF_SWIFT.get(key)
        if key == "authurl" and value:
            before = value.rstrip("/")
            value = re.sub(r"(/v2\.0|/v3)?/*$", "/v3", value, count=1)
            if value != before:
                yield "# os-loganalyze used version 2.0"
        if ours is None:
            yield f"# [swift] {key}: left out, see doc/moving.rst"
        elif value:
            yield _setting(ours, value, _PARSERS["swift", ours])


def _views(file: str) -> Iterator[str]:
    for number, condition in enumerate(_conditions(file), 1):
        view, pattern = _view(condition.get("view")), condition.get("filename_pattern")
        if view is None or pattern is None:
            yield f"# condition {number}: left out, it has no pattern, or no view that there is"
            continue
        flags, rest = re.findall(r"(?s)\A(\(\?[aiLmsux]+\))?(.*)", str(pattern))[0]
        is_anchored = rest.startswith("^") and "|" not in rest
        found = flags + (rest if is_anchored else f"^(?:{rest})")
        yield f"[view {number}]"
        yield _setting("pattern", found, values.pattern)
        if view == "log" and str(condition["view"]).lower().startswith("text"):
            yield "# was text for browsers too; they get a page that links to it"
        yield f"view = {view}"


def _view(name: object) -> str | None:
    return _VIEWS.get(str(name).lower().removesuffix("view"))


def _conditions(file: str) -> list[dict[str, Any]]:
    try:
        import yaml

        return [dict(condition) for condition in yaml.safe_load(text_of(file))["conditions"]]
    except ImportError:
        raise ConfigError(f"{file}: to read it, install PyYAML") from None
    except (yaml.YAMLError, ValueError, TypeError, KeyError, RecursionError) as error:
        what = " ".join(str(error).split())
        raise ConfigError(f"{file}: it is no YAML with a list of conditions ({what})") from None
