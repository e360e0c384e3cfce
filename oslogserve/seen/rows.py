# SPDX-License-Identifier: Apache-2.0
"""A run as rows of the tables."""

from hashlib import blake2b

from sqlalchemy import ColumnElement, Connection, insert, select

from oslogserve.seen import (
    MOST_NAME,
    MOST_TEXT,
    MOST_TOLD,
    Cause,
    Named,
    Run,
    first_causes,
)
from oslogserve.seen.tables import causes, jobs, runs, sightings


def bounded(run: Run, now: int) -> Run:
    """The run as it is kept. Jobs may write any name, and set any time."""
    kept, left = [], MOST_TOLD
    for one in first_causes(run.causes):
        told = storable(one.told, left)
        left -= len(told)
        kept.append(
            one._replace(log=storable(one.log), text=storable(one.text, MOST_TEXT), told=told)
        )
    return run._replace(
        path=storable(run.path, None),
        ended=min(run.ended, now),
        job=Named(*(storable(name) for name in run.job)),
        change=storable(run.change),
        causes=tuple(kept),
    )


def storable(value: str, most: int | None = MOST_NAME) -> str:
    """The beginning of a text that any database takes."""
    return value[:most].replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def folder_of(path: str) -> bytes:
    """A digest of the path of the folder above."""
    return blake2b(path.rpartition("/")[0].encode(), digest_size=16).digest()


def add(connection: Connection, run: Run) -> None:
    """Raises IntegrityError if another process adds it at the same time."""
    values = {name: getattr(run, name) for name in ("path", "ended", "has_failed", "is_cut")}
    job = _job(connection, run.job)
    values |= {"folder": folder_of(run.path), "job": job, "change": run.change}
    added = insert(runs).values(**values).returning(runs.c.id)
    number = connection.execute(added).scalar_one()
    rows = [
        {
            **one._asdict(),
            "run": number,
            "place": place,
            "exact": bytes.fromhex(one.exact),
            "failure": bytes.fromhex(one.failure),
        }
        for place, one in enumerate(run.causes)
    ]
    if rows:
        connection.execute(insert(causes), rows)
    of_run = {"run": number, "job": job, "ended": run.ended, "has_failed": run.has_failed}
    leading = next((one.exact for one in run.causes), "")
    found = [
        {
            **of_run,
            "fingerprint": bytes.fromhex(fingerprint),
            "is_leading": fingerprint == leading,
        }
        for fingerprint in {digest for one in run.causes for digest in one.fingerprints}
    ]
    if found:
        connection.execute(insert(sightings), found)


def _job(connection: Connection, named: Named) -> int:
    """The number of a job. Raises IntegrityError if another process adds it at the same time."""
    is_it = (jobs.c.job == named.job) & (jobs.c.project == named.project)
    number = connection.execute(
        select(jobs.c.id).where(is_it & (jobs.c.branch == named.branch))
    ).scalar()
    if number is None:
        added = insert(jobs).values(**named._asdict()).returning(jobs.c.id)
        number = connection.execute(added).scalar_one()
    return int(number)


def runs_where(connection: Connection, where: ColumnElement[bool]) -> dict[int, Run]:
    """The runs by their numbers, the last one first."""
    columns = (runs, jobs.c.job.label("name"), jobs.c.project, jobs.c.branch)
    asked = select(*columns).join(jobs, jobs.c.id == runs.c.job).where(where)
    rows = connection.execute(asked.order_by(runs.c.ended.desc(), runs.c.id.desc())).all()
    of_them = select(causes).where(causes.c.run.in_([row.id for row in rows]))
    by_run: dict[int, list[Cause]] = {}
    for row in connection.execute(of_them.order_by(causes.c.place)):
        fingerprints = row.exact.hex(), row.failure.hex()
        cause = Cause(row.log, row.line, row.text, *fingerprints, row.told)
        by_run.setdefault(row.run, []).append(cause)
    found = {}
    for row in rows:
        named, of_run = Named(row.name, row.project, row.branch), tuple(by_run.get(row.id, ()))
        found[row.id] = Run(
            row.path, row.ended, row.has_failed, named, row.change, of_run, row.is_cut
        )
    return found
