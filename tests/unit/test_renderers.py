# SPDX-License-Identifier: Apache-2.0
"""One suite over both renderers, and a property: they give the same bytes.

Where the native one is not installed its tests are skipped. In CI that would look green, so there
they fail, unless OSLOGSERVE_RENDERER=pure says that it is meant to be absent.
"""

import importlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oslogserve
from oslogserve.demo import generate_oslo
from oslogserve.lines.formats import LEADS, SEVERITIES, TIMES
from tests.renderers import LEVELS, REACH, VIEWS, cut, native, native_formats, pure, the_native_core

RENDERERS = {"pure": pure, "native": native}


@pytest.fixture(params=RENDERERS, scope="module")
def rendered(request):
    if request.param == "native":
        the_native_core()
    renderer = RENDERERS[request.param]
    return lambda *asked, **options: b"".join(renderer(*asked, **options))


@pytest.fixture(scope="module")
def speedups():
    the_native_core()
    return importlib.import_module("oslogserve_speedups")


T = b"2013-09-27 18:22:11.248"
LINK = b'<a name="_2013_09_27_18_22_11_248" href="#_2013_09_27_18_22_11_248">' + T + b"</a>"
LOG = (
    b"up\n"
    + (T + b' 2790 INFO a <b> "c" & d\n')
    + (T + b" ERROR x\r\nTraceback\n\n")
    + (T + b" | bare \xff\x00\x1b[31m\n")
    + (T + b" 1 DEBUG last")
)
ELEMENTS = (
    b'<span id="L1" class="NONE">up\n</span>',
    b'<span id="L2" class="INFO">'
    + LINK
    + b" 2790 INFO a &lt;b&gt; &quot;c&quot; &amp; d\n</span>",
    b'<span id="L3" class="ERROR">' + LINK + b" ERROR x\r\n</span>",
    b'<span id="L4" class="ERROR more">Traceback\n</span>',
    b'<span id="L5" class="ERROR more">\n</span>',
    b'<span id="L6" class="ERROR more">' + LINK + b" | bare \xff\x00\x1b[31m\n</span>",
    b'<span id="L7" class="DEBUG">' + LINK + b" 1 DEBUG last\n</span>",
)
#: (level, limit) -> the lines of LOG that are shown
SHOWN = {
    (None, None): range(7),
    (None, 3): range(3),
    (None, 7): range(7),
    ("NONE", None): range(7),
    ("DEBUG", None): range(1, 7),
    ("INFO", None): range(1, 6),
    ("INFO", 2): range(1, 3),
    ("ERROR", None): range(2, 6),
    ("ERROR", 1): range(2, 3),
    ("CRITICAL", None): range(0),
}


@pytest.mark.parametrize(("level", "limit"), SHOWN)
@pytest.mark.parametrize("view", VIEWS)
def test_the_golden_log_however_it_is_cut(rendered, view, level, limit):
    lines = ELEMENTS if view == "html" else LOG.splitlines(keepends=True)
    if view == "text":
        lines = [line + b"\n" for line in LOG.split(b"\n")]
        lines[-1] = lines[-1][:-1]
    expected = b"".join(lines[index] for index in SHOWN[level, limit])
    for size in range(1, len(LOG) + 1):
        pieces = cut(LOG, range(size, len(LOG), size))
        assert rendered(pieces, view, level, limit) == expected


@pytest.mark.parametrize(
    ("line", "when", "severity"),
    [
        pytest.param(line, *expected, id=line.decode())
        for row in TIMES + LEADS
        for line, expected in row.examples.items()
    ],
)
def test_the_examples_of_the_table(rendered, line, when, severity):
    element = rendered([line], "html")
    assert element.startswith(b'<span id="L1" class="%b">' % (severity or b"NONE"))
    assert (b'">%b</a>' % when in element) == bool(when)


@pytest.mark.parametrize(("size", "severity"), [(255, b"ERROR"), (256, b"NONE")])
@pytest.mark.parametrize("filler", [b"x", b"<"])
def test_a_lead_at_its_bound_however_the_line_is_cut(rendered, size, severity, filler):
    line = b"Mar 28 12:20:43.570064 %b %b[1234567890]: ERROR x" % (b"h" * 255, filler * size)
    for at in range(1, len(line), 3):
        element = rendered([line[:at], line[at:]], "html", None, None, REACH)
        assert element.startswith(b'<span id="L1" class="%b"><a ' % severity)


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        (T + b" ERROR unit: DEBUG x", b"ERROR"),
        (T + b" ERRORS unit: DEBUG x", b"DEBUG"),
        (T + b" 12 INFO: ERROR x", b"INFO"),
    ],
)
def test_the_first_lead_that_fits_counts(rendered, line, severity):
    assert rendered([line], "html").startswith(b'<span id="L1" class="%b">' % severity)


@pytest.mark.parametrize("longest", [REACH, 1000])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n" + T + b" INFO y\n"])
@pytest.mark.parametrize("level", [None, "ERROR", "CRITICAL"])
@pytest.mark.parametrize("view", VIEWS)
def test_an_over_long_line_is_the_same_in_parts(rendered, view, level, end, longest):
    log = b"a\n" + T + b" ERROR <" + b"x" * 3000 + b">" + end
    whole = rendered([log], view, level)
    for size in (1, 7, 100, REACH, 2999):
        assert rendered(cut(log, range(size, len(log), size)), view, level, None, longest) == whole


@pytest.mark.parametrize("pieces", [[], [b""], [b"", b""]])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_is_nothing(rendered, view, level, pieces):
    assert rendered(pieces, view, level) == b""


@pytest.mark.parametrize("level", [None, "INFO"])
@pytest.mark.parametrize("view", VIEWS)
def test_no_more_is_read_than_the_limit_needs(rendered, view, level):
    def pieces():
        yield T + b" INFO a\n" + T + b" INFO b\nc"
        raise AssertionError("read on")

    assert rendered(pieces(), view, level, 2).count(b"\n") == 2


def test_a_large_log_in_the_pieces_of_a_server(rendered):
    log = b"".join(generate_oslo(3_000_000))
    html = rendered(cut(log, range(262144, len(log), 262144)), "html")
    assert html.count(b"<span id=") == html.count(b"</span>") == log.count(b"\n")
    assert html.endswith(b"\n</span>")


# What both are compared over: from lines that are recognised, by small steps, to noise.

EXAMPLES = [line for row in TIMES + LEADS for line in row.examples]
FRAGMENTS = [
    *EXAMPLES,
    T,
    T + b" 2790",
    T + b"Z",
    b"2024-03-04T05:06:07,1234567",
    b"Mar  8 12:20:42 host unit[12]:",
    *(b" %b" % name.encode() for name in SEVERITIES),
    *(b" %b x" % name.encode() for name in SEVERITIES),
    T + b" ERROR unit: DEBUG x",
    T + b" ERRORS unit: DEBUG x",
    b"Mar  8 12:20:42 %b %b: ERROR x" % (b"h" * 255, b"u" * 255),
    b"ERRORS",
    b" 12345678901",
    b" host unit:",
    b"<b>&amp;\"'",
    b"\x1b[00;31m",
    b"\xff\xc3(",
    b"\0",
    b"\r",
    b"\t\v\f\x1c\x85",
    b" ",
    b"_",
    b"\n",
]


@st.composite
def near_misses(draw):
    line = draw(st.sampled_from(EXAMPLES))
    at = draw(st.integers(0, len(line)))
    gone = draw(st.integers(0, 3))
    return line[:at] + draw(st.binary(max_size=2)) + line[at + gone :]


LENGTHS = st.sampled_from([1, 2, 10, 11, 254, 255, 256, REACH, 1500])
REPEATED = st.builds(lambda text, n: text * n, st.sampled_from([b"x", b"<", b'"', b"9"]), LENGTHS)
TEXT = st.one_of(st.sampled_from(FRAGMENTS), near_misses(), st.binary(max_size=9), REPEATED)
LINES = st.lists(TEXT, max_size=4).map(b"".join)
LOGS = st.builds(
    lambda lines, end, last: end.join(lines) + last,
    st.lists(LINES, max_size=12),
    st.sampled_from([b"\n", b"\n", b"\r\n", b"\n\n"]),
    st.sampled_from([b"", b"\n"]),
)


@settings(max_examples=400, deadline=None)
@given(
    log=LOGS,
    cuts=st.lists(st.integers(0, 20_000), max_size=6),
    view=st.sampled_from(VIEWS),
    level=st.sampled_from(LEVELS),
    limit=st.one_of(st.none(), st.integers(1, 14)),
    longest=st.sampled_from([REACH, REACH + 1, 1000, 1_000_000]),
)
def test_cuts_and_the_choice_of_renderer_make_no_difference(
    rendered, log, cuts, view, level, limit, longest
):
    pieces = cut(log, (min(at, len(log)) for at in cuts))
    expected = b"".join(pure([log], view, level, limit))
    assert rendered(pieces, view, level, limit, longest) == expected


def test_the_two_distributions_have_one_version(speedups):
    assert speedups.__version__ == oslogserve.__version__


def test_one_table_serves_threads(speedups):
    log = b"".join(generate_oslo(2_000_000))
    formats = native_formats()

    def html(_):
        renderer = speedups.Renderer(formats, "html")
        return renderer.feed(log) + renderer.finish()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(html, range(8))) == {html(0)}


def test_the_reach_of_the_table_is_known(speedups):
    assert native_formats().reach == REACH


@pytest.mark.parametrize(
    ("times", "leads", "severities", "told"),
    [
        ([b"a("], [b""], [b"NONE", b"X"], r"a\(: .*unclosed group"),
        ([b"a"], [b"", rb" \S+"], [b"NONE", b"X"], r" \\S\+: it has no bound"),
        ([b"a"], [b"(b)"], [b"NONE", b"X"], r"\(b\): it has a group"),
        ([b"<a"], [b""], [b"NONE", b"X"], "<a: it may match '<'"),
        ([], [b""], [b"NONE", b"X"], "no rows"),
        ([b"a"], [b""], [], "no severities"),
        ([b"a"], [b""], [b"NONE", b"X Y"], "X Y: it is not a word"),
    ],
)
def test_a_table_at_fault_is_refused(speedups, times, leads, severities, told):
    with pytest.raises(ValueError, match=f"(?s){told}"):
        speedups.Formats(times, leads, severities)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("pdf",), "no such view: pdf"),
        (("html", "error"), "no such level: error"),
        (("html", None, None, REACH - 1), "longest is less than"),
    ],
)
def test_a_renderer_that_cannot_be_is_refused(speedups, asked, told):
    with pytest.raises(ValueError, match=told):
        speedups.Renderer(native_formats(), *asked)
