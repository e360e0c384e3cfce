# SPDX-License-Identifier: Apache-2.0
"""Severities, and the words that logs use for them."""

from typing import NamedTuple

#: Lowest first: `level=X` shows X and all after it. NONE is for lines without a severity.
SEVERITIES = ("NONE", "DEBUG", "INFO", "AUDIT", "TRACE", "WARNING", "ERROR", "CRITICAL")
NAMES = tuple(name.encode() for name in SEVERITIES)
RANKS = {name: rank for rank, name in enumerate(SEVERITIES)}

#: The surroundings in which a word is a level.
PLAIN = 0  #: in upper case a space after it is enough
CUT = 1  #: the same, but never in lower case
SAID = 2  #: where a line begins, a colon must follow
PLACED = 3  #: only where formats put levels: in brackets, after a time


class Word(NamedTuple):
    """The meaning of a word. strictness: PLAIN, CUT, SAID or PLACED."""

    rank: int
    strictness: int


def _words(strictness: int, **by_severity: str) -> dict[bytes, Word]:
    return {
        word.encode(): Word(RANKS[name], strictness)
        for name, words in by_severity.items()
        for word in words.split()
    }


#: Words by their spelling in upper case, with the usual abbreviations to three and four letters.
WORDS: dict[bytes, Word] = {
    **_words(
        PLAIN,
        CRITICAL="CRITICAL FATAL CRIT EMERG EMERGENCY",
        ERROR="ERROR SEVERE",
        WARNING="WARNING WARN",
        TRACE="TRACE",
        AUDIT="AUDIT",
        INFO="INFO NOTICE",
        DEBUG="DEBUG",
    ),
    **_words(CUT, CRITICAL="FTL", ERROR="ERR", WARNING="WRN", TRACE="TRC", INFO="INF", DEBUG="DBG"),
    **_words(
        SAID,
        CRITICAL="ALERT PANIC",
        WARNING="DEPRECATED",
        INFO="NOTE HINT",
        DEBUG="DBUG VERBOSE",
        TRACE="TRCE",
    ),
    **_words(
        PLACED,
        CRITICAL="EMER FATA PANI CRI FAT DPANIC FATAL2 FATAL3 FATAL4",
        ERROR="ERRO EROR FAILURE CRASH SUPERVISOR ERROR2 ERROR3 ERROR4",
        WARNING="WARNI WARN2 WARN3 WARN4",
        INFO="INFORMATION INFORMATIONAL NOTI LOG SYSTEM SUCCESS PROGRESS INFO2 INFO3 INFO4",
        DEBUG="DEBUG1 DEBUG2 DEBUG3 DEBUG4 DEBUG5 DEBU VRB FINE FINER FINEST CONFIG",
        TRACE="TRACE1 TRACE2 TRACE3 TRACE4 TRACE5 TRACE6 TRACE7 TRACE8 TRAC",
    ),
}
#: Single letters, as in klog, glog, Android's log and `[I 2023-`.
LETTERS = {
    letter.encode(): RANKS[name]
    for name, letters in {
        "CRITICAL": "FC",
        "ERROR": "E",
        "WARNING": "W",
        "INFO": "IN",
        "DEBUG": "DV",
        "TRACE": "T",
    }.items()
    for letter in letters
}
#: Ranks by syslog's numbers, from 0, the worst.
SYSLOG = tuple(
    RANKS[name]
    for name in ("CRITICAL", "CRITICAL", "CRITICAL", "ERROR", "WARNING", "INFO", "INFO", "DEBUG")
)
#: Ranks by the numbers of bunyan and pino.
BUNYAN = {
    b"60": RANKS["CRITICAL"],
    b"50": RANKS["ERROR"],
    b"40": RANKS["WARNING"],
    b"30": RANKS["INFO"],
    b"20": RANKS["DEBUG"],
    b"10": RANKS["TRACE"],
}
