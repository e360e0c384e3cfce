# SPDX-License-Identifier: Apache-2.0
"""Severities, and the words, numbers and keys that logs use for them."""

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

# Members of JSON objects and logfmt's pairs that name a severity or a time.
LEVEL_KEYS = frozenset(
    b"level Level lvl Lvl @l @level @lvl log.level log_level logLevel loglevel LogLevel log_Level"
    b" levelname level_name s severity Severity severity_text severityText SeverityText".split()
)
TIME_KEYS = frozenset(
    b"time Time ts t @t @ts timestamp Timestamp @timestamp asctime date datetime @time eventTime"
    b" timeUnixNano requestReceivedTimestamp $date __REALTIME_TIMESTAMP _SOURCE_REALTIME_TIMESTAMP".split()
)
#: Names of objects whose members count like those of the object around them.
WRAPPERS = frozenset(b"log t resourceLogs scopeLogs logRecords".split())
#: OpenTelemetry's numbers, four for each severity.
NUMBER_KEYS = frozenset(b"severityNumber SeverityNumber severity_number".split())
NUMBERED = tuple(RANKS[name] for name in ["TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"])
#: Keys that in a logfmt pair are a setting, not the line's level.
SETTING_KEYS = frozenset(b"log_level logLevel loglevel LogLevel log_Level".split())
