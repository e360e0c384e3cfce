# SPDX-License-Identifier: Apache-2.0
"""The results of a run: medians with their range, and ratios round by round."""

import dataclasses
import statistics
from collections.abc import Iterable, Sequence

from benchmarks.cases import Case
from benchmarks.logs import Log

MIB = 1 << 20

CLIENT_LIMITED = 0.7
"""Share of the client's speed above which a faster server would hardly show."""


@dataclasses.dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        known = list(values)
        return cls(statistics.median(known), min(known), max(known))

    def text(self, scale: float = 1, digits: int = 2) -> str:
        median, low, high = (f"{x * scale:.{digits}f}" for x in dataclasses.astuple(self))
        return f"{median} ({low}-{high})"


@dataclasses.dataclass(frozen=True)
class Sample:
    """The measurement of one case in one round. None: it is not known of a program, no server."""

    total: float
    first_byte: float | None = None
    received: int | None = None
    """Bytes as they came over the wire."""
    encoding: str = ""
    """Content-Encoding of the answer."""
    memory: int | None = None
    """Peak of the worker above idle, in bytes."""


@dataclasses.dataclass(frozen=True)
class Pair:
    ours: Sample
    beside: Sample


@dataclasses.dataclass(frozen=True)
class Result:
    """A case with a log, and beside it, in every round, what it is compared with."""

    log: Log
    case: Case
    rounds: list[Pair]

    @property
    def ours(self) -> list[Sample]:
        return [pair.ours for pair in self.rounds]

    @property
    def beside(self) -> list[Sample]:
        return [pair.beside for pair in self.rounds]

    @property
    def ratio(self) -> Spread:
        """Our total time by the other's, of each round."""
        return Spread.of(pair.ours.total / pair.beside.total for pair in self.rounds)

    @property
    def is_sent_as_named(self) -> bool:
        """False where a server without compression should have sent gzip."""
        wanted = self.case.encoding.replace("identity", "")
        return not self.case.renderer or all(sample.encoding == wanted for sample in self.ours)

    def spreads(self) -> dict[str, Spread]:
        return {"ratio": self.ratio, **_spreads(self.log, self.ours)}

    def notes(self, client_speed: float) -> list[str]:
        notes = []
        if not self.is_sent_as_named:
            notes.append(f"NOT {self.case.encoding.upper()}: {self.ours[0].encoding or 'identity'}")
        if is_client_limited(self.ours, client_speed):
            notes.append("client-limited")
        return notes


def is_client_limited(samples: Sequence[Sample], client_speed: float) -> bool:
    speeds = [sample.received / sample.total for sample in samples if sample.received is not None]
    return bool(speeds) and statistics.median(speeds) > CLIENT_LIMITED * client_speed


def _spreads(log: Log, samples: Sequence[Sample]) -> dict[str, Spread]:
    """The spread of each column that all samples have."""
    columns: dict[str, list[float | None]] = {
        "total": [x.total for x in samples],
        "log_bytes_a_second": [log.size / x.total for x in samples],
        "first_byte": [x.first_byte for x in samples],
        "memory": [x.memory for x in samples],
        "sent_of_stored": [
            None if x.received is None else x.received / log.stored for x in samples
        ],
        "markup_of_line": [
            None if x.received is None else (x.received - log.size) / log.lines for x in samples
        ],
    }
    return {
        name: Spread.of(x for x in values if x is not None)
        for name, values in columns.items()
        if None not in values
    }


_COLUMNS = (
    ("total", "total ms", 1e3, 1, 25),
    ("first_byte", "first byte ms", 1e3, 1, 18),
    ("log_bytes_a_second", "MB/s of log", 1e-6, 0, 13),
    ("memory", "MiB above idle", 1 / MIB, 1, 16),
    ("sent_of_stored", "sent/gzip", 1, 2, 11),
)
"""(name, heading, scale, digits, width). Narrow columns show no range."""

_NAME = 40
_RANGE = 18
"""Width from which a column has room for it."""


def table(results: Sequence[Result], client_speed: float) -> list[str]:
    """The lines of a table of the results with one log."""
    log = results[0].log
    headings = "".join(heading.ljust(width) for _, heading, _, _, width in _COLUMNS)
    lines = [
        f"{log}, {len(results[0].rounds)} rounds: median (range)",
        "  " + " " * _NAME + headings + "total / its neighbour's",
    ]
    neighbours: dict[str, list[Sample]] = {}
    for result in results:
        neighbours.setdefault(result.case.beside, []).extend(result.beside)
    for name, samples in neighbours.items():
        limited = "client-limited" if is_client_limited(samples, client_speed) else ""
        lines.append(_line(name, _spreads(log, samples), limited))
    for result in results:
        ratio = f"{result.ratio.text()} {result.case.beside}"
        notes = "; ".join([ratio, *result.notes(client_speed)])
        lines.append(_line(result.case.name, result.spreads(), notes))
    return lines


def _line(name: str, spreads: dict[str, Spread], notes: str) -> str:
    cells = "".join(
        _cell(spreads.get(column), scale, digits, width)
        for column, _, scale, digits, width in _COLUMNS
    )
    return f"  {name:<{_NAME}}{cells}{notes}".rstrip()


def _cell(spread: Spread | None, scale: float, digits: int, width: int) -> str:
    if spread is None:
        return "-".ljust(width)
    if width < _RANGE:
        return f"{spread.median * scale:.{digits}f}".ljust(width)
    return spread.text(scale, digits).ljust(width)


@dataclasses.dataclass(frozen=True)
class Small:
    """Requests a second for small logs in turn as HTML, whitenoise beside it each round."""

    count: int
    """How many logs there are."""
    size: int
    """Their mean, in bytes."""
    ours: Sequence[float]
    whitenoise: Sequence[float]

    def spreads(self) -> dict[str, Spread]:
        pairs = zip(self.ours, self.whitenoise, strict=True)
        return {
            "ratio": Spread.of(ours / whitenoise for ours, whitenoise in pairs),
            "ours": Spread.of(self.ours),
            "whitenoise": Spread.of(self.whitenoise),
        }

    def lines(self) -> list[str]:
        ratio, ours, whitenoise = self.spreads().values()
        return [
            f"{self.count} logs of {self.size} bytes in turn as HTML, {len(self.ours)} rounds",
            f"  oslogserve   requests/s {ours.text(digits=0)}, {ratio.text()} of whitenoise",
            f"  whitenoise   requests/s {whitenoise.text(digits=0)}",
        ]


@dataclasses.dataclass(frozen=True)
class Busy:
    """First bytes of a small log, in seconds, for each round: idle, and beside downloads."""

    name: str
    log: str
    downloads: int
    threads: int
    """Threads of gunicorn. Where the downloads take all of them, a request waits until one ends."""
    idle: list[list[float]]
    loaded: list[list[float]]

    def spreads(self) -> dict[str, Spread]:
        return {
            f"{state}_p{share}": Spread.of(percentile(probes, share) for probes in rounds)
            for state, rounds in (("idle", self.idle), ("loaded", self.loaded))
            for share in (50, 99)
        }

    def lines(self) -> list[str]:
        texts = {name: spread.text(1e3, 1) for name, spread in self.spreads().items()}
        probes = sum(map(len, self.loaded))
        return [
            f"  {self.name}, {probes} requests:",
            f"    beside the downloads ms  p50 {texts['loaded_p50']}  p99 {texts['loaded_p99']}",
            f"    without them ms          p50 {texts['idle_p50']}  p99 {texts['idle_p99']}",
        ]


@dataclasses.dataclass(frozen=True)
class JobCase:
    """A query of all logs of a job, in seconds and bytes for each round."""

    name: str
    source: str
    ours: list[float]
    first_bytes: list[float]
    beside: list[float]
    """The same logs over two connections: unpacked by nginx, or from Swift as they are stored."""
    memory: list[int]

    def spreads(self) -> dict[str, Spread]:
        pairs = zip(self.ours, self.beside, strict=True)
        return {
            "ratio": Spread.of(ours / beside for ours, beside in pairs),
            "ours": Spread.of(self.ours),
            "first_byte": Spread.of(self.first_bytes),
            "memory": Spread.of(self.memory),
        }

    def line(self) -> str:
        ratio, ours, first, memory = self.spreads().values()
        return (
            f"  {self.name:<22} {self.source:<5} s {ours.text(digits=2)}  ratio {ratio.text()}"
            f"  first byte ms {first.text(1e3, 0)}  MiB {memory.text(1 / MIB, 0)}"
        )


def percentile(values: Sequence[float], share: int) -> float:
    """The smallest value that ``share`` % of all do not exceed."""
    return sorted(values)[-(-len(values) * share // 100) - 1]


@dataclasses.dataclass(frozen=True)
class Rendered:
    """A renderer alone, over a log in memory."""

    task: str
    renderer: str
    size: int
    seconds: list[float]

    def spreads(self) -> dict[str, Spread]:
        return {"bytes_a_second": Spread.of(self.size / x for x in self.seconds)}

    def line(self) -> str:
        speed = self.spreads()["bytes_a_second"]
        return f"  {self.renderer:<8} {self.task:<24} MB/s of log {speed.text(1e-6, 0)}"


@dataclasses.dataclass(frozen=True)
class Visit:
    """A page that a browser opened and was scrolled through. Seconds from the click, and bytes."""

    first_paint: float
    last_line: float
    """Until it is in the document."""
    lines: int
    html: int
    sent: int
    """Gzipped bytes of the HTML on the wire."""
    memory: int
    """Memory of the tab, when all was loaded and had been looked at."""
    peak: int
    slowest_step: float
    """The longest wait until some place in the page was shown."""


@dataclasses.dataclass(frozen=True)
class Page:
    log: Log
    rounds: list[Visit]

    def spreads(self) -> dict[str, Spread]:
        return {
            "first_paint": Spread.of(visit.first_paint for visit in self.rounds),
            "last_line": Spread.of(visit.last_line for visit in self.rounds),
            "slowest_step": Spread.of(visit.slowest_step for visit in self.rounds),
            "memory": Spread.of(visit.memory for visit in self.rounds),
            "peak": Spread.of(visit.peak for visit in self.rounds),
            "lines": Spread.of(visit.lines for visit in self.rounds),
            "html_of_line": Spread.of(visit.html / visit.lines for visit in self.rounds),
            "sent_of_line": Spread.of(visit.sent / visit.lines for visit in self.rounds),
            "memory_of_line": Spread.of(visit.memory / visit.lines for visit in self.rounds),
        }

    def line(self) -> str:
        spreads = self.spreads()
        cells = "".join(
            spreads[name].text(scale, digits).ljust(width)
            if width >= _RANGE
            else f"{spreads[name].median * scale:.{digits}f}".ljust(width)
            for name, _, scale, digits, width in _PAGE_COLUMNS
        )
        return f"  {self.log.name:<10}{cells}".rstrip()


_PAGE_COLUMNS = (
    ("lines", "lines", 1, 0, 10),
    ("first_paint", "first paint s", 1, 2, 20),
    ("last_line", "last line s", 1, 2, 20),
    ("slowest_step", "slowest step s", 1, 2, 20),
    ("memory", "tab MiB", 1 / MIB, 0, 20),
    ("peak", "peak", 1 / MIB, 0, 7),
    ("html_of_line", "HTML/line", 1, 0, 11),
    ("sent_of_line", "sent", 1, 0, 6),
    ("memory_of_line", "tab bytes/line", 1, 0, 15),
)


@dataclasses.dataclass
class Everything:
    """All that one run measured."""

    client_speed: float
    results: list[Result] = dataclasses.field(default_factory=list)
    small: Small | None = None
    busy: list[Busy] = dataclasses.field(default_factory=list)
    job: list[JobCase] = dataclasses.field(default_factory=list)
    rendered: list[Rendered] = dataclasses.field(default_factory=list)
    pages: list[Page] = dataclasses.field(default_factory=list)

    def logs(self) -> list[Log]:
        return list(dict.fromkeys(result.log for result in self.results))

    def of(self, log: Log) -> list[Result]:
        return [result for result in self.results if result.log == log]

    def find(self, megabytes: int, name: str) -> Result | None:
        """The case of that name with the generated log of that size."""
        for result in self.results:
            if (result.log.megabytes, result.case.name) == (megabytes, name):
                return result
        return None

    def lines(self) -> list[str]:
        lines = [f"The client alone takes {self.client_speed / 1e6:.0f} MB/s.", ""]
        for log in self.logs():
            lines += [*table(self.of(log), self.client_speed), ""]
        if self.rendered:
            rounds = len(self.rendered[0].seconds)
            lines += [f"The renderers alone, {rounds} rounds"]
            lines += [*(one.line() for one in self.rendered), ""]
        if self.pages:
            rounds = len(self.pages[0].rounds)
            headings = "".join(heading.ljust(width) for _, heading, _, _, width in _PAGE_COLUMNS)
            lines += [f"The page in Chromium, {rounds} rounds: median (range)"]
            lines += [f"{'  log':<12}{headings}".rstrip()]
            lines += [*(page.line() for page in self.pages), ""]
        if self.job:
            lines += [
                "All logs of a job at once, beside nginx or Swift",
                *(case.line() for case in self.job),
                "",
            ]
        if self.small:
            lines += [*self.small.lines(), ""]
        if self.busy:
            one = self.busy[0]
            beside = f"beside {one.downloads} downloads of the {one.log} log"
            beside += f" (gunicorn has {one.threads} threads)"
            lines += [
                f"First byte of a small log {beside}, {len(one.loaded)} rounds",
                *(line for busy in self.busy for line in busy.lines()),
                "",
            ]
        return lines

    def as_dict(self) -> dict[str, object]:
        """Medians and ranges, and every round as it was measured."""
        measured: dict[str, Sequence[Result | Small | Busy | JobCase | Rendered | Page]] = {
            "results": self.results,
            "small": [self.small] if self.small else [],
            "busy": self.busy,
            "job": self.job,
            "rendered": self.rendered,
            "pages": self.pages,
        }
        return {
            "client_bytes_a_second": self.client_speed,
            **{name: [_as_dict(one) for one in several] for name, several in measured.items()},
        }


def _as_dict(measured: Result | Small | Busy | JobCase | Rendered | Page) -> dict[str, object]:
    spreads = {name: dataclasses.asdict(x) for name, x in measured.spreads().items()}
    return {"spreads": spreads, "measured": dataclasses.asdict(measured)}
