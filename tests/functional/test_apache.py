# SPDX-License-Identifier: Apache-2.0
"""The vhost in etc/apache in a real Apache: who answers what, and what reaches the application."""

import gzip
import http.client
import json
import os
import re
import socket
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from oslogserve.http.answer import LEAST_COMPRESSED
from tests.servers.apache import Apache, public_folder
from tests.servers.client import ask, metric
from tests.servers.process import HOST, poll

LINES = (
    b"2026-03-04 18:22:11.000 1 INFO nova.compute [-] started\n"
    b"2026-03-04 18:22:12.000 1 ERROR nova.compute [-] failed\n"
)
FILES = {
    "plain.txt": LINES,
    "sub/log.txt.gz": gzip.compress(LINES),
    "sub/console.html": LINES,
    "gz/console.html.gz": gzip.compress(LINES),
    "sub/static.log": b"from Apache\n",
    "sub/report.html.gz": gzip.compress(b"<p>report"),
    "sub/big.log.gz": gzip.compress(LINES),
    "sub/tarball.tar.gz": gzip.compress(b"tar"),
    "sub/\N{SNOWMAN} a.txt": LINES,
    "indexed/index.html": b"<title>a report</title>",
}
#: Neither root nor Apache's user.
NOBODY = 65534


@pytest.fixture(scope="module")
def logs():
    with public_folder() as folder:
        for name, content in FILES.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        yield folder


@pytest.fixture(scope="module")
def echo(logs):
    with Apache(logs, "", script=Path(__file__).with_name("echo.wsgi")) as apache:
        yield apache


@pytest.fixture(scope="module")
def oslogserve(logs):
    with Apache(logs, f"[disk]\nroot = {logs}\n") as apache:
        yield apache


def get(apache, target, method="GET", headers=None):
    """Ask for exactly this target: no client in between that tidies the path."""
    connection = http.client.HTTPConnection(HOST, apache.port, timeout=20)
    try:
        connection.putrequest(method, target)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        answer.body = answer.read()
        return answer
    finally:
        connection.close()


def reached(apache, target):
    """What the application saw of the request."""
    answer = get(apache, target)
    assert answer.status == 200
    assert answer.headers["X-Echo"] == "yes"
    return json.loads(answer.body)


@pytest.mark.parametrize(
    "path",
    [
        *("/plain.txt", "/sub/log.txt.gz", "/sub/console.html", "/gz/console.html.gz"),
        *("/console.html", "/not/on/disk", "/not/on/disk/", "/not/on/disk/console.html.gz"),
    ],
)
def test_readable_logs_and_what_is_not_on_disk_go_to_the_application(echo, path):
    said = reached(echo, f"{path}?level=ERROR")
    assert said["SCRIPT_NAME"] == "/htmlify"
    assert said["PATH_INFO"] == path
    assert said["QUERY_STRING"] == "level=ERROR"
    assert said["REQUEST_URI"] == f"{path}?level=ERROR"


def test_a_direct_request_reaches_the_application_once(echo):
    assert reached(echo, "/htmlify/sub/log.txt.gz")["PATH_INFO"] == "/sub/log.txt.gz"
    assert reached(echo, "/htmlify")["PATH_INFO"] == ""


def test_other_files_come_from_apache(echo):
    answer = get(echo, "/sub/static.log")
    assert answer.status == 200
    assert answer.body == b"from Apache\n"
    assert "X-Echo" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/sub/", "/indexed/"])
def test_folders_go_to_the_application(echo, path):
    said = reached(echo, f"{path}?format=summary")
    assert (said["PATH_INFO"], said["QUERY_STRING"]) == (path, "format=summary")


def test_a_folder_without_its_slash_is_redirected(echo):
    answer = get(echo, "/sub?format=summary")
    assert answer.status == 301
    assert answer.headers["Location"].endswith("/sub/?format=summary")


def test_a_folder_has_its_summary_search_and_job_page(oslogserve):
    summary = json.loads(get(oslogserve, "/sub/?format=summary").body)
    assert {log["name"] for log in summary["logs"]} >= {"console.html", "static.log"}
    assert b"ERROR nova.compute" in get(oslogserve, "/sub/?q=failed").body
    page = get(oslogserve, "/sub/?format=overview", headers={"Accept": "text/html"})
    assert (page.status, b"ERROR nova.compute" in page.body) == (200, True)
    moment = get(oslogserve, "/sub/?moment=log.txt.gz:2", headers={"Accept": "text/html"})
    assert (moment.status, b"started" in moment.body) == (200, True)


def test_a_folder_shows_the_index_that_a_job_stored(oslogserve):
    assert get(oslogserve, "/indexed/").body == FILES["indexed/index.html"]
    assert get(oslogserve, "/indexed/index.html").body == FILES["indexed/index.html"]


@pytest.mark.parametrize(
    ("path", "kind"), [("/sub/report.html.gz", "text/html"), ("/sub/big.log.gz", "text/plain")]
)
def test_compressed_pages_and_logs_are_shown_not_saved(echo, path, kind):
    answer = get(echo, path)
    assert answer.headers.get_content_type() == kind
    assert answer.headers["Content-Encoding"] == "x-gzip"


def test_a_tarball_stays_one(echo):
    answer = get(echo, "/sub/tarball.tar.gz")
    assert "Content-Encoding" not in answer.headers
    assert answer.body == FILES["sub/tarball.tar.gz"]


@pytest.fixture
def link(logs):
    """link(name, target): a symbolic link among the logs, made by somebody who is not root."""
    made = []

    def make(name, target):
        path = logs / name
        path.symlink_to(target)
        made.append(path)
        if os.geteuid() == 0:
            os.lchown(path, NOBODY, NOBODY)
        return path

    yield make
    for path in made:
        path.unlink()


LINKED = ["/out/", "/out/passwd", "/out/none", "/out", "/passwd.log", "/passwd.txt", "/none.log"]


@pytest.mark.parametrize(
    "defines",
    [
        pytest.param({}, id="no links"),
        pytest.param({"OSLOGSERVE_LINKS": ""}, id="links", marks=pytest.mark.long),
    ],
)
def test_a_link_to_what_is_another_users_tells_nothing_of_it(logs, link, defines):
    link("out", "/etc")
    for name, target in (("passwd.log", "passwd"), ("passwd.txt", "passwd"), ("none.log", "none")):
        link(name, f"/etc/{target}")
    config = f"[disk]\nroot = {logs}\nlinks = {'yes' if defines else 'no'}\n"
    with Apache(logs, config, defines=defines) as apache:
        answers = {get(apache, path).body for path in LINKED}
        assert len(answers) == 1
        assert b"symbolic link" in answers.pop()
        assert get(apache, "/sub/static.log").body == FILES["sub/static.log"]


@pytest.mark.long
def test_a_link_within_the_logs_is_followed_where_links_are(logs, link):
    for name, target in (("latest", "sub"), ("latest.log", "sub/static.log")):
        owner = (logs / target).stat()
        os.lchown(link(name, target), owner.st_uid, owner.st_gid)
    script = Path(__file__).with_name("echo.wsgi")
    with Apache(logs, "", script=script, defines={"OSLOGSERVE_LINKS": ""}) as apache:
        assert get(apache, "/latest.log").body == FILES["sub/static.log"]
        assert get(apache, "/latest/static.log").body == FILES["sub/static.log"]
        assert get(apache, "/latest").status == 301


def test_apache_serves_no_dot_file(oslogserve, logs):
    for name in (".env", ".git/config", "sub/.htaccess", "sub/.hidden.txt"):
        path = logs / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"secret\n")
    for target in ("/.env", "/.git/", "/.git", "/.git/config", "/%2egit/config", "/sub/.htaccess"):
        answer = get(oslogserve, target)
        assert (answer.status, b"secret" in answer.body) == (404, False)
    assert get(oslogserve, "/sub/.hidden.txt").status == 404
    assert b".htaccess" not in get(oslogserve, "/sub/").body


@pytest.mark.parametrize(
    ("target", "path_info"),
    [
        ("/a%2Fb", "/a%2Fb"),
        ("/..%2f..%2fetc%2fpasswd", "/..%2f..%2fetc%2fpasswd"),
        ("/sub/%2e%2e/plain.txt", "/plain.txt"),
        ("/nowhere/../plain.txt", "/plain.txt"),
        ("//sub//log.txt.gz", "/sub/log.txt.gz"),
        ("/a%20b%23c.txt", "/a b#c.txt"),
        ("/a%25b.txt", "/a%b.txt"),
        ("/a%0ab.txt", "/a\nb.txt"),
        ("/%ff.txt", "/\xff.txt"),
    ],
)
def test_how_a_path_reaches_the_application(echo, target, path_info):
    assert reached(echo, target)["PATH_INFO"] == path_info


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/../etc/passwd", 400),
        ("/%2e%2e/etc/passwd", 400),
        ("/htmlify/../../etc/passwd", 400),
        ("/plain.txt%00", 404),
        ("/nul%00inside.txt.gz", 404),
        ("/bad%zz.txt", 400),
        ("/question%3Fmark.txt", 403),
        (f"/{'a' * 8200}.txt", 414),
    ],
)
def test_paths_that_apache_refuses(echo, target, status):
    answer = get(echo, target)
    assert answer.status == status
    assert "X-Echo" not in answer.headers


def test_head_reaches_the_application_as_head(echo):
    answer = get(echo, "/plain.txt", method="HEAD")
    assert answer.headers["X-Echo"] == "yes"
    assert answer.body == b""


def test_lines_arrive_while_the_application_still_writes(echo):
    with public_folder() as folder, socket.create_connection((HOST, echo.port), 20) as reader:
        gate = folder / "gate"
        target = f"/htmlify/stream?{urllib.parse.quote(str(gate))}"
        reader.sendall(f"GET {target} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
        received = b""
        while b"first\n" not in received:
            received += reader.recv(65536)
        assert b"second\n" not in received
        gate.touch()
        while piece := reader.recv(65536):
            received += piece
        assert b"second\n" in received


def test_an_answer_that_breaks_off_closes_the_connection(echo):
    """Else the next answer on the connection would be read as the rest of this one."""
    with socket.create_connection((HOST, echo.port), 20) as reader:
        reader.sendall(f"GET /htmlify/broken HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
        received = b""
        while piece := reader.recv(65536):
            received += piece
        assert received.endswith(b"some\n")


def test_metrics_are_for_those_named_only(logs):
    script = Path(__file__).with_name("echo.wsgi")
    with Apache(
        logs, "", defines={"OSLOGSERVE_METRICS_FOR": "ip 192.0.2.7"}, script=script
    ) as apache:
        for path in ("/metrics", "/htmlify/metrics", "//metrics", "/%6detrics", "/x/../metrics"):
            assert get(apache, path).status == 403
        assert get(apache, "/plain.txt").status == 200


@pytest.mark.parametrize("target", ["/plain.txt", "/", "/none", "/%zz", "/" + "a" * 9000])
def test_apache_tells_no_version(oslogserve, target):
    answer = get(oslogserve, target)
    assert answer.headers["Server"] == "Apache"
    assert b"Apache/" not in answer.body


def test_a_daemon_tells_the_application_its_threads(deflating):
    assert metric(deflating, "oslogserve_threads") == 4


def test_a_log_is_shown_as_a_page(oslogserve):
    answer = get(oslogserve, "/sub/log.txt.gz", headers={"Accept": "text/html"})
    assert answer.status == 200
    assert answer.headers.get_content_type() == "text/html"
    assert b"started" in answer.body


#: More than one chunk: Apache sends it from the open file.
BIG = b"".join(b"2026-03-04 18:22:11.000 1 INFO nova.compute [-] %d\n" % n for n in range(50_000))


@pytest.fixture(scope="module")
def deflating(logs):
    """With mod_deflate in front, for all that is text."""
    (logs / "big.txt").write_bytes(BIG)
    (logs / "packed.txt.gz").write_bytes(gzip.compress(BIG))
    defines = {"OSLOGSERVE_METRICS_FOR": "all granted"}
    config = f"[disk]\nroot = {logs}\n"
    with Apache(logs, config, processes=1, defines=defines, also=DEFLATE) as apache:
        yield apache


DEFLATE = """
LoadModule filter_module {modules}/mod_filter.so
LoadModule deflate_module {modules}/mod_deflate.so
AddOutputFilterByType DEFLATE text/plain text/html
"""


def test_a_big_file_is_sent_by_apache(deflating):
    answer = get(deflating, "/big.txt?format=raw")
    assert (answer.status, answer.body) == (200, BIG)
    assert get(deflating, "/big.txt?format=text").body == BIG


def test_a_range_of_a_big_file_is_sent_by_apache(deflating):
    answer = get(deflating, "/big.txt?format=raw", headers={"Range": "bytes=100-1000099"})
    assert (answer.status, answer.body) == (206, BIG[100:1_000_100])
    assert answer.headers["Content-Length"] == "1000000"


@pytest.mark.parametrize("target", ["/big.txt", "/packed.txt", "/plain.txt", "/sub/log.txt"])
@pytest.mark.parametrize("view", ["html", "text"])
def test_with_mod_deflate_an_answer_is_compressed_once(deflating, target, view):
    as_it_is = get(deflating, f"{target}?format={view}")
    packed = get(deflating, f"{target}?format={view}", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in as_it_is.headers
    encodings = packed.headers.get_all("Content-Encoding")
    if len(as_it_is.body) >= LEAST_COMPRESSED:
        assert encodings == ["gzip"]
    body = packed.body if encodings is None else gzip.decompress(packed.body)
    assert (encodings in (None, ["gzip"]), body) == (True, as_it_is.body)


def test_with_mod_deflate_an_unchanged_log_is_still_304(deflating):
    takes_gzip = {"Accept-Encoding": "gzip", "Accept": "text/html"}
    tag = get(deflating, "/big.txt", headers=takes_gzip).headers["ETag"]
    assert get(deflating, "/big.txt", headers=takes_gzip | {"If-None-Match": tag}).status == 304


def test_with_mod_deflate_raw_is_compressed_by_nobody_but_it(deflating):
    stored = get(deflating, "/packed.txt.gz?format=raw", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in stored.headers
    assert gzip.decompress(stored.body) == BIG


REQUESTS = 60


def load_counts_once_each(apache):
    before = metric(apache, "oslogserve_responses_total")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: get(apache, "/plain.txt"), range(REQUESTS)))
    assert {answer.status for answer in answers} == {200}
    look = 1  # the look at the metrics before may have counted as a request too
    assert metric(apache, "oslogserve_responses_total") - before in (REQUESTS, REQUESTS + look)


def daemons(apache):
    """The processes that have written metrics."""
    return {path.name for path in apache.metrics_dir.glob("counter_[0-9]*.db")}


def test_two_daemons_metrics_add_up_across_a_graceful_restart(logs):
    with Apache(logs, f"[disk]\nroot = {logs}\n") as apache:
        poll(  # Apache answers as soon as the first has loaded the application
            lambda: len(daemons(apache)) == 2,
            lambda: AssertionError(apache.error_log()),
            seconds=20,
        )
        old = daemons(apache)
        load_counts_once_each(apache)
        total = metric(apache, "oslogserve_responses_total")

        apache.restart_gracefully()
        poll(
            lambda: len(daemons(apache) - old) == 2,
            lambda: AssertionError(apache.error_log()),
            seconds=20,
        )
        assert metric(apache, "oslogserve_responses_total") >= total
        load_counts_once_each(apache)
        poll(  # a scrape merges them away
            lambda: metric(apache, "oslogserve_responses_total") and not daemons(apache) & old,
            lambda: AssertionError("the files of daemons that have ended stay"),
            seconds=20,
        )


@pytest.mark.long
def test_nobody_keeps_a_connection_by_half_of_a_request(echo):
    with socket.create_connection((HOST, echo.port), timeout=40) as connection:
        connection.sendall(b"GET /htmlify/a.txt HTTP/1.1\r\nHost: x\r\n")
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert not answer or answer.startswith(b"HTTP/1.1 408 ")


def test_faults_of_the_configuration_are_a_sentence_each_and_no_traceback(logs):
    with Apache(logs, "[disk]\nroots = /x\n", processes=1) as apache:
        for _ in range(3):
            answer = ask(apache, "/plain.txt")
            assert (answer.status, b"log names them" in answer.body) == (503, True)
        told = apache.error_log()
    assert "Traceback" not in told
    (fault,) = re.findall(r"oslogserve: .*", told)
    assert fault.endswith("oslogserve.conf:2: [disk] roots: no such key")


def test_what_a_server_can_do_without_is_a_sentence_and_the_logs_are_served(logs):
    rules, away = logs / "rules", "/proc/none"
    rules.mkdir()
    (rules / "a.yaml").write_text("title: x\npattern: (a\n")
    config = f"[disk]\nroot = {logs}\n[known]\nrules = {rules}\n[seen]\ndirectory = {away}\n"
    config += f"[index]\ndirectory = {away}\n[request_log]\nto = {away}/requests.log\n"
    with Apache(logs, config, processes=1) as apache:
        assert ask(apache, "/plain.txt").status == 200
        assert ask(apache, "/sub/?format=summary").status == 200
        told = apache.error_log()
    assert "Traceback" not in told
    assert told.count(f"oslogserve.conf:4: [known] rules: {rules}/a.yaml:2: pattern: ") == 1
    assert told.count(f"[request_log] to: {away}/requests.log: No such file") == 1
