# SPDX-License-Identifier: Apache-2.0
"""Sizes and times as a page shows them: short, with the exact figure behind them."""

from datetime import UTC, datetime


def size_shown(size: int) -> str:
    """Three digits: '999 B', '1.23 kB', '45.6 MB'."""
    if size < 1000:
        return f"{size} B"
    amount = size / 1000
    for unit in ("kB", "MB", "GB", "TB"):
        if amount < 999.5 or unit == "TB":
            break
        amount /= 1000
    decimals = 2 if amount < 9.995 else 1 if amount < 99.95 else 0
    return f"{amount:.{decimals}f} {unit}"


def size_element(size: int) -> str:
    return f'<data value="{size}" title="{size:,} bytes">{size_shown(size)}</data>'


def moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def time_element(seconds: float, zone: str = "") -> str:
    shown = moment(seconds)
    return f'<time datetime="{shown.replace(" ", "T")}Z">{shown}{zone}</time>'
