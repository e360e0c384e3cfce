# SPDX-License-Identifier: Apache-2.0
import gzip
import re
import zlib

import pytest

from oslogserve import demo


def _without_the_large_one(patch):
    patch.setattr(demo, "_FILES", dict(demo._FILES))
    large = next(name for name in demo._FILES if name.endswith("screen-n-cpu.txt.gz"))
    patch.setitem(demo._FILES, large, lambda: demo._screen(300_000, 2))


@pytest.fixture
def small(monkeypatch):
    _without_the_large_one(monkeypatch)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        _without_the_large_one(patch)
        return demo.write_demo_logs(tmp_path_factory.mktemp("demo"))


def whole(size, seed=0):
    return b"".join(demo.generate_oslo(size, seed))


@pytest.mark.parametrize("size", [1, 100, 4096, 1_000_000])
def test_a_generated_log_reaches_its_size_with_a_whole_line(size):
    log = whole(size)
    assert log.endswith(b"\n")
    assert b"\n" not in log[size - 1 : -1]
    assert len(log) >= size


def test_no_size_is_no_log():
    assert whole(0) == b""


def test_every_block_holds_whole_lines():
    blocks = list(demo.generate_oslo(3_000_000))
    assert len(blocks) > 3
    assert all(block.endswith(b"\n") for block in blocks)


def test_the_seed_alone_decides_the_content():
    assert whole(500_000, 7) == whole(500_000, 7)
    assert whole(500_000, 7) != whole(500_000, 8)


def test_a_longer_log_begins_like_a_shorter_one():
    assert whole(600_000).startswith(whole(400_000))


def test_generated_logs_resemble_gate_logs():
    log = whole(4_000_000)
    assert 200 < len(log) / log.count(b"\n") < 320
    assert 15 < len(log) / len(zlib.compress(log, 6)) < 25


def test_severities_are_those_of_a_gate_log():
    found = re.findall(
        rb"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \d+ ([A-Z]+) ", whole(4_000_000)
    )
    count = {level: found.count(level) for level in set(found)}
    assert set(count) == {b"DEBUG", b"INFO", b"WARNING", b"ERROR"}
    assert count[b"DEBUG"] > count[b"INFO"] > count[b"WARNING"] > 0 < count[b"ERROR"]
    assert count[b"DEBUG"] > len(found) / 2


def test_stamps_never_go_back():
    stamps = re.findall(rb"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}", whole(2_000_000))
    assert len(stamps) > 1000
    assert stamps == sorted(stamps)


def test_demo_logs_come_plain_and_gzipped(written):
    assert written
    for path in written:
        content = path.read_bytes()
        assert content, path
        assert content.startswith(b"\x1f\x8b") == (path.suffix == ".gz"), path


def test_hostile_text_is_among_the_demo_logs(written):
    hostile = next(p for p in written if p.name == "screen-hostile.txt")
    content = hostile.read_bytes()
    assert b"<script>alert(1)</script>" in content
    assert b"&amp;" in content
    assert b"\x1b[31;1m" in content
    assert max(map(len, content.split(b"\n"))) > 90_000
    with pytest.raises(UnicodeDecodeError):
        content.decode()


def test_each_kind_of_log_looks_like_its_service(written):
    path = {p.name: p for p in written}
    console = path["job-output.txt"].read_bytes()
    assert re.search(rb"(?m)^2026-03-04 18:\d\d:\d\d\.\d{6} \| PLAY RECAP \*+$", console)
    assert re.search(rb"(?m)^2026-\S+ \S+ \| ubuntu-jammy \| \+ ", console)
    journal = gzip.decompress(path["devstack@c-api.service.txt.gz"].read_bytes())
    assert re.search(
        rb"(?m)^Mar 04 18:\d\d:\d\d\.\d{6} \S+ devstack@c-api.service\[8526\]: WARNING ", journal
    )


def test_the_picture_is_a_png_with_sound_chunks(written):
    picture = next(p for p in written if p.suffix == ".png").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    kinds = []
    rest = picture[8:]
    while rest:
        end = 8 + int.from_bytes(rest[:4], "big")
        assert zlib.crc32(rest[4:end]) == int.from_bytes(rest[end : end + 4], "big")
        kinds.append(rest[4:8])
        rest = rest[end + 4 :]
    assert kinds == [b"IHDR", b"IDAT", b"IEND"]


def test_a_second_run_writes_the_same_and_leaves_other_files_alone(tmp_path, small):
    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    paths = demo.write_demo_logs(tmp_path)
    contents = [path.read_bytes() for path in paths]
    paths[0].write_bytes(b"cut short")
    assert demo.write_demo_logs(tmp_path) == paths
    assert [path.read_bytes() for path in paths] == contents
    assert mine.read_text() == "mine"
