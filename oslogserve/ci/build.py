# SPDX-License-Identifier: Apache-2.0
"""Reader of the inventory that Zuul leaves with a job: its project, change, branch and nodes.

Anybody who runs a job can write one. So its events are read one by one and no value is built, which
also ignores tags such as !unsafe; aliases are left out.
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import yaml

INVENTORY = b"zuul-info/inventory.yaml"
#: Bytes and events that are read of it.
MOST_OF_INVENTORY = 256 * 1024
MOST_EVENTS = 20_000
#: Nested collections: its values are at depth 6.
MOST_DEPTH = 16
#: Characters of a value, and of a URL. A longer URL is left out.
MOST_TEXT, MOST_URL = 200, 2000
#: Nodes that are named.
MOST_NODES = 5

#: A wheel has libyaml's parser, which is ten times as fast.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_ZUUL = ("all", "vars", "zuul")
_NULLS = ("", "~", "null")


class Build(NamedTuple):
    """A build; "" for what is not known of it."""

    project: str = ""
    #: With its patch set: 123442,7.
    change: str = ""
    #: An http or https URL.
    change_url: str = ""
    branch: str = ""
    #: A reference that is no branch, or may be a tag: v1.2.
    ref: str = ""
    pipeline: str = ""
    job: str = ""
    nodes: str = ""
    #: "failed", "succeeded", or "".
    result: str = ""
    #: How long it took; None if unknown.
    seconds: float | None = None


def build_of(inventory: bytes) -> Build:
    """The build of an inventory; of a damaged one, what is before the damage."""
    values: dict[tuple[str, ...], str] = {}
    nodes: dict[str, str] = {}
    # The parsers of malformed texts raise also ValueError, such as for a character's number.
    with suppress(yaml.YAMLError, ValueError, RecursionError):
        for path, value in _scalars(inventory[:MOST_OF_INVENTORY]):
            if path[:3] == _ZUUL and len(path) <= 5:
                values.setdefault(path[3:], value)
            elif path[:2] == ("all", "hosts") and len(path) > 2 and len(nodes) <= MOST_NODES:
                nodes.setdefault(path[2], "")
                if path[3:] == ("nodepool", "label"):
                    nodes[path[2]] = value

    def said(*path: str) -> str:
        return values.get(path, "")[:MOST_TEXT]

    url = values.get(("change_url",), "")
    names = [
        f"{name} ({label})" if label and label != name else name for name, label in nodes.items()
    ]
    shown = ", ".join(name[:MOST_TEXT] for name in names[:MOST_NODES])
    change = ",".join(filter(None, (said("change"), said("patchset"))))
    return Build(
        project=said("project", "canonical_name") or said("project", "name"),
        change=change if said("change") else "",
        change_url=url if said("change") and _is_web(url) else "",
        branch=said("branch"),
        pipeline=said("pipeline"),
        job=said("job"),
        nodes=shown + (" and others" if len(names) > MOST_NODES else ""),
    )


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return len(url) <= MOST_URL and parts.scheme in ("http", "https") and bool(parts.netloc)


def _scalars(text: bytes) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yields each scalar that is a value of mappings alone, with the keys above it.

    Raises YAMLError and ValueError for a malformed text.
    """
    #: The current key of each open mapping, None where a key comes next; "" for a sequence.
    keys: list[str | None] = []
    for event in islice(yaml.parse(text, Loader=_LOADER), MOST_EVENTS):
        if isinstance(event, yaml.CollectionStartEvent):
            keys.append(None if isinstance(event, yaml.MappingStartEvent) else "")
            if len(keys) > MOST_DEPTH:
                return
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            keys.pop()
        elif not isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            continue
        value = event.value if isinstance(event, yaml.ScalarEvent) else ""
        if not keys or keys[-1] == "":
            continue
        if keys[-1] is None:
            keys[-1] = value or "?"
            continue
        if not (value in _NULLS and getattr(event, "implicit", (True,))[0]):
            yield tuple(key or "" for key in keys), value
        keys[-1] = None
