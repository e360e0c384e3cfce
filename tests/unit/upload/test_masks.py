# SPDX-License-Identifier: Apache-2.0
import random
import re

import pytest

from oslogserve.config import ConfigError, load
from oslogserve.native import LIMITS
from oslogserve.upload.masks import LONGEST_VALUE, Masks, load_masks
from tests.unit.upload.fakes import config

WINDOW, OVERLAP = LIMITS["masking.WINDOW"], LIMITS["masking.OVERLAP"]
TOKEN = r"tok_[0-9a-f]{8}"


def masks(*values, **patterns):
    return Masks({value: line for line, value in enumerate(values, 1)}, patterns)


def masked(masks, *pieces):
    masking = masks.begin()
    return b"".join([*map(masking.feed, pieces), masking.finish()])


def as_one_byte_pieces(text):
    return [text[at : at + 1] for at in range(len(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", b""),
        (b"nothing\nhere", b"nothing\nhere"),
        (b"a hunter2 b\nhunter2", b"a *** b\n***"),
        (b"hunter2hunter2", b"******"),
        (b"hunter22", b"***2"),
        (b"xhunterunter2", b"xhunterunter2"),
        # Values that overlap have one mark; nothing of either is left.
        (b"abcdefgh", b"***"),
        (b"abcdeabcdefgh", b"abcde***"),
        (b"-aaaaaaaaaaaaaaa-", b"-***-"),
        # Bytes that are no UTF-8, and a carriage return.
        (b"\xff\0hunter2\r\n\xfe", b"\xff\0***\r\n\xfe"),
        # A text that was cut within a value.
        (b"the hunt", b"the ***"),
        (b"the hun", b"the hun"),
        (b"the hunt\n", b"the hunt\n"),
        (b"abcdef", b"***"),
    ],
)
def test_values_are_replaced_wherever_pieces_end(text, expected):
    given = masks(b"hunter2", b"abcdef", b"cdefgh", b"aaaa")
    assert masked(given, text) == expected
    assert masked(given, *as_one_byte_pieces(text)) == expected
    for at in range(len(text)):
        assert masked(given, text[:at], text[at:]) == expected


def test_patterns_are_replaced_within_a_line_wherever_pieces_end():
    given = masks(b"hunter2", token=TOKEN, key=r"(?i)password=\S+", any=r"<.*>")
    text = b"a tok_0123abcd9 Password=x\ny\n<b\nc> hunter2 <b>\ntok_0123\nabcd tok_0123abc"
    expected = b"a ***9 ***\ny\n<b\nc> *** ***\ntok_0123\nabcd tok_0123abc"
    assert masked(given, text) == expected
    assert masked(given, *as_one_byte_pieces(text)) == expected


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


@pytest.mark.parametrize(
    ("values", "text", "counts"),
    [
        ((b"abcd", b"abcdefgh"), b"abcd", [1, 0]),
        ((b"abcd", b"abcdefgh"), b"abcde", [1, 1]),
        ((b"abcdef", b"cdefgh"), b"abcdef", [1, 0]),
        ((b"abcd", b"xabcdef"), b"xabcd", [1, 1]),
        ((b"abcdefgh", b"bcdefx"), b"abcdef", [1, 0]),
        ((b"bcde", b"abcd", b"cdefgh"), b"abcde", [1, 1, 0]),
    ],
)
def test_the_end_of_a_text_counts_for_the_value_that_is_whole(values, text, counts):
    for pieces in ([text], as_one_byte_pieces(text)):
        masking = masks(*values).begin()
        assert b"".join([*map(masking.feed, pieces), masking.finish()]) == b"***"
        assert masking.counts == counts


def test_random_texts_are_masked_as_by_one_search():
    draw = random.Random(1)
    values = [b"abab", b"babba", b"aabb", b"bbbbbb"]
    given = masks(*values)
    for _ in range(300):
        text = bytes(draw.choices(b"ab\n", [6, 6, 1], k=60)) + b"\n"
        covered = {
            at
            for value in values
            for found in re.finditer(b"(?=%s)" % value, text)
            for at in range(found.start(), found.start() + len(value))
        }
        left = bytes(byte for at, byte in enumerate(text) if at not in covered)
        cuts = sorted(draw.choices(range(len(text)), k=3))
        ends = [*cuts, len(text)]
        pieces = [text[a:b] for a, b in zip([0, *cuts], ends, strict=True)]
        assert masked(given, *pieces) == masked(given, text)
        assert masked(given, text).replace(b"***", b"") == left


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


def test_only_what_may_be_the_beginning_of_a_value_is_held_back():
    masking = masks(b"hunter2").begin()
    assert masking.feed(b"100 % .....") == b"100 % ....."
    assert masking.feed(b"\nhun") == b"\n"
    assert masking.feed(b"ger") == b"hunger"
    masking = masks(b"hunter2", token=TOKEN).begin()
    assert masking.feed(b"a line\nand a") == b"a line\n"
    assert masking.feed(b" half") == b""
    assert masking.finish() == b"and a half"


def test_a_line_without_an_end_is_masked_in_bounded_memory():
    given = masks(b"hunter2", token=TOKEN)
    rest = b"x" * (OVERLAP - 4)
    line = b"y" * (WINDOW - OVERLAP - 6) + b" tok_01234567 hunter2 " + rest
    masking = given.begin()
    pieces = [masking.feed(line[at : at + 65536]) for at in range(0, len(line), 65536)]
    assert len(b"".join(pieces)) > 900_000
    text = b"".join(pieces) + masking.feed(line) + masking.finish()
    expected = b"y" * (WINDOW - OVERLAP - 6) + b" *** *** " + rest
    assert text == expected * 2


def test_a_match_that_is_too_long_to_be_held_hides_the_rest_of_its_line():
    given = masks(b"hunter2", long=r"key=\S+")
    long = b"a key=" + b"x" * WINDOW
    pieces = long, b"xx and more", b" of hunter2\nb key=c d\n", b"hunter2"
    assert masked(given, *pieces) == b"a ***\nb *** d\n***"
    assert masked(given, *pieces[:2]) == b"a ***"


def test_nothing_of_long_values_is_left_at_any_place_of_a_window():
    value = bytes(random.Random(2).choices(range(33, 127), k=LONGEST_VALUE))
    for given in (masks(value), masks(value, token=TOKEN)):
        for before in (WINDOW - OVERLAP - 1, WINDOW - OVERLAP - LONGEST_VALUE, WINDOW - 5):
            text = b" " * before + value + b" " * OVERLAP
            pieces = [text[at : at + 262144] for at in range(0, len(text), 262144)]
            assert masked(given, *pieces) == b" " * before + b"***" + b" " * OVERLAP


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
    ],
)
def test_a_pattern_that_cannot_be_masked_is_refused(tmp_path, pattern, fault):
    path = tmp_path / "site.conf"
    path.write_text(f"[mask x]\npattern = {pattern}\n")
    with pytest.raises(ConfigError) as raised:
        load(str(path), {})
    assert fault in str(raised.value)


@pytest.mark.parametrize(
    ("values", "text", "expected"),
    [
        # A value within another one, whose end it has not.
        ((b"aababbab", b"abba"), b"x aababbab y\n", b"x *** y\n"),
        ((b"abba", b"aababbab"), b"x aababbab y\n", b"x *** y\n"),
        # Two values with the same beginning, in either order.
        ((b"secret", b"secretlonger"), b"a secretlonger, a secret\n", b"a ***, a ***\n"),
        ((b"secretlonger", b"secret"), b"a secretlonger, a secret\n", b"a ***, a ***\n"),
        # A chain, the middle one of which ends last but for one.
        ((b"abcdefgh", b"cdef", b"efghij"), b"-abcdefghij-\n", b"-***-\n"),
        # Two values within one, and a third one that begins in their place.
        ((b"0123456789", b"1234", b"5678", b"8901"), b"-0123456789-01-\n", b"-***-01-\n"),
    ],
)
def test_values_that_overlap_are_masked_to_the_furthest_end(values, text, expected):
    for given in (masks(*values), masks(*values, token=TOKEN)):
        assert masked(given, text) == expected
        assert masked(given, *as_one_byte_pieces(text)) == expected
        for at in range(len(text)):
            assert masked(given, text[:at], text[at:]) == expected


@pytest.mark.parametrize("value", [b"key=hunter2", b"hunter2;more", b"unter"])
def test_a_value_that_overlaps_a_match_leaves_nothing_of_either(value):
    given = masks(value, key=r"key=\w+")
    text = b"a key=hunter2;more b\n"
    expected = {b"hunter2;more": b"a *** b\n"}.get(value, b"a ***;more b\n")
    assert masked(given, text) == masked(given, *as_one_byte_pieces(text)) == expected


def test_a_short_match_within_a_value_of_a_very_long_line_hides_no_less():
    """The line is longer than what patterns are tried on at once."""
    given = masks(b"aababbab", key=r"abba|tok_\w+")
    begin = b"x" * (WINDOW - OVERLAP - 5)
    for text in (
        begin + b"aababbab y" + b"z" * WINDOW,
        begin + b"tok_" + b"q" * WINDOW + b"\nafter",
    ):
        found = masked(given, text)
        assert found == masked(given, *(text[at : at + 4099] for at in range(0, len(text), 4099)))
        assert found.startswith(begin + b"***")
        assert b"q" not in found
        assert found.removeprefix(begin + b"***").startswith((b" y", b"\nafter"))
