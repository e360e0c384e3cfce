# SPDX-License-Identifier: Apache-2.0
"""[serve] cors_origins: what scripts of other origins may read."""

import gzip

import pytest

from tests.unit.handlers.asking import HTML, Asking

DASHBOARD, STRANGER = "https://dashboard.example.org", "https://stranger.example.org"
LOG = b"2026-03-04 18:22:11.000 ERROR nova: one\n"
#: What each answer allows.
ALLOWED = "Access-Control-Allow-Origin"
FOR_PROGRAMS = [
    "/job/a.txt",
    "/job/packed.txt?format=text",
    "/job/a.txt?format=jsonl",
    "/job/a.txt?format=summary",
    "/job/a.txt?level=ERROR",
    "/job/?format=json",
    "/job/?format=text",
    "/job/?format=summary",
    "/job/?format=jsonl",
    "/job/?level=ERROR",
    "/job",
    "/none.txt",
    "/job/a.txt?lines=x",
]
#: Path and the client's Accept.
NOT_FOR_PROGRAMS = [
    ("/job/a.txt", HTML),
    ("/job/", HTML),
    ("/job/?format=overview", {}),
    ("/job/?level=ERROR", HTML),
    ("/none.txt", HTML),
    ("/job/page.html", {}),
    ("/job/page.html", HTML),
    ("/report/", {}),
    ("/job/a.txt?format=raw", {}),
    ("/job/picture.svg", {}),
    ("/metrics", {}),
    ("/readyz", {}),
]


@pytest.fixture
def root(tmp_path):
    for name, content in {
        "job/a.txt": LOG,
        "job/packed.txt.gz": gzip.compress(LOG),
        "job/page.html": b"<!doctype html><script>fetch('.')</script>",
        "job/picture.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        "report/index.html": b"<!doctype html><title>A report</title>",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.fixture
def ask(root):
    return Asking(root, serve_cors_origins=f"http://localhost:3000 {DASHBOARD}")


@pytest.mark.parametrize("url", FOR_PROGRAMS)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_allowed_origin_reads_what_programs_read(ask, url, method):
    answer = ask(url, method, Origin=DASHBOARD)
    assert answer.headers[ALLOWED] == DASHBOARD
    assert "Log-Matched" in answer.headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize("url", FOR_PROGRAMS)
@pytest.mark.parametrize("origin", [STRANGER, "null", DASHBOARD + ".evil.example", "*"])
def test_no_other_origin_reads_anything(ask, url, origin):
    assert ALLOWED not in ask(url, Origin=origin).headers
    assert ALLOWED not in ask(url).headers


@pytest.mark.parametrize(("url", "headers"), NOT_FOR_PROGRAMS)
def test_no_origin_reads_pages_stored_bytes_and_what_is_for_operators(ask, url, headers):
    answer = ask(url, Origin=DASHBOARD, **headers)
    assert not [name for name in answer.headers if name.startswith("Access-Control")]


@pytest.mark.parametrize("url", [url for url in FOR_PROGRAMS if url != "/job"])
@pytest.mark.parametrize("headers", [{}, {"Origin": DASHBOARD}, {"Origin": STRANGER}])
def test_caches_keep_answers_apart_by_origin(ask, url, headers):
    assert ask(url, **headers).headers["Vary"] == "Accept, Accept-Encoding, Origin"


def test_a_log_that_did_not_change_stays_readable_and_a_stored_page_does_not_become_so(ask):
    for url, may in {"/job/a.txt?format=jsonl": True, "/job/page.html": False}.items():
        tag = ask(url).headers["ETag"]
        answer = ask(url, Origin=DASHBOARD, If_None_Match=tag)
        assert (answer.status_int, ALLOWED in answer.headers) == (304, may)
        assert answer.headers["Vary"] == "Accept, Accept-Encoding, Origin"


def test_a_preflight_is_answered_for_an_allowed_origin(ask):
    asked = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "range"}
    answer = ask("/job/a.txt", "OPTIONS", Origin=DASHBOARD, **asked)
    assert (answer.status_int, answer.body) == (204, b"")
    assert answer.headers[ALLOWED] == DASHBOARD
    assert answer.headers["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert "Range" in answer.headers["Access-Control-Allow-Headers"]
    assert answer.headers["Vary"] == "Origin"


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("/job/a.txt", {"Origin": STRANGER, "Access-Control-Request-Method": "GET"}),
        ("/job/a.txt", {"Origin": DASHBOARD}),
        ("/job/a.txt", {}),
        ("/metrics", {"Origin": DASHBOARD, "Access-Control-Request-Method": "GET"}),
    ],
)
def test_other_options_requests_are_refused_as_ever(ask, url, headers):
    answer = ask(url, "OPTIONS", **headers)
    assert (answer.status_int, answer.headers["Allow"]) == (405, "GET, HEAD")
    assert "Access-Control-Allow-Methods" not in answer.headers


def test_nobody_is_allowed_by_default(root):
    ask = Asking(root)
    for url in FOR_PROGRAMS:
        headers = ask(url, Origin=DASHBOARD).headers
        assert not [name for name in headers if name.startswith("Access-Control")]
        assert "Origin" not in headers.get("Vary", "")
    asked = {"Access-Control-Request-Method": "GET"}
    assert ask("/job/a.txt", "OPTIONS", Origin=DASHBOARD, **asked).status_int == 405
