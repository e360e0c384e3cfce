# SPDX-License-Identifier: Apache-2.0
"""Members of JSON objects and logfmt's pairs that name a time or a severity."""

from oslogserve.lines.grammar.severities import RANKS

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
PRIORITY_KEY = b"PRIORITY"
#: OpenTelemetry's numbers, four for each severity.
NUMBER_KEYS = frozenset(b"severityNumber SeverityNumber severity_number".split())
NUMBERED = tuple(RANKS[name] for name in ["TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"])
#: Keys that in a logfmt pair are a setting, not the line's level.
SETTING_KEYS = frozenset(b"log_level logLevel loglevel LogLevel log_Level".split())
