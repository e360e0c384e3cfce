# SPDX-License-Identifier: Apache-2.0
import argparse

import pytest

from oslogserve.bench import arguments


def parsed(*words):
    parser = argparse.ArgumentParser()
    arguments.add_to(parser.add_subparsers())
    return parser.parse_args(["bench", *words])


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("12", 12), ("10k", 10_000), ("5M", 5_000_000), ("1G", 10**9)]
)
def test_a_size_has_a_unit(text, size):
    assert parsed("put", "--size", text).size == size


@pytest.mark.parametrize(
    "words",
    [
        ("put", "--size", "6G"),
        ("put", "--size", "-1"),
        ("put", "--size", "1.5k"),
        ("put", "--containers", "0"),
        ("get", "--parallel", "401"),
        ("get", "--duration", "nan"),
    ],
)
def test_what_cannot_be_measured_is_refused(words):
    with pytest.raises(SystemExit):
        parsed(*words)
