# SPDX-License-Identifier: Apache-2.0
"""What a client's headers must not do, behind the front that we ship and without one."""

import http.client
from urllib.parse import urlsplit

import pytest

from tests.servers.apache import PROXY, Apache, public_folder
from tests.servers.client import ask
from tests.servers.gunicorn import Gunicorn

LINE = b"2026-03-04 18:22:11.000 1 INFO nova.compute [-] A line like any other\n"
HTML = "text/html"
#: As clients send them, to be taken for a front's.
MOUNTS = ["SCRIPT_NAME", "Script_Name", "script_name", "Script-Name", "X-Forwarded-Prefix"]


@pytest.fixture(scope="module")
def logs():
    with public_folder() as folder:
        (folder / "a.txt").write_bytes(LINE)
        yield folder


@pytest.fixture(scope="module", params=[False, True], ids=["serve", "etc/gunicorn.conf.py"])
def gunicorn(request, logs):
    with Gunicorn(f"[disk]\nroot = {logs}\n", shipped_config=request.param) as running:
        yield running


@pytest.fixture(scope="module", params=["direct", "proxy"])
def server(request, gunicorn, logs):
    if request.param == "direct":
        yield gunicorn
        return
    defines = {"OSLOGSERVE_BACKEND": gunicorn.url, "OSLOGSERVE_METRICS_FOR": "ip 192.0.2.7"}
    with Apache(logs, "", vhost=PROXY, cache=True, defines=defines) as apache:
        yield apache


def ask_with(server, path, headers):
    """(status, body): ask() would write a hyphen for each underscore of a name."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize("name", MOUNTS)
def test_a_clients_mount_does_not_open_the_metrics(server, name):
    status, body = ask_with(server, "/x/metrics", {name: "/x"})
    assert status == 404
    assert b"oslogserve_responses_total" not in body


@pytest.mark.parametrize("name", MOUNTS)
def test_a_clients_mount_is_in_no_page_that_others_get(server, name):
    path = f"/a.txt?q={name}"
    status, body = ask_with(server, path, {name: "/a", "Accept": HTML})
    assert status == 200
    assert b'href="/_oslogserve/' in body
    assert ask(server, path, Accept=HTML).body == body
