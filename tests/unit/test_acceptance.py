# SPDX-License-Identifier: Apache-2.0
"""The marked commands of the manual, and the steps of `make acceptance` that run them."""

import re
from pathlib import Path

from tests.acceptance.manual import marked

STEPS = Path(__file__).resolve().parents[1] / "acceptance/steps"


def test_every_marked_block_is_run_and_no_other():
    run = re.findall(
        r"(?:^manual(?:_as_dev)? |/acceptance/manual/)([a-z-]+)", STEPS.read_text(), re.MULTILINE
    )
    assert sorted(run) == sorted(marked())
