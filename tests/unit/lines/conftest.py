# SPDX-License-Identifier: Apache-2.0
"""The renderer, for tests that compare what it gives with what is expected."""

import pytest

from oslogserve.lines.renderer import Room
from oslogserve.lines.selection import Selection, Wanted
from tests.kit import renderers
from tests.kit.renderers import answered, bare

WRITTEN = 1.4e9  # of May 2014
LINK = b"?source=swift&amp;"


@pytest.fixture(scope="session")
def renderer():
    return renderers.renderer()


@pytest.fixture(scope="session")
def cause_of(renderer):
    """The cause in a log of these lines; None for none."""

    def cause_of(*lines):
        log = b"".join(line + b"\n" for line in lines)
        return answered(renderer, [log], Wanted("summary", Selection(), WRITTEN))[0]["cause"]

    return cause_of


@pytest.fixture(scope="session")
def rendered(renderer):
    """A view of pieces, without what is alike in all lines. asked: fields of a Selection."""

    def rendered(pieces, view="html", longest=1024 * 1024, link=LINK, **asked):
        wanted = Wanted(view, Selection(**asked), WRITTEN, link)
        return bare(b"".join(renderer(pieces, wanted, room=Room(line=longest))))

    return rendered
