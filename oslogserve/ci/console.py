# SPDX-License-Identifier: Apache-2.0
"""Reader of the head of a console: what GitHub Actions and GitLab print of the build.

A runner prints some of it. The rest is in the predefined variables, where a job prints its environment.
Anybody who runs a job can print the same, so all of it is text to be escaped.
"""

import re
from collections import defaultdict
from contextlib import suppress

from oslogserve.ci.build import MOST_TEXT, Build
from oslogserve.lines.summary import Summary
from oslogserve.lines.time_range import time_range

#: Bytes of the console that are read.
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
    },
    _GITLAB: {
        "runner": r"^Running with gitlab-runner .*\n[ \t]+on (.+?) [^\s,]+(?:, system ID: \S+)?$",
        "ref": r"^Checking out [0-9a-f]+ as (?:detached HEAD \(ref is (.+)\)|(.+))\.\.\.$",
        "project": r"^(?:Initialized empty|Reinitialized existing) Git repository in \S*?/builds/"
        r"(?:[\w-]+/\d+/)?([^/\s]+/\S+?)/\.git/$",
    },
}
#: References of a branch, and of a pull or merge request.
_BRANCH = re.compile(r"refs/(?:heads|remotes/origin)/(.+)")
_CHANGE = re.compile(r"refs/(?:remotes/)?(?:pull|merge-requests)/(\d+)/(?:merge|head)")
#: What GitLab's runner prints last.
_FAILED = "ERROR: Job failed"


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
    )
