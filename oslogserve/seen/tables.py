# SPDX-License-Identifier: Apache-2.0
"""The tables of runs, their causes and the fingerprints of these.

A database may have tables of other applications. All names here begin with "oslogserve_", those of indexes too.
Earlier releases had "oslogserve_seen", "jobs", "runs", "causes" and "sightings": take none of these names again.
"""

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

#: Of the tables and of the fingerprints in them. Tables of an earlier version are made anew, and runs are remembered
#: again. Later ones are left alone, so a number never goes back.
VERSION = (5, fingerprints.VERSION)

tables = MetaData()

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
    Column("job", String(MOST_NAME), nullable=False),
    Column("project", String(MOST_NAME), nullable=False),
    Column("branch", String(MOST_NAME), nullable=False),
    UniqueConstraint("job", "project", "branch"),
)

runs = Table(
    "oslogserve_runs",
    tables,
    Column("id", Integer, primary_key=True),
    Column("path", String(MOST_PATH), nullable=False, unique=True),
    #: A digest of the path of the folder above.
    Column("folder", LargeBinary, nullable=False),
    Column("ended", Integer, nullable=False),
    Column("has_failed", Boolean, nullable=False),
    Column("job", ForeignKey("oslogserve_jobs.id"), nullable=False),
    Column("change", String(MOST_NAME), nullable=False),
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
    "oslogserve_sightings",
    tables,
    Column("fingerprint", LargeBinary, primary_key=True),
    Column("has_failed", Boolean, primary_key=True),
    Column("ended", Integer, primary_key=True),
    Column("run", ForeignKey("oslogserve_runs.id", ondelete="CASCADE"), primary_key=True),
    Column("job", Integer, nullable=False),
    #: True for the exact fingerprint of the run's first cause, by which the list counts it.
    Column("is_leading", Boolean, nullable=False),
    Index("oslogserve_sightings_by_run", "run"),
    sqlite_with_rowid=False,
)
