# SPDX-License-Identifier: Apache-2.0
import re
from itertools import islice

import pytest

from oslogserve.bench import logs
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.samples import UploadData
from oslogserve.config import ConfigError

DISK = Endpoint("disk", "", {"source": "disk"})
SWIFT = Endpoint("swift", "", {"source": "swift"})
LOGS = ["http://logs/a.txt", "http://logs/b.txt?level=ERROR&source=all"]


def test_each_log_is_requested_from_each_source_in_turn():
    requests = list(islice(logs.alternating([DISK, SWIFT], LOGS), 5))
    assert [(request.name, request.url) for request in requests] == [
        (LOGS[0], "http://logs/a.txt?source=disk"),
        (LOGS[0], "http://logs/a.txt?source=swift"),
        (LOGS[1], "http://logs/b.txt?level=ERROR&source=disk"),
        (LOGS[1], "http://logs/b.txt?level=ERROR&source=swift"),
        (LOGS[0], "http://logs/a.txt?source=disk"),
    ]


@pytest.mark.parametrize(
    ("base", "log", "url"),
    [
        ("http://one/htmlify/", "x/a.txt", "http://one/htmlify/x/a.txt"),
        ("http://one", "/x/a.txt", "http://one/x/a.txt"),
        ("http://one", "Grüße.txt", "http://one/Gr%C3%BC%C3%9Fe.txt"),
        ("http://one", "a b%20c", "http://one/a%20b%20c"),
        ("http://one", "x:y", "http://one/x:y"),
    ],
)
def test_servers_are_compared_by_paths_below_their_urls(base, log, url):
    assert Endpoint("one", base, {}).request(log).url == url


@pytest.mark.parametrize(
    ("base", "log"),
    [
        ("http://one", "http://two/a.txt"),
        ("", "a.txt"),
        ("", "file:///etc/passwd"),
        ("", "http://[::1/a"),
        ("", "http://[zz]/a"),
        ("", "http://h/\udcff"),
        ("", "http://ü/"),
    ],
)
def test_a_log_without_a_url_is_named(base, log):
    with pytest.raises(ConfigError, match=re.escape(log)):
        Endpoint("one", base, {}).request(log)


def test_a_count_or_a_time_ends_the_requests():
    assert len(list(logs.limited(logs.alternating([DISK], LOGS), 5))) == 5
    assert list(logs.limited(logs.alternating([DISK], LOGS), None, -1.0)) == []


@pytest.mark.parametrize("most", [1, 7, 100])
@pytest.mark.parametrize("offset", [0, 4, 6])
def test_an_upload_repeats_its_data_and_can_be_sent_again(most, offset):
    data = UploadData(b"0123456", 20, offset)
    for start in (0, 2, 20):
        assert data.seek(start) == 0
        pieces = list(iter(lambda: data.read(most), b""))
        assert b"".join(pieces) == (b"0123456" * 5)[offset:][start:20]
        assert max(map(len, pieces), default=0) <= most


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (
            [
                "http://a/1.html",
                "http://a/job-output.json.gz",
                "http://a/console.json.zst",
                "http://a/job-output.txt",
            ],
            3,
        ),
        (["job/build.log", "job/console.txt.gz?level=ERROR"], 1),
        (["console.log", "job-output.txt"], 0),
    ],
)
def test_the_console_is_found_among_the_logs_of_a_job(given, found):
    assert logs.console(given) == given[found]


def test_a_report_is_no_console():
    names = ["http://console/a.txt", "job-output.json", "console/testr.html", "my-console.txt"]
    assert logs.console(names) == ""
