# SPDX-License-Identifier: Apache-2.0
"""Indexes beside logs, which any server may read and any job may have written."""

import json
import os
import random
import resource
import shutil
import struct
import time
import zlib
from copy import deepcopy
from functools import partial

import pytest

from oslogserve.cli import main
from oslogserve.config import load
from oslogserve.encodings import encoding_of
from oslogserve.index import beside
from oslogserve.index.indexes import Indexes
from oslogserve.logs.decode import FirstBytes
from oslogserve.logs.open_log import OpenLog
from oslogserve.salt import rules_of
from oslogserve.sources import Stored
from tests.kit.packing import stored_as
from tests.kit.small import small_indexes
from tests.unit.handlers.asking import Asking, plain

LOG = b"".join(
    b"2013-09-27 18:%02d:%02d.248 %s nova.api [-] request %d took %d ms\n"
    % (*divmod(number, 60), b"ERROR" if number % 500 == 9 else b"INFO", number, number**3)
    for number in range(3000)
)
MODIFIED = 1_400_000_000
SILENT_STEP = b"""##[group]Run make
##[endgroup]
error: harmless
##[group]Run ./check
./check
##[endgroup]
##[error]Process completed with exit code 1.
"""


@pytest.fixture(params=["a.txt", "a.txt.gz", "a.txt.zst"])
def log(request, tmp_path):
    """A log of 3,000 lines in some 25 blocks."""
    path = tmp_path / "logs" / request.param
    path.parent.mkdir()
    path.write_bytes(stored_as(path.name, LOG))
    os.utime(path, (MODIFIED, MODIFIED))
    with small_indexes(8000, 4096):
        yield path


def beside_of(log):
    return log.with_name(f".{log.name}.oslogserve-index")


def asking(log, **options):
    return Asking(log.parent, serve_chunk_size="4096", **options)


def refused(ask):
    return {
        labels.split('"')[1]: count
        for labels, count in ask.counted("indexes_refused_total").items()
    }


def used(ask):
    return sum(ask.counted("indexes_used_total").values())


@pytest.fixture
def indexed(log):
    """The same log, with an index beside it."""
    assert main(["index", "--beside", str(log.parent)]) == 0
    assert beside_of(log).is_file()
    return log


def test_a_server_without_a_directory_reads_by_the_index_beside_a_log(indexed):
    expected = asking(indexed, index_beside="no")
    ask = asking(indexed)
    for query in ("format=summary", "format=text&tail=9", "level=ERROR", "format=jsonl&lines=900-"):
        assert plain(ask(f"/a.txt?{query}")) == plain(expected(f"/a.txt?{query}"))
    assert (used(ask), used(expected)) == (4, 0)
    assert refused(ask) == {}


def test_one_whose_cause_is_before_a_silent_step_is_used(tmp_path):
    log = tmp_path / "logs" / "a.txt"
    log.parent.mkdir()
    log.write_bytes(b"x\n" * 9_999 + SILENT_STEP)
    with small_indexes(8000, 4096):
        assert main(["index", "--beside", str(log.parent)]) == 0
        ask = asking(log)
        assert ask("/a.txt?format=summary").json["cause"]["silent_step"]
        assert (used(ask), refused(ask)) == (1, {})


def test_one_with_failures_that_a_build_survived_is_used(tmp_path):
    log = tmp_path / "logs" / "a.txt"
    log.parent.mkdir()
    log.write_bytes(b"ERROR: no a\n" + b"x\n" * 9_999 + b"Job succeeded\n")
    with small_indexes(8000, 4096):
        assert main(["index", "--beside", str(log.parent)]) == 0
        ask = asking(log)
        assert [one["line"] for one in ask("/a.txt?format=summary").json["other_failures"]] == [1]
        assert (used(ask), refused(ask)) == (1, {})


def test_it_is_put_into_the_directory_where_it_is_found_next_time(indexed, tmp_path):
    ask = asking(indexed, index_directory=str(tmp_path / "index"))
    ask("/a.txt?format=summary")
    beside_of(indexed).unlink()
    ask("/a.txt?format=summary")
    assert used(ask) == 2
    assert ask.counted("indexes_made_total") == {}


def test_it_is_hidden_from_readers_and_beside_no_file_of_a_hidden_folder(indexed):
    ask = asking(indexed)
    assert ask(f"/{beside_of(indexed).name}").status_code == 404
    assert "oslogserve-index" not in ask("/").text


def test_a_copy_with_its_time_has_its_index_too(indexed, tmp_path):
    copied = tmp_path / "copied"
    shutil.copytree(indexed.parent, copied)  # as cp -p does
    ask = asking(copied / indexed.name)
    ask("/a.txt?format=summary")
    assert used(ask) == 1


def with_blocks(file, change):
    """The file of an index, with other blocks."""
    parts = parts_of(file)
    blocks = json.dumps(change(json.loads(zlib.decompress(parts[2])))).encode()
    return with_parts([*parts[:2], zlib.compress(blocks), *parts[3:]])


MAGIC = b"oslogserve-index 4\n"


def parts_of(file):
    """Facts; compressed summary, blocks, points, compact summary and words; ids and windows."""
    found, at = [], len(MAGIC) + 8 * 8
    for number in range(8):
        (size,) = struct.unpack_from(">I", file, len(MAGIC) + number * 8)
        found.append(file[at : at + size])
        at += size
    return found


def with_parts(parts):
    """The file, with right checksums."""
    table = b"".join(struct.pack(">II", len(part), zlib.crc32(part)) for part in parts)
    return b"".join((MAGIC, table, *parts))


@pytest.mark.parametrize("reason", ["log", "rules", "damaged", "members"])
def test_one_that_does_not_fit_is_ignored_and_counted(indexed, reason):
    path = beside_of(indexed)
    magic, rules, identity, file = path.read_bytes().split(b"\n", 3)
    if reason == "log":
        os.utime(indexed, (MODIFIED + 1, MODIFIED + 1))
    elif reason == "rules":
        rules = b"0.9 0123456789ab"
    elif reason == "damaged":
        file = file[:-1]
    else:
        file = with_blocks(file, lambda blocks: blocks[1:])
    path.write_bytes(b"\n".join((magic, rules, identity, file)))
    ask = asking(indexed)
    expected = asking(indexed, index_beside="no")
    assert plain(ask("/a.txt?format=summary")) == plain(expected("/a.txt?format=summary"))
    assert refused(ask) == {reason: 1}
    assert used(ask) == 0


def test_a_job_reads_by_the_indexes_beside_its_logs(indexed, tmp_path):
    expected = asking(indexed, index_beside="no")("/?format=summary")
    ask = asking(indexed, index_directory=str(tmp_path / "index"))
    for _ in range(2):
        assert ask("/?format=summary").body == expected.body
    beside_of(indexed).unlink()
    assert ask("/?format=summary").body == expected.body
    assert used(ask) == 3


def test_one_with_a_flipped_bit_is_counted_as_damaged_wherever_that_is(indexed):
    content = beside_of(indexed).read_bytes()
    file = content.split(b"\n", 3)[3]
    at = len(content) - len(file) + len(MAGIC) + 8 * 8
    for count, part in enumerate(filter(None, parts_of(file)), 1):
        at += len(part)
        changed = bytearray(content)
        changed[at - 1] ^= 1
        beside_of(indexed).write_bytes(changed)
        ask = asking(indexed)
        ask("/a.txt?format=text&tail=2")
        assert refused(ask) == {"damaged": 1}, count


@pytest.fixture
def read(monkeypatch):
    """Bytes that were read of each index beside a log."""
    sizes, read_all = [], OpenLog.beside

    def recorded(*arguments):
        content = read_all(*arguments)
        sizes.append(len(content or b""))
        return content

    monkeypatch.setattr(OpenLog, "beside", recorded)
    return sizes


def test_of_one_of_other_rules_the_first_chunk_is_read_once_and_told_once(indexed, read, capsys):
    file = beside_of(indexed).read_bytes()
    other = indexed.with_name("b.txt")
    other.write_bytes(LOG)
    for path in (beside_of(indexed), beside_of(other)):
        path.write_bytes(file.replace(b" 1\n", b" 1\nother ", 1) + bytes(10**5))
    capsys.readouterr()
    ask = asking(indexed)
    for _ in range(3):
        ask("/a.txt?format=text&tail=2")
        ask("/b.txt?format=text&tail=2")
    assert refused(ask) == {"rules": 2}
    assert read == [4096, 4096]
    expected = f".{indexed.name}.oslogserve-index, and indexes like it, are not used: it is of another version"
    told = capsys.readouterr().err
    assert expected in told
    assert told.count("are not used") == 1


def test_one_that_did_not_fit_is_read_again_after_a_while_and_once_it_was_written(
    indexed, read, monkeypatch
):
    now = [1000.0]
    monkeypatch.setattr("oslogserve.assembly.Indexes", partial(Indexes, clock=lambda: now[0]))
    path = beside_of(indexed)
    right = path.read_bytes()
    wrong = right.replace(b" 1\n", b" 1\nother ", 1)
    ask = asking(indexed, index_write_beside="yes")

    def used_after(content, seconds, query="format=text&tail=2"):
        path.write_bytes(content)
        now[0] += seconds
        before = used(ask)
        ask(f"/a.txt?{query}")
        return used(ask) - before

    assert used_after(wrong, 0) == 0
    assert used_after(right, 599) == 0
    assert used_after(right, 1) == 1
    assert used_after(wrong, 0, "format=summary") == 0
    assert used_after(path.read_bytes(), 0) == 1
    assert len(read) == 4


@pytest.mark.parametrize(
    "first", [FirstBytes("zlib", LOG[:1024]), FirstBytes("", b"\x89PNG\r\n\x1a\n")]
)
def test_one_that_says_that_its_log_begins_otherwise_is_ignored(indexed, first):
    path = beside_of(indexed)
    _, rules, identity, file = path.read_bytes().split(b"\n", 3)
    parts = parts_of(file)
    facts = struct.unpack_from(">QQ?", parts[0])
    parts[0] = struct.pack(">QQ?8s", *facts, first.packing.encode()) + zlib.compress(first.text)
    path.write_bytes(beside.with_head(with_parts(parts), rules.decode(), identity.decode()))
    ask = asking(indexed)
    assert (
        ask("/?format=summary").body == asking(indexed, index_beside="no")("/?format=summary").body
    )
    assert refused(ask) == {"members": 1}


def test_a_log_with_other_ends_is_another_log(indexed):
    stored = bytearray(indexed.read_bytes())
    stored[-9] ^= 1
    indexed.write_bytes(stored)
    os.utime(indexed, (MODIFIED, MODIFIED))
    ask = asking(indexed)
    ask("/a.txt?format=text&tail=2")
    assert refused(ask) == {"log": 1}


@pytest.mark.parametrize("made", ["link", "folder", "fifo", "large", "unreadable"])
def test_what_is_no_file_of_ours_is_no_index(log, made):
    path = beside_of(log)
    if made == "link":
        path.symlink_to(log)
    elif made == "folder":
        path.mkdir()
    elif made == "fifo":
        os.mkfifo(path)
    elif made == "large":
        with path.open("wb") as file:
            file.truncate(10**12)
    else:
        path.write_bytes(b"")
        path.chmod(0)
    ask = asking(log)
    assert plain(ask("/a.txt?format=text&tail=1")) == LOG[LOG[:-1].rindex(b"\n") + 1 :]
    assert used(ask) == 0


def test_the_server_writes_it_only_where_an_option_says_so(log, tmp_path):
    asking(log, index_directory=str(tmp_path / "index"))("/a.txt?format=summary")
    assert not beside_of(log).exists()
    asking(log, index_write_beside="yes")("/a.txt?format=summary")
    assert [path.name for path in log.parent.iterdir() if path != log] == [beside_of(log).name]
    ask = asking(log)
    ask("/a.txt?format=summary")
    assert used(ask) == 1


def test_where_it_cannot_write_it_says_so_once_and_serves(log, monkeypatch, capsys):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("oslogserve.sources.disk.source.write_file", refuse)
    ask = asking(log, index_write_beside="yes")
    for _ in range(2):
        assert ask("/a.txt?format=summary").json["lines"] == 3000
    assert capsys.readouterr().err.count("an index was not written beside its log: ") == 1
    assert main(["index", "--beside", str(log.parent)]) == 1
    assert "the index could not be kept" in capsys.readouterr().err


def test_blocks_with_other_text_are_read_without_the_index(indexed):
    """A log that was changed in its middle within the second of its time."""
    path = beside_of(indexed)
    _, rules, identity, file = path.read_bytes().split(b"\n", 3)
    wrong = with_blocks(
        file, lambda blocks: [one | {"checksum": one["checksum"] ^ 1} for one in blocks]
    )
    path.write_bytes(beside.with_head(wrong, rules.decode(), identity.decode()))
    ask = asking(indexed)
    expected = asking(indexed, index_beside="no")
    url = "/a.txt?format=text&tail=9"
    for _ in range(2):
        assert plain(ask(url)) == plain(expected(url))
    assert refused(ask) == {"text": 1}
    assert used(ask) == 1


def test_the_reading_of_an_index_is_bounded_by_the_logs_size():
    assert beside.most_bytes(Stored("disk", 10_000, 0.0, "1")) < 300_000
    assert beside.most_bytes(Stored("disk", 10**12, 0.0, "1")) == 64 * 1024 * 1024


_NUMBERS = (0, 1, -1, 7, 255, 2**31, 2**53, 2**62, 2**63, 2**64, 10**400, 0.5, 1e308, -1e308)
_OTHERS = (None, True, "", "x" * 5000, "\ud800", "1", [], {}, [[]] * 300, {"line": 1})
_QUERIES = (
    *("format=jsonl&tail=20", "format=jsonl&level=ERROR&context=1", "format=jsonl&lines=1400-1410"),
    *("format=jsonl&since=2013-09-27T18:49", "format=jsonl&q=request+2901", "format=summary"),
    *("format=chapters", "format=html&lines=2990-", "order=time&format=jsonl&tail=20&level=ERROR"),
    *("order=time&format=jsonl&tail=9", "order=time&format=jsonl&tail=9&until=2013-09-27T18:30"),
)


class _Mutator:
    """Wrong indexes of one log, each with checksums that are right."""

    def __init__(self, file, chance):
        self._parts = parts_of(file)
        self._chance = chance

    def mutated(self):
        chance = self._chance
        parts = [*self._parts]
        number = chance.randrange(8)
        if number in (0, 6, 7) and parts[number]:
            parts[number] = self._with_other_bits(parts[number])
        elif number == 5:
            parts[5] = zlib.compress(self._with_other_bits(zlib.decompress(parts[5])))
        else:
            for number in chance.choice(([1], [2], [2], [3], [4], [1, 2], [2, 3])):
                value = json.loads(zlib.decompress(parts[number]))
                parts[number] = zlib.compress(json.dumps(self._other(value)).encode())
        return with_parts(parts)

    def _other(self, value):
        chance = self._chance
        if isinstance(value, list) and chance.random() < 0.1:
            return value * chance.choice((2, 500))
        for _ in range(chance.choice((1, 1, 3))):
            value = self._changed(value)
        return value

    def _with_other_bits(self, part):
        changed = bytearray(part)
        for _ in range(self._chance.choice((1, 50))):
            changed[self._chance.randrange(len(changed))] ^= 1 << self._chance.randrange(8)
        return bytes(changed)

    def _changed(self, value):
        """The value, with a change at some depth."""
        chance = self._chance
        if isinstance(value, dict | list) and value and chance.random() < 0.93:
            keys = list(value) if isinstance(value, dict) else range(len(value))
            key = chance.choice(keys)
            if chance.random() < 0.1:
                del value[key]
            elif chance.random() < 0.05 and isinstance(value, list):
                value.insert(key, deepcopy(value[chance.randrange(len(value))]))
            else:
                value[key] = self._changed(value[key])
            return value
        if type(value) is int and chance.random() < 0.5:
            return value + chance.choice((-1, 1, -100, 1000, 2**32))
        return deepcopy(chance.choice(_NUMBERS + _OTHERS))


@pytest.mark.parametrize("number_of", [60, pytest.param(500, marks=pytest.mark.long)])
def test_of_1000_wrong_indexes_none_ends_an_answer_or_shows_a_wrong_line(indexed, number_of):
    chance = random.Random(3)
    path = beside_of(indexed)
    file = path.read_bytes().split(b"\n", 3)[3]
    mutator = _Mutator(file, chance)
    rules = rules_of(load(None, {}))
    lines = [line.decode() for line in LOG.splitlines()]
    ask = asking(indexed)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    slowest = (0.0,)
    for number in range(number_of):
        wrong = mutator.mutated()
        if chance.random() < 0.1:
            at = chance.randrange(len(file))
            wrong = file[:at] + bytes([file[at] ^ 255]) + file[at + chance.randrange(9) :]
        modified = MODIFIED + 1 + number
        os.utime(indexed, (modified, modified))
        status = indexed.stat()
        encoding = encoding_of(indexed.name)
        stored = Stored("disk", status.st_size, status.st_mtime, "", encoding)
        content = indexed.read_bytes()
        identity = beside.identity(stored, content[: beside.END] + content[-beside.END :])
        path.write_bytes(
            b"oslogserve-index-beside 1\n%s\n%s\n" % (rules.encode(), identity.encode())
        )
        with path.open("ab") as target:
            target.write(wrong)
        query = chance.choice(_QUERIES)
        began = time.process_time()
        name = "" if query.startswith("order") else "a.txt"
        answer = ask(f"/{name}?{query}")
        slowest = max(slowest, (time.process_time() - began, number, query))
        assert answer.status_code == 200, (number, query)
        body = plain(answer)
        if "jsonl" in query:
            *rows, end = map(json.loads, body.splitlines())
            assert end["lines"] <= 2 * len(lines)
            if rows and not end["complete"]:  # it broke off within this line, and says so
                last = rows.pop()
                assert lines[last["line"] - 1].startswith(last["text"])
            for row in rows:
                assert row["text"] == lines[row["line"] - 1], (number, query, row)
    assert slowest < (2,)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024
    assert sum(refused(ask).values()) > number_of / 3
