# SPDX-License-Identifier: Apache-2.0
"""The marked commands of the manual, and the steps of `make acceptance` that run them."""

import re
from pathlib import Path

import pytest

from tests.acceptance.manual import _block_above, marked

STEPS = Path(__file__).resolve().parents[1] / "acceptance/steps"
PAGE = """\
Do it::

    one \\
      --option

    two
"""


def test_every_marked_block_is_run_and_no_other():
    run = re.findall(
        r"(?:^manual(?:_as_dev)? |/acceptance/manual/)([a-z-]+)", STEPS.read_text(), re.MULTILINE
    )
    assert sorted(run) == sorted(marked())


def test_a_block_is_its_commands():
    assert _block_above(PAGE.splitlines(), 0) == "one \\\n  --option\n\ntwo\n"


def test_a_block_in_a_list_ends_where_its_text_begins():
    lines = ["1. Do it::", "", "       one", ""]
    assert _block_above(lines, 3) == "one\n"


@pytest.mark.parametrize("name", marked())
def test_no_block_is_empty(name):
    assert marked()[name].strip()
