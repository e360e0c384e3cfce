# SPDX-License-Identifier: Apache-2.0
"""Asks servers the same questions and tells where their answers differ: the net below a rewrite.

    tools/same-answers BASE       compares the commit BASE with this checkout
    tools/same-answers --renew    writes the digests of this checkout's answers anew

With --only REGEX, BASE and this checkout are asked the questions that it fits, as they are printed.

All is asked over HTTP, and nothing of oslogserve is imported: its files, classes and modules may go. Each version is
installed in an environment of its own. All servers read the same folder of logs, the same Swift and the same S3. Of
each version run two servers: one without a directory of indexes, one with. The first question of each log makes its
index, and the further ones are answered by it. A third one, with a database, is asked what runs failed for.

Three pairs of answers must be the same:

* of BASE ("before") and this checkout ("now"), to each question;
* of this checkout without and with an index, with the same ETag;
* of this checkout from disk and from Swift or S3, but for what a source says of its own.

An answer is a dictionary of its parts: the status, each header, and the body as it was before compression. Rows of
MayDiffer say what in a part is no difference. The tables below have what any two such servers differ in.
`same_answers.toml` has what the current change is meant to change, each row with its reason. It empties as changes
land: a row that made no difference go away is told.

An answer of 500, none at all, and a worker that ended are differences too, although both versions may have them.

A subject is a log or a folder with its questions. One thread asks all of a subject in their order, since what a server
learns of a log changes later answers: HEAD has a length once the log was read. Folders are asked after all logs.

`tests/functional/test_same_answers.py` asks a small part in some seconds, of this checkout alone. In place of BASE it
has `same_answers.txt`, digests of answers that are the same on all machines and days: of logs with fixed times, and
without sizes of what a library compressed.
"""

import argparse
import contextlib
import gzip
import hashlib
import http.client
import itertools
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import tomllib
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from tests.faults.leaks import workers
from tests.kit.packing import frame, frames
from tests.servers.client import ask as ask_for
from tests.servers.client import ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import REPOSITORY, poll
from tests.servers.s3 import ENVIRONMENT, S3
from tests.servers.swift import Swift

MAY_DIFFER, DIGESTS = Path(__file__).with_suffix(".toml"), Path(__file__).with_suffix(".txt")
#: Answers whose digests are kept, and the share of the other questions that the tests ask.
MOST_DIGESTS, SHARE = 200, 0.1
#: Threads that ask: they keep two processors busy, also while some wait for Swift.
ASKING = 4
#: How often a question is asked of a server that is busy. It waits some seconds itself before it says so.
MOST_TRIED = 5
#: Differences of one family that are printed, at most.
MOST_SHOWN = 20

#: A failed run of the demo, and one of the same job that passed.
FAILED, PASSED = "57/123457/3/check/smoke/5e0d1a9", "57/123456/2/check/smoke/9b2c7f4"
#: When all logs were written, 2026-03-05, but those of the demo's last week.
WRITTEN = 1_772_700_000
#: What all sources have. Other logs show times without a year, which is guessed from when a source
#: got them.
EVERYWHERE = re.compile(
    r"(57|passed|made|causes/..0\.(failed|passed))(/|$)|samples/(console|screen)"
)
#: The store is called so because an excerpt has a number of bytes, and its links have the name.
SOURCES = ("disk", "swift", "pail")
#: Every so many questions, one is asked of each source too. A Swift takes longer to answer than all else.
EVERY = 7
#: The servers of a version: each is named by the sections that have a directory of their own.
KINDS = ((), ("index",))
KIND_OF_SEEN = ("seen", "index")


class MayDiffer(NamedTuple):
    """What is no difference."""

    reason: str
    #: A regular expression that fits "status", "body", or a header's name.
    part: str
    #: Fits what is no matter in the part.
    pattern: str = r"(?s).+"
    #: Fits the question, as it is printed.
    question: str = ""

    def without(self, part, value):
        is_meant = re.fullmatch(self.part, part)
        return re.sub(self.pattern.encode(), b"", value) if is_meant else value


ALWAYS = [
    MayDiffer(
        "chance decides how far damaged logs are read before a limit ends the answer",
        "body",
        r"\[oslogserve: [^\n]*\]\n|\"notices\": \[.*?\]",
        question=r"/made/\?.*limit=",
    ),
]
OF_VERSIONS = [
    MayDiffer("it has a digest of the code; conditions are asked", "etag", '(?<=").+(?=")'),
    MayDiffer("digests of scripts", "content-security-policy", "( 'sha256-[^']+')+"),
    MayDiffer(
        "digests of scripts and styles",
        "body",
        r"sha256-[\w+/=]+|(?<=\.)[0-9a-f]{12}(?=\.(?:js|css)\b)",
    ),
]
OF_INDEX = [
    MayDiffer("an index knows it of a log that was not read", "content-length", question=" HEAD "),
]
OF_SOURCES = [
    MayDiffer("each source has its own", "etag"),
    MayDiffer("when the log was stored", "last-modified"),
    MayDiffer("caches keep no answer that may break off", "cache-control"),
    MayDiffer(
        "an answer that may break off has none, nor has HEAD of a log that is not at hand",
        "content-length|transfer-encoding",
        question=r"^(?!range +GET .*\?format=(text|raw)&source=\w+ \[Range: bytes=[\d-]+\])",
    ),
    MayDiffer(
        "a source's name",
        "body|link|location",
        r'(?<=source=)(disk|swift|pail)|(?<=[\t>"])(disk|swift|pail)(?=[<"\n])',
    ),
    MayDiffer("a longer name leaves less room", "body", question="^(brief|markdown).*=swift"),
    MayDiffer(
        "it was stored today, so it may grow", "body", r'<div class="newer"[^\0]*?</script>\n'
    ),
    MayDiffer(
        "when something was stored, and stores do not know it of folders",
        "body",
        r'"modified": (null|"[^"]*")|(?<=\t)(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|-)(?=\t)'
        "|<time [^>]*>[^<]*</time>|same-time ",
    ),
    MayDiffer("the order of these times", "body", question="sort=time"),
]


# The logs


def write_logs(root, demo, shared=None):
    """Writes the logs. demo: the folder of the demo's logs. shared: one of real logs, if it is there."""
    shutil.copytree(demo, root)
    for run in (FAILED, PASSED):
        (root / run / "controller/logs/syslog.txt").unlink()  # it shows no year
    services = root / "42/123442/7/check/nova-tox/abc1234/controller/logs"
    with gzip.open(services / "screen-n-cpu.txt.gz") as file:
        large = file.read(5_000_000)  # an index has a block for each 2 MiB
    service = (services / "screen-hostile.txt").read_bytes()
    console = (root / FAILED / "job-output.txt").read_bytes()
    packed = gzip.compress(service, mtime=0)
    made = {
        "job-output.txt": console,
        "large.txt": large,
        "large.txt.gz": gzip.compress(large, mtime=0),
        "large.txt.zst": frames(large, 1_000_000),
        "one-frame.txt.zst": frame(service),
        "members.txt.gz": packed + gzip.compress(console, mtime=0),
        "cut.txt.gz": packed[: len(packed) // 2],
        "cut.txt.zst": frame(service)[:20_000],
        "damaged.txt.gz": packed[:30_000] + b"\xff" * 50 + packed[30_050:],
        "trailing.txt.gz": packed + bytes(512) + b"no gzip",
        "not-packed.txt.gz": console,
        "packed.txt": packed,
        "only-packed.log.gz": gzip.compress(console, mtime=0),
        "windows.txt": console.replace(b"\n", b"\r\n"),
        "unended.txt": console[:5_001],
        "long-line.txt": b"begin\n" + b"0123456789 <&> " * 75_000 + b"\nERROR: end\n",
        "empty.txt": b"",
        "empty.txt.gz": gzip.compress(b"", mtime=0),
        "binary.bin": bytes(range(256)) * 300,
        "report.html": b"<!DOCTYPE html><script>alert(1)</script><p>a report",
        "data.json": b'{"a": [1, 2, 3]}\n',
        "site.txt": b"2026/03/04 18:22:00 <I> a\n2026/03/04 18:22:01 <E> b\n" * 400,
        "a b&<c>'#%41?\xe9.txt": console[:9_000],
        ".hidden.txt": console[:900],
        "sub/index.html": b"<!DOCTYPE html><p>an index of its own",
        "sub/below.txt": console[:9_000],
    }
    for name, content in made.items():
        path = root / "made" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if shared:
        shutil.copytree(shared / "samples", root / "samples", copy_function=shutil.copyfile)
        for path in (shared / "causes/logs").iterdir():
            folder = root / "causes" / path.name.removesuffix(".log.gz")
            folder.mkdir(parents=True)
            shutil.copyfile(path, folder / "console.log.gz")
    for path in root.rglob("*"):
        if re.match("(42|57|passed|made|samples|causes)(/|$)", str(path.relative_to(root))):
            path.chmod(0o755 if path.is_dir() else 0o644)
            os.utime(path, (WRITTEN, WRITTEN))


def upload(root, swift, s3, container="same-answers"):
    """The sections of a configuration with all three sources, once the logs are in all."""
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_file() and EVERYWHERE.match(name):
            swift.put(container, {name: path.read_bytes()})
            s3.put(container, name, path.read_bytes())
    settings = swift.settings(container), s3.settings(container)
    return {"disk": {"root": root}} | dict(zip(("swift", "store pail"), settings, strict=True))


# The questions

#: Of a log: a family, methods, queries ("-" for none), and behind " | " headers. {word} and {minute} are from
#: the middle of the log. {etag} and {modified} are of the server's own answer without that header.
OF_A_LOG = r"""
summary GET format=summary format=summary&level=WARNING format=summary&q={word} format=summary&tail=50
summary GET format=summary&since={minute} format=summary&chapter=PLAY+RECAP
page GET - level=ERROR level=WARNING&context=3 q={word}&limit=40 lines=20-60 tail=30 wrap=no | Accept: text/html
page GET since={minute} show=L3&level=ERROR q=&re=[Ee]rr(or)?s?\b&limit=20 format=chapters | Accept: text/html
page GET chapter=PLAY+RECAP after=100&limit=50 level=INFO&not={word}&limit=60 | Accept: text/html
text GET format=text level=ERROR level=NONE&limit=9 q={word}&context=2&limit=50 re=\d+.(tests|passed|failed)
text GET lines=-5 tail=3 until={minute}&limit=20 not={word}&tail=20 since={minute}&level=INFO&limit=30
jsonl GET format=jsonl&level=WARNING format=jsonl&q={word}&limit=5 format=jsonl&after=10&limit=10
jsonl GET format=jsonl&tail=10 format=jsonl&lines=7-19 format=jsonl&show=L2&level=ERROR
brief GET format=brief format=brief&bytes=500 format=brief&bytes=6000
markdown GET format=markdown&bytes=500 format=markdown&bytes=6000
markdown GET bytes=3000 level=ERROR&limit=3 | Accept: text/markdown
goto GET goto=5 goto=cause goto={minute} goto=99999999 moment=5 | Accept: text/html
raw GET format=raw
plain GET,HEAD,POST -
head HEAD format=text format=raw level=ERROR&format=text format=summary format=brief goto=5
head HEAD - level=ERROR | Accept: text/html
range GET,HEAD format=text level=ERROR | Range: bytes=0-99
range GET format=text | Range: bytes=-200
range GET format=text format=raw | Range: bytes=1000-5000
range GET format=text | Range: bytes=1000-
range GET format=text | Range: bytes=3-7,20-30
range GET,HEAD format=text | Range: bytes=99999999999-
range GET - | Range: bytes=0-20 | Accept-Encoding: gzip
condition GET,HEAD format=text format=raw format=summary format=jsonl&tail=2 | If-None-Match: {etag}
condition GET - level=WARNING | If-None-Match: {etag} | Accept: text/html
condition GET format=text | If-None-Match: W/{etag}, "other"
condition GET,HEAD format=text | If-None-Match: "other"
condition GET,HEAD format=text | If-Modified-Since: {modified}
condition GET format=text | If-Modified-Since: Mon, 02 Jan 2006 15:04:05 GMT
condition GET format=text | Range: bytes=5-9 | If-Range: {etag}
condition GET format=text | Range: bytes=5-9 | If-Range: "other"
condition GET format=text | Range: bytes=5-9 | If-Range: {modified}
encoding GET,HEAD format=text format=raw | Accept-Encoding: gzip
encoding GET format=text | Accept-Encoding: zstd, gzip
encoding GET - level=ERROR | Accept-Encoding: gzip | Accept: text/html
encoding GET format=jsonl&limit=30 | Accept-Encoding: gzip;q=0.5, identity
cors GET format=jsonl&tail=1 | Origin: https://dashboard.example.org
cors GET format=jsonl&tail=1 - | Origin: https://other.example.org
"""
OF_A_FOLDER = r"""
listing GET - format=html format=text sort=name&from=m | Accept: text/html
listing GET,HEAD format=json format=json&sort=time format=text -
overview GET format=overview format=overview&unasked=yes | Accept: text/html
summary GET,HEAD format=summary format=summary&level=ERROR format=summary&logs=*.gz
brief GET format=brief format=brief&bytes=700 format=seen
markdown GET format=markdown format=markdown&bytes=700
markdown GET - | Accept: text/markdown
merged GET order=time&level=WARNING&format=jsonl order=time&q=error&limit=30 order=time&level=ERROR&format=html
merged GET since=2026-03-04T18:25&until=2026-03-04T18:26&format=text since=2013-01-01&limit=20&format=text
lines GET level=ERROR&format=text level=ERROR&limit=7&format=jsonl q=fail&context=1&limit=50&format=html
lines GET q=error&tail=20&format=text logs=*.txt&level=WARNING&after=5&limit=20&format=jsonl in=job&q=error
lines GET level=NONE&limit=12&format=text re=(?i)timed?.?out&format=jsonl
"""
#: Of a log or a folder, with the path of another one.
AGAINST = r"""
against GET format=jsonl&against={other} format=summary&against={other} format=html&against={other}
against GET format=html&new=only&against={other} format=text&new=only&against={other} format=brief&against={other}
"""
#: What is refused, what is no log, and other single addresses.
ODD = r"""
/nothing /nothing?source=swift /made/../../etc/passwd /made/%2e%2e/x /%00 /made/.hidden.txt /robots.txt /favicon.ico
/made/job-output.txt/ /made/job-output.txt/x /made /made/sub /made/sub/ /made/sub/?format=json /made/?format=raw / /?q=
/made/job-output.txt?level=NOTHING /made/job-output.txt?unknown=1 /made/job-output.txt?re=( /?format=json /57/123457/
/made/job-output.txt?lines=9-3 /made/job-output.txt?limit=0 /made/job-output.txt?source=nowhere /passed/smoke /passed/
/made/job-output.txt?q=a&q=b&not=c /made/job-output.txt?limit=1&limit=2 /made/job-output.txt?chapter=none
/made/job-output.txt?against=nothing&format=jsonl /made/job-output.txt?utm_a=1&tail=2 /made/job-output.txt?since=yesterday
/made/job-output.txt?bytes=3&format=brief /made/job-output.txt?show=L1-L9 /made/job-output.txt?source=disk&tail=2
/made/job-output.txt?content-type=text/plain&tail=2 /made/only-packed.log?tail=2 /made/only-packed.log?format=raw
/made/?moment=job-output.txt:30&format=text /made/?moment=job-output.txt:30&format=html /made/?moment=none:3
/made/?against=@smoke&format=jsonl&level=ERROR /_oslogserve/ /_oslogserve/seen /_oslogserve/log.js /healthz /readyz
"""
OF_ALL_CAUSES = r"""
all GET format=summary&level=ERROR q=Traceback&limit=50&format=jsonl order=time&level=ERROR&format=text
"""


class Question(NamedTuple):
    family: str
    method: str
    path: str
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def url(self):
        return f"{self.path}?{self.query}" if self.query else self.path

    def __str__(self):
        return f"{self.family:9} {self.method:4} {self.url}" + "".join(
            f" [{name}: {value}]" for name, value in self.headers
        )

    def of_source(self, source):
        return self._replace(query=f"{self.query}&source={source}".lstrip("&"))


class Subject(NamedTuple):
    """What one thread asks."""

    questions: list[Question]
    is_folder: bool = False
    #: Stored bytes of the log.
    weight: int = 0
    #: The first of the questions that are asked of each source too; EVERY for none.
    turn: int = EVERY


def questions_of(table, name, values=()):
    """The questions of a table about a log or a folder."""
    for line in table.strip().splitlines():
        words, *headers = line.split(" | ")
        family, methods, *queries = words.split()
        for query in queries:
            for value, text in dict(values).items():
                query = query.replace(value, text)
            query = quote(query.removeprefix("-"), safe="&=:/@*,+")
            for method in methods.split(","):
                pairs = tuple(tuple(header.split(": ", 1)) for header in headers)
                yield Question(family, method, "/" + quote(name), query, pairs)


def subjects_of(root):
    """(subjects of logs, subjects of folders) of what write_logs() wrote."""
    logs, folders = [], [Subject(odd(), is_folder=True)]
    if (root / "causes").exists():
        folders.append(Subject(list(questions_of(OF_ALL_CAUSES, "causes/")), is_folder=True))
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    asked = [name for name in names if re.match("(42|57|made|samples|causes)/|made$", name)]
    for number, name in enumerate(asked):
        path = root / name
        is_folder = path.is_dir()
        slash = "/" * is_folder
        weight = 0 if is_folder else path.stat().st_size
        values = {} if is_folder else found_in(path.read_bytes())
        questions = list(questions_of(OF_A_FOLDER if is_folder else OF_A_LOG, name + slash, values))
        # Each of many that are alike, and of large ones, is asked a part.
        share = 10 if name.startswith("causes") else 1 + (weight > 1_000_000)
        questions = questions[: not is_folder] + questions[1 + number % share :: share]
        other = name.replace(".failed", ".passed").replace(FAILED, PASSED)
        if other != name:
            is_there = (root / other).exists()
            of_other = {"{other}": other if is_there else "@smoke"}
            if is_there or name.startswith("57"):
                questions += questions_of(AGAINST, name + slash, of_other)
        turn = number % EVERY if EVERYWHERE.match(name) else EVERY
        (folders if is_folder else logs).append(Subject(questions, is_folder, weight, turn))
    return logs, folders


def found_in(content):
    """A word and a minute from the middle of a log."""
    text = content
    if content.startswith(b"\x1f\x8b"):
        with contextlib.suppress(zlib.error):
            text = zlib.decompressobj(31).decompress(content, 2_000_000)
    middle = text[len(text) // 2 :]
    word = re.search(rb"[a-z]{5,12}", middle) or [b"nothing"]
    minute = re.search(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", middle) or [b"2026-03-04T18:25"]
    return {"{word}": word[0].decode(), "{minute}": minute[0].decode().replace(" ", "T")}


def odd():
    found = []
    for url in (*ODD.split(), "/made/job-output.txt?q=" + "x" * 4200):
        path, _, query = url.partition("?")
        found += [Question("odd", method, path, query) for method in ("GET", "HEAD", "PUT")]
        found.append(Question("odd", "GET", path, query, (("Accept", "text/html"),)))
    origin = ("Origin", "https://dashboard.example.org")
    preflight = (origin, ("Access-Control-Request-Method", "GET"))
    return [*found, Question("cors", "OPTIONS", "/made/job-output.txt", "", preflight)]


def of_seen(root):
    """Questions of what runs failed for: each run whose page was asked counts in the next answers."""
    runs = sorted(
        {path.parent.relative_to(root) for path in root.glob("*/*/*/*/*/*/job-output.txt")}
    )
    table = "seen GET format=overview - | Accept: text/html\nseen GET format=seen"
    pages = [question for run in runs for question in questions_of(table, f"{run}/")]
    lists = list(questions_of("seen GET - days=1 job=unit format=html days=x", "_oslogserve/seen"))
    return Subject([*pages, *lists, *pages])


def part_of(groups, is_asked):
    """The questions that are asked, and those that make indexes."""
    return [
        [
            subject._replace(
                questions=[
                    question
                    for number, question in enumerate(subject.questions)
                    if is_asked(question) or (number == 0 and not subject.is_folder)
                ]
            )
            for subject in group
            if any(map(is_asked, subject.questions))
        ]
        for group in groups
    ]


def small_part(root):
    """(some subjects, questions of digests): what is asked in seconds, always the same."""
    groups = [
        [
            subject
            for subject in group
            if subject.weight < 2_000_000 and not subject.questions[0].path.startswith("/42")
        ]
        for group in subjects_of(root)
    ]
    stable = {
        question
        for group in groups
        for subject in group
        for question in subject.questions
        if is_stable(question)
    }
    chosen = set(sorted(stable, key=drawn)[:MOST_DIGESTS])
    return part_of(groups, lambda one: one in chosen or drawn(one) < SHARE), chosen


def is_stable(question):
    """True if the answer is the same on all machines: nothing of it is from a library's compression."""
    if not re.match("/(57|made)/.", question.path) or re.search("cut|damaged|large", question.path):
        return False
    of_text = ("text", "jsonl", "summary", "brief", "markdown", "goto", "range")
    return question.family in of_text or not re.search("gz|zst|packed", question.path)


def drawn(question):
    """From 0 to 1, the same for a question each time."""
    return int.from_bytes(hashlib.sha256(str(question).encode()).digest()[:4]) / 2**32


# The servers


def configuration(sections, options):
    """A configuration's text. options: of one version alone, as in same_answers.toml."""
    own = {
        "serve": {"page_size": "300000", "cors_origins": "https://dashboard.example.org"},
        "job": {"passed": "[^/]+/[^/]+/[^/]+/[^/]+/(?P<name>[^/]+)/[0-9a-f]{7}"},
        "known": {"rules": REPOSITORY / "etc/known"},
        "noise all": {"pattern": "oslo.messaging._drivers"},
        "view odd": {"pattern": r"/unended\.txt$", "view": "raw"},
        "format site": {
            "pattern": r"(?P<time>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) <(?P<severity>[A-Z])>",
            "words": "E:ERROR I:INFO",
        },
    }
    merged = sections | own
    for section, values in options.items():
        values = merged.get(section, {}) | values
        merged[section] = {key: value for key, value in values.items() if value is not False}
    return ini(merged)


@contextlib.contextmanager
def servers(sections, kinds=KINDS, options=None, scripts=None):
    """A version's servers, one of each kind. scripts: the folder of its commands, if it is not this one."""
    with contextlib.ExitStack() as stack:
        env = ENVIRONMENT | {"CACHE_DIRECTORY": ""}
        found = []
        for kind in kinds:
            own = {name: {"directory": stack.enter_context(TemporaryDirectory())} for name in kind}
            text = configuration(sections | own, options or {})
            server = stack.enter_context(Gunicorn(text, env=env, scripts=scripts))
            found.append(Asked(server))
        yield found


class Asked:
    """A server, to which each thread has a connection."""

    def __init__(self, server):
        self._server = server
        self._workers = poll(lambda: workers(server), lambda: AssertionError("no worker"), 60)
        self._place = urlsplit(server.url).netloc
        self._of_thread = threading.local()

    def has_lost_a_worker(self):
        """True if one ended meanwhile. A question is asked again where a connection was closed."""
        return self._workers != workers(self._server)

    def uses_of_indexes(self):
        """How many logs were read by their index."""
        text = ask_for(self._server, "/metrics").body.decode()
        return float(
            re.search(r"^oslogserve_indexes_used_total ([0-9.e+]+)$", text, re.MULTILINE)[1]
        )

    def answer(self, question):
        """The parts of its answer."""
        headers = dict(question.headers)
        if any("{" in value for value in headers.values()):
            plain = {name: value for name, value in headers.items() if name.startswith("Accept")}
            own = self._exchange(question, plain)
            etag = own.get("etag", b"none").decode().removeprefix("W/")
            modified = own.get("last-modified", b"none").decode()
            headers = {
                name: value.format(etag=etag, modified=modified) for name, value in headers.items()
            }
        return self._exchange(question, headers)

    def _exchange(self, question, headers):
        for number in range(MOST_TRIED):
            try:
                parts = self._parts(*self._sent(question, headers))
            except (OSError, http.client.HTTPException) as error:
                self.close()
                parts = {"status": f"no answer: {type(error).__name__}".encode(), "body": b""}
                if number:  # at first, the server may have closed an idle connection
                    break
            else:
                if parts["status"] != b"503":
                    break
                time.sleep(1)  # it is busy
        return parts

    def _sent(self, question, headers):
        connection = getattr(self._of_thread, "connection", None)
        if connection is None:
            connection = http.client.HTTPConnection(self._place, timeout=120)
            self._of_thread.connection = connection
        connection.putrequest(question.method, question.url, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        try:
            return response, response.read(), b""
        except http.client.IncompleteRead as error:
            self.close()
            return response, error.partial, b"it broke off"

    def _parts(self, response, body, ending):
        parts = {"status": str(response.status).encode(), "ending": ending}
        for name in {name.lower() for name in response.headers} - {"date", "server-timing"}:
            parts[name] = ", ".join(response.headers.get_all(name)).encode("latin-1")
        if parts.get("content-encoding") == b"gzip":
            body = unpacked(body)
            parts.pop("content-length", None)  # of what a library compressed
        return parts | {"body": body}

    def close(self):
        """Closes this thread's connection."""
        if connection := getattr(self._of_thread, "connection", None):
            connection.close()
            self._of_thread.connection = None


def unpacked(body):
    """The text of all gzip members, up to the end or what is wrong."""
    text = b""
    while body:
        member = zlib.decompressobj(31)
        try:
            text += member.decompress(body) + member.flush()
        except zlib.error as error:
            return text + f"[{error}]".encode()
        if not member.eof:
            return text + b"[a member that is cut]"
        body = member.unused_data
    return text


# Asking and comparing


class Comparison:
    """Counts answers and collects differences. For many threads."""

    def __init__(self, allowed=()):
        self.answers = self.pardoned = 0
        #: Pairs of a family and two lines.
        self.differences = []
        self._allowed = list(allowed)
        self._used = set()
        self._lock = threading.Lock()

    def compare(self, question, what, first, second, masks):
        """Notes where two answers to a question differ. what: whose they are."""
        if first == second:
            return
        for part in sorted(first.keys() | second.keys()):
            one, other = first.get(part, b""), second.get(part, b"")
            if one == other:  # most bodies: to mask one takes longer than to ask for it
                continue
            for mask in meant([*ALWAYS, *masks], question):
                one, other = mask.without(part, one), mask.without(part, other)
            if one == other:
                continue
            used = set()
            for row in meant(self._allowed, question):
                pair = row.without(part, one), row.without(part, other)
                used |= {row} if pair != (one, other) else set()
                one, other = pair
            with self._lock:
                if one == other:
                    self.pardoned += 1
                    self._used |= used
                else:
                    shown = f"{what}: {part}{excerpt(one, other)}"
                    self.note(question.family, f"{question}\n    {shown}")

    def count(self, question, answers):
        """Counts answers of this checkout to a question, and notes those that are no good."""
        with self._lock:
            self.answers += len(answers)
            for status in [one["status"] for one in answers if is_failure(one["status"])]:
                self.note(question.family, f"{question}\n    now: status: {status.decode()}")

    def note(self, family, line):
        self.differences.append((family, line))

    def report(self):
        """Lines for a reader."""
        for family, found in itertools.groupby(sorted(self.differences), key=lambda one: one[0]):
            lines = [line for _, line in found]
            shown = lines[:: -(-len(lines) // MOST_SHOWN)]
            yield from shown
            yield f"{family}: {len(lines)} differences, of these {len(shown)} shown\n"
        for row in self._allowed:
            if row not in self._used:
                yield f"Of no use in {MAY_DIFFER.name}: {row.reason}"
        differences = len(self.differences)
        yield f"{self.answers} answers, {differences} differences, {self.pardoned} allowed"


def is_failure(status):
    return status == b"500" or status.startswith(b"no answer")


def meant(rows, question):
    return [row for row in rows if not row.question or re.search(row.question, str(question))]


def excerpt(one, other):
    """What two texts have in the first line in which they differ, around that place."""
    if b"\n" not in one + other:
        return f": {one!r} / {other!r}"
    pairs = enumerate(zip(one + b"\0", other + b"\0", strict=False))
    at = next((at for at, (first, second) in pairs if first != second), 0)
    begin = max(one.rfind(b"\n", 0, at) + 1, at - 40)
    line = one.count(b"\n", 0, at) + 1
    return f", line {line}: {one[begin : at + 50]!r} / {other[begin : at + 50]!r}"


def ask_all(groups, versions, comparison, answers=None):
    """Asks all questions: those of a group before the next one's.

    versions: the servers of each; the last one is this checkout. answers: takes its answers, by question.
    """
    for group in groups:
        # Those that take longest come first, so that all threads end together.
        subjects = sorted(group, key=lambda subject: -subject.weight)
        with ThreadPoolExecutor(ASKING) as threads:
            done = threads.map(lambda one: ask(one, versions, comparison, answers), subjects)
            list(done)  # raises what was raised
    for number, server in enumerate(itertools.chain(*versions)):
        if server.has_lost_a_worker():
            comparison.note("workers", f"a worker of server {number} ended")


def ask(subject, versions, comparison, answers=None):
    *before, now = versions
    for number, question in enumerate(subject.questions):
        of_sources = []
        if number % EVERY == subject.turn and "source=" not in question.query:
            of_sources = [question.of_source(source) for source in SOURCES]
        elif subject.is_folder and question.family != "odd":
            question = question.of_source("disk")  # all sources would be listed
        from_disk = None
        for asked in (question, *of_sources):
            mine = [server.answer(asked) for server in now]
            comparison.count(asked, mine)
            for version in before:
                for kind, server, answer in zip(("without", "with"), version, mine, strict=False):
                    what = f"before / now, {kind} an index"
                    comparison.compare(asked, what, server.answer(asked), answer, OF_VERSIONS)
            for other in mine[1:]:
                comparison.compare(asked, "without / with an index", mine[0], other, OF_INDEX)
            if from_disk:
                comparison.compare(asked, "disk / this source", from_disk, mine[0], OF_SOURCES)
            if asked in of_sources[:1]:
                from_disk = mine[0]
            if answers is not None and asked == question:
                answers[subject.questions[number]] = mine[0]
    for server in itertools.chain(*versions):
        server.close()


def digests(root, now, comparison):
    """Lines of same_answers.txt: digests of the answers of `now`, and the questions."""
    groups, chosen = small_part(root)
    answers = {}
    ask_all(groups, [now], comparison, answers)
    return [f"{digest(answers[question])} {question}\n" for question in sorted(chosen)]


def digest(parts):
    for mask in OF_VERSIONS:
        parts = {part: mask.without(part, value) for part, value in parts.items()}
    return hashlib.sha256(repr(sorted(parts.items())).encode()).hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser(prog="tools/same-answers")
    parser.add_argument("before", nargs="?", type=Path, help="folder of the commands of BASE")
    parser.add_argument("--only", default="", help="regular expression of the questions")
    parser.add_argument("--renew", action="store_true", help="write the digests anew")
    shared = REPOSITORY.parent / "shared"
    parser.add_argument("--shared", type=Path, default=shared, help="folder of real logs")
    options = parser.parse_args()
    began = time.monotonic()
    table = tomllib.loads(MAY_DIFFER.read_text())
    comparison = Comparison(MayDiffer(**row) for row in table.get("may_differ", []))
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="same-answers-")))
        command = [Path(sys.executable).parent / "oslogserve", "demo", folder / "demo"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        is_real = options.shared.is_dir() and not options.renew
        write_logs(folder / "logs", folder / "demo", options.shared if is_real else None)
        swift, s3 = stack.enter_context(Swift()), stack.enter_context(S3())
        sections = upload(folder / "logs", swift, s3)
        if options.renew:
            now = stack.enter_context(servers(sections, options=table.get("now")))
            DIGESTS.write_text("".join(digests(folder / "logs", now, comparison)))
        else:
            versions = [
                stack.enter_context(servers(sections, (*KINDS, KIND_OF_SEEN), more, scripts))
                for more, scripts in (
                    (table.get("before"), options.before),
                    (table.get("now"), None),
                )
            ]
            groups = [*subjects_of(folder / "logs"), [of_seen(folder / "logs")]]
            *groups, runs = part_of(groups, lambda one: re.search(options.only, str(one)))
            if not any(subject.questions for group in (*groups, runs) for subject in group):
                parser.error(f"--only {options.only}: it fits no question")
            ask_all(groups, [version[:2] for version in versions], comparison)
            ask_all([runs], [version[2:] for version in versions], comparison)
    print("\n".join(comparison.report()), f"in {time.monotonic() - began:.0f} s")
    sys.exit(1 if comparison.differences else 0)


if __name__ == "__main__":
    main()
