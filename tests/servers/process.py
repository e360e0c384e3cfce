# SPDX-License-Identifier: Apache-2.0
"""A server as a child process: start it, wait for it, stop it by its pid.

What lives here knows nothing of the server.  A server is never signalled by
its process group (Swift's call setsid()) nor by its name.
"""

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HOST = "127.0.0.1"
REPOSITORY = Path(__file__).resolve().parents[2]

START_SECONDS = 60  # Keystone takes 4 s when alone; a busy CI machine has eight jobs
STOP_SECONDS = 5
POLL_SECONDS = 0.02
PROBE_SECONDS = 2
TAIL_BYTES = 4000

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)

# PR_SET_PDEATHSIG follows the THREAD that forked, so all children come from one
# thread that lives as long as the interpreter: a test may restart a server from
# a timer's thread and keep it.
_spawner = ThreadPoolExecutor(max_workers=1, thread_name_prefix="spawner")

_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class ServerError(Exception):
    """A server did not start; the message ends with what it had logged."""


def free_ports(count):
    """Distinct TCP ports of 127.0.0.1 that nobody listens on."""
    with contextlib.ExitStack() as stack:
        return [_reserved_port(stack) for _ in range(count)]


def free_port():
    return free_ports(1)[0]


def _reserved_port(stack):
    # A connection closed by its listening end leaves the port in TIME_WAIT: for a
    # minute the kernel gives it to nobody who asks for just any port, while a
    # server that names it (and sets SO_REUSEADDR, as they all do) gets it.
    listener = stack.enter_context(socket.socket())
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((HOST, 0))
    listener.listen(1)
    with socket.create_connection(listener.getsockname()):
        listener.accept()[0].close()
    return listener.getsockname()[1]


def die_with_parent():
    """Ask the kernel to SIGKILL this process when its parent is gone."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def environment(**extra):
    """This process's environment without what would lead a server off loopback or off its files."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.lower().endswith("_proxy")
        and not name.startswith("OS_")
        and name not in ("NOTIFY_SOCKET", "GUNICORN_CMD_ARGS")
    }
    return kept | {"NO_PROXY": "*"} | extra


def as_installed(**extra):
    """The environment of oslogserve, without packages that only Swift and Keystone need here: to
    load them takes half as long as to load oslogserve."""
    path = [str(REPOSITORY / "tests/servers/as_installed"), os.environ.get("PYTHONPATH", "")]
    return environment(PYTHONPATH=os.pathsep.join(filter(None, path)), **extra)


def poll(condition, failure, seconds):
    """Return condition()'s first true value; raise failure() after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise failure()
        time.sleep(POLL_SECONDS)
    return value


def port_accepts(port):
    try:
        socket.create_connection((HOST, port), PROBE_SECONDS).close()
    except OSError:
        return False
    return True


def url_answers(url):
    try:
        with _direct.open(url, timeout=PROBE_SECONDS) as response:
            return response.status < 400
    except OSError:
        return False


class Process:
    """One server; `ready` lists ports (int) that must accept and URLs (str) that must answer."""

    def __init__(self, argv, log, *, ready=(), env=None, seconds=START_SECONDS, pass_fds=()):
        self.argv = [os.fspath(word) for word in argv]
        self.pass_fds = pass_fds
        self.log = Path(log)
        self.ready = tuple(ready)
        self.env = environment() if env is None else env
        self.seconds = seconds
        self._child = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *exc_info):
        self.close()

    @property
    def pid(self):
        return self._child.pid if self._child else None

    @property
    def running(self):
        return self._child is not None and self._child.poll() is None

    def start(self):
        self.spawn()
        try:
            self.wait_ready()
        except BaseException:
            self.close()
            raise
        return self

    def spawn(self):
        """Start without waiting, for servers that start side by side."""
        if self.running:
            raise ServerError(f"{self.argv} is running already")
        self._child = _spawner.submit(self._popen).result()

    def _popen(self):
        parent = os.getpid()

        def before_exec():
            die_with_parent()
            if os.getppid() != parent:  # it died before the kernel knew our wish
                os._exit(1)

        with self.log.open("ab") as log:
            return subprocess.Popen(
                self.argv,
                cwd=REPOSITORY,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=self.pass_fds,
                start_new_session=True,  # a terminal's Ctrl-C is for us alone
                preexec_fn=before_exec,  # noqa: PLW1509 (two system calls, no locks)
            )

    def wait_ready(self):
        for probe in self.ready:
            answers = port_accepts if isinstance(probe, int) else url_answers
            poll(
                lambda: self._alive() and answers(probe),  # noqa: B023 (called at once)
                lambda: self._failure(f"{probe} did not answer in {self.seconds} s"),  # noqa: B023
                self.seconds,
            )
        self._alive()

    def wait(self, seconds=START_SECONDS):
        """Wait for a program that ends by itself, and insist on its success."""
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.close()
            raise self._failure(f"still running after {seconds} s") from None
        if self._child.returncode:
            raise self._failure(f"exit status {self._child.returncode}")

    def _alive(self):
        if not self.running:
            raise self._failure(f"exit status {self._child.returncode}")
        return True

    def _failure(self, what):
        return ServerError(f"{' '.join(self.argv)}: {what}\n{self.tail()}")

    def tail(self):
        try:
            return self.log.read_bytes()[-TAIL_BYTES:].decode(errors="replace")
        except FileNotFoundError:
            return ""

    def close(self):
        """Ends it with SIGTERM, then SIGKILL; may be called twice."""
        if not self.running:
            return
        self._child.terminate()
        self.thaw()  # a frozen process would not see the SIGTERM
        try:
            self._child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self):
        """Ends it with SIGKILL, as a crash would; its port refuses connections when this returns."""
        if self.running:
            self._child.kill()
            self._child.wait()

    def kill_family(self):
        """Ends it and its workers with SIGKILL, as a machine that is gone would be."""
        for pid in self._family():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.kill()

    def freeze(self):
        """Stops it and its workers with SIGSTOP: it accepts connections and never answers."""
        family = self._family()
        for pid in family:
            os.kill(pid, signal.SIGSTOP)
        poll(
            lambda: all(_state(pid) == "T" for pid in family),
            lambda: self._failure("does not stop"),
            STOP_SECONDS,
        )

    def thaw(self):
        for pid in self._family():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def _family(self):
        return descendants(self.pid) if self.running else []


class Server:
    """Starts where a `with` begins and closes where it ends; all it writes lies below `root`."""

    def __init__(self, kind, root=None):
        self._resources = contextlib.ExitStack()
        if root is None:
            folder = tempfile.TemporaryDirectory(
                prefix=f"oslogserve-{kind}-", ignore_cleanup_errors=True
            )
            root = self._resources.enter_context(folder)
        self.root = Path(root).resolve()

    def _child(self, argv, log, **options):
        """A process that ends before the folder goes."""
        process = Process(argv, log, **options)
        self._resources.callback(process.close)
        return process

    def _begin(self):
        raise NotImplementedError

    def __enter__(self):
        try:
            self._begin()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exc_info):
        self.close()

    def close(self):
        self._resources.close()


def descendants(pid):
    """The pid and those of its children and theirs, parents first."""
    family = [pid]
    for member in family:
        threads = []
        # A thread may end, and a process with it, while we look.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            threads = os.listdir(f"/proc/{member}/task")
        for thread in threads:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                children = Path(f"/proc/{member}/task/{thread}/children").read_text()
                family += map(int, children.split())
    return family


def _state(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
