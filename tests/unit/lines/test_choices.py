# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.lines.choices import Choices
from oslogserve.lines.recognise import BUILT_IN, Formats
from tests.renderers import EXAMPLES


@pytest.mark.parametrize("most", [0, 20])
def test_beginnings_that_there_is_no_room_for_are_recognised_too(most, monkeypatch):
    monkeypatch.setattr(Choices, "MOST", most)
    monkeypatch.setattr(Choices, "MOST_KEYS", most)
    formats = Formats()
    block = b"".join(line + b"\n" for line in EXAMPLES)
    assert formats.seen_in(block) == BUILT_IN.seen_in(block)
    assert formats.severities_in(block) == BUILT_IN.severities_in(block)


def test_what_is_held_of_beginnings_is_bounded(monkeypatch):
    monkeypatch.setattr(Choices, "MOST", 20)
    monkeypatch.setattr(Choices, "MOST_KEYS", 30)
    choices = Choices([])
    for first in range(33, 127):
        for last in range(33, 127):
            choices[b"", bytes([first]), b"=", bytes([last])]
    assert len(choices) == 30
    assert len(choices._by_beginning) < 20 + 2 * 256
