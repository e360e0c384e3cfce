# SPDX-License-Identifier: Apache-2.0
"""The style sheet and the script, by their text: contrast and weight."""

import re

import pytest

from oslogserve.pages.job import COLOURS
from oslogserve.pages.page import content

#: WCAG 2 AA, of text.
CONTRAST = 4.5
STYLE = content("log.css")
PAIR = r"light-dark\((#\w+), (#\w+)\)"
VARIABLES = {name: (light, dark) for name, light, dark in re.findall(rf"--(\w+): {PAIR}", STYLE)}


def terminal(kind, key):
    """Colours of the terminal by their class."""
    found = {}
    rule = rf"((?:\.{kind}\d+(?:, )?)+) {{ {key}: (?:var\(--(\w+)\)|{PAIR}); }}"
    for names, variable, light, dark in re.findall(rule, STYLE):
        colours = VARIABLES[variable] if variable else (light, dark)
        found |= dict.fromkeys(re.findall(r"\w+", names), colours)
    return found


TEXTS = {name: VARIABLES[name] for name in ("ink", "quiet", "warning", "error")}
PAPERS = {name: VARIABLES[name] for name in ("paper", "lit", "match")}
AROUND = {name: VARIABLES[name] for name in ("paper", "bar", "field")}


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def too_close(texts, papers, scheme):
    return [
        (text, paper, round(found, 2))
        for text, colours in texts.items()
        for paper, behind in papers.items()
        if (found := contrast(colours[scheme], behind[scheme])) < CONTRAST
    ]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_of_a_line_can_be_read_on_every_background(scheme):
    texts = {**TEXTS, **terminal("fg", "color")}
    papers = {**PAPERS, **terminal("bg", "background")}
    assert len(texts) == 4 + 16
    assert len(papers) == 3 + 16
    assert too_close(texts, papers, scheme) == []


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_the_name_of_each_log_of_a_job_can_be_read(scheme):
    pairs = re.findall(rf"\.(log\d) {{ --log: {PAIR}; }}", content("job.css"))
    colours = {name: (light, dark) for name, light, dark in pairs}
    assert len(set(colours.values())) == COLOURS
    assert too_close(colours, AROUND, scheme) == []


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_inverse_text_can_be_read(scheme):
    assert ".inverse { background: var(--ink); color: var(--paper); }" in STYLE
    assert contrast(VARIABLES["paper"][scheme], VARIABLES["ink"][scheme]) >= CONTRAST


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_the_bar_and_what_stands_around_the_lines_can_be_read(scheme):
    assert too_close({**TEXTS, "link": VARIABLES["link"]}, AROUND, scheme) == []


def test_the_script_needs_no_evaluation_and_writes_no_markup_of_a_log():
    script = "".join(
        map(content, ("log.js", "keys.js", "folds.js", "map.js", "outline.js", "follow.js"))
    )
    assert not re.search(
        r"\beval\b|new Function|document\.write|outerHTML|insertAdjacentHTML", script
    )
    assert script.count("innerHTML") == 1
