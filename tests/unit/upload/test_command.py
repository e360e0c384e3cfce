# SPDX-License-Identifier: Apache-2.0
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading

import pytest

from oslogserve.cli import main
from oslogserve.errors import SourceError
from oslogserve.upload import command
from tests.unit.upload.fakes import FakeStore

SWIFT = "[swift]\nauth_version = 1\nauth_url = http://swift\nusername = a\npassword = b\n"


@pytest.fixture
def store(monkeypatch):
    """The one in which all is stored at the end; one of its own shows a console grow."""
    store = FakeStore()

    def made(_options, _config, patience, _prefix=""):
        return store if patience else FakeStore()

    monkeypatch.setattr(command, "_store", made)
    return store


@pytest.fixture
def upload(tmp_path):
    config = tmp_path / "site.conf"
    config.write_text(f"{SWIFT}container = logs\n")
    (tmp_path / "keep").mkdir()
    options = "--config", str(config), "--keep", str(tmp_path / "keep"), "--parallel", "1"
    return lambda *arguments: main(["upload", *map(str, arguments), *options])


@pytest.fixture
def console(monkeypatch):
    """The end of a pipe whose other end is standard input."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with os.fdopen(writing, "wb", buffering=0) as stream:
            yield stream


def stored(store):
    return {place.name: content for place, (_, content) in store.objects.items()}


def test_a_folder_is_uploaded_below_the_prefix(store, upload, tmp_path, capsys):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.txt").write_bytes(b"a line\n")
    assert upload(tmp_path / "logs", "--prefix", "//42/7/") == 0
    assert stored(store) == {"42/7/a.txt": b"a line\n"}
    assert capsys.readouterr().out.startswith("1 uploaded (7 B, 7 B as stored), 0 there")


def test_a_folder_that_is_missing_is_a_wrong_argument(store, upload, tmp_path, capsys):
    assert upload(tmp_path / "missing") == 2
    assert "No such file" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--prefix", "a/../b"], ["--name", "a/b"], ["--name", ".."]])
def test_a_name_that_the_server_would_refuse_is_a_wrong_argument(store, upload, console, options):
    assert upload("-", *options) == 2


def test_without_a_container_nothing_is_uploaded(tmp_path, capsys):
    assert main(["upload", str(tmp_path)]) == 2
    assert "--container" in capsys.readouterr().err


def test_lines_of_a_pipe_that_does_not_block_are_waited_for(store, upload, console):
    os.set_blocking(sys.stdin.fileno(), False)
    writer = threading.Timer(0.1, lambda: (console.write(b"a line\n"), console.close()))
    writer.start()
    assert upload("-") == 0
    writer.join()
    assert stored(store) == {"job-output.txt": b"a line\n"}


def test_a_console_that_cannot_be_read_any_more_is_stored_so_far_and_told(
    store, upload, console, monkeypatch, tmp_path, capsys
):
    chunks = [b"a line\n"]

    def read(_):
        if chunks:
            return chunks.pop()
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(command, "_read", read)
    assert upload("-", "--prefix", "a b") == 1
    assert stored(store) == {"a b/job-output.txt": b"a line\n"}
    assert capsys.readouterr().err == ("oslogserve: standard input broke off: Input/output error\n")
    assert list((tmp_path / "keep").iterdir()) == []


def test_a_console_that_is_not_stored_is_kept_with_the_command_that_stores_it(
    store, upload, console, tmp_path, capsys
):
    console.write(b"a line\n")
    console.close()

    def fail():
        raise SourceError("swift", "status 507")

    store.on_replace = fail
    assert upload("-", "--prefix", "42/a b", "--expire", "1d", "--container", "c_{partition}") == 1
    (kept,) = (tmp_path / "keep").glob("*/job-output.txt")
    assert kept.read_bytes() == b"a line\n"
    failed, told = capsys.readouterr().err.splitlines()
    assert failed == "oslogserve: job-output.txt: not uploaded: Swift: status 507"
    again = shlex.split(told.partition("by: ")[2])
    assert again[:3] == ["oslogserve", "upload", str(kept.parent)]
    store.on_replace = lambda: None
    store.is_stopped = False
    assert main(again[1:]) == 0
    assert stored(store) == {"a b/job-output.txt": b"a line\n"}
    assert [place.container for place in store.objects] == ["c_42"]


@pytest.mark.parametrize(("signals", "content"), [(1, b"one\ntwo\n"), (2, b"one\n")])
def test_the_first_signal_waits_for_the_last_lines_and_the_second_does_not(
    store, upload, console, monkeypatch, capsys, signals, content
):
    before = signal.getsignal(signal.SIGTERM)
    chunks = [b"one\n", b"two\n", b""]

    def read(_):
        if 4 - len(chunks) in (3 - signals, 2):
            os.kill(os.getpid(), signal.SIGTERM)
        return chunks.pop(0)

    monkeypatch.setattr(command, "_read", read)
    assert upload("-") == signals - 1
    assert stored(store) == {"job-output.txt": content}
    assert ("interrupted" in capsys.readouterr().err) == (signals == 2)
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("arguments", [("--name", "\udcff"), ("--container", "logs_{partition}")])
def test_a_console_without_a_place_is_refused_before_it_is_read(
    store, upload, console, capsys, arguments
):
    assert upload("-", *arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_sigterm_stops_a_folder_and_is_told(store, upload, tmp_path, capsys, monkeypatch):
    stopped = threading.Event()
    monkeypatch.setattr(store, "stop", lambda: (setattr(store, "is_stopped", True), stopped.set()))

    def end():
        os.kill(os.getpid(), signal.SIGTERM)
        stopped.wait(5)

    store.on_replace = end
    (tmp_path / "logs").mkdir()
    for name in "ab":
        (tmp_path / "logs" / name).write_bytes(b"a line\n")
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # else its default ends the tests
    try:
        assert upload(tmp_path / "logs") == 1
    finally:
        signal.signal(signal.SIGTERM, before)
    out, err = capsys.readouterr()
    assert "stopped: run it again" in err
    assert out.startswith("1 uploaded")


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_a_folder_at_once(tmp_path, second):
    (tmp_path / "a.txt").write_bytes(b"a line\n")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(30)
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v3"
        account = {"OS_AUTH_URL": address, "OS_USERNAME": "u", "OS_PASSWORD": "p"}
        words = ["upload", str(tmp_path), "--prefix", "a", "--container", "logs"]
        with (
            subprocess.Popen(
                [sys.executable, "-W", "ignore", "-m", "oslogserve", *words],
                env=os.environ | account | {"OS_PROJECT_NAME": "ci"},
                stderr=subprocess.PIPE,
            ) as process,
            silent.accept()[0],
        ):
            process.send_signal(signal.SIGINT)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.5)
            process.send_signal(second)
            assert process.wait(5) == -second
            assert process.stderr.read() == b""
