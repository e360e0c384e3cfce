# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve_mcp.places import LONGEST, BadRequest, Elsewhere, Site, as_path, below

SITE = Site("https://logs.example.org/ci/")


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://logs.example.org", "https://logs.example.org/"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/"),
        ("http://[::1]:8000/ci", "http://[::1]:8000/ci/"),
        ("https://logs.example.org/a%20b/c/", "https://logs.example.org/a%20b/c/"),
    ],
)
def test_the_address_of_a_site_ends_in_a_slash(url, address):
    assert Site(url).url == address


@pytest.mark.parametrize(
    "url",
    [
        "logs.example.org",
        "ftp://logs.example.org",
        "file:///etc/passwd",
        "https://",
        "https://user:password@logs.example.org",
        "https://logs.example.org:port",
        "https://logs.example.org:99999",
        "https://logs.example.org?a=b",
        "https://logs.example.org/#a",
        "https://logs example.org",
        "https://logs.example.org/a b",
        " https://logs.example.org",
        "https://[::1",
    ],
)
def test_what_is_no_address_of_a_site_is_refused(url):
    with pytest.raises(ValueError, match=r"^[^.]+$"):
        Site(url)


@pytest.mark.parametrize(
    ("given", "path", "address"),
    [
        ("42/7/console.log", b"42/7/console.log", "42/7/console.log"),
        ("/42/7/", b"42/7/", "42/7/"),
        ("", b"", ""),
        ("a b?c#d%zz", b"a b?c#d%zz", "a%20b%3Fc%23d%25zz"),
        ("a%20b%3Fc%2541", b"a b?c%41", "a%20b%3Fc%2541"),
        ("/ci/42/a%40b", b"42/a@b", "42/a%40b"),
        ("/ci", b"", ""),
        ("/ci-other/42", b"ci-other/42", "ci-other/42"),
        ("ci/42", b"ci/42", "ci/42"),
        ("\ud800", b"?", "%3F"),
        ("é", "é".encode(), "%C3%A9"),
        ("https://logs.example.org/ci/42/a%20b", b"42/a b", "42/a%20b"),
        ("HTTPS://LOGS.example.org:443/ci/42/", b"42/", "42/"),
        ("https://logs.example.org/ci/%FF", b"\xff", "%FF"),
        ("https://logs.example.org/ci", b"", ""),
        ("https://logs.example.org/ci/a%252e", b"a%2e", "a%252e"),
    ],
)
def test_a_path_and_a_link_name_the_same(given, path, address):
    place = SITE.place(given)
    assert place.path == path
    assert SITE.address(place.path, ()) == "https://logs.example.org/ci/" + address


@pytest.mark.parametrize(
    "link",
    [
        "https://evil.example/ci/42",
        "https://logs.example.org.evil.example/ci/42",
        "https://logs.example.org@evil.example/ci/42",
        "https://logs.example.org\\@evil.example/ci/42",
        "https://logs.example.org:8443/ci/42",
        "http://logs.example.org/ci/42",
        "https://logs.example.org/other/42",
        "https://logs.example.org/ci-other/42",
        "https://logs.example.org/",
        "//evil.example/ci/42",
        "ftp://logs.example.org/ci/42",
        "file:///etc/passwd",
        "https://logs.example.org:x/ci/42",
        "https://[/ci/42",
        "https://logs.example.org/ci/42?" + "a=b&" * 101,
    ],
)
def test_a_link_to_elsewhere_is_refused(link):
    with pytest.raises(Elsewhere):
        SITE.place(link)


@pytest.mark.parametrize(
    "given",
    [
        *("..", "../x", "a/../../x", "a/./b", "a//b", "a\0b", "x" * (LONGEST + 1), "x" * 5000),
        "https://logs.example.org/ci/../other",
        "https://logs.example.org/ci/%2e%2e/other",
        "https://logs.example.org/ci/a%2f..%2fb",
        "https://logs.example.org/ci/a%00",
    ],
)
def test_a_path_that_climbs_is_refused(given):
    with pytest.raises(BadRequest):
        SITE.place(given)


@pytest.mark.parametrize(
    ("behind", "lines"),
    [
        ("", (0, 0)),
        ("#L12", (12, 12)),
        ("#L12-L20", (12, 20)),
        ("?goto=12", (12, 12)),
        ("?goto=12-20", (12, 20)),
        ("?goto=12#L30", (30, 30)),
        ("?goto=cause", (0, 0)),
        ("?lines=12-20", (12, 20)),
        ("?lines=12-20#L15", (15, 15)),
        ("?lines=12-", (0, 0)),
        ("?show=L12-L20#L12", (12, 20)),
        ("?show=L12-L20#L30", (30, 30)),
        ("?show=L12-L20", (0, 0)),
    ],
)
@pytest.mark.parametrize(
    "log", ["https://logs.example.org/ci/a%23%3F.log", "/ci/a%23%3F.log", "a#?.log"]
)
def test_a_link_leads_to_lines(log, behind, lines):
    place = SITE.place(log + behind)
    assert (place.first, place.last) == lines
    assert place.path == b"a#?.log"


def test_a_path_has_the_query_of_its_link():
    place = SITE.place("/ci/job/a.log?source=disk&goto=18:25:11")
    assert (place.path, place.source, place.goto) == (b"job/a.log", "disk", "18:25:11")
    assert SITE.place("https://logs.example.org/ci/a#_2013-09-27_18_22") == (b"a", [], 0, 0)
    place = SITE.place("job/?against=%40smoke&new=only&after=5")
    assert place == (b"job/", [("against", "@smoke"), ("new", "only"), ("after", "5")], 0, 0)


@pytest.mark.parametrize("given", ["?goto=5-7", "?source=disk&goto=5", "#L5"])
def test_a_link_to_lines_without_its_log_is_a_sentence(given):
    with pytest.raises(BadRequest, match=r"Put the link to its log before [?#]"):
        SITE.place(given)


def test_a_link_to_a_line_keeps_the_source():
    place = SITE.place("https://logs.example.org/ci/a.log?source=swift&level=ERROR")
    assert place.query == [("source", "swift"), ("level", "ERROR")]
    link = SITE.link(place.path, 7, place.source)
    assert link == "https://logs.example.org/ci/a.log?source=swift&goto=7"
    assert SITE.place(link).first == 7
    assert SITE.link(b"a/") == "https://logs.example.org/ci/a/"


def test_the_path_of_an_entry_is_below_its_folder():
    assert below(b"a/b/", "./c%20d") == b"a/b/c d"
    assert below(b"", "c") == b"c"
    with pytest.raises(BadRequest):
        below(b"a/", "..%2Fc")


@pytest.mark.parametrize("name", ["a%41b", "100%", "a b?c#d", "a?goto=5", "a#L5", "%2541", "é%zz"])
def test_a_name_as_a_path_leads_to_its_log(name):
    assert SITE.place(as_path(name)).path == name.encode()
