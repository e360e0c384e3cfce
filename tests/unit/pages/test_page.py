# SPDX-License-Identifier: Apache-2.0
import re
from html import unescape
from urllib.parse import parse_qsl

import pytest
from markupsafe import Markup

from oslogserve.pages import page
from oslogserve.pages.assets import content, integrity, url
from oslogserve.pages.bar import LogInfo
from oslogserve.query import Query
from tests.unit.pages.elements import Elements

HOSTILE = b'<img src=x onerror="alert(1)">&\'"><script>alert(2)</script>'


def elements(text, wanted=None):
    return [(tag, attrs) for tag, attrs in Elements(text).found if wanted in (None, tag)]


def before(path=b"a.txt", mount="", query=""):
    query = Query(path, False, mount).with_parameters(parse_qsl(query, keep_blank_values=True))
    return page.before_lines(query, LogInfo("disk", 7, 3600.0)).decode()


def test_breadcrumbs_link_each_folder_above_and_end_with_the_name():
    assert page.breadcrumbs("/htmlify", b"12/job/a.txt") == (
        '<a href="/htmlify/">logs</a> <a href="/htmlify/12/">12</a> '
        '<a href="/htmlify/12/job/">job</a> <h1>a.txt</h1>'
    )


def test_breadcrumbs_at_the_top():
    assert page.breadcrumbs("/htmlify", b"") == "<h1>logs</h1>"
    assert page.breadcrumbs("", b"a.txt") == '<a href="/">logs</a> <h1>a.txt</h1>'


def test_of_many_folders_the_last_are_linked_each():
    path = b"/".join(b"%d" % number for number in range(2000)) + b"/a.txt"
    crumbs = page.breadcrumbs("/m", path)
    assert crumbs.count("<a ") == 2 + page.MOST_CRUMBS
    assert crumbs.startswith('<a href="/m/">logs</a> <a href="/m/0/1/2/')
    assert '/1983/" title="Folders above">&hellip;</a> <a href="/m/0/' in crumbs
    assert '/1984/">1984</a>' in crumbs
    assert '/1999/">1999</a> <h1>a.txt</h1>' in crumbs
    assert len(crumbs) < 20 * len(path)


@pytest.mark.parametrize(
    ("folder", "address"),
    [
        (b"a b", "/a%20b/"),
        (b"a?b#c%", "/a%3Fb%23c%25/"),
        (b"\xff", "/%FF/"),
        (b'"><x', "/%22%3E%3Cx/"),
    ],
)
def test_breadcrumbs_lead_to_the_folders_own_bytes(folder, address):
    assert f'<a href="{address}">' in page.breadcrumbs("", folder + b"/x")


@pytest.mark.parametrize("path", [HOSTILE, HOSTILE + b"/a.txt"], ids=["name", "folder"])
def test_hostile_names_add_no_element(path):
    def shape(text):
        return [tag for tag, _ in elements(text)]

    harmless = b"/".join(b"x" for _ in path.split(b"/"))
    assert shape(before(path)) == shape(before(harmless))


def test_hostile_names_are_shown_as_they_are():
    name = b"<b>&amp;\"'"
    assert f"<h1>{'&lt;b&gt;&amp;amp;&#34;&#39;'}</h1>" in page.breadcrumbs("", name)
    title = re.search("<title>(.*)</title>", before(name))[1]
    assert "<" not in title
    assert unescape(title) == name.decode()


def test_a_hostile_mount_point_stays_in_its_attribute():
    mount = '/"><script>x</script>'
    assert len(elements(before(mount=mount), "script")) == 1


def test_nothing_in_a_served_page_is_inline():
    text = before(b"job/a.txt", "/m", "level=ERROR") + page.after_lines(["x"]).decode()
    found = elements(text)
    assert not [tag for tag, _ in found if tag == "style"]
    assert not [name for _, a in found for name in a if name == "style" or name.startswith("on")]
    assert re.findall("<script(.*?)>(.*?)</script>", text, re.DOTALL) == [
        (
            f' type="module" async integrity="{integrity("log.js")}" src="{url("/m", "log.js")}"',
            "",
        )
    ]
    assert f'<link rel="stylesheet" href="{url("/m", "log.css")}">' in text
    assert "javascript:" not in text


@pytest.mark.parametrize("directive", ["style-src", "connect-src"])
def test_the_policy_allows_only_the_applications_own_files(directive):
    assert policy()["default-src"] == "'none'"
    assert policy()[directive] == "'self'"


def test_the_policy_allows_no_script_by_where_it_lies():
    scripts = f"'{integrity('log.js')}' '{integrity('folder.js')}'"
    assert policy()["script-src"] == scripts


def policy():
    return dict(directive.strip().split(" ", 1) for directive in page.POLICY.split(";"))


def test_no_other_site_learns_the_address_of_a_page():
    assert dict(page.HEADERS)["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize(("query", "kind"), [("", ""), ("wrap=yes", ""), ("wrap=no", "nowrap")])
def test_long_lines_are_broken_unless_that_is_not_wanted(query, kind):
    [log] = [attrs for _, attrs in elements(before(query=query)) if attrs.get("id") == "log"]
    assert log["class"] == kind


def test_notices_and_counts_stand_after_the_lines_escaped():
    assert page.after_lines(["a <b>", "c"], footer=Markup("<footer></footer>")).decode() == (
        "</div>\n"
        '<div id="damage"><p class="notice" role="status">a &lt;b&gt;</p>\n'
        '<p class="notice" role="status">c</p>\n</div>\n'
        "<footer></footer></main>\n</body>\n</html>\n"
    )


def test_a_page_that_is_a_file_brings_its_style_and_asks_for_nothing():
    text = page.file_head("<x>").decode()
    assert "<title>&lt;x&gt;</title>" in text
    assert content("log.css") in text
    assert not [a for _, a in elements(text) if "href" in a or "src" in a]
