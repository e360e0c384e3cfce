# SPDX-License-Identifier: Apache-2.0
"""Both renderers, one after the other, for tests that compare them with what is expected."""

import pytest

from oslogserve.lines.renderer import Room
from oslogserve.lines.selection import Selection, Wanted
from tests.renderers import bare, native, pure, recogniser

WRITTEN = 1.4e9  # of May 2014
LINK = b"?source=swift&amp;"


@pytest.fixture(params=["pure", "native"], scope="session")
def renderer_name(request):
    """The renderer's name."""
    return request.param


@pytest.fixture(scope="session")
def renderer(renderer_name):
    return {"pure": pure, "native": native}[renderer_name]


@pytest.fixture(scope="session")
def rendered(renderer):
    """A view of pieces, without what is alike in all lines. asked: fields of a Selection."""

    def rendered(pieces, view="html", longest=1024 * 1024, link=LINK, **asked):
        wanted = Wanted(view, Selection(**asked), WRITTEN, link)
        return bare(b"".join(renderer(pieces, wanted, Room(line=longest))))

    return rendered


@pytest.fixture(scope="session")
def seen_in(renderer_name):
    """The recogniser of one line."""
    return recogniser(renderer_name).seen_in
