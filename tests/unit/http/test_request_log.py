# SPDX-License-Identifier: Apache-2.0
import json
import os
import re

import pytest

from oslogserve.http import Response, request_log
from oslogserve.http.body import Ended
from oslogserve.http.request_log import RequestLog, fields_of
from oslogserve.http.server_timing import ServerTiming

HOSTILE = "".join(map(chr, range(256)))
COMBINED = re.compile(
    r'(\S+) - - \[(\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d \+0000)\] "(\S+) ([^" ]*)" (\d{3}) (\d+) '
    r'"([^"\\]*)" "([^"\\]*)"((?: \w+=\S+)+)'
)


def fields(**environ):
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/a.txt", **environ}
    timing = ServerTiming(0)
    timing.add("disk", "miss", 0.001)
    timing.add("swift", "hit", 0.25)
    response = Response("200 OK", [], (), "html", "swift", 4321)
    made = fields_of(environ, response, timing, Ended("complete", 1.5, 0.26, 99))
    return made | {"client": "192.0.2.7", "transaction": ""}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "requests.log"


def written(path, form="json", **environ):
    RequestLog(str(path), form).write(fields(**environ))
    return path.read_bytes()


def test_json_says_what_was_measured(path):
    line = json.loads(written(path, QUERY_STRING="level=ERROR"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line.pop("time"))
    assert line == {
        "method": "GET",
        "path": "/a.txt",
        "query": "level=ERROR",
        "status": 200,
        "source": "swift",
        "view": "html",
        "stored": 4321,
        "sent": 99,
        "open": 0.251,
        "first_byte": 0.26,
        "total": 1.5,
        "ending": "complete",
        "worker": os.getpid(),
        "referer": "",
        "agent": "",
        "client": "192.0.2.7",
        "transaction": "",
    }


def test_combined_is_apaches_with_the_other_fields_behind(path):
    line = written(path, "combined", QUERY_STRING="q=a%20b", HTTP_USER_AGENT="a b/1.0")
    found = COMBINED.fullmatch(line.decode().removesuffix("\n"))
    client, _, method, target, status, sent, referer, agent, others = found.groups()
    assert (client, method, target, status, sent) == (
        "192.0.2.7",
        "GET",
        "/a.txt?q=a%20b",
        "200",
        "99",
    )
    assert (referer, agent) == ("-", "a b/1.0")
    assert others.split() == [
        "source=swift", "view=html", "stored=4321", "open=0.251", "first_byte=0.26", "total=1.5",
        "ending=complete", f"worker={os.getpid()}", "transaction=-",
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["json", "combined"])
@pytest.mark.parametrize("times", [1, 40])
def test_hostile_bytes_stay_in_one_line_that_a_pipe_takes_in_one_piece(path, form, times):
    names = ("PATH_INFO", "SCRIPT_NAME", "QUERY_STRING", "HTTP_REFERER", "HTTP_USER_AGENT")
    line = written(path, form, **dict.fromkeys((*names, "REQUEST_METHOD"), HOSTILE * times))
    assert line.endswith(b"\n")
    assert re.fullmatch(rb"[ -~]*", line[:-1])
    assert len(line) <= 4096
    if form == "json":
        assert json.loads(line)["path"].startswith("%00%01%02")
    else:
        assert line.count(b'"') == 6


def test_a_path_reads_as_in_the_address(path):
    line = written(path, SCRIPT_NAME="/logs", PATH_INFO="/a b%\n\xff.txt")
    assert json.loads(line)["path"] == "/logs/a%20b%25%0A%FF.txt"


def test_lines_are_appended_by_one_write_each(path, monkeypatch):
    path.write_bytes(b"before\n")
    log = RequestLog(str(path), "json")
    writes = []
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, line: writes.append(line) or write(fd, line))
    log.write(fields())
    log.write(fields())
    assert path.read_bytes() == b"before\n" + b"".join(writes)
    assert [line.count(b"\n") for line in writes] == [1, 1]


@pytest.mark.parametrize("made_anew", [False, True])
def test_a_file_that_was_moved_away_is_made_again(path, monkeypatch, made_anew):
    monkeypatch.setattr(request_log, "LOOK_EVERY", 0)
    log = RequestLog(str(path), "json")
    old = path.with_suffix(".1")
    log.write(fields())
    for lines in (1, 2, 2):
        path.rename(old)
        if made_anew:
            path.touch()
        log.write(fields())
        assert old.read_bytes().count(b"\n") == lines
        log.write(fields())
        assert path.read_bytes().count(b"\n") == 2
    assert not os.get_inheritable(log._fd)


def test_the_file_is_not_looked_at_for_each_line(path, monkeypatch):
    log = RequestLog(str(path), "json")
    monkeypatch.setattr(log, "_follow", None)
    for _ in range(10):
        log.write(fields())
    assert path.read_bytes().count(b"\n") == 10


def test_what_cannot_be_written_is_dropped(monkeypatch):
    log = RequestLog("/dev/full", "json")
    log.write(fields())
    monkeypatch.setattr(request_log, "LOOK_EVERY", 0)
    log._look_at = 0
    monkeypatch.setattr(log, "_path", "/not/there")
    log.write(fields())


def test_standard_error_is_written_to_as_it_is(capfd):
    RequestLog("stderr", "json").write(fields())
    assert json.loads(capfd.readouterr().err)["path"] == "/a.txt"


def test_a_file_that_cannot_be_opened_is_made_once_it_can_be(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(request_log, "LOOK_EVERY", 0)
    path = tmp_path / "not" / "there"
    log = RequestLog(str(path), "json")
    assert f"[request_log] to: {path}: No such file or directory" in capfd.readouterr().err
    log.write(fields())
    path.parent.mkdir()
    log.write(fields())
    assert path.read_bytes().count(b"\n") == 1
    assert not os.get_inheritable(log._fd)
