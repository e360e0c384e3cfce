# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from oslogserve.views.kind import passed_through_as

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
        ("a.json", b"{}", "application/json"),
    ],
)
def test_what_is_a_log_and_what_is_not(name, head, media_type):
    assert passed_through_as(name, head, ()) == media_type


def test_the_configuration_wins_and_its_first_pattern():
    views = ((re.compile("^x/"), "raw"), (re.compile("json"), "log"))
    assert passed_through_as("x/a.json", b"{}", views) == "application/json"
    assert passed_through_as("y/a.json", b"{}", views) is None


@pytest.mark.parametrize(
    "before",
    [b'<?xml version="1.0" encoding="UTF-8"?>\n', b"\xef\xbb\xbf", b"<!--" + b"x" * 700 + b"-->"],
)
def test_a_report_is_html_whatever_stands_before_its_doctype(before):
    head = before + b"<!DOCTYPE html>"
    assert passed_through_as("testr_results.html", head, ()) == "text/html; charset=utf-8"
