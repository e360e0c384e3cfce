# SPDX-License-Identifier: Apache-2.0
"""The tools: the arguments of each, as an agent sees them, and the request that each makes."""

import json
import logging
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from oslogserve_mcp.answer import Report, Whole, left_out, visible
from oslogserve_mcp.client import Client, Failed, NotFound
from oslogserve_mcp.failing import PATH, show_failing
from oslogserve_mcp.files import show_files, show_text
from oslogserve_mcp.job import cause_of, show_job
from oslogserve_mcp.places import BadRequest, Pairs, Place
from oslogserve_mcp.rows import Line, plain_name, show_rows
from oslogserve_mcp.steps import show_steps

_LOG = logging.getLogger(__name__)
#: Bytes of an answer; the server's excerpts have as many at most.
LEAST_BYTES, MOST_BYTES = 1000, 1_000_000
#: Of an excerpt of the server.
LEAST_BRIEF = 500
MOST_LINES = 1000
#: As the server orders them.
SEVERITIES = ("NONE", "DEBUG", "INFO", "AUDIT", "TRACE", "WARNING", "ERROR", "CRITICAL")
#: Bytes that are kept for the sentence that lines are left out.
_KEPT = 60
#: Parameters of a link that say which lines it shows.
_OF_LINES = (
    *("source", "q", "re", "not", "level", "since", "until", "lines", "chapter", "context"),
    *("after", "tail", "logs", "order", "from", "against", "new"),
)
_OF_FOLDER = ("source", "logs", "against", "from")
_OF_FAILING = ("days", "job", "project", "branch", "cause")

Path = Annotated[
    str, Field(description="a link from an answer, or a path below the server, as links have it")
]
Log = Annotated[str, Field(description="the path of a log, or a link to it or to a line of it")]
Bytes = Annotated[
    int, Field(ge=LEAST_BYTES, le=MOST_BYTES, description="the most bytes of the answer")
]
Limit = Annotated[int, Field(ge=1, le=MOST_LINES, description="the most lines")]
Text = Annotated[str, Field(max_length=1000)]
Logs = Annotated[
    list[str], Field(max_length=8, description="of a folder: shell patterns of logs' names")
]
Against = Annotated[
    Text,
    Field(
        description="the log or folder of a run that passed: a path, a link, or @NAME of a pointer"
    ),
]
Level = Annotated[
    str,
    Field(
        description="lines of this severity or higher",
        json_schema_extra={"enum": ["", *SEVERITIES]},
    ),
]


class Tool(BaseModel):
    """The arguments of a tool."""

    model_config = ConfigDict(extra="forbid")

    name: ClassVar[str]
    description: ClassVar[str]
    #: For an agent whose path names nothing.
    hint: ClassVar[str] = "A name in an excerpt is below the link in the excerpt's first line."

    bytes: Bytes = 8000

    async def __call__(self, client: Client, report: Report) -> None:
        """Writes the answer. Raises Error with a sentence."""
        raise NotImplementedError


class Failing(Tool):
    name = "failing"
    description = (
        "What fails now, over all jobs: the causes of the last days, since when and how often, with the "
        "last run of each. With cause, the runs that failed for it, and of which jobs."
    )
    hint = ""

    cause: Annotated[
        Text,
        Field(description="a link from an answer to the runs with a cause, or its fingerprint"),
    ] = ""
    job: Annotated[Text, Field(description="the whole name")] = ""
    project: Annotated[Text, Field(description="the whole name")] = ""
    branch: Annotated[Text, Field(description="the whole name")] = ""
    days: Annotated[int, Field(ge=0, le=3650, description="by default 7, of a cause all")] = 0

    async def __call__(self, client: Client, report: Report) -> None:
        place = client.site.place(self.cause)
        # What has no query is no link.
        cause = "" if place.query else self.cause
        names = {"job": self.job, "project": self.project, "branch": self.branch}
        given = _given(client, {"days": self.days, **names, "cause": cause})
        query = [*_merged(place, _OF_FAILING, given), ("format", "json")]
        show_failing(await client.get(PATH, query), client.site, report)


class Job(Tool):
    name = "job"
    description = (
        "The logs below a job's folder, the one that tells most first: which failed, the counts of "
        "errors, the lines of each cause, and whether other runs failed so."
    )
    hint = "If that is a log, use brief."

    path: Annotated[str, Field(description="a folder: a path below the server, or a link")]
    logs: Logs = []
    against: Against = ""

    async def __call__(self, client: Client, report: Report) -> None:
        place = client.site.place(self.path)
        folder = place.path.rstrip(b"/") + b"/" if place.path else b""
        given = _given(client, {"logs": self.logs, "against": self.against})
        query = [*_merged(place, _OF_FOLDER, given), ("format", "summary")]
        show_job(await client.get(folder, query), client.site, report)


class Brief(Tool):
    name = "brief"
    description = (
        "An excerpt of a failed job's folder or of a log: what was tested and what failed, then the "
        "lines that explain it. Start here. Its first line is a link. Names of logs are below it. Put "
        "the link to the log before ?goto=A-B, and lines takes the whole."
    )

    path: Path
    logs: Logs = []
    against: Against = ""
    # As many hold the cause as 8,000 do: see benchmarks.agents.
    bytes: Bytes = 4000

    async def __call__(self, client: Client, report: Report) -> None:
        place = client.site.place(self.path)
        # One byte more for the slash of a folder.
        room = report.room - len(client.site.link(place.path, source=place.source)) - 2
        size = max(LEAST_BRIEF, room - _KEPT)
        chosen = {"logs": self.logs, "against": self.against}
        given = _given(client, {**chosen, "format": "brief", "bytes": size})
        kept = ("source", *chosen)
        answer = await client.get(place.path, _merged(place, kept, given), size)
        # The links of a log's excerpt are relative to this one.
        report.add([Whole(client.site.link(answer.place.path, source=place.source))])
        lines = answer.body.decode("utf-8", "replace").rstrip("\n").split("\n")
        for shown, line in enumerate(lines):
            # What is escaped takes more bytes, so that it is cut. A link needs none of that.
            more = left_out(len(lines) - shown, "line")
            if not report.add([Whole(line) if line.isprintable() else line], [more]):
                report.add([more])
                return


class Search(Tool):
    name = "search"
    description = (
        "Lines of a log, or of all logs below a folder, that fit all that is given: text, pattern, "
        "severity and time. A link's own filters count too, so a link to more lines goes on."
    )

    path: Path
    text: Annotated[Text, Field(description="text in the line; a capital makes case matter")] = ""
    pattern: Annotated[Text, Field(description="regular expression, in RE2's syntax")] = ""
    without: Annotated[Text, Field(description="text that is not in the line")] = ""
    level: Level = ""
    since: Annotated[Text, Field(description="from this time on, such as 2026-03-04T18:25")] = ""
    until: Annotated[Text, Field(description="up to this time, such as 2026-03-04T18:25")] = ""
    logs: Logs = []
    order: Annotated[
        Literal["", "log", "time"],
        Field(description="of a folder: log by log, or all logs by time"),
    ] = ""
    context: Annotated[int, Field(ge=0, le=100, description="lines around each hit")] = 0
    limit: Limit = 100

    async def __call__(self, client: Client, report: Report) -> None:
        wanted = {"q": self.text, "re": self.pattern, "not": self.without, "level": self.level}
        where = {"since": self.since, "until": self.until, "logs": self.logs, "order": self.order}
        given = _given(client, {**wanted, **where, "context": self.context})
        await _show_lines(client, client.site.place(self.path), given, self.limit, report)


class Lines(Tool):
    name = "lines"
    description = (
        "Lines of a log: a range by numbers, or those around a line or a time. With all_logs, what "
        "all logs of the job say in the two seconds before and after it. A link to a line counts."
    )

    path: Log
    first: Annotated[int, Field(ge=0, description="number of the first line")] = 0
    last: Annotated[int, Field(ge=0, description="number of the last line")] = 0
    around: Annotated[
        Text, Field(description="number of a line, a time such as 18:25:11, or cause")
    ] = ""
    context: Annotated[int, Field(ge=0, le=MOST_LINES // 2, description="lines around it")] = 20
    all_logs: Annotated[bool, Field(description="all logs of the job, by time")] = False

    async def __call__(self, client: Client, report: Report) -> None:
        place = client.site.place(self.path)
        source = [("source", place.source)] if place.source else []
        if self.first or self.last:
            place = place._replace(first=self.first or 1, last=self.last)
        elif around := self.around or ("" if place.first else place.goto):
            to = await client.redirect(place.path, [*source, ("goto", around)])
            place = place._replace(first=to.first, last=to.last)
        if not place.first:
            raise BadRequest("Give first, last or around, or a link to a line.")
        if self.all_logs:
            await self._show_moment(client, place, source, report)
            return
        is_range = self.first or self.last
        first, last = (place.first, place.last) if is_range else self._window(place)
        query = [*source, ("lines", f"{first}-{last or ''}"), *_as_lines(MOST_LINES)]
        answer = await client.get(place.path, query)
        show_rows(answer, client.site, report, None if is_range else Line("", place.first))

    def _window(self, place: Place) -> tuple[int, int]:
        """The first and the last line around those of a place."""
        return max(1, place.first - self.context), place.last + self.context

    async def _show_moment(
        self, client: Client, place: Place, source: Pairs, report: Report
    ) -> None:
        """Writes what all logs of the job say around a line."""
        to = await client.redirect(place.path, [*source, ("moment", str(place.first))])
        answer = await client.get(to.path, [*to.query, *_as_lines(MOST_LINES)])
        moment = next((value for name, value in answer.place.query if name == "moment"), "")
        line = Line(plain_name(moment.rpartition(":")[0]), place.first)
        show_rows(answer, client.site, report, line)


class Steps(Tool):
    name = "steps"
    description = (
        "The steps of a build's log, such as commands, tasks or stages: the outcome of each, its lines and "
        "seconds. With step, why that one failed, and its lines."
    )

    path: Log
    step: Annotated[
        str,
        Field(
            pattern=r"^([1-9]\d{0,11}-[1-9]\d{0,11})?$", description="its lines, such as 120-340"
        ),
    ] = ""

    async def __call__(self, client: Client, report: Report) -> None:
        place = client.site.place(self.path)
        source = [("source", place.source)] if place.source else []
        lines = [("lines", self.step)] if self.step else []
        answer = await client.get(place.path, [*source, *lines, ("format", "summary")])
        if not self.step:
            show_steps(answer, client.site, report)
            return
        summary = json.loads(answer.body.decode())
        report.add(cause_of(summary, is_first=True))
        first, last = map(int, self.step.split("-"))
        middle = summary["cause"]["line"] if summary["cause"] else first
        first, last = max(first, middle - MOST_LINES // 2), min(last, middle + MOST_LINES // 2 - 1)
        query = [*source, ("lines", f"{first}-{last}"), *_as_lines(MOST_LINES)]
        answer = await client.get(place.path, query)
        show_rows(answer, client.site, report, Line("", middle))


class Files(Tool):
    name = "files"
    description = (
        "What a folder has: names, sizes and times of files, logs or not. Of a file, its text, such as a "
        "report's or a configuration's."
    )

    path: Path

    async def __call__(self, client: Client, report: Report) -> None:
        place = client.site.place(self.path)
        query = _merged(place, ("source", "from"), [])
        answer = await client.get(place.path, [*query, ("format", "text")], report.room)
        folder = answer.place.path
        if folder and not folder.endswith(b"/"):
            show_text(answer, client.site, report)
            return
        show_files(await client.get(folder, [*query, ("format", "json")]), client.site, report)


class Compare(Tool):
    name = "compare"
    description = (
        "What is new in a failed log, or in all logs of a failed job: the lines that have no like in "
        "a run of the same job that passed."
    )

    path: Path
    against: Against
    level: Level = ""
    text: Annotated[Text, Field(description="text in the line; a capital makes case matter")] = ""
    logs: Logs = []
    context: Annotated[int, Field(ge=0, le=100, description="lines around each new line")] = 0
    limit: Limit = 100

    async def __call__(self, client: Client, report: Report) -> None:
        compared = {"against": self.against, "new": "only"}
        wanted = {"level": self.level, "q": self.text, "logs": self.logs, "context": self.context}
        given = _given(client, {**compared, **wanted})
        await _show_lines(client, client.site.place(self.path), given, self.limit, report)


TOOLS: dict[str, type[Tool]] = {
    tool.name: tool for tool in (Brief, Job, Failing, Search, Lines, Steps, Compare, Files)
}


async def answer(client: Client, name: str, arguments: dict[str, Any]) -> str:
    """The text of a tool's answer. Raises Error with a sentence."""
    tool = TOOLS.get(name)
    if tool is None:
        raise BadRequest(f"There is no such tool: these are {', '.join(TOOLS)}.")
    try:
        asked = tool.model_validate(arguments)
    except ValidationError as error:
        raise BadRequest("; ".join(map(_fault, error.errors()))) from None
    report = Report(asked.bytes)
    try:
        await asked(client, report)
    except NotFound as error:
        raise NotFound(str(error), tool.hint) from error
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        _LOG.warning("%s: %s: %s", name, type(error).__name__, visible(str(error)))
        raise Failed("This is no answer of oslogserve, or of one that is much newer.") from error
    return report.text()


class _Schema(GenerateJsonSchema):
    """A schema without titles, which repeat the names."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema_of(tool: type[Tool]) -> dict[str, Any]:
    """JSON Schema of a tool's arguments."""
    schema = tool.model_json_schema(schema_generator=_Schema)
    return {name: value for name, value in schema.items() if name not in ("title", "description")}


def _fault(error: Any) -> str:
    return f"{'.'.join(map(str, error['loc']))}: {error['msg']}"


def _given(client: Client, values: dict[str, Any]) -> Pairs:
    """The parameters that have a value; a list gives one for each of its items."""
    if against := values.get("against"):
        values = {**values, "against": _against(client, against)}
    return [
        (name, str(one))
        for name, value in values.items()
        for one in (value if isinstance(value, list) else [value])
        if one
    ]


def _against(client: Client, given: str) -> str:
    """The value of `against`: a path below the server, whatever names it."""
    if given.startswith("@"):
        return given
    return client.site.place(given).path.decode("utf-8", "replace")


def _merged(place: Place, kept: tuple[str, ...], given: Pairs) -> Pairs:
    """The parameters of a link that are kept, but those that are given, and these."""
    names = {name for name, _ in given}
    return [*(pair for pair in place.query if pair[0] in kept and pair[0] not in names), *given]


def _as_lines(limit: int) -> Pairs:
    return [("format", "jsonl"), ("limit", str(limit))]


async def _show_lines(
    client: Client, place: Place, given: Pairs, limit: int, report: Report
) -> None:
    """Writes the lines that a link and arguments choose."""
    query = [*_merged(place, _OF_LINES, given), *_as_lines(limit)]
    show_rows(await client.get(place.path, query), client.site, report)
