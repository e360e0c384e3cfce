# SPDX-License-Identifier: Apache-2.0
"""doc/security.rst names figures as they are in the code, and tests that there are."""

import importlib
import re
from pathlib import Path

import pytest

from oslogserve.config.options import OPTIONS

TESTS = Path(__file__).resolve().parents[1]
TEXT = (TESTS.parent / "doc/security.rst").read_text()
LIMITS = re.findall(r"^``([\w.]+\.[A-Z_]+)`` +(\d+) ", TEXT, re.MULTILINE)
DEFAULTS = re.findall(r"^``\[(\w+)\] (\w+)`` +(\d+) ", TEXT, re.MULTILINE)


def test_it_has_limits_of_the_code_and_of_the_configuration():
    assert len(LIMITS) > 10
    assert len(DEFAULTS) > 5


@pytest.mark.parametrize(("name", "figure"), LIMITS)
def test_a_limit_is_that_of_the_code(name, figure):
    module, _, constant = name.rpartition(".")
    assert getattr(importlib.import_module(f"oslogserve.{module}"), constant) == int(figure)


@pytest.mark.parametrize(("section", "key", "figure"), DEFAULTS)
def test_a_limit_is_the_options_default(section, key, figure):
    assert {option.where: option.default for option in OPTIONS}[section, key] == figure


@pytest.mark.parametrize(
    "name", re.findall(r"^``((?:unit|functional)/[\w/]+)``", TEXT, re.MULTILINE)
)
def test_a_test_that_it_names_is_there(name):
    assert (TESTS / f"{name}.py").is_file()
