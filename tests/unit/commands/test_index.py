# SPDX-License-Identifier: Apache-2.0
"""`oslogserve index`, and what a server then reads."""

import gzip
import os
import re
import resource
import signal
import subprocess
import sys

import pytest

from oslogserve.cli import main
from oslogserve.errors import SourceError
from oslogserve.sources.disk.source import Disk
from oslogserve.text import size_shown
from tests.unit.handlers.asking import Asking

LOG = b"".join(
    b"2013-09-27 18:%02d:%02d.248 %s nova.api [-] request %d took %d ms\n"
    % (*divmod(number // 20, 60), b"ERROR" if number == 500 else b"INFO", number, number**3)
    for number in range(60_000)
)


@pytest.fixture
def logs(tmp_path):
    """A folder with two logs that are large enough for an index, and do not grow."""
    folder = tmp_path / "logs"
    (folder / "job").mkdir(parents=True)
    (folder / "job" / "packed.txt.gz").write_bytes(gzip.compress(LOG))
    (folder / "job" / "plain.log").write_bytes(LOG)
    os.utime(folder / "job" / "plain.log", (1.4e9, 1.4e9))
    return folder


@pytest.fixture(autouse=True)
def no_handlers():
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def index(logs, *more):
    return main(["index", str(logs), "--directory", str(logs.parent / "index"), *more])


def counted(logs, url):
    """The logs that a server reads by their index, and the indexes that it makes."""
    ask = Asking(logs, index_directory=str(logs.parent / "index"))
    assert ask(url).status_code == 200
    return [sum(ask.counted(f"indexes_{name}_total").values()) for name in ("used", "made")]


def test_the_server_reads_by_the_indexes_that_the_command_made(logs, capsys):
    (logs / "job" / "small.log").write_bytes(LOG[:1000])
    (logs / "job" / "screen.png").write_bytes(b"\x89PNG\r\n\x1a\n" + LOG)
    (logs / "job" / ".hidden.log").write_bytes(LOG)
    assert index(logs, "--jobs", "2") == 0
    out, err = capsys.readouterr()
    assert out.startswith("2 indexed (")
    assert ", 0 before, 1 too small to need one, 1 no logs, " in out
    assert err == ""
    for name in ("packed.txt", "packed.txt.gz", "plain.log"):
        for query in ("format=summary", "tail=5"):
            assert counted(logs, f"/job/{name}?{query}") == [1, 0]


def test_dot_files_are_indexed_where_the_server_shows_them(logs, tmp_path, capsys):
    (logs / ".job").mkdir()
    (logs / ".job" / ".hidden.log").write_bytes(LOG)
    config = tmp_path / "oslogserve.conf"
    for shows, number in (("no", 2), ("yes", 1)):
        config.write_text(f"[serve]\ndot_files = {shows}\n")
        assert index(logs, "--config", str(config)) == 0
        assert capsys.readouterr().out.startswith(f"{number} indexed (")


def test_a_log_that_has_an_index_is_skipped(logs, capsys):
    assert index(logs) == 0
    (logs / "job" / "new.log").write_bytes(LOG)
    capsys.readouterr()
    assert index(logs) == 0
    assert capsys.readouterr().out.startswith(f"1 indexed ({size_shown(len(LOG))}), 2 before, ")


def test_a_log_that_is_cut_short_is_told_and_the_others_are_indexed(logs, capsys):
    (logs / "job" / "cut.log.gz").write_bytes(gzip.compress(LOG)[:-100])
    assert index(logs) == 1
    out, err = capsys.readouterr()
    assert "2 indexed (" in out
    assert ", 1 failed, " in out
    assert err == (
        f"oslogserve: {logs}/job/cut.log.gz: not indexed: the compressed data ends early\n"
    )


def test_a_path_that_is_not_there_is_status_2(logs, capsys):
    assert index(logs / "none") == 2
    assert f"{logs}/none: No such file" in capsys.readouterr().err


def test_without_a_directory_it_says_what_to_give(logs, capsys, monkeypatch):
    monkeypatch.delenv("CACHE_DIRECTORY", raising=False)
    assert main(["index", str(logs)]) == 2
    assert "give --directory, or --config with [index] directory" in capsys.readouterr().err


@pytest.fixture
def from_disk(logs):
    """Makes indexes of what is in the source named disk."""
    config = logs.parent / "oslogserve.conf"
    directory = logs.parent / "index"
    config.write_text(f"[disk]\nroot = {logs}\n[index]\ndirectory = {directory}\n")
    return lambda *paths, source="disk": main(
        ["index", "--source", source, *paths, "--config", str(config)]
    )


@pytest.mark.parametrize("paths", [["."], ["job"], ["/job/"], ["job/packed.txt", "job/plain.log"]])
def test_the_paths_of_a_source_are_as_in_a_url(logs, from_disk, capsys, paths):
    (logs / ".hidden").mkdir()
    (logs / ".hidden" / "a.log").write_bytes(LOG)
    assert from_disk(*paths) == 0
    assert capsys.readouterr().out.startswith("2 indexed (")
    assert counted(logs, "/job/?format=summary") == [2, 0]
    assert from_disk(*paths) == 0
    assert capsys.readouterr().out.startswith("0 indexed (0 B), 2 before, ")
    assert index(logs) == 0  # a file on this machine has the same index
    assert capsys.readouterr().out.startswith("0 indexed (0 B), 2 before, ")


@pytest.mark.parametrize(
    ("path", "source", "told"),
    [
        ("job/none.log", "disk", "disk has no log or folder job/none.log"),
        ("../logs", "disk", 'The path has a "." or ".." segment: name the log itself.'),
        ("job", "swift", "--source swift: the configuration has no such source: it has disk"),
    ],
)
def test_what_a_source_cannot_have_is_told_in_a_sentence(from_disk, capsys, path, source, told):
    assert from_disk(path, source=source) == 2
    assert capsys.readouterr().err == f"oslogserve: {told}\n"


def test_a_source_that_fails_ten_times_in_a_row_ends_it(logs, from_disk, capsys, monkeypatch):
    for number in range(20):
        (logs / "job" / f"{number}.log").write_bytes(LOG[:300_000])

    def fail(*_):
        raise SourceError("disk", "it is broken")

    monkeypatch.setattr(Disk, "open", fail)
    assert from_disk(".") == 1
    told = capsys.readouterr().err
    assert told.count("not indexed: The log may be there") < 20
    assert told.endswith("stopped: run it again for the logs that are missing\n")


def test_a_directory_that_cannot_be_made_is_status_2(logs, capsys):
    assert main(["index", str(logs), "--directory", "/dev/null/x"]) == 2
    assert "/dev/null/x: Not a directory" in capsys.readouterr().err


def command(logs, **options):
    words = ["index", str(logs), "--directory", str(logs.parent / "index"), "--jobs", "1"]
    return subprocess.Popen(
        [sys.executable, "-m", "oslogserve", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_a_signal_ends_it_with_its_counts_and_the_next_run_goes_on(logs, capsys):
    large = logs / "job" / "z-large.log"
    large.write_bytes(LOG * 60)
    with command(logs) as process:
        while len(list(logs.parent.glob("index/*.index"))) < 2:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "stopped: run it again for the logs that are missing" in err
    assert "failed" not in out
    large.write_bytes(LOG)
    assert index(logs) == 0
    # The signal may have come before the words of the second one were added.
    assert re.match(r"(1|2) indexed \(.*\), (2|1) before", capsys.readouterr().out)


def test_two_processes_make_the_same_indexes_at_once(logs):
    processes = [command(logs) for _ in range(2)]
    for process in processes:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0
        assert "oslogserve:" not in err
    assert len(list((logs.parent / "index").iterdir())) == 2
    assert counted(logs, "/job/plain.log?tail=5") == [1, 0]


def test_a_full_disk_ends_it_with_one_sentence_and_nothing_half_written(logs):
    """A file may have 1,000 bytes: the same error at the same place as of a full disk."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    with command(logs, preexec_fn=limit) as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.count("indexes are not kept in ") == 1
    assert not list((logs.parent / "index").iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_indexes_that_root_made_belong_to_the_owner_of_the_directory(logs):
    directory = logs.parent / "index"
    directory.mkdir(mode=0o700)
    os.chown(directory, 1234, 1235)
    assert index(logs) == 0
    owners = {(path.stat().st_uid, path.stat().st_gid) for path in directory.iterdir()}
    assert owners == {(1234, 1235)}


def test_files_below_links_are_left_out_as_the_server_does(logs, capsys):
    os.symlink(logs / "job", logs / "link")
    assert index(logs) == 0
    assert capsys.readouterr().out.startswith("2 indexed")


def test_check_config_says_where_the_indexes_are_and_how_full(logs, capsys):
    file = logs.parent / "oslogserve.conf"
    directory = logs.parent / "index"
    disk = f"[disk]\nroot = {logs}\n"
    file.write_text(f"{disk}[index]\ndirectory = {directory}\nsize = 2000000\n")
    said = []
    for change in (lambda: None, lambda: index(logs), lambda: file.write_text(disk)):
        change()
        capsys.readouterr()
        assert main(["check-config", str(file)]) == 0
        said.append(capsys.readouterr().out.splitlines()[-2])
    assert said[0] == f"# the directory of indexes, {directory}, is not there yet"
    assert said[1].startswith(f"# the directory of indexes, {directory}, has 2 indexes of ")
    assert said[1].endswith(" % of [index] size")
    assert said[2] == "# no directory of indexes is configured"
