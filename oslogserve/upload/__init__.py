# SPDX-License-Identifier: Apache-2.0
"""Uploads a job's logs to Swift or a bucket, where a server with the same configuration finds them.

Requests use the server's ObjectSession and Service: one token for all threads, no redirects, no secrets in errors.
swiftclient's SwiftService follows links, its segments never expire, and it cannot resume large objects.

Here are the arguments of `oslogserve upload`. Its command is imported only when it runs.
"""

import argparse
from typing import Any

from oslogserve.config.values import BINARY_SIZES, duration, whole_number

#: Bytes of a segment, by Swift's own limit.
LARGEST_SEGMENT = 5 * 2**30


def add_to(commands: Any) -> None:
    upload = commands.add_parser("upload", help="put a job's logs into Swift or a bucket")
    add = upload.add_argument
    add("logs", metavar="DIR", help="folder of the logs; - uploads standard input")
    add("--prefix", metavar="P", help="path of the folder in URLs (default: the root)")
    name = "file name for standard input (default: %(default)s)"
    add("--name", default="job-output.txt", metavar="N", help=name)
    to = "swift, store, or NAME of [store NAME] (default: the only one)"
    add("--to", metavar="NAME", help=to)
    add("--container", metavar="C", help="of Swift (default: [swift] container)")
    add("--config", metavar="FILE", help="configuration of the server (default: OS_* variables)")
    add("--expire", type=duration, metavar="T", help="of Swift: such as 30d (default: never)")
    passed = "renew the pointer @NAME to this folder, whose run passed, after all is stored"
    add("--passed", metavar="NAME", help=passed)
    mask = "replace each value in FILE, one in a line, by ***"
    add("--mask", metavar="FILE", help=mask)
    add("--no-gzip", action="store_true", help="store text uncompressed")
    parallel = "files at once (default: %(default)s)"
    add("--parallel", type=whole_number(1, 1000), default=8, metavar="N", help=parallel)
    patience = "how long a failed request is repeated (default: 5m)"
    add("--patience", type=duration, default=300, metavar="T", help=patience)
    segment_size = "store larger files in segments of this size (default: 256M)"
    add(
        "--segment-size",
        type=whole_number(1, LARGEST_SEGMENT, BINARY_SIZES),
        default=256 * 2**20,
        metavar="BYTES",
        help=segment_size,
    )
    every = "how often readers see new lines of standard input (default: 10s)"
    add("--every", type=duration, default=10, metavar="T", help=every)
    keep = "folder for standard input until it is stored (default: for temporary files)"
    add("--keep", metavar="DIR", help=keep)
    upload.set_defaults(run=_upload)


def _upload(options: argparse.Namespace) -> int:
    from oslogserve.upload import command

    return command.upload(options)
