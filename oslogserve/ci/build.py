# SPDX-License-Identifier: Apache-2.0
"""The build of a job, by the inventory that Zuul leaves with it, or by the head of a console.

Anybody who runs a job can write these, so all of it is text to be escaped. An inventory's events are read one by one and
no value is built, which also ignores tags such as !unsafe; aliases are left out. Of a console, the runners of GitHub
Actions and GitLab print a part. The rest is in the predefined variables, where a job prints its environment.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import yaml

from oslogserve.lines.summary import Summary
from oslogserve.lines.time_range import time_range

INVENTORY = b"zuul-info/inventory.yaml"
#: Bytes and events that are read of it.
MOST_OF_INVENTORY = 256 * 1024
MOST_EVENTS = 20_000
#: Nested collections: its values are at depth 6.
MOST_DEPTH = 16
#: Characters of a value, and of a URL. A longer URL is left out.
MOST_TEXT, MOST_URL = 200, 2000
#: Nodes that are named.
MOST_NODES = 5

#: A wheel has libyaml's parser, which is ten times as fast.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_ZUUL = ("all", "vars", "zuul")
_NULLS = ("", "~", "null")

# A console.
#: Bytes that are read.
HEAD = 64 * 1024
#: Characters of a line that are looked at.
MOST_OF_LINE = 1000
#: What a terminal does not show, and the time before each line: of GitHub, and of GitLab with its stream.
_UNSEEN = re.compile(r"^.*\r(?!\n)|\r|\x1b\[[0-9;]*[A-Za-z]|\ufeff", re.MULTILINE)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]{8,30}Z (?:[0-9a-f]{2}[OE][+ ])?")
_GITHUB = "Current runner version: "
_GITLAB = "Running with gitlab-runner "
#: Variables in the order in which they count, by what they name.
_VARIABLES = {
    "project": ("GITHUB_REPOSITORY", "CI_PROJECT_PATH"),
    "change": ("CI_MERGE_REQUEST_IID",),
    "branch": ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CI_COMMIT_BRANCH"),
    "ref": ("GITHUB_REF", "CI_COMMIT_REF_NAME"),
    "job": ("CI_JOB_NAME", "GITHUB_JOB"),
    "runner": ("RUNNER_NAME", "CI_RUNNER_DESCRIPTION"),
    "commit": ("GITHUB_SHA", "CI_COMMIT_SHA"),
}
_VARIABLE = re.compile(
    r"^(?:export |declare -x )?((?:GITHUB|CI|RUNNER)_[A-Z_]{1,50})=(['\"]?)(.+)\2$", re.MULTILINE
)
#: What the systems print for a secret.
_MASKED = ("***", "[MASKED]")
#: Lines of runners, by what they name. A job's complete name counts before its variable.
_LINES = {
    _GITHUB: {
        "complete job": r"^Complete job name: (.+)$",
        "runner": r"^Runner name: '(.+)'$",
        "image": r"^##\[group\](?:Runner Image|Virtual Environment)\n(?:Image|Environment): (.+)$",
        "project": r"^Syncing repository: (\S+)$",
        "ref": r"^(?:##)?\[command\]\S*git checkout --progress --force (?:-B \S+ )?(refs/\S+)$",
        "commit": r"^(?:##)?\[command\]\S*git log -1 --format='?%H'?\n'?([0-9a-f]+)'?$",
    },
    _GITLAB: {
        "runner": r"^Running with gitlab-runner .*\n[ \t]+on (.+?) [^\s,]+(?:, system ID: \S+)?$",
        "ref": r"^Checking out [0-9a-f]+ as (?:detached HEAD \(ref is (.+)\)|(.+))\.\.\.$",
        "commit": r"^Checking out ([0-9a-f]+) as ",
        "project": r"^(?:Initialized empty|Reinitialized existing) Git repository in \S*?/builds/"
        r"(?:[\w-]+/\d+/)?([^/\s]+/\S+?)/\.git/$",
    },
}
_COMMIT = re.compile("[0-9a-f]{7,64}")
#: References of a branch, and of a pull or merge request.
_BRANCH = re.compile(r"refs/(?:heads|remotes/origin)/(.+)")
_CHANGE = re.compile(r"refs/(?:remotes/)?(?:pull|merge-requests)/(\d+)/(?:merge|head)")
#: What GitLab's runner prints last.
_FAILED = "ERROR: Job failed"


class Build(NamedTuple):
    """A build; "" for what is not known of it."""

    project: str = ""
    #: With its patch set: 123442,7.
    change: str = ""
    #: An http or https URL.
    change_url: str = ""
    branch: str = ""
    #: A reference that is no branch, or may be a tag: v1.2.
    ref: str = ""
    pipeline: str = ""
    job: str = ""
    nodes: str = ""
    #: "failed", "succeeded", or "".
    result: str = ""
    #: How long it took; None if unknown.
    seconds: float | None = None
    #: The hash of what was built, perhaps its beginning.
    commit: str = ""
    #: The beginning of the project's name, if that has a host's.
    host: str = ""

    @property
    def repository(self) -> str:
        """The project as its host calls it."""
        return self.project.removeprefix(f"{self.host}/")


def build_of(inventory: bytes) -> Build:
    """The build of an inventory; of a damaged one, what is before the damage."""
    values: dict[tuple[str, ...], str] = {}
    nodes: dict[str, str] = {}
    # The parsers of malformed texts raise also ValueError, such as for a character's number.
    with suppress(yaml.YAMLError, ValueError, RecursionError):
        for path, value in _scalars(inventory[:MOST_OF_INVENTORY]):
            if path[:3] == _ZUUL and len(path) <= 5:
                values.setdefault(path[3:], value)
            elif path[:2] == ("all", "hosts") and len(path) > 2 and len(nodes) <= MOST_NODES:
                nodes.setdefault(path[2], "")
                if path[3:] == ("nodepool", "label"):
                    nodes[path[2]] = value

    def said(*path: str) -> str:
        return values.get(path, "")[:MOST_TEXT]

    url = values.get(("change_url",), "")
    names = [
        f"{name} ({label})" if label and label != name else name for name, label in nodes.items()
    ]
    shown = ", ".join(name[:MOST_TEXT] for name in names[:MOST_NODES])
    change = ",".join(filter(None, (said("change"), said("patchset"))))
    project, name = said("project", "canonical_name"), said("project", "name")
    # A patch set of GitHub and GitLab is a commit.
    commits = said("commit_id"), said("newrev"), said("patchset")
    return Build(
        project=project or name,
        change=change if said("change") else "",
        change_url=url if said("change") and _is_web(url) else "",
        branch=said("branch"),
        pipeline=said("pipeline"),
        job=said("job"),
        nodes=shown + (" and others" if len(names) > MOST_NODES else ""),
        commit=next(filter(_COMMIT.fullmatch, commits), ""),
        host=project.removesuffix(f"/{name}") if name and project.endswith(f"/{name}") else "",
    )


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return len(url) <= MOST_URL and parts.scheme in ("http", "https") and bool(parts.netloc)


def _scalars(text: bytes) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yields each scalar that is a value of mappings alone, with the keys above it.

    Raises YAMLError and ValueError for a malformed text.
    """
    #: The current key of each open mapping, None where a key comes next; "" for a sequence.
    keys: list[str | None] = []
    for event in islice(yaml.parse(text, Loader=_LOADER), MOST_EVENTS):
        if isinstance(event, yaml.CollectionStartEvent):
            keys.append(None if isinstance(event, yaml.MappingStartEvent) else "")
            if len(keys) > MOST_DEPTH:
                return
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            keys.pop()
        elif not isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            continue
        value = event.value if isinstance(event, yaml.ScalarEvent) else ""
        if not keys or keys[-1] == "":
            continue
        if keys[-1] is None:
            keys[-1] = value or "?"
            continue
        if not (value in _NULLS and getattr(event, "implicit", (True,))[0]):
            yield tuple(key or "" for key in keys), value
        keys[-1] = None


def console_build(head: bytes, summary: Summary | None = None) -> Build:
    """The build by a console, as far as GitHub Actions or GitLab wrote its head; an empty one if neither did.

    summary: of the whole console, which tells the result and the duration; None if it was not read.
    """
    # As a terminal shows it, without the times before its lines.
    lines = _UNSEEN.sub("", head[:HEAD].decode("utf-8", "replace")).split("\n")
    text = "\n".join(["", *(_TIME.sub("", line[:MOST_OF_LINE], 1) for line in lines)])
    system = next((one for one in _LINES if f"\n{one}" in text), "")
    variables: dict[str, str] = {}
    for name, _, value in _VARIABLE.findall(text):
        if value not in _MASKED:
            variables.setdefault(name, value[:MOST_TEXT])
    found: dict[str, str] = defaultdict(str)
    for what, pattern in _LINES.get(system, {}).items():
        if line := re.search(pattern, text, re.MULTILINE):
            found[what] = line[line.lastindex or 0][:MOST_TEXT]
    for what, names in _VARIABLES.items():  # these count before lines of the runner
        found[what] = next((variables[one] for one in names if one in variables), found[what])
    ref, change, branch = found["ref"], found["change"], found["branch"]
    if of_change := _CHANGE.fullmatch(ref):
        ref, change = "", change or of_change[1]
    elif of_branch := _BRANCH.fullmatch(ref):
        ref, branch = "", branch or of_branch[1]
    runner, image = found["runner"], found["image"]
    result, seconds = "", None
    if summary and summary.errors and system == _GITLAB:
        result = "failed" if summary.errors[-1].text.startswith(_FAILED) else ""
    elif summary and system == _GITHUB:  # it dates each line
        with suppress(ValueError):
            times = summary.first_time, summary.last_time
            began, ended = (time_range(one or "").first_in_utc for one in times)
            seconds = (ended - began) / 10**6 if ended >= began else None
    return Build(
        project=found["project"],
        change=change,
        branch=branch,
        ref="" if ref == branch else ref,
        job=found["complete job"] or found["job"],
        nodes=f"{runner} ({image})" if runner and image else runner or image,
        result=result,
        seconds=seconds,
        commit=found["commit"] if _COMMIT.fullmatch(found["commit"]) else "",
    )
