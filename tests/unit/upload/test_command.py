# SPDX-License-Identifier: Apache-2.0
import ctypes
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from oslogserve.cli import main
from oslogserve.errors import SourceError
from oslogserve.upload import command
from tests.servers.process import poll
from tests.unit.upload.fakes import FakeWriter

SWIFT = "[swift]\nauth_version = 1\nauth_url = http://swift\nusername = a\npassword = b\n"
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture
def writer(monkeypatch):
    """The writer of complete files; the one that shows a console grow is another."""
    writer = FakeWriter()

    def made(_options, _destination, _report, patience, _prefix=""):
        return writer if patience else FakeWriter()

    monkeypatch.setattr(command, "_writer", made)
    return writer


@pytest.fixture
def upload(tmp_path):
    """Runs the command, and restores the handlers of signals."""
    config = tmp_path / "site.conf"
    config.write_text(f"{SWIFT}container = logs\n")
    (tmp_path / "keep").mkdir()
    (tmp_path / "logs").mkdir()
    options = "--config", str(config), "--keep", str(tmp_path / "keep"), "--parallel", "1"
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield lambda *arguments: main(["upload", *map(str, arguments), *options])
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def console(monkeypatch):
    """The end of a pipe whose other end is standard input."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with os.fdopen(writing, "wb", buffering=0) as stream:
            yield stream


@pytest.mark.parametrize(
    "arguments",
    [
        ["missing-folder"],
        ["-", "--prefix", "a/../b"],
        ["-", "--name", "a/b"],
        ["-", "--name", ".."],
        ["-", "--name", "\udcff"],
        ["-", "--container", "logs_{partition}"],
    ],
)
def test_an_argument_that_cannot_work_is_refused_first(writer, upload, console, capsys, arguments):
    assert upload(*arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_prefix_of_slashes_alone_is_refused_as_an_empty_one(tmp_path, writer, capsys):
    (tmp_path / "console.log").write_bytes(b"line\n")
    assert main(["upload", str(tmp_path), "--container", "logs", "--prefix", "//"]) == 2
    assert capsys.readouterr().err.startswith("oslogserve: --prefix //: it is empty")
    assert not writer.objects


def test_without_a_container_nothing_is_uploaded(tmp_path, capsys):
    assert main(["upload", str(tmp_path)]) == 2
    assert "--container" in capsys.readouterr().err


def test_lines_of_a_pipe_that_does_not_block_are_waited_for(writer, upload, console):
    os.set_blocking(sys.stdin.fileno(), False)
    thread = threading.Timer(0.1, lambda: (console.write(b"a line\n"), console.close()))
    thread.start()
    assert upload("-") == 0
    thread.join()
    assert writer.stored() == {"logs/job-output.txt": b"a line\n"}


def test_a_console_that_cannot_be_read_any_more_is_stored_so_far_and_reported(
    writer, upload, console, monkeypatch, tmp_path, capsys
):
    chunks = [b"a line\n"]

    def read(_):
        if chunks:
            return chunks.pop()
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(command, "_read", read)
    assert upload("-", "--prefix", "a b") == 1
    assert writer.stored() == {"logs/a b/job-output.txt": b"a line\n"}
    assert capsys.readouterr().err == "oslogserve: standard input broke off: Input/output error\n"
    assert list((tmp_path / "keep").iterdir()) == []


@pytest.mark.parametrize(("signals", "content"), [(1, b"one\ntwo\n"), (2, b"one\n")])
def test_the_first_signal_waits_for_the_last_lines_and_the_second_does_not(
    writer, upload, console, monkeypatch, capsys, signals, content
):
    chunks = [b"one\n", b"two\n", b""]

    def read(_):
        if 4 - len(chunks) in (3 - signals, 2):
            os.kill(os.getpid(), signal.SIGTERM)
        return chunks.pop(0)

    monkeypatch.setattr(command, "_read", read)
    assert upload("-") == signals - 1
    assert writer.stored() == {"logs/job-output.txt": content}
    assert ("interrupted" in capsys.readouterr().err) == (signals == 2)


def test_sigterm_stops_a_folder_and_is_reported(writer, upload, tmp_path, capsys):
    def end():
        os.kill(os.getpid(), signal.SIGTERM)
        writer.stopped.wait(5)

    writer.on_replace = end
    for name in "ab":
        (tmp_path / "logs" / name).write_bytes(b"a line\n")
    assert upload(tmp_path / "logs") == 3
    out, err = capsys.readouterr()
    assert "stopped: run it again" in err
    assert out.startswith("1 uploaded")


def catches(pid, number):
    """True if the process has a handler for the signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^SigCgt:\s*(\w+)", status, re.MULTILINE)[1], 16) >> (number - 1) & 1


def send_to_another_thread(pid, number):
    """Sends a signal to a thread of the process that is not its main thread."""
    other = next(int(task) for task in os.listdir(f"/proc/{pid}/task") if int(task) != pid)
    assert ctypes.CDLL(None).tgkill(pid, other, number) == 0


@pytest.mark.parametrize("second", SIGNALS)
@pytest.mark.parametrize("send", [os.kill, send_to_another_thread])
def test_a_second_signal_ends_a_folder_at_once(tmp_path, send, second):
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
            send(process.pid, signal.SIGINT)
            untaken = partial(AssertionError, "it did not take the first signal")
            poll(lambda: not catches(process.pid, second), untaken, 30)
            assert process.poll() is None
            process.send_signal(second)
            assert process.wait(5) == -second
            assert process.stderr.read() == b""


@pytest.mark.parametrize("command", [["upload", "."], ["bench", "put"]])
def test_a_public_container_is_not_written_to_without_credentials(tmp_path, capsys, command):
    config = tmp_path / "public.conf"
    config.write_text("[swift]\ncontainer = logs\nstorage_url = http://127.0.0.1:9/v1/a\n")
    assert main([*command, "--config", str(config)]) == 2
    assert "storage_url is for reading" in capsys.readouterr().err


@pytest.fixture
def mask(tmp_path):
    path = tmp_path / "mask"
    path.write_bytes(b"another one\nhunter2\n")
    return path


def test_a_folder_is_masked_and_the_counts_come_before_the_summary(
    writer, upload, mask, tmp_path, capsys
):
    (tmp_path / "logs" / "a.txt").write_bytes(b"hunter2\nhunter2\n")
    assert upload(tmp_path / "logs", "--mask", mask) == 0
    assert writer.stored() == {"logs/a.txt": b"***\n***\n"}
    counts, summary = capsys.readouterr().out.splitlines()
    assert counts == "Masked 2 times: value 2 (2)"
    assert summary.startswith("1 uploaded")


def test_a_console_is_masked_before_it_is_kept_on_disk(
    writer, upload, console, mask, monkeypatch, tmp_path, capsys
):
    chunks = [b"a line\nhun", b"ter2 and hunt"]
    kept = []

    def read(_):
        kept.extend(path.read_bytes() for path in (tmp_path / "keep").glob("*/*"))
        if chunks:
            return chunks.pop(0)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(command, "_read", read)
    writer.on_replace = lambda: (_ for _ in ()).throw(OSError(28, "No space"))
    assert upload("-", "--mask", mask) == 1
    assert kept == [b"", b"a line\n", b"a line\n*** and "]
    [left] = (tmp_path / "keep").glob("*/*")
    assert left.read_bytes() == b"a line\n*** and ***"
    out, err = capsys.readouterr()
    assert out.startswith("Masked 2 times: value 2 (2)\n")
    assert "hunt" not in out + err


@pytest.mark.parametrize("content", [None, b"s3c", b""])
def test_nothing_is_uploaded_if_what_is_to_be_masked_is_unknown(
    writer, upload, mask, tmp_path, capsys, content
):
    (tmp_path / "logs" / "a.txt").write_bytes(b"s3c\n")
    if content is None:
        mask.unlink()
    else:
        mask.write_bytes(content)
    assert upload(tmp_path / "logs", "--mask", mask) == 2
    assert writer.stored() == {}
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"oslogserve: {mask}:")
    assert "s3c" not in line


def test_a_pointer_is_never_masked(writer, upload, tmp_path):
    (tmp_path / "mask").write_bytes(b"42/7\n")
    words = "--prefix", "42/7", "--passed", "unit", "--mask", tmp_path / "mask"
    assert upload(tmp_path / "logs", *words) == 0
    assert writer.stored()["logs/passed/unit"] == b"42/7\n"


def test_a_pointer_is_where_the_server_looks_for_it(writer, upload, tmp_path):
    with (tmp_path / "site.conf").open("a") as config:
        config.write("[job]\npassed_folder = /pointers/passed/\n")
    assert upload(tmp_path / "logs", "--prefix", "42/7", "--passed", "unit") == 0
    assert writer.stored() == {"logs/pointers/passed/unit": b"42/7\n"}


def test_no_pointer_leads_to_a_run_of_which_a_file_is_missing(writer, upload, tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / "logs" / name).write_text("one line\n")
    errors = [SourceError("swift", "status 403", "forbidden")]

    def refuse_one():
        if errors:
            raise errors.pop()

    writer.on_replace = refuse_one
    words = "--prefix", "42/7", "--passed", "unit"
    assert upload(tmp_path / "logs", *words) == 1
    assert not {"logs/42/7/a.txt", "logs/passed/unit"} & {*writer.stored()}
    assert upload(tmp_path / "logs", *words) == 0
    assert writer.stored()["logs/passed/unit"] == b"42/7\n"


def test_a_kept_console_is_told_with_the_command_that_stores_it_the_same_way(
    writer, upload, console, tmp_path, capsys
):
    writer.on_replace = lambda: (_ for _ in ()).throw(OSError(28, "No space"))
    console.write(b"a line\n")
    console.close()
    given = {"--prefix": "42/a b", "--container": "logs", "--expire": "30d", "--passed": "unit"}
    given["--segment-size"] = "1M"
    assert upload("-", "--no-gzip", *(word for pair in given.items() for word in pair)) == 1
    told = capsys.readouterr().err.partition("to be uploaded by: ")[2]
    *command, folder = shlex.split(told)[:3]
    assert command == ["oslogserve", "upload"]
    assert Path(folder).parent == tmp_path / "keep"
    *others, last = shlex.split(told)[3:]
    assert last == "--no-gzip"
    words = iter(others)
    assert dict(zip(words, words, strict=True)) == given | {
        "--expire": str(30 * 24 * 3600.0),
        "--segment-size": str(2**20),
        "--config": str(tmp_path / "site.conf"),
    }
