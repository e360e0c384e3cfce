# SPDX-License-Identifier: Apache-2.0
"""Logs and folders that are compared with those of a run that passed."""

import gzip
import json
import os
import re

import pytest

from tests.unit.handlers.asking import HTML, Asking

PASSED = b"2026-03-04 18:22:11.000 INFO nova: starts\n2026-03-04 18:22:12.000 ERROR nova: cache is cold\n"
FAILED = PASSED.replace(b"2026-03-04", b"2026-03-05") + b"No Rakefile found\n"
CONSOLE = b"+ make all\nstarts the build\n"
BROKEN = CONSOLE + b"error: no rule to make this\nmake: *** [all] Error 2\n"


@pytest.fixture
def root(tmp_path):
    files = {
        "41/nova.log.1.gz": gzip.compress(PASSED),
        "41/console.log": CONSOLE,
        "42/nova.log": FAILED,
        "42/console.log": BROKEN,
        "42/other.txt": b"ERROR: of its own\n",
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.fixture
def ask(root):
    return Asking(root)


def objects(answer):
    return [json.loads(line) for line in answer.text.splitlines()]


def test_new_lines_of_a_log_are_marked_counted_and_selected(ask):
    against = "/42/nova.log?against=41/nova.log.1.gz"
    lines = objects(ask(against + "&format=jsonl"))
    assert [line.get("new") for line in lines] == [None, None, True, 1]
    page = ask(against, **HTML).text
    assert '<li class="e new" id=L3>' in page
    assert "1 new line</a>" in page
    assert 'value="41/nova.log.1.gz"' in page
    only = ask(against + "&new=only")
    assert only.text == "No Rakefile found\n"
    assert only.headers["Log-New"] == "1"
    assert "1 new line</a>" not in ask(against + "&new=only", **HTML).text


@pytest.mark.parametrize(
    ("filters", "new"),
    [("", 3), ("&tail=1", 3), ("&tail=9", 3), ("&q=Rake&tail=1", 2), ("&new=only&tail=1", 3)],
)
def test_new_lines_are_counted_with_a_tail_as_without(ask, root, filters, new):
    (root / "42/nova.log").write_bytes(FAILED + b"No Makefile found\nNo Rakefile here\n" + PASSED)
    url = "/42/nova.log?against=41/nova.log.1.gz" + filters
    assert objects(ask(url + "&format=jsonl"))[-1]["new"] == new
    if filters:
        assert ask(url + "&format=text").headers["Log-New"] == str(new)
    page = ask(url, **HTML).text
    counts = re.findall(r'<a class="new" href="([^"]*)">(\d) new lines</a>', page)
    assert [count for _, count in counts] == ([] if "only" in filters else [str(new)])
    assert all("tail" not in address and "new=only" in address for address, _ in counts)


def test_the_other_log_is_looked_up_once_for_a_request(ask):
    def opened(**headers):
        answer = ask("/42/nova.log?against=41/nova.log.1.gz&format=jsonl", **headers)
        return answer.status_int, answer.headers["Server-Timing"].count("disk;")

    etag = ask("/42/nova.log?against=41/nova.log.1.gz&format=jsonl").headers["ETag"]
    assert opened() == (200, 2)  # its words are kept
    assert opened(If_None_Match='"another"') == (200, 3)
    assert opened(If_None_Match=etag) == (304, 2)


def test_the_same_run_has_nothing_new(ask):
    summary = ask("/42/nova.log?against=42/nova.log&format=summary").json
    assert summary["new"] == {}
    assert summary["first_error"]["new"] is False
    assert "new" not in ask("/42/nova.log?format=summary").json


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("41/none.log", "No source has this log."),
        ("41", "It is a folder."),
    ],
)
def test_a_log_that_cannot_be_compared_is_shown_and_says_so(ask, path, why):
    answer = ask(f"/42/nova.log?against={path}&new=only")
    assert answer.status_int == 200
    *lines, said = answer.text.splitlines()
    assert "\n".join(lines) + "\n" == FAILED.decode()
    assert said.startswith(f"[oslogserve: it was not compared with {path}: {why}")
    end = objects(ask(f"/42/nova.log?against={path}&format=jsonl"))[-1]
    assert (end["complete"], why in end["reason"]) == (True, True)
    assert "this log is incomplete here" not in ask(f"/42/nova.log?against={path}", **HTML).text


@pytest.mark.parametrize(
    ("against", "compared"), [("41/nova.log.1.gz", True), ("41/none.log", False), ("@none", False)]
)
def test_every_view_of_a_log_tells_if_it_was_compared(ask, against, compared):
    url = f"/42/nova.log?against={against}&format="
    assert objects(ask(url + "jsonl"))[-1]["compared"] is compared
    assert ask(url + "summary").json["compared"] is compared
    for filters in ("new=only", "q=nova", "tail=1"):
        answer = ask(f"{url}text&{filters}")
        assert answer.headers["Log-Compared"] == json.dumps(compared)
        assert ("not compared" not in answer.text) is compared
        assert objects(ask(f"{url}jsonl&{filters}"))[-1]["compared"] is compared
    for page in ("html", "html&tail=1", "html&limit=1", "html&lines=1-2", "chapters"):
        assert ("not compared" not in ask(url + page, **HTML).text) is compared
    assert "compared" not in objects(ask("/42/nova.log?format=jsonl"))[-1]
    assert "Log-Compared" not in ask("/42/nova.log?format=text&q=a").headers


@pytest.mark.parametrize(
    ("against", "logs", "compared"),
    [
        ("41", "nova*", [True]),
        ("41", "*", [True, False, True]),
        ("40", "nova*", [False]),
    ],
)
def test_every_view_of_a_folder_tells_if_all_logs_were_compared(ask, against, logs, compared):
    url = f"/42/?against={against}&logs={logs}&format="
    summary = ask(url + "summary").json
    assert [log["compared"] for log in summary["logs"]] == compared
    assert (summary["compared"], summary["complete"]) == (all(compared), True)
    assert objects(ask(url + "jsonl"))[-1]["compared"] is all(compared)
    assert "compared" not in ask("/42/?format=summary").json


@pytest.mark.parametrize("path", ["../a", "a//b", "a%00b"])
def test_a_path_that_is_not_valid_is_told_at_its_field(ask, path):
    answer = ask(f"/42/nova.log?against={path}", **HTML)
    assert answer.status_int == 400
    assert "against takes the path of a log or a folder on this server" in answer.text
    assert "No Rakefile found" in answer.text


def test_new_lines_need_a_run_that_passed(ask):
    answer = ask("/42/nova.log?new=only", **HTML)
    assert answer.status_int == 400
    assert "new=only needs against=" in answer.text


def test_an_etag_changes_with_the_run_that_passed(ask, root):
    against = "/42/nova.log?against=41/console.log"
    tag = ask(against).headers["ETag"]
    assert ask(against, If_None_Match=tag).status_int == 304
    (root / "41/console.log").write_bytes(FAILED)
    os.utime(root / "41/console.log", (10**9, 10**9))
    changed = ask(against, If_None_Match=tag)
    assert changed.status_int == 200
    assert ask(against + "&new=only").text == ""


def test_the_time_of_a_log_does_not_validate_its_comparison(root):
    ask = Asking(root, serve_max_age=1000)
    os.utime(root / "42/nova.log", (10**9, 10**9))
    compared = "/42/nova.log?against=41/console.log"
    told = ask(compared).headers
    assert "Last-Modified" not in told
    assert told["Cache-Control"] == "max-age=0"
    since = ask("/42/nova.log").headers["Last-Modified"]
    assert ask("/42/nova.log", If_Modified_Since=since).status_int == 304
    assert ask(compared, If_Modified_Since=since).status_int == 200


def test_no_cache_keeps_what_was_compared_with_a_part(ask, root):
    broken = gzip.compress(PASSED)[:-9]
    (root / "41/nova.log.1.gz").write_bytes(broken)
    assert (
        ask("/42/nova.log?against=41/nova.log.1.gz&new=only").headers["Cache-Control"] == "no-store"
    )
    assert (
        ask("/42/nova.log?against=41/console.log&new=only").headers["Cache-Control"] == "max-age=0"
    )


def test_a_path_that_is_told_in_text_sends_a_terminal_nothing(ask):
    for address in ("/42/nova.log?", "/42/?order=time&"):
        answer = ask(address + "against=%1b%5b31mred%0aLog:&new=only")
        assert "\x1b" not in answer.text
        assert "compared with \\x1b[31mred\\nLog:: No source has this log." in answer.text


def test_logs_of_a_folder_are_compared_with_those_that_are_like_them(ask):
    logs = ask("/42/?against=41&format=summary").json["logs"]
    assert [log["name"] for log in logs] == ["console.log", "other.txt", "nova.log"]
    new = {log["name"]: sum(lines["count"] for lines in log["new"].values()) for log in logs}
    assert new == {"console.log": 2, "other.txt": 1, "nova.log": 1}
    assert "no log there is like it, so all of its lines are new" in logs[1]["reason"]
    assert logs[0]["reason"] is None


def test_new_lines_of_a_folders_logs_are_selected(ask):
    found = ask("/42/?against=41&new=only&logs=nova*&logs=console*")
    lines = [line for line in found.text.splitlines() if not line.startswith("[")]
    assert lines == [
        "console.log:3:error: no rule to make this",
        "console.log:4:make: *** [all] Error 2",
        "nova.log:3:No Rakefile found",
    ]


@pytest.mark.parametrize("order", ["log", "time"])
@pytest.mark.parametrize("view", ["jsonl", "text", "html"])
@pytest.mark.parametrize("end", ["limit=5", "tail=5", ""])
def test_a_comparison_that_failed_is_said_wherever_the_answer_ends(root, view, end, order):
    text = "".join(f"2026-03-04 18:22:11 ERROR unlike {n:x}\n" for n in range(20_000))
    (root / "42/big.log").write_text(text)
    (root / "41/big.log.gz").write_bytes(gzip.compress(text.encode())[:-100])
    ask = Asking(root, serve_page_size=100_000)
    found = ask(f"/42/?against=41&new=only&logs=big*&format={view}&order={order}&{end}").text
    assert "big.log: it was compared with a part of 41/big.log.gz" in found


def test_an_answer_that_ends_early_says_nothing_of_logs_that_were_read_ahead(root, ask):
    (root / "41/other.txt.gz").write_bytes(gzip.compress(CONSOLE)[:-1])
    url = "/42/?against=41&logs=console*&logs=other*&format=jsonl&limit="
    for _ in range(5):
        assert objects(ask(url + "1"))[-1]["notices"] == []
    assert len(objects(ask(url + "9"))[-1]["notices"]) == 1


def test_a_cause_is_shown_with_its_lines_if_its_log_was_not_compared(ask):
    page = ask("/42/?against=41&format=overview&logs=other*", **HTML).text
    assert "no log there is like it" in page
    assert page.count('<div class="excerpt">') == 1


def test_a_folders_page_keeps_the_run_and_links_to_the_logs_with_theirs(ask):
    assert "against=41" in ask("/42/?against=41", **HTML).text
    page = ask("/42/?against=41&format=overview", **HTML).text
    assert 'href="nova.log?against=41%2Fnova.log.1.gz"' in page
    assert "Compared with 41" in page
    assert 'name="against" value="41"' in page


def test_an_overview_says_once_for_all_logs_why_they_were_not_compared(root, ask):
    for name in "abcdefg":
        (root / f"42/{name}-service.txt").write_text("fine\n")
    page = ask("/42/?against=41&format=overview", **HTML).text
    [notice] = re.findall('<p class="notice" role="status">(.*?)</p>', page)
    names = [f"{name}-service.txt" for name in "abcde"]
    assert notice.startswith(f"{', '.join(names)} and 3 more: ")
    assert "no log there is like it" in notice


def test_a_run_that_is_not_there_is_said_once(ask):
    answer = ask("/42/?against=40&format=summary").json
    assert answer["notices"] == [
        (
            "these logs were not compared with 40: No source has this log. "
            "Logs expire: it may have been here before."
        )
    ]
    assert all("new" not in log for log in answer["logs"])


def test_a_pointer_is_a_file_with_a_path_or_a_link(root):
    ask = Asking(root, disk_links="yes")
    (root / "passed").mkdir()
    (root / "passed/unit").write_text("/41\n")
    (root / "passed/linked").symlink_to("../41")
    for name in ("unit", "linked"):
        assert ask(f"/42/console.log?against=@{name}&new=only").text == "".join(
            BROKEN.decode().splitlines(keepends=True)[2:]
        )
        logs = ask(f"/42/?against=@{name}&format=summary").json["logs"]
        assert [sum(one["count"] for one in log["new"].values()) for log in logs] == [2, 1, 1]


@pytest.mark.parametrize("text", ["", "/\n", "../..", "40", "a//b", "x" * 5000])
def test_a_pointer_that_leads_nowhere_is_said(ask, root, text):
    (root / "passed").mkdir()
    (root / "passed/unit").write_text(text)
    answer = ask("/42/console.log?against=@unit&new=only")
    assert answer.status_int == 200
    assert "it was not compared with" in answer.text
    answer = ask("/42/?against=@unit&format=summary")
    assert "were not compared with" in answer.json["notices"][0]
    assert "it was not compared with @none: " in ask("/42/console.log?against=@none&new=only").text


def test_what_went_wrong_is_compared_by_itself_with_the_run_of_the_jobs_pointer(root):
    for name in ("41", "42"):
        (root / "check/unit").mkdir(parents=True, exist_ok=True)
        (root / name).rename(root / "check/unit" / name)
    (root / "passed").mkdir()
    ask = Asking(root, job_passed="[^/]+/(?P<name>[^/]+)/[0-9]+")
    assert "Compared with" not in ask("/check/unit/42/?format=overview", **HTML).text
    (root / "passed/unit").write_text("check/unit/41")
    assert "Compared with check/unit/41" in ask("/check/unit/42/?format=overview", **HTML).text
    for path in ("/check/unit/41/", "/check/unit/", "/check/unit/42/none/"):
        assert "Compared with" not in ask(f"{path}?format=overview", **HTML).text
    assert "new" not in ask("/check/unit/42/?format=summary").json["logs"][0]
    pointed = ask("/check/unit/42/console.log?against=@unit&new=only")
    assert pointed.text.startswith("error: no rule")


def test_a_new_server_compares_with_a_run_without_reading_its_logs(root):
    path = root / "41/nova.log.1.gz"
    path.write_bytes(gzip.compress(PASSED * 3000))
    options = {"index_directory": str(root / ".indexes")}
    urls = ["/42/nova.log?against=41/nova.log.1.gz&format=jsonl", "/42/?against=41&format=summary"]
    first = [Asking(root, **options)(url).body for url in urls]
    assert [Asking(root)(url).body for url in urls] == first
    status = path.stat()
    with path.open("r+b") as file:
        file.write(b"no gzip any more")
    os.utime(path, ns=(status.st_mtime_ns, status.st_mtime_ns))
    assert [Asking(root, **options)(url).body for url in urls] == first
    assert Asking(root)(urls[0]).body != first[0]
