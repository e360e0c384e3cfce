# SPDX-License-Identifier: Apache-2.0
"""The tables of runs, their causes and the fingerprints of these."""

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)

from oslogserve.lines import fingerprints
from oslogserve.seen import MOST_NAME, MOST_PATH, MOST_TEXT, MOST_TOLD

#: Tables of another version are made anew, and runs are remembered again.
VERSION = f"4.{fingerprints.VERSION}"

tables = MetaData()

versions = Table("oslogserve_seen", tables, Column("version", String(20), primary_key=True))

jobs = Table(
    "jobs",
    tables,
    Column("id", Integer, primary_key=True),
    Column("job", String(MOST_NAME), nullable=False),
    Column("project", String(MOST_NAME), nullable=False),
    Column("branch", String(MOST_NAME), nullable=False),
    UniqueConstraint("job", "project", "branch"),
)

runs = Table(
    "runs",
    tables,
    Column("id", Integer, primary_key=True),
    Column("path", String(MOST_PATH), nullable=False, unique=True),
    Column("ended", Integer, nullable=False),
    Column("has_failed", Boolean, nullable=False),
    Column("job", ForeignKey("jobs.id"), nullable=False),
    Column("change", String(MOST_NAME), nullable=False),
    Column("is_cut", Boolean, nullable=False),
    Index("runs_by_end", "has_failed", "ended"),
    Index("runs_by_job", "job", "has_failed", "is_cut", "ended"),
    sqlite_autoincrement=True,  # so that no run gets the number of one that was removed
)

causes = Table(
    "causes",
    tables,
    Column("run", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("log", String(MOST_NAME), nullable=False),
    Column("line", Integer, nullable=False),
    Column("text", String(MOST_TEXT), nullable=False),
    Column("exact", LargeBinary, nullable=False),
    Column("failure", LargeBinary, nullable=False),
    Column("told", String(MOST_TOLD), nullable=False),
    sqlite_with_rowid=False,
)

#: One row for each run and fingerprint. It has what questions count, so that they read no other table.
sightings = Table(
    "sightings",
    tables,
    Column("fingerprint", LargeBinary, primary_key=True),
    Column("has_failed", Boolean, primary_key=True),
    Column("ended", Integer, primary_key=True),
    Column("run", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("job", Integer, nullable=False),
    #: True for the exact fingerprint of the run's first cause, by which the list counts it.
    Column("is_leading", Boolean, nullable=False),
    sqlite_with_rowid=False,
)
