# SPDX-License-Identifier: Apache-2.0
"""Stored pages are strangers' programs: what they can do in a real browser, whoever serves them."""

import json

import pytest

from oslogserve.handlers.sending import SANDBOX
from oslogserve.http.answer import NOSNIFF
from tests.servers.apache import Apache, public_folder
from tests.servers.client import ask
from tests.servers.gunicorn import Gunicorn

SECRET = "2026-03-04 18:22:11.000 1 ERROR of another job\n"
#: Tries what a page of this origin may do, and says what came of it.
SCRIPT = """
const attempt = async (of) => { try { return await of(); } catch { return null; } };
window.attack = (async () => ({
  cookie: await attempt(() => document.cookie),
  storage: await attempt(() => { localStorage.setItem('a', 'b'); return 'written'; }),
  log: await attempt(async () => (await fetch('/secret.log')).text()),
  worker: await attempt(async () => (await navigator.serviceWorker.register('/worker.js')).scope),
}))();
"""
HTML = f"<!DOCTYPE html><html><body><script>{SCRIPT}</script></body></html>"
SVG = f'<svg xmlns="http://www.w3.org/2000/svg"><script>{SCRIPT}</script></svg>'
XHTML = (
    f'<html xmlns="http://www.w3.org/1999/xhtml"><script>//<![CDATA[\n{SCRIPT}//]]></script></html>'
)
STORED = {
    "page.html": HTML,
    "page.htm": HTML,
    "page.xhtml": XHTML,
    "page.xml": XHTML,
    "page.svg": SVG,
    "page": HTML,
    "page.unknown": HTML,
    "folder/index.html": HTML,
    "secret.log": SECRET,
    "console.txt": SECRET,
    "worker.js": "self.addEventListener('fetch', () => {});",
}
ADDRESSES = [name.removesuffix("index.html") for name in STORED if SECRET not in STORED[name]]


@pytest.fixture(scope="module")
def logs():
    with public_folder() as folder:
        for name, content in STORED.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(content)
        yield folder


@pytest.fixture(scope="module", params=["gunicorn", "Apache"])
def server(request, logs):
    config = f"[disk]\nroot = {logs}\n"
    with Gunicorn(config) if request.param == "gunicorn" else Apache(logs, config) as running:
        yield running


@pytest.mark.parametrize(
    "address",
    [
        name if name in ("page.html", "page.svg") else pytest.param(name, marks=pytest.mark.long)
        for name in ADDRESSES
    ],
)
def test_a_stored_page_reads_no_cookie_and_no_log_and_installs_nothing(server, address, chromium):
    with chromium.new_context() as context:
        context.add_cookies([{"name": "session", "value": "key", "url": server.url}])
        page = context.new_page()
        page.goto(f"{server.url}/{address}", wait_until="commit")
        page.wait_for_load_state()
        found = page.evaluate("window.attack ?? null")
        assert not any((found or {}).values()), json.dumps(found)
        assert not context.service_workers


def test_a_stored_script_runs_in_no_page_of_ours(server, chromium):
    """Should markup of a log ever get into a page, it has no script to name."""
    add = """(source) => new Promise((resolve) => {
      const script = document.createElement('script');
      script.onload = () => resolve('ran');
      script.onerror = () => resolve('refused');
      script.src = source;
      document.head.append(script);
    })"""
    page = chromium.new_page()
    page.goto(f"{server.url}/console.txt")
    assert page.evaluate(add, "/worker.js") == "refused"
    page.close()


@pytest.mark.parametrize("address", [*ADDRESSES, "folder", "secret.log"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_nothing_comes_out_of_the_log_folder_without_policy_and_nosniff(server, address, method):
    answer = ask(server, f"/{address}", method, Accept="text/html")
    assert answer.headers.get_all(NOSNIFF[0]) == [NOSNIFF[1]]
    policies = answer.headers.get_all(SANDBOX[0])
    if policies != [SANDBOX[1]]:
        assert policies is None or "default-src 'none'" in policies[0]  # a page of our own
        assert policies or answer.status == 301 or answer.headers.get_content_type() == "text/plain"


@pytest.mark.parametrize("status", ["304", "206", "416"])
def test_a_part_and_an_unchanged_file_carry_the_policy_too(server, status):
    tag = ask(server, "/page.html").headers["ETag"]
    headers = {
        "304": {"If_None_Match": tag},
        "206": {"Range": "bytes=0-99"},
        "416": {"Range": "bytes=999999-"},
    }[status]
    answer = ask(server, "/page.html", **headers)
    assert str(answer.status) == status
    if status == "206":
        assert answer.headers[SANDBOX[0]] == SANDBOX[1]
        assert answer.headers[NOSNIFF[0]] == NOSNIFF[1]
