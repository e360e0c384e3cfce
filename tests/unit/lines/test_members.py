# SPDX-License-Identifier: Apache-2.0
import time

import pytest

from oslogserve.lines.grammar.members import of_json, of_pairs
from oslogserve.lines.grammar.severities import RANKS


def said(found, line):
    if found is None:
        return None
    names = {rank: name for name, rank in RANKS.items()}
    return line[found.start : found.end], names.get(found.rank)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"msg": "level", "levelname": "WARN"}', (b"", "WARNING")),
        (b'{"level":50,"time":1709528767123}', (b"1709528767123", "ERROR")),
        (
            b'{"a": [1, {"level": "x"}], "ts": "2024-03-04T05:06:07Z"}',
            (b"2024-03-04T05:06:07Z", None),
        ),
        (b'{"log": {"level": "warn", "logger": "a"}}', (b"", "WARNING")),
        (b'{"t":{"$date":"2024-03-04T05:06:07Z"},"s":"E"}', (b"2024-03-04T05:06:07Z", "ERROR")),
        (b'{"PRIORITY":"4"}', (b"", "WARNING")),
        (b'{"a": "\\"level\\": \\"error\\"", "level": "info"', (b"", "INFO")),
        (b'{"a": {"level": "error"}}', None),
        (b'{"level": 30.5}', None),
        (b'{"level', None),
        (b"{", None),
    ],
)
def test_what_an_object_says(line, says):
    assert said(of_json(line, 0), line) == says


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'msg="level=error" level=info', (b"", "INFO")),
        (b"ts=2024-03-04T05:06:07Z a= lvl=eror", (b"2024-03-04T05:06:07Z", "ERROR")),
        (b"type=X msg=audit(1383116048.000:595): pid=1", (b"1383116048.000", None)),
        (b"level=error-page", None),
        (b'level="warn"x', None),
        (b"a=b", None),
    ],
)
def test_what_pairs_say(line, says):
    assert said(of_pairs(line, 0), line) == says


@pytest.mark.parametrize("unit", [b'"', b'\\"', b"{", b'{"', b'"a":', b'"a":[', b"a=", b'a="\\" '])
def test_hostile_members_take_no_time(unit):
    line = b'{"a": ' + unit * (4096 // len(unit))
    started = time.process_time()
    of_json(line, 0)
    of_pairs(unit * (4096 // len(unit)), 0)
    assert time.process_time() - started < 0.05
