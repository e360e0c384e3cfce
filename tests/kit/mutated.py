# SPDX-License-Identifier: Apache-2.0
"""Logs of lines of all formats, changed at random."""

import random

from oslogserve.demo import generate_oslo
from oslogserve.native import SEVERITIES
from tests import corpus
from tests.kit.marked import MARKED
from tests.reference.grammar import WORDS as LEVEL_WORDS

#: What decides: ends of words, numbers and lines, what is escaped, what is not UTF-8.
BYTES = b'0123456789 :.,-[](){}TZ_aEI=/\\\n\r\0\t&<>"\xff\x1b|%?#;+*\x80\xc3'
_WORDS = [
    *(name.encode() for name in SEVERITIES),
    *LEVEL_WORDS,
    *(word.lower() for word in LEVEL_WORDS),
]
_REQUEST = b"0f3d2c1a-1111-2222-3333-444455556666"
LINES = [
    *(each.line for each in corpus.everything()),
    *b"".join(generate_oslo(60_000)).split(b"\n"),
    *(line for lines in MARKED.values() for line in lines),
    b"2013-09-27 18:24:37.719 ERROR unit: DEBUG two leads fit",
    b"travis_time:start:0a1b2c3d\r\x1b[0K$ make",
    b"travis_time:end:0a1b2c3d:start=1560896352000000000,finish=1560896353500000000\r\x1b[0K",
    b"travis_fold:end:git\r\x1b[0Ktravis_fold:start:npm\r\x1b[0KInstall",
    b"travis_fold:start:git\r",
    b"travis_fold:start:t\r\x1b[0Ktravis_time:end:0a1b2c3d:start=1560896352000000000,finish=1560896353500000000",
    b"travis_time:start:0a1b2c3d\r",
    b"\x1b[0K$ make again",
    b"\x1b[0Ktravis_fold:end:git\r",
    b"section_end:1560896362:a\r\x1b[0Ksection_start:1560896363:b\r\x1b[0KTitle",
    b"section_start:1560896352:a\r\x1b[0K",
    b'The command "make" exited with 0.',
    b"    --- FAIL: TestIt/one (0.00s)",
    b"--- FAIL: TestIt (0.00s)",
    b"        it_test.go:7: no",
    b"Captured traceback:",
    b"    Traceback (most recent call last):",
    b"it.TestIt",
    b"---------",
    b"5 examples, 2 failures",
    b"README.md:2180: Line longer than 80 characters",
    b"cp: cannot stat 'a': No such file or directory",
    b"Mar  8 12:20:42.377230 %b %b[1234567890]: ERROR x" % (b"h" * 255, b"u" * 255),
    b"Traceback (most recent call last):",
    b"2013-09-27 18:22:11.248 2790 ERROR nova [req-0f3d2c1a-1111-2222-3333-444455556666 a] x \xc3\xa9",
    b"\x1b[01;35m2013-09-27 18:22:11.248 ERROR \x1b[00;36mnova \x1b[38;5;208mx\x1b[0m y\x1b[K",
    b"Mar  8 12:20:42.377230 <host> unit[1]: WARNING x",
    b"see (http://a/b?c=1&d=2), 'https://[::1]:8080/x', http://u:p@h/req-%b." % _REQUEST,
    b"2013-09-27 18:22:11.248 INFO x req-%b https://e.org/\x1b[1m%b" % (_REQUEST, b"/" * 2048),
    b" ".join(b"http://a.b/%d" % number for number in range(20)) + b" req-" + _REQUEST,
    b"\x1b]8;id=1;http://a.b/c\x1b\\2013-09-27 18:22:11.248\x1b]8;;\x07 ERROR \x1b[7;31mnova\x1b[27m x",
    b"[http://a/b_(c)](http://d),http://e;https://f [http://[::1]] &quot;http://g&quot;",
    b"2013-09-27T18:22:11.248+02:00 ERROR of a zone",
    b"2013-09-27T16:22:11.248Z nova WARNING of another",
    b"",
]
TOKENS = (
    *(b" " + word + b" " for word in _WORDS),
    *(b"[" + word + b"]" for word in _WORDS),
    *(word + b": " for word in _WORDS),
    *(b'"' + word + b'"' for word in _WORDS),
    *(b"\x1b[31m", b"\x1b[0;1m", b"\x1b[K", b"\x1b(B", b"\x1b[", b"\r\n", b"\r"),
    *(
        b"\n",
        b"\n    ",
        b"\n2026-03-04 18:22:11.123456 | node | ",
        b"\n2026-03-04 18:22:11,123 p=1 u=root n=ansible | ",
        b" [E]",
        b" FAILED",
        b"\x1b[0K$ ",
    ),
    *(
        b"\x1b[7m",
        b"\x1b]8;;https://a.b/c\x07",
        b"\x1b]8;;\x1b\\",
        b"\x1b_bk;t=1560896352000\x07",
        b"\x1bP",
        b"http://",
        b",https://",
        b"&quot;",
    ),
    *(b"45%\r\x1b[31m50 \xc3\xa9%\r", b"\nsection_end:1:x\r\x1b[0K"),
    *(b"\n2026-03-04T18:22:11.1234567Z ##[group]", b"\n##[endgroup]", b"\n\n", b"K", b"\xc5\xbf"),
    *(
        b"\b",
        b"\b\b",
        b"\t",
        b"\x1b[G",
        b"\x1b[5G",
        b"\x1b[9C",
        b"\x1b[2D",
        b"\x1b[1K",
        b"\x1b[2K",
        b"\x1b[A",
    ),
    *(b"\x1b7", b"\x1b8", b"\nImage creation date:\nTue Dec  5 20:11:19 UTC 2017\n", b"\nBuilt: "),
    b"\ntravis_time:end:0a1b:start=1560896352000000000,finish=1560896353500000000,duration=1\r",
    *(line[:60] for line in LINES[::7]),
)


def log_of(chance, most=30):
    """Some lines, mutated mostly where time and severity stand."""
    lines = [
        mutated(line, chance, TOKENS, chance.choice((12, 60))) if chance.random() < 0.7 else line
        for line in chance.choices(LINES, k=chance.randrange(1, most))
    ]
    lines *= chance.choice((1, 1, 1, 20))
    return b"\n".join(lines) + b"\n" * chance.randrange(2)


def mutated(text: bytes, chance: random.Random, tokens=(b"",), reach=10**6) -> bytes:
    """The text with a few changes, most of them in its first `reach` bytes."""
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        at = chance.randrange(min(len(text), chance.choice((reach, reach, 10**6))) + 1)
        match chance.randrange(7):
            case 0:
                text = text[:at] + text[at + chance.randrange(1, 4) :]
            case 1:
                text = text[:at] + bytes([chance.choice(BYTES)]) + text[at + 1 :]
            case 2:
                text = text[:at] + bytes([chance.choice(BYTES)]) + text[at:]
            case 3:
                text = text[:at] + bytes([chance.randrange(256)]) + text[at + 1 :]
            case 4:
                some = text[at : at + chance.randrange(1, 12)]
                text = text[:at] + some * chance.choice((2, 3, 22, 255)) + text[at + len(some) :]
            case 5:
                text = text[:at] + chance.choice(tokens) + text[at:]
            case 6:
                other = chance.choice(tokens)
                text = text[:at] + other[chance.randrange(len(other) + 1) :]
    return text


def cuts(chance, size, most=12):
    """Offsets at which a text of this size is cut."""
    return tuple(chance.randrange(size + 1) for _ in range(chance.randrange(most)))
