# SPDX-License-Identifier: Apache-2.0
"""The cache in etc/apache: what it sends without a rendering, and what it must not keep."""

import contextlib
import functools
import gzip
import hashlib
import os
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.servers.apache import PROXY, Apache, public_folder
from tests.servers.client import ask, ini, metric
from tests.servers.faulty import CONTAINER, Faulty, reply
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import poll

LINE = b"2026-03-04 18:22:11.000 1 INFO nova.compute [-] A line like any other\n"
#: More than Apache's own limit for what is kept, and no answer of known length.
LOG = LINE * 20_000 + LINE.replace(b"INFO", b"ERROR")
MEGABYTE = 1024 * 1024
#: More than what is on its way to who reads no more.
LARGE = LINE * (32 * MEGABYTE // len(LINE))
FIREFOX = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
CHROMIUM = "text/html,application/xhtml+xml,image/avif,*/*;q=0.8,application/signed-exchange;v=b3"
BROWSER = {"Accept": FIREFOX, "Accept_Encoding": "gzip, deflate, br, zstd"}


@contextlib.contextmanager
def behind_mod_wsgi(logs, settings):
    with Apache(logs, ini(settings), cache=True) as apache:
        yield apache


@contextlib.contextmanager
def behind_a_proxy(logs, settings):
    with (
        Gunicorn(ini(settings), workers=2) as gunicorn,
        Apache(
            logs, "", vhost=PROXY, cache=True, defines={"OSLOGSERVE_BACKEND": gunicorn.url}
        ) as apache,
    ):
        yield apache


BEHIND = [behind_mod_wsgi, pytest.param(behind_a_proxy, marks=pytest.mark.long)]


@pytest.fixture(scope="module")
def logs():
    with public_folder() as folder:
        yield folder


@pytest.fixture(scope="module", params=BEHIND)
def server(request, logs):
    with request.param(logs, {"disk": {"root": logs}}) as apache:
        yield apache


@pytest.fixture
def log(request, logs):
    """A log of this test alone, and its address."""
    path = logs / f"{abs(hash(request.node.name))}.txt"
    path.write_bytes(LOG)
    return path


def answered(server):
    """How many logs the application sent, and of how many it said that they are the same."""
    sent = sum(
        metric(
            server,
            "oslogserve_response_seconds_count",
            source="disk",
            view=view,
            ending="complete",
        )
        for view in ("html", "text")
    )
    return sent, metric(server, "oslogserve_responses_total", status="304")


@contextlib.contextmanager
def counting(server, rendered, asked):
    """The application counts an answer after its last byte, which the client may have already."""
    before = answered(server)

    def since():
        return tuple(now - then for now, then in zip(answered(server), before, strict=True))

    yield
    with contextlib.suppress(TimeoutError):
        poll(lambda: since() == (rendered, asked), TimeoutError, 20)
    assert since() == (rendered, asked)


def kept(server):
    """Waits until Apache has stored what its client has already."""
    poll(
        lambda: not any(path.is_file() for path in (server.cache_dir / "lock").rglob("*")),
        lambda: AssertionError(server.error_log()),
        20,
    )


@pytest.mark.parametrize("query", ["", "?level=ERROR", "?limit=30000&format=html"])
@pytest.mark.parametrize(
    "headers", [BROWSER, {"Accept": FIREFOX}, {}], ids=["gzip", "html", "text"]
)
def test_the_next_reader_gets_the_same_bytes_without_a_rendering(server, log, query, headers):
    with counting(server, rendered=1, asked=2):
        first = ask(server, f"/{log.name}{query}", **headers)
        kept(server)
        second, third = (ask(server, f"/{log.name}{query}", **headers) for _ in range(2))
    assert first.status == 200
    for answer in (second, third):
        assert answer.body == first.body
        for name in ("ETag", "Content-Type", "Content-Encoding", "Content-Security-Policy"):
            assert answer.headers[name] == first.headers[name]


def test_browsers_share_a_page_and_others_do_not_get_it(server, log):
    with counting(server, rendered=2, asked=2):
        page = ask(server, f"/{log.name}", Accept=FIREFOX, Accept_Encoding="gzip, deflate, br")
        kept(server)
        again = ask(server, f"/{log.name}", Accept=CHROMIUM, Accept_Encoding="gzip, deflate, zstd")
        text = ask(server, f"/{log.name}", Accept="*/*")
        kept(server)
        assert ask(server, f"/{log.name}").body == text.body == LOG
    assert again.body == page.body
    assert gzip.decompress(page.body).startswith(b"<!DOCTYPE html>")


def test_what_a_client_would_rather_not_have_is_left_to_the_application(server, log):
    ask(server, f"/{log.name}", **BROWSER)
    answer = ask(
        server,
        f"/{log.name}",
        Accept="text/plain, text/html;q=0.5",
        Accept_Encoding="identity, gzip;q=0.5",
    )
    assert answer.body == LOG


def test_a_reader_who_has_the_page_is_told_so_and_a_head_has_no_body(server, log):
    page = ask(server, f"/{log.name}", **BROWSER)
    kept(server)
    with counting(server, rendered=0, asked=2):
        same = ask(server, f"/{log.name}", If_None_Match=page.headers["ETag"], **BROWSER)
        head = ask(server, f"/{log.name}", method="HEAD", **BROWSER)
    assert (same.status, same.body) == (304, b"")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["ETag"] == page.headers["ETag"]


def test_a_log_that_grew_is_seen_at_once_and_one_that_went_is_gone(server, log):
    old = ask(server, f"/{log.name}", **BROWSER)
    kept(server)
    with log.open("ab") as file:
        file.write(b"the last line\n")
    new = ask(server, f"/{log.name}", **BROWSER)
    kept(server)
    assert new.headers["ETag"] != old.headers["ETag"]
    assert b"the last line" in gzip.decompress(new.body)
    log.unlink()
    assert ask(server, f"/{log.name}", **BROWSER).status == 404


def test_many_readers_at_once_each_get_the_page(server, log):
    """With no-cache, mod_cache's lock gave most of them a 304 without a body."""
    with ThreadPoolExecutor(16) as pool:
        got = Counter(
            (answer.status, len(answer.body))
            for answer in pool.map(lambda _: ask(server, f"/{log.name}", **BROWSER), range(200))
        )
    assert list(got.values()) == [200]
    assert next(iter(got))[0] == 200
    kept(server)
    with counting(server, rendered=0, asked=5):
        for _ in range(5):
            ask(server, f"/{log.name}", **BROWSER)


@pytest.mark.parametrize("path", ["/metrics", "/healthz", "/readyz", "/none.txt", "/folder/"])
def test_what_is_true_only_now_is_not_kept(server, logs, path):
    (logs / "folder").mkdir(exist_ok=True)
    mount = "/htmlify" if path == "/folder/" and server.vhost != PROXY else ""
    for _ in range(2):
        answer = ask(server, mount + path, Accept=FIREFOX)
        assert answer.headers["X-Cache"].startswith("MISS")
        assert "ETag" not in answer.headers


@pytest.mark.parametrize("behind", BEHIND)
def test_a_log_at_rest_is_kept_without_asking_where_that_is_allowed(behind, logs, log):
    settings = {"disk": {"root": logs}, "serve": {"max_age": 60}}
    day_before_yesterday = time.time() - 2 * 24 * 3600
    with behind(logs, settings) as server:
        assert ask(server, f"/{log.name}").headers["Cache-Control"] == "max-age=0"
        os.utime(log, (day_before_yesterday, day_before_yesterday))
        with counting(server, rendered=1, asked=0):
            page = ask(server, f"/{log.name}", **BROWSER)
            assert page.headers["Cache-Control"] == "max-age=60"
            kept(server)
            again = ask(server, f"/{log.name}", **BROWSER)
        assert again.headers["X-Cache"].startswith("HIT")
        assert again.body == page.body


@pytest.mark.long
@pytest.mark.parametrize("behind", BEHIND)
def test_a_log_that_broke_off_is_not_kept(behind, logs):
    """Swift fails midway, under the ETag of the whole log."""
    etag = hashlib.md5(LARGE).hexdigest()
    with Faulty() as swift, behind(logs, {"swift": swift.settings()}) as server:
        answers = functools.partial(swift.answers.__setitem__, ("GET", f"{CONTAINER}/large.txt"))
        whole = reply("200 OK", LARGE, ETag=etag)
        answers([whole[: 5 * MEGABYTE], reply("503 Service Unavailable")])
        broken = ask(server, "/large.txt?format=text")
        assert b"oslogserve: this log is incomplete here" in broken.body[-300:]
        assert broken.headers["Cache-Control"] == "no-store"
        answers([whole])
        assert ask(server, "/large.txt?format=text").body == LARGE
