# SPDX-License-Identifier: Apache-2.0
"""The targets: a table, and a verdict on each from what one run measured."""

import dataclasses
from collections.abc import Callable, Sequence

from benchmarks import cases
from benchmarks.logs import Log
from benchmarks.report import MIB, Everything, Result, Spread

LARGE = 219
HUGE = 2000
"""The sizes, in MB, that the targets are about."""

HTML = "HTML, native"
ERROR = "level=ERROR, native"
GZIPPED = "HTML, gzipped, native"
AS_STORED = "text, gzipped, native"
FROM_SWIFT = "HTML, native from Swift"

TIMES_AT_MOST = {
    HTML: 0.9,
    ERROR: 0.4,
    GZIPPED: 1.5,
    AS_STORED: 1.5,
    FROM_SWIFT: 1.1,
    "q=, native": 0.6,
    "re=, native": 0.6,
    "q= with context=5, native": 0.6,
    "format=summary, native": 0.5,
    "tail=100, native": 0.5,
    "lines= at the end, native": 0.5,
}
"""The most that a case may take of the time of what it is compared with."""

OF_JOB_AT_MOST = {
    "summary": 0.5,
    "a request's id": 0.5,
    "level=ERROR by time": 0.5,
    "all lines by time": 2.0,
}
"""The same of all logs of a job."""

OF_JOB_FROM_SWIFT = 1.3
"""The most of the time in which Swift sends them as they are stored; but for all their lines, unpacked."""

NEIGHBOURS = {
    case.name: case.beside
    for case in cases.table(cases.VIEWS, cases.ENCODINGS, cases.RENDERERS, cases.SOURCES)
}

FIRST_BYTE = 0.003
FIRST_BYTE_OF_NGINX = 4
"""The first byte comes within so many seconds, or times nginx's: either will do."""

Measured = Callable[[Everything], Spread | None]
Limit = float | Callable[[Everything], float | None]


@dataclasses.dataclass(frozen=True)
class Target:
    what: str
    measured: Measured
    limit: Limit
    """The least or the most, in the unit of ``measured``."""
    scale: float = 1
    unit: str = ""
    at_least: bool = False

    def verdict(self, run: Everything) -> "Verdict | None":
        """The verdict; None where it was not measured."""
        spread = self.measured(run)
        limit = self.limit(run) if callable(self.limit) else self.limit
        if spread is None or limit is None:
            return None
        met = spread.median >= limit if self.at_least else spread.median <= limit
        return Verdict(self, spread, limit, met)


@dataclasses.dataclass(frozen=True)
class Verdict:
    target: Target
    spread: Spread
    limit: float
    met: bool

    def line(self) -> str:
        target = self.target
        unit = f" {target.unit}" if target.unit else ""
        sign = ">=" if target.at_least else "<="
        digits = 2 if self.limit * target.scale < 100 else 0
        return (
            f"  {'met' if self.met else 'MISSED':<7} {target.what}:"
            f" {self.spread.text(target.scale, digits)}{unit},"
            f" to reach {sign} {self.limit * target.scale:.{digits}f}"
        )


def main_log(logs: Sequence[Log]) -> Log:
    """The log that most targets are about; where it was not measured, the largest."""
    return max(logs, key=lambda log: (log.megabytes == LARGE, log.size))


def sent_as_named(column: str, case: str) -> Measured:
    """A column of a case; none where it should be gzipped and was not, and means something else."""

    def measured(run: Everything) -> Spread | None:
        found = run.find(LARGE, case)
        return found.spreads().get(column) if found and found.is_sent_as_named else None

    return measured


def first_byte_limit(case: str) -> Callable[[Everything], float | None]:
    def limit(run: Everything) -> float | None:
        found = run.find(LARGE, case)
        return None if found is None else max(FIRST_BYTE, FIRST_BYTE_OF_NGINX * _first_byte(found))

    return limit


def _first_byte(result: Result) -> float:
    """The median seconds until the first byte of what the case is compared with."""
    return Spread.of(x.first_byte for x in result.beside if x.first_byte is not None).median


def growth(run: Everything) -> Spread | None:
    """Time of the 2 GB log by that of the 219 MB one, of the same round."""
    large, huge = run.find(LARGE, HTML), run.find(HUGE, HTML)
    if not large or not huge:
        return None
    pairs = zip(huge.ours, large.ours, strict=True)
    return Spread.of(one.total / other.total for one, other in pairs)


def worst_memory(megabytes: int) -> Measured:
    """The most that any case of oslogserve with this log needs."""

    def measured(run: Everything) -> Spread | None:
        found = [
            result.spreads()["memory"]
            for result in run.results
            if result.log.megabytes == megabytes and result.case.renderer
        ]
        return max(found, key=lambda spread: spread.median, default=None)

    return measured


def rendering(renderer: str, task: str, least: float) -> Target:
    def measured(run: Everything) -> Spread | None:
        for one in run.rendered:
            if (one.task, one.renderer) == (task, renderer):
                return one.spreads()["bytes_a_second"]
        return None

    what = f"{renderer} renderer alone, {task}"
    return Target(what, measured, least, 1e-6, "MB/s", at_least=True)


def small(run: Everything) -> Spread | None:
    return run.small.spreads()["ratio"] if run.small else None


def of_job(case: str, name: str, source: str = "disk") -> Measured:
    def measured(run: Everything) -> Spread | None:
        found = (one for one in run.job if (one.name, one.source) == (case, source))
        return next((one.spreads()[name] for one in found), None)

    return measured


def busy(run: Everything) -> Spread | None:
    return run.busy[0].spreads()["loaded_p99"] if run.busy else None


TARGETS = (
    *(
        Target(f"{case} / {NEIGHBOURS[case]}", sent_as_named("ratio", case), limit)
        for case, limit in TIMES_AT_MOST.items()
    ),
    Target("bytes: HTML, gzipped / stored gzip", sent_as_named("sent_of_stored", GZIPPED), 2.6),
    Target("bytes of markup a line, HTML", sent_as_named("markup_of_line", HTML), 100),
    *(
        Target(
            f"first byte: {case}",
            sent_as_named("first_byte", case),
            first_byte_limit(case),
            1e3,
            "ms",
        )
        for case in (HTML, ERROR, GZIPPED, AS_STORED)
    ),
    Target(f"{HUGE} MB log / {LARGE} MB log, HTML", growth, 12),
    Target(f"memory above idle, {HUGE} MB log", worst_memory(HUGE), 24 * MIB, 1 / MIB, "MiB"),
    Target(f"memory above idle, {LARGE} MB log", worst_memory(LARGE), 30 * MIB, 1 / MIB, "MiB"),
    rendering("native", "HTML", 1.5e9),
    # What is sent of it is little: recognising takes nearly all of the time.
    rendering("native", "ten formats, level=ERROR", 7e8),
    Target("2,000 small logs in turn: requests / whitenoise's", small, 0.65, at_least=True),
    *(
        Target(f"a job's logs, {case} / nginx, unpacking", of_job(case, "ratio"), limit)
        for case, limit in OF_JOB_AT_MOST.items()
    ),
    *(
        Target(f"a job's logs, {case} / Swift", of_job(case, "ratio", "swift"), OF_JOB_FROM_SWIFT)
        for case in list(OF_JOB_AT_MOST)[:-1]
    ),
    *(
        Target(f"first rows: a job's logs, {case}", of_job(case, "first_byte"), 0.2, 1e3, "ms")
        for case in list(OF_JOB_AT_MOST)[1:]
    ),
    Target(
        "memory above idle, a job's logs by time",
        of_job("all lines by time", "memory"),
        64 * MIB,
        1 / MIB,
        "MiB",
    ),
    Target("first byte beside 8 downloads, p99", busy, 0.020, 1e3, "ms"),
)


def lines(run: Everything) -> list[str]:
    verdicts = [(target, target.verdict(run)) for target in TARGETS]
    known = [verdict.line() for _, verdict in verdicts if verdict]
    absent = [target.what for target, verdict in verdicts if not verdict]
    return ["Targets", *known, *([f"  not measured: {'; '.join(absent)}"] if absent else [])]


def as_dicts(run: Everything) -> list[dict[str, object]]:
    return [
        {
            "what": verdict.target.what,
            "limit": verdict.limit,
            "at_least": verdict.target.at_least,
            "met": verdict.met,
            "measured": dataclasses.asdict(verdict.spread),
        }
        for target in TARGETS
        if (verdict := target.verdict(run))
    ]
