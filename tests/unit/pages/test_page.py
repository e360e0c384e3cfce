# SPDX-License-Identifier: Apache-2.0
import re
from html import unescape
from urllib.parse import parse_qsl

import pytest

from oslogserve.errors import Incomplete
from oslogserve.lines.renderer import Renderer
from oslogserve.pages import page
from oslogserve.pages.log import LogView
from oslogserve.pages.page import content, frame, integrity
from oslogserve.query import Query
from oslogserve.urls import address
from tests.kit.open_logs import open_log
from tests.unit.pages.elements import elements, shape

RENDERER = Renderer()
HOSTILE = b'<img src=x onerror="alert(1)">&\'"><script>alert(2)</script>'


def shown(path=b"a.txt", mount="", query="", file_title=None, missing=""):
    query = Query(path, False, mount).with_parameters(parse_qsl(query, keep_blank_values=True))
    error = Incomplete("failed", missing) if missing else None
    log = open_log(b"x\n", error=error, modified=3600.0)
    view = LogView(query, log, RENDERER, file_title=file_title)
    return b"".join(view.render("html", log.text())).decode()


def folders(*path, mount=""):
    """(address, text) of the links to folders above."""
    nav = re.search('<nav class="path".*?</nav>', shown(*path, mount=mount), re.DOTALL)[0]
    return [(unescape(one), text) for one, text in re.findall(r'<a href="(.*?)".*?>(.*)</a>', nav)]


def test_folders_above_keep_the_source():
    nav = shown(b"12/a.txt", query="source=swift")
    assert '<a href="/?source=swift">logs</a>' in nav
    assert '<a href="/12/?source=swift">12</a>' in nav


def test_each_folder_above_is_linked():
    assert folders(b"12/job/a.txt", mount="/htmlify") == [
        *(("/htmlify/", "logs"), ("/htmlify/12/", "12"), ("/htmlify/12/job/", "job"))
    ]
    assert folders(b"a.txt") == [("/", "logs")]
    assert "<h1>a.txt</h1>" in shown(b"12/job/a.txt")


def test_of_many_folders_the_last_are_linked_each():
    path = b"/".join(b"%d" % number for number in range(2000)) + b"/a.txt"
    top, far, first, *others = folders(path, mount="/m")
    assert top == ("/m/", "logs")
    assert (far[0][:7], far[0][-6:], far[1]) == ("/m/0/1/", "/1983/", "&hellip;")
    assert (first[0][-6:], first[1], others[-1][1]) == ("/1984/", "1984", "1999")
    assert len(others) == page.MOST_FOLDERS - 1


@pytest.mark.parametrize(
    ("folder", "address"),
    [
        (b"a b", "/a%20b/"),
        (b"a?b#c%", "/a%3Fb%23c%25/"),
        (b"\xff", "/%FF/"),
        (b'"><x', "/%22%3E%3Cx/"),
    ],
)
def test_a_link_leads_to_the_folders_own_bytes(folder, address):
    assert folders(folder + b"/x")[-1][0] == address


@pytest.mark.parametrize("path", [HOSTILE, HOSTILE + b"/a.txt"], ids=["name", "folder"])
def test_hostile_names_add_no_element(path):
    harmless = b"/".join(b"x" for _ in path.split(b"/"))
    assert shape(shown(path)) == shape(shown(harmless))
    assert shape(shown(file_title=path.decode())) == shape(shown(file_title="x"))


def test_a_hostile_mount_point_stays_in_its_attribute():
    mount = '/"><script>x</script>'
    assert len(elements(shown(mount=mount), "script")) == 5


def test_nothing_in_a_served_page_is_inline():
    text = shown(b"job/a.txt", "/m", "level=ERROR", missing="x")
    names = [name for tag in set(shape(text)) for attrs in elements(text, tag) for name in attrs]
    assert "style" not in [*shape(text), *names]
    assert not [name for name in names if name.startswith("on")]
    assert re.findall("<script(.*?)>(.*?)</script>", text, re.DOTALL) == [
        (
            f' type="module"{when} integrity="{integrity(name)}" src="{frame(Query(b"", False, "/m"))["asset"](name)}"',
            "",
        )
        for name, when in (
            *(("log.js", " async"), ("keys.js", " async"), ("folds.js", " async")),
            *(("map.js", ""), ("outline.js", "")),
        )
    ]
    assert (
        f'<link rel="stylesheet" href="{frame(Query(b"", False, "/m"))["asset"]("log.css")}">'
        in text
    )
    assert "javascript:" not in text


def test_the_policy_allows_own_styles_and_scripts_by_their_hash_and_no_referrer_elsewhere():
    policy = dict(directive.strip().split(" ", 1) for directive in page.POLICY.split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["style-src"] == policy["connect-src"] == "'self'"
    static = ("log", "keys", "folds", "map", "outline", "follow", "folder", "overview")
    assert policy["script-src"].split() == [f"'{integrity(f'{name}.js')}'" for name in static]
    assert dict(page.HEADERS["html"])["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize(("query", "kind"), [("", ""), ("wrap=yes", ""), ("wrap=no", "nowrap")])
def test_long_lines_are_broken_unless_that_is_not_wanted(query, kind):
    [log] = [attrs for attrs in elements(shown(query=query), "div") if attrs.get("id") == "log"]
    assert log["class"] == kind


def test_notices_come_after_the_lines_escaped():
    _, _, after = shown(missing="a <b>").partition('<div id="damage">')
    notices = re.findall('<p class="notice" role="status">(.*)</p>', after)
    assert notices == ["oslogserve: this log is incomplete here: a &lt;b&gt;"]


def test_a_page_that_is_a_file_brings_its_style_and_asks_for_nothing():
    text = shown(file_title="<x>")
    assert "<title>&lt;x&gt;</title>" in text
    assert content("log.css") in text
    found = [attrs for tag in set(shape(text)) for attrs in elements(text, tag)]
    assert not [one for one in found if "src" in one or one.get("href", "#")[0] != "#"]


def test_an_address_keeps_the_parameters_in_their_order_and_adds_others_behind_them():
    parameters = (("q", "a b"), ("level", "ERROR"), ("q", "c&d"))
    assert address(parameters, ("level",), lines="2-") == "?q=a+b&q=c%26d&lines=2-"


def test_an_address_leaves_out_what_is_empty():
    assert address((("q", ""), ("re", "x")), lines="", tail=5) == "?re=x&tail=5"
    assert address() == "?"
