# SPDX-License-Identifier: Apache-2.0
"""Each address and fragment of os-loganalyze that the manual tells of, at the virtual host of etc/apache.

The configuration is os-loganalyze's, by the manual's table.
"""

import gzip
import re

import pytest

from tests.kit.browser import is_in_view
from tests.servers.apache import Apache, public_folder
from tests.servers.client import ask
from tests.servers.process import REPOSITORY

MANUAL = (REPOSITORY / "doc/moving.rst").read_text("utf-8")
ROWS = dict(re.findall(r"^``([/#]\S*)``\s+(\S.*?)(?:\s{2,}.*)?$", MANUAL, re.MULTILINE))
LINES = [
    b"2013-09-27 18:22:10.000 1 INFO nova.api [-] starts\n",
    b"2013-09-27 18:22:11.248 1 ERROR nova.api [-] fails\n",
    b"Traceback (most recent call last):\n",
    b"2013-09-27 18:22:11.248 1 ERROR nova.api [-] fails again\n",
    b"2013-09-27 18:22:12.000 1 CRITICAL nova.api [-] dies\n",
    b"2013-09-27 18:22:13.000 1 INFO nova.api [-] ends\n",
] + [b"2013-09-27 18:22:14.%03d 1 INFO nova.api [-] more\n" % n for n in range(200)]
LOG = b"".join(LINES)
SYSLOG = b"".join(b"Mar  8 12:20:%02d host app[1]: message\n" % n for n in range(10, 60))
TIMES = b"""\
2013-09-27 18:22:10,000 INFO starts
2013-09-27 18:22:11 ERROR fails
2013-09-27 18:22:12.123456 INFO ends
"""
JENKINS = b'<pre>\n18:07:11 Started by <a href="https://jenkins.example.org/1">user</a>\n</pre>\n'
IN_SWIFT = b"2013-09-27 18:22:10.000 1 INFO nova.api [-] of Swift\n"
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


SWIFT = """\
[swift]
auth_url = {auth_url}
username = {username}
password = {password}
project_name = {project_name}
container = {container}
"""
VIEWS = r"""
[view 1]
pattern = ^.*\.txt(\.gz)?$
view = log
[view 2]
pattern = ^.*console\.html(\.gz)?$
view = log
[view 3]
pattern = ^.*$
view = raw
"""


@pytest.fixture(scope="module")
def server(keystone_swift, tmp_path_factory):
    swift = keystone_swift
    stored = tmp_path_factory.mktemp("objects")
    for name, content in {
        "42/1/screen-n-api.txt.gz": gzip.compress(IN_SWIFT),
        "42/listed/a.txt": b"one line\n",
        "42/report/index.html": b"<html><body>a report</body></html>\n",
    }.items():
        (stored / name).parent.mkdir(parents=True, exist_ok=True)
        (stored / name).write_bytes(content)
    swift.upload(stored, "moving")
    with public_folder() as logs:
        job = logs / "42/1"
        job.mkdir(parents=True)
        for name, content in {"screen-n-api": LOG, "syslog": SYSLOG, "times": TIMES}.items():
            (job / f"{name}.txt.gz").write_bytes(gzip.compress(content))
        (job / "console.html.gz").write_bytes(gzip.compress(LOG))
        (job / "screen-n-api-console.html").write_bytes(LOG)
        (job / "jenkins-console.html").write_bytes(JENKINS)
        config = f"[disk]\nroot = {logs}\n{SWIFT.format_map(swift.settings('moving'))}{VIEWS}"
        with Apache(logs, config) as apache:
            yield apache


def path(row):
    """The path and query of a row, with names of what is there."""
    return (
        row.replace("/NO-SUCH-LOG", "/42/1/nothing")
        .replace("LOG/console", "42/1/console")
        .replace("LOG", "42/1/screen-n-api")
        .replace("FOLDER", "42/1")
    )


ERRORS = b"".join(LINES[1:5])
#: What a program gets, and what of a page shows that a browser gets the same.
TEXTS = {
    **dict.fromkeys(
        (
            *("/LOG.txt.gz", "/LOG/console.html.gz", "/LOG-console.html", "/htmlify/LOG.txt.gz"),
            *("/LOG.txt.gz?level=NONE", "/LOG.txt.gz?source=all", "/LOG.txt.gz?"),
        ),
        (LOG, b" id=L%d>" % len(LINES)),
    ),
    "/LOG.txt.gz?level=ERROR": (ERRORS, b" id=L2>"),
    "/LOG.txt.gz?level=error": (ERRORS, b" id=L2>"),
    "/LOG.txt.gz?level=CRITICAL": (LINES[4], b" id=L5>"),
    "/LOG.txt.gz?limit=100": (b"".join(LINES[:100]), b'rel="next"'),
    "/LOG.txt.gz?source=swift": (IN_SWIFT, b"of Swift"),
    "/LOG.txt.gz?source=disk": (LOG, b"fails again"),
}
STATUSES = {
    "/LOG.txt.gz?level=LOUD": 400,
    "/LOG.txt.gz?level=ERROR&level=INFO": 400,
    "/LOG.txt.gz?tracking=1": 400,
    "/NO-SUCH-LOG.txt.gz": 404,
}
#: Those that have a test of their own.
OTHERS = {"/LOG.txt.gz?content-type=text/plain", "/FOLDER/", "/FOLDER"}


@pytest.mark.parametrize("row", TEXTS)
def test_an_address_gives_the_lines_that_the_manual_says(server, row):
    lines, of_page = TEXTS[row]
    text, page = ask(server, path(row)), ask(server, path(row), **HTML)
    assert (text.status, text.headers.get_content_type()) == (200, "text/plain")
    assert text.body == lines
    assert (page.status, page.headers.get_content_type()) == (200, "text/html")
    assert of_page in page.body
    assert (b" id=L1>" in page.body) is lines.startswith((LINES[0], IN_SWIFT))


@pytest.mark.parametrize("row", STATUSES)
def test_what_is_not_there_or_not_understood_is_said(server, row):
    assert ask(server, path(row)).status == STATUSES[row]


def test_the_ancestors_content_type_gives_browsers_text(server):
    answer = ask(server, path("/LOG.txt.gz?content-type=text/plain"), **HTML)
    assert (answer.headers.get_content_type(), answer.body) == ("text/plain", LOG)


def test_a_folder_is_listed_or_shows_its_index(server):
    assert b"screen-n-api" in ask(server, path("/FOLDER/"), **HTML).body
    assert b"a report" in ask(server, "/42/report/").body
    assert b"a.txt" in ask(server, "/42/listed/", **HTML).body
    for folder in ("/42/1", "/42/listed"):
        answer = ask(server, folder)
        assert answer.status == 301
        assert answer.headers["Location"].endswith(f"{folder.rpartition('/')[2]}/")


def test_html_in_a_line_of_a_console_is_text_and_the_address_in_it_a_link(server):
    shown = ask(server, "/42/1/jenkins-console.html", **HTML).body
    link = b'<a href="https://jenkins.example.org/1">https://jenkins.example.org/1</a>'
    assert b'Started by &lt;a href="' + link + b'"&gt;user&lt;/a&gt;' in shown


def test_a_range_of_a_page_is_all_of_it_and_of_text_a_part(server):
    address = "/42/1/screen-n-api.txt.gz"
    assert ask(server, address, Range="bytes=0-9", **HTML).body == ask(server, address, **HTML).body
    part = ask(server, address, Range="bytes=0-9")
    assert (part.status, part.body) == (206, LOG[:10])


#: The log, and the lines that are highlighted.
FRAGMENTS = {
    "#_2013-09-27_18_22_11_248": ("screen-n-api", ["L2", "L4"]),
    "#_2013-09-27_18_22_11": ("times", ["L2"]),
    "#_2013-09-27_18_22_12_123456": ("times", ["L3"]),
    "#_Mar__8_12_20_42": ("syslog", ["L33"]),
}


def test_each_row_has_a_check():
    shown = TEXTS.keys() - {"/LOG.txt.gz?source=disk"}
    assert set(ROWS) == {*shown, *STATUSES, *OTHERS, *FRAGMENTS}


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_fragment_leads_to_its_lines(server, chromium, fragment):
    name, lines = FRAGMENTS[fragment]
    tab = chromium.new_page()
    try:
        tab.goto(f"{server.url}/42/1/{name}.txt.gz{fragment}")
        tab.wait_for_selector(f"#{lines[0]}.lit")
        assert tab.eval_on_selector_all(".lit", "lit => lit.map((line) => line.id)") == lines
        assert is_in_view(tab, f"#{lines[0]}")
    finally:
        tab.close()


def test_a_fragment_leads_to_a_line_that_the_filter_hides(server, chromium):
    tab = chromium.new_page()
    try:
        tab.goto(f"{server.url}/42/1/screen-n-api.txt.gz?level=CRITICAL#_2013-09-27_18_22_10_000")
        tab.wait_for_selector("#L1.lit")
    finally:
        tab.close()
