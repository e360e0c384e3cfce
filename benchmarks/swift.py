# SPDX-License-Identifier: Apache-2.0
"""The tests' real Swift with the logs in it, and how its own client downloads one."""

import contextlib
import dataclasses
import importlib.util
import pathlib
import sys
import urllib.parse
from collections.abc import Iterator

from benchmarks.client import Request
from benchmarks.servers import Failed, Missing

CONTAINER = "logs"
MODULES = ("swift", "swiftclient", "eventlet", "pyeclib")
INSTALL = "pip install -r requirements/servers.txt"


@dataclasses.dataclass(frozen=True)
class Uploaded:
    config: pathlib.Path
    """For oslogserve: the [swift] section that leads to the logs."""
    port: int
    container_path: str
    token: str
    client: list[str]
    """The command of python-swiftclient that downloads, but for the object's name."""

    def download(self, name: str) -> list[str]:
        return [*self.client, name, "--output", "-"]

    def get(self, name: str) -> Request:
        target = f"{self.container_path}/{urllib.parse.quote(name)}"
        return Request(self.port, target, {"X-Auth-Token": self.token})


def check_installed() -> None:
    absent = [name for name in MODULES if importlib.util.find_spec(name) is None]
    if absent or not _program().exists():
        raise Missing(f"Swift ({', '.join(absent) or _program()}) is not installed: {INSTALL}")


@contextlib.contextmanager
def running(root: pathlib.Path) -> Iterator[Uploaded]:
    """A Swift that holds every file of ``root``."""
    # Only here: these import what is missing where no case asks for Swift.
    from tests.servers.conf import write_conf
    from tests.servers.process import ServerError
    from tests.servers.swift import Swift

    try:
        with Swift() as swift:
            swift.upload(root, CONTAINER)
            config = swift.root / "oslogserve.conf"
            write_conf(config, {"swift": swift.settings(CONTAINER)})
            with contextlib.closing(swift.connection()) as connection:
                address, token = connection.get_auth()
            found = urllib.parse.urlsplit(f"{address}/{CONTAINER}")
            client = [str(_program()), "--auth", swift.auth_url, "--user", swift.user]
            client += ["--key", swift.key, "download", CONTAINER]
            yield Uploaded(config, int(found.port or 80), found.path, token, client)
    except ServerError as failure:
        raise Failed(str(failure)) from None


def _program() -> pathlib.Path:
    return pathlib.Path(sys.executable).with_name("swift")
