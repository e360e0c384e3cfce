# SPDX-License-Identifier: Apache-2.0
import contextlib
import io
import json
import os
import re
import shutil

import pytest

from oslogserve.http.answer import Answer, Body
from oslogserve.http.request_log import RequestLog, fields_of
from oslogserve.metrics import Metrics

METRICS = Metrics()
HOSTILE = "".join(map(chr, range(256)))


def fields(**environ):
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/a.txt", **environ}
    body = Body(Answer(view="html", source="swift", stored_size=4321), METRICS, 0)
    body.ending, body.seconds, body.first_byte, body.sent = "complete", 1.5, 0.26, 99
    return fields_of(environ, body, 0.251) | {"client": "192.0.2.7", "transaction": ""}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "requests.log"


@pytest.fixture
def opened():
    with contextlib.ExitStack() as stack:

        def open_log(to):
            log = RequestLog(str(to))
            stack.enter_context(contextlib.suppress(OSError))
            stack.callback(log._handler.close)
            return log

        yield open_log


@pytest.fixture
def written(path, opened):
    def write(**environ):
        opened(path).write(fields(**environ))
        return path.read_bytes()

    return write


def test_the_time_of_a_line_is_that_of_the_request_not_of_its_end(monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1_772_690_400.0)
    assert fields()["time"] == "2026-03-05T05:59:58.500+00:00"


def test_json_says_what_was_measured(written):
    line = json.loads(written(QUERY_STRING="level=ERROR"))
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


@pytest.mark.parametrize("times", [1, 40])
def test_hostile_bytes_stay_in_one_line_that_a_pipe_takes_in_one_piece(written, times):
    names = ("PATH_INFO", "SCRIPT_NAME", "QUERY_STRING", "HTTP_REFERER", "HTTP_USER_AGENT")
    line = written(**dict.fromkeys((*names, "REQUEST_METHOD"), HOSTILE * times))
    assert line.endswith(b"\n")
    assert re.fullmatch(rb"[ -~]*", line[:-1])
    assert len(line) <= 4096
    assert json.loads(line)["path"].startswith("%00%01%02")


def test_a_path_reads_as_in_the_address(written):
    line = written(SCRIPT_NAME="/logs", PATH_INFO="/a b%\n\xff.txt")
    assert json.loads(line)["path"] == "/logs/a%20b%25%0A%FF.txt"


class Watched(io.FileIO):
    """A file that keeps each write."""

    def __init__(self, path):
        super().__init__(path, "a")
        self.writes = []

    def write(self, data):
        self.writes.append(bytes(data))
        return super().write(data)


def test_each_line_is_appended_by_one_write(path, opened):
    log = opened(path)
    for _ in range(2):  # the handler opens its file, and then once more
        log.write(fields())
    before = path.read_bytes()
    file = Watched(path)
    log._handler.setStream(io.TextIOWrapper(io.BufferedWriter(file))).close()
    long = "x" * 9000
    for number in range(3):
        log.write(fields(HTTP_REFERER=long, HTTP_USER_AGENT=long, QUERY_STRING=str(number)))
    assert path.read_bytes() == before + b"".join(file.writes)
    assert [line.count(b"\n") for line in file.writes] == [1, 1, 1]


@pytest.mark.parametrize("made_anew", [False, True])
def test_a_file_that_was_moved_away_is_made_again(path, opened, made_anew):
    log = opened(path)
    old = path.with_suffix(".1")
    for _ in range(3):
        log.write(fields())
        path.rename(old)
        if made_anew:
            path.touch()
        log.write(fields())
        assert old.read_bytes().count(b"\n") == path.read_bytes().count(b"\n") == 1
        path.unlink()


def test_a_new_file_is_for_its_owner_and_group(path, opened):
    opened(path).write(fields())
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_written_is_dropped(tmp_path, opened, capfd):
    for log in (opened("/dev/full"), opened(tmp_path / "requests.log")):
        log.write(fields())
        shutil.rmtree(tmp_path, ignore_errors=True)
        log.write(fields())
    assert capfd.readouterr().err == ""


def test_standard_error_is_written_to_as_it_is(capfd, opened):
    opened("stderr").write(fields())
    assert json.loads(capfd.readouterr().err)["path"] == "/a.txt"


def test_a_standard_error_that_is_closed_gets_no_line(opened, monkeypatch):
    with open(os.devnull) as unused:
        monkeypatch.setattr("oslogserve.http.request_log._STDERR", unused.fileno())
    log = opened("stderr")
    assert log.fault.startswith("stderr: Bad file descriptor")
    log.write(fields())


def test_a_file_that_cannot_be_opened_is_made_once_it_can_be(tmp_path, opened):
    path = tmp_path / "not" / "there"
    log = opened(path)
    assert log.fault.startswith(f"{path}: No such file or directory")
    log.write(fields())
    path.parent.mkdir()
    log.write(fields())
    assert path.read_bytes().count(b"\n") == 1
