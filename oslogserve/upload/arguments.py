# SPDX-License-Identifier: Apache-2.0
"""The arguments of `oslogserve upload`; what they need is imported only when it runs."""

import argparse
import math
import re
from typing import Any

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SIZES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
#: Swift's longest object, bytes.
LARGEST_SEGMENT = 5 * 2**30


def add_to(commands: Any) -> None:
    upload = commands.add_parser("upload", help="put a job's logs into Swift")
    upload.add_argument("logs", metavar="DIR", help="their folder; - is a running console")
    upload.add_argument("--prefix", default="", metavar="P", help="path of the folder in URLs")
    upload.add_argument(
        "--name", default="job-output.txt", metavar="N", help="the console's (default: %(default)s)"
    )
    upload.add_argument("--container", metavar="C", help="instead of [swift] container")
    upload.add_argument("--config", metavar="FILE", help="the server's; else OS_* is taken")
    upload.add_argument("--expire", type=duration, metavar="T", help="such as 30d (default: never)")
    upload.add_argument("--no-gzip", action="store_true", help="store text as it is")
    upload.add_argument("--parallel", type=count, default=8, metavar="N", help="files at once")
    upload.add_argument(
        "--patience",
        type=duration,
        default=300,
        metavar="T",
        help="how long a request that fails is repeated (default: 5m)",
    )
    upload.add_argument(
        "--segment-size",
        type=size,
        default=256 * 2**20,
        metavar="BYTES",
        help="what is larger is stored in segments (default: 256M)",
    )
    upload.add_argument(
        "--every",
        type=duration,
        default=10,
        metavar="T",
        help="how often readers see the console grow (default: 10s)",
    )
    upload.add_argument(
        "--keep", metavar="DIR", help="where the console is kept until it is stored"
    )
    upload.set_defaults(run=_upload)


def _upload(options: argparse.Namespace) -> int:
    from oslogserve.upload import command

    return command.upload(options)


def duration(text: str) -> float:
    """The seconds of a duration such as 30d. A number without a unit is seconds."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smhd]?)", text)
    seconds = float(match[1]) * _SECONDS[match[2] or "s"] if match else math.nan
    if not 0 < seconds <= 10 * 365 * 86400:
        raise ValueError
    return seconds


def size(text: str) -> int:
    match = re.fullmatch(r"([0-9]+)([kmg]?)", text.lower())
    size = int(match[1]) * _SIZES[match[2]] if match else 0
    if not 1 <= size <= LARGEST_SEGMENT:
        raise ValueError
    return size


def count(text: str) -> int:
    if not 1 <= int(text) <= 1000:
        raise ValueError
    return int(text)
