# SPDX-License-Identifier: Apache-2.0

import pytest

from oslogserve.upload.report import shown


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a Grüße.txt".encode(), "a Grüße.txt"),
        (b"\xff\n\x1b[31m", r"\xff\n\x1b[31m"),
        ("\u202egnp.exe".encode(), r"\u202egnp.exe"),
    ],
)
def test_a_name_is_shown_in_one_line_without_control_characters(path, line):
    assert shown(path) == line
