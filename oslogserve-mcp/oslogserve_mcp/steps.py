# SPDX-License-Identifier: Apache-2.0
"""The steps of a build for an agent: the chapters of its log, from the log's summary."""

import json
from typing import Any

from oslogserve_mcp.answer import Report, Whole, counted, left_out
from oslogserve_mcp.client import Answer
from oslogserve_mcp.notices import missing
from oslogserve_mcp.places import BadRequest, Site


def show_steps(answer: Answer, site: Site, report: Report) -> None:
    """Writes the steps in their order, those within others below them. If they do not all fit, those that
    passed are left out. Raises BadRequest if they are those of a folder."""
    summary = json.loads(answer.body.decode())
    if "chapters" not in summary:
        raise BadRequest("This is a folder: name a log in it, such as its job-output.txt.")
    steps = summary["chapters"]
    failed = sum(step["outcome"] == "failed" for step in steps)
    more = f" Further steps: {summary['more_chapters']:,}." if summary.get("more_chapters") else ""
    report.add([Whole(site.link(answer.place.path, source=answer.place.source))])
    report.add([f"{counted(len(steps), 'step')}, of which {failed} failed.{more}"])
    report.add_notices(missing(summary))
    lines, ends = [], list[int]()
    for step in steps:
        while ends and ends[-1] < step["last"]:
            ends.pop()
        lines.append((step["outcome"], _shown(step, len(ends))))
        ends.append(step["last"])
    if report.add([line for _, line in lines]):
        return
    kept = [line for outcome, line in lines if outcome != "passed"]
    for number, line in enumerate(kept):
        if not report.add([line], [left_out(len(lines), "step")]):
            kept = kept[:number]
            break
    report.add([left_out(len(lines) - len(kept), "step")])


def _shown(step: dict[str, Any], depth: int) -> str:
    """Its outcome comes first, and its name, which a job gave it, last."""
    took = f", {step['took']}" if step.get("took") else ""
    outcome = {"failed": "FAILED ", "passed": "passed "}.get(step["outcome"], "")
    return f"{'  ' * depth}{outcome}{step['first']}-{step['last']}{took}: {step['name']}"
