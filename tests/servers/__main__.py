# SPDX-License-Identifier: Apache-2.0
"""A Swift in the foreground with a directory's files in it, to try oslogserve on.

    python -m tests.servers --upload DIR --write-config FILE

Prints `ready` once FILE can be used, and runs until SIGTERM or SIGINT.
"""

import argparse
import signal
import sys
from pathlib import Path

from tests.servers.conf import write_conf
from tests.servers.swift import Swift


def main():
    options = parse_options()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, leave)
    with Swift() as swift:
        swift.upload(options.upload, options.container)
        write_conf(
            options.write_config,
            {
                "disk": {"root": options.upload.resolve()},
                "swift": swift.settings(options.container),
            },
        )
        print("ready", flush=True)
        while True:
            signal.pause()


def parse_options():
    parser = argparse.ArgumentParser(prog="python -m tests.servers")
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
