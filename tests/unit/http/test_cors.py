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


@pytest.mark.parametrize(
    ("url", "accept"),
    [(url, {}) for url in FOR_PROGRAMS if "/job/" in url and "/?" not in url and "=x" not in url]
    + [(url, accept) for url, accept in NOT_FOR_PROGRAMS if "." in url and "none" not in url]
    + [("/report/", {})],
)
@pytest.mark.parametrize("condition", ["If_None_Match", "If_Modified_Since"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_304_allows_what_the_200_allows(ask, url, accept, condition, method):
    before = ask(url, method, Origin=DASHBOARD, **accept)
    value = before.headers["ETag" if condition == "If_None_Match" else "Last-Modified"]
    answer = ask(url, method, Origin=DASHBOARD, **{condition: value}, **accept)
    assert answer.status_int == 304
    for name in (ALLOWED, "Access-Control-Expose-Headers", "ETag", "Vary"):
        assert answer.headers.get(name) == before.headers.get(name)


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
