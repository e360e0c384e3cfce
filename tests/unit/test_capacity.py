# SPDX-License-Identifier: Apache-2.0
"""The simulation behind doc/scaling.rst."""

import json

from benchmarks.report import with_figures
from benchmarks.scaling import capacity
from benchmarks.scaling.cost import COSTS
from benchmarks.scaling.model import Costs

MEASURED = Costs(json.loads(COSTS.read_text()))


def test_the_document_has_what_it_gives():
    text = capacity.DOC.read_text("utf-8")
    for name, figures in capacity.tables(MEASURED).items():
        assert with_figures(text, name, figures) == text
