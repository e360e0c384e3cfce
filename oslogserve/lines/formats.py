# SPDX-License-Identifier: Apache-2.0
"""How a line shows its time and its severity: the one table.

To teach oslogserve a format, add a row to TIMES or to LEADS, with example lines: the
examples are tests. Recognition looks at a line's beginning only, never at a file's name,
and every repetition is bounded, so its cost is linear in the log.

The native renderer compiles the same rows. It refuses a pattern that it would read otherwise than
`re` does: groups, look-around, what may match a newline; in a time, also what HTML escapes.
"""

import re
from dataclasses import dataclass

#: Lowest first; `level=X` shows X and all that stand behind it. NONE: never recognised.
SEVERITIES = ("NONE", "DEBUG", "INFO", "AUDIT", "TRACE", "WARNING", "ERROR", "CRITICAL")
RANK = {name.encode(): rank for rank, name in enumerate(SEVERITIES)}


@dataclass(frozen=True)
class Row:
    """pattern: over bytes, no groups. examples: line -> (time, severity) recognised, '' for none."""

    name: str
    pattern: bytes
    examples: dict[bytes, tuple[bytes, bytes]]


_CLOCK = rb"\d\d:\d\d:\d\d"
_FRACTION = rb"(?:[.,]\d{3,6})?"

#: What a timestamp at the very beginning of a line looks like. It must be followed by
#: something that is not part of a word.
TIMES = (
    Row(
        "ISO 8601, and its form with a space (oslo.log, Zuul and Jenkins consoles)",
        rb"\d{4}-\d\d-\d\d[ T]" + _CLOCK + _FRACTION + rb"Z?",
        {
            b"2013-09-27 18:07:11.860 | Started by user": (b"2013-09-27 18:07:11.860", b""),
            b"2024-03-04 05:06:07.123456 | ubuntu-jammy | ok": (b"2024-03-04 05:06:07.123456", b""),
            b"2024-03-04T05:06:07.123Z starting": (b"2024-03-04T05:06:07.123Z", b""),
            b"2024-03-04 05:06:07,123 INFO nova.x [-] y": (b"2024-03-04 05:06:07,123", b"INFO"),
            b"2013-09-27": (b"", b""),
        },
    ),
    Row(
        "syslog (RFC 3164) and journal short, short-precise",
        rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d " + _CLOCK + _FRACTION,
        {
            b"Mar 28 12:20:42.377230 host systemd[1]: Started x.": (b"Mar 28 12:20:42.377230", b""),
            b"Mar  8 12:20:42 host kernel: up": (b"Mar  8 12:20:42", b""),
        },
    ),
)

#: What stands between the time and the severity word.
LEADS = (
    Row(
        "oslo.log: the process id, which its debug configuration leaves out",
        rb"(?: \d{1,10})?",
        {
            b"2013-09-27 18:22:11.248 2790 ERROR glanceclient [-] x": (
                b"2013-09-27 18:22:11.248",
                b"ERROR",
            ),
            b"2013-09-27 18:24:37.719 ERROR nova.compute.api [req-1 a b] x": (
                b"2013-09-27 18:24:37.719",
                b"ERROR",
            ),
            b"2013-09-27 18:24:37.719 ERRORS are few": (b"2013-09-27 18:24:37.719", b""),
        },
    ),
    Row(
        "journal and syslog: host, unit[pid]:",
        rb" \S{1,255} [^\s:\[]{1,255}(?:\[\d{1,10}\])?:",
        {
            b"Mar 28 12:20:43.570064 host cinder-api[8526]: WARNING oslo [-] x": (
                b"Mar 28 12:20:43.570064",
                b"WARNING",
            ),
            b"Mar 28 12:20:43 host devstack@c-api.service[1]: DEBUG x [-] y": (
                b"Mar 28 12:20:43",
                b"DEBUG",
            ),
            b"Mar 28 12:20:43 host app[1]: the word ERROR in a body": (b"Mar 28 12:20:43", b""),
        },
    ),
)


def _any_of(rows: tuple[Row, ...]) -> bytes:
    return b"(?:" + b"|".join(row.pattern for row in rows) + b")"


_WORD = "|".join(SEVERITIES[1:]).encode()

_TIME = rb"(?>" + _any_of(TIMES) + rb"(?!\w))"
_OF_SEVERITY = _any_of(LEADS) + rb" (" + _WORD + rb")(?!\w)"

# Both look at a log's own bytes, a match a line. The time is settled first (it is atomic): what
# follows cannot shorten it, so both see the same, and so does the native renderer.
#: (time, severity), each b'' where there is none.
LINE = re.compile(rb"(?!\Z)(?:(" + _TIME + rb")(?:" + _OF_SEVERITY + rb")?)?.*\n")
#: The severity alone: for the filter, which needs no more.
SEVERITY = re.compile(rb"(?!\Z)(?:" + _TIME + _OF_SEVERITY + rb")?.*\n")
_TO_ANCHOR = bytes.maketrans(b"-: .,T", b"______")


def anchor_of(time: bytes) -> bytes:
    """The ancestor's anchor: b'_2013_09_27_18_22_11_248' for b'2013-09-27 18:22:11.248'."""
    return b"_" + time.translate(_TO_ANCHOR)
