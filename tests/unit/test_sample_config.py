# SPDX-License-Identifier: Apache-2.0
"""etc/oslogserve.conf shows exactly the options that there are, at their defaults."""

import re
from configparser import RawConfigParser
from pathlib import Path

import pytest

from oslogserve.config import load
from oslogserve.config.options import NAMED_OPTIONS, OPTIONS

SAMPLE = Path(__file__).resolve().parents[2] / "etc/oslogserve.conf"
#: An option or a section that is commented out; prose has a space after its #.
COMMENTED = re.compile(r"^#(?=\S)", re.MULTILINE)


@pytest.fixture(scope="module")
def uncommented():
    parser = RawConfigParser(default_section="")
    parser.read_string(COMMENTED.sub("", SAMPLE.read_text()))
    return parser


def test_it_shows_every_option_at_its_default_and_no_other(uncommented):
    shown = {
        (section, key): value
        for section in uncommented.sections()
        if not section.startswith(("store ", "view ", "noise ", "mask ", "format "))
        for key, value in uncommented.items(section)
    }
    options = [((option.section, option.key), option.default) for option in OPTIONS]
    assert list(shown.items()) == options


@pytest.mark.parametrize("prefix", ["view", "noise", "mask", "format"])
def test_it_shows_what_there_may_be_several_of(uncommented, prefix):
    keys = {option.key for option in NAMED_OPTIONS if option.section == prefix}
    assert set(uncommented[f"{prefix} NAME"]) == keys


def test_it_shows_that_there_may_be_several_stores(uncommented):
    assert dict(uncommented["store archive"]) == {"url": "gs://old-logs", "anonymous": "yes"}


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: f"{option.section}-{option.key}")
def test_it_explains_each_option_and_names_its_variable_above_it(option):
    _, _, section = SAMPLE.read_text().partition(f"[{option.section}]\n")
    above, _, _ = section.partition(f"\n#{option.key} =")
    block = above.rsplit("\n\n", 1)[-1]
    variable = f"# Where this file is silent: {option.env} in the environment."
    prose = [line for line in block.split("\n") if line.startswith("# ") and line != variable]
    assert prose
    assert (variable in block) == bool(option.env)


def test_as_it_is_shipped_it_changes_nothing():
    assert load(str(SAMPLE), environ={}) == load(None, environ={})


def test_uncommented_it_loads(tmp_path):
    file = tmp_path / "oslogserve.conf"
    file.write_text(COMMENTED.sub("", SAMPLE.read_text()))
    config = load(str(file), environ={})
    assert load(None, environ={}).values.items() <= config.values.items()
    assert [view for _, view in config.views] == ["raw"]
    assert [name for name, _ in config.stores] == ["archive"]
    [(_, pattern, words)] = config.formats
    assert words[b"W"] == "WARNING"
    fits = re.match(pattern, "2024/03/04 05:06:07 <E> no room left")
    assert fits.groups() == ("2024/03/04 05:06:07", "E")
