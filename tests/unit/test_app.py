# SPDX-License-Identifier: Apache-2.0
import gzip
import json
import os
import re
import socket
import subprocess
import sys

import pytest
import webob

from oslogserve import __version__
from oslogserve.app import App
from oslogserve.cli import main
from oslogserve.config import load
from oslogserve.metrics import Metrics
from oslogserve.sources.disk import source as disk
from oslogserve.sources.guard import Guard
from tests.kit.open_logs import FakeLog, FakeSource

#: The environ of an operator's request.
LOCAL = {"REMOTE_ADDR": "127.0.0.1"}

LOG = b"2013-09-27 18:07:11.860 1 INFO a <b>\n2013-09-27 18:07:12.860 1 ERROR c\nTraceback\n"
HTML = {"Accept": "text/html"}


@pytest.fixture
def root(tmp_path):
    (tmp_path / "a.txt").write_bytes(LOG)
    return tmp_path


@pytest.fixture
def app(root):
    return App(load(None, {}, disk_root=str(root)))


@pytest.fixture
def get(app):
    def get(url, method="GET", mount="", **headers):
        request = webob.Request.blank(
            url, LOCAL, method=method, base_url=f"http://localhost{mount}"
        )
        request.headers.update({name.replace("_", "-"): told for name, told in headers.items()})
        answer = request.get_response(app)
        answer.body  # noqa: B018 - read and closed
        return answer

    return get


def test_a_server_of_a_disk_loads_no_client_of_an_object_store(root):
    code = (
        "import sys; from oslogserve.app import App; from oslogserve.config import load\n"
        f"App(load(None, {{}}, disk_root={str(root)!r})); print(*sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert not {b"swiftclient", b"keystoneauth1", b"requests"} & {*ran.stdout.split()}


@pytest.mark.parametrize(
    ("away", "told"),
    [
        ({"disk_root": "/proc/none"}, ["[disk] root: /proc/none: there is no such folder"]),
        ({"index_directory": "/proc/none"}, ()),
        ({"seen_directory": "/proc/none?timeout=x"}, ()),
        ({"seen_database": "sqlite:////proc/none/x"}, ()),
        ({"seen_database": "postgresql://127.0.0.1:1/x?sslmode=none"}, ()),
        ({"known_rules": "/proc/none"}, ("[known] rules: /proc/none: No",)),
        ({"job_passed": "(?P<name>x)", "job_passed_folder": "/none"}, ()),
        ({"request_log_to": "/proc/none/x"}, ["[request_log] to: /proc/none/x: No such file"]),
        ({"request_log_to": "/"}, ["[request_log] to: /: Is a directory"]),
        ({"index_directory": "/dev/null"}, ["[index] directory: /dev/null: Not a directory"]),
        ({"metrics_path": "/readyz"}, ["[metrics] path: /readyz is another page"]),
    ],
)
def test_what_is_away_is_at_most_a_sentence_and_the_application_serves(root, away, told):
    app = App(load(None, {}, **{"disk_root": str(root)} | away))
    assert webob.Request.blank("/healthz").get_response(app).status_int == 200
    assert [fault[: len(begin)] for fault, begin in zip(app.faults, told, strict=True)] == [*told]


def test_without_the_library_of_its_database_a_server_keeps_no_runs(
    root, tmp_path_factory, monkeypatch
):
    monkeypatch.setitem(sys.modules, "oslogserve.seen.tables", None)
    monkeypatch.delitem(sys.modules, "oslogserve.seen.database", raising=False)
    directory = str(tmp_path_factory.mktemp("seen"))
    app = App(load(None, {}, disk_root=str(root), seen_directory=directory))
    (fault,) = app.faults
    assert fault.startswith("[seen]: no runs are kept: import of oslogserve.seen.tables")
    assert webob.Request.blank("/a.txt").get_response(app).status_int == 200


def test_html_for_who_accepts_it_and_text_for_the_rest(get):
    text = get("/a.txt")
    assert (text.status_int, text.content_type, text.body) == (200, "text/plain", LOG)
    html = get("/a.txt", **HTML)
    assert html.content_type == "text/html"
    assert b"<li class=I id=L1>" in html.body
    assert b"&lt;b&gt;" in html.body
    assert "default-src 'none'" in html.headers["Content-Security-Policy"]
    assert b"<style" not in html.body
    assert get("/a.txt?format=text", **HTML).body == LOG
    assert get("/a.txt?content-type=text/plain", **HTML).body == LOG
    assert get("/a.txt?format=html").content_type == "text/html"
    assert all(answer.headers["X-Content-Type-Options"] == "nosniff" for answer in (text, html))


@pytest.mark.parametrize(
    ("seconds", "date", "listed"),
    [
        (-1, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01 00:00:00"),
        (99999999999999, "Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31 23:59:59"),
    ],
)
def test_a_log_of_an_impossible_time_is_shown_and_listed(any_time, seconds, date, listed):
    (any_time / "a.txt").write_bytes(LOG)
    os.utime(any_time / "a.txt", (seconds, seconds))
    app = App(load(None, {}, disk_root=str(any_time)))

    def get(url, **headers):
        return webob.Request.blank(url, headers=headers).get_response(app)

    answer = get("/a.txt")
    assert (answer.status_int, answer.body) == (200, LOG)
    assert answer.headers["Last-Modified"] == date
    assert get("/a.txt", **{"If-Modified-Since": date}).status_int == 304
    for query in ("", "?format=text", "?format=html"):
        assert listed in get(f"/{query}").text


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("/none", 404),
        ("/a.txt?x=1", 400),
        ("/a/%2e%2e/b", 400),
        ("/a%00b", 400),
        ("/a.txt?format=json", 400),
        ("/a.txt/", 404),
    ],
)
def test_errors_have_their_status_for_people_and_bots(get, url, status):
    for headers in ({}, HTML):
        answer = get(url, **headers)
        assert answer.status_int == status
        assert answer.content_type == headers.get("Accept", "text/plain")
        assert len(answer.body) == int(answer.headers["Content-Length"])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_other_methods(get, method):
    answer = get("/a.txt", method=method)
    assert answer.status_int == 405
    assert answer.headers["Allow"] == "GET, HEAD"


def test_unchanged_is_answered_without_reading(get, monkeypatch):
    first = get("/a.txt")

    def read(file, size):
        raise AssertionError("read")

    monkeypatch.setattr(disk.os, "read", read)
    for condition in (
        {"If_None_Match": first.headers["ETag"]},
        {"If_None_Match": "*"},
        {"If_Modified_Since": first.headers["Last-Modified"]},
    ):
        answer = get("/a.txt", **condition)
        assert (answer.status_int, answer.body) == (304, b"")


def test_a_tag_is_of_the_view_and_of_the_content(get, root):
    urls = ("/a.txt", "/a.txt?level=INFO", "/a.txt?limit=2", "/a.txt?format=html")
    tags = {get(url).headers["ETag"] for url in urls}
    assert len(tags) == len(urls)
    (root / "a.txt").write_bytes(b"more\n")
    assert get("/a.txt", If_None_Match=", ".join(tags)).status_int == 200


def test_folders_redirect_list_and_show_their_index(get, root):
    (root / "f").mkdir()
    (root / "f" / "x.txt").write_bytes(b"x\n")
    assert get("/f?source=disk").status_int == 301
    assert get("/f?source=disk").headers["Location"].endswith("/f/?source=disk")
    told = json.loads(get("/f/?format=json").body)
    assert [entry["name"] for entry in told["entries"]] == ["x.txt"]
    assert told["complete"] is True
    assert get("/f/").body.startswith(b"x.txt\t2\t")
    assert b'href="./x.txt"' in get("/f/", **HTML).body
    (root / "f" / "index.html").write_bytes(b"<!doctype html><p>hello")
    index = get("/f/", **HTML)
    assert index.body == b"<!doctype html><p>hello"
    assert index.headers["Content-Security-Policy"].startswith("sandbox")


def test_listings_can_be_off(root):
    app = App(load(None, {}, disk_root=str(root), serve_listing="no"))
    answer = webob.Request.blank("/").get_response(app)
    assert answer.status_int == 403
    answer.app_iter.close()


SEEN = "[seen]\ndirectory = {folder}\n"


@pytest.mark.parametrize(
    ("configured", "url", "client", "status"),
    [
        (SEEN, "/_oslogserve/seen?days=4", {}, 200),
        (f"{SEEN}days = 3\n", "/_oslogserve/seen?days=4", {}, 400),
        (f"{SEEN}list = no\n", "/_oslogserve/seen", {}, 403),
        (f"{SEEN}[serve]\nlisting = no\n", "/_oslogserve/seen", {}, 403),
        ("", "/metrics", {"HTTP_X_FORWARDED_FOR": "192.0.2.7"}, 403),
        ("", "/metrics", {"REMOTE_ADDR": "192.0.2.7", "HTTP_X_FORWARDED_FOR": "127.0.0.1"}, 403),
        (
            "[serve]\nfronts = 192.0.2.0/24\n",
            "/metrics",
            {"REMOTE_ADDR": "192.0.2.7", "HTTP_X_FORWARDED_FOR": "127.0.0.1"},
            200,
        ),
        ("[serve]\noperators = 192.0.2.7\n", "/metrics", {"REMOTE_ADDR": "192.0.2.7"}, 200),
    ],
)
def test_a_configuration_says_what_is_shown_to_whom(root, configured, url, client, status):
    file = root / "oslogserve.conf"
    file.write_text(configured.format(folder=root / "seen"))
    app = App(load(str(file), {}, disk_root=str(root)))
    answer = webob.Request.blank(url, LOCAL | client).get_response(app)
    assert answer.status_int == status, answer.text


@pytest.mark.parametrize(
    ("configured", "names"),
    [
        ("", ["a.txt", "b.txt"]),
        ("[noise known]\npattern = of every run$\n", ["b.txt", "a.txt"]),
        ("[view report]\npattern = ^a\nview = raw\n", ["b.txt"]),
    ],
)
def test_a_server_and_a_command_have_the_same_configuration(
    tmp_path, capsysbinary, configured, names
):
    job, file = tmp_path / "job", tmp_path / "oslogserve.conf"
    job.mkdir()
    for name, error in (("a.txt", "of every run"), ("b.txt", "of its own")):
        (job / name).write_text(f"2026-03-04 18:22:10 INFO a\n2026-03-04 18:22:11 ERROR {error}\n")
    file.write_text(configured)
    app = App(load(str(file), {}, disk_root=str(tmp_path)))
    served = webob.Request.blank("/job/?format=summary").get_response(app).body
    assert main(["render", str(job), "--format", "summary", "--config", str(file)]) == 0
    for answer in (served, capsysbinary.readouterr().out):
        assert [log["name"] for log in json.loads(answer)["logs"]] == names


def test_links_begin_at_the_mount_point(get):
    for url in ("/a.txt", "/none"):
        page = get(url, mount="/htmlify", **HTML).text
        links = re.findall(r'(?:href|src)="(/[^"]*)"', page)
        assert links
        assert all(link.startswith("/htmlify/") for link in links)
        asset = get(links[0].removeprefix("/htmlify"), mount="/htmlify")
        assert (asset.status_int, asset.content_type) == (200, "text/css")


def test_who_may_keep_what(root, get):
    (root / "folder").mkdir()
    os.utime(root / "a.txt", (1e9, 1e9))
    for url, told in {
        "/a.txt": "max-age=0",
        "/folder/": "no-cache",
        "/folder": "no-store",
        "/none": "no-store",
        "/a.txt?level=x": "no-store",
        "/metrics": "no-store",
        "/healthz": "no-store",
    }.items():
        assert get(url).headers["Cache-Control"] == told, url
    app = App(load(None, {}, disk_root=str(root), serve_max_age="60"))
    request = webob.Request.blank("/a.txt")
    answer = request.get_response(app)
    request.if_none_match = answer.etag
    same = request.get_response(app)
    assert (answer.status_int, same.status_int) == (200, 304)
    assert answer.headers["Cache-Control"] == same.headers["Cache-Control"] == "max-age=60"


def test_a_source_that_fails_is_named(tmp_path):
    app = App(load(None, {}, disk_root=str(tmp_path / "none")))
    answer = webob.Request.blank("/a").get_response(app)
    assert answer.status_int == 503
    assert "disk: " in answer.text
    assert "Retry-After" in answer.headers


def test_the_request_log_names_the_source_that_failed_and_why(tmp_path):
    log = tmp_path / "requests.log"
    with socket.socket() as taken:  # it is bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        swift = {"auth_url": f"http://127.0.0.1:{taken.getsockname()[1]}", "container": "logs"}
        swift |= {"auth_version": "1", "username": "a", "password": "b", "retries": "0"}
        options = {f"swift_{key}": value for key, value in swift.items()}
        (tmp_path / "a.txt").write_text("hello")
        app = App(load(None, {}, disk_root=str(tmp_path), request_log_to=str(log), **options))
        for path in ("/none.txt", "/?format=json", "/a.txt"):
            assert webob.Request.blank(path, LOCAL).get_response(app).body
    app._request_log._handler.close()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    reason = "swift: auth_url cannot be reached"
    assert [(line["status"], line["failed"], line["reason"]) for line in lines] == [
        (503, "swift", reason),
        (200, "swift", reason),
        (200, "", ""),
    ]


def test_the_request_log_says_why_a_log_is_incomplete(tmp_path):
    log = tmp_path / "requests.log"
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"hello")[:-9])
    app = App(load(None, {}, disk_root=str(tmp_path), request_log_to=str(log)))
    assert webob.Request.blank("/a.txt?format=text").get_response(app).body
    app._request_log._handler.close()
    line = json.loads(log.read_text())
    assert (line["failed"], line["reason"]) == ("", "the compressed data ends early")


def test_it_says_whether_it_answers(get):
    assert get("/healthz").status_int == 200
    assert get("/readyz").text == "disk: ok\n"


def test_who_is_not_ready_says_when_to_ask_again(tmp_path):
    app = App(load(None, {}, disk_root=str(tmp_path / "none")))
    answer = webob.Request.blank("/readyz", LOCAL).get_response(app)
    assert answer.status_int == 503
    assert answer.text == f"disk: No such file or directory ({tmp_path / 'none'})\n"
    assert int(answer.headers["Retry-After"]) > 0


def test_the_request_log_says_why_a_server_is_not_ready(tmp_path):
    log = tmp_path / "requests.log"
    root = {"disk_root": str(tmp_path / "none")}
    app = App(load(None, {}, request_log_to=str(log), **root))
    assert webob.Request.blank("/readyz", LOCAL).get_response(app).body
    app._request_log._handler.close()
    line = json.loads(log.read_text())
    assert (line["failed"], line["reason"]) == ("disk", "disk: No such file or directory")


def test_a_server_without_a_source_is_not_ready():
    answer = webob.Request.blank("/readyz", LOCAL).get_response(App(load(None, {})))
    assert (answer.status_int, answer.text) == (503, "no source is configured\n")


def test_a_page_that_is_cut_short_says_so_at_its_end(get, root):
    page = b"<!DOCTYPE html><title>Report</title>" + os.urandom(200_000).hex().encode()
    (root / "report.html.gz").write_bytes(gzip.compress(page)[:100_000])
    told = get("/report.html", **HTML).body
    assert told.startswith(b"<!DOCTYPE html>")
    assert told.endswith(
        b"\n[oslogserve: this log is incomplete here: the compressed data ends early]\n"
    )
    assert b'reason="truncated",source="disk"} 1.0' in get("/metrics").body


@pytest.mark.parametrize(
    ("name", "content", "media_type", "is_packed"),
    [
        ("data.bin.gz", b"\0\1\2" * 1000, "application/gzip", True),
        ("data.bin", b"\0\1\2" * 1000, "application/octet-stream", False),
        ("page.html.gz", b"<!DOCTYPE html>" * 100, "text/html", False),
        ("a.json.gz", b"{}" * 1000, "application/json", False),
    ],
)
def test_a_packed_file_is_what_its_name_says_or_what_can_be_shown(
    get, root, name, content, media_type, is_packed
):
    stored = gzip.compress(content)
    (root / f"{name.removesuffix('.gz')}.gz").write_bytes(stored)
    answer = get(f"/{name}")
    assert (answer.content_type, answer.body) == (media_type, stored if is_packed else content)


def test_a_metric_tells_the_version(get):
    assert f'oslogserve_build_info{{version="{__version__}"}} 1.0' in get("/metrics").text


def test_a_log_and_a_miss_say_how_long_each_source_took(app, get):
    swift = FakeSource("swift", {b"b.txt": FakeLog("swift", [LOG])})
    app._guards.append(Guard(swift, Metrics(), 4))
    for url, sources in (
        ("/a.txt", ["disk;desc=hit"]),
        ("/b.txt", ["disk;desc=miss", "swift;desc=hit"]),
        ("/c.txt", ["disk;desc=miss", "swift;desc=miss"]),
    ):
        times = get(url).headers["Server-Timing"]
        assert re.sub(r";dur=\d+\.\d{3}\b", "", times).split(", ") == [*sources, "begin"]
    assert "Server-Timing" not in get("/healthz").headers


def test_the_worker_is_named_only_to_a_client_that_asks(get):
    assert get("/a.txt", Log_Worker="?").headers["Log-Worker"] == str(os.getpid())
    assert "Log-Worker" not in get("/a.txt").headers
