# SPDX-License-Identifier: Apache-2.0
"""The rooms of a process, made from its configuration."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from oslogserve.config import Config
from oslogserve.errors import SourceError
from oslogserve.folders import check_folder
from oslogserve.jobs.compare import PassedLogs
from oslogserve.jobs.job import Jobs
from oslogserve.lines.renderer import Renderer
from oslogserve.logs.indexes import Indexes
from oslogserve.logs.open_log import Logs
from oslogserve.metrics import Metrics
from oslogserve.salt import salt_of
from oslogserve.seen.memory import Memory
from oslogserve.seen.rules import Rules, configured_rules
from oslogserve.sources import Backend
from oslogserve.sources.disk.source import Disk
from oslogserve.sources.guard import Guard
from oslogserve.text import visible, without_values

if TYPE_CHECKING:
    from oslogserve.seen.database import Database
    from oslogserve.sources.store.source import Store
    from oslogserve.sources.swift import Swift


class Assembly:
    """What reads logs and remembers runs, for a server and for commands that do a server's work."""

    def __init__(self, config: Config, metrics: Metrics, rules: Rules | None = None) -> None:
        """rules: those of the configuration, as they were read with it, when what it lacks was told; None to do so now."""
        self.config = config
        self.metrics = metrics
        #: What could not be made and is done without, a sentence each.
        self.faults: list[str] = config.lacks() if rules is None else []
        self.renderer = Renderer(config.formats)
        #: In the order in which sources are searched.
        threads, shows_dot_files = config["serve", "threads"], config["serve", "dot_files"]
        self.guards = [
            Guard(source, metrics, threads, bool(number), shows_dot_files)
            for number, source in enumerate(sources_of(config, metrics))
        ]
        where = config["index", "directory"], config["index", "size"]
        try:
            if where[0]:
                check_folder(where[0])
        except OSError as error:
            place = config.place_of("index", "directory")
            self.faults.append(f"{place}: {where[0]}: {error.strerror}; no indexes are kept")
        indexes = Indexes(salt_of(config.formats, of_indexes=True), metrics, *where)
        self.logs = Logs(config.views, indexes)
        self.passed = PassedLogs(self.logs, self.renderer, indexes)
        stored, unasked = config["serve", "job_stored_size"], config["serve", "job_unasked_size"]
        limits = config["serve", "job_logs"], stored, unasked
        self.jobs = Jobs(self.logs, self.renderer, limits, config.noise, self.passed)
        self._database = None
        try:
            self._database = database_of(config)
        except Exception as error:  # noqa: BLE001 - logs can be read without it
            self.faults.append(f"[seen]: no runs are kept: {without_values(error)}")
        if rules is None:
            rules, faults = configured_rules(config)
            self.faults += [f"{fault}; the server runs without it" for fault in faults]
        self.memory = Memory(self._database, metrics, rules)

    def answers(self) -> Iterator[tuple[str, str]]:
        """Asks each source and the database what readers will ask. Yields its name, and why it fails; "" if it does not."""
        asked: list[Backend | Database] = [guard.source for guard in self.guards]
        for one in [*asked, self._database] if self._database else asked:
            try:
                one.check()
                yield one.name, ""
            except SourceError as error:
                yield one.name, visible(f"{error} ({one.location})")


def sources_of(config: Config, metrics: Metrics) -> "Iterator[Disk | Swift | Store]":
    """Yields the sources, in the order in which they are asked."""
    chunk_size = config["serve", "chunk_size"]
    if config["disk", "root"]:
        links = config["disk", "links"]
        yield Disk(config["disk", "root"], chunk_size, follows_links=links)
    # What the others need takes 10 MB and 0.1 s, for which a server of a disk alone has no use.
    if config["swift", "container"]:
        from oslogserve.sources.swift import Swift

        yield Swift(config, metrics)
    if config.stores:
        from oslogserve.sources.store.source import Store

        for name, options in config.stores:
            yield Store(name, options, chunk_size, metrics)


def database_of(config: Config) -> "Database | None":
    """The database of runs; None if none are kept."""
    folder, url = config["seen", "directory"], config["seen", "database"]
    if not (folder or url):
        return None
    from sqlalchemy import URL  # it takes a while to import

    from oslogserve.seen.database import Database

    if not url:  # with "?" and the like escaped
        path = os.path.join(folder, "seen.sqlite")
        url = URL.create("sqlite", database=path).render_as_string()
    # The list shows the paths of runs, as listings do.
    is_listed = config["seen", "list"] and config["serve", "listing"]
    return Database(url, config["seen", "days"], is_listed=is_listed)
