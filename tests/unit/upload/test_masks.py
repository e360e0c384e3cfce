# SPDX-License-Identifier: Apache-2.0
import random
import time

import pytest

from oslogserve.config import ConfigError, load
from oslogserve.upload.masks import Masks, load_masks
from tests.unit.upload.fakes import config

TOKEN = r"tok_[0-9a-f]{8}"


def masks(*values, **patterns):
    return Masks({value: line for line, value in enumerate(values, 1)}, patterns)


def masked(masks, *pieces):
    masking = masks.begin()
    return b"".join([*map(masking.feed, pieces), masking.finish()])


def as_one_byte_pieces(text):
    return [text[at : at + 1] for at in range(len(text))]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        # A carriage return ends a line, and begins the next one if it stands alone.
        (r"password=(\S+)$", b"a password=hunter2\r\nb\r\n", b"a ***\r\nb\r\n"),
        (r"password=(\S+)$", b"50 %\rpassword=hunter2\rdone\n", b"50 %\r***\rdone\n"),
        (r"^tok\w+", b"a\rtoken\r\ntoken tokens\r\n", b"a\r***\r\n*** tokens\r\n"),
        (r"(?m)^key=\w+\z", b"key=a\r\nkey=b", b"***\r\n***"),
        (r"key=\w+\r$", b"key=a\r\n", b"***\n"),
        (r"a$\s*", b"a\r\n\nb", b"***\n\nb"),
        # Bytes that are no UTF-8 are characters.
        (r"password=\S+", b"password=caf\xe9hunter2 \xe9", b"*** \xe9"),
        (r"token: .*", b"token: caf\xe9hunter2\n\xe9", b"***\n\xe9"),
        (r"key=[^;]+", b"key=\xff\xfe\xe9;\xe9", b"***;\xe9"),
        (r"key=\W{2}", b"key=\xc3\xa9\xe9\xe9", b"***\xe9"),
        (r"key=.{3}", "key=éüxy".encode(), b"***y"),
        # A class that leaves out characters beyond ASCII takes only UTF-8.
        (r"key=[^»]+", "key=aé»b".encode() + b"key=a\xe9b", "***»b***".encode() + b"\xe9b"),
    ],
)
def test_patterns_take_any_bytes_and_both_ends_of_lines(pattern, text, expected):
    given = masks(key=pattern)
    assert masked(given, text) == expected
    assert masked(given, *as_one_byte_pieces(text)) == expected


def test_what_was_found_is_counted_by_its_line_and_never_shown():
    given = Masks({b"hunter2": 1, b"correct horse": 3}, {"token": TOKEN})
    masking = given.begin()
    masking.feed(b"hunter2 tok_01234567 hunter2\n")
    assert given.summary() == "Masked 0 times"
    given.count(masking.counts)
    given.count([1000, 0, 0])
    assert given.summary() == "Masked 1,003 times: value 1 (1,002), pattern token (1)"
    assert given.names([0, 2, 1]) == "value 3, pattern token"
    assert "hunter2" not in repr(vars(given))


def occurrences(values, text):
    """How often each value is in the text, wherever it begins."""
    return [sum(text.startswith(value, at) for at in range(len(text))) for value in values]


@pytest.mark.parametrize("seed", range(60))
def test_values_in_values_are_each_counted_however_the_text_is_cut(seed):
    choice = random.Random(seed)
    letters = (b"ab", b"abc")[seed % 2]
    drawn = [bytes(choice.choices(letters, k=choice.randint(4, 9))) for _ in range(12)]
    values = {value: number for number, value in enumerate(dict.fromkeys(drawn))}
    text = bytes(choice.choices(letters, k=400)) + b"."
    marks = bytearray(len(text))
    for value in values:
        for at in range(len(text)):
            if text.startswith(value, at):
                marks[at : at + len(value)] = b"x" * len(value)
    for size in (1, 3, 50, len(text)):
        masking = Masks(values, {}).begin()
        pieces = (text[at : at + size] for at in range(0, len(text), size))
        got = b"".join(map(masking.feed, pieces)) + masking.finish()
        assert masking.counts == occurrences(values, text)
        kept = b"".join(text[at : at + 1] for at in range(len(text)) if not marks[at])
        assert got.replace(b"***", b"") == kept


def test_1396_values_that_begin_alike_are_masked_in_linear_time():
    values = {b"a" * size: size for size in range(4, 1400)}
    given = Masks(values, {})
    began = time.process_time()
    for size in (100, 1000, 65536):
        masking = given.begin()
        for _ in range(10**6 // size):
            masking.feed(b"a" * size)
        masking.finish()
    assert time.process_time() - began < 20  # 8 s for each 200 KB if each is looked at


def file_of(tmp_path, content):
    path = tmp_path / "masks"
    path.write_bytes(content)
    return str(path)


def test_each_line_of_a_file_is_a_value(tmp_path):
    path = file_of(
        tmp_path, b"\xef\xbb\xbfhunter2\r\n# no comment\n  spaces  \nhunter2\n\xff\xfe\xfd\xfc"
    )
    given = load_masks(path, config())
    assert masked(given, b"hunter2,# no comment, spaces ;\xff\xfe\xfd\xfc") == b"***,***, *** ;***"
    assert given.names([1] * 4) == "value 1, value 2, value 3, value 5"


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"", ":1: the line is empty"),
        (b"hunter2\n \nhunter3\n", ":2: the line is empty"),
        (b"hunter2\n\n", ":2: the line is empty"),
        (b"s3c\n", ":1: a value has at least 4 bytes"),
        (b"hunter2\n" + b"s3cr" * 9000, ":2: a value has at most 32768 bytes"),
        ("s3cret".encode("utf-16"), ":1: a value has no NUL"),
        (b"s3cr3t\n" * 200_000, ": it has more than 1 MiB"),
    ],
)
def test_a_value_that_cannot_be_masked_is_refused_by_its_line(tmp_path, content, where):
    path = file_of(tmp_path, content)
    with pytest.raises(ConfigError) as raised:
        load_masks(path, config())
    assert str(raised.value).startswith(f"{path}{where}")
    assert "s3c" not in str(raised.value)


def test_all_faults_of_a_file_are_told_at_once(tmp_path):
    with pytest.raises(ConfigError) as raised:
        load_masks(file_of(tmp_path, b"a\nhunter2\nb\n"), config())
    assert [line.split(":")[1] for line in str(raised.value).split("\n")] == ["1", "3"]


def test_patterns_come_from_the_configuration(tmp_path):
    path = tmp_path / "site.conf"
    path.write_text(f"[mask my token]\npattern = {TOKEN}\n[mask key]\npattern = \\bkey=\\w+\n")
    given = load_masks(None, load(str(path), {}))
    assert masked(given, b"tok_01234567 akey=1 key=2\n") == b"*** akey=1 ***\n"
    assert given.names([1, 1]) == "pattern my token, pattern key"
    assert load_masks(None, config()) is None


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("(", "[mask x] pattern: '(' is not understood: it takes a regular expression of RE2's"),
        ("a*", "[mask x] pattern: 'a*' is not understood: it takes a regular expression that does"),
        ("", "[mask x] pattern: a mask needs a pattern"),
        ("(a{1000}){1000}", "it needs too much memory"),
        *(
            (never, "a pattern matches nothing in any line")
            for never in (r"key\nsecret", r"key=[^\s\S]", "key=$secret", r"a\bb", "secret^", r"\b")
        ),
    ],
)
def test_a_pattern_that_cannot_be_masked_is_refused(tmp_path, pattern, fault):
    path = tmp_path / "site.conf"
    path.write_text(f"[mask x]\npattern = {pattern}\n")
    with pytest.raises(ConfigError) as raised:
        load(str(path), {})
    assert fault in str(raised.value)
