# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.sources.store import rows as module
from oslogserve.sources.store.rows import Rows

PAGE = b"""<?xml version="1.0" encoding="UTF-8"?>
<List xmlns="http://example.org/"><Prefix>a/</Prefix>
<Row><Key>a/<![CDATA[x]]>&amp;y</Key><Owner><Id>7</Id></Owner></Row>
<Row><Key>b</Key></Row><Cut>true</Cut></List>"""


def test_text_is_kept_by_the_rows_element_and_beside_them():
    found = Rows(PAGE, ("Row",))
    assert [(kind, row["Key"]) for kind, row in found.rows] == [("Row", "a/x&y"), ("Row", "b")]
    assert (found.beside["Prefix"], found.beside["Cut"]) == ("a/", "true")
    assert "Id" not in found.beside


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{}", b"<a>", PAGE[:-3], b"<a>&b;</a>"),
        b"<!DOCTYPE a [<!ENTITY b 'cc'>]><a>&b;</a>",
        b"<!DOCTYPE a SYSTEM 'http://127.0.0.1/'><a/>",
        "<!DOCTYPE a [<!ENTITY b 'cc'>]><a>&b;</a>".encode("utf-16"),
    ],
)
def test_what_is_no_listing_is_refused(body):
    with pytest.raises(ValueError, match=r"XML|entities"):
        Rows(body, ("Row",))


def test_a_page_of_too_many_elements_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_ELEMENTS", 9)
    assert Rows(PAGE, ("Row",)).rows
    monkeypatch.setattr(module, "MOST_ELEMENTS", 8)
    with pytest.raises(ValueError, match="as many elements"):
        Rows(PAGE, ("Row",))
