# SPDX-License-Identifier: Apache-2.0
"""The attacks."""

from typing import NamedTuple
from urllib.parse import quote

from benchmarks.attacks.reports import REPORTS

HTML = "Accept: text/html"
GZIP = "Accept-Encoding: gzip"
#: It takes a second for each 100 KB.
COSTLY = quote("(?:[a-z].{0,30}){12}Q")


def request(target, *headers):
    lines = [f"GET {target} HTTP/1.1", "Host: logs", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode()


class Attack(NamedTuple):
    name: str
    #: What the clients send, in turn.
    requests: list[bytes]
    clients: int = 40
    #: A key of clients.WAYS.
    way: str = "reads"
    #: True for what readers meet behind the nginx that is shipped.
    is_behind_nginx: bool = False
    #: True where the server also has a Swift that accepts connections and never answers.
    has_black_hole: bool = False
    #: True where the server follows links.
    follows_links: bool = False


def _views(name, *parameters):
    """Requests for the views of a log."""
    more = "".join(f"&{parameter}" for parameter in parameters)
    return [request(f"/{name}?format={view}{more}") for view in ("html", "text", "jsonl")]


def _pages(*names):
    """Requests for pages, compressed and not."""
    return [
        request(f"/{name}?format=html", *headers) for name in names for headers in ((), (GZIP,))
    ]


def _jobs(names, *views):
    return [request(f"/{name}/?format={view}") for name in names for view in views]


BOMBS = ["zeros.txt", "lines.txt", "empty_lines.txt", "one_line_of_links.txt", "json.txt"]
LONG_PATTERN = "&logs=*" + "a*" * 100 + "bcdefa" * 40 + "g*"
REPORTED_JOBS = sorted({f"reports/{job}" for job, _ in REPORTS})
HALF_SENT = b"GET / HTTP/1.1\r\nHost: logs\r\n"
LISTINGS = ("html", "json", "text")
MANY_RANGES = "Range: bytes=" + ",".join(f"{n}-{n}" for n in range(0, 2000, 2))

ATTACKS = [
    Attack("costly patterns", [request(f"/letters.txt?format=summary&re={COSTLY}")]),
    Attack("costly patterns, one line", [request(f"/one_line.txt?format=summary&re={COSTLY}")]),
    Attack("bombs as pages", _pages(*BOMBS)),
    Attack("bombs as text", [request(f"/{name}?format=text") for name in BOMBS]),
    Attack("bombs as packed text", [request(f"/{name}?format=text", GZIP) for name in BOMBS]),
    Attack("bombs, searched", [request(f"/{name}?format=jsonl&q=a") for name in BOMBS]),
    Attack("bombs, counted", [request(f"/{name}?format=summary") for name in BOMBS]),
    Attack(
        "excerpts",
        [
            request(f"/{name}?format={view}")
            for name in ("causes.txt", "endless.txt", "tests.txt", "colours.txt", *BOMBS, "failed/")
            for view in ("brief&bytes=2000", "brief&bytes=1000000")
        ],
        clients=24,
    ),
    Attack(
        "comparisons with bombs",
        [request(f"/small.txt?against={name}&format=html") for name in ("words.txt", *BOMBS)]
        + [request("/words.txt?against=letters.txt&new=only&format=jsonl")],
    ),
    Attack(
        "gzips of many members and long headers",
        _pages("members.txt", "empty_members.txt", "endless_name.txt", "gzip_of_gzip.txt"),
    ),
    Attack(
        "tails of 100,000 lines",
        _views("large.txt", "tail=100000")
        + _views("two_bytes.txt", "tail=100000")
        + _views("colours.txt", "tail=100000"),
        clients=24,
    ),
    Attack(
        "contexts of 1000 lines",
        _views("wide.txt", "context=1000", "q=nowhere")
        + _views("two_bytes.txt", "context=1000", "q=nowhere")
        + _views("wide.txt", "context=1000", "q=other"),
    ),
    Attack(
        "folders of 100,000 entries",
        _jobs(["folder"], *LISTINGS, *(f"{view}&sort=time" for view in LISTINGS)),
    ),
    Attack("large pages", _pages("large.txt", "errors.txt", "wide.txt"), clients=64),
    Attack("pages of colours", _pages("colours.txt"), clients=64),
    Attack("pages of links and markup", _pages("links.txt", "markup.txt"), clients=64),
    Attack("pages of short lines", _pages("two_bytes.txt"), clients=64),
    Attack("JSON of short lines", [request("/two_bytes.txt?format=jsonl")], clients=64),
    Attack(
        "small gzips of large logs",
        [request("/little.txt?format=jsonl"), *_pages("little.txt")],
        clients=64,
    ),
    Attack(
        "tails, folders and logs at once",
        [
            *_views("two_bytes.txt", "tail=100000"),
            request("/colours.txt?format=html&tail=100000"),
            *_pages("two_bytes.txt"),
            request("/two_bytes.txt?format=jsonl", GZIP),
            *[request(f"/folder/?format={view}&sort=time") for view in ("html", "json")],
            *[request("/chunk.txt?format=jsonl", *headers) for headers in ((), (GZIP,))] * 6,
        ],
        clients=100,
    ),
    Attack(
        "ranges of a bomb",
        [
            request("/lines.txt?format=text", "Range: bytes=-1"),
            request("/empty_lines.txt?format=text", "Range: bytes=4000000000-"),
            request("/zeros.txt?format=text", MANY_RANGES),
        ],
    ),
    Attack(
        "pages, tails and ranges of Zstandard",
        [
            request(f"/windows/{number}.txt?format={view}", *headers)
            for number in range(20)
            for view, headers in (
                ("html", ()),
                ("text&tail=100000", ()),
                ("text", ("Range: bytes=20000000-50000000",)),
            )
        ],
        clients=60,
    ),
    Attack("many ranges", [request("/large.txt?format=text", MANY_RANGES)]),
    Attack(
        "clients that leave",
        [*_pages("lines.txt"), request(f"/letters.txt?format=summary&re={COSTLY}")],
        way="leaves",
    ),
    Attack("200 slow readers of 4 MB", _pages("medium.txt"), 200, "slow", is_behind_nginx=True),
    Attack("500 idle connections", [b""], 500, "waits", is_behind_nginx=True),
    Attack("64 half-sent headers", [HALF_SENT], 64, "waits", is_behind_nginx=True),
    Attack("reports", _jobs(REPORTED_JOBS, "overview"), clients=8),
    Attack("jobs of 128,000 errors", _jobs(["failed"], "summary", "overview"), clients=8),
    Attack(
        "jobs of long names", _jobs(["names"], "summary", f"jsonl{4 * LONG_PATTERN}"), clients=8
    ),
    Attack("comparisons with them", _jobs(["folder"], "summary&against=names"), clients=8),
    Attack(
        "comparisons with wordless and large logs",
        # A worker keeps 57,344 of them, and gives some up for each large one.
        [request(f"/folder/?format=summary&against=folder&from={n:03}000") for n in range(58)]
        + [
            request(f"/small.txt?format=text&against={name}")
            for name in ("words.txt", "letters.txt")
        ],
        clients=60,
    ),
    Attack(
        "folders' lines by time, of small gzips",
        _jobs(["merged"], "jsonl&order=time", "html&order=time", "text&order=time"),
        clients=8,
    ),
    Attack(
        "a folder of 5,000 links to a deep one",
        _jobs(["links"], *LISTINGS),
        clients=8,
        follows_links=True,
    ),
    Attack(
        "listings of clients that leave",
        [request("/links/?format=json"), request("/folder/?format=json&sort=time")],
        way="leaves",
        follows_links=True,
    ),
    Attack(
        "24 readers that take nothing",
        [request(f"/{name}?format=text") for name in ("large.txt", "wide.txt")],
        clients=24,
        way="waits",
    ),
    Attack("a Swift that hangs", [request("/missing.txt", HTML)], has_black_hole=True),
]
