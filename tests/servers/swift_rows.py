# SPDX-License-Identifier: Apache-2.0
"""Rows in a container's database, without the objects: python -m tests.servers.swift_rows FOLDER
CONTAINER PREFIX COUNT

FOLDER is where the container server keeps its databases. PREFIX000000 is the first name.
"""

import sys
from pathlib import Path

from swift.common.utils import Timestamp
from swift.container.backend import ContainerBroker

EMPTY = "d41d8cd98f00b204e9800998ecf8427e"


def main(folder, container, prefix, count):
    brokers = [ContainerBroker(str(path)) for path in Path(folder).rglob("*.db")]
    (broker,) = [broker for broker in brokers if broker.get_info()["container"] == container]
    row = {
        "created_at": Timestamp.now().internal,
        "size": 0,
        "content_type": "text/plain",
        "etag": EMPTY,
        "deleted": 0,
        "storage_policy_index": 0,
    }
    broker.merge_items([row | {"name": f"{prefix}{n:06}"} for n in range(int(count))])


if __name__ == "__main__":
    main(*sys.argv[1:])
