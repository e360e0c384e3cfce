# SPDX-License-Identifier: Apache-2.0
"""gunicorn's settings and hooks, and `oslogserve serve`.

This runs in gunicorn's master, which must never create the application: each worker creates its own
after the fork, since metrics count in one process only. So there is no preload_app. A worker that cannot
create it would end the master too, so on a reload a child process tries the new configuration first. It is
forked, as a worker is: it has the same modules, variables and user.
"""

import errno
import gc
import math
import os
import select
import shutil
import signal
import socket
import struct
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from gunicorn.app.base import BaseApplication
from gunicorn.util import set_owner_process
from gunicorn.workers.gthread import ThreadWorker

from oslogserve import __version__
from oslogserve.config import Config, ConfigError, load
from oslogserve.metrics import FOLDER_VARIABLE, create_folder
from oslogserve.seen.rules import configured_rules
from oslogserve.text import log_message, without_values
from oslogserve.threads import set_up_malloc

if TYPE_CHECKING:
    from oslogserve.app import App

#: Seconds in which a client must take something. A kernel's call that sent a part ends without an error, so a
#: client that stops is cut off after one to three times as many: measured were 93 s. Not a socket's timeout in
#: Python: that is for all of a piece, which slow readers take longer for.
SEND_TIMEOUT = 30
#: Seconds for a request's body, which nobody reads: a client that sends one sends it with the headers.
BODY_TIMEOUT = 0.01
#: Seconds for the trial of a new configuration. A stop meanwhile waits for it, and systemd's unit allows 85 s.
TRIAL = 20.0
#: What is told of a trial.
_PASSED, _FAILED = b"1", b"0"


class Worker(ThreadWorker):
    """A worker that accepts connections only while it has a free thread, else leaves them to others.

    gunicorn's setting `worker_connections` counts idle connections too, so with keep-alive they keep
    out busy ones.
    """

    @property
    def worker_connections(self) -> int:
        """The most connections, which grows with the idle ones."""
        idle = len(self.keepalived_conns) + len(self.pending_conns)
        return min(self._most_connections, int(self.cfg.threads) + idle)

    @worker_connections.setter
    def worker_connections(self, most: int) -> None:
        self._most_connections = most

    def handle_request(self, req: Any, conn: Any) -> bool:
        """Answers a request, and waits neither for a body that it announces nor for its client to close the
        connection. A client that takes nothing for long is one that left.

        gunicorn waits 5 s for each body, with this thread, and 2 s for each client that does not close, with the
        main loop.
        """
        timeout = struct.pack("ll", SEND_TIMEOUT, 0)
        conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, timeout)
        if not _takes_body(conn):
            req.force_close()
        try:
            if super().handle_request(req, conn):
                return True
            _takes_body(
                conn
            )  # bytes that nobody has read would reset the connection before its answer is taken
            with suppress(OSError):
                conn.sock.shutdown(socket.SHUT_RDWR)
            return False
        except BlockingIOError as error:
            # Reset, so that no part of an answer looks like all of it, and gunicorn's main loop need not
            # wait until the client takes what was sent.
            reset = struct.pack("ii", 1, 0)
            conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            conn.sock.shutdown(socket.SHUT_RDWR)
            raise ConnectionResetError(errno.ECONNRESET, "the client takes nothing") from error

    def murder_keepalived(self, force: bool = False) -> None:
        """Closes idle connections that timed out. A worker without a free thread closes all of them:
        their next requests would wait for it, although another worker may be free."""
        busy = self.nr_conns - len(self.keepalived_conns) - len(self.pending_conns)
        super().murder_keepalived(force or busy >= int(self.cfg.threads))


def _takes_body(conn: Any) -> bool:
    """Takes what has come of the request's body. True if that is all of it."""
    try:
        return bool(conn.parser.finish_body(deadline=time.monotonic() + BODY_TIMEOUT))
    except Exception:  # noqa: BLE001 - it is malformed, or the client has left: nobody needs it
        return False


class _Configuration:
    """The configuration of all workers. The master reads it, so that all have the same."""

    def __init__(self, read: Callable[[], Config]) -> None:
        """read: reads the configuration, again at each HUP. Raises ConfigError."""
        self._read = read
        self._take(read())

    def _take(self, config: Config) -> None:
        self.current = config
        self._taken = time.time()
        self._is_latest = True
        self._rules, faults = configured_rules(config)
        without = [f"{one}; the server runs without it" for one in faults]
        for what in [*config.removed, *config.lacks(), *config.exposed(), *without]:
            log_message(what)

    def renew(self, settings: Any) -> None:
        """Reads the configuration again, for the workers that a HUP starts. Keeps the old one if a trial fails.

        settings: gunicorn's, which name the workers' user.
        """
        try:
            if _passes_trial(self._read, settings):
                self._take(self._read())
                return
        except (ConfigError, OSError) as error:  # it was changed meanwhile
            log_message(error)
        self._is_latest = False
        log_message("the configuration stays as it was")

    def app(self) -> "App":
        # Imported in the worker, since each worker has its own metrics.
        from oslogserve.app import App

        app = App(self.current, self._rules, self._taken, self._is_latest)
        for what in app.faults:
            log_message(what)
        # All this stays. Each full collection would visit it, for some 10 ms.
        gc.collect()
        gc.freeze()
        log_message(f"oslogserve {__version__}")
        return app


def _passes_trial(read: Callable[[], Config], settings: Any) -> bool:
    """True if a child process can read the configuration and make the application. Else it was said why."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _try(read, settings, writing)
    os.close(writing)
    with open(reading, "rb", buffering=0) as pipe:
        is_over = select.select([pipe], [], [], TRIAL)[0]
        verdict = pipe.read(1) if is_over else b""
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(child, signal.SIGKILL)
        # One that hangs in the kernel ends later: gunicorn takes it then.
        os.waitpid(child, 0 if is_over else os.WNOHANG)
    if not is_over:
        what = "the disk or the server of something that it names may hang"
        log_message(f"the new configuration was not taken in {TRIAL:g} s: {what}")
    elif not verdict:
        log_message("the process that tried the new configuration ended before it was done")
    return verdict == _PASSED


def _try(read: Callable[[], Config], settings: Any, writing: int) -> NoReturn:
    """Tries a configuration as a worker would, and ends this process. writing: a pipe for the verdict."""
    verdict = _FAILED
    try:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.alarm(math.ceil(TRIAL) + 1)  # if the master is killed meanwhile
        os.environ.pop(FOLDER_VARIABLE, None)  # it is no worker: it counts nowhere
        config = read()
        rules, faults = configured_rules(config)
        if faults:  # a server that starts does without these
            raise ConfigError("\n".join(faults))
        set_owner_process(settings.uid, settings.gid, initgroups=settings.initgroups)
        from oslogserve.app import App

        App(config, rules)
        verdict = _PASSED
    except ConfigError as error:
        log_message(error)
    except BaseException as error:  # noqa: BLE001 - a worker would end the server by it
        log_message(f"the application cannot be made: {without_values(error)}")
    finally:
        with suppress(OSError):
            os.write(writing, verdict)
        os._exit(0)  # what gunicorn would do at its exit is not for this process


#: The configuration of gunicorn's own command; empty until read_configuration() runs.
_of_gunicorn: list[_Configuration] = []


def read_configuration(server: Any) -> None:
    """Reads the file that OSLOGSERVE_CONFIG names, before gunicorn's own command starts anything."""

    def configured() -> Config:
        environ = {"OSLOGSERVE_THREADS": str(server.cfg.threads), **os.environ}
        return load(os.environ.get("OSLOGSERVE_CONFIG"), environ)

    try:
        _of_gunicorn.append(_Configuration(configured))
    except ConfigError as error:
        log_message(error)
        raise SystemExit(2) from None
    on_starting(server)


def renew_configuration(server: Any) -> None:
    """Reads the configuration again, for gunicorn's own command."""
    _of_gunicorn[0].renew(server.cfg)


def application() -> "App":
    """The application, in a worker of gunicorn's own command."""
    return _of_gunicorn[0].app()


#: Environment variable with the metrics' folder, if it was created here and is to be removed.
_TEMPORARY = "OSLOGSERVE_TEMPORARY_METRICS"


def on_starting(server: Any) -> None:
    """Gives the workers an empty folder for their metrics."""
    directory = os.environ.get(FOLDER_VARIABLE)
    if directory and server.master_pid:
        return  # an upgrade (USR2): the old master's workers still use it
    if not directory:
        directory = tempfile.mkdtemp(prefix="oslogserve-metrics-")
        named = {FOLDER_VARIABLE: directory, _TEMPORARY: directory}
        os.environ.update(named)
        server.cfg.env_orig.update(named)  # for the master of an upgrade
    create_folder(directory)
    if os.geteuid() == 0:
        os.chown(directory, server.cfg.uid, server.cfg.gid)


def pre_fork(server: Any, worker: Any) -> None:
    """Holds SIGTERM back in the worker until post_fork(), and in the master until it has forked.

    Until then a worker has the master's handler, which would lose the signal. The master would wait
    for that worker until it kills it.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])


def _take_sigterm() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])


os.register_at_fork(after_in_parent=_take_sigterm)


def post_fork(server: Any, worker: Any) -> None:
    """Sets up the worker's allocator, and tells oslogserve.wsgi the number of threads."""
    # A worker that loads has nothing to finish.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _take_sigterm()
    set_up_malloc()
    os.environ.setdefault("OSLOGSERVE_THREADS", str(worker.cfg.threads))


def on_exit(server: Any) -> None:
    """Removes the metrics' folder, unless the environment named it or another master uses it."""
    old_master_lives = server.master_pid and server.master_pid == os.getppid()
    if _TEMPORARY in os.environ and not (server.reexec_pid or old_master_lives):
        shutil.rmtree(os.environ.pop(_TEMPORARY), ignore_errors=True)


SETTINGS: dict[str, Any] = {
    # A slow reader then holds a thread, not the whole worker.
    "worker_class": f"{__name__}.Worker",
    "workers": 2,
    "threads": 32,
    # Seconds: a reader clicks from a folder to a log within these.
    "keepalive": 5,
    # Not a limit for requests: a gthread worker reports from its main loop. This ends a worker whose
    # main loop is stuck.
    "timeout": 30,
    # Seconds for which a restart waits for logs that are still being sent.
    "graceful_timeout": 30,
    # A query alone may have 4096 characters, more than gunicorn's default for the whole line.
    "limit_request_line": 8190,
    # The mount is the environment's SCRIPT_NAME. By default, gunicorn also trusts a header of any
    # client on this machine, such as a front that passes on its clients' headers.
    "forwarder_headers": "",
    "secure_scheme_headers": {},
    # gunicorn would create it in the home folder, and a service may have none.
    "control_socket_disable": True,
    "on_starting": on_starting,
    "pre_fork": pre_fork,
    "post_fork": post_fork,
    "on_exit": on_exit,
}

#: Settings for gunicorn's own command, used by etc/gunicorn.conf.py.
COMMAND_SETTINGS = SETTINGS | {
    "wsgi_app": f"{__name__}:application()",
    "on_starting": read_configuration,
    "on_reload": renew_configuration,
}


class _Server(BaseApplication):
    def __init__(self, configured: Callable[[], Config], settings: dict[str, Any]) -> None:
        self._configuration = _Configuration(configured)
        self._settings = settings
        super().__init__()

    def load_config(self) -> None:
        threads = self._configuration.current["serve", "threads"]
        for name, value in {**SETTINGS, **self._settings, "threads": threads}.items():
            self.cfg.set(name, value)

    def reload(self) -> None:
        self._configuration.renew(self.cfg)
        super().reload()

    def load(self) -> Any:
        return self._configuration.app()


def serve(configured: Callable[[], Config], bind: str, workers: int) -> None:
    """Runs gunicorn, without a configuration file of its own, until it is stopped.

    configured: reads the configuration, again at each HUP. Raises ConfigError.
    """
    _Server(configured, {"bind": bind, "workers": workers}).run()
