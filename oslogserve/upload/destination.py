# SPDX-License-Identifier: Apache-2.0
"""Where files are uploaded to: a store, and a folder in it."""

from typing import NamedTuple, Protocol

from oslogserve.config import Config
from oslogserve.sources.objects.location import MAX_NAME, Location, prefix_of
from oslogserve.upload.masks import Masks
from oslogserve.upload.writer import Effort, Writer


class BadName(Exception):
    """Raised for a file name that the store or the server does not accept."""


class Target(Protocol):
    """A store as an uploader sees it."""

    @property
    def name(self) -> str:
        """The store's name, for messages."""

    @property
    def section(self) -> str:
        """The section of the configuration."""

    def located(self, served: bytes) -> Location | None:
        """The object in which the server looks for a path; None if there can be none."""

    def writer(self, effort: Effort, expire: float | None, prefix: str) -> Writer:
        """A new writer. expire, prefix: see SwiftWriter."""


class Destination(NamedTuple):
    config: Config
    target: Target
    #: The folder's path in URLs, without slashes at its ends.
    prefix: bytes
    segment_size: int
    #: True if text is stored as gzip where that is shorter.
    may_gzip: bool
    #: What is replaced in each file; None for nothing.
    masks: Masks | None = None

    def location(self, path: bytes) -> Location:
        """The object in which the server looks for a file. Raises BadName.

        path: relative to the folder.
        """
        served = b"/".join(filter(None, [self.prefix, path]))
        location = self.target.located(served)
        if location is None:
            is_text = served.decode("utf-8", "replace").encode() == served
            no_partition = f"its first segment is no [{self.target.section}] partition"
            why = no_partition if is_text else "it is not UTF-8"
            raise BadName(f"{self.target.name} has no such name: {why}")
        if location.name.endswith("/") or not location.name:
            raise BadName("its name is only that of a container: give a --prefix")
        if len(location.name.encode()) > MAX_NAME:
            what = f"longer than the {MAX_NAME} bytes that {self.target.name} takes"
            raise BadName(f"its name is {what}")
        return location

    @property
    def object_prefix(self) -> str:
        """The prefix of all objects' names."""
        folder = self.target.located(self.prefix)
        return prefix_of(folder) if folder else ""
