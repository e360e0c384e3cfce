# SPDX-License-Identifier: Apache-2.0
import re
from html import unescape
from html.parser import HTMLParser
from urllib.parse import parse_qs, parse_qsl

import pytest

from oslogserve.lines.formats import SEVERITIES
from oslogserve.query import Query, asked
from oslogserve.views import page
from oslogserve.views.assets import content, url

HOSTILE = b'<img src=x onerror="alert(1)">&\'"><script>alert(2)</script>'


class Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def elements(text, wanted=None):
    return [(tag, attrs) for tag, attrs in Elements(text).found if wanted in (None, tag)]


def before(path=b"a.txt", mount="", given=""):
    query = Query(path, False, **asked(parse_qsl(given, keep_blank_values=True)))
    return page.before_lines(mount, query, "disk").decode()


def links(text, label):
    """The navigation's links of that label: (shown, attributes)."""
    nav = re.search(rf'<nav [^>]*aria-label="{label}">(.*?)</nav>', text, re.DOTALL)[1]
    shown = re.findall(r"<a [^>]*>(.*?)</a>", nav)
    return list(zip(shown, (attrs for _, attrs in elements(nav, "a")), strict=True))


def asked_by(attrs):
    assert attrs["href"].startswith("?")
    return parse_qs(attrs["href"][1:])


def test_breadcrumbs_link_each_folder_above_and_end_with_the_name():
    assert page.breadcrumbs("/htmlify", b"12/job/a.txt") == (
        '<a href="/htmlify/">logs</a> / <a href="/htmlify/12/">12</a> / '
        '<a href="/htmlify/12/job/">job</a> / <b>a.txt</b>'
    )


def test_breadcrumbs_at_the_top():
    assert page.breadcrumbs("", b"a.txt") == '<a href="/">logs</a> / <b>a.txt</b>'


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
    assert f"<b>{'&lt;b&gt;&amp;amp;&quot;&#x27;'}</b>" in page.breadcrumbs("", name)
    title = re.search("<title>(.*)</title>", before(name))[1]
    assert "<" not in title
    assert unescape(title) == name.decode()


def test_a_hostile_mount_point_stays_in_its_attribute():
    mount = '/"><script>x</script>'
    for text in (before(mount=mount), page.error_page(mount, "404 Not Found", "x").decode()):
        assert len(elements(text, "script")) == 1


def test_an_error_page_escapes_its_sentence():
    text = page.error_page("/m", "400 Bad Request", "<script>x</script>").decode()
    assert "<p>&lt;script&gt;x&lt;/script&gt;</p>" in text
    assert "<h1>400 Bad Request</h1>" in text
    assert '<a href="/m/">' in text


def test_there_is_a_link_for_every_level():
    shown = links(before(), "Severity")
    assert [name for name, _ in shown] == ["all", *SEVERITIES[1:]]
    assert [asked_by(attrs)["level"] for _, attrs in shown] == [[level] for level in SEVERITIES]
    assert [attrs["class"] for _, attrs in shown] == list(SEVERITIES)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", {}),
        ("limit=9", {"limit": ["9"]}),
        ("source=swift", {"source": ["swift"]}),
        ("source=disk&limit=9", {"source": ["disk"], "limit": ["9"]}),
        ("q=a%26b&q=%3C%22&since=2013&format=html", {"q": ["a&b", '<"'], "since": ["2013"]}),
        ("q=&content-type=text/html", {}),
    ],
)
def test_level_links_keep_all_else_that_is_asked_of_the_lines(given, kept):
    for _, attrs in links(before(given=f"level=error&{given}"), "Severity"):
        wanted = asked_by(attrs)
        del wanted["level"]
        assert wanted == kept


@pytest.mark.parametrize("level", [None, *SEVERITIES[1:]])
def test_the_current_level_alone_is_marked(level):
    shown = before(given=f"level={level.lower()}" if level else "")
    marked = [name for name, attrs in links(shown, "Severity") if "aria-current" in attrs]
    assert marked == [level or "all"]
    assert shown.count('aria-current="true"') == 1


def test_the_text_link_shows_the_same_lines():
    [(name, attrs), _] = links(before(given="level=ERROR&limit=9&source=disk"), "Format")
    assert name == "text"
    assert asked_by(attrs) == {
        "level": ["ERROR"],
        "limit": ["9"],
        "source": ["disk"],
        "format": ["text"],
    }


def test_the_raw_link_asks_the_same_source():
    [_, (name, attrs)] = links(before(given="level=ERROR&limit=9&source=disk"), "Format")
    assert name == "raw"
    assert asked_by(attrs) == {"source": ["disk"], "format": ["raw"]}


@pytest.mark.parametrize(
    "text",
    [
        before(b"job/a.txt", "/m", "level=ERROR&q=x") + page.after_lines(["x"]).decode(),
        page.error_page("/m", "404 Not Found", "x").decode(),
    ],
    ids=["log", "error"],
)
def test_nothing_in_a_served_page_is_inline(text):
    found = elements(text)
    assert not [tag for tag, _ in found if tag == "style"]
    assert not [name for _, a in found for name in a if name == "style" or name.startswith("on")]
    assert re.findall("<script(.*?)>(.*?)</script>", text, re.DOTALL) == [
        (f' src="{url("/m", "log.js")}" defer', "")
    ]
    assert f'<link rel="stylesheet" href="{url("/m", "log.css")}">' in text
    assert "javascript:" not in text


@pytest.mark.parametrize("kind", ["style-src", "script-src"])
def test_the_policy_allows_only_the_applications_own_files(kind):
    policy = dict(part.strip().split(" ", 1) for part in page.POLICY.split(";"))
    assert policy["default-src"] == "'none'"
    assert policy[kind] == "'self'"


def test_the_page_says_which_source_the_log_is_from():
    assert '<p class="facts">from disk</p>' in before()


def test_notices_stand_after_the_lines_escaped():
    assert page.after_lines(["a <b>", "c"]).decode() == (
        '</pre><p class="notice" role="status">a &lt;b&gt;</p>\n'
        '<p class="notice" role="status">c</p>\n</main>\n</body>\n</html>\n'
    )


def test_where_a_limit_cut_the_next_lines_are_linked():
    [(_, attrs)] = elements(page.after_lines([], "/a%20b?q=%22&limit=1&lines=2-").decode(), "a")
    assert attrs == {"href": "/a%20b?q=%22&limit=1&lines=2-", "rel": "next"}
    assert b"<a" not in page.after_lines(["x"])


@pytest.mark.parametrize(
    ("source", "link"),
    [("all", b"?"), ("disk", b"?source=disk&amp;"), ("swift", b"?source=swift&amp;")],
)
def test_links_among_the_lines_keep_the_source(source, link):
    assert page.link_of(source) == link


def test_a_page_that_is_a_file_brings_its_style_and_asks_for_nothing():
    text = page.standalone_head("<x>").decode()
    assert "<title>&lt;x&gt;</title>" in text
    assert content("log.css") in text
    assert not [a for _, a in elements(text) if "href" in a or "src" in a]
