# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.bench import logs
from oslogserve.cli import main


@pytest.mark.parametrize(
    ("action", "arguments", "sentence"),
    [
        ("put", ["--config", "/none"], "/none"),
        ("put", [], "this needs Swift"),
        ("delete", ["--all"], "this needs Swift"),
        ("delete", [], "give the names of runs, or --all"),
        ("get", [], "no log to fetch: give URLs, --list or --job"),
        ("get", ["a.txt"], "a.txt: give a URL that begins with http:// or https://"),
        ("get", ["--list", "/none"], "/none: No such file or directory"),
        ("get", ["--list", "/bin/true"], "/bin/true: it is no list of logs: it is not"),
        ("get", ["--job", "http://127.0.0.1:9/"], "http://127.0.0.1:9/: "),
        ("scenarios", ["http://a"], "http://a: give more than one log"),
        ("mix", ["--mix", "0,0,0"], "--mix: give three shares, such as 2,7,1"),
        ("merge", ["/bin/true"], "/bin/true: no JSON of `oslogserve bench`"),
        ("get", ["http://a", "--sources", "disk,disk"], "disk, disk: give each source a name"),
        (
            "get",
            ["http://a", "--sources", "disk,No"],
            "--sources: 'No': give disk, swift, or names of stores",
        ),
        ("get", ["a.txt", "--report", "/none/a.html"], "/none/a.html: No such file or directory"),
        ("get", ["http://127.0.0.1:9/a", "http://[a"], "http://[a: "),
    ],
)
def test_a_wrong_argument_is_refused_in_one_sentence(action, arguments, sentence, capsys):
    assert main(["bench", action, *arguments]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"oslogserve: {sentence}")
    assert told.count("\n") == 1


def test_of_a_folder_without_a_console_the_one_log_must_be_named(monkeypatch, capsys):
    monkeypatch.setattr(logs, "below", lambda *_: ["http://a/report.html", "http://a/b.txt"])
    assert main(["bench", "scenarios", "--job", "http://a/"]) == 2
    sentence = "http://a/: no console is below it: name one of its logs with --log"
    assert capsys.readouterr().err == f"oslogserve: {sentence}\n"


@pytest.mark.parametrize(
    ("action", "arguments", "sentence"),
    [
        ("get", ["--parallel", "1000"], "1000: give a number from 1 to 400"),
        ("mix", ["--sizes", "1k,x"], "x: give a number from 0 to"),
    ],
)
def test_a_number_beyond_a_limit_is_answered_with_the_limit(action, arguments, sentence, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["bench", action, *arguments])
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err
