# SPDX-License-Identifier: Apache-2.0
import gzip
import re

import pytest

from oslogserve.errors import Incomplete
from oslogserve.lines.decode import decoded, until_incomplete
from oslogserve.query import Query
from oslogserve.views import log

INFO = b"2013-09-27 18:22:11.248 1234 INFO nova.x [-] started\n"
ERROR = b"2013-09-27 18:22:12.248 1234 ERROR nova.x [-] <failed>\n"
TRACE = b"Traceback (most recent call last):\n"
LOG = INFO + ERROR + TRACE + INFO
#: No UTF-8, carriage returns, a NUL, no newline at the end.
ODD = b"\xff\xfe\r\n\n\0\x1b[1m<b>&amp;\r" + INFO + b"no end"
NOTICE = b"oslogserve: this log is incomplete here: it <broke>"


class Chunks:
    """Counts what was taken; breaks off at the end where it was told to."""

    def __init__(self, chunks, breaks=False):
        self.taken = 0
        self._chunks = chunks
        self._breaks = breaks

    def __iter__(self):
        for chunk in self._chunks:
            self.taken += 1
            yield chunk
        if self._breaks:
            raise Incomplete("failed", "it <broke>")


def cut(whole, size):
    return [whole[at : at + size] for at in range(0, len(whole), size)]


def as_text(chunks, **asked):
    missing = []
    pieces = until_incomplete(decoded(chunks), missing)
    return b"".join(log.text(pieces, Query(b"a.txt", False, **asked), missing))


def html_pieces(chunks, missing=None, **asked):
    query = Query(b"a.txt", False, **asked)
    missing = [] if missing is None else missing
    return log.html(until_incomplete(decoded(chunks), missing), query, missing, "", "disk")


def as_html(chunks, **asked):
    return b"".join(html_pieces(chunks, **asked))


def ids(shown):
    return re.findall(rb'id="(L\d+)"', shown)


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1 << 16])
@pytest.mark.parametrize("whole", [LOG, ODD, b""], ids=["log", "odd", "empty"])
def test_text_is_the_log_byte_for_byte(whole, size):
    assert as_text(cut(whole, size)) == whole
    assert as_text(cut(gzip.compress(whole), size)) == whole


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_text_of_a_level_is_those_lines_byte_for_byte(size):
    assert as_text(cut(LOG, size), level="ERROR") == ERROR + TRACE


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_text_of_a_limit_is_the_first_lines_byte_for_byte(size):
    assert as_text(cut(LOG, size), limit=2) == INFO + ERROR
    assert as_text(cut(LOG, size), limit=99) == LOG


def test_a_limit_counts_the_lines_that_the_level_leaves():
    assert as_text([LOG], level="ERROR", limit=1) == ERROR


def test_text_ends_with_a_notice_where_a_part_is_missing():
    missing = []
    query = Query(b"a.txt", False)
    shown = b"".join(
        log.text(until_incomplete(Chunks([LOG], breaks=True), missing), query, missing)
    )
    assert shown == LOG + b"[" + NOTICE + b"]\n"
    assert [error.reason for error in missing] == ["failed"]


@pytest.mark.parametrize("asked", [{}, {"limit": 9}], ids=str)
def test_the_texts_notice_is_a_line_of_its_own_and_none_is_empty(asked):
    notice = b"[" + NOTICE + b"]\n"
    assert as_text(Chunks([b"half a li"], breaks=True), **asked) == b"half a li\n" + notice
    assert as_text(Chunks([INFO, b""], breaks=True), **asked) == INFO + notice


def test_the_notice_is_there_though_the_level_leaves_no_line():
    assert as_text(Chunks([INFO], breaks=True), level="ERROR") == b"[" + NOTICE + b"]\n"


def test_a_truncated_gzip_gives_what_it_holds_and_the_notice():
    stored = gzip.compress(LOG * 1000)
    shown = as_text([stored[:-9]])
    assert shown.startswith(LOG)
    assert shown.endswith(b"incomplete here: the compressed data ends early]\n")


def test_html_ends_with_the_notice_escaped_after_the_lines():
    shown = as_html(Chunks([LOG], breaks=True))
    notice = NOTICE.replace(b"<", b"&lt;").replace(b">", b"&gt;")
    _, _, after = shown.partition(b"</pre>")
    assert after.startswith(b'<p class="notice" role="status">' + notice + b"</p>\n")
    assert shown.endswith(b"</html>\n")
    assert len(ids(shown)) == 4


def test_a_whole_log_has_no_notice():
    missing = []
    assert b'class="notice"' not in b"".join(html_pieces([LOG], missing))
    assert b"incomplete" not in as_text([LOG])
    assert missing == []


def test_html_numbers_the_lines_of_the_whole_log():
    assert ids(as_html(cut(LOG, 7))) == [b"L1", b"L2", b"L3", b"L4"]
    assert ids(as_html(cut(LOG, 7), level="ERROR")) == [b"L2", b"L3"]


def test_html_escapes_the_log():
    assert b"&lt;failed&gt;" in as_html([LOG])
    assert b"<failed>" not in as_html([LOG])


def test_html_says_that_a_limit_was_asked_for():
    shown = as_html([LOG], limit=2)
    assert ids(shown) == [b"L1", b"L2"]
    assert b'</pre><p class="notice" role="status">At most 2 lines are shown:' in shown
    assert b"limit=2." in shown


def test_html_tells_both_the_failure_and_the_limit():
    assert as_html(Chunks([LOG], breaks=True), limit=99).count(b'class="notice"') == 2


@pytest.mark.parametrize("asked", [{}, {"level": "ERROR"}, {"limit": 1}], ids=str)
def test_the_page_comes_before_anything_is_read(asked):
    chunks = Chunks(cut(INFO * 100 + ERROR, 1000))
    pieces = html_pieces(chunks, **asked)
    first = next(pieces)
    assert first.endswith(b'<main><pre id="log">\n')
    assert chunks.taken == 0
    assert b'id="L1' in b"".join(pieces)


def test_a_limit_reads_no_more_than_its_lines_need():
    chunks = Chunks([LOG] * 100)
    as_html(chunks, limit=4)
    assert chunks.taken < 5
