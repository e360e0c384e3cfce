# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.same_causes CASES

Measures how often fingerprints say that two builds failed for the same reason, and how often that is true. CASES is a
file of JSON lines, one for each build: `case`, its `project`, the path of its log, `failed`, and `labels`, the ranges
of lines that somebody who read the log took for the reason.

Every two builds are a pair. Their reasons are the same if the labelled lines are, without what differs from run to
run, and other ones if the smaller set of lines shares less than half with the other. Pairs between are not decided:
they are counted and listed, and count in the strict precision as wrong.
"""

import argparse
import gzip
import itertools
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Wanted

#: The labels are compared in another way than the fingerprints are made: by a rule of their own.
VARYING = re.compile(
    r"\x1b\[[0-9;?]*[A-Za-z]|^.*\r(?!$)|\b[0-9a-f]{7,40}\b|/tmp/\S+|\d+", re.MULTILINE
)
UNDECIDED = 0.5


class Build(NamedTuple):
    case: str
    project: str
    labelled: frozenset[str]
    #: By name.
    fingerprints: dict[str, str]


def main(arguments=None):
    parser = argparse.ArgumentParser(usage=__doc__.partition("\n")[0])
    parser.add_argument("cases", type=Path)
    cases = parser.parse_args(arguments).cases
    renderer = Renderer(())
    builds = [build(json.loads(line), cases.parent, renderer) for line in cases.open()]
    without = sum(not one.fingerprints for one in builds)
    print(f"{len(builds)} builds, {without} without a fingerprint")
    for names in (("exact",), ("failure",), ("exact", "failure")):
        print(table(builds, names))


def build(case, folder, renderer):
    stored = (folder / case["failed"]).read_bytes()
    text = gzip.decompress(stored) if case["failed"].endswith(".gz") else stored
    lines = text.decode(errors="replace").split("\n")
    labelled = (plain(line) for first, last in case["labels"] for line in lines[first - 1 : last])
    summary = renderer([text], Wanted("summary")).summary()
    found = summary.cause.fingerprints if summary.cause else {}
    return Build(case["case"], case["project"], frozenset(filter(None, labelled)), found)


def plain(line):
    return " ".join(VARYING.sub("", line).split())


def table(builds, names):
    """A paragraph on the fingerprints of these names."""
    counts = Counter()
    said_same = {"same": [], "undecided": [], "wrong": []}
    for one, other in itertools.combinations(builds, 2):
        said = any(
            name in one.fingerprints and one.fingerprints[name] == other.fingerprints.get(name)
            for name in names
        )
        kind = kind_of(one, other)
        counts[kind, said] += 1
        if said:
            said_same[kind].append((one, other))
    right, wrong, undecided = (counts[kind, True] for kind in ("same", "wrong", "undecided"))
    lines = [
        f"by {' or '.join(names)}:",
        f"  recall {share(right, counts['same', False] + right)} of {counts['same', False] + right} pairs",
        f"  precision {share(right, right + wrong)}, strict {share(right, right + wrong + undecided)}",
    ]
    for kind, pairs in said_same.items():
        of_two = [pair for pair in pairs if pair[0].project != pair[1].project]
        lines.append(f"  different projects, said the same and {kind}: {listed(of_two)}")
        if kind != "same":
            of_one = [pair for pair in pairs if pair not in of_two]
            lines.append(f"  one project, said the same and {kind}: {listed(of_one)}")
    return "\n".join(lines)


def kind_of(one, other):
    """Whether the labelled lines say that the reasons of two builds are the same."""
    if one.labelled == other.labelled:
        return "same"
    least = min(len(one.labelled), len(other.labelled))
    is_near = least and len(one.labelled & other.labelled) / least >= UNDECIDED
    return "undecided" if is_near else "wrong"


def listed(pairs):
    """How many pairs there are, and their cases."""
    cases = (f"{one.case}-{other.case}" for one, other in pairs)
    return f"{len(pairs)} {', '.join(cases)}".strip()


def share(part, whole):
    return f"{part / whole:.3f}" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
