# SPDX-License-Identifier: Apache-2.0
"""The targets, and which of them a run met."""

import statistics

from benchmarks.comparison.renderer import RENDERER_ALONE
from benchmarks.comparison.rows import METRICS, MIB, Rounds
from benchmarks.report import Outcome, digits

#: Megabytes of the log that most targets are for, and the name of its table.
LARGE = 219
LARGE_TABLE = f"{LARGE} MB"
JOB, JOB_FROM_SWIFT = "a job", "a job from Swift"
#: Tables of logs that are asked again, and rows of theirs.
LARGE_AGAIN, VERY_LARGE_AGAIN, JOB_AGAIN = f"{LARGE} MB again", "2000 MB again", "a job again"
FIRST, FIRST_SEARCH = "the first summary, which makes the index", "the first search behind it"
FAR_PAGE = "the page at line 1,000,000"
TAIL, WORD = "tail=100", "q= of a rare word"
#: The end of a table's name.
FROM_SWIFT = ", from Swift"

#: The largest ratio of a case's time to its neighbour's, by table.
RATIOS = {
    LARGE_TABLE: {
        "HTML": 1.05,
        "HTML, gzipped": 1.25,
        "text, gzipped": 1.3,
        "level=ERROR": 0.45,
        "q=": 0.5,
        "re=": 0.5,
        "q= with context=5": 0.55,
        "format=summary": 0.5,
        "format=brief": 0.55,
        "tail=100": 0.45,
        "lines= at the end": 0.45,
        "HTML from Swift": 1.0,
        "text from Swift": 0.5,
        "level=ERROR from Swift": 0.45,
    },
    JOB: {
        "summary": 0.75,
        "a request's id": 0.6,
        "level=ERROR by time": 0.85,
        "all lines by time": 2.5,
    },
    JOB_FROM_SWIFT: {
        "summary": 1.2,
        "a request's id": 1.05,
        "level=ERROR by time": 1.2,
    },
    LARGE_AGAIN: {
        FIRST: 1.1,
        TAIL: 0.04,
        "lines= at the end": 0.04,
        "since= near the end": 0.04,
        "level=ERROR": 0.1,
        WORD: 0.08,
        "q= of a request's id": 0.08,
        "format=summary": 0.01,
        "format=brief": 0.04,
    },
    JOB_AGAIN: {
        FIRST: 1.1,
        "overview": 0.05,
        "a request's id": 0.1,
        "level=ERROR by time": 0.3,
    },
}
#: Limits of other metrics, by table and case.
LIMITS = {
    (LARGE_TABLE, "HTML"): {"first_byte": 0.003, "memory": 16 * MIB},
    (JOB, "a request's id"): {"first_byte": 0.15},
    (JOB, "level=ERROR by time"): {"first_byte": 0.15},
    (JOB, "all lines by time"): {"first_byte": 0.15, "memory": 64 * MIB},
    (LARGE_AGAIN, FIRST): {"index_stored": 0.06, "index_text": 0.005},
    (LARGE_AGAIN, TAIL): {"memory": 16 * MIB, "read": 0.02},
    (LARGE_AGAIN, WORD): {"memory": 16 * MIB, "read": 0.05},
    (LARGE_AGAIN + FROM_SWIFT, TAIL): {"read": 0.02},
    (LARGE_AGAIN + FROM_SWIFT, WORD): {"read": 0.05},
    (VERY_LARGE_AGAIN, FAR_PAGE): {"first_byte": 0.02},
    (RENDERER_ALONE, "HTML"): {"speed": 1.1e9},
    (RENDERER_ALONE, "ten formats, HTML"): {"speed": 5e8},
    (RENDERER_ALONE, "ten formats, level=ERROR"): {"speed": 7.5e8},
    (RENDERER_ALONE, "ten formats, summary"): {"speed": 5e8},
}


def _all() -> list[tuple[str, str, str, float]]:
    ratios = [
        (table, name, "ratio", limit)
        for table, own in RATIOS.items()
        for name, limit in own.items()
    ]
    others = [
        (*place, metric, limit) for place, own in LIMITS.items() for metric, limit in own.items()
    ]
    return ratios + others


def outcome(rounds: Rounds) -> Outcome:
    """The verdict on each target that the run measured."""
    found = []
    for table, name, metric, limit in _all():
        if values := rounds.find(table, name, metric):
            shown, median = METRICS[metric], statistics.median(values)
            is_met = median >= limit if shown.is_rate else median <= limit
            sign = ">=" if shown.is_rate else "<="
            wanted = f"{sign} {digits(limit * shown.scale)}"
            verdict = "met" if is_met else "MISSED"
            found.append((table, name, shown.heading, shown.shown(values), wanted, verdict))
    headings = ("Table", "case", "metric", "measured", "wanted", "verdict")
    return Outcome([f"{len(found)} of {len(_all())} targets were measured."], headings, found)
