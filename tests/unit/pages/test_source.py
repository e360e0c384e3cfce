# SPDX-License-Identifier: Apache-2.0
"""Links from what a cause names to its source."""

import re
import time

import pytest

from oslogserve.ci.build import Build
from oslogserve.config import ConfigError, load
from oslogserve.pages.source import source_links
from tests.unit.handlers.asking import HTML, Asking

GITHUB = "https://github.com/{project}/blob/{commit}/{path}#L{line}"
BUILD = Build(project="git.org/a/nova", host="git.org", commit="0123abc")


def links(text, url=GITHUB, build=BUILD):
    """Texts and addresses of the links."""
    html = source_links(url, build)(text)
    assert re.sub("<[^>]*>", "", html) == text.replace("<", "&lt;").replace(">", "&gt;")
    return [(told, href) for href, told in re.findall('<a href="(.*?)" rel=".*?">(.*?)</a>', html)]


@pytest.mark.parametrize(
    ("text", "told", "path"),
    [
        ("  --> src/main.rs:38:12", "src/main.rs:38:12", "src/main.rs#L38"),
        ("file.rs:38:12: <error>", "file.rs:38:12", "file.rs#L38"),
        ("tests/test_a.py:7: AssertionError", "tests/test_a.py:7", "tests/test_a.py#L7"),
        ("(./a/b c.js:3:5)", "c.js:3:5", "c.js#L3"),
        (
            "at f (/home/runner/work/nova/nova/a/x.ts:10:5)",
            "/home/runner/work/nova/nova/a/x.ts:10:5",
            "a/x.ts#L10",
        ),
        ("/builds/a/nova/a/x.c:1:2:", "/builds/a/nova/a/x.c:1:2", "a/x.c#L1"),
        (
            "/home/zuul/src/git.org/a/nova/nova/x.py:9",
            "/home/zuul/src/git.org/a/nova/nova/x.py:9",
            "nova/x.py#L9",
        ),
    ],
)
def test_a_place_in_a_source_is_a_link_to_its_line(text, told, path):
    assert links(text) == [(told, f"https://github.com/a/nova/blob/0123abc/{path}")]


@pytest.mark.parametrize(
    "text",
    [
        *("no place", "at com.example.Foo(Foo.java:12)", "foo_test.go:12: no", "10.0.0.4:9696"),
        *(
            "18:22:11.675:12:30",
            "/usr/lib/python3/a.py:3",
            "a/../../b.c:3",
            "../b.c:3:1",
            "a//b.c:3",
        ),
        *("a/b.c:0", "a/b.c:3x", "user@host:a/b.c:3", "C:\\a/b.c:3", "a/b.c"),
    ],
)
def test_what_may_be_none_of_the_repository_is_no_link(text):
    assert links(text) == []


@pytest.mark.parametrize(
    "build",
    [
        *(Build(), BUILD._replace(commit=""), BUILD._replace(project="")),
        *(
            BUILD._replace(project=name)
            for name in ("../x", "a/../b", "a b", "a?b", "//evil.org", "a/b#")
        ),
    ],
)
def test_without_a_project_and_a_commit_there_is_no_link(build):
    assert links("src/main.rs:38:12", build=build) == []


def test_a_site_may_need_neither():
    url = "https://git.example.org/nova/{path}?line={line}"
    told = "src/main.rs:38:12"
    assert links(told, url, Build()) == [(told, "https://git.example.org/nova/src/main.rs?line=38")]


@pytest.mark.parametrize("text", ["a.b" * 100_000, "a/" * 100_000, "a.b:1:" * 100_000])
def test_a_long_line_costs_little(text):
    began = time.process_time()
    assert source_links(GITHUB, BUILD)(text)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "url",
    [
        *(
            "ftp://a/{path}#L{line}",
            "https://{project}/{path}#L{line}",
            "https://a{path}#L{line}",
            "https://a/{host}/{path}#L{line}",
        ),
        *(
            "https://a/{path",
            "https://a/{path}",
            "https://a/{path!r}#L{line}",
            "https://a/{path.x}#L{line}",
            "https://a@b/{path}#L{line}",
            "https://a/#L{line}",
        ),
    ],
)
def test_no_field_is_in_the_host_of_a_source(tmp_path, url):
    file = tmp_path / "a.conf"
    file.write_text(f"[source]\nurl = {url}\n")
    with pytest.raises(ConfigError, match=r"it takes an address such as https://github\.com"):
        load(str(file), {})
    file.write_text(f"[source]\nurl = {GITHUB}\n")
    assert load(str(file), {})["source", "url"] == GITHUB


def test_the_cause_of_a_failed_job_links_to_its_source_and_nowhere_else(tmp_path):
    (tmp_path / "job").mkdir()
    (tmp_path / "job/console.log").write_text(
        "GITHUB_REPOSITORY=a/nova\nGITHUB_SHA=0123abc\n"
        'error[E0425]: cannot find value `"><b>//evil.org/x.rs:1:1`\n  --> src/lib.rs:38:12\n'
        "##[error]Process completed with exit code 1.\n"
    )
    page = Asking(tmp_path, source_url=GITHUB)("/job/?format=overview", **HTML).text
    link = "https://github.com/a/nova/blob/0123abc/src/lib.rs#L38"
    assert f'<a href="{link}" rel="noreferrer nofollow">src/lib.rs:38:12</a>' in page
    assert set(re.findall(r'href="(https?:[^"]*)', page)) == {link}
    assert "<b>//evil" not in page
    assert "github.com" not in Asking(tmp_path)("/job/?format=overview", **HTML).text
