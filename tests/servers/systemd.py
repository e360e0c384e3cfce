# SPDX-License-Identifier: Apache-2.0
"""The service in etc/systemd, started, reloaded and stopped as systemd does by its unit files."""

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

from .process import HOST, REPOSITORY, START_SECONDS, Server, as_installed

UNITS = REPOSITORY / "etc/systemd"
SERVICE = UNITS / "oslogserve.service"
SOCKET = UNITS / "oslogserve.socket"
#: Hands file descriptor $FD over as systemd does: as the third, to a process that is named.
HAND_OVER = 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@" 3<&$FD'


def settings(unit):
    """The values of a unit file by their keys; a key may stand there more than once."""
    found = {}
    for line in unit.read_text().splitlines():
        key, sign, value = line.partition("=")
        if sign and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


class Service(Server):
    """`config` is the text of oslogserve's configuration. Its socket outlives restarts."""

    def __init__(self, config):
        super().__init__("systemd")
        self.service = settings(SERVICE)
        (self.root / "oslogserve.conf").write_text(config)
        self._listener = self._resources.enter_context(socket.create_server((HOST, 0)))
        self._listener.listen(int(settings(SOCKET)["Backlog"][0]))
        self.url = f"http://{HOST}:{self._listener.getsockname()[1]}"
        self._notified = self._resources.enter_context(
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        )
        self._notified.bind(str(self.root / "notify"))
        self._notified.settimeout(START_SECONDS)
        command = ["bash", "-c", HAND_OVER, "bash", *self._command()]
        descriptor = self._listener.fileno()
        self.process = self._child(
            command, self.root / "log", env=self._environment(), pass_fds=[descriptor]
        )

    def _command(self):
        (command,) = self.service["ExecStart"]
        installed = {
            "/opt/oslogserve/bin/oslogserve": str(Path(sys.executable).with_name("oslogserve")),
            "/etc/oslogserve/oslogserve.conf": str(self.root / "oslogserve.conf"),
        }
        words = shlex.split(command)
        assert set(installed) <= set(words)
        return [installed.get(word, word) for word in words]

    def _environment(self):
        (runtime,) = self.service["RuntimeDirectory"]
        folder = self.root / runtime
        folder.mkdir()
        variables = dict(text.split("=", 1) for text in self.service["Environment"])
        variables = {
            name: text.replace(f"/run/{runtime}", str(folder)) for name, text in variables.items()
        }
        return as_installed(
            **variables, NOTIFY_SOCKET=str(self.root / "notify"), FD=str(self._listener.fileno())
        )

    def _begin(self):
        assert self.service["Type"] == ["notify"]
        self.process.spawn()
        assert b"READY=1" in self._notified.recv(4096)

    def reload(self):
        """Does what ExecReload says."""
        (command,) = self.service["ExecReload"]
        words = shlex.split(command.replace("${MAINPID}", str(self.process.pid)))
        subprocess.run(words, check=True)

    def restart(self):
        """Stops it as KillMode=mixed does, and starts it on the same socket."""
        assert self.service["KillMode"] == ["mixed"]
        os.kill(self.process.pid, signal.SIGTERM)
        with contextlib.suppress(Exception):
            self.process.wait(int(self.service["TimeoutStopSec"][0]))
        assert not self.process.running
        self._begin()
