# SPDX-License-Identifier: Apache-2.0
"""The tables, and rows at fault, which the native core refuses by their names."""

import re

import pytest

from oslogserve.lines.grammar import causes, chapters, exceptions, times
from oslogserve.lines.grammar.native_grammar import NativeCauses, NativeGrammar, UserFormat
from oslogserve.lines.grammar.tokens import RULES
from oslogserve.native import Grammar


def test_patterns_hold_to_what_the_core_reads():
    for rule in RULES:
        plain = rule.pattern.replace(b"{end}", b"")
        assert plain.isascii()
        guards = re.findall(rb"\(\?[=!<]", plain)
        assert set(guards) <= {b"(?="}
        assert all(b"(?=" not in end.partition(b")")[2] for end in plain.split(b"(?=")[1:])


BROKEN = b"a("
UNCLOSED = "an opening parenthesis is never closed"
ROW = ("a row", BROKEN)


@pytest.mark.parametrize(
    ("table", "row", "told"),
    [
        ("tokens", ("s", "Word", ROW, False), f"a row: {UNCLOSED}"),
        ("tokens", ("s", "Verb", ("a row", b"x"), False), "a row: Verb is no Kind"),
        ("tokens", ("s!", "Word", ("a row", b"x"), False), "a row: there is no position !"),
        ("times", ROW, f"a row: {UNCLOSED}"),
        ("readable", ROW, f"a row: {UNCLOSED}"),
        ("epoch", ROW, f"a row: {UNCLOSED}"),
        ("exceptions", (ROW, 6), f"a row: {UNCLOSED}"),
        (
            "exceptions",
            (("a row", b"\xe9"), 6),
            r"a row: it holds a byte outside ASCII: write \xNN",
        ),
        ("words", (b"UNHEARDOFSEVERITY", 1), "UNHEARDOFSEVERITY: it has more than 16 letters"),
        ("user_formats", (ROW, {}), f"a row: it takes a regular expression ({UNCLOSED})"),
        ("causes.rules", ("Error", ROW, False), f"a row: {UNCLOSED}"),
        ("causes.rules", ("Error", ROW, True), f"a row: {UNCLOSED}"),
        ("causes.rules", ("Fault", ("a row", b"x"), True), "a row: Fault is no Mark"),
        ("causes.green", ROW, f"a row: {UNCLOSED}"),
        ("causes.green_anywhere", ROW, f"a row: {UNCLOSED}"),
        ("causes.weak", ROW, f"a row: {UNCLOSED}"),
        ("causes.chapters.rules", ("Ends", "", 1, "a", ROW), f"a row: {UNCLOSED}"),
        (
            "causes.chapters.rules",
            ("Stops", "", 1, "a", ("a row", b"x")),
            "a row: Stops is no Event",
        ),
        (
            "causes.chapters.rules",
            ("Ends", "lost", 1, "a", ("a row", b"x")),
            "a row: there is no outcome lost",
        ),
    ],
)
def test_a_row_at_fault_is_refused_by_its_name(table, row, told):
    grammar, causes = NativeGrammar(), NativeCauses()
    holders = {"": grammar, "causes": causes, "causes.chapters": causes.chapters}
    holder, _, name = table.rpartition(".")
    setattr(holders[holder], name, [*getattr(holders[holder], name), row])
    assert refused(grammar, causes) == told


@pytest.mark.parametrize(
    ("holder", "name"),
    [
        *(("", name) for name in ("location", "location_words", "progress", "continuation")),
        *(("", name) for name in ("uptime", "audit", "dated_thing")),
        *(("causes", name) for name in ("hints", "green_hints", "behind_time", "frame", "recap")),
        *(("causes", name) for name in ("words", "passing")),
        *(("chapters", name) for name in ("section", "fold", "seconds")),
    ],
)
def test_a_pattern_without_a_table_is_refused_by_its_name(holder, name):
    grammar, causes = NativeGrammar(), NativeCauses()
    holders = {"": grammar, "causes": causes, "chapters": causes.chapters}
    assert getattr(holders[holder], name)[0] == name.upper()
    setattr(holders[holder], name, ROW)
    assert refused(grammar, causes) == f"a row: {UNCLOSED}"


def refused(*data):
    with pytest.raises(ValueError, match=": ") as caught:
        Grammar(*data)
    return str(caught.value)


def test_a_row_is_named_as_it_is_written():
    assert RULES[1].name == r'Prefix "[DIWEFA], (?=\[)"'
    assert causes.GREEN[-1][0] == r'green "github \[command\]"'
    assert exceptions.RULES[-1].name.startswith(r'DEBUG "npm (?:verb|')
    assert causes.Rule(*causes.RULES[0]).name == r'stopped "travis+timeout .*" exited with 124\."'
    assert chapters.CHAPTERS[3].name == r'chapter "begins - 1 github* ##\[group\](Run .*)"'
    assert NativeGrammar().times[-1][0] == "%H:%M:%S%f%z"


def test_a_user_format_is_named():
    with pytest.raises(ValueError, match=r"^format site: it takes a regular expression \(an open"):
        Grammar(NativeGrammar([UserFormat("site", BROKEN, {})]), NativeCauses())


def test_rows_that_are_no_rows_are_named():
    with pytest.raises(ValueError, match=r"^%Y-%Q: there is no directive %Q$"):
        times.pattern_of("%Y-%Q")
    with pytest.raises(ValueError, match=r'^chapter "begins 1 x y": '):
        chapters._chapter_rule("begins 1 x y")
    with pytest.raises(ValueError, match=r'^chapter "stops - 1 x y": .*stops'):
        chapters._chapter_rule("stops - 1 x y")
    with pytest.raises(ValueError, match=r'^error "make": there is no pattern$'):
        causes._rows("error", b"\nmake\n")


@pytest.mark.parametrize("name", ["TRACE", "ERROR", "CRITICAL"])
def test_severities_that_the_core_knows_have_to_be_there(name):
    data = NativeGrammar()
    data.severities = [one for one in data.severities if one != name.encode()]
    with pytest.raises(ValueError, match=f"there is no {name}"):
        Grammar(data, NativeCauses())
