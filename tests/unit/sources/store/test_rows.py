# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.sources.store.services import xml_rows

PAGE = b"""<?xml version="1.0" encoding="UTF-8"?>
<List xmlns="http://example.org/"><Prefix>a/</Prefix>
<Row><Key>a/<![CDATA[x]]>&amp;y</Key><Owner><Id>7</Id></Owner></Row>
<Row><Key>b</Key></Row><Cut>true</Cut></List>"""


def test_text_is_kept_by_the_rows_element_and_beside_them():
    rows, beside = xml_rows(PAGE, "Row")
    assert [(kind, row["Key"]) for kind, row in rows] == [("Row", "a/x&y"), ("Row", "b")]
    assert (beside["Prefix"], beside["Cut"]) == ("a/", "true")
    assert "Id" not in beside


@pytest.mark.parametrize("body", [b"", b"{}", b"<a>", PAGE[:-3]])
def test_what_is_no_xml_is_refused(body):
    with pytest.raises(ValueError, match="XML"):
        xml_rows(body, "Row")
