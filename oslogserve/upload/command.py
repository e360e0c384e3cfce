# SPDX-License-Identifier: Apache-2.0
"""The command `oslogserve upload`."""

import argparse
import itertools
import os
import select
import shlex
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from oslogserve.config import Config, ConfigError, load
from oslogserve.upload.console import Growing, Renewals, Spool
from oslogserve.upload.files import Files
from oslogserve.upload.naming import Naming, Unstorable
from oslogserve.upload.report import Report, shown
from oslogserve.upload.store import Store, StoreOptions
from oslogserve.upload.walk import files_below

#: Bytes of standard input that are read at once.
PIECE = 65536


def upload(options: argparse.Namespace) -> int:
    """Uploads. Returns the exit status, 1 if not all is in Swift as it is here.

    Raises ConfigError, OSError.
    """
    naming = _naming(options)
    report = Report()
    if options.logs == "-":
        _upload_console(options, naming, report)
    else:
        _upload_folder(options, naming, report)
    print(report.summary())
    return 0 if report.is_complete else 1


def _naming(options: argparse.Namespace) -> Naming:
    overrides = {"swift_container": options.container} if options.container else {}
    config = load(options.config, **overrides)
    if not config["swift", "container"]:
        raise ConfigError("no container to upload to: give --container, or --config with one")
    segments = os.fsencode(options.prefix).split(b"/")
    if b".." in segments or b"." in segments:
        raise ConfigError(
            f'--prefix {shown(os.fsencode(options.prefix))}: "." and ".." are no names'
        )
    prefix = b"/".join(filter(None, segments))
    return Naming(config, prefix, options.segment_size, not options.no_gzip)


def _store(options: argparse.Namespace, config: Config, patience: float, prefix: str = "") -> Store:
    return Store(config, StoreOptions(options.expire, options.parallel, patience, prefix))


def _upload_folder(options: argparse.Namespace, naming: Naming, report: Report) -> None:
    root = os.fsencode(options.logs)
    os.scandir(root).close()  # raises what is wrong with it
    prefix = naming.object_prefix
    store = _store(options, naming.config, options.patience, prefix)
    with closing(store), _signals_call(_stops(store)):
        files = Files(root, files_below(root, report), naming, store, report)
        with ThreadPoolExecutor(options.parallel) as pool:
            threads = [pool.submit(files.upload_all) for _ in range(options.parallel)]
            for thread in threads:
                thread.result()
        if store.is_stopped:
            report.incomplete("stopped: run it again for the files that are missing")


def _upload_console(options: argparse.Namespace, naming: Naming, report: Report) -> None:
    name = os.fsencode(options.name)
    if b"/" in name or name in (b"", b".", b".."):
        raise ConfigError(f"--name {shown(name)}: give the name of a file; --prefix has its folder")
    if sys.stdin is None:
        raise OSError("standard input is closed")
    try:
        naming.place(name)
    except Unstorable as error:
        raise ConfigError(str(error)) from error
    folder = tempfile.mkdtemp(prefix="oslogserve-upload-", dir=options.keep)
    is_stored = False
    with closing(Spool(Path(folder, options.name))) as spool, _signals_call(_second_interrupts()):
        try:
            _read_console(options, naming, report, spool)
            with closing(_store(options, naming.config, options.patience)) as store:
                Files(os.fsencode(folder), iter([name]), naming, store, report).upload_all()
            is_stored = not report.has_failures
        except KeyboardInterrupt:
            report.incomplete("interrupted")
    if is_stored:
        spool.path.unlink()
        os.rmdir(folder)
    else:
        again = shlex.join(["oslogserve", "upload", folder, *_same_place(options)])
        report.note(f"kept in {spool.path}, to be uploaded by: {again}")


def _same_place(options: argparse.Namespace) -> list[str]:
    """The arguments by which a folder's files are stored where the console was to be."""
    given = {name: getattr(options, name) for name in ("prefix", "container", "config", "expire")}
    return [word for name, value in given.items() if value for word in (f"--{name}", str(value))]


def _read_console(
    options: argparse.Namespace, naming: Naming, report: Report, spool: Spool
) -> None:
    """Uploads standard input until its end. Readers see it grow."""
    live = _store(options, naming.config, 0)
    growing = Growing(spool, naming.place(os.fsencode(options.name)), live)
    with closing(Renewals(growing, live, options.every, report.note)):
        try:
            spool.fill(partial(_read, sys.stdin.fileno()))
        except KeyboardInterrupt:
            report.incomplete("interrupted: what came after that is not uploaded")
        except OSError as error:
            report.incomplete(f"standard input broke off: {error.strerror}")
    if spool.lost:
        report.incomplete(f"the disk is full: {spool.lost} bytes of the console are lost")


def _read(descriptor: int) -> bytes:
    """The next bytes of a pipe, waited for: another process may have made it non-blocking."""
    while True:
        try:
            return os.read(descriptor, PIECE)
        except BlockingIOError:
            select.select([descriptor], [], [])


@contextmanager
def _signals_call(handler: Callable[..., None]) -> Iterator[None]:
    """Context in which SIGINT and SIGTERM call the handler."""
    before = {each: signal.signal(each, handler) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler_before in before.items():
            signal.signal(each, handler_before)


def _stops(store: Store) -> Callable[..., None]:
    """A handler that ends a folder's upload when a request has ended, and at the second signal at once."""

    def handle(number: int, _: object) -> None:
        store.stop()
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_DFL)

    return handle


def _second_interrupts() -> Callable[..., None]:
    """A handler that passes over the first signal of a console's upload: it goes to the job as well, whose
    last lines are still to come."""
    count = itertools.count(1)

    def handle(*_: object) -> None:
        if next(count) > 1:
            raise KeyboardInterrupt

    return handle
