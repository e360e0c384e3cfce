# SPDX-License-Identifier: Apache-2.0
"""Facts of the server that scripts, templates and the other package repeat, each for readers without the server."""

import ast
import re
from pathlib import Path

import pytest

from oslogserve.http import HTML, cors
from oslogserve.lines.summary import LONGEST_NAME
from oslogserve.pages.log import LINES_BEFORE, WINDOW
from oslogserve.query.parameters import (
    FORMATS,
    MAX_CONTEXT,
    MAX_QUERY,
    MAX_SHOWN,
    OF_ALL_LOGS,
    OF_LOGS,
)
from oslogserve.search import LONGEST

ROOT = Path(__file__).parents[3]
STATIC = ROOT / "oslogserve/static"
MACROS = (ROOT / "oslogserve/templates/macros.html").read_text()
TOOLS = ROOT / "oslogserve-mcp/oslogserve_mcp/tools.py"


def constant(script, name):
    [value] = re.findall(rf"^const {name} = (.*?);", (STATIC / script).read_text(), re.MULTILINE)
    return ast.literal_eval(value)


def test_scripts_open_as_many_ranges_as_the_server_takes():
    assert constant("folds.js", "MOST_SHOWN") == MAX_SHOWN


def test_scripts_drop_the_parameters_of_a_window():
    assert constant("log.js", "WINDOW") == list(WINDOW)
    assert f"line - {LINES_BEFORE})" in (STATIC / "log.js").read_text()


def test_scripts_know_the_filters_that_leave_out_lines_between_others():
    around = {"since", "until", "context"}
    assert set(constant("outline.js", "FILTERS")) == set(OF_ALL_LOGS) - around


def test_the_card_of_a_log_lists_as_many_failed_tests_as_that_of_a_job():
    assert f"{{% set MOST_TESTS = {constant('outline.js', 'MOST_TESTS')} %}}" in MACROS


@pytest.mark.parametrize(
    ("field", "most"),
    [
        ("context", rf"max={MAX_CONTEXT}\b"),
        ("chapter", rf"maxlength={LONGEST_NAME}\b"),
        ("against", rf"maxlength={MAX_QUERY}\b"),
    ],
)
def test_fields_take_what_the_server_takes(field, most):
    [row] = re.findall(rf'^  "{field}": .*', MACROS, re.MULTILINE)
    assert re.search(most, row)


def test_fields_of_searches_take_what_the_server_takes():
    assert f"dict(maxlength={LONGEST}, " in MACROS
    assert f'maxlength="{LONGEST}"' in MACROS


def test_the_tools_for_agents_carry_all_filters():
    [kept] = re.findall(r"^_OF_LINES = (\(.*?^\))", TOOLS.read_text(), re.MULTILINE | re.DOTALL)
    assert set(OF_ALL_LOGS) < set(ast.literal_eval(re.sub(r"\*\(([^)]*)\)", r"\1", kept)))


def test_scripts_of_other_origins_read_what_is_no_page_and_no_file():
    texts = {name for name in OF_LOGS if FORMATS[name].media_type not in (HTML, "")}
    assert texts < cors._VIEWS
    assert cors._VIEWS.isdisjoint(set(FORMATS) - texts)
