# SPDX-License-Identifier: Apache-2.0
"""The log folder that is attacked: bombs, lines and folders without end, and a small log."""

import gzip
import random
import zlib

from benchmarks.attacks import reports
from tests.kit.packing import streamed

MIB = 2**20
SMALL = b"2024-03-28 12:20:43.570 1 INFO nova.compute [-] A line like any other\n"
FOLDER_ENTRIES = 100_000
LINKS = 5000
#: Folders within each other that links lead through.
DEPTH = 200
#: Logs of a job whose lines are merged.
MERGED = 60
LARGE = 64 * MIB
#: What a pattern of numbers and ids may try again and again.
HEXADECIMAL = "abcdef" * 40
#: gzip's header without a name.
_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"


def bomb(unit, times):
    """A gzip of so many times `unit`, made without inflating it. It is cut short: nobody gets there."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = compressor.compress(unit) + compressor.flush(zlib.Z_FULL_FLUSH)
    return _HEADER + block * times


def repeated(line, size):
    return line * (size // len(line) + 1)


def write(root):
    """Writes them all. `root` is empty."""
    _write_searched(root)
    _write_bombs(root)
    _write_large(root)
    _write_failures(root)
    _write_folders(root)
    _write_windows(root)
    reports.write(root)


def _write_searched(root):
    """Logs of random letters, and small ones."""
    choice = random.Random(13)
    (root / "small.txt").write_bytes(SMALL)
    (root / "medium.txt").write_bytes(repeated(SMALL, 4 * MIB))
    (root / "chunk.txt").write_bytes(b"\n" * 65536)
    letters = bytes(choice.choices(b"abcdefghijklmno    ", k=150)) + b"\n"
    text = b"".join(letters[n % 149 :] + letters for n in range(100_000))
    (root / "letters.txt").write_bytes(text)
    (root / "one_line.txt").write_bytes(text.replace(b"\n", b" "))
    words = b"".join(bytes(choice.choices(b"abcdefghijklmno", k=7)) + b" " for _ in range(10**6))
    (root / "words.txt.gz").write_bytes(bomb(words.replace(b"e ", b"e\n"), 1024))


def _write_bombs(root):
    """Gzips that are small, and large once they are inflated."""
    (root / "zeros.txt.gz").write_bytes(bomb(bytes(MIB), 10 * 1024))
    (root / "lines.txt.gz").write_bytes(bomb(repeated(SMALL, MIB), 10 * 1024))
    (root / "empty_lines.txt.gz").write_bytes(bomb(b"\n" * MIB, 10 * 1024))
    (root / "one_line_of_links.txt.gz").write_bytes(bomb(b"http://a.b/c " * 80_000, 1024))
    (root / "json.txt.gz").write_bytes(bomb(b'{"a":' * 200_000, 1024))
    (root / "gzip_of_gzip.txt.gz").write_bytes(
        gzip.compress(gzip.compress(bomb(bytes(MIB), 10 * 1024)))
    )
    (root / "members.txt.gz").write_bytes(gzip.compress(b"x") * 300_000)
    (root / "empty_members.txt.gz").write_bytes(gzip.compress(b"") * 2_000_000)
    name = b"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff" + b"n" * (64 * MIB)
    (root / "endless_name.txt.gz").write_bytes(name)
    # Of 4095 bytes.
    (root / "little.txt.gz").write_bytes(gzip.compress(b"x\n" * 2_093_000))


def _write_large(root):
    """Logs of LARGE bytes, by what their lines have."""
    colours = b"".join(b"\x1b[%dm%c" % (31 + n % 7, 97 + n % 26) for n in range(40)) + b"\n"
    for kind, line in {
        "large": SMALL,
        "colours": colours,
        "links": b"http://a.b/c " * 20 + b"\n",
        "markup": b"<>&\"'" * 40 + b"\n",
        "wide": SMALL[:-1] + b"y" * 1000 + b"\n",
        "two_bytes": b"x\n",
        "errors": SMALL.replace(b"INFO", b"ERROR"),
    }.items():
        (root / f"{kind}.txt").write_bytes(repeated(line, LARGE))


def _write_failures(root):
    """Logs of LARGE bytes and about a million failed tests, that seem to tell why a job failed."""
    causes = (b"FAIL: test_%d (tests.A)", b"ERROR: %d", b"fatal: [%d]: FAILED! => {}", b"TASK [%d]")
    block = b"".join(cause % number + b"\n" for number in range(1000) for cause in causes)
    (root / "causes.txt").write_bytes(repeated(block, LARGE))
    (root / "endless.txt").write_bytes(repeated(b"ERROR: test failed ", LARGE))
    with (root / "tests.txt").open("wb") as file:
        for number in range(10**6):
            file.write(b"--- FAIL: Test%d\n    a.go:%d: got 1, want 2\n" % (number, number))


def _write_windows(root):
    """Logs of 51 MiB as Zstandard with windows of 8 MiB, as of zstd -19."""
    choice = random.Random(17)
    lines = [SMALL[:-1] + b" %d\n" % choice.randrange(10**12) for _ in range(1000)]
    text = b"".join(choice.choices(lines, k=51 * MIB // len(lines[0])))
    packed = streamed(text, window_log=23)
    _fill(root / "windows", (f"{n}.txt.zst" for n in range(20)), packed)


def _write_folders(root):
    """Folders of many logs."""
    _fill(root / "folder", (f"{n:06}-{'n' * 40}.txt" for n in range(FOLDER_ENTRIES)))
    # Paths of nearly 4 KiB, which is the most.
    deep = "/".join([HEXADECIMAL] * 15)
    _fill(root / "names" / deep, (f"{n:05}{HEXADECIMAL}" for n in range(9980)))
    error = "2024-03-28 12:20:43.570 ERROR {} \N{GRINNING FACE} " + HEXADECIMAL + "\n"
    chapter = "TASK [{} \N{GRINNING FACE} " + "x" * 150 + "]\n"
    text = "".join([error.format(n) for n in range(200)] + [chapter.format(n) for n in range(700)])
    _fill(root / "failed", (f"{n}.txt.gz" for n in range(1000)), gzip.compress(text.encode()))
    _write_links(root)
    merged = bomb(b"2024-03-28 12:20:43 x\n" * 47_000, 80)
    _fill(root / "merged", (f"{n}.txt.gz" for n in range(MERGED)), merged)


def _fill(folder, names, content=b""):
    """A new folder of files with this content."""
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_bytes(content)


def _write_links(root):
    """A folder of links to the same deep one."""
    deep = root / "deep" / "/".join(["d" * 10] * DEPTH)
    deep.mkdir(parents=True)
    folder = root / "links"
    folder.mkdir()
    for number in range(LINKS):
        (folder / f"{number}").symlink_to(deep)
