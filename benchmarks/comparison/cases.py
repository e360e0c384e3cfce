# SPDX-License-Identifier: Apache-2.0
"""The cases: each is a way to get a log, compared with a neighbour."""

import dataclasses
from collections.abc import Collection
from typing import NamedTuple

from benchmarks.comparison.logs import Log
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.samples import Request


class View(NamedTuple):
    title: str
    #: Parameters of the URL. {end}: the line a hundred lines before the log's end.
    parameters: dict[str, str]
    accept: str = "text/html"


VIEWS = {
    "html": View("HTML", {}),
    "text": View("text", {"format": "text"}, "*/*"),
    "error": View("level=ERROR", {"level": "ERROR"}),
    "q": View("q=", {"q": "Timeout"}),
    "re": View("re=", {"re": "req-[0-9a-f]+.*MessagingTimeout"}),
    "context": View("q= with context=5", {"q": "Timeout", "context": "5"}),
    "summary": View("format=summary", {"format": "summary"}, "*/*"),
    "brief": View("format=brief", {"format": "brief"}, "*/*"),
    "tail": View("tail=100", {"tail": "100"}),
    "end": View("lines= at the end", {"lines": "{end}-"}),
}
#: Views that show all of a log.
WHOLE = ("html", "text")
#: Views that are also measured gzipped. The others send little.
GZIPPED = ("html", "text", "error")

SOURCES = ("disk", "swift")

NGINX = "nginx, unpacking"
NGINX_AS_STORED = "nginx, as stored"
ZCAT = "zcat"
SWIFT_DOWNLOAD = "swift download"
#: A download of a small log: what of SWIFT_DOWNLOAD is the program's own start.
SWIFT_START = "start of swift download"


@dataclasses.dataclass(frozen=True)
class Case:
    """A request to oslogserve, or another program that sends the same log."""

    name: str
    #: The name of the neighbour.
    neighbour: str
    source: str = "disk"
    view: str = "text"
    is_gzipped: bool = False
    is_ours: bool = True

    def request(self, url: str, log: Log) -> Request:
        """The request for a log to the oslogserve at this URL."""
        view = VIEWS[self.view]
        end = max(1, log.lines - 99)
        parameters = {name: value.format(end=end) for name, value in view.parameters.items()}
        source = Endpoint(self.name, url, {**parameters, "source": self.source})
        encoding = "gzip" if self.is_gzipped else "identity"
        headers = (f"Accept: {view.accept}", f"Accept-Encoding: {encoding}")
        return source.request(log.file)._replace(headers=headers)


def table(sources: Collection[str]) -> list[Case]:
    ours = [
        _ours(source, view, is_gzipped)
        for source in sources
        for view in VIEWS
        for is_gzipped in ((False, True) if view in GZIPPED else (False,))
    ]
    others = {"disk": (ZCAT, NGINX), "swift": (SWIFT_START, SWIFT_DOWNLOAD)}
    return [*ours, *(Case(*others[source], is_ours=False) for source in sources)]


def _ours(source: str, view: str, is_gzipped: bool) -> Case:
    name = VIEWS[view].title + (", gzipped" if is_gzipped else "")
    if source == "swift":
        name += " from Swift"
    if source == "swift":
        neighbour = SWIFT_DOWNLOAD
    elif view == "text" and is_gzipped:
        neighbour = NGINX_AS_STORED
    else:
        neighbour = NGINX  # all of the log as plain text, whatever the view
    return Case(name, neighbour, source, view, is_gzipped)
