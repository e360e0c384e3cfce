# SPDX-License-Identifier: Apache-2.0
"""Tokens that expire every few seconds, compared with tokens that last."""

from benchmarks import charts
from benchmarks.fetch import Plan, fetched, notes, qualified, spread, values
from benchmarks.lab import Lab
from benchmarks.report import Outcome, digits, milliseconds
from oslogserve.bench import stats
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.result import Result
from tests.servers.client import metric
from tests.servers.keystone import SETUP_EXPIRATION

#: Seconds that a token lives.
LIFE = 5
SIZE = 100_000


def measured(lab: Lab) -> Outcome:
    name = "tokens/log.txt"
    lab.write(name, SIZE)
    with lab.server() as lasting:
        # The workers of `lasting` have their tokens, which stay valid.
        lab.keystone.reconfigure(LIFE)
        try:
            with lab.server() as expiring:
                sources = [
                    Endpoint("lasting", lasting.url, {"source": "swift"}),
                    Endpoint("expiring", expiring.url, {"source": "swift"}),
                ]
                plan = Plan(seconds=lab.choose(20, 6), runs=lab.choose(2, 1))
                result = fetched(plan, sources, [name])
                renewed = metric(expiring, "oslogserve_swift_authentications_total", outcome="ok")
        finally:
            lab.keystone.reconfigure(SETUP_EXPIRATION)
    return _outcome(result, int(renewed))


def _outcome(result: Result, renewed: int) -> Outcome:
    rows, shown = [], {}
    for name, samples in stats.by_source(result.runs[-1].samples).items():
        good = [sample for sample in samples if not sample.error]
        shown[name] = ([s.started for s in good], [1000 * s.response for s in good])
    lasting, expiring = (
        stats.described(values(result, name, "response")) for name in ("lasting", "expiring")
    )
    for name, times in (("lasting", lasting), ("expiring", expiring)):
        rows.append(
            (
                name,
                str(times.requests),
                spread(result, name, "response"),
                *map(milliseconds, (times.p95, times.p99, times.most)),
                digits(times.most / times.p99),
            )
        )
    figure = charts.points("Response, ms", "seconds since the run began", shown)
    headings = ("Tokens", "requests", "response, ms", "p95", "p99", "max", "max / p99")
    said = f"Tokens of {LIFE} seconds were renewed {renewed} times."
    answer = (
        f"Half of the readers wait {milliseconds(expiring.p50)} ms instead of "
        f"{milliseconds(lasting.p50)} ms, and the slowest {milliseconds(expiring.most)} ms instead of "
        f"{milliseconds(lasting.most)} ms."
    )
    answer = qualified(answer, [result])
    return Outcome([said], headings, rows, figure, notes({"both": result}, has_p99=True), answer)
