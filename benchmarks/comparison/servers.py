# SPDX-License-Identifier: Apache-2.0
"""The servers that are compared, all with the same logs."""

import contextlib
import dataclasses
import importlib.util
import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from benchmarks.comparison.cases import SOURCES
from benchmarks.fetch import Plan, fetched
from benchmarks.lab import CONTAINER, WARM, Lab
from benchmarks.processes import Workers
from oslogserve.bench.logs import Endpoint
from oslogserve.bench.samples import Request
from tests.servers.process import HOST, Process, free_port

#: Workers of gunicorn and of nginx.
WORKERS = 2
#: nginx unpacks x.txt.gz itself for a client that does not take gzip,
GUNZIP = "gzip_static always; gunzip on;"
#: or sends it as it is to a client that does.
AS_STORED = "gzip_static on;"
#: Limits beyond any log, so that a page has all of the log, as the neighbours' answers have.
WHOLE_PAGES = {"page_size": 10**12, "page_elements": 10**9}
#: Requests at once that make each worker start its threads and allocate.
WARM_UP = 8

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
    """Raised where a program or a library is not installed."""


def nginx_path() -> str:
    """The path of nginx, also outside of a plain user's PATH. Raises Missing."""
    found = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        raise Missing("nginx is not installed: apt-get install nginx-light")
    return found


def check_swift() -> None:
    """Raises Missing if Swift is not installed."""
    if importlib.util.find_spec("swift") is None:
        raise Missing("swift is not installed: pip install -r requirements/servers.txt")


class Subject:
    """A server that is measured."""

    def __init__(self, name: str, url: str, pid: int | None) -> None:
        assert pid is not None
        self.name = name
        self.url = url
        self.workers = Workers(pid)


@contextlib.contextmanager
def _nginx(lab: Lab, name: str, gzip: str) -> Iterator[Subject]:
    port, folder = free_port(), lab.folder / name
    folder.mkdir()
    config = folder / "nginx.conf"
    config.write_text(
        _NGINX.format(folder=folder, port=port, root=lab.root, gzip=gzip, workers=WORKERS)
    )
    command = [nginx_path(), "-e", "stderr", "-p", folder, "-c", config]
    with Process(command, lab.folder / f"{name}.log", ready=[port]) as process:
        yield Subject(name, f"http://{HOST}:{port}", process.pid)


@dataclasses.dataclass(frozen=True)
class Subjects:
    """The running servers."""

    lab: Lab
    ours: Subject
    nginx: Subject
    nginx_as_stored: Subject
    #: The request header with a token for Swift.
    token: str = ""

    def object_request(self, name: str) -> Request:
        """The request for an object of Swift."""
        return self.lab.objects_source.request(name)._replace(headers=(self.token,))

    def download(self, name: str) -> list[str]:
        """The command of python-swiftclient that downloads an object."""
        swift, client = self.lab.swift, Path(sys.executable).with_name("swift")
        login = ["--auth", swift.auth_url, "--user", swift.user, "--key", swift.key]
        return [str(client), *login, "download", CONTAINER, name, "--output", "-"]


@contextlib.contextmanager
def running(lab: Lab, given: Namespace) -> Iterator[Subjects]:
    """Context with all servers that the command line asks for. given: its options."""
    options = ("--workers", str(WORKERS), "--threads", str(given.threads))
    with_swift = "swift" in given.sources
    with contextlib.ExitStack() as stack:
        enter = stack.enter_context
        server = enter(lab.server(*options, with_swift=with_swift, **WHOLE_PAGES))
        ours = Subject("oslogserve", server.url, server.process.pid)
        nginx = enter(_nginx(lab, "nginx", GUNZIP))
        as_stored = enter(_nginx(lab, "nginx-as-stored", AS_STORED))
        for subject in (ours, nginx, as_stored):
            for source in SOURCES if with_swift else ("disk",):
                warm(subject, source)
            subject.workers.settle()
        token = lab.token_header() if with_swift else ""
        yield Subjects(lab, ours, nginx, as_stored, token)


def warm(subject: Subject, source: str = "disk") -> None:
    """Lets each worker start its threads."""
    for encoding in ("identity", "gzip"):
        headers = ["Accept: text/html", f"Accept-Encoding: {encoding}"]
        plan = Plan(8 * WARM_UP, runs=1, parallel=WARM_UP, keeps_connections=False, headers=headers)
        fetched(plan, [Endpoint(subject.name, subject.url, {"source": source})], [WARM])
