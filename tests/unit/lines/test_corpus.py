# SPDX-License-Identifier: Apache-2.0
import pytest

from tests import corpus
from tests.renderers import recogniser


@pytest.mark.parametrize("renderer", ["pure", "native"])
@pytest.mark.parametrize("name", corpus.families())
def test_severity_and_time_of_every_line_of_the_corpus(renderer, name):
    wrong = []
    for each in corpus.family(name):
        seen = recogniser(renderer).seen_in(each.line)
        found, wanted = (seen.severity.decode() or "NONE", seen.time), (each.severity, each.time)
        if found != wanted:
            wrong.append(f"{each.where}: {found} instead of {wanted} in {each.line!r}")
    assert not wrong, "\n" + "\n".join(wrong)
