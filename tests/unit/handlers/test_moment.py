# SPDX-License-Identifier: Apache-2.0
"""Links from a line to what all logs of its job say around it."""

import gzip
import os
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.unit.handlers.asking import HTML, Asking

NOVA = b"""nova starts
2026-03-04 18:22:11.000 INFO nova: one
2026-03-04 18:22:13.000 DEBUG nova: two <b>
  of two
2026-03-04 18:22:19.000 INFO nova: late
"""
NEUTRON = b"""2026-03-04T20:22:12+02:00 ERROR neutron: a href=logs/nova.txt.gz#L3
2026-03-04T20:22:13+02:00 DEBUG neutron: noise
"""
AROUND = "since=2026-03-04T18%3A22%3A11Z&until=2026-03-04T18%3A22%3A15Z&not=DEBUG&order=time"


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "job/logs").mkdir(parents=True)
    (tmp_path / "job/job-output.txt").write_bytes(b"18:22:13 no date\n")
    (tmp_path / "job/logs/nova.txt.gz").write_bytes(gzip.compress(NOVA))
    (tmp_path / "job/logs/neutron.txt").write_bytes(NEUTRON)
    (tmp_path / "job" / os.fsdecode(b"a:\xff&.txt")).write_bytes(NOVA)
    return Asking(tmp_path)


def followed(ask, url, **headers):
    """The last answer of redirects, and its address."""
    while (answer := ask(url, **headers)).status_int == 302:
        path, query = answer.headers["Location"].partition("#")[0].split("?", 1)
        url = os.path.normpath(url.partition("?")[0].rpartition("/")[0] + "/" + path) + "/?" + query
    return answer, url


def texts(answer):
    found = [line for line in answer.text.splitlines() if not line.startswith("[oslogserve")]
    return [re.sub("<.*", "", line) for line in found]


@pytest.mark.parametrize("name", ["nova.txt.gz", "nova.txt"])
def test_a_line_leads_to_the_seconds_around_it_in_all_logs(ask, name):
    answer = ask(f"/job/logs/{name}?moment=4")
    assert (answer.status_int, answer.headers["Cache-Control"]) == (302, "no-store")
    assert answer.headers["Location"] == f"./?{AROUND}&moment={name}%3A4&in=job#moment"
    answer, url = followed(ask, f"/job/logs/{name}?moment=4", **HTML)
    assert url == f"/job/?{AROUND}&moment=logs%2F{name}%3A4"
    assert re.findall("<li id=moment aria-current=true class=.*", answer.text) == [
        "<li id=moment aria-current=true class=d><a href=logs/nova.txt.gz#L4>4</a>  of two"
    ]
    assert "neutron: noise" not in answer.text
    assert "is not on this page" not in answer.text


def test_a_line_with_a_zone_leads_to_the_same_seconds_of_logs_on_other_clocks(ask):
    answer, url = followed(ask, "/job/logs/neutron.txt?moment=2", **HTML)
    assert url == f"/job/?{AROUND}&moment=logs%2Fneutron.txt%3A2"
    assert "nova: one" in answer.text


@pytest.mark.parametrize("order", ["log", "time"])
def test_the_line_is_shown_whatever_the_filters_say(ask, order):
    query = f"moment=logs/nova.txt.gz:3&order={order}&level=ERROR&not=two&since=2027"
    assert texts(ask(f"/job/?{query}&format=text")) == [
        "logs/nova.txt.gz:3:2026-03-04 18:22:13.000 DEBUG nova: two "
    ]
    page = ask(f"/job/?{query}", **HTML).text
    assert page.count("id=moment") == 1
    assert "<li id=moment aria-current=true" in page


def test_the_page_names_the_filters_and_keeps_the_moment(ask):
    page = ask(f"/job/?{AROUND}&moment=logs/nova.txt.gz:3", **HTML).text.replace("&amp;", "&")
    chips = dict(re.findall('<a class="chip" href="(.*?)".*?>(.*?)</a>', page))
    without_filter = AROUND.replace("&not=DEBUG", "")
    assert chips[f"?{without_filter}&moment=logs%2Fnova.txt.gz%3A3#moment"] == "not “DEBUG”"
    assert chips[f"?{AROUND}#moment"] == "the moment of logs/nova.txt.gz:3"
    assert '<input type="hidden" name="moment" value="logs/nova.txt.gz:3">' in page
    assert 'aria-label="Lines of these logs" action="#moment">' in page


@pytest.mark.parametrize("moment", ["gone.txt:3", "logs/nova.txt.gz:99"])
def test_a_moment_that_is_not_there_is_told(ask, moment):
    page = ask(f"/job/?moment={moment}&order=time", **HTML).text
    name, _, number = moment.partition(":")
    assert f"Line {number} of {name} is not on this page." in page
    assert "id=moment" not in page
    assert "is not on this page" not in ask(f"/job/?moment={moment}&after=1", **HTML).text


def test_a_name_of_any_bytes_is_found(ask):
    answer, _ = followed(ask, "/job/a:%FF&.txt?moment=3", **HTML)
    assert "<li id=moment aria-current=true" in answer.text


def test_the_source_is_kept(ask):
    _, url = followed(ask, "/job/logs/neutron.txt?source=disk&moment=1", **HTML)
    assert parse_qs(urlsplit(url).query)["source"] == ["disk"]


def test_the_overview_leads_to_the_moment_of_a_cause(ask):
    page = ask("/job/?format=overview&source=disk").text.replace("&amp;", "&")
    [address] = re.findall('<a href="([^"]*#moment)">this moment in all logs</a>', page)
    assert "moment=logs%2Fneutron.txt%3A1#moment" in address
    assert "source=disk" in address
    shown = ask("/job/" + address.partition("#")[0], **HTML).text
    assert (
        "<li id=moment aria-current=true class=E><a href=logs/neutron.txt?source=disk#L1" in shown
    )


@pytest.mark.parametrize(
    ("address", "moment"),
    [("?show=L3", "?source=all&moment=3"), ("?source=disk&show=L2-L4", "?source=disk&moment=2")],
)
def test_without_scripts_the_line_of_the_address_has_a_link(ask, address, moment):
    page = ask(f"/job/logs/nova.txt{address}", **HTML).text.replace("&amp;", "&")
    assert f'<a class="moment" href="{moment}"' in page
    assert '<a class="moment scripted"' in ask("/job/logs/nova.txt", **HTML).text


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("logs/nova.txt?moment=1", "No line up to this one has a date and a time."),
        ("job-output.txt?moment=1", "No line up to this one has a date and a time."),
        ("logs/nova.txt?moment=a.txt:1", "this is one log"),
        ("?moment=1", "it needs the log's name"),
        ("logs/?moment=1&in=job", "it needs the log's name"),
        ("?moment=logs/nova.txt:1&format=overview", "moment is for lines"),
        ("?moment=logs/nova.txt:1&format=summary", "moment is for lines"),
    ],
)
def test_what_is_no_moment_is_refused(ask, url, said):
    answer = ask(f"/job/{url}")
    assert (answer.status_int, said in answer.text) == (400, True)
