# SPDX-License-Identifier: Apache-2.0
"""Pages of small logs that are kept: each is the page that would be made now."""

import os
import re

import pytest

from oslogserve.handlers import made
from oslogserve.handlers.made import Asked, Made
from oslogserve.pages.log import LogView
from oslogserve.query import Query
from oslogserve.sources import Stored
from tests.unit.handlers.asking import GZIP, HTML, Asking, plain

LOG = b"2013-09-27 18:22:11.248 1 INFO one\n2013-09-27 18:22:12.248 1 ERROR two\n"


def asked(path=b"a.txt", version="1", **more):
    return Asked(Query(path, False, **more), "", Stored("disk", len(LOG), 0.0, version))


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "a.txt").write_bytes(LOG)
    return Asking(tmp_path)


@pytest.fixture
def times_made(monkeypatch):
    """How often a page was made."""
    times = []
    made_anew = LogView.of

    def of(self, *given):
        times.append(given)
        return made_anew(self, *given)

    monkeypatch.setattr(LogView, "of", of)
    return lambda: len(times)


def test_a_page_is_made_once(ask, times_made):
    first, second = ask("/a.txt", **HTML), ask("/a.txt", **HTML)
    assert times_made() == 1
    assert second.body == first.body
    assert second.headerlist == first.headerlist
    assert plain(ask("/a.txt", **HTML, **GZIP)) == first.body
    assert ask("/a.txt", "HEAD", **HTML).headers["Content-Length"] == str(len(first.body))
    assert times_made() == 1


def test_it_counts_like_one_that_was_made(ask):
    length = len(ask("/a.txt", **HTML).body)
    ask("/a.txt", **HTML)
    assert ask.counted("sent_bytes_total")['view="html"'] == 2 * length
    assert ask.counted("source_bytes_total") == {'source="disk"': 2 * len(LOG)}
    ended = ask.counted("response_seconds_count")
    assert ended['ending="complete",source="disk",view="html"'] == 2


@pytest.mark.parametrize("other", ["?level=ERROR", "?wrap=no", "?source=disk", "?q=one", "?re=one"])
def test_what_else_is_asked_is_another_page(ask, tmp_path, other):
    whole = ask("/a.txt", **HTML)
    page = ask(f"/a.txt{other}", **HTML)
    assert page.body != whole.body
    assert page.body == Asking(tmp_path)(f"/a.txt{other}", **HTML).body


def test_a_log_written_within_a_tick_of_the_clock_is_another(ask, tmp_path, times_made):
    status = os.stat(tmp_path / "a.txt")
    ask("/a.txt", **HTML)
    (tmp_path / "a.txt").write_bytes(LOG.replace(b"two", b"TWO"))
    os.utime(tmp_path / "a.txt", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert b"TWO" in ask("/a.txt", **HTML).body
    assert times_made() == 2


def test_what_was_touched_is_told_with_its_new_time(ask, tmp_path):
    ask("/a.txt", **HTML)
    os.utime(tmp_path / "a.txt", (0, 0))
    assert re.search(r"<time [^>]*>1970-01-01 00:00:00", ask("/a.txt", **HTML).text)


def test_what_nobody_asked_for_longest_goes_first(monkeypatch):
    monkeypatch.setattr(made, "KEPT", 2)
    kept = Made()
    kept.add(asked(b"a"), LOG, b"a")
    kept.add(asked(b"b"), LOG, b"b")
    assert kept.of(asked(b"a"), LOG) == b"a"
    kept.add(asked(b"c"), LOG, b"c")
    assert [kept.of(asked(path), LOG) for path in (b"a", b"b", b"c")] == [b"a", None, b"c"]


def test_a_large_page_is_not_kept():
    kept = Made()
    kept.add(asked(), LOG, bytes(made.LARGEST - len(LOG) + 1))
    assert kept.of(asked(), LOG) is None
    kept.add(asked(), LOG, bytes(made.LARGEST - len(LOG)))
    assert kept.of(asked(), LOG)
    assert kept.of(asked(version="2"), LOG) is None
