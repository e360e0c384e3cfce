# SPDX-License-Identifier: Apache-2.0
"""etc/ci/note.py: the excerpt of a job as a note of its pull or merge request."""

import importlib.util
import json
import re
import sys

import pytest

from tests.servers.notes import TOKEN, Notes
from tests.servers.process import HOST, REPOSITORY, free_port

_SPEC = importlib.util.spec_from_file_location("note", REPOSITORY / "etc/ci/note.py")
note = importlib.util.module_from_spec(_SPEC)
sys.dont_write_bytecode, _kept = True, sys.dont_write_bytecode
_SPEC.loader.exec_module(note)
sys.dont_write_bytecode = _kept


@pytest.fixture
def notes():
    with Notes() as notes:
        yield notes


@pytest.fixture(params=["github", "gitlab"])
def to(request):
    return request.param


@pytest.fixture
def write(notes, to, monkeypatch, tmp_path, capsys):
    """Runs the script for a job; returns what it said, which never has the token."""
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": 5}}))
    variables = {
        "CI_API_V4_URL": notes.url,
        "CI_MERGE_REQUEST_IID": "5",
        "CI_PROJECT_ID": "17",
        "GITHUB_API_URL": notes.url,
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
        "GITHUB_REPOSITORY": "acme/shop",
        "GITHUB_TOKEN": TOKEN,
        "NO_PROXY": "*",
        "OSLOGSERVE_GITLAB_TOKEN": TOKEN,
    }
    for name, text in variables.items():
        monkeypatch.setenv(name, text)
    monkeypatch.setattr(note, "PAUSE", 0)

    def run(*options, server=notes.url, run="7.1", result="failure", name="ci/test"):
        given = ["--server", server, "--path", "a/7/1/test", "--name", name, "--run", run]
        given += ["--result", result, "--to", to, *options]
        monkeypatch.setattr(sys, "argv", ["note.py", *given])
        assert note.main() is None
        said = capsys.readouterr()
        assert TOKEN not in said.out + said.err
        assert said.out.startswith(f"Logs: {server}/a/7/1/test/\n")
        return said.out.partition("\n")[2] + said.err

    return run


def test_a_later_run_replaces_the_note_and_an_earlier_one_does_not(write, notes):
    assert write() == "oslogserve: the note was written\n"
    [first] = notes.bodies
    mark, _, text = first.partition("\n")
    assert re.fullmatch(r"<!-- oslogserve [0-9a-f]{16} 7000000000001 -->", mark)
    assert text == notes.excerpt
    notes.excerpt = "### `/job/2/`\n"
    assert write(run="7.2") == "oslogserve: the note was replaced\n"
    assert notes.bodies == [f"{mark.replace('01 -', '02 -')}\n{notes.excerpt}"]
    assert write() == "oslogserve: the note is of a later run\n"
    assert write(run="8.1", result="success") == "oslogserve: the note was replaced\n"
    assert len(notes.bodies) == 1


def test_each_job_has_a_note_of_its_own_and_its_name_is_no_part_of_it(write, notes):
    names = "ci/test", "ci/other", "--> <script> @all #1", "ci/test"
    for number, name in enumerate(names, 7):
        write(name=name, run=f"{number}.1")
    assert len(notes.bodies) == 3
    assert not any(name in body for name in names for body in notes.bodies)


@pytest.mark.parametrize("result", ["failure", "failed", "FAILURE", "UNSTABLE"])
def test_a_job_that_failed_gets_a_note(write, result):
    assert write(result=result) == "oslogserve: the note was written\n"


@pytest.mark.parametrize("result", ["success", "cancelled", "CANCELED", "ABORTED"])
def test_a_job_that_did_not_fail_gets_no_note(write, notes, result):
    assert "did not fail" in write(result=result)
    assert notes.bodies == []


def test_the_note_is_found_behind_others_and_those_of_others_are_left_as_they_are(write, notes):
    write()
    [written] = notes.bodies
    notes.notes.clear()
    for _ in range(120):
        notes.add(written, "somebody")
    notes.add(None)
    assert write(run="8.1") == "oslogserve: the note was written\n"
    assert write(run="9.1") == "oslogserve: the note was replaced\n"
    assert len(notes.notes) == 122
    assert notes.bodies[:120] == [written] * 120


@pytest.mark.parametrize("status", [302, 401, 403, 404, 429, 500])
def test_what_a_server_refuses_is_said_without_its_words(write, notes, status):
    notes.status = status
    assert write() == f"oslogserve: no note: GET http://{HOST}: status {status}\n"
    asked = [url for _, url in notes.requests if "format" not in url]
    assert len(asked) == 1  # a redirect is not followed: it would get the token
    assert notes.bodies == []


def test_without_a_token_or_a_number_there_is_no_note(write, to, monkeypatch):
    token = {"github": "GITHUB_TOKEN", "gitlab": "OSLOGSERVE_GITLAB_TOKEN"}[to]
    monkeypatch.setenv(token, "")
    assert write().startswith(f"oslogserve: no note: {token} is not set")
    monkeypatch.setenv(token, TOKEN)
    monkeypatch.setenv("GITHUB_EVENT_PATH", "/dev/null")
    monkeypatch.delenv("CI_MERGE_REQUEST_IID")
    assert "is not of a " in write()
    assert write("--number", "5") == "oslogserve: the note was written\n"


def test_a_server_that_is_down_is_asked_again_and_then_there_is_a_link_alone(
    write, notes, tmp_path
):
    summary = tmp_path / "summary"
    notes.status_of_excerpt = 503
    assert (
        write("--summary", str(summary)) == f"oslogserve: no note: GET http://{HOST}: status 503\n"
    )
    assert [url for _, url in notes.requests] == [notes.requests[0][1]] * 3
    assert f"### [Logs]({notes.url}/a/7/1/test/)\n" in summary.read_text()
    said = write(server=f"http://{HOST}:{free_port()}")
    assert said == f"oslogserve: no note: GET http://{HOST}: ConnectionRefusedError\n"
    assert "no address of a server" in write(server="file:///etc")


def test_an_excerpt_is_asked_for_with_its_size_and_origin(write, notes, tmp_path):
    write("--bytes", "100000", "--summary", str(tmp_path / "summary"), server=f"{notes.url}/logs")
    assert notes.requests[0] == (
        "GET",
        f"/logs/a/7/1/test/?format=markdown&bytes=60000&origin={notes.url}",
    )
    assert (tmp_path / "summary").read_text() == f"{notes.excerpt}\n"


def test_a_password_in_the_address_of_the_server_is_not_shown(monkeypatch, capsys, tmp_path):
    summary = tmp_path / "summary"
    given = ["--server", f"http://user:{TOKEN}@{HOST}:1/", "--path", "a", "--summary", str(summary)]
    monkeypatch.setattr(sys, "argv", ["note.py", *given])
    note.main()
    said = capsys.readouterr()
    assert (said.out, summary.exists()) == ("", False)
    assert said.err == "oslogserve: no note: a password in the address would be shown\n"


def test_a_path_that_is_not_utf_8_has_its_bytes_in_the_link(monkeypatch, capsys):
    given = ["--server", "file://nowhere", "--path", "a/\udcff"]
    monkeypatch.setattr(sys, "argv", ["note.py", *given])
    monkeypatch.setattr(note, "PAUSE", 0)
    note.main()
    assert capsys.readouterr().out == "Logs: file://nowhere/a/%FF/\n"


def test_a_server_that_asks_for_a_password_gets_the_header_of_the_environment(
    write, notes, monkeypatch
):
    notes.password = "Basic Zm9vOmJhcg=="
    assert write().endswith(f"oslogserve: no note: GET http://{HOST}: status 401\n")
    monkeypatch.setenv("OSLOGSERVE_HEADER", f"Authorization: {notes.password}")
    assert write() == "oslogserve: the note was written\n"
    assert write(run="7.2") == "oslogserve: the note was replaced\n"
