# SPDX-License-Identifier: Apache-2.0
"""The excerpt of a log and of a job as Markdown, for the comments of a change."""

import gzip
import random
import re
from xml.sax.saxutils import quoteattr

import pytest

from oslogserve.cli import main
from tests.kit.markdown import HOSTILE, code_of, fault_of, links_of
from tests.kit.mutated import log_of
from tests.unit.handlers.asking import HTML, Asking

ACCEPTED = "text/markdown; charset=utf-8"
CONSOLE = b"""2026-03-04 18:20:01.000 | TASK [run `tests`]
2026-03-04 18:22:11.000 | FAIL: test_boot (tests.Boot)
2026-03-04 18:22:11.000 | AssertionError: 'ACTIVE' != 'ERROR'
2026-03-04 18:22:12.000 | fatal: [node]: FAILED! => {"msg": "non-zero return code"}
"""
#: What would end code, or be acted upon outside of it.
SIGNS = (
    *(
        "`",
        "``",
        "```",
        "````````",
        "`" * 9,
        "`" * 4000,
        "~~~",
        "\\`",
        "`\x1b[0m`",
        "$`",
        "`$",
        "\t",
    ),
    *(
        "@someone ",
        "@all",
        "#123",
        " GH-7 ",
        "!7",
        "other/project#1",
        "https://github.com/o/p/issues/1",
    ),
    *("<img src=x onerror=alert(1)>", "</details>", "<!--", "-->", "<script>", "&lt;", "&#96;"),
    *(
        "[a](javascript:b)",
        "![a](http://b/c)",
        "[^1]: x",
        "# head",
        "- [x] ",
        "1. ",
        "|a|b|",
        "---",
    ),
    *("    ", "> ", "\u202e", "\u2028", "\x85", "\x00", "\r", "\xff", "**", "_", "==="),
)


def hostile(chance, most=6):
    signs = [chance.choice(SIGNS) for _ in range(chance.randrange(1, most))]
    signs.insert(chance.randrange(len(signs) + 1), HOSTILE)
    return "".join(signs)


def log(chance):
    """A log that fails, or not, of such lines."""
    lines = [*log_of(chance).split(b"\n")]
    for _ in range(chance.randrange(1, 30)):
        begin = chance.choice(("", "", "ERROR: ", "FAIL: ", "TASK [", "##[group]", "$ make "))
        line = f"{begin}{hostile(chance)}".encode()
        if chance.random() < 0.3:  # as the end of a block
            line = b"`" * chance.randrange(3, 12) + chance.choice((b"", b" ", b"\t"))
        lines.insert(chance.randrange(len(lines) + 1), line)
    return b"\n".join(lines) * chance.choice((1, 1, 40))


@pytest.fixture
def root(tmp_path):
    (tmp_path / "logs/run/sub").mkdir(parents=True)
    (tmp_path / "logs/run/job-output.txt").write_bytes(CONSOLE)
    (tmp_path / "logs/run/sub/same.txt.gz").write_bytes(gzip.compress(CONSOLE))
    return tmp_path / "logs"


@pytest.fixture
def ask(root):
    return Asking(root)


@pytest.mark.parametrize("number", range(24))
def test_what_is_hostile_stays_within_code_and_within_the_bytes(tmp_path, number):
    chance = random.Random(number)
    size = chance.choice((500, 501, 700, 2000, 2000, 9000, 60_000))
    tests = "".join(
        f"<testcase name={quoteattr(_of_xml(hostile(chance)))}>"
        f"<failure message={quoteattr(_of_xml(hostile(chance)))}/></testcase>"
        for _ in range(3)
    )
    said = "".join(one for one in hostile(chance) if one.isprintable() and one not in "'\\")
    inventory = f"all: {{vars: {{zuul: {{job: '{said}', branch: '{said}', change: '1', change_url: 'https://a/{said}'}}}}}}"
    name = re.sub(r"[/\x00]|^\.+", "", hostile(chance))[:60]
    files = {
        "job-output.txt": log(chance),
        f"{name}.txt": log(chance),
        "zuul-info/inventory.yaml": inventory.encode(),
        "junit.xml": f"<testsuite>{tests}</testsuite>".encode(),
    }
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(content)
    if chance.random() < 0.3:
        (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(log(chance))[:-9])
    ask = Asking(tmp_path)
    asked = f"?format=markdown&bytes={size}&origin=https://logs.example.org"
    for path in ("/", "/job-output.txt"):
        answer = ask(f"{path}{asked}")
        assert answer.status_int == 200
        assert 0 < len(answer.body) <= size
        assert fault_of(answer.text) == "", answer.text
        assert answer.text == answer.text.strip("\n") + "\n"
        if path != "/":
            assert code_of(answer.text), answer.text


def _of_xml(text):
    return "".join(one for one in text if one.isprintable())


def test_a_job_has_the_cause_as_code_with_links_to_it(ask):
    answer = ask("/run/?format=markdown&bytes=3000&origin=https://logs.example.org")
    assert answer.headers["Content-Type"] == ACCEPTED
    assert "Accept" in answer.headers["Vary"]
    first, *_ = answer.text.splitlines()
    assert first == "### [`/run/`](https://logs.example.org/run/)"
    log = "https://logs.example.org/run/sub/same.txt.gz?goto="
    assert f"\n#### [`sub/same.txt.gz`]({log}cause)\n" in answer.text
    assert f"\n[lines 1-4]({log}1-4)\n```\n" in answer.text
    assert "\n`[the same in job-output.txt]`\n" in answer.text
    [block] = code_of(answer.text)
    assert ">2026-03-04 18:22:11.000 | FAIL: test_boot (tests.Boot)\n" in block
    assert links_of(answer.text) == ["https://logs.example.org/run/", f"{log}cause", f"{log}1-4"]


def test_a_log_has_the_same_lines_as_its_excerpt(ask):
    markdown = ask("/run/job-output.txt?format=markdown").text
    brief = ask("/run/job-output.txt?format=brief").text
    assert code_of(markdown) == [brief.partition("?goto=1-4\n")[2]]
    assert "in `run 'tests'`" in markdown
    for to in links_of(markdown):
        assert ask(to, **HTML).status_int == 302


def test_a_fence_is_longer_than_any_in_the_log(root, ask):
    (root / "a.txt").write_bytes(b"ERROR: it broke\n````\n`````` x\n" + b"`" * 99 + b"\n")
    text = ask("/a.txt?format=markdown").text
    assert text.splitlines().count("```````") == 2
    assert code_of(text) == [">ERROR: it broke\n ````\n `````` x\n ```...```\n"]


@pytest.mark.parametrize("length", range(1, 40, 4))
def test_few_bytes_have_the_cause_whatever_the_log_is_called(root, ask, length):
    step = b"TASK [" + b"s" * 200 + b"] ***\n"
    log = b"x\n" * 3000 + step + CONSOLE.partition(b"\n")[2] + b"y\n" * 3000
    (root / f"{'a' * length}.txt.gz").write_bytes(gzip.compress(log)[:-9])
    asked = "format=markdown&bytes=500&origin=https://logs.example.org"
    answer = ask(f"/{'a' * length}.txt?{asked}")
    assert len(answer.body) <= 500
    assert "\n`[oslogserve: this log is incomplete here: " in answer.text
    [block] = code_of(answer.text)
    assert "\n>2026-03-04 18:22:11.000 | FAIL" in f"\n{block}"


@pytest.mark.parametrize(
    ("accept", "is_markdown"),
    [
        ("text/markdown", True),
        ("text/markdown, text/html, */*", True),
        ("text/markdown;q=0.9, text/plain;q=0.9", True),
        ("text/html, text/markdown;q=0.9", False),
        ("text/markdown;q=0", False),
        ("text/*", False),
        ("*/*", False),
    ],
)
def test_who_accepts_it_gets_it(ask, accept, is_markdown):
    for path in ("/run/", "/run/job-output.txt"):
        answer = ask(path, Accept=accept)
        assert (answer.headers["Content-Type"] == ACCEPTED) is is_markdown
    tags = {ask("/run/job-output.txt", Accept=one).etag for one in (accept, "text/plain")}
    assert len(tags) == 1 + is_markdown or "html" in accept


def test_a_filter_and_a_folder_that_is_no_jobs_give_text_to_who_accepts_it(root, ask):
    accept = {"Accept": "text/markdown"}
    assert ask("/run/job-output.txt?level=ERROR", **accept).content_type == "text/plain"
    assert ask("/run/?level=ERROR", **accept).content_type == "text/plain"
    (root / "other.txt").write_bytes(b"")
    listing = ask("/", **accept)
    assert (listing.content_type, listing.text[:4]) == ("text/plain", "othe")
    assert ask("/?format=markdown").content_type == "text/markdown"
    (root / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert ask("/image.png", **accept).content_type == "image/png"


def test_it_takes_what_an_excerpt_takes(ask):
    assert (
        ask("/run/?bytes=900&against=run", Accept="text/markdown").content_type == "text/markdown"
    )
    answer = ask("/run/job-output.txt?format=markdown&level=ERROR")
    assert "format=markdown chooses the lines itself" in answer.text
    assert ask("/run/?format=markdown&bytes=499").status_int == 400


def test_a_file_is_written_without_links(root, capfdbinary):
    for path in (root / "run", root / "run/job-output.txt"):
        assert main(["render", str(path), "--format", "markdown"]) == 0
        text = capfdbinary.readouterr().out.decode()
        assert (fault_of(text), links_of(text)) == ("", [])
        assert "\nlines 1-4\n```\n" in text
