# SPDX-License-Identifier: Apache-2.0
"""Searches in RE2's syntax."""

import re
import time
from itertools import product

import pytest

from oslogserve.lines.selection import Selection, Wanted
from oslogserve.native import state_count
from oslogserve.search import LONGEST, literal, rewritten


@pytest.fixture(scope="module")
def found(renderer):
    """The lines of a log in which a search finds something."""

    def found(search, *lines):
        wanted = Wanted("text", Selection(searches=(search,)))
        log = b"".join(line + b"\n" for line in lines)
        return b"".join(renderer([log], wanted)).split(b"\n")[:-1]

    return found


#: Each ASCII character, and some of those that mean something to one of the engines.
CHARACTERS = [*map(chr, (*range(1, 10), *range(11, 128))), "é", "ß", "\u212a", "\U0001f600"]


def test_text_is_found_as_it_is(found):
    lines = {character: f"<{character}>".encode() for character in CHARACTERS}
    for character in CHARACTERS:
        same = {character}
        if not character.isupper():
            same |= {character.upper(), *("\u212a" if character == "k" else "")}
        hits = found(literal(f"<{character}>"), *lines.values())
        assert hits == [line for one, line in lines.items() if one in same], character


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("timed out", [b"Timed OUT", b"timed out"]),
        ("Timed", [b"Timed OUT"]),
        ("étage", ["Étage".encode(), "étage".encode()]),
        ("Étage", ["Étage".encode()]),
        ("(?i)", [b"(?i)x"]),
        (r"\d", [rb"a\d"]),
        ("a.c", [b"a.c"]),
        ("[1]", [b"x[1]"]),
        (r"\Q", [rb"\Q"]),
    ],
)
def test_case_counts_once_the_text_holds_a_capital(found, text, lines):
    every = [
        b"Timed OUT", b"timed out", "Étage".encode(), "étage".encode(), b"(?i)x", rb"a\d",
        b"a.c", b"abc", b"x[1]", b"1", rb"\Q", b"Q", b"9", b"",
    ]  # fmt: skip
    assert found(literal(text), *every) == lines


LINES = (
    b"", b"a", b"A", b"ab", b"a b", b"a\tb", b"a-b", b"a\0b", b"aab", b"[x]", b"a{,3}", b"x&&y",
    b"9", b"a\\b", "é".encode(), "aéb".encode(), "\u0661".encode(), b"a\xffb", b"\xc3", b"a\r",
)  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        ("^a$", [b"a"]),
        (r"\Aa\z", [b"a"]),
        ("(?m)^a$", [b"a"]),
        ("^$", [b""]),
        ("(?i)^a$", [b"a", b"A"]),
        (r"^a\sb", [b"a b", b"a\tb"]),
        (r"^a[\s-]b", [b"a b", b"a\tb", b"a-b"]),
        (r"^\d", [b"9"]),
        (r"^[\d]", [b"9"]),
        (r"^\pN", [b"9", "\u0661".encode()]),
        (r"^\w$", [b"a", b"A", b"9"]),
        (r"^\W$", ["é".encode(), "\u0661".encode()]),
        (r"^\D$", [b"a", b"A", "é".encode(), "\u0661".encode()]),
        (r"^.$", [b"a", b"A", b"9", "é".encode(), "\u0661".encode()]),
        (r"^a.b$", [b"a b", b"a\tb", b"a-b", b"a\0b", b"aab", rb"a\b", "aéb".encode()]),
        (r"^a[^ ]b$", [b"a\tb", b"a-b", b"a\0b", b"aab", rb"a\b", "aéb".encode()]),
        (r"\x00", [b"a\0b"]),
        (r"\x{e9}|\xe9", ["é".encode(), "aéb".encode()]),
        (r"\bb\b", [b"a b", b"a\tb", b"a-b", b"a\0b", rb"a\b", "aéb".encode(), b"a\xffb"]),
        (r"a\Bb", [b"ab", b"aab"]),
        ("[[]x]", [b"[x]"]),
        (r"\[x\]", [b"[x]"]),
        ("[]]", [b"[x]"]),
        ("^[^]a9]$", [b"A", "é".encode(), "\u0661".encode()]),
        ("{,3}", [b"a{,3}"]),
        ("a{,3}", [b"a{,3}"]),
        ("a{2}b|^a{1,1}$", [b"a", b"aab"]),
        ("x&&y", [b"x&&y"]),
        ("[x&&y]&", [b"x&&y"]),
        ("^[a-a-]-[b-]$", [b"a-b"]),
        ("a[+--]b", [b"a-b"]),
        (r"\Qa{,3}\E$", [b"a{,3}"]),
        (r"\Q[x", [b"[x]"]),
        (r"a\\b", [rb"a\b"]),
        (r"\&\&|\~\#\/\<", [b"x&&y"]),
        ("^[[:upper:]]$", [b"A"]),
        ("^[[:^alnum:][:upper:]]$", [b"A", "é".encode(), "\u0661".encode()]),
        ("^(?:a|(A)|(?P<n>9))$", [b"a", b"A", b"9"]),
        ("^a*?$|(?U)^9+$", [b"", b"a", b"9"]),
        (r"\r$", [b"a\r"]),
        ("\\n|a\nb|[\n]", []),
        (r"\p{Greek}|\P{Any}", []),
    ],
)
def test_patterns_mean_what_they_mean_to_re2(found, pattern, lines):
    assert found(rewritten(pattern), *LINES) == lines


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        *((pattern, "an opening parenthesis is never closed") for pattern in ("(", "(" * 1001)),
        *((pattern, "a closing parenthesis has no opening one") for pattern in (")", "a)")),
        *((pattern, "an opening bracket is never closed") for pattern in ("[a", "[", "[]")),
        (r"[\Qa\E]", r"\Q is not taken within [...]"),
        ("*", "there is nothing before * to repeat"),
        ("{2}", "there is nothing before {2} to repeat"),
        ("a{3,2}", "{3,2} has its higher number first"),
        (r"(\pL{100}){100}", "it needs too much memory"),
        ("((a{100}){100}){100}", "it needs too much memory"),
        ("(" * 300 + "a" + ")" * 300, "more than 250 parts are nested"),
        ("[b-a]", "b-a is no class or range of characters"),
        (r"[\d-a]x[a-\d]", "no class or range"),
        (r"\p{Klingon}", r"\p{Klingon} is no class"),
        *((f"({kind}a)", f"({kind} looks around") for kind in ("?=", "?!", "?<=", "?<!")),
        ("(?x)a", "(?x is no known kind of group"), ("(?-u:a)", "(?-u is no known kind of group"),
        *((kind, "is no known kind of group") for kind in ("(?ii)AB", "(?i-i)ab")),
        ("(?P<n>a)(?P<n>b)", "two groups are named n"),
        ("(?P<n", "the name of a group is incomplete: (?P<n"),
        (r"(a)\1", r"\1 is not taken"), (r"\0", r"\0 is not taken"), (r"\C", r"\C is not taken"),
        *((code, "is no known escape") for code in (r"\Z", r"[\b]", r"\xg", r"\x{110000}")),
        ("a\\", "it ends in a backslash"),
    ],
)  # fmt: skip
def test_a_pattern_at_fault_is_refused_in_a_sentence(pattern, told):
    started = time.process_time()
    with pytest.raises(ValueError, match=re.escape(told)) as caught:
        state_count(rewritten(pattern))
    assert type(caught.value) is ValueError
    assert len(str(caught.value)) <= 80
    assert time.process_time() - started < 0.5


#: What begins like UTF-8 and is none: too long a form, surrogates, beyond the last character.
ALMOST = [
    *(
        bytes(line)
        for n in (1, 2, 3)
        for line in product(b"a\x80\x9f\xa0\xbf\xc2\xe0\xed\xf4", repeat=n)
    ),
    *(b"\xf0" + bytes(line) for line in product(b"a\x80\x8f\x90\xbf", repeat=3)),
    *(b"\xf4" + bytes(line) for line in product(b"a\x80\x8f\x90\xbf", repeat=3)),
]


#: What RE2 takes for a character beyond ASCII: any bytes of that shape. And within a class: UTF-8 alone,
#: with surrogates only where the class reaches over them.
_ANY = r"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
_UTF_8_OF_THREE = (
    r"\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
)
_SURROGATES = r"\xed[\xa0-\xbf][\x80-\xbf]"
_ABOVE = r"\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"


@pytest.mark.parametrize(
    ("pattern", "means"),
    [
        (".", rf"[\x00-\x7f]|{_ANY}"),
        ("[^a]", rf"[\x00-\x60\x62-\x7f]|{_ANY}"),
        (r"\W", rf"(?!a)[\x00-\x7f]|{_ANY}"),
        (r"\D\D", rf"(?:[\x00-\x7f]|{_ANY})(?:[\x00-\x7f]|{_ANY})"),
        (r"\p{Any}", rf"[\x00-\x7f]|{_ANY}"),
        ("..a", rf"(?:[\x00-\x7f]|{_ANY})(?:[\x00-\x7f]|{_ANY})a"),
        (r"[\x{80}-\x{10ffff}]", _ANY),
        ("[[:^alpha:]]", _ANY),
        (r"[\x{800}-\x{ffff}]", rf"{_UTF_8_OF_THREE}|{_SURROGATES}"),
        (r"[^\x{10000}-\x{10ffff}]", rf"a|[\xc2-\xdf][\x80-\xbf]|{_UTF_8_OF_THREE}|{_SURROGATES}"),
        (r"[\x{d7ff}-\x{e000}]", rf"\xed\x9f\xbf|\xee\x80\x80|{_SURROGATES}"),
        (
            r"[\x{90}-\x{10ffff}]",
            rf"\xc2[\x90-\xbf]|[\xc3-\xdf][\x80-\xbf]|{_UTF_8_OF_THREE}|{_SURROGATES}|{_ABOVE}",
        ),
    ],
)
def test_what_is_no_utf_8_is_taken_as_by_re2(found, pattern, means):
    matches = re.compile(f"(?:{means})".encode()).fullmatch
    assert found(rewritten(f"^{pattern}$"), *ALMOST) == [line for line in ALMOST if matches(line)]


@pytest.mark.parametrize(
    "pattern",
    ["(a*)*b", "(a|aa)+$", "(a?){50}a{50}b", "a.*b.*c", r"(?i)\bA+\b.*\d", "[^b]*[^c]*x$"],
)
def test_hostile_patterns_and_lines_take_linear_time(found, pattern):
    line = b"a" * (1024 * 1024 - 1)
    started = time.process_time()
    found(rewritten(pattern), line)
    assert time.process_time() - started < 1


def test_the_longest_pattern_that_is_accepted_is_searched(found):
    for pattern in ("a" * LONGEST, r"[^\d]" * 200, "(a|b)" * 200, "(?i)" + "é" * 900, ".*" * 50):
        assert len(pattern) <= LONGEST
        assert found(rewritten(pattern), b"") == ([b""] if pattern == ".*" * 50 else [])


def test_a_pattern_finds_the_same_whichever_ones_were_searched_for_before(found):
    lines = [b"%d" % number for number in range(20)]
    for order in (range(20), range(20), range(19, -1, -1), [3, 3, 7, 3, 7]):
        for number in order:
            assert found(rewritten(f"^{number}$"), *lines) == [lines[number]]


def test_a_search_of_many_logs_is_compiled_once(found):
    search = rewritten(r"[^\d]" * 150)  # it takes milliseconds
    found(search)
    started = time.process_time()
    for _ in range(1000):
        found(search)
    assert time.process_time() - started < 1
