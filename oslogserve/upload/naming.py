# SPDX-License-Identifier: Apache-2.0
"""The place and the form in which a file is stored, so that the server finds it by its path."""

import os
from dataclasses import dataclass
from typing import BinaryIO

from oslogserve.config import Config
from oslogserve.sources.swift import MAX_NAME, Place, place_of
from oslogserve.upload.content import Content, content_of


class Unstorable(Exception):
    """Raised for a file name that Swift or the server does not take."""


@dataclass(frozen=True)
class Naming:
    config: Config
    #: The path of the folder in URLs, without slashes around it.
    prefix: bytes
    segment_size: int
    #: Whether a gzip is stored where it pays.
    packs: bool

    def place(self, path: bytes) -> Place:
        """Container and object in which the server looks for a file. Raises Unstorable."""
        served = b"/".join(filter(None, [self.prefix, path]))
        swift = self.config.section("swift")
        place = place_of(served, swift["container"], swift["partitions"])
        if place is None:
            is_text = served.decode("utf-8", "replace").encode() == served
            what = "its first segment is no [swift] partition" if is_text else "it is not UTF-8"
            raise Unstorable(f"Swift has no such name: {what}")
        if not place.name:
            raise Unstorable("its name is only that of a container: give a --prefix")
        if len(place.name.encode()) > MAX_NAME:
            raise Unstorable(f"its name is longer than the {MAX_NAME} bytes that Swift takes")
        return place

    @property
    def object_prefix(self) -> str:
        """The beginning of all objects' names."""
        prefix = self.prefix.decode() + "/" if self.prefix else ""
        has_partition = "{partition}" in self.config["swift", "container"]
        return prefix.partition("/")[2] if has_partition else prefix

    def content(self, file: BinaryIO, path: bytes) -> Content:
        """The content of what is in the file now. The file may grow meanwhile.

        Raises Changed where it gets shorter.
        """
        name, size = path.decode("utf-8", "replace"), os.fstat(file.fileno()).st_size
        return content_of(file, size, name, self.segment_size, self.packs)
