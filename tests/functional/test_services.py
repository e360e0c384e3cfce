# SPDX-License-Identifier: Apache-2.0
"""etc/systemd: the units, and that no request is lost when the service is reloaded or restarted."""

import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager
from grp import getgrgid
from pwd import getpwuid

import pytest

from tests.servers.client import ask, begin
from tests.servers.process import poll
from tests.servers.readers import Readers, write_logs
from tests.servers.systemd import SERVICE, SOCKET, UNITS, Service

ROTATION = UNITS.parent / "logrotate/oslogserve.conf"
#: Larger than what gunicorn and the kernel take ahead of a reader.
LARGE = b"2026-03-04 18:22:11.000 1 INFO nova.compute [-] A line like any other\n" * 400_000


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    write_logs(folder)
    (folder / "large.txt").write_bytes(LARGE)
    return folder


@pytest.fixture
def service(logs):
    with Service(f"[disk]\nroot = {logs}\n") as running:
        yield running


@contextmanager
def slow_reader(server):
    """Has begun to read a large log; in the end it reads the rest, which must be all of it."""
    connection, answer = begin(server, "/large.txt")
    with ExitStack() as stack:
        stack.callback(connection.close)
        first = answer.read(1000)
        yield
        assert first + answer.read() == LARGE


@pytest.mark.long
def test_a_reload_and_a_restart_under_load_lose_no_request(service):
    readers = Readers(service)
    with readers.reading():
        for change in (service.reload, service.reload, service.restart, service.restart):
            readers.wait_for(100)
            change()
        readers.wait_for(100)
    assert readers.lost == []


def test_a_log_that_is_being_read_is_read_to_its_end(service):
    with slow_reader(service):
        service.reload()
        with urllib.request.urlopen(f"{service.url}/0.txt", timeout=60) as answer:
            assert answer.read() == b"log 0\n"


def test_a_reload_takes_the_changed_configuration(service, tmp_path):
    (tmp_path / "new.txt").write_text("new\n")
    (service.root / "oslogserve.conf").write_text(f"[disk]\nroot = {tmp_path}\n")
    service.reload()

    def is_new():
        try:
            with urllib.request.urlopen(f"{service.url}/new.txt", timeout=60) as answer:
                return answer.read() == b"new\n"
        except urllib.error.HTTPError as error:
            return error.code != 404

    poll(is_new, lambda: AssertionError(service.process.tail()), 60)


@pytest.fixture
def units(tmp_path):
    """The units as they are, but for a program that is there."""
    for unit in (SERVICE, SOCKET):
        text = unit.read_text().replace("/opt/oslogserve/bin/oslogserve", sys.executable)
        (tmp_path / unit.name).write_text(text)
    return tmp_path


def test_logrotate_turns_the_request_log_over_and_no_line_is_lost(logs, tmp_path):
    log, rotated = tmp_path / "requests.log", tmp_path / "requests.log.1"
    user, group = getpwuid(os.geteuid()).pw_name, getgrgid(os.getegid()).gr_name
    shipped = ROTATION.read_text().replace("su oslogserve oslogserve", f"su {user} {group}")
    settings = tmp_path / "logrotate.conf"
    settings.write_text(shipped.replace("/var/log/oslogserve", str(tmp_path)))
    settings.chmod(0o644)
    with Service(f"[disk]\nroot = {logs}\n[request_log]\nto = {log}\n") as service:
        asked = 0

        def has_lines():
            nonlocal asked
            asked += 1
            return ask(service, "/0.txt").status == 200 and log.exists() and log.stat().st_size

        poll(has_lines, lambda: AssertionError(service.process.tail()), 60)
        assert (
            run("logrotate", "--force", "--state", str(tmp_path / "state"), str(settings))[0] == 0
        )
        assert rotated.exists()  # and maybe the new one: a line is written behind its answer
        poll(has_lines, lambda: AssertionError(service.process.tail()), 60)
    assert rotated.read_text().count("\n") + log.read_text().count("\n") == asked


def run(*arguments, stdin=None):
    """(exit status, what it says)."""
    assert shutil.which(arguments[0]), "install Debian's systemd"
    told = subprocess.run(arguments, check=False, input=stdin, capture_output=True, text=True)
    return told.returncode, told.stdout + told.stderr


def test_systemd_takes_the_units(units):
    status, told = run(
        "systemd-analyze", "verify", "--man=no", *(str(path) for path in units.iterdir())
    )
    assert (status, told) == (0, "")


def test_systemd_calls_the_service_hardened(units):
    options = ("--offline=true", "--threshold=20")
    status, told = run("systemd-analyze", "security", *options, str(units / SERVICE.name))
    assert status == 0, told


def test_the_services_user_is_understood(tmp_path):
    users = (UNITS / "sysusers.conf").read_text()
    system = f"--root={tmp_path}"  # this one may have the user
    status, told = run("systemd-sysusers", "--dry-run", system, "-", stdin=users)
    assert (status, "oslogserve" in told) == (0, True), told
