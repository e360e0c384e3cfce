# SPDX-License-Identifier: Apache-2.0
"""The destination of an upload: where and how files are stored, so that the server finds them."""

from typing import NamedTuple

from oslogserve.config import Config
from oslogserve.sources.swift import MAX_NAME, Location, location_of


class BadName(Exception):
    """Raised for a file name that Swift or the server does not accept."""


class Destination(NamedTuple):
    config: Config
    #: The folder's path in URLs, without slashes at its ends.
    prefix: bytes
    segment_size: int
    #: True if text is stored as gzip where that is shorter.
    may_gzip: bool

    def location(self, path: bytes) -> Location:
        """The object in which the server looks for a file. Raises BadName.

        path: relative to the folder.
        """
        served = b"/".join(filter(None, [self.prefix, path]))
        swift = self.config.section("swift")
        location = location_of(served, swift["container"], swift["partitions"])
        if location is None:
            is_text = served.decode("utf-8", "replace").encode() == served
            why = "its first segment is no [swift] partition" if is_text else "it is not UTF-8"
            raise BadName(f"Swift has no such name: {why}")
        if not location.name:
            raise BadName("its name is only that of a container: give a --prefix")
        if len(location.name.encode()) > MAX_NAME:
            raise BadName(f"its name is longer than the {MAX_NAME} bytes that Swift takes")
        return location

    @property
    def object_prefix(self) -> str:
        """The prefix of all objects' names."""
        prefix = self.prefix.decode() + "/" if self.prefix else ""
        has_partition = "{partition}" in self.config["swift", "container"]
        return prefix.partition("/")[2] if has_partition else prefix
