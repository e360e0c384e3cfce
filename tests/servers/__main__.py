# SPDX-License-Identifier: Apache-2.0
"""A Swift or an S3 in the foreground with a directory's files in it, to try oslogserve on.

    python -m tests.servers [--store] --upload DIR --write-config FILE

Prints `ready` once FILE can be used, and runs until SIGTERM or SIGINT.
"""

import argparse
import contextlib
import signal
import sys
from pathlib import Path

from tests.servers.conf import write_conf


def main():
    options = parse_options()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, leave)
    serving = serving_store if options.store else serving_swift
    with serving(options.upload, options.container) as section:
        disk = {"root": options.upload.resolve()}
        write_conf(options.write_config, {"disk": disk} | section)
        print("ready", flush=True)
        while True:
            signal.pause()


@contextlib.contextmanager
def serving_swift(folder, container):
    from tests.servers.swift import Swift

    with Swift() as swift:
        swift.upload(folder, container)
        yield {"swift": swift.settings(container)}


@contextlib.contextmanager
def serving_store(folder, bucket):
    from tests.servers.s3 import S3

    with S3() as s3:
        s3.upload(folder, bucket)
        yield {"store": s3.settings(bucket)}


def parse_options():
    parser = argparse.ArgumentParser(prog="python -m tests.servers")
    parser.add_argument("--store", action="store_true", help="an S3 in place of a Swift")
    parser.add_argument("--upload", type=directory, required=True, metavar="DIR")
    parser.add_argument("--container", default="logs")
    parser.add_argument("--write-config", type=Path, required=True, metavar="FILE")
    return parser.parse_args()


def directory(name):
    path = Path(name)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{name} is not a directory")
    return path


def leave(number, frame):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: let the servers stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(0)


if __name__ == "__main__":
    main()
