# SPDX-License-Identifier: Apache-2.0
"""Parameters of a query, drawn from all that the grammar of queries has."""

from oslogserve.errors import BadRequest
from oslogserve.native import SEVERITIES
from oslogserve.query import Query
from oslogserve.query.parameters import FORMATS

#: What is searched for: often there, seldom there, at ends, across what is marked up.
TEXTS = ("nova", "2790", "ERROR", "a", "é", "req-", "[-]", "timed out", "x y", "I", " ", "\\", "ß")
_ATOMS = (
    *("nova", "ERROR", "a", "x", "é", ".", " ", "-", "1", "I", "s", "k", "\\.", "\\x41", "\\x{e9}"),
    *("\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "\\b", "\\B", "^", "$", "\\A", "\\z", "\\pL"),
    *("\\PL", "\\p{Greek}", "\\p{^L}", "\\Qa.b\\E", "\\n", "\\t", "\\/", "\\-", "{", "}", "]"),
    "{,3}",
    *("[a-z]", "[^a-z]", "[[:alpha:]]", "[^[:^digit:]x]", "[]a]", "[^]a]", "[\\d\\W]", "[a&&b]"),
    *("[a--b]", "[~~]", "[[]", "[\\x00-\\x{10ffff}]", "[\\pL\\d]", "[é-ö]", "(?i)", "(?s)", "(?U)"),
    *("(?-i:A)", "(?m)", "\\x0a", "\\r", "\\f", "\\v", "\\a", "\\C", "\\1", "(?P<n>a)", "(?<m>b)"),
)
_REPEATS = ("*", "+", "?", "*?", "+?", "??", "{2}", "{0,3}", "{2,}", "{1,20}", "{0}", "{,2}")
ZONES = ("Z", "+02:00", "-0330", "+14", " 05:30", " UTC", "GMT", "-00:00", "+23:59", "-23:59")
TIMES = (
    *("2013-09-27T18:22:11.248", "2013-09-27 18:24:37,719123", "2014-03-08T12:20:42.377230"),
    *("2013-09-28T00:00:00", "1970-01-01T00:00:00", "0001-01-01T00:00:00"),
    "9999-12-31T23:59:59.999",
    *("2012-02-29T23:59:60", "2026-03-04T18:22:11.000", "2013-10-27T02:30:00.000000001"),
)
FRAGMENTS = (
    *("L1", "L7", "L20", "L5-L9", "L30-L8", "L999999999999", "_2013-09-27_18_22_11_248"),
    "_2013-09-27_18_07_11_860",
    *("_2013", "_2013-09-27", "_18_22_11", "_Mar__8_12_20_42_377230", "_1380306131_248", "_x"),
    "_-",
)
_LEVELS = (*SEVERITIES, *map(str.lower, SEVERITIES))


def pattern(chance, depth=2):
    """A regular expression, most often of RE2's syntax."""
    pieces = [_repeated(chance, depth) for _ in range(chance.choice((1, 1, 2, 2, 3, 5)))]
    return "".join(pieces)


def _repeated(chance, depth):
    atom = chance.choice(_ATOMS)
    if depth and chance.random() < 0.25:
        inner = pattern(chance, depth - 1)
        branches = f"{inner}|{pattern(chance, depth - 1)}" if chance.random() < 0.5 else inner
        atom = f"{chance.choice(('(', '(?:', '(?i:', '(?s:'))}{branches})"
    return atom + (chance.choice(_REPEATS) if chance.random() < 0.3 else "")


def time(chance):
    """A time or its beginning, with a zone or without one."""
    whole = chance.choice(TIMES)
    if chance.random() < 0.4:
        return whole[:26] + chance.choice(ZONES)
    return whole[: chance.choice((4, 7, 10, 13, 16, 19, 23, len(whole)))]


def _lines(chance):
    first = chance.choice((1, chance.randrange(1, 40), 10**12 - 1))
    last = first + chance.choice((0, chance.randrange(40), 1000))
    return chance.choice((f"{first}-{last}", f"{first}-", f"-{last}", f"{first}"))


def _count(most):
    return lambda chance: str(chance.choice((1, 1 + chance.randrange(9), 40, most)))


#: How often a parameter is given, and its value.
_DRAWN = {
    "lines": (0.2, _lines),
    "since": (0.2, time),
    "until": (0.2, time),
    "level": (0.4, lambda chance: chance.choice(_LEVELS)),
    "q": (0.3, lambda chance: chance.choice(TEXTS)),
    "re": (0.3, pattern),
    "not": (0.2, lambda chance: chance.choice(TEXTS)),
    "context": (0.3, lambda chance: str(chance.choice((0, 1, 2, 3, 10, 1000)))),
    "after": (0.15, _count(10**12 - 1)),
    "limit": (0.3, _count(10**12 - 1)),
    "tail": (0.2, _count(100_000)),
    "show": (0.3, lambda chance: chance.choice(FRAGMENTS)),
    "source": (0.1, lambda chance: chance.choice(("all", "disk", "swift"))),
    "format": (0.2, lambda chance: chance.choice([*FORMATS])),
    "wrap": (0.1, lambda chance: chance.choice(("yes", "no", "YES"))),
    "sort": (0.03, lambda chance: chance.choice(("name", "time"))),
    "content-type": (0.05, lambda chance: chance.choice(("text/plain", "text/html"))),
}
_REPEATED = ("q", "re", "not", "show")


def parameters(chance, names=tuple(_DRAWN)):
    """Names and values of a query, most often of a valid one."""
    pairs = []
    for name in names:
        often, value = _DRAWN[name]
        while chance.random() < often:
            pairs.append((name, value(chance)))
            if name not in _REPEATED:
                break
    chance.shuffle(pairs)
    return tuple(pairs)


def selection(chance):
    """A Selection, by way of a query."""
    names = tuple(_DRAWN)[:12]
    while True:
        try:
            return Query(b"a", False).with_parameters(parameters(chance, names)).selection
        except BadRequest:
            continue
