# SPDX-License-Identifier: Apache-2.0
"""Small pieces and small blocks: what large logs meet, met by small ones."""

from contextlib import ExitStack
from unittest import mock

#: The constants that say how many bytes of a log's text are read and handed on at once.
_PIECES = ("oslogserve.logs.open_log.PIECE", "oslogserve.jobs.reading.READ")


def small_pieces(size):
    """Context in which a log's text comes in pieces of so many bytes. An uncompressed log comes as it is stored."""
    return _patched(dict.fromkeys(_PIECES, size))


def small_indexes(interval, piece, most_waiting=None):
    """Context in which small logs have indexes of many blocks, and are read in small pieces.

    most_waiting: bytes of rows that wait for their log's first time; by default those of a piece.
    """
    where = "oslogserve.logs.blocks."
    patched = {where + "LEAST_PACKED": 1, where + "LEAST_PLAIN": 1, where + "INTERVAL": interval}
    patched["oslogserve.jobs.reading.SMALL"] = 0
    patched["oslogserve.jobs.lines.MOST_WAITING"] = most_waiting or piece
    return _patched(patched | dict.fromkeys(_PIECES, piece))


def _patched(values):
    small = ExitStack()
    for name, value in values.items():
        small.enter_context(mock.patch(name, value))
    return small
