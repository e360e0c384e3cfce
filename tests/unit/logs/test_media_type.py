# SPDX-License-Identifier: Apache-2.0
import random
import re
import struct

import pytest

from oslogserve.logs.media_type import passed_through_as

PAGE = b"<!DOCTYPE html><p>"


@pytest.mark.parametrize(
    ("name", "head", "media_type"),
    [
        ("a.txt.gz", b"x", None),
        ("a.log", b"x", None),
        ("syslog", b"x", None),
        ("console.html.gz", b"2013-09-27 18:07:11.860 | x", None),
        ("report.html", PAGE, "text/html; charset=utf-8"),
        ("a.png", b"x", "image/png"),
        ("a", b"\x89PNG\r\n\x1a\n", "image/png"),
        ("a.tar.gz", b"x", "application/gzip"),
        ("a.tar.zst", b"x", "application/zstd"),
        ("a.tzst", b"x", "application/zstd"),
        ("console.html.zst", b"2013-09-27 18:07:11.860 | x", None),
        ("report.html.zst", PAGE, "text/html; charset=utf-8"),
        ("a.json", b"{}", "application/json"),
    ],
)
def test_what_is_a_log_and_what_is_not(name, head, media_type):
    assert passed_through_as(name, head, ()) == media_type


def test_the_configuration_wins_and_its_first_pattern():
    views = ((re.compile("^x/"), "raw"), (re.compile("json"), "log"))
    assert passed_through_as("x/a.json", b"{}", views) == "application/json"
    assert passed_through_as("y/a.json", b"{}", views) is None
    assert passed_through_as("x/core", b"text", views) == "application/octet-stream"


@pytest.mark.parametrize(
    "before",
    [b'<?xml version="1.0" encoding="UTF-8"?>\n', b"\xef\xbb\xbf", b"<!--" + b"x" * 700 + b"-->"],
)
def test_a_report_is_html_whatever_stands_before_its_doctype(before):
    head = before + b"<!DOCTYPE html>"
    assert passed_through_as("testr_results.html", head, ()) == "text/html; charset=utf-8"


@pytest.mark.parametrize("tag", ["head", "body", "meta", "script", "div", "h1", "h6", "p", "ul"])
def test_a_report_without_doctype_is_html_by_its_first_tag(tag):
    for head in (f"<{tag}>", f"\n<!-- x -->\n<{tag.upper()} class='x'>", f"<{tag}\n>"):
        assert passed_through_as("a.html", head.encode(), ()) == "text/html; charset=utf-8"
        assert passed_through_as("a.txt", head.encode(), ()) is None


@pytest.mark.parametrize(
    "head", [b"<pre>\n<span>", b"<span class='x'>", b"<param", b"<h7>", b"<b>", b"x<p>", b"", b"<p"]
)
def test_a_console_in_markup_is_a_log(head):
    assert passed_through_as("console.html", head, ()) is None


NULS = b"2013-09-27 x\n" + b"\0" * 900 + b"2013-09-27 y\n"
RANDOM = random.Random(1).randbytes(1024)
PCAP = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + b"GET / HTTP/1.1" * 60


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("dump.pcap", PCAP),
        ("ib_logfile0", NULS),
        ("core", NULS),
        ("wtmp", b"\0" * 1024),
        ("state.db", b"SQLite format 3\0" + b"\x10\0\x01\x01\0@  "),
        ("a.journal", RANDOM),
        ("a.log", RANDOM),
        ("unknown", RANDOM[:100]),
    ],
)
def test_an_unknown_binary_file_is_no_log(name, head):
    assert passed_through_as(name, head, ()) == "application/octet-stream"


@pytest.mark.parametrize(
    "name",
    ["a.log", "a.txt.gz", "syslog", "console", "console.html", "syslog.1", "nova.log.2.gz"],
)
def test_a_log_with_holes_is_a_log(name):
    assert passed_through_as(f"job/{name}", NULS, ()) is None
    assert passed_through_as(f"job/{name}", b"\0" * 1024, ()) is None


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\3\4\x7f",
        b"\x1b[31mred\x1b[0m\x1b(B\x1b[m\x0f\a 50%\b\b\b\r\n" * 20,
        "Übergröße 大きい\n".encode() * 40,
        "Übergröße\n".encode("latin-1") * 100,
        b"ISO-2022 \x1b$B%F\x1b(B\n" * 40,
        bytes(range(0x80, 0x100)) * 8,
        b"[\1\x1b[1m\2root@host /var/log/nova/nova-api.log\1\x1b[0m\2]# \n" * 20,
    ],
)
def test_colours_and_encodings_are_logs(head):
    assert passed_through_as("output", head, ()) is None
    assert passed_through_as("output.log", head, ()) is None
