# SPDX-License-Identifier: Apache-2.0
"""A table of paths that lead out of the log folder elsewhere, sent as they stand."""

import itertools

import pytest

from tests.servers.apache import Apache, public_folder
from tests.servers.client import exchanged
from tests.servers.gunicorn import Gunicorn

SECRET = b"the key of another service"
LINE = b"2026-03-04 18:22:11.000 1 INFO nova.compute [-] A line like any other\n"
DOTS = [
    *("..", "%2e%2e", ".%2E", "%252e%252e", "%c0%ae%c0%ae", "..%00", "..;", ". .", "...."),
    "%u002e.",
]
SLASHES = ["/", "%2f", "%5c", "\\", "%252f", "%c0%af", "//", "/./"]
BEFORE = ["/", "/sub/", "/a.txt/", "/none/"]
#: Names of what lies beside the log folder, and far from it.
TARGETS = ["outside/secret.txt", "etc/passwd"]
DEPTHS = {"outside/secret.txt": 1, "etc/passwd": 9}
CLIMBING = [
    before + "".join([dots + slash] * DEPTHS[target]) + target.replace("/", slash)
    for before, dots, slash, target in itertools.product(BEFORE, DOTS, SLASHES, TARGETS)
]
OTHERS = [
    "/logs-private/secret.txt",
    "//etc/passwd",
    "///etc/passwd",
    "/%2fetc%2fpasswd",
    "/sub//../../outside/secret.txt",
    "/sub/%00/../../outside/secret.txt",
    "/a.txt%00.html",
    "/a.txt%0d%0aX-Injected:%20yes",
    "/a.txt%3f/../outside/secret.txt",
    "/link/secret.txt",
    "/link/",
    "/link",
    "/secret",
    "/secret.txt",
    "/secret.gz",
    "/proc/self/environ",
    "/_oslogserve/../outside/secret.txt",
    "/_oslogserve/..%2foslogserve.conf",
    "/_oslogserve/%2e%2e/%2e%2e/outside/secret.txt",
    "/htmlify/../../outside/secret.txt",
    "/htmlify/htmlify/secret.txt",
    "/.env",
    "/.git/config",
    "/%2egit/config",
    "/sub/.htaccess",
    "file:///etc/passwd",
    "http://127.0.0.1:22/etc/passwd",
    "http://127.0.0.1/../outside/secret.txt",
    "*",
    "etc/passwd",
    "/~root/",
    "/cgi-bin/..%2f..%2fetc/passwd",
    "/server-status",
    "/a.txt/etc/passwd",
    "/a.txt;/../../outside/secret.txt",
    "/" + "../" * 1000 + "etc/passwd",
    "/" + "sub/../" * 500 + "../outside/secret.txt",
    "/" + "a" * 5000,
    "/" + "%2e%2e%2f" * 300 + "etc/passwd",
]
PATHS = [*CLIMBING, *OTHERS]


@pytest.fixture(scope="module")
def logs():
    with public_folder() as folder:
        logs = folder / "logs"
        (logs / "sub").mkdir(parents=True)
        (logs / ".git").mkdir()
        for name in ("outside", "logs-private"):
            (folder / name).mkdir()
            (folder / name / "secret.txt").write_bytes(SECRET)
        (logs / "a.txt").write_bytes(LINE)
        (logs / "sub/a.txt").write_bytes(LINE)
        for name in (".env", ".git/config", "sub/.htaccess"):
            (logs / name).write_bytes(SECRET)
        (logs / "link").symlink_to(folder / "outside")
        (logs / "secret").symlink_to("../outside/secret.txt")
        (logs / "secret.txt").symlink_to(folder / "outside/secret.txt")
        yield logs


@pytest.fixture(scope="module", params=["gunicorn", "Apache"])
def server(request, logs):
    config = f"[disk]\nroot = {logs}\n"
    with Gunicorn(config) if request.param == "gunicorn" else Apache(logs, config) as running:
        yield running


def fault(answer):
    """What is wrong with it; "" for nothing."""
    head, _, body = answer.partition(b"\r\n\r\n")
    status = head[9:12]
    if SECRET in answer or b"root:x:" in answer:
        return "it leads out"
    if b"X-Injected" in head.replace(b"%", b""):
        return "a header of the client's"
    if status == b"200" and body not in (b"", LINE) and b"a.txt" not in body:
        return f"200 with {body[:60]!r}"
    return (
        "" if status in (b"200", b"301", b"400", b"403", b"404", b"414") else f"status {status!r}"
    )


@pytest.mark.parametrize("start", range(0, len(PATHS), 100))
def test_no_path_leads_out_of_the_log_folder(server, start):
    found = {target[:80]: fault(exchanged(server, target)) for target in PATHS[start : start + 100]}
    assert {target: wrong for target, wrong in found.items() if wrong} == {}
