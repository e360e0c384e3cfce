# SPDX-License-Identifier: Apache-2.0
import hashlib
import re

import pytest

from oslogserve.pages import page
from oslogserve.query import Query

TYPES = {"log.css": "text/css; charset=utf-8", "log.js": "text/javascript; charset=utf-8"}


@pytest.mark.parametrize("name", TYPES)
def test_an_address_links_to_the_file_and_has_the_first_digits_of_its_hash(name):
    path = page.frame(Query(b"", False))["asset"](name)
    held, served_as = page.ASSETS[path]
    assert (held.decode(), served_as) == (page.content(name), TYPES[name])
    stem, ending = name.split(".")
    assert path == f"/_oslogserve/{stem}.{hashlib.sha256(held).hexdigest()[:12]}.{ending}"


def test_nothing_but_style_sheets_and_scripts_is_served():
    assert {media_type for _, media_type in page.ASSETS.values()} <= set(TYPES.values())


def test_the_version_is_fit_for_an_etag():
    assert re.fullmatch("[0-9a-f]{8}", page.ASSETS_VERSION)
