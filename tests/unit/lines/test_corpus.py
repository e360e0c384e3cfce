# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from oslogserve.lines import recognise
from tests import corpus

ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
#: What is held to the corpus: the definition, and beside it each twin of it.
TWINS = {"pure": recognise.Formats}


@pytest.fixture(params=TWINS)
def seen(request):
    """(severity, time) of a line alone: no line before it has told which formats to look for."""

    def seen(line):
        [(start, end, severity)] = TWINS[request.param]().seen_in(line + b"\n")
        return severity.decode() or "NONE", ESCAPES.sub(b"", line[start:end])

    return seen


@pytest.mark.parametrize("name", corpus.families())
def test_severity_and_time_of_every_line_of_the_corpus(seen, name):
    wrong = []
    for each in corpus.family(name):
        found, wanted = seen(each.line), (each.severity, each.time)
        if found != wanted:
            wrong.append(f"{each.where}: {found} instead of {wanted} in {each.line!r}")
    assert not wrong, "\n" + "\n".join(wrong)
