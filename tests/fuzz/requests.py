# SPDX-License-Identifier: Apache-2.0
"""Requests over a raw socket, valid and mutated, to gunicorn with the settings that we ship."""

import gzip
import os
import random
import re
import socket
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes, urlencode

from tests.faults.leaks import leaked, open_descriptors, workers
from tests.fuzz import grammar
from tests.fuzz.fuzzer import Fuzzer
from tests.kit.mutated import LINES, mutated
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import HOST, poll

#: Seconds until a request that the server still waits for is ended by the client, until one that has
#: no end is, and until an answer is late.
IDLE = 0.5
NOT_AT_ALL = 0.01
LATE = 30
#: gunicorn starts its threads one by one, as it needs them. What leaks, leaks more often.
THREADS = 16
SECRET = b"the key of another service"
LOG = b"\n".join(line.replace(b"\n", b" ") for line in LINES[:400]) + b"\n"
#: Texts of what is served, by their paths.
LOGS = {
    b"/a.txt": LOG,
    b"/sub/b.txt": LOG,
    b"/sub/b.txt.gz": LOG,
    b"/members.txt": LOG,
    b"/empty.txt": b"",
    "/ä ö.txt".encode(): b"\xff\0\x1b[1m\r\nno end",
}
_METHODS = (b"GET", b"GET", b"GET", b"GET", b"HEAD", b"HEAD", b"POST", b"OPTIONS", b"TRACE", b"PUT")
_TARGETS = (
    *(quote(path).encode() for path in LOGS),
    *(quote(path).encode() for path in LOGS),
    *(b"/", b"/sub/", b"/sub", b"/cut.txt", b"/page.html", b"/data.bin", b"/none", b"/.env"),
    b"/link",
    *(b"/healthz", b"/readyz", b"/metrics", b"/_oslogserve/log.css", b"http://logs/a.txt", b"*"),
    *(b"/closed.txt", b"/folder.txt", b"/early.txt", b"/late.txt", b"//a.txt", b"/a.txt/"),
    b"/fifo",
)
_RANGES = (
    *(b"bytes=0-99", b"bytes=-1", b"bytes=5-", b"bytes=0-0", b"bytes=-0", b"bytes=-"),
    b"bytes=1--2",
    *(b"bytes=0-1,3-4", b"bytes=99999999999-", b"bytes=9-3", b"items=0-1", b"BYTES=1-2"),
    b"bytes= 1-2",
    *(b"bytes=%d-%d" % (n * 997, n * 1999) for n in range(9)),
)
_DATES = (
    *(b"Wed, 04 Mar 2026 18:22:11 GMT", b"Sunday, 06-Nov-94 08:49:37 GMT", b"yesterday", b""),
    *(
        b"Fri, 31 Dec 9999 23:59:59 GMT",
        b"Thu, 01 Jan 0000 00:00:00 GMT",
        b"Wed, 04 Mar 99999 1:1:1 +9",
    ),
)
_TAGS = (b"*", b'"x"', b'W/"x"', b'"', b'"a", W/"b"', b'""', b"x", b'"\xff"', b'W/W/""')
_HEADERS = {
    b"Range": _RANGES,
    b"If-Range": _DATES + _TAGS,
    b"If-None-Match": _TAGS,
    b"If-Modified-Since": _DATES,
    b"If-Unmodified-Since": _DATES,
    b"Accept": (
        *(b"text/html", b"text/*;q=x", b"*/*", b"text/html;q=0,*/*", b",", b'text/html;a="b'),
        b"",
    ),
    b"Accept-Encoding": (
        *(b"gzip", b"gzip;q=0", b"*", b"identity;q=0", b"gzip;q=2", b"br, gzip", b""),
    ),
    b"Content-Length": (b"0", b"5", b"-1", b"1x", b"0, 0", b"9" * 30),
    b"Transfer-Encoding": (b"chunked", b"identity", b"gzip, chunked", b"chunked, chunked", b"x"),
    b"Connection": (b"close", b"keep-alive", b"upgrade", b"x"),
    b"Expect": (b"100-continue", b"x"),
    b"Upgrade": (b"h2c", b"websocket"),
    b"Host": (b"logs", b"", b"a b", b"[::1", b"logs:x"),
    b"X-Forwarded-For": (b"127.0.0.1", b"::1, x", b"unknown"),
    b"X-Forwarded-Proto": (b"https", b"x"),
    b"Script-Name": (b"/elsewhere",),
    b"Script_Name": (b"/elsewhere",),
    b"Path-Info": (b"/etc/passwd",),
    b"Cookie": (b"a=b", b"\xff"),
    b"X-" + b"a" * 300: (b"b",),
}
_TOKENS = (
    *(b"\r\n", b"\n", b"\r", b" ", b"\t", b"\0", b": ", b"HTTP/1.1", b"HTTP/2.0", b"HTTP/0.9"),
    b"\r\n\r\n",
    *(b"%00", b"%0d%0aX-Injected:%20yes", b"%2e%2e%2f", b"../", b"?", b"#", b"&", b"level=ERROR"),
    b"\xff",
    *(b"<script>alert(1)</script>", b"%3Cscript%3Ealert(1)%3C/script%3E", b"\r\n ", b"GET "),
    b"PRI * ",
    *(
        b"bytes=",
        b"%",
        b"%c3%28",
        b"a" * 9000,
        b"\r\nRange: bytes=3-9",
        b"\r\n\r\nGET /a.txt HTTP/1.1\r\n\r\n",
    ),
)
#: gunicorn answers in the version that was asked for.
_STATUS = re.compile(rb"HTTP/1\.\d (\d{3}) [\x20-\x7e]*")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\x80-\xff\t]*)")
_CONTENT_RANGE = re.compile(rb"bytes (\d+)-(\d+)/(\d+)")
#: Requests whose answer is known: a request line, fields, an empty line and nothing else.
_PLAIN = re.compile(rb"(GET|HEAD) (/[\x21-\x7e]*) HTTP/1\.1\r\n(?:[\w-]+:[\x20-\x7e]*\r\n)*\r\n")
_TEXT = b"text/plain; charset=utf-8"


class Malformed(Exception):
    """An answer that is no HTTP."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[bytes, bytes]
    #: As it was sent, without the chunks of its framing.
    body: bytes


@dataclass(frozen=True)
class Case:
    request: bytes


class Requests(Fuzzer):
    name = "requests"
    shortens = ("request",)
    imports = "from tests.fuzz.requests import Case, Requests\n"

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="oslogserve-fuzz-")
        config = f"[disk]\nroot = {_tree(Path(self._folder.name))}\n"
        self._server = Gunicorn(config, shipped_config=True)
        self._server.__enter__()
        self._logged = 0
        poll(lambda: workers(self._server), lambda: AssertionError("no worker"), 20)
        self._warm_up()
        (self._worker,) = workers(self._server)
        before = open_descriptors(self._worker)
        self._before = before._replace(threads=before.threads + THREADS)
        return self

    def __exit__(self, *exc_info):
        self._server.close()
        self._folder.cleanup()

    def _warm_up(self):
        """Starts what the server starts once."""
        for target in _TARGETS:
            for fields in (b"", b"Accept: text/html\r\n", b"Accept-Encoding: gzip\r\n"):
                self._exchanged(b"GET " + target + b" HTTP/1.1\r\nHost: a\r\n" + fields + b"\r\n")

    def case_of(self, number):
        chance = random.Random(number)
        fields = b"".join(
            b"%b: %b\r\n" % (name, chance.choice(_HEADERS[name]))
            for name in chance.sample(list(_HEADERS), chance.choice((0, 0, 1, 1, 2, 3, 5)))
        )
        version = chance.choice((b"1.1",) * 9 + (b"1.0", b"0.9", b"2.0"))
        target = chance.choice(_TARGETS) + _query(chance)
        method = chance.choice(_METHODS)
        request = (
            method + b" " + target + b" HTTP/" + version + b"\r\nHost: logs\r\n" + fields + b"\r\n"
        )
        if chance.random() < 0.5:
            request = mutated(request, chance, _TOKENS, chance.choice((30, 10**6)))
        return Case(request)

    def fault(self, case):
        try:
            received = self._exchanged(case.request)
            answer = _answer(received, case.request)
        except (Malformed, OSError) as error:
            return f"{type(error).__name__}: {error}"
        if logged := self._new_in_log():
            return f"the server's log has {logged}"
        if workers(self._server) != [self._worker]:
            return f"the worker died: {self._server.process.tail()}"
        return _fault_of(answer, case.request) if answer else ""

    def fault_at_end(self):
        return leaked(self._worker, self._before)

    def _exchanged(self, request):
        """All that comes back until the server closes."""
        with socket.create_connection((HOST, self._server.port), LATE) as connection:
            connection.settimeout(IDLE if b"\r\n\r\n" in request else NOT_AT_ALL)
            received = b""
            is_open = True
            try:
                connection.sendall(request)
            except OSError:  # it was refused before its end
                is_open = False
            while True:
                try:
                    piece = connection.recv(2**20)
                except TimeoutError:
                    if not is_open:
                        raise
                    is_open = False
                    connection.shutdown(socket.SHUT_WR)
                    connection.settimeout(LATE)
                    continue
                except ConnectionResetError:  # it closed with some of the request unread
                    return received
                received += piece
                if not piece:
                    return received
                if is_open and _is_all(received, request):
                    is_open = False
                    connection.shutdown(socket.SHUT_WR)
                    connection.settimeout(LATE)

    def _new_in_log(self):
        """The lines of a failure in the server's log since the last look."""
        size = self._server.log.stat().st_size
        if size == self._logged:
            return ""
        with self._server.log.open("rb") as log:
            log.seek(self._logged)
            text = log.read().decode("utf-8", "replace")
        self._logged = size
        return text if re.search(r"Traceback|panicked|\[ERROR\]|\[CRITICAL\]", text) else ""


def _tree(folder):
    root = folder / "logs"
    (root / "sub").mkdir(parents=True)
    (folder / "secret.txt").write_bytes(SECRET)
    packed = gzip.compress(LOG, mtime=0)
    members = b"".join(gzip.compress(line, mtime=0) for line in LOG.splitlines(keepends=True))
    files = {
        "a.txt": LOG,
        "sub/b.txt.gz": packed,
        "members.txt.gz": members,
        "cut.txt.gz": packed[: len(packed) // 2],
        "empty.txt": b"",
        "ä ö.txt": LOGS["/ä ö.txt".encode()],
        "page.html": b"<script>alert(document.cookie)</script>",
        "data.bin": bytes(range(256)) * 9,
        ".env": SECRET,
        "early.txt": b"Sep 27 18:22:11 a b[1]: ERROR c\n",
        "late.txt": b"Sep 27 18:22:11 a b[1]: ERROR c\n",
    }
    for name, content in files.items():
        (root / name).write_bytes(content)
    os.utime(root / "early.txt", (0, -(2**31)))
    os.utime(root / "late.txt", (0, 2**33))
    (root / "folder.txt").mkdir()
    (root / "link").symlink_to("../secret.txt")
    os.mkfifo(root / "fifo")
    return root


def _query(chance):
    if chance.random() < 0.4:
        return b""
    pairs = grammar.parameters(chance)
    if chance.random() < 0.5:
        pairs = (("format", chance.choice(("text", "raw", "html", "jsonl", "summary"))),)
    return b"?" + urlencode(pairs).encode()


def _is_all(received, request):
    """True if a whole answer came."""
    try:
        return _answer(received, request) is not None
    except Malformed:
        return False


def _answer(received, request):
    """The first answer; None where nothing came. Raises Malformed.

    Of a request behind it nobody knows the method, so nor whether its answer has a body.
    """
    method = request.lstrip(b"\r\n").partition(b" ")[0]
    status, rest = 100, received
    while received and status == 100:
        head, blank, rest = rest.partition(b"\r\n\r\n")
        if not blank:
            raise Malformed(f"no end of the headers: {received[:300]!r}")
        status, headers = _head(head)
    if not received:
        return None
    body, rest = _body(status, headers, rest, method)
    if rest and not _STATUS.match(rest):
        raise Malformed(f"behind an answer stands {rest[:300]!r}")
    return Answer(status, headers, body)


def _head(head):
    line, *fields = head.split(b"\r\n")
    status = _STATUS.fullmatch(line)
    if not status:
        raise Malformed(f"status line {line!r}")
    headers = {}
    for field in fields:
        found = _FIELD.fullmatch(field)
        if not found:
            raise Malformed(f"field {field!r}")
        name, value = found[1].lower(), found[2].strip()
        if name in headers:
            raise Malformed(f"two fields {name!r}")
        headers[name] = value
    return int(status[1]), headers


def _body(status, headers, rest, method):
    """(body, what stands behind it)"""
    if b"content-length" in headers and b"transfer-encoding" in headers:
        raise Malformed("a length and chunks")
    # gunicorn refuses what it cannot parse with a body, whatever the method, and closes.
    is_refused = status >= 400 and headers.get(b"connection") == b"close" and rest
    if (method == b"HEAD" and not is_refused) or status in (204, 304):
        return b"", rest
    if headers.get(b"transfer-encoding") == b"chunked":
        return _unchunked(rest)
    if b"content-length" not in headers:
        return rest, b""
    if not headers[b"content-length"].isdigit():
        raise Malformed(f"Content-Length: {headers[b'content-length']!r}")
    size = int(headers[b"content-length"])
    if len(rest) < size:
        raise Malformed(f"{len(rest)} bytes of {size}")
    return rest[:size], rest[size:]


def _unchunked(rest):
    body = []
    while True:
        line, ended, rest = rest.partition(b"\r\n")
        if not ended or not re.fullmatch(rb"[0-9a-fA-F]{1,8}", line):
            raise Malformed(f"size of a chunk: {line[:40]!r}")
        size = int(line, 16)
        if rest[size : size + 2] != b"\r\n":
            raise Malformed(f"a chunk of {size} bytes ends otherwise")
        body.append(rest[:size])
        rest = rest[size + 2 :]
        if not size:
            return b"".join(body), rest


def _fault_of(answer, request):
    """What is wrong with a well-formed answer."""
    if answer.status >= 500 and answer.status not in (501, 505):
        return f"status {answer.status}: {answer.body[:300]!r}"
    if SECRET in answer.body or b"root:x:" in answer.body:
        return "it leads out"
    if b"x-injected" in answer.headers:
        return "a header of the client's"
    is_page = answer.headers.get(b"content-type", b"").startswith(b"text/html")
    is_ours = b"sandbox" not in answer.headers.get(b"content-security-policy", b"")
    if is_page and is_ours and b"<script>alert" in answer.body:
        return "a script of the client's"
    return _fault_of_text(answer, request)


def _fault_of_text(answer, request):
    """The body of a log's text is the log's."""
    plain = _PLAIN.fullmatch(request)
    if not plain or plain[1] == b"HEAD" or answer.status not in (200, 206):
        return ""
    path, _, query = plain[2].partition(b"#")[0].partition(b"?")
    text = LOGS.get(unquote_to_bytes(path))
    if (
        text is None
        or query not in (b"", b"format=text")
        or answer.headers[b"content-type"] != _TEXT
    ):
        return ""
    body = answer.body
    if answer.headers.get(b"content-encoding") == b"gzip":
        body = zlib.decompressobj(31).decompress(body)
    if answer.status == 206:
        found = _CONTENT_RANGE.fullmatch(answer.headers.get(b"content-range", b""))
        if not found or int(found[3]) != len(text):
            return f"206 with {answer.headers}"
        text = text[int(found[1]) : int(found[2]) + 1]
    return "" if body == text else f"{len(body)} bytes that are not the log's {len(text)}"
