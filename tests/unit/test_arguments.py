# SPDX-License-Identifier: Apache-2.0
import argparse

import pytest

from oslogserve.cli import _parser


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("upload logs", "expire", None),
        ("upload logs --expire 30d", "expire", 30 * 86400),
        ("upload logs --patience 1.5m", "patience", 90),
        ("upload logs --every 2", "every", 2),
        ("upload logs --segment-size 5G", "segment_size", 5368709120),  # Swift's largest object
        ("upload logs --parallel 3", "parallel", 3),
        ("bench put --size 0", "sizes", [0]),
        ("bench put --size 10k", "sizes", [10_000]),
        ("bench mix --sizes 10k,5M", "sizes", [10_000, 5_000_000]),
        ("bench get --duration 10m", "duration", 600),
    ],
)
def test_numbers_have_units(words, name, value):
    assert getattr(_parser().parse_args(words.split()), name) == value


@pytest.mark.parametrize(
    "words",
    [
        *("upload logs --expire 0", "upload logs --expire soon", "upload logs --expire 11y"),
        *("upload logs --expire 9999d", "upload logs --segment-size 6G"),
        *("upload logs --segment-size 0", "upload logs --parallel 0", "upload logs --every -1s"),
        *("upload logs --patience nan", "bench put --size 6G", "bench put --size -1"),
        *("bench put --size 1.5k", "bench put --containers 0", "bench get --parallel 401"),
        "bench get --base http://one.example.org",
    ],
)
def test_a_wrong_number_is_refused(words, capsys):
    with pytest.raises(SystemExit) as ended:
        _parser().parse_args(words.split())
    assert ended.value.code == 2
    assert words.split()[2] in capsys.readouterr().err


def _texts(parser, words=()):
    """The arguments that are texts: command, option or None, and the name in a message."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield from _texts(command, (*words, name))
        elif action.nargs != 0 and action.type is None:
            yield words, next(iter(action.option_strings), None), action.metavar


@pytest.mark.parametrize(("words", "option", "name"), list(_texts(_parser())), ids=str)
def test_an_argument_of_an_unset_variable_is_refused(words, option, name, capsys):
    with pytest.raises(SystemExit) as ended:
        _parser().parse_args([*words, *([option] if option else []), ""])
    assert ended.value.code == 2
    sentence = f"argument {option or name}: it is empty: give a value, or leave it out\n"
    assert capsys.readouterr().err.endswith(sentence)
