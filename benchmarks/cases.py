# SPDX-License-Identifier: Apache-2.0
"""The table of cases: each is one request, its server, and what it is compared with."""

import dataclasses
from collections.abc import Collection

VIEWS = {
    "html": ("HTML", "", "text/html"),
    "text": ("text", "format=text", "*/*"),
    "error": ("level=ERROR", "level=ERROR", "text/html"),
    "q": ("q=", "q=Timeout", "text/html"),
    "re": ("re=", "re=req-[0-9a-f]%2B.*MessagingTimeout", "text/html"),
    "context": ("q= with context=5", "q=Timeout&context=5", "text/html"),
    "summary": ("format=summary", "format=summary", "*/*"),
    "tail": ("tail=100", "tail=100", "text/html"),
    "end": ("lines= at the end", "lines={end}-", "text/html"),
}
"""(title, query, Accept header) of a request to oslogserve. {end}: a hundred lines before the end."""

UNFILTERED = ("html", "text")
"""The views that show all of a log."""

IDENTITY_ONLY = ("q", "re", "context", "summary", "tail", "end")
"""The views that are measured without compression only: they send little."""

ENCODINGS = ("identity", "gzip")
RENDERERS = ("native", "pure")
SOURCES = ("disk", "swift")

NGINX = "nginx, unpacking"
NGINX_AS_STORED = "nginx, as stored"
ZCAT = "zcat"
SWIFT_DOWNLOAD = "swift download"
SWIFT_GET = "GET of the object"


@dataclasses.dataclass(frozen=True)
class Case:
    """A request to oslogserve, or, without a renderer, another program that takes the same log."""

    name: str
    beside: str
    """The name of what is measured before or after it in every round."""
    source: str = "disk"
    view: str = ""
    encoding: str = "identity"
    renderer: str = ""

    def query(self, lines: int) -> str:
        """lines: of the log."""
        view = VIEWS[self.view][1].format(end=max(1, lines - 99))
        query = [view, "source=swift" if self.source == "swift" else ""]
        return "&".join(filter(None, query))

    @property
    def headers(self) -> dict[str, str]:
        headers = {"Accept": VIEWS[self.view][2]}
        return headers | ({"Accept-Encoding": "gzip"} if self.encoding == "gzip" else {})


OTHERS = (
    Case(ZCAT, beside=NGINX),
    Case(SWIFT_GET, beside=SWIFT_DOWNLOAD, source="swift"),
)


def table(
    views: Collection[str],
    encodings: Collection[str],
    renderers: Collection[str],
    sources: Collection[str],
) -> list[Case]:
    ours = [
        _ours(source, view, encoding, renderer)
        for source in SOURCES
        for view in VIEWS
        for encoding in ENCODINGS
        for renderer in RENDERERS
        if source in sources and view in views and encoding in encodings and renderer in renderers
        if encoding == "identity" or view not in IDENTITY_ONLY
    ]
    return ours + [case for case in OTHERS if case.source in sources]


def _ours(source: str, view: str, encoding: str, renderer: str) -> Case:
    words = [VIEWS[view][0], "gzipped" if encoding == "gzip" else "", renderer]
    name = ", ".join(filter(None, words)) + (" from Swift" if source == "swift" else "")
    if source == "swift":
        beside = SWIFT_DOWNLOAD
    elif (view, encoding) == ("text", "gzip"):
        beside = NGINX_AS_STORED
    else:
        beside = NGINX  # all of the log as plain text, whatever the view
    return Case(name, beside, source, view, encoding, renderer)
