# SPDX-License-Identifier: Apache-2.0
"""The tables of runs, their causes and the fingerprints of these.

A database may have tables of other applications. All names here begin with "oslogserve_", those of indexes too.
Earlier releases had "oslogserve_seen", "jobs", "runs", "causes" and "sightings": take none of these names again.
"""

from sqlalchemy import (
    Boolean,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    TypeDecorator,
    UniqueConstraint,
)

from oslogserve.lines import fingerprints
from oslogserve.seen import MOST_NAME, MOST_PATH, MOST_TEXT, MOST_TOLD

#: Of the tables and of the fingerprints in them. Tables of an earlier version are made anew, and runs are remembered
#: again. Later ones are left alone, so a number never goes back.
VERSION = (5, fingerprints.VERSION)

tables = MetaData()


def storable(text: str) -> str:
    """The text as any database takes it. Jobs may write any name."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


class Text(TypeDecorator[str]):
    """The beginning of a text, made storable."""

    impl = String
    cache_ok = True

    def __init__(self, length: int, is_cut: bool = True) -> None:
        """is_cut: False if a longer text is none of the column's."""
        super().__init__(length)
        self.length = length
        self.is_cut = is_cut

    def process_bind_param(self, value: str | None, _: Dialect) -> str:
        return storable((value or "")[: self.length if self.is_cut else None])


class Fingerprint(TypeDecorator[str]):
    """Hexadecimal digits."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, _: Dialect) -> bytes:
        return bytes.fromhex(value or "")

    def process_result_value(self, value: bytes | None, _: Dialect) -> str:
        return (value or b"").hex()


#: Its one row says that all other tables here are oslogserve's, and their VERSION. Every release reads it, so its
#: name and columns never change.
versions = Table(
    "oslogserve_version",
    tables,
    Column("tables", Integer, nullable=False),
    Column("fingerprints", Integer, nullable=False),
)

jobs = Table(
    "oslogserve_jobs",
    tables,
    Column("id", Integer, primary_key=True),
    Column("job", Text(MOST_NAME), nullable=False),
    Column("project", Text(MOST_NAME), nullable=False),
    Column("branch", Text(MOST_NAME), nullable=False),
    UniqueConstraint("job", "project", "branch"),
)

runs = Table(
    "oslogserve_runs",
    tables,
    Column("id", Integer, primary_key=True),
    Column("path", Text(MOST_PATH, is_cut=False), nullable=False, unique=True),
    #: A digest of the path of the folder above.
    Column("folder", LargeBinary, nullable=False),
    Column("ended", Integer, nullable=False),
    Column("has_failed", Boolean, nullable=False),
    Column("job", ForeignKey("oslogserve_jobs.id"), nullable=False),
    Column("change", Text(MOST_NAME), nullable=False),
    Column("is_cut", Boolean, nullable=False),
    Index("oslogserve_runs_by_folder", "folder", "ended"),
    Index("oslogserve_runs_by_end", "has_failed", "ended"),
    Index("oslogserve_runs_by_job", "job", "has_failed", "is_cut", "ended"),
    sqlite_autoincrement=True,  # so that no run gets the number of one that was removed
)

causes = Table(
    "oslogserve_causes",
    tables,
    Column("run", ForeignKey("oslogserve_runs.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("log", Text(MOST_NAME), nullable=False),
    Column("line", Integer, nullable=False),
    Column("text", Text(MOST_TEXT), nullable=False),
    Column("exact", Fingerprint, nullable=False),
    Column("failure", Fingerprint, nullable=False),
    Column("told", Text(MOST_TOLD), nullable=False),
    sqlite_with_rowid=False,
)

#: One row for each run and fingerprint. It has what questions count, so that they read no other table.
sightings = Table(
    "oslogserve_sightings",
    tables,
    Column("fingerprint", Fingerprint, primary_key=True),
    Column("has_failed", Boolean, primary_key=True),
    Column("ended", Integer, primary_key=True),
    Column("run", ForeignKey("oslogserve_runs.id", ondelete="CASCADE"), primary_key=True),
    Column("job", Integer, nullable=False),
    #: True for the exact fingerprint of the run's first cause, by which the list counts it.
    Column("is_leading", Boolean, nullable=False),
    Index("oslogserve_sightings_by_run", "run"),
    sqlite_with_rowid=False,
)
