# SPDX-License-Identifier: Apache-2.0
"""Where the object of a log is: its container and its name."""

import re
from typing import NamedTuple

from oslogserve.compression import stored_names

#: The longest name of an object in Swift, S3 and Google's store, bytes. Azure's may be longer.
MAX_NAME = 1024
#: An object that need not be there: "not found" tells that its container may be read.
PROBED = ".oslogserve"


class Location(NamedTuple):
    """The container and the name of an object. The name of a folder may end in "/"."""

    container: str
    name: str


def location_of(path: bytes, container: str, partitions: re.Pattern[str]) -> Location | None:
    """The object for a path; None if its name is not UTF-8, or its first segment is no partition.

    container: its name, which may contain {partition}. partitions: matches a partition.
    """
    try:
        name = path.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if "{partition}" in container:
        partition, _, name = name.partition("/")
        if not partitions.fullmatch(partition):
            return None
        container = container.replace("{partition}", partition)
    return Location(container, name)


def stored_as(log: Location) -> list[Location]:
    """The objects that may hold a log: its name, and with suffixes. Leaves out names that are too long."""
    is_folder = log.name == "" or log.name.endswith("/")
    names = [] if is_folder else stored_names(log.name)
    return [Location(log.container, name) for name in names if len(name.encode()) <= MAX_NAME]


def prefix_of(folder: Location) -> str:
    """The prefix of all names in a folder."""
    is_prefix = folder.name == "" or folder.name.endswith("/")
    return folder.name if is_prefix else folder.name + "/"
