# SPDX-License-Identifier: Apache-2.0
"""Where files are uploaded to: Swift or a bucket of the configuration, and a folder in it."""

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from oslogserve.config import Config, ConfigError
from oslogserve.config.values import BucketUrl
from oslogserve.sources.objects.location import MAX_NAME, Location, location_of, prefix_of
from oslogserve.sources.store.source import located
from oslogserve.sources.swift import SOURCE as SWIFT
from oslogserve.upload.buckets import SEGMENT_SIZES, BucketWriter
from oslogserve.upload.masks import Masks
from oslogserve.upload.swift import SwiftWriter
from oslogserve.upload.writer import Effort, Writer


class BadName(Exception):
    """Raised for a file name that the store or the server does not accept."""


class Target(NamedTuple):
    """A store as an uploader sees it."""

    #: For messages.
    name: str
    #: The section of the configuration.
    section: str
    #: The object in which the server looks for a path; None if there can be none.
    located: Callable[[bytes], Location | None]
    #: Makes a writer of an Effort, the seconds after which objects expire, and a prefix; see Writer.
    writer: Callable[[Effort, float | None, str], Writer]
    #: A bucket's; None of Swift.
    url: BucketUrl | None = None


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


def target_of(config: Config, name: str | None) -> Target:
    """The store of that name, or the only one. Raises ConfigError."""
    stores = dict(config.stores)
    names = [SWIFT] * bool(config["swift", "container"]) + list(stores)
    if not names:
        raise ConfigError("no container to upload to: give --container, or --config with one")
    all_names = ", ".join(names)
    if name is None and len(names) > 1:
        raise ConfigError(f"several stores are configured: give --to with one of {all_names}")
    wanted = name or names[0]
    if wanted not in names:
        raise ConfigError(f"--to {wanted}: it is not configured: give one of {all_names}")
    if wanted != SWIFT:
        return _of_store(wanted, stores[wanted])
    if config["swift", "storage_url"]:
        raise ConfigError("[swift] storage_url is for reading: an upload needs credentials instead")
    swift = config.section("swift")
    where = {"container": swift["container"], "partitions": swift["partitions"]}
    return Target("Swift", "swift", partial(location_of, **where), partial(SwiftWriter, config))


def _of_store(name: str, options: dict[str, Any]) -> Target:
    """name: by which readers ask for it. options: of its section."""
    url: BucketUrl = options["url"]
    section = "store" if name == "store" else f"store {name}"
    where = partial(located, url, options["partitions"])
    writer = lambda effort, _expire, prefix: BucketWriter(name, options, effort, prefix)
    return Target(name, section, where, writer, url)


def check_options(target: Target, options: argparse.Namespace) -> None:
    """Raises ConfigError for what the store cannot do."""
    if target.url is None:
        return
    if options.container:
        raise ConfigError("--container: it is of Swift. A store's bucket is that of its url")
    if options.expire is not None:
        what = "a bucket has a lifecycle rule instead, which deletes its objects after some days"
        raise ConfigError(f"--expire: {what}")
    least, most = SEGMENT_SIZES[target.url.service]
    if not least <= options.segment_size <= most:
        sizes = f"from {least // 2**20}M to {most // 2**20}M"
        raise ConfigError(f"--segment-size: a store like {target.url.service}:// takes {sizes}")
