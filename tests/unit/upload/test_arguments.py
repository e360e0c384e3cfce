# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.cli import main
from oslogserve.upload import arguments, command


@pytest.fixture
def given(monkeypatch):
    """The options with which the command is run."""
    found = []
    monkeypatch.setattr(command, "upload", lambda options: found.append(options) or 0)
    return found


def test_times_and_sizes_have_units(given):
    words = "--expire 30d --patience 1.5m --every 2 --segment-size 5G --parallel 3"
    assert main(["upload", "logs", *words.split()]) == 0
    (options,) = given
    assert (options.expire, options.patience, options.every) == (30 * 86400, 90, 2)
    assert (options.segment_size, options.parallel) == (5 * 2**30, 3)


def test_logs_are_kept_for_ever_unless_told_otherwise(given):
    assert main(["upload", "-"]) == 0
    assert given[0].expire is None


WRONG = (
    "--expire 0",
    "--expire soon",
    "--expire 11y",
    "--expire 9999d",
    "--segment-size 6G",
    "--segment-size 0",
    "--parallel 0",
    "--every -1s",
    "--patience nan",
)


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_time_or_size_is_refused(wrong, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["upload", "logs", *wrong.split()])
    assert ended.value.code == 2
    assert wrong.split()[0] in capsys.readouterr().err


def test_largest_segment_is_swifts_largest_object():
    assert arguments.LARGEST_SEGMENT == 5368709120
