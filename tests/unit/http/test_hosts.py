# SPDX-License-Identifier: Apache-2.0
import pytest

from tests.unit.handlers.asking import Asking

URLS = ["/a.txt", "/", "/metrics", "/readyz", "/healthz", "/missing"]


@pytest.fixture
def ask(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"x\n")
    return lambda **options: Asking(tmp_path, **options)


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize(
    "host",
    ["evil.example", "logs.example.org.evil.example", "evil.example:80", "127.0.0.1.evil", "["],
)
def test_a_foreign_name_that_leads_here_reads_nothing(ask, url, host):
    answer = ask(serve_hosts="logs.example.org")(url, Host=host)
    assert answer.status_int == 421
    assert "does not answer under this name" in answer.text


def test_a_browser_under_a_foreign_name_gets_no_page_whose_links_lead_nowhere(ask):
    answer = ask(serve_hosts="logs.example.org")("/a.txt", Host="evil.example", Accept="text/html")
    assert (answer.status_int, answer.content_type) == (421, "text/plain")


@pytest.mark.parametrize(
    "host",
    [
        *("logs.example.org", "LOGS.example.org:8000", "logs.example.org.", "localhost:8000"),
        *("127.0.0.1", "10.0.0.1:8000", "[::1]:8000", ""),
    ],
)
def test_the_servers_names_and_all_addresses_are_answered(ask, host):
    assert ask(serve_hosts="logs.example.org")("/a.txt", Host=host).body == b"x\n"


def test_any_name_is_answered_by_default(ask):
    assert ask()("/a.txt", Host="any.example").body == b"x\n"
