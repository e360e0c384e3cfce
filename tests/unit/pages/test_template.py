# SPDX-License-Identifier: Apache-2.0
import pytest
from markupsafe import Markup

from oslogserve.pages.template import join, template

HOSTILE = '<script>alert("1")</script>&\''
LINK = template('<a href="{address}" title="{address}">{name}</a>\n')


def test_a_template_escapes_what_fills_it():
    shown = LINK(address="?a=1&b=2", name=HOSTILE)
    assert shown == Markup('<a href="{0}" title="{0}">{1}</a>\n').format("?a=1&b=2", HOSTILE)
    assert "<script" not in shown
    assert type(shown) is Markup


def test_a_template_takes_markup_and_numbers_as_they_are():
    bold = template("<b>{name}</b>")(name=Markup("<i>a</i>"))
    assert LINK(address="", name=bold) == '<a href="" title=""><b><i>a</i></b></a>\n'
    assert template("{count} {count:,}")(count=1234) == "1234 1,234"


def test_what_is_filled_in_is_no_template():
    assert LINK(address="{name}", name="{address}%s\\") == (
        '<a href="{name}" title="{name}">{address}%s\\</a>\n'
    )


@pytest.mark.parametrize("values", [{}, {"address": ""}, {"address": "", "name": "", "more": ""}])
def test_a_template_takes_just_its_places(values):
    with pytest.raises(TypeError):
        LINK(**values)


def test_join_escapes_what_is_not_markup():
    joined = join(["<a>", Markup("<b>")], between=" & ")
    assert joined == "&lt;a&gt; & <b>"
    assert type(joined) is Markup
