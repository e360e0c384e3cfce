# SPDX-License-Identifier: Apache-2.0
"""The log of requests, of real servers: one line each; and what of a request goes on to Swift."""

import json
import re
import subprocess

import pytest

from tests.servers.apache import Apache, public_folder
from tests.servers.client import ask, exchanged, ini
from tests.servers.faulty import CONTAINER, Faulty, reply
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import HOST, REPOSITORY, poll

LINE = b"2026-03-04 18:22:11.248 1 ERROR nova.compute [-] something went wrong\n"
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
BOUND = 20


def lines_of(path, count):
    """The lines of a log of requests, once there are so many."""
    read = lambda: path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    poll(lambda: len(read()) >= count, lambda: AssertionError(f"{len(read())} of {count}"), BOUND)
    assert len(read()) == count
    return read()


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.txt").write_bytes(LINE)
    return folder


def test_each_answer_is_one_line_with_what_it_took(swift, root, tmp_path):
    path = tmp_path / "requests.log"
    swift.put("request_log", {"b.txt": LINE * 9})
    config = {"disk": {"root": root}, "swift": swift.settings("request_log")}
    config["request_log"] = {"to": path}
    with Gunicorn(ini(config)) as server:
        answers = [
            ask(server, "/a.txt?format=html&level=ERROR", Traceparent=PARENT),
            ask(server, "/b.txt", User_Agent="a bot"),
            ask(server, "/b.txt", "HEAD"),
            ask(server, "/none.txt"),
            ask(server, "/a.txt?what=ever"),
            ask(server, "/healthz"),
        ]
        # A line is written behind its answer: the next request's may come first.
        lines = {
            (line["method"], line["path"], line["query"]): line
            for line in map(json.loads, lines_of(path, len(answers)))
        }
    of_disk, of_swift, head, missing, refused, health = (
        lines[key]
        for key in [
            *(("GET", "/a.txt", "format=html&level=ERROR"), ("GET", "/b.txt", "")),
            *(("HEAD", "/b.txt", ""), ("GET", "/none.txt", "")),
            *(("GET", "/a.txt", "what=ever"), ("GET", "/healthz", "")),
        ]
    )
    statuses = [line["status"] for line in (of_disk, of_swift, head, missing, refused, health)]
    assert statuses == [answer.status for answer in answers] == [200, 200, 200, 404, 400, 200]
    assert (of_disk["source"], of_disk["view"], of_disk["stored"]) == ("disk", "html", len(LINE))
    assert (of_disk["path"], of_disk["query"]) == ("/a.txt", "format=html&level=ERROR")
    assert (of_disk["transaction"], of_disk["traceparent"]) == ("", PARENT)
    assert (of_swift["source"], of_swift["view"], of_swift["stored"]) == ("swift", "text", 630)
    assert of_swift["sent"] == len(answers[1].body) == len(LINE) * 9
    assert 0 < of_swift["open"] <= of_swift["first_byte"] <= of_swift["total"] < BOUND
    assert re.fullmatch(r"tx[0-9a-f-]+", of_swift["transaction"])
    assert (of_swift["agent"], of_swift["client"]) == ("a bot", HOST)
    assert (head["sent"], head["first_byte"]) == (0, None)
    assert re.fullmatch(r"tx[0-9a-f-]+", missing["transaction"])
    assert {line["source"] for line in (missing, refused, health)} == {"none"}
    assert {line["ending"] for line in (of_disk, of_swift, missing)} == {"complete"}
    assert all(answer.headers["Server-Timing"] for answer in answers[:4])


def test_the_manuals_command_finds_the_slowest(root, tmp_path):
    manual = (REPOSITORY / "doc/operate.rst").read_text()
    [command] = re.findall(r"^    (jq .* requests.log)$", manual, re.MULTILINE)
    path = tmp_path / "requests.log"
    with Gunicorn(f"[disk]\nroot = {root}\n[request_log]\nto = {path}\n") as server:
        for _ in range(12):
            ask(server, "/a.txt")
        slowest = max(json.loads(line)["total"] for line in lines_of(path, 12))
    shown = subprocess.check_output(command, shell=True, cwd=tmp_path, text=True)
    rows = [json.loads(row) for row in shown.splitlines()]
    assert len(rows) == 10
    assert rows[0] == [slowest, "disk", len(LINE), "/a.txt"]


@pytest.mark.long
def test_under_mod_wsgi_lines_go_to_a_file_or_to_apaches_error_log():
    with public_folder() as logs:
        (logs / "a.txt").write_bytes(LINE)
        (logs / "out").mkdir()
        (logs / "out").chmod(0o777)
        path = logs / "out/requests.log"
        with Apache(logs, f"[disk]\nroot = {logs}\n[request_log]\nto = {path}\n") as apache:
            for target in ("/a.txt", "/a%0Ab.txt"):
                exchanged(apache, target)
            lines = [json.loads(line) for line in lines_of(path, 2)]
        assert [line["path"] for line in lines] == ["/htmlify/a.txt", "/htmlify/a%0Ab.txt"]
        with Apache(logs, f"[disk]\nroot = {logs}\n[request_log]\nto = stderr\n") as apache:
            for target in ("/a.txt", "/a%0Ab.txt"):
                exchanged(apache, target)
            found = lambda: re.findall(r'^\{"time".*\}$', apache.error_log(), re.MULTILINE)
            poll(lambda: len(found()) == 2, lambda: AssertionError(apache.error_log()), BOUND)
            assert [json.loads(line)["path"] for line in found()] == [
                line["path"] for line in lines
            ]


@pytest.fixture
def lying():
    with Faulty() as swift:
        yield swift


def test_a_traceparent_goes_with_every_request_to_swift(lying):
    """Also with those by which a log is continued, in another thread."""
    log = LINE * 60_000
    first, rest = log[:3_000_000], log[3_000_000:]
    etag = "0" * 32
    end = len(log) - 1
    lying.answers["GET", f"{CONTAINER}/a.txt"] = [
        reply("200 OK", first, Content_Length=len(log), ETag=etag, X_Trans_Id="tx-first"),
        reply(
            "206 Partial Content",
            rest,
            ETag=etag,
            Content_Range=f"bytes {len(first)}-{end}/{len(log)}",
            X_Trans_Id="tx-second",
        ),
    ]
    with Gunicorn(ini({"swift": lying.settings()})) as server:
        ask(server, "/a.txt?format=html", Traceparent=PARENT)
        gets = [asked for asked in lying.asked if asked.target == f"{CONTAINER}/a.txt"]
        assert [asked.headers.get("traceparent") for asked in gets] == [PARENT] * 2
        assert "range" in gets[1].headers


def test_a_failures_page_names_swifts_transaction_but_no_hostile_one(lying):
    def failing(transaction):
        return [reply("500 Internal Error", X_Trans_Id=transaction)]

    with Gunicorn(ini({"swift": {**lying.settings(), "retries": "0"}})) as server:
        lying.answers["GET", f"{CONTAINER}/a.txt"] = failing("tx5a-0016")
        for accept in ("text/html", "*/*"):
            told = ask(server, "/a.txt", Accept=accept).body
            assert b"status 500 in transaction tx5a-0016" in told
        lying.answers["GET", f"{CONTAINER}/a.txt"] = failing("<script>alert(1)</script>")
        answer = ask(server, "/a.txt", Accept="text/html")
    assert answer.status == 503
    assert b"alert" not in answer.body
    assert b"status 500)" in answer.body
