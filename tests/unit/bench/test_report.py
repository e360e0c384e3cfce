# SPDX-License-Identifier: Apache-2.0
import re

from oslogserve.bench.report import as_html
from oslogserve.bench.result import Result, Run

from .made import sample


def page(**setup):
    samples = [
        sample(source, started=number / 100, response=response + number / 1e5)
        for number in range(120)
        for source, response in (("disk", 0.01), ("a<b>$x$", 0.03))
    ]
    return as_html(Result({"sources": "disk, swift", **setup}, [Run(samples, [])]))


def test_a_page_needs_nothing_else():
    html = page()
    assert html.count("<svg") == 4
    assert not re.search(r"<script|<link|<img|src=|@import", html)


def test_logarithmic_axes_have_plain_numbers():
    assert "mathdefault" not in page()
    assert re.search(r"<text[^>]*>20</text>", page())
    alike = [sample(response=0.0501 + number / 1e6) for number in range(800)]
    assert re.search(r"<text[^>]*>50.[0-9]+</text>", as_html(Result({}, [Run(alike, [])])))


def test_the_slowest_of_many_requests_is_in_the_charts():
    samples = [sample(started=number / 1000, response=0.01) for number in range(16_001)]
    samples[15_999] = sample(started=15.999, response=70.0)
    labels = re.findall(r"<text[^>]*>50000</text>", as_html(Result({}, [Run(samples, [])])))
    assert len(labels) == 2  # one in the distribution, one over time


def test_names_are_escaped():
    html = page(logs="<script>alert(1)</script>")
    assert "<script>" not in html
    assert "a<b>" not in html
    assert "&lt;script&gt;" in html


def test_a_run_without_requests_has_a_page():
    assert "<svg" in as_html(Result({}, [Run([], [])], was_interrupted=True))
    assert "<svg" in as_html(Result({}, [], was_interrupted=True))
