# SPDX-License-Identifier: Apache-2.0
import gzip
import subprocess
import sys

import pytest

from oslogserve import __version__
from oslogserve.cli import main
from oslogserve.lines import renderer

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
    assert b'<span id="L3" class="ERROR more">' in out
    assert b"<b>" not in out


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


@pytest.mark.parametrize("given", [[], ["x"], ["render", "--level", "x"], ["render", "--nope"]])
def test_bad_arguments(given, capsys):
    with pytest.raises(SystemExit) as caught:
        main(given)
    assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_status_2(tmp_path, capsys):
    assert main(["render", str(tmp_path / "none")]) == 2
    assert main(["serve", "--root", str(tmp_path / "none")]) == 2
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


def test_checking_a_configuration_tells_all_its_faults_in_order(tmp_path, capsys):
    file = tmp_path / "x.conf"
    file.write_text("[serve]\nlistin = no\nchunk_size = many\n[disk]\nroot = /none/such\n[disk\n")
    assert main(["check-config", str(file)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert [line.split(" ")[1] for line in told.err.splitlines()] == (
        [f"{file}:{number}:" for number in (2, 3, 5, 6)]
    )
    assert f"{file}:5: [disk] root: there is no folder '/none/such'\n" in told.err


def test_the_version_names_the_renderer(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    name = "native" if renderer.NATIVE else "pure"
    assert capsys.readouterr().out.startswith(f"oslogserve {__version__}, {name} renderer")


@pytest.mark.parametrize("asked", ["pure", "rust"])
def test_the_version_says_which_renderer_is_asked_for(monkeypatch, capsys, asked):
    monkeypatch.setenv("OSLOGSERVE_RENDERER", asked)
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    told = capsys.readouterr()
    if asked == "pure":
        assert (ended.value.code, "pure renderer" in told.out) == (0, True)
    else:
        assert (ended.value.code, "OSLOGSERVE_RENDERER" in told.err) == (2, True)
