# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from client_kit import data_of
from oslogserve_mcp.answer import Report
from oslogserve_mcp.client import Answer, Failed
from oslogserve_mcp.files import show_files, show_text
from oslogserve_mcp.places import Site

URL = "https://logs.example.org/"
SITE = Site(URL)


def shown(show, body, path, most=1000, is_cut=False):
    report = Report(most)
    show(Answer(body, is_cut, SITE.place(path)), SITE, report)
    return data_of(report.text())


def entry(name, href="./x", size=None, modified=None):
    return {"name": name, "href": href, "size": size, "modified": modified}


def listing(*entries, most=1000, **members):
    body = {"entries": entries, "complete": True, "next": None, **members}
    return shown(show_files, json.dumps(body).encode(), "job/?from=x", most)


def test_names_of_a_folder_are_paths_at_the_ends_of_lines():
    entries = [
        entry("a 100%41?.txt", size=1200, modified="2026-03-04T18:25:00Z"),
        entry("logs/"),
        entry("\ufffd", "./%FF"),
        entry("a\nb", "./a%0Ab"),
    ]
    assert listing(*entries, next="?format=json&from=b") == [
        f"{URL}job/",
        "1,200 bytes, 2026-03-04T18:25:00Z a 100%2541%3F.txt",
        "logs/",
        "%FF",
        "a%0Ab",
        f"More files: {URL}job/?from=b",
    ]


def test_names_that_do_not_fit_are_counted():
    lines = listing(*[entry("x" * 50)] * 50)
    assert lines[-1] == f"{52 - len(lines)} further names left out: ask for more bytes"
    assert "It is busy." in listing(complete=False, reason="It is busy.")


def test_a_text_is_as_it_is_as_far_as_it_fits():
    assert shown(show_text, b"a: \xff\n\n  b\n", "a.yaml") == [
        f"{URL}a.yaml",
        "a: \ufffd",
        "",
        "  b",
    ]
    lines = shown(show_text, b"line\n" * 1000, "a.txt", is_cut=True)
    assert lines[-1].startswith("The rest is left out")
    assert len(lines) > 50
    assert shown(show_text, b"line", "a.txt", is_cut=True)[-1].startswith("The rest is left out")


def test_what_is_no_text_is_an_error():
    with pytest.raises(Failed, match="no text"):
        shown(show_text, b"\x89PNG\0", "a.png")
