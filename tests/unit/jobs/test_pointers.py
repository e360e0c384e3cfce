# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from oslogserve.jobs.pointers import Pointers
from oslogserve.query import Query
from oslogserve.sources import Folder
from tests.unit.sources.fake import FakeSource


class Everything(FakeSource):
    """A source that has a folder at every path, as Swift has objects of any name."""

    def open(self, path, options):
        super().open(path, options)
        return Folder()


@pytest.mark.parametrize("is_folder", [True, False])
@pytest.mark.parametrize("folder", ["passed", ""])
@pytest.mark.parametrize("name", [b"..", b".", b"", b"/", b"a/../..", b"a//b", b"../", b"a\0"])
def test_a_name_that_leads_elsewhere_is_asked_of_no_source(name, folder, is_folder):
    source = Everything("swift")
    query = Query(b"42/a.log", is_folder, against=b"@" + name)
    assert Pointers(folder, re.compile("")).resolved(query, [source]) == query
    assert source.asked == []


def test_a_name_is_asked_in_the_folder_of_the_pointers():
    source = Everything("swift")
    query = Query(b"42/", True, against=b"@unit/a..b")
    found = Pointers("/passed/", re.compile("")).resolved(query, [source])
    assert found.against == b"passed/unit/a..b"
    assert [path for path, _ in source.asked] == [b"passed/unit/a..b"]
