# SPDX-License-Identifier: Apache-2.0
"""The servers measured, each a context manager that yields a running Server on a free port."""

import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator

STARTUP = 20
"""Seconds a server has to accept connections."""

WORKERS = 2
THREADS = 4
"""Workers and threads of gunicorn, in all that runs under it; nginx has as many workers, which need no threads."""

GUNZIP = "gzip_static always; gunzip on;"
"""nginx unpacks x.txt.gz itself for a client that does not take gzip."""

AS_STORED = "gzip_static on;"
"""nginx sends x.txt.gz as it lies there to a client that does."""

WHOLE_PAGES = "\n[serve]\npage_size = 1000000000000\npage_elements = 1000000000\n"
"""Limits beyond any log, so that a page has all that it is compared with."""

_NGINX = """
daemon off;
pid {folder}/pid;
error_log stderr warn;
worker_processes {workers};
events {{ worker_connections 64; }}
http {{
    types {{ text/plain txt; }}
    default_type text/plain;
    access_log off;
    sendfile on;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {root};
        {gzip}
    }}
}}
"""


class Missing(Exception):
    """A program the benchmark needs is not installed."""


class Failed(Exception):
    """A server did not start."""


def needed(program: str, package: str) -> str:
    """The path of ``program``. Debian keeps nginx where a plain user's PATH does not lead."""
    found = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        raise Missing(f"{program} is not installed: apt-get install {package}")
    return found


class Server:
    def __init__(self, name: str, port: int, pid: int) -> None:
        self.name = name
        self.port = port
        self._pid = pid
        self._idle: dict[int, int] = {}

    def settle(self) -> None:
        """Take the workers' present memory as that of an idle server."""
        self._idle = {pid: _memory(pid, "VmRSS") for pid in self.workers()}

    def workers(self) -> list[int]:
        """The ids of the processes that answer: those that started no others."""
        return _leaves(self._pid)

    def processor_seconds(self) -> list[float]:
        """Seconds of processor time that each worker has used until now."""
        return [_processor_seconds(pid) for pid in self.workers()]

    def reset_peak(self) -> None:
        for pid in self.workers():
            # Where the kernel refuses, the peak counts from the worker's start: too high, never low.
            with contextlib.suppress(OSError):
                pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")

    def peak_above_idle(self) -> int:
        """Bytes the worker that grew most has had above idle since ``reset_peak``."""
        workers = self.workers()
        if set(workers) != set(self._idle):
            raise Failed(f"{self.name}: a worker was replaced while it was measured")
        return max(_memory(pid, "VmHWM") - self._idle[pid] for pid in workers)


def _leaves(pid: int) -> list[int]:
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [leaf for child in children for leaf in _leaves(int(child))] or [pid]


def _processor_seconds(pid: int) -> float:
    behind_name = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    user, system = behind_name[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _memory(pid: int, field: str) -> int:
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise Failed(f"/proc/{pid}/status has no {field}")


@contextlib.contextmanager
def oslogserve(
    root: pathlib.Path,
    renderer: str,
    config: pathlib.Path | None = None,
    settings: str = WHOLE_PAGES,
) -> Iterator[Server]:
    """``renderer``: "native" or "pure". ``config``: an INI file with what ``root`` is not.
    ``settings``: more of it."""
    port = _free_port()
    variables = os.environ | {"OSLOGSERVE_RENDERER": renderer}
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write((config.read_text() if config else "") + settings)
        file.flush()
        command = [sys.executable, "-m", "oslogserve", "serve", "--root", str(root)]
        command += ["--config", file.name, "--bind", f"127.0.0.1:{port}"]
        command += ["--workers", str(WORKERS), "--threads", str(THREADS)]
        with _running(f"oslogserve, {renderer}", command, port, variables) as server:
            yield server


def renderer_of(port: int) -> str | None:
    """The renderer that an oslogserve says it has; None where it does not say."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"http://127.0.0.1:{port}/metrics", timeout=STARTUP) as answer:
        found = re.search(rb'(?m)^oslogserve_build_info\{[^}]*renderer="(\w+)"', answer.read())
    return found[1].decode() if found else None


@contextlib.contextmanager
def whitenoise(root: pathlib.Path) -> Iterator[Server]:
    """Under gunicorn as `oslogserve serve` sets it up."""
    port = _free_port()
    command = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}"]
    command += ["--worker-class", "gthread"]
    command += ["--workers", str(WORKERS), "--threads", str(THREADS)]
    command += ["--keep-alive", "5", "--no-control-socket"]
    command += [f"benchmarks.whitenoise_app:application({str(root)!r})"]
    with _running("whitenoise", command, port) as server:
        yield server


@contextlib.contextmanager
def nginx(root: pathlib.Path, gzip: str = GUNZIP) -> Iterator[Server]:
    port = _free_port()
    program = needed("nginx", "nginx-light")
    with tempfile.TemporaryDirectory(prefix="oslogserve-nginx-") as folder:
        config = pathlib.Path(folder, "nginx.conf")
        config.write_text(
            _NGINX.format(folder=folder, port=port, root=root, gzip=gzip, workers=WORKERS)
        )
        command = [program, "-e", "stderr", "-p", folder, "-c", str(config)]
        with _running("nginx", command, port) as server:
            yield server


@contextlib.contextmanager
def _running(
    name: str, command: list[str], port: int, variables: dict[str, str] | None = None
) -> Iterator[Server]:
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=variables)
        try:
            try:
                _wait_for(name, process, port)
                yield Server(name, port, process.pid)
            except Failed as failure:
                output.seek(0)
                text = output.read().decode(errors="replace")[-2000:]
                raise Failed(f"{failure}; it said:\n{text}") from None
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for(name: str, process: subprocess.Popen[bytes], port: int) -> None:
    limit = time.monotonic() + STARTUP
    while time.monotonic() < limit:
        if process.poll() is not None:
            raise Failed(f"{name} ended with {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise Failed(f"{name} did not listen within {STARTUP} seconds")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
