# SPDX-License-Identifier: Apache-2.0
"""The layouts in which logs write times.

A layout is written as for strptime. To add one, add a string.
"""

import re

#: Dates, with the separator before the time of day.
_DATES = (
    "%Y-%m-%dT", "%Y-%m-%d ", "%Y-%m-%d_", "%Y/%m/%d ", "%Y/%m/%d-", "%Y.%m.%d ", "%Y:%m:%d-",
    "%Y%m%d ", "%Y%m%d-", "%b %e ", "%b %e %Y ", "%b %e, %Y ", "%Y %b %e ", "%b-%d-%y ",
    "%a %Y-%m-%d ", "%a %b %e ", "%a, %e %b %Y ", "%m-%d|", "%m-%d ", "%d %b ", "%e %b %Y ",
    "%d.%m.%Y ", "%d %m %Y ", "%d/%b/%Y:", "%d/%b/%Y ", "%e-%b-%Y ", "%e-%b-%Y::", "%x/%Y ",
    "%x/%Y, ", "%x/%Y - ", "%y/%m/%d ", "%x/%y ", "%y%m%d ",
)  # fmt: skip
#: Layouts that are tried wherever a time is allowed; the first match counts.
LAYOUTS = (
    "%Y-%m-%d-%k.%M.%S%f",
    "%Y%m%d-%k:%M:%S:%L",
    "%Y-%m-%d\t%k:%M:%S:%L",
    "%Y%m%dT%H%M%S%f%z",
    "%a %b %e %k:%M:%S%f %Y",
    "%a %b %e %k:%M:%S %Z %Y",
    "%y%m%d %H%M%S",
    "%m%d/%H%M%S%f",
    "%Y/%m/%d %I:%M%p",
    "%I:%M:%S%p",
    "%I:%M%p",
    *(date + "%k:%M:%S%f%P%z" for date in _DATES),
    # Rare ones. Earlier, they would match the beginning of others.
    "%Y-%m-%d %k:%M",
    "%Y-%m-%dT%k:%M%z",
    "%d-%b-%Y %k:%M",
    "%d-%b %k:%M",
    "%H:%M:%S:%L",
    "%H:%M:%S%f%z",
)
#: Layouts that are tried only in a special context, by its name.
PLACED_LAYOUTS = {
    "klog": ("%m%d %k:%M:%S%f", "%Y%m%d %k:%M:%S%f"),
    "epoch": ("%E", "%s%f", "%s%L", "%s%L%L", "%s%L%L%L"),
    "boot": ("%u",),
    "day_of_year": ("%j/%H%M%S",),
}
#: Times behind other text, as the first group: seconds since boot, and those of Linux's audit.
UPTIME = rb"\[ *([0-9]{1,8}\.[0-9]{6})\]"
AUDIT = rb"audit\((\d{10}\.\d{1,9}):\d+\)"

#: The end of a line that names the date of a thing, such as an image: a time alone on the next line is
#: that thing's and not the log's.
DATED_THING = (
    rb"(?i:\b(?:buil[dt]|compil\w*|creat\w*|image|modif\w*|provision\w*|releas\w*|updat\w*|version)\b"
    rb".*\bdate(?: and time)?:?)\s*{end}"
)

#: All layouts, for reading a time's text.
READABLE = (*LAYOUTS, *(one for several in PLACED_LAYOUTS.values() for one in several))

MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
#: Some of these words mean several zones; zone_of() reads only those of UTC.
_ZONE_WORDS = "UTC|GMT|WES?T|BST|IST|CES?T|EES?T|MSK|JST|KST|AE[SD]T|[ECMP][SD]T"
_OFFSET = r"(?:[01]\d|2[0-3])(?::?[0-5]\d)?"
#: The pattern of each directive. These differ from strptime's:
#: %f has its point and is optional. %z is optional. %p includes a space before it; %P is an optional
#: %p. %k is an hour of one or two digits. %L is three digits. %u is seconds since boot. %E is %s as a
#: float. %x is a month and a day in unknown order.
DIRECTIVES = {
    "Y": r"\d{4}",
    "y": r"\d\d",
    "m": r"(?:0[1-9]|1[0-2])",
    "b": f"(?:{MONTHS})",
    "a": "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)",
    "d": r"(?:0[1-9]|[12]\d|3[01])",
    "e": r"(?:[ 0-3]\d|\d)",
    "j": r"\d{3}",
    "x": r"\d\d/\d\d",
    "k": r"(?:[01]\d|2[0-3]| ?\d)",
    "H": r"(?:[01]\d|2[0-3])",
    "I": r"(?:0?[1-9]|1[0-2])",
    "M": r"[0-5]\d",
    "S": r"(?:[0-5]\d|60)",
    "p": r" ?[AP]M",
    "P": r"(?: ?[AP]M)?",
    "f": r"(?:[.,]\d{1,9})?",
    "L": r"\d{3}",
    "z": rf"(?:Z|[+-]{_OFFSET}| (?:{_ZONE_WORDS}|[+-]{_OFFSET}))?",
    "Z": r"[A-Z]{3,5}",
    "s": r"\d{10}",
    "E": r"\d\.\d{1,18}e\+09",
    "u": r"\d{1,9}\.\d{1,9}",
}
#: The guard after a time, see `tokens`: a time does not end within a word or a longer clock.
GUARD = r"(?=[^\w:]|:[^\d]|:?{end})"


def pattern_of(layout: str) -> str:
    """The layout as a regular expression. Raises ValueError for a directive that is not in DIRECTIVES."""

    def directive(found: re.Match[str]) -> str:
        letter = found[0][1]
        if letter not in DIRECTIVES:
            raise ValueError(f"{layout}: there is no directive %{letter}")
        return DIRECTIVES[letter]

    return re.sub(r"%\w", directive, re.sub(r"[.|]", r"\\\g<0>", layout))
