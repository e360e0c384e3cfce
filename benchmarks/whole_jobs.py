# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.whole_jobs CASES [--jobs N] [--seed N] [--samples DIR] [--show N]

Measures how often the log that failed comes first in a job of nine logs, and how many healthy logs are called failed.
CASES is a file of JSON lines, one for each build: `case`, its `project`, the paths of its log `failed` and, if there
is one, of its log `passed`, and `labels`, the ranges of lines that somebody who read the log took for the reason.

A job is one log that failed, among eight healthy ones of other jobs. Logs that failed are those of the cases, whole
and cut behind the last label, so that no verdict of the CI's is left, and generated ones. Healthy ones are those that
passed, their steps, what came before the failed command of Travis, and generated ones: services that log what tests
provoke, consoles that ignored failures, images, tests, downloads. Names are drawn by lot, and no log has a time of
writing.

All projects and kinds of generated logs are in one of two halves, by their names. Rules may be made by looking at the
logs of half 0.
"""

import argparse
import gzip
import json
import os
import random
import re
import sys
import zlib
from collections import Counter
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from oslogserve.jobs.ranking import ranked
from oslogserve.jobs.reading import LogRead
from oslogserve.jobs.walk import CONSOLES, File
from oslogserve.lines.renderer import Renderer
from oslogserve.lines.selection import Wanted

TEMPLATES = Path(__file__).with_suffix(".txt")
HEALTHY_OF_A_JOB = 8
#: Generated logs of each kind.
OF_A_KIND = 8
#: Lines of a log that is cut, behind its last label; and the fewest of a part of a log.
BEHIND, LEAST = 3, 30
WORDS = [
    *("alpha", "queue", "volume", "router", "bridge", "cache", "index", "parser", "ledger"),
    *("worker", "agent", "mirror", "pool", "quota", "token"),
]
CONSOLE_NAMES = ("console.log", "job-output.txt", "logs/console.txt")
OTHER_NAMES = (
    *("logs/{n}_step.txt", "{n}_build.txt", "controller/logs/screen-{w}.txt", "logs/{w}.log"),
    *(
        "controller/logs/{w}-{n}.service.log",
        "ansible-{w}.log",
        "{w}/build-{n}.log",
        "tests/{w}.txt",
    ),
)
#: The forms of times in templates, by name.
LAYOUTS = {
    "none": "",
    "oslo": "%Y-%m-%d %H:%M:%S.%f",
    "zuul": "%Y-%m-%d %H:%M:%S.%f |",
    "journal": "%b %d %H:%M:%S.%f",
    "gha": "%Y-%m-%dT%H:%M:%S.%f0Z",
    "klog": "%m%d %H:%M:%S.%f",
}


class Log(NamedTuple):
    name: str
    #: What they have in common that are called alike.
    kind: str
    has_failed: bool
    half: int
    summary: dict[str, Any]


def main(arguments=None):
    parser = argparse.ArgumentParser(usage=__doc__.partition("\n")[0])
    parser.add_argument("cases", type=Path)
    parser.add_argument("--jobs", type=int, default=300, metavar="N", help="of each half")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="jobs, and healthy logs")
    samples = os.environ.get("OSLOGSERVE_SAMPLES")
    parser.add_argument("--samples", type=Path, default=samples and Path(samples), metavar="DIR")
    asked = parser.parse_args(arguments)
    texts = chain(of_cases(asked.cases), of_samples(asked.samples), generated(asked.seed))
    renderer = Renderer(())
    logs = [log_of(*one, renderer) for one in texts]
    for half in (0, 1):
        several = [log for log in logs if log.half == half]
        print(f"half {half}:")
        print(told_of_jobs(several, asked, random.Random(asked.seed)))
        print(told_of_healthy([log for log in several if not log.has_failed], asked.show))


def log_of(name, group, kind, has_failed, text, renderer):
    summary = renderer([text], Wanted("summary")).summary()
    half = zlib.crc32(group.encode()) & 1
    return Log(name, kind, has_failed, half, summary.compact)  # others take memory


# The logs: their name, the group that is in one half, their kind, whether they failed, their text.


def of_cases(path):
    for line in path.open():
        case = json.loads(line)
        several = {"failed": failed_logs, "passed": passed_logs}
        for name in several.keys() & case.keys():
            stored = (path.parent / case[name]).read_bytes()
            text = gzip.decompress(stored) if case[name].endswith(".gz") else stored
            for kind, part in several[name](case, text):
                yield (
                    f"{case['case']}-{kind}",
                    case["project"],
                    kind,
                    not kind.startswith("passed"),
                    part,
                )


def failed_logs(case, text):
    """The log as it is; without what follows its labels; and what passed in it."""
    lines = re.split(rb"(?<=\n)", text)
    yield f"failed {ci_of(text)}", text
    last = max(last for _, last in case["labels"])
    yield "failed cut", b"".join(lines[: last + BEHIND])
    first = min(first for first, _ in case["labels"])
    above = b"".join(lines[: first - 1])
    passed, said, _ = above.rpartition(b'" exited with 0.')
    passed = passed[: passed.rfind(b'The command "')]
    if said and passed.count(b"\n") >= LEAST:
        yield "passed commands", passed


def passed_logs(_, text):
    """The log as it is, and the steps of one of GitHub."""
    yield f"passed {ci_of(text)}", text
    for step in re.split(rb"(?m)^(?=\S+ ##\[group\]Run )", text)[1:]:
        if step.count(b"\n") >= LEAST:
            yield "passed step", step


def ci_of(text):
    if b"travis_" in text:
        return "travis"
    return "github" if b"##[group]" in text else "jenkins"


def of_samples(folder):
    for path in sorted(folder.glob("*.txt*")) if folder else []:
        text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        yield path.name, path.name, "passed sample", False, text


def generated(seed):
    for template in re.split(r"(?m)^== ", TEMPLATES.read_text())[1:]:
        head, _, body = template.partition("\n")
        name, layout = head.split()
        for number in range(OF_A_KIND):
            rng = random.Random(f"{seed} {name} {number}")
            text = filled(body, LAYOUTS[layout], rng)
            kind = f"failed {name[1:]}" if name.startswith("!") else f"passed {name}"
            yield f"{name}-{number}", name, kind, name.startswith("!"), text.encode()


def filled(template, layout, rng):
    """A template's text. Its parts are so many of the episodes in each: `-- 1`, `-- 20-60`."""
    time = datetime(2026, 3, 4) + timedelta(seconds=rng.randrange(10**7))
    episodes = []
    for part in re.split(r"(?m)^-- (?=\d)", template)[1:]:
        count, _, body = part.partition("\n")
        least, _, most = count.partition("-")
        for _ in range(rng.randint(int(least), int(most or least))):
            episodes.append(rng.choice(re.split(r"(?m)^~\n", body)))
    values = {"n": lambda: rng.randrange(10, 999), "w": lambda: rng.choice(WORDS)}
    values["hex"] = lambda: f"{rng.getrandbits(48):012x}"
    values["id"] = lambda: f"{rng.getrandbits(32):08x}-1f2a-4b6c-8d0e-{rng.getrandbits(48):012x}"
    text = re.sub(r"\{(n|w|hex|id)\}", lambda field: str(values[field[1]]()), "".join(episodes))
    lines = []
    for line in text.split("\n"):
        time += timedelta(milliseconds=rng.randrange(1, 900))
        head, at, rest = line.partition("@")
        is_timed = at and head in ("", *"IWEF")
        lines.append(head + shown(time, layout) + rest if is_timed else line)
    return "\n".join(lines)


def shown(time, layout):
    return time.strftime(layout.replace("%f", f"{time.microsecond // 1000:03}"))


# Jobs.


def told_of_jobs(logs, asked, rng):
    """A paragraph on the jobs."""
    failed = [log for log in logs if log.has_failed]
    kinds = {}
    for log in logs:
        if not log.has_failed:
            kinds.setdefault(log.kind, []).append(log)
    first, jobs, misses = Counter(), Counter(), []
    for number in range(asked.jobs):
        at_fault = failed[number] if number < len(failed) else rng.choice(failed)
        names, others = (
            names_of(rng),
            [rng.choice(kinds[kind]) for kind in rng.choices(sorted(kinds), k=HEALTHY_OF_A_JOB)],
        )
        order = ordered([*zip(names, [at_fault, *others], strict=True)])
        is_first = order[0][1] is at_fault
        for group in (
            "all",
            "not a console" if not CONSOLES.search(names[0]) else "a console",
            at_fault.kind,
        ):
            jobs[group] += 1
            first[group] += is_first
        if not is_first:
            misses.append(
                "\n".join(
                    f"    {told(log)} {name} {score:.2f}"
                    for name, log, score in order[:1] + [one for one in order if one[1] is at_fault]
                )
            )
    shares = [
        f"  {group}: first in {share(first[group], count)}" for group, count in sorted(jobs.items())
    ]
    return "\n".join([*shares, *misses[: asked.show]])


def names_of(rng):
    """Names of a job's logs, that of the failed one first. At most one is a console's."""
    names = [
        filled(f"-- 1\n{name}", "", rng)
        for name in rng.choices(OTHER_NAMES, k=HEALTHY_OF_A_JOB + 1)
    ]
    place = rng.choice((0, 0, 1, None))
    if place is not None:
        names[place] = rng.choice(CONSOLE_NAMES)
    return names


def ordered(logs):
    """(name, log, score) as an overview orders them."""
    read = [LogRead(File(name.encode(), None, None, ""), summary=log.summary) for name, log in logs]
    by_name = dict(logs)
    found = ((one.file.shown, one.score) for one in ranked(read))
    return [(name, by_name[name], score) for name, score in found]


def told_of_healthy(logs, show):
    """A paragraph on healthy logs that are called failed."""
    wrong = [log for log in logs if log.summary.failed]
    by_why = Counter(log.summary.cause.why for log in wrong)
    whys = ", ".join(f"{why} {count}" for why, count in sorted(by_why.items()))
    kinds, of_kinds = Counter(log.kind for log in logs), Counter(log.kind for log in wrong)
    mean = sum(of_kinds[kind] / count for kind, count in kinds.items()) / len(kinds)
    lines = [
        f"  healthy logs called failed: {share(len(wrong), len(logs))} ({whys}); mean of kinds {mean:.1%}"
    ]
    lines += [f"    {kind}: {count} of {kinds[kind]}" for kind, count in sorted(of_kinds.items())]
    return "\n".join([*lines, *(f"    {told(log)}" for log in wrong[:show])])


def told(log):
    cause = log.summary.cause
    said = f"{cause.why} {cause.line}: {cause.text[:90]!r}" if cause else "no cause"
    return f"{log.name} {'failed' if log.summary.failed else '-'} {said}"


def share(part, whole):
    return f"{part / whole:.1%} of {whole}" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
