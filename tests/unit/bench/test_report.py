# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from oslogserve.bench.report import as_html
from oslogserve.bench.result import Result, Run

from .made import sample


@pytest.fixture(scope="module")
def html():
    samples = [
        sample(source, started=number / 1000, response=0.01, total=total + number / 1e6)
        for number in range(1_000)
        for source, total in (("disk", 0.0501), ("a<b>$x$", 0.06))
    ]
    setup = {"sources": "disk, swift", "logs": "<script>alert(1)</script>"}
    return as_html(Result(setup, [Run(samples, [])]))


def test_a_page_needs_nothing_else(html):
    assert html.count("<svg") == 4
    assert not re.search(r"<script|<link|<img|src=|@import", html)


def test_names_are_escaped(html):
    assert "<script>" not in html
    assert "a<b>" not in html
    assert "&lt;script&gt;" in html


def test_a_run_without_requests_has_a_page():
    assert "<svg" in as_html(Result({}, [Run([], [])], was_interrupted=True))
