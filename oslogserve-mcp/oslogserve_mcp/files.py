# SPDX-License-Identifier: Apache-2.0
"""Files for an agent: what is in a folder, from the server's JSON, and the text of a small one."""

import json

from oslogserve_mcp.answer import Report, Whole, counted, left_out
from oslogserve_mcp.client import Answer, Failed
from oslogserve_mcp.notices import following, missing
from oslogserve_mcp.places import Site, as_path


def show_files(answer: Answer, site: Site, report: Report) -> None:
    """Writes the entries of a folder, with the name of each at the end of its line."""
    listing = json.loads(answer.body.decode())
    entries = listing["entries"]
    report.add([Whole(site.link(answer.place.path, source=answer.place.source))])
    report.add_notices(missing(listing))
    more = [Whole(f"More files: {following(answer, site, to)}")] if (to := listing["next"]) else []
    then = [*more, left_out(len(entries), "further name")]
    for number, entry in enumerate(entries):
        size = "" if entry["size"] is None else f"{counted(entry['size'], 'byte')}, "
        # Not cut, so that it is a path.
        line = Whole(f"{size}{entry['modified'] or ''} {_name(entry)}".lstrip())
        if not report.add([line], then):
            report.add([left_out(len(entries) - number, "further name")])
            break
    report.add(more)


def _name(entry: dict[str, str]) -> str:
    """As a path has it. If it is not UTF-8, or would be shown escaped, only its link has its bytes."""
    name, href = entry["name"], entry["href"].removeprefix("./")
    return as_path(name) if name.isprintable() and "\ufffd" not in name else href


def show_text(answer: Answer, site: Site, report: Report) -> None:
    """Writes the text of a file, as much as fits. Raises Failed if it is none."""
    if b"\0" in answer.body:
        raise Failed("This is no text: it has NUL bytes.")
    report.add([Whole(site.link(answer.place.path, source=answer.place.source))])
    lines = answer.body.decode("utf-8", "replace").removesuffix("\n").split("\n")
    rest = "The rest is left out: ask for more bytes, or lines for a part"
    for line in lines:
        if not report.add([line], [rest]):
            report.add([rest])
            return
    if answer.is_cut:
        report.add([rest])
