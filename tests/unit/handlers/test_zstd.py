# SPDX-License-Identifier: Apache-2.0
"""Logs that are stored as Zstandard: through the application."""

import gzip
import json

import pytest
import zstandard

from tests.kit.packing import frame, frames, skippable, streamed

from .asking import GZIP, HTML, Asking, descriptors, plain
from .test_log import BIG, NOTICE, SMALL

ZSTD = {"Accept-Encoding": "zstd"}
BROWSER = {"Accept-Encoding": "gzip, deflate, br, zstd"}
LOGS = {"small": SMALL, "big": BIG}
#: Ways to store a log, none of which a browser is sure to read.
SEVERAL = {
    "frames": lambda log: frames(log, len(log) // 3),
    "skippable": lambda log: frame(log) + skippable(b"an index"),
    "padded": lambda log: frame(log) + bytes(512),
}
VIEWS = ["text", "text&q=req-0&tail=5", "text&lines=50-60", "jsonl&level=ERROR", "brief"]


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    root = tmp_path_factory.mktemp("zstd")
    for name, log in LOGS.items():
        for folder, store in {"plain": bytes, "frame": frame, **SEVERAL}.items():
            (root / folder).mkdir(exist_ok=True)
            suffix = "" if folder == "plain" else ".zst"
            (root / folder / f"{name}.txt{suffix}").write_bytes(store(log))
    (root / "frame" / "undeclared.txt").write_bytes(frame(BIG))
    (root / "plain" / "undeclared.txt").write_bytes(BIG)
    return Asking(root)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("folder", ["frame", *SEVERAL])
@pytest.mark.parametrize("name", LOGS)
def test_every_view_is_that_of_the_plain_log(ask, name, folder, view):
    expected = ask(f"/plain/{name}.txt?format={view}").body.replace(
        b"/plain/", b"/%b/" % folder.encode()
    )
    for path in (f"/{folder}/{name}.txt", f"/{folder}/{name}.txt.zst"):
        found = ask(f"{path}?format={view}").body.replace(b".txt.zst", b".txt")
        assert found == expected


@pytest.mark.parametrize("name", LOGS)
def test_its_counts_are_those_of_the_plain_log(ask, name):
    expected, found = (
        ask(f"/{folder}/{name}.txt?format=summary").json for folder in ("plain", "frame")
    )
    for what in ("lines", "severities", "complete", "histogram"):
        assert found[what] == expected[what]


@pytest.mark.parametrize("name", [*LOGS, "undeclared"])
@pytest.mark.parametrize("accepted", [ZSTD, BROWSER, BROWSER | HTML])
def test_one_frame_is_sent_as_it_is_stored_to_a_client_that_takes_it(ask, name, accepted):
    url = f"/frame/{name}.txt?format=text"
    text = LOGS.get(name, BIG)
    answer = ask(url, **accepted)
    assert answer.headers["Content-Encoding"] == "zstd"
    assert answer.body == frame(text)
    assert answer.headers["Content-Length"] == str(len(answer.body))
    assert answer.headers["ETag"] == f"W/{ask(url).headers['ETag']}"
    assert answer.headers["Vary"] == "Accept, Accept-Encoding"
    again = ask(url, **accepted, If_None_Match=answer.headers["ETag"])
    assert (again.status_int, again.headers["ETag"]) == (304, answer.headers["ETag"])
    head = ask(url, "HEAD", **accepted)
    assert (head.status_int, head.body) == (200, b"")
    assert head.headers["ETag"] == answer.headers["ETag"]
    part = ask(url, Range="bytes=100-299", **accepted)
    assert (part.status_int, part.body) == (206, text[100:300])
    assert "Content-Encoding" not in part.headers


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("accepted", [{}, GZIP, {"Accept-Encoding": "zstd;q=0"}])
def test_a_client_that_does_not_take_it_gets_text(ask, name, accepted):
    answer = ask(f"/frame/{name}.txt?format=text", **accepted)
    assert plain(answer) == LOGS[name]
    assert answer.headers.get("Content-Encoding") == ("gzip" if accepted == GZIP else None)


@pytest.mark.parametrize("folder", SEVERAL)
@pytest.mark.parametrize("name", LOGS)
def test_what_is_more_than_a_frame_is_compressed_anew_or_sent_as_text(ask, name, folder):
    url = f"/{folder}/{name}.txt?format=text"
    assert ask(url, **BROWSER).headers["Content-Encoding"] == "gzip"
    assert plain(ask(url, **BROWSER)) == LOGS[name]
    only_zstd = ask(url, **ZSTD)
    assert only_zstd.body == LOGS[name]
    assert "Content-Encoding" not in only_zstd.headers


@pytest.mark.parametrize("format", ["html", "text", "jsonl"])
def test_no_answer_is_made_as_zstd(ask, format):
    for path in ("/plain/big.txt", "/frame/big.txt"):
        answer = ask(f"{path}?format={format}&level=ERROR", **ZSTD)
        assert "Content-Encoding" not in answer.headers


def test_where_nothing_is_compressed_it_is_sent_as_text(ask, tmp_path):
    (tmp_path / "a.txt.zst").write_bytes(frame(BIG))
    answer = Asking(tmp_path, serve_gzip_level="off")("/a.txt?format=text", **BROWSER)
    assert answer.body == BIG
    assert "Content-Encoding" not in answer.headers


def test_its_stored_bytes_are_raw(ask):
    answer = ask("/frame/big.txt?format=raw", **BROWSER)
    assert (answer.body, answer.content_type) == (frame(BIG), "application/zstd")
    assert "Content-Encoding" not in answer.headers


DAMAGED = {
    "cut": (lambda stored: stored[:-9], "truncated", "the compressed data ends early"),
    "checksum": (lambda stored: stored[:-1] + b"\0", "corrupt", "the checksum at its end is wrong"),
    "behind": (lambda stored: stored + b"garbage", "corrupt", "is not Zstandard"),
    "gzip": (lambda stored: stored + gzip.compress(SMALL), "corrupt", "is not Zstandard"),
    "window": (
        lambda stored: stored + streamed(SMALL, window_log=27),
        "corrupt",
        "it needs a window of more than 8 MiB",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_one_is_shown_as_far_as_it_goes_and_says_why(tmp_path, name):
    damage, reason, sentence = DAMAGED[name]
    (tmp_path / "a.txt.zst").write_bytes(damage(frames(BIG, 50_000)))
    ask = Asking(tmp_path)
    before = descriptors()
    text = ask("/a.txt?format=text").body
    assert NOTICE in text[-400:]
    assert sentence.encode() in text[-400:]
    assert text.startswith(BIG[: len(BIG) // 50_000 * 50_000 - 50_000])
    assert ask.counted("incomplete_logs_total") == {f'reason="{reason}",source="disk"': 1.0}
    assert sentence.encode() in ask("/a.txt?format=html", **HTML).body
    assert ask("/a.txt?format=summary").json["complete"] is False
    packed = ask("/a.txt?format=text", **BROWSER)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert plain(packed) == text
    assert descriptors() <= before


def test_a_job_has_it_among_its_logs(tmp_path):
    (tmp_path / "a.txt").write_bytes(BIG)
    expected = Asking(tmp_path)("/?format=text&level=ERROR&order=log").body
    assert expected.startswith(b"a.txt:")
    (tmp_path / "a.txt.zst").write_bytes(frame(BIG))
    (tmp_path / "a.txt").unlink()
    found = Asking(tmp_path)("/?format=text&level=ERROR&order=log").body
    assert found.replace(b"a.txt.zst:", b"a.txt:") == expected


def test_a_page_offers_the_text_under_its_plain_name(ask):
    assert b'download="big.txt"' in ask("/frame/big.txt.zst?format=html", **HTML).body


def test_what_a_browser_reads_is_what_was_logged(ask):
    stored = ask("/frame/big.txt?format=text", **BROWSER).body
    assert zstandard.ZstdDecompressor().decompress(stored) == BIG


def test_logs_that_need_much_memory_are_not_all_merged_and_the_answer_names_those(tmp_path):
    lines = b"".join(
        b"2013-09-27 18:22:11.%03d 1 INFO nova %d\n" % (n % 1000, n) for n in range(9000)
    )
    for number in range(8):
        (tmp_path / f"{number}.txt.zst").write_bytes(streamed(lines, window_log=23))
    ask = Asking(tmp_path)
    merged, one_by_one = (
        ask(f"/?format=jsonl&q=11.500&order={order}") for order in ("time", "log")
    )
    end = json.loads(merged.body.splitlines()[-1])
    assert end["complete"] is False
    assert b"takes more than 48 MiB of memory: ask for fewer logs, or with order=log" in merged.body
    assert merged.body.count(b'"log": "0.txt.zst"') == 9
    assert json.loads(one_by_one.body.splitlines()[-1])["complete"] is True
    few = ask("/?format=jsonl&q=11.500&order=time&logs=[0-3].txt.zst")
    end = json.loads(few.body.splitlines()[-1])
    assert (end["complete"], end["matched"]) == (True, 36)
