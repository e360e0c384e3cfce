# SPDX-License-Identifier: Apache-2.0
"""The manual beside the code: options, commands, metrics, files."""

import argparse
import re
from pathlib import Path

import pytest

from oslogserve import metrics
from oslogserve.cli import _parser
from oslogserve.config import load
from oslogserve.config.options import OPTIONS
from oslogserve.errors import Incomplete

REPOSITORY = Path(__file__).resolve().parents[2]
README = REPOSITORY / "README.rst"
PAGES = {path.name: path.read_text("utf-8") for path in sorted(REPOSITORY.glob("doc/*.rst"))}
EVERYTHING = {"README.rst": README.read_text("utf-8"), **PAGES}


@pytest.mark.parametrize("page", [page for page in PAGES if page != "moving.rst"])
def test_options_that_a_page_names_are_there(page):
    sections = {option.section for option in OPTIONS}
    named = re.findall(r"``\[(\w+)\] (\w+)(?:``| =)", PAGES[page])
    options = {option.where for option in OPTIONS}
    assert [where for where in named if where[0] in sections and where not in options] == []


def test_what_options_of_the_ancestor_become_is_there():
    column = PAGES["moving.rst"].partition("\nConfiguration\n=")[2]
    rows = re.findall(r"^``.*?``\s+``\[(\w+)\] (\w+)``", column, re.MULTILINE)
    assert len(rows) > 6
    assert set(rows) <= {option.where for option in OPTIONS}


def commands(parser):
    """All commands, as a user writes them, and their help."""
    found = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    if not found:
        return {parser.prog: parser.format_help()}
    return {name: told for one in found[0].choices.values() for name, told in commands(one).items()}


def test_every_command_is_shown_with_its_help(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    blocks = re.split(r"^(oslogserve .+)\n=+\n", PAGES["command-line.rst"], flags=re.MULTILINE)[1:]
    shown = {
        name: text.partition("\n    usage: ")[2].split()
        for name, text in zip(blocks[::2], blocks[1::2], strict=True)
    }
    told = {name: text.split()[1:] for name, text in commands(_parser()).items()}
    assert shown == told


def test_every_metric_is_shown_with_its_labels_and_no_other():
    shown = re.findall(
        r"^``oslogserve_(\w+?)(?:\{([a-z,]+)\})?``  ", PAGES["operate.rst"], re.MULTILINE
    )
    table = {(name, labels.replace(" ", ",")) for _, name, labels, _ in metrics._TABLE}
    assert set(shown) == table
    assert len(shown) == len(table)


def test_every_alert_has_what_to_do_about_it():
    rules = (REPOSITORY / "etc/prometheus/oslogserve.rules.yml").read_text("utf-8")
    alerts = re.findall(r"- alert: (\w+)$", rules, re.MULTILINE)
    assert len(alerts) > 5
    assert rules.count("runbook_url: ") == len(alerts)
    assert (
        re.findall(r"^   \* - ``(Oslogserve\w+)``$", PAGES["operate.rst"], re.MULTILINE) == alerts
    )


@pytest.mark.parametrize("name", ["prometheus/oslogserve.rules.yml", "grafana/oslogserve.json"])
def test_metrics_that_rules_name_are_there(name):
    text = (REPOSITORY / "etc" / name).read_text("utf-8")
    named = set(re.findall(r"(?<![\w:])oslogserve_(\w+?)(?:_bucket|_count|_sum)?[\[{() ]", text))
    assert len(named) > 5
    assert named <= {name for _, name, *_ in metrics._TABLE}


def test_every_reason_of_an_incomplete_log_is_named():
    row = PAGES["operate.rst"].partition("\n``oslogserve_incomplete_logs_total")[2]
    text, _, _ = row.partition("\n``")
    assert [reason for reason in Incomplete.REASONS if reason not in text] == []


@pytest.mark.parametrize(
    ("page", "block"),
    [
        (page, block)
        for page, text in EVERYTHING.items()
        for block in re.findall(r"^\.\. code-block:: ini\n\n((?:    .*\n|\n)+)", text, re.MULTILINE)
    ],
)
def test_a_configuration_that_is_shown_is_understood(page, block, tmp_path):
    file = tmp_path / "oslogserve.conf"
    file.write_text(re.sub("^    ", "", block, flags=re.MULTILINE))
    clouds = tmp_path / "clouds.yaml"
    auth = "{auth_url: https://keystone.example.org/v3, token: secret}"
    clouds.write_text(f"clouds: {{ci: {{auth_type: v3token, auth: {auth}}}}}")
    config = load(str(file), environ={"OS_CLIENT_CONFIG_FILE": str(clouds)})
    assert config.values != load(None, environ={}).values


@pytest.mark.parametrize("page", EVERYTHING)
def test_what_a_page_names_is_in_the_checkout(page):
    """Files of etc/."""
    text = EVERYTHING[page]
    files = {name.rstrip(".") for name in re.findall(r"(?<!/)\betc/(?:apache|nginx)/[\w.]+", text)}
    assert [name for name in files if not (REPOSITORY / name).is_file()] == []
