# SPDX-License-Identifier: Apache-2.0
"""A real PostgreSQL, as Debian has it, on loopback. It refuses to run as root."""

import os
import pwd
import shutil
import signal
import subprocess
from pathlib import Path

from .process import HOST, START_SECONDS, Server, ServerError, environment, free_port, poll

#: Whom root runs it as: Debian's package makes the user.
USER = "postgres"
SETTINGS = {
    "listen_addresses": HOST,
    "fsync": "off",
    "max_connections": "50",
    "shared_buffers": "32MB",
}


def program(name):
    """The path of one of its programs; None if it is not installed."""
    debian = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(debian[-1]) if debian else shutil.which(name)


class PostgreSQL(Server):
    """Trusts everybody on loopback. Its data goes when it ends."""

    def __init__(self):
        super().__init__("postgresql")
        initdb, postgres = program("initdb"), program("postgres")
        if not (initdb and postgres):
            raise ServerError("PostgreSQL is not installed: apt-get install postgresql")
        self.port = free_port()
        self.url = f"postgresql+psycopg://{USER}@{HOST}:{self.port}/postgres"
        self._data = self.root / "data"
        self._as_user = _as_user()
        self._initdb = initdb
        settings = SETTINGS | {"unix_socket_directories": str(self.root), "port": str(self.port)}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self.process = self._child(
            [*self._as_user, postgres, "-D", self._data, *options],
            self.root / "postgresql.log",
            ready=[self.port],
        )

    def _begin(self):
        if self._as_user:
            self.root.chmod(0o711)
            self._data.mkdir(mode=0o700)
            shutil.chown(self._data, USER)
            shutil.chown(self.root, USER)
        command = [*self._as_user, self._initdb, "-D", self._data, "-U", USER, "-A", "trust"]
        made = subprocess.run(
            [*command, "--no-sync", "-E", "UTF8", "--locale=C"],
            env=environment(),
            capture_output=True,
            text=True,
            cwd="/",
            check=False,
        )
        if made.returncode:
            raise ServerError(f"initdb: {made.stderr}")
        self.start()
        self._resources.callback(self._stop_at_once)

    def start(self):
        """It accepts connections before it answers."""
        self.process.start()
        poll(self._answers, lambda: ServerError(self.process.tail()), START_SECONDS)

    def _answers(self):
        command = [program("pg_isready"), "-q", "-h", HOST, "-p", str(self.port)]
        return subprocess.run(command, env=environment(), check=False).returncode == 0

    def _stop_at_once(self):
        """At a SIGTERM it would wait for its clients."""
        if self.process.running:
            os.kill(self.process.pid, signal.SIGINT)


def _as_user():
    """The beginning of a command that runs as another user than root."""
    if os.geteuid():
        return []
    try:
        pwd.getpwnam(USER)
    except KeyError:
        raise ServerError(f"there is no user {USER}: apt-get install postgresql") from None
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups"]
