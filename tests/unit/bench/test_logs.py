# SPDX-License-Identifier: Apache-2.0
from itertools import islice

import pytest

from oslogserve.bench import logs
from oslogserve.bench.logs import Source
from oslogserve.bench.samples import BadPlan

DISK = Source("disk", "", {"source": "disk"})
SWIFT = Source("swift", "", {"source": "swift"})
LOGS = ["http://logs/a.txt", "http://logs/b.txt?level=ERROR&source=all"]


def test_each_log_is_requested_of_each_source_in_turn():
    requests = list(islice(logs.alternating([DISK, SWIFT], LOGS), 6))
    assert [request.url for request in requests] == [
        "http://logs/a.txt?source=disk",
        "http://logs/a.txt?source=swift",
        "http://logs/b.txt?level=ERROR&source=disk",
        "http://logs/b.txt?level=ERROR&source=swift",
        "http://logs/a.txt?source=disk",
        "http://logs/a.txt?source=swift",
    ]
    assert [request.name for request in requests[:2]] == ["http://logs/a.txt"] * 2


def test_servers_are_compared_by_paths_below_their_urls():
    old, new = (
        Source("old", "http://one/htmlify/", {}),
        Source("new", "http://two", {"level": "ERROR"}),
    )
    assert old.request("x/a.txt").url == "http://one/htmlify/x/a.txt"
    assert new.request("/x/a.txt").url == "http://two/x/a.txt?level=ERROR"


def test_a_url_is_no_path_below_the_servers_that_are_compared():
    with pytest.raises(BadPlan, match="give a path below the URLs of --base"):
        Source("old", "http://one", {}).request("http://two/a.txt")


@pytest.mark.parametrize(
    ("name", "path"),
    [("Grüße.txt", "Gr%C3%BC%C3%9Fe.txt"), ("a b%20c", "a%20b%20c"), ("x:y", "x:y")],
)
def test_a_path_is_written_as_a_url_has_it(name, path):
    assert Source("old", "http://one", {}).request(name).url == f"http://one/{path}"


@pytest.mark.parametrize("log", ["http://[::1/a", "http://[zz]/a", "http://h/\udcff", "http://ü/"])
def test_what_no_url_can_be_made_of_is_named(log):
    with pytest.raises(BadPlan):
        DISK.request(log)


@pytest.mark.parametrize("log", ["a.txt", "file:///etc/passwd", "ftp://logs/a.txt"])
def test_what_is_no_url_of_http_is_named(log):
    with pytest.raises(BadPlan, match="http"):
        DISK.request(log)


def test_a_count_or_a_time_ends_the_requests():
    assert len(list(logs.limited(logs.alternating([DISK], LOGS), 5))) == 5
    assert list(logs.limited(logs.alternating([DISK], LOGS), None, -1.0)) == []


def test_a_list_has_a_log_a_line():
    assert logs.listed("# recent\nhttp://a\n\n  http://b  \r\n") == ["http://a", "http://b"]
