# SPDX-License-Identifier: Apache-2.0
"""`oslogserve upload`, as a job runs it, and what it uploads."""

import contextlib
import gzip
import random
import subprocess
import sys
from pathlib import Path

from tests.kit.packing import frame
from tests.servers.process import as_installed

SCRIPT = str(Path(sys.executable).with_name("oslogserve"))
LINE = b"2024-03-28 12:20:43.570 1 INFO nova.compute [-] A line like any other\n"
ODD = "a b.txt", "100%.txt", "Grüße 日本語.txt", "what?#.log", "with\nnewline.txt", ".hidden/x.txt"
#: Small enough for some files of a job to be stored in segments.
SEGMENT = 200_000


def command(*arguments, config):
    return [SCRIPT, "upload", *map(str, arguments), "--config", str(config)]


def upload(*arguments, config, env=None, **options):
    return subprocess.run(
        command(*arguments, config=config),
        check=False,
        capture_output=True,
        timeout=120,
        env=as_installed(**env or {}),
        **options,
    )


def job(folder, files=6):
    """The bytes of a job's files, by their paths, which are also below the folder."""
    chance = random.Random(7)
    made = {f"logs/{n}/service-{n}.log": LINE * chance.randrange(90) for n in range(files)}
    made |= {name: LINE * 30 for name in ODD}
    made |= {
        "job-output.txt": b"".join(b"%d " % n + LINE for n in range(20_000)),
        "report.html": b"<!doctype html><title>A report</title>" + b"<p>passed</p>" * 200,
        "result.json": b'{"result": "SUCCESS"}',
        "old.log.gz": gzip.compress(LINE * 50),
        "older.log.zst": frame(LINE * 50),
        "core.bin": chance.randbytes(5 * SEGMENT + 77),
        "screen.png": b"\x89PNG\r\n\x1a\n" + chance.randbytes(3000),
        "empty.txt": b"",
    }
    for name, content in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return made


class Console:
    """A console that is being uploaded, with what was written to it."""

    def __init__(self, folder, config, *arguments, env=None):
        self.written = b""
        self.keep = folder / "keep"
        self.keep.mkdir()
        options = "-", "--prefix", "job", "--keep", self.keep, "--every", "0.1s", *arguments
        self.child = subprocess.Popen(
            command(*options, config=config),
            env=as_installed(**env or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def write(self, numbers):
        for number in numbers:
            line = b"%d " % number + LINE
            self.child.stdin.write(line)
            self.child.stdin.flush()
            self.written += line

    def end(self):
        """Status, output and errors of the upload after the console has ended."""
        out, err = self.child.communicate(timeout=60)
        return self.child.returncode, out, err


@contextlib.contextmanager
def console(*arguments, **options):
    running = Console(*arguments, **options)
    with running.child:
        try:
            yield running
        finally:
            running.child.kill()
