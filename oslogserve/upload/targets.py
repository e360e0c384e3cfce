# SPDX-License-Identifier: Apache-2.0
"""The stores that logs may be uploaded to: Swift, and the buckets of the configuration."""

import argparse
from typing import Any, NamedTuple

from oslogserve.config import Config, ConfigError
from oslogserve.config.values import BucketUrl
from oslogserve.sources.objects.location import Location, location_of
from oslogserve.sources.store.source import located
from oslogserve.sources.swift import SOURCE as SWIFT
from oslogserve.upload.buckets import SEGMENT_SIZES, BucketWriter
from oslogserve.upload.destination import Target
from oslogserve.upload.swift import SwiftWriter
from oslogserve.upload.writer import Effort, Writer


class SwiftTarget(NamedTuple):
    config: Config
    name: str = "Swift"
    section: str = "swift"

    def located(self, served: bytes) -> Location | None:
        swift = self.config.section("swift")
        return location_of(served, swift["container"], swift["partitions"])

    def writer(self, effort: Effort, expire: float | None, prefix: str) -> Writer:
        return SwiftWriter(self.config, expire, effort, prefix)


class StoreTarget(NamedTuple):
    #: By which readers ask for it.
    name: str
    #: Options of its section.
    options: dict[str, Any]

    @property
    def section(self) -> str:
        return "store" if self.name == "store" else f"store {self.name}"

    def located(self, served: bytes) -> Location | None:
        url: BucketUrl = self.options["url"]
        return located(url, self.options["partitions"], served)

    def writer(self, effort: Effort, expire: float | None, prefix: str) -> Writer:
        return BucketWriter(self.name, self.options, effort, prefix)


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
        return StoreTarget(wanted, stores[wanted])
    if config["swift", "storage_url"]:
        raise ConfigError("[swift] storage_url is for reading: an upload needs credentials instead")
    return SwiftTarget(config)


def check_options(target: Target, options: argparse.Namespace) -> None:
    """Raises ConfigError for what the store cannot do."""
    if not isinstance(target, StoreTarget):
        return
    if options.container:
        raise ConfigError("--container: it is of Swift. A store's bucket is that of its url")
    if options.expire is not None:
        what = "a bucket has a lifecycle rule instead, which deletes its objects after some days"
        raise ConfigError(f"--expire: {what}")
    url: BucketUrl = target.options["url"]
    least, most = SEGMENT_SIZES[url.service]
    if not least <= options.segment_size <= most:
        sizes = f"from {least // 2**20}M to {most // 2**20}M"
        raise ConfigError(f"--segment-size: a store like {url.service}:// takes {sizes}")
