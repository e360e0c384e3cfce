# SPDX-License-Identifier: Apache-2.0
import json
import re

import pytest

from oslogserve.errors import Incomplete, SourceError
from oslogserve.pages import listing
from oslogserve.query import Query
from oslogserve.sources import Entry
from oslogserve.sources.first_of import Listing

HOUR = 3600.0
NOTICE = "This listing is incomplete: a source failed (swift: it <broke>)."
HOSTILE = b'<script>alert("x")</script>&amp;'


class Source:
    """Lists what it was given; fails after it where it was told to."""

    def __init__(self, name, entries, fails=False):
        self.name = name
        self._entries = entries
        self._fails = fails

    def entries(self, path, wanted):
        for name, size, modified in self._entries:
            yield Entry(name, size, modified, self.name)
        if self._fails:
            raise SourceError(self.name, "it <broke>")


def merged(*sources):
    return Listing(sources, b"job")


def one(name, size=7, modified=HOUR):
    return merged(Source("disk", [(name, size, modified)]))


def both(fails=False):
    return merged(
        Source("disk", [(b"a", 1, HOUR), (b"b", 2, HOUR), (b"d/", None, None)]),
        Source("swift", [(b"b", 9, 2 * HOUR), (b"c", 3, HOUR), (b"d/", None, None)], fails),
    )


def many():
    """Two batches and one row more."""
    return merged(Source("disk", [(b"%05d" % i, i, HOUR) for i in range(2 * listing.BATCH + 1)]))


def page_of(found, sort=None, path=b"job", source="all"):
    query = Query(path, True, "/m", source, sort=sort)
    return query, listing.page_of(query, found)


def as_html(found, path=b"job", sort="name", source="all"):
    return b"".join(listing.html(*page_of(found, sort, path, source))).decode()


def as_text(found, sort="name"):
    return b"".join(listing.text(page_of(found, sort)[1])).decode()


def as_json(found, path=b"job", sort=None):
    return json.loads(b"".join(listing.as_json(path, page_of(found, sort)[1])))


def test_text_has_a_row_of_four_fields_for_each_name():
    assert as_text(both()) == (
        "a\t1\t1970-01-01 01:00:00\tdisk\n"
        "b\t2\t1970-01-01 01:00:00\tdisk,swift\n"
        "c\t3\t1970-01-01 01:00:00\tswift\n"
        "d/\t-\t-\tdisk,swift\n"
    )


def test_json_has_an_object_for_each_name():
    time = "1970-01-01T01:00:00Z"
    fields = ("name", "href", "size", "modified", "sources")
    rows = [
        ("a", "./a", 1, time, ["disk"]),
        ("b", "./b", 2, time, ["disk", "swift"]),
        ("c", "./c", 3, time, ["swift"]),
        ("d/", "./d/", None, None, ["disk", "swift"]),
    ]
    assert as_json(both()) == {
        "path": "job",
        "entries": [dict(zip(fields, row, strict=True)) for row in rows],
        "complete": True,
        "reason": None,
        "next": None,
    }


def test_html_has_a_row_for_each_name():
    page = as_html(both())
    rows = re.findall("<tr><td>(.*?)</tr>", page, re.DOTALL)
    shown = [re.sub("<.*?>|\\s+", " ", row).split() for row in rows]
    assert shown == [
        ["../"],
        ["d/", "disk", "swift"],
        ["a", "1", "B", "1970-01-01", "01:00:00", "disk"],
        ["b", "2", "B", "1970-01-01", "01:00:00", "disk", "swift"],
        ["c", "3", "B", "1970-01-01", "01:00:00", "swift"],
    ]
    assert '<data value="2" title="2 bytes">2 B</data>' in page
    assert '<time datetime="1970-01-01T01:00:00Z">1970-01-01 01:00:00</time>' in page
    assert '3 files, <data value="6" title="6 bytes">6 B</data>, 1 folder' in page


def names(page):
    return re.findall(r'<a href="\./[^"]*">([^<]*)</a>', page)


def of_names(*several):
    return merged(Source("disk", [(name, 1, HOUR) for name in several]))


def test_on_a_page_folders_come_first():
    page = as_html(of_names(b"a.txt", b"b/", b"c.txt", b"d/"))
    assert names(page) == ["b/", "d/", "a.txt", "c.txt"]


def test_a_column_that_says_the_same_everywhere_is_not_shown():
    assert '<table id="entries" class="same-time same-source">' in as_html(of_names(b"a", b"b"))
    assert '<table id="entries" class="">' in as_html(both())


def test_by_time_the_newest_comes_first_behind_what_has_none():
    found = [(b"a", 1, HOUR), (b"b", 1, 3 * HOUR), (b"c", 1, 2 * HOUR), (b"d", 1, 2 * HOUR)]
    rows = as_text_by_time(Source("disk", [*found, (b"e/", None, None)])).splitlines()
    assert [row.split("\t")[0] for row in rows] == ["e/", "b", "c", "d", "a"]
    shown = as_json(merged(Source("disk", found)), sort="time")
    assert [entry["name"] for entry in shown["entries"]] == ["b", "c", "d", "a"]


def test_by_time_the_newest_of_very_many_are_shown(monkeypatch):
    monkeypatch.setattr(listing, "MOST", 2)
    monkeypatch.setattr(listing, "MOST_READ", {"time": 4})
    found = [(b"%d" % number, 1, HOUR * number) for number in range(5)]
    *rows, sorted_ones, shown = as_text_by_time(Source("disk", found)).splitlines()
    assert [row[0] for row in rows] == ["2", "1"]
    assert sorted_ones == "[Only the first 3 entries by name were sorted by time.]"
    assert shown == "[Only the newest 2 entries are shown.]"
    assert as_json(merged(Source("disk", found)), sort="time")["complete"] is False
    assert as_text_by_time(Source("disk", found[:2]))[0] == "1"


def test_more_than_a_page_has_a_next_one(monkeypatch):
    monkeypatch.setattr(listing, "MOST", 2)
    monkeypatch.setattr(listing, "MOST_READ", {"name": 3})
    found = of_names(b"a", b"b", b"c d", b"e")
    told = "This folder has more than 2 entries: the rest is on the next page."
    shown = as_json(found)
    assert [entry["name"] for entry in shown["entries"]] == ["a", "b"]
    assert (shown["complete"], shown["reason"]) == (False, told)
    assert shown["next"] == "?sort=name&from=c+d"
    *_, notice, following = as_text(of_names(b"a", b"b", b"c")).splitlines()
    assert notice == f"[{told}]"
    assert following == "[oslogserve: there is more: ?sort=name&from=c]"
    page = as_html(of_names(b"a", b"b", b"\xff"))
    assert 'href="?sort=name&amp;from=%FF" rel="next"' in page
    assert told in page
    assert as_json(of_names(b"a", b"b"))["next"] is None


def test_a_listing_whose_budget_is_spent_is_not_complete():
    class Costly:
        def entries(self, path, wanted):
            yield Entry(b"a", 1, HOUR, "disk")
            raise Incomplete("budget", "its time is over")

    shown = as_json(Listing([Costly()], b"job"))
    assert [entry["name"] for entry in shown["entries"]] == ["a"]
    assert shown["reason"] == "This listing is incomplete: its time is over."


@pytest.mark.parametrize("source", ["all", "swift"])
def test_the_order_is_a_link_that_keeps_the_source(source):
    page = as_html(both(), sort="time", source=source)
    asked = "?" if source == "all" else "?source=swift&amp;"
    assert f'<th><a href="{asked}sort=name">Name</a></th>' in page
    assert f'<th aria-sort="descending"><a href="{asked}sort=time" aria-current="true">' in page


@pytest.mark.parametrize(("source", "kept"), [("all", ""), ("swift", "?source=swift")])
def test_entries_and_folders_above_keep_the_source(source, kept):
    page = as_html(both(), b"12/job", source=source)
    for address, text in [
        ("/m/", "logs"),
        ("/m/12/", "12"),
        ("../", "../"),
        ("./b", "b"),
        ("./d/", "d/"),
    ]:
        assert f'<a href="{address}{kept}">{text}</a>' in page


def as_text_by_time(source):
    return as_text(merged(source), "time")


def test_the_root_has_nothing_above_it():
    page = as_html(both(), b"")
    assert 'href="../"' not in page
    assert "<title>logs</title>" in page


def test_more_than_a_batch_is_whole_and_in_order():
    names = [f"{i:05d}" for i in range(2 * listing.BATCH + 1)]
    assert [row.split("\t")[0] for row in as_text(many()).splitlines()] == names
    assert [entry["name"] for entry in as_json(many())["entries"]] == names
    assert re.findall(r'href="\./(\d+)"', as_html(many())) == names


@pytest.mark.parametrize("after", [0, 1, listing.BATCH, listing.BATCH + 1])
def test_json_is_valid_and_not_complete_after_a_failure(after):
    rows = [(b"%05d" % i, i, HOUR) for i in range(after)]
    shown = as_json(merged(Source("swift", rows, fails=True)))
    assert len(shown["entries"]) == after
    assert shown["complete"] is False
    assert shown["reason"] == NOTICE


def test_html_ends_with_a_notice_after_a_failure():
    page = as_html(both(fails=True))
    notice = NOTICE.replace("<", "&lt;").replace(">", "&gt;")
    _, _, after = page.partition("</table>")
    assert f'<p class="notice" role="status">{notice}</p>' in after
    assert page.endswith("</html>\n")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a\tb", r"a\tb"),
        (b"a\nb", r"a\nb"),
        (b"a\r\x1b[2J", r"a\r\x1b[2J"),
        ("a\u2028b".encode(), r"a\u2028b"),
        ("Bär\n1".encode(), r"Bär\n1"),
        ("Bär 1".encode(), "Bär 1"),
    ],
)
def test_no_name_breaks_a_row_of_the_text(name, shown):
    [row] = as_text(one(name)).splitlines()
    assert row.split("\t") == [shown, "7", "1970-01-01 01:00:00", "disk"]


@pytest.mark.parametrize("name", [b"a\tb", b"a\nb", HOSTILE, b'"\\', "Bär".encode()])
def test_json_gives_any_name_back(name):
    shown = as_json(one(name), name)
    assert shown["path"] == name.decode()
    assert [entry["name"] for entry in shown["entries"]] == [name.decode()]


@pytest.mark.parametrize(
    ("name", "address"),
    [
        (b"a b", "./a%20b"),
        (b"a\nb", "./a%0Ab"),
        (b"a?b#c", "./a%3Fb%23c"),
        (b"100%", "./100%25"),
        (b"http://x/", "./http%3A//x/"),
        (b"javascript:x", "./javascript%3Ax"),
        (b"\xff", "./%FF"),
        (b"it's", "./it%27s"),
    ],
)
def test_a_link_leads_to_the_names_own_bytes(name, address):
    assert f'<a href="{address}">' in as_html(one(name))
    assert as_json(one(name))["entries"][0]["href"] == address


def test_html_escapes_names_and_the_path():
    page = as_html(one(HOSTILE), b"job/" + HOSTILE)
    assert "<script>" not in page
    shown = "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;&amp;amp;"
    assert f">{shown}</a>" in page
    assert f"<title>job/{shown}</title>" in page


def test_a_name_that_is_no_utf_8_is_shown_all_the_same():
    assert "\ufffd" in as_html(one(b"\xff"))
    assert as_text(one(b"\xff")).startswith("\ufffd\t")
    assert as_json(one(b"\xff"))["entries"][0]["name"] == "\ufffd"


@pytest.mark.parametrize(
    ("name", "row"),
    [
        (b"a\n\x1b[2J", r'<a href="./a%0A%1B%5B2J">a\n\x1b[2J</a>'),
        ("a\u202eb<".encode(), r'<a href="./a%E2%80%AEb%3C">a\u202eb&lt;</a>'),
        ("Bär 1".encode(), '<a href="./B%C3%A4r%201">Bär 1</a>'),
    ],
)
def test_html_shows_control_characters_and_links_to_them(name, row):
    assert f"<tr><td>{row}</td>" in as_html(one(name))
