# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from oslogserve.lines import recognise
from tests import corpus
from tests.renderers import native_formats, the_native_core

ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture(params=["pure", "native"])
def seen(request):
    """(severity, time) of a line alone."""
    if request.param == "native":
        the_native_core()
    formats = recognise.BUILT_IN if request.param == "pure" else native_formats()

    def seen(line):
        [(start, end, severity)] = formats.seen_in(line + b"\n")
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
