# SPDX-License-Identifier: Apache-2.0
import gzip
import json
import os
import pty
import subprocess
import sys

import pytest

from oslogserve import __version__
from oslogserve.__main__ import main as of_the_process
from oslogserve.cli import main
from oslogserve.query.parameters import PARAMETERS

LOG = b"2013-09-27 18:07:11.860 1 INFO a <b>\n2013-09-27 18:07:12.860 1 ERROR c\nTraceback\n"


@pytest.fixture
def log(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(LOG))
    return tmp_path / "a.gz"


def test_a_file_is_rendered(log, capfdbinary):
    assert main(["render", str(log), "--format", "text", "--level", "error"]) == 0
    assert capfdbinary.readouterr().out == LOG[LOG.index(b"\n") + 1 :]
    assert main(["render", str(log)]) == 0
    out = capfdbinary.readouterr().out
    assert out.startswith(b"<!DOCTYPE html>")
    assert b"<li class=e id=L3>" in out
    assert b"<b>" not in out


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        (["--level", "error"], [2, 3]),
        (["--lines", "2-"], [2, 3]),
        (["--lines", "-2"], [1, 2]),
        (["--since", "2013-09-27T18:07:12"], [2, 3]),
        (["--until", "2013-09-27T18:07:11"], [1]),
        (["--q", "info", "--q", "<b>"], [1]),
        (["--re", "^T|c$", "--not", "trace"], [2]),
        (["--re", "^T", "--context", "1"], [2, 3]),
        (["--limit", "1", "--tail", "2"], [2]),
        (["--level", "CRITICAL", "--show", "L3", "--show", "L1"], [1, 3]),
        (["--q", ""], [1, 2, 3]),
    ],
    ids=str,
)
def test_a_file_is_asked_as_the_server_is(log, capfdbinary, given, numbers):
    lines = LOG.splitlines(keepends=True)
    assert main(["render", str(log), "--format", "text", *given]) == 0
    assert capfdbinary.readouterr().out == b"".join(lines[number - 1] for number in numbers)
    assert main(["render", str(log), "--format", "jsonl", *given]) == 0
    *rows, end = map(json.loads, capfdbinary.readouterr().out.splitlines())
    assert [row["line"] for row in rows] == numbers
    assert (end["sent"], end["complete"]) == (len(numbers), True)


def test_every_parameter_of_lines_is_an_option_with_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["render", "--help"])
    told = capsys.readouterr().out
    others = ("source", "content-type", "wrap", "sort", "in", "unasked")
    others += ("goto", "moment", "chapter", "against", "origin")
    for name, parameter in PARAMETERS.items():
        if name not in others:
            assert f"--{name} " in told
        if name not in (*others, "format"):
            assert parameter.example in " ".join(told.split())


def test_a_log_is_compared_with_one_of_a_run_that_passed(tmp_path, capfdbinary):
    for name, text in (
        ("passed", b"tests passed\n"),
        ("failed", b"tests passed\nNo Rakefile found\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "console.log").write_bytes(text)
    failed, passed = str(tmp_path / "failed"), str(tmp_path / "passed")
    only = ["--new", "only", "--format", "text"]
    assert (
        main(["render", f"{failed}/console.log", "--against", f"{passed}/console.log", *only]) == 0
    )
    assert capfdbinary.readouterr().out == b"No Rakefile found\n"
    assert main(["render", failed, "--against", passed, *only]) == 0
    assert capfdbinary.readouterr().out == b"console.log:2:No Rakefile found\n"


@pytest.mark.parametrize("form", ["text", "jsonl", "summary", "html"])
def test_a_log_that_was_compared_with_a_part_is_written_and_a_status(tmp_path, capfd, form):
    (tmp_path / "a.log").write_bytes(b"tests passed\n")
    (tmp_path / "cut.log.gz").write_bytes(gzip.compress(b"x\n" * 999)[:-5])
    asked = ["render", str(tmp_path / "a.log"), "--against", str(tmp_path / "cut.log.gz")]
    assert main([*asked, "--format", form]) == 1
    out, err = capfd.readouterr()
    assert "tests passed" in out or form == "summary"
    assert (
        err
        == "oslogserve: it was compared with a part of cut.log.gz: the compressed data ends early\n"
    )


@pytest.mark.parametrize("name", ["console.log", ""])
def test_a_passed_log_that_is_not_there_is_told_by_its_path(tmp_path, capsys, name):
    (tmp_path / "console.log").write_bytes(b"tests passed\n")
    missing = tmp_path / "passed/none.log"
    assert main(["render", str(tmp_path / name), "--against", str(missing)]) == 2
    assert capsys.readouterr() == ("", f"oslogserve: {missing}: No such file or directory\n")


@pytest.mark.parametrize("view", ["text", "summary"])
def test_a_folder_without_logs_is_told(tmp_path, capfd, view):
    assert main(["render", str(tmp_path), "--format", view]) == 0
    assert capfd.readouterr().err == f"oslogserve: {tmp_path}: this folder has no logs\n"
    (tmp_path / "a.log").write_bytes(b"line\n")
    assert main(["render", str(tmp_path), "--format", view, "--logs", "b*"]) == 0
    assert capfd.readouterr().err == f"oslogserve: {tmp_path}: no log here has such a name\n"


def test_a_stamp_without_a_year_is_of_the_time_the_file_was_written(tmp_path, capfdbinary):
    (tmp_path / "a").write_bytes(b"Mar  8 12:20:42 host unit[1]: x\n")
    os.utime(tmp_path / "a", (1.4e9, 1.4e9))
    assert main(["render", str(tmp_path / "a"), "--format", "jsonl", "--since", "2014"]) == 0
    assert json.loads(capfdbinary.readouterr().out.splitlines()[0])["time"] == "2014-03-08T12:20:42"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--level", "x"], "such as level=ERROR."),
        (["--re", "("], "an opening parenthesis is never closed"),
        (["--lines", "x"], "such as lines=1000-2000."),
        (["--since", "yesterday"], "such as since=2013-09-27T18:22."),
        (["--level", "INFO", "--level", "ERROR"], "contradicts"),
    ],
    ids=str,
)
def test_a_bad_value_is_told_with_an_example_and_is_status_2(log, capfd, given, told):
    assert main(["render", str(log), *given]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("oslogserve: ")
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("option", ["--q", "--re", "--not", "--level", "--show"])
def test_what_is_no_utf_8_is_taken_as_the_server_takes_it(log, capfdbinary, option):
    assert main(["render", str(log), "--format", "text", option, "\udcff"]) in (0, 2)
    assert b"Traceback (" not in capfdbinary.readouterr().err


def test_a_file_is_rendered_with_the_formats_of_a_configuration(log, tmp_path, capfdbinary):
    config = tmp_path / "oslogserve.conf"
    config.write_text("[format ours]\npattern = @(?P<severity>[A-Z])\nwords = E:ERROR I:INFO\n")
    (tmp_path / "ours.log").write_bytes(b"@I one\n@E two\n")
    asked = ["render", str(tmp_path / "ours.log"), "--format", "text", "--level", "ERROR"]
    assert main([*asked, "--config", str(config)]) == 0
    assert capfdbinary.readouterr().out == b"@E two\n"
    assert main(asked) == 0
    assert capfdbinary.readouterr().out == b""


@pytest.fixture
def job(log):
    (log.parent / "later.txt").write_bytes(b"2013-09-27 18:07:13.000 1 ERROR later\n")
    return str(log.parent)


def test_the_logs_of_a_folder_are_rendered_together(job, log, capfdbinary):
    assert main(["render", job, "--level", "error", "--order", "time"]) == 0
    rows = capfdbinary.readouterr().out.splitlines()
    name = log.name.encode()
    assert [row.split(b":")[:2] for row in rows] == [
        *([name, b"2"], [name, b"3"], [b"later.txt", b"1"])
    ]
    assert main(["render", job, "--format", "summary", "--logs", "later*"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["logs"][0]["lines"] == 1


def test_a_log_of_a_folder_that_is_incomplete_is_a_status(job, log, capfdbinary):
    (log.parent / "cut.txt.gz").write_bytes(gzip.compress(b"x\n" * 999)[:-5])
    assert main(["render", job, "--q", "later"]) == 1
    assert (
        b"[oslogserve: cut.txt.gz: the compressed data ends early]" in capfdbinary.readouterr().out
    )


@pytest.mark.parametrize("given", [["--order", "time"], ["--logs", "x"], ["--from", "x"]])
def test_what_is_for_folders_is_refused_for_a_file(log, given, capsys):
    assert main(["render", str(log), *given]) == 2
    assert "are for a folder" in capsys.readouterr().err


def test_a_folder_is_not_rendered_as_html(job, capsys):
    assert main(["render", job, "--format", "html"]) == 2
    assert "text, jsonl, summary, brief and markdown" in capsys.readouterr().err


def test_a_folder_that_cannot_be_listed_is_one_sentence(tmp_path, monkeypatch, capsys):
    def forbid(folder):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", forbid)
    assert main(["render", str(tmp_path), "--level", "error"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "Permission denied" in said


def test_an_excerpt_of_a_file_names_its_lines(tmp_path, capfdbinary):
    log = b"all is well\n" * 999 + b"FAIL: test_sum (tests.Sum)\nAssertionError: 3 != 4\n"
    (tmp_path / "console.log.gz").write_bytes(gzip.compress(log))
    brief = ["--format", "brief", "--bytes", "600"]
    assert main(["render", str(tmp_path / "console.log.gz"), *brief]) == 0
    written = capfdbinary.readouterr().out
    assert b": console.log.gz:970-1001\n" in written
    assert written.endswith(b"\n>FAIL: test_sum (tests.Sum)\n AssertionError: 3 != 4\n")
    assert len(written) <= 600


@pytest.mark.parametrize("from_file", [True, False])
def test_an_excerpt_of_standard_input_reads_it_twice(tmp_path, from_file):
    (tmp_path / "a").write_bytes(b"not of it\n" + LOG)
    command = [sys.executable, "-m", "oslogserve", "render", "--format", "brief"]
    shell = '(read line; exec "$@") < a' if from_file else '(read line; exec "$@")'
    told = {} if from_file else {"input": b"not of it\n" + LOG}
    ran = subprocess.run(
        ["bash", "-c", shell, "bash", *command],
        capture_output=True,
        check=True,
        cwd=tmp_path,
        **told,
    )
    first, second, third = LOG.splitlines(keepends=True)
    lines = b" %b>%b %b" % (first, second, third)
    assert ran.stdout.endswith(b"\nstandard input:1-3\n" + lines)


def test_standard_input_is_rendered():
    command = [sys.executable, "-m", "oslogserve", "render", "--format", "text"]
    ran = subprocess.run(command, input=gzip.compress(LOG), capture_output=True, check=True)
    assert ran.stdout == LOG


@pytest.mark.parametrize(("closed", "name"), [("<&-", "input"), (">&-", "output")])
def test_a_closed_standard_stream_is_told_in_a_sentence_and_is_status_2(closed, name):
    command = ["sh", "-c", f'exec "$0" -W ignore -m oslogserve render {closed}', sys.executable]
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.decode() == f"oslogserve: standard {name} is closed\n"


def test_an_incomplete_log_is_told_and_is_status_1(log, capfdbinary):
    log.write_bytes(gzip.compress(LOG)[:-10])
    for shown in ("text", "html"):
        assert main(["render", str(log), "--format", shown]) == 1
        told = capfdbinary.readouterr()
        assert b"this log is incomplete here" in told.out
        assert told.err.startswith(b"oslogserve: this log is incomplete here: ")
        assert told.err.count(b"\n") == 1


@pytest.mark.parametrize("given", [[], ["x"], ["render", "--format", "raw"], ["render", "--nope"]])
def test_bad_arguments(given, capsys):
    with pytest.raises(SystemExit) as caught:
        main(given)
    assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize("given", [[], ["--order", "time"]])
def test_a_file_that_is_not_there_is_status_2(tmp_path, given, capsys):
    missing = tmp_path / "none"
    assert main(["render", str(missing), *given]) == 2
    assert capsys.readouterr().err == f"oslogserve: {missing}: No such file or directory\n"
    assert main(["serve", "--root", str(missing)]) == 2
    assert "none" in capsys.readouterr().err


def test_a_configuration_is_checked(tmp_path, capsys):
    file = tmp_path / "x.conf"
    file.write_text(f"[disk]\nroot = {tmp_path}\n[view a]\npattern = x\n")
    assert main(["check-config", str(file)]) == 0
    told = capsys.readouterr().out
    assert f"root = {tmp_path}" in told
    file.write_text(told)
    assert main(["check-config", str(file)]) == 0
    assert capsys.readouterr().out == told


def test_checking_a_configuration_names_options_that_are_gone_and_accepts_it(tmp_path, capsys):
    file = tmp_path / "x.conf"
    file.write_text(f"[serve]\nrenderer = pure\n[disk]\nroot = {tmp_path}\n")
    assert main(["check-config", str(file)]) == 0
    told = capsys.readouterr()
    assert told.err.startswith(f"oslogserve: {file}:2: [serve] renderer is gone: ")
    assert "renderer" not in told.out


def test_checking_a_configuration_tells_all_its_faults_in_order(tmp_path, capsys):
    file = tmp_path / "x.conf"
    file.write_text("[serve]\nlistin = no\nchunk_size = many\n[disk]\nroot = none\n[disk\n")
    assert main(["check-config", str(file)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert [line.split(" ")[1] for line in told.err.splitlines()] == (
        [f"{file}:{number}:" for number in (2, 3, 5, 6)]
    )


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"oslogserve {__version__}\n")


@pytest.fixture
def served(monkeypatch):
    """What gunicorn would be run with, by the names of its settings."""
    settings = {}

    def run(server):
        names = ("bind", "workers", "threads")
        settings.update({name: getattr(server.cfg, name) for name in names})

    monkeypatch.delenv("OSLOGSERVE_THREADS", raising=False)
    monkeypatch.setattr("oslogserve.gunicorn_hooks._Server.run", run)
    return settings


@pytest.mark.parametrize("address", ["127.0.0.1:99999", "127.0.0.1:http", ""])
def test_serve_refuses_what_is_no_address_in_a_sentence(tmp_path, capsys, address):
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--root", str(tmp_path), "--bind", address])
    assert ended.value.code == 2
    assert "argument --bind: " in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("given", "in_file", "in_environment", "threads"),
    [
        ([], "", None, 32),
        ([], "threads = 5", None, 5),
        ([], "", "6", 6),
        ([], "threads = 5", "6", 5),
        (["--threads", "7"], "threads = 5", "6", 7),
    ],
)
def test_serve_has_the_threads_of_its_command_line_file_or_environment(
    served, monkeypatch, tmp_path, given, in_file, in_environment, threads
):
    file = tmp_path / "oslogserve.conf"
    file.write_text(f"[disk]\nroot = {tmp_path}\n[serve]\n{in_file}\n")
    if in_environment:
        monkeypatch.setenv("OSLOGSERVE_THREADS", in_environment)
    assert main(["serve", "--config", str(file), "--bind", "127.0.0.1:0", *given]) == 0
    assert served["threads"] == threads


@pytest.mark.parametrize(
    ("in_file", "in_environment", "threads"),
    [("", None, 32), ("", "6", 6), ("threads = 5", "6", 5)],
)
def test_a_checked_configuration_has_the_threads_that_serve_starts(
    monkeypatch, tmp_path, capsys, in_file, in_environment, threads
):
    file = tmp_path / "oslogserve.conf"
    file.write_text(f"[disk]\nroot = {tmp_path}\n[serve]\n{in_file}\n")
    monkeypatch.delenv("OSLOGSERVE_THREADS", raising=False)
    if in_environment:
        monkeypatch.setenv("OSLOGSERVE_THREADS", in_environment)
    assert main(["check-config", str(file)]) == 0
    assert f"\nthreads = {threads}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (["--workers", "0"], "argument --workers: '0' is no number from 1 on"),
        (["--workers=-1"], "argument --workers: '-1' is no number from 1 on"),
        (["--workers", "many"], "'many' is no number from 1 on"),
        (["--threads", "0"], "threads: '0' is not understood: it takes a number from 1"),
    ],
    ids=str,
)
def test_serve_refuses_what_it_cannot_be_served_with_in_a_sentence(
    served, tmp_path, capsys, given, fault
):
    try:
        status = main(["serve", "--root", str(tmp_path), *given])
    except SystemExit as ended:  # argparse's
        status = ended.code
    assert status == 2
    assert fault in capsys.readouterr().err.splitlines()[-1]
    assert not served


def test_an_interrupted_command_is_quiet(monkeypatch, tmp_path, capsys):
    def interrupt(folder):
        raise KeyboardInterrupt

    monkeypatch.setattr("oslogserve.demo.write_demo_logs", interrupt)
    monkeypatch.setattr("sys.argv", ["oslogserve", "demo", str(tmp_path)])
    monkeypatch.setattr("os.dup2", lambda *_: None)
    assert of_the_process() == 130
    assert capsys.readouterr() == ("", "")


#: Interrupts itself when it imports the module. What a shell starts in the background ignores Ctrl-C.
INTERRUPTED = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Finder:
    def find_spec(self, name, *_):
        if name == "oslogserve.query":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
from oslogserve.__main__ import main
sys.exit(main())
"""


def test_a_command_that_is_interrupted_while_it_is_loaded_is_quiet():
    command = [sys.executable, "-W", "ignore", "-c", INTERRUPTED, "--version"]
    ran = subprocess.run(command, capture_output=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b"", b"")


@pytest.mark.parametrize(
    "arguments",
    [
        "--version",
        *(pytest.param(one, marks=pytest.mark.long) for one in ("--help", "demo {}")),
        "render {}",
    ],
)
@pytest.mark.parametrize(
    ("redirect", "status", "told"),
    [("| true", 0, ""), ("> /dev/full", 2, "oslogserve: [Errno 28] No space left on device\n")],
)
def test_what_cannot_be_written_is_told_once(tmp_path, arguments, redirect, status, told):
    (tmp_path / "a.txt").write_bytes(LOG)
    shell = f'set -o pipefail; (sleep .2; "$0" -W ignore -m oslogserve "$@") {redirect}'
    words = arguments.format(tmp_path if "demo" in arguments else tmp_path / "a.txt").split()
    environ = {name: value for name, value in os.environ.items() if "PYTHON" not in name}
    ran = subprocess.run(
        ["bash", "-c", shell, sys.executable, *words], capture_output=True, env=environ, check=False
    )
    assert (ran.returncode, ran.stderr.decode()) == (status, told)


def test_a_terminal_gets_text(log):
    reading, writing = pty.openpty()
    command = [sys.executable, "-m", "oslogserve", "render", "--lines", "1-1", str(log)]
    subprocess.run(command, stdout=writing, check=True)
    os.close(writing)
    with open(reading, "rb") as terminal:
        assert terminal.read1().replace(b"\r\n", b"\n") == LOG[: LOG.index(b"\n") + 1]


def test_an_excerpt_of_a_file_whose_name_is_not_utf_8(tmp_path, capfdbinary):
    name = os.fsencode(tmp_path) + b"/a\xff.log"
    with open(name, "wb") as file:
        file.write(b"ERROR: it broke\n")
    assert main(["render", os.fsdecode(name), "--format", "brief"]) == 0
    assert "a\ufffd.log" in capfdbinary.readouterr().out.decode()


def test_a_log_does_not_drive_a_terminal(tmp_path):
    (tmp_path / "a.log").write_bytes(b"\x1b[31mred\x1b[0m \x1bc\x1b]0;title\x07\n")
    reading, writing = pty.openpty()
    command = [sys.executable, "-m", "oslogserve", "render", str(tmp_path / "a.log")]
    subprocess.run(command, stdout=writing, check=True)
    os.close(writing)
    with open(reading, "rb") as terminal:
        assert terminal.read1() == b"\x1b[31mred\x1b[0m \\x1bc\\x1b]0;title\\x07\r\n"


@pytest.mark.parametrize("binary", [b"\x7fELF\x02\x01\x01" + bytes(60), bytes(range(256)) * 8])
def test_a_binary_is_no_log(tmp_path, capfdbinary, binary):
    (tmp_path / "a.log").write_bytes(binary)
    assert main(["render", str(tmp_path / "a.log")]) == 2
    told = capfdbinary.readouterr()
    assert told.out == b""
    assert told.err == b"oslogserve: a.log is no log: it is application/octet-stream\n"
