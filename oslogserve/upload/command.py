# SPDX-License-Identifier: Apache-2.0
"""The command `oslogserve upload`."""

import argparse
import os
import select
import shlex
import signal
import sys
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import BinaryIO

from oslogserve.config import ConfigError, load
from oslogserve.progress import at_signals, in_threads
from oslogserve.sources.swift import SOURCE as SWIFT
from oslogserve.text import shown
from oslogserve.upload.console import LiveConsole, keep
from oslogserve.upload.destination import BadName, Destination, check_options, target_of
from oslogserve.upload.masks import load_masks
from oslogserve.upload.report import Report
from oslogserve.upload.uploader import Uploader, files_below
from oslogserve.upload.writer import Effort, Writer

#: Bytes of standard input that are read at once.
PIECE = 65536


def upload(options: argparse.Namespace) -> int:
    """Uploads logs. Returns the exit status: 3 if it stopped before its end, 1 if a file could not be stored, else 0.

    Raises ConfigError, OSError.
    """
    destination = _destination(options)
    if options.passed:
        _pointer(options, destination)  # a faulty name is told before anything is stored
    report = Report()
    if options.logs == "-":
        _upload_console(options, destination, report)
    else:
        _upload_folder(options, destination, report)
    if options.passed and report.is_complete:
        _renew_pointer(options, destination, report)
    summary = report.summary()
    if destination.masks:
        print(destination.masks.summary())
    print(summary)
    return 3 if report.counts["stopped"] else 0 if report.is_complete else 1


def _destination(options: argparse.Namespace) -> Destination:
    if options.prefix and not options.prefix.strip("/"):  # it would be the container's root
        raise ConfigError(f"--prefix {options.prefix}: it is empty: give a value, or leave it out")
    overrides = {"swift_container": options.container} if options.container else {}
    config = load(options.config, **overrides)
    target = target_of(config, options.to or (SWIFT if options.container else None))
    check_options(target, options)
    segments = os.fsencode(options.prefix or "").split(b"/")
    if b".." in segments or b"." in segments:
        raise ConfigError(f'--prefix {shown(b"/".join(segments))}: "." and ".." are no names')
    prefix = b"/".join(filter(None, segments))
    masks = load_masks(options.mask, config)
    return Destination(config, target, prefix, options.segment_size, not options.no_gzip, masks)


def _pointer(options: argparse.Namespace, destination: Destination) -> tuple[Destination, bytes]:
    """The destination of pointers, and the pointer's file name. Raises ConfigError."""
    name = os.fsencode(options.passed)
    folder = destination.config["job", "passed_folder"].strip("/").encode()
    pointers = destination._replace(prefix=folder, may_gzip=False, masks=None)
    if b"/" in name or name.startswith((b".", b"@")) or not destination.prefix:
        raise ConfigError(f"--passed {shown(name)}: give a name without slashes, and a --prefix")
    try:
        pointers.location(name)
    except BadName as error:
        raise ConfigError(f"--passed {shown(name)}: {error}") from error
    return pointers, name


def _renew_pointer(options: argparse.Namespace, destination: Destination, report: Report) -> None:
    pointers, name = _pointer(options, destination)
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(_writer(options, pointers, report, options.patience)) as writer,
    ):
        Path(os.fsdecode(folder), os.fsdecode(name)).write_bytes(destination.prefix + b"\n")
        Uploader(os.fsencode(folder), iter([name]), pointers, writer, report).run()


def _writer(
    options: argparse.Namespace,
    destination: Destination,
    report: Report,
    patience: float,
    prefix: str = "",
) -> Writer:
    effort = Effort(options.parallel, patience, report.note)
    return destination.target.writer(effort, options.expire, prefix)


def _upload_folder(options: argparse.Namespace, destination: Destination, report: Report) -> None:
    root = os.fsencode(options.logs)
    os.scandir(root).close()  # raises if it cannot be read
    writer = _writer(options, destination, report, options.patience, destination.object_prefix)

    def stop(*_: object) -> None:
        at_signals(signal.SIG_DFL)  # the second one does not wait
        writer.stopped.set()

    with closing(writer):
        at_signals(stop)
        files = files_below(root, report)
        uploader = Uploader(root, files, destination, writer, report)
        in_threads(uploader.run, options.parallel)
        if writer.stopped.is_set():
            report.count(stopped=1)
            report.incomplete("stopped: run it again for the files that are missing")


def _upload_console(options: argparse.Namespace, destination: Destination, report: Report) -> None:
    name = os.fsencode(options.name)
    if b"/" in name or name in (b"", b".", b".."):
        raise ConfigError(f"--name {shown(name)}: give the name of a file; --prefix has its folder")
    if sys.stdin is None:
        raise OSError("standard input is closed")
    try:
        destination.location(name)
    except BadName as error:
        raise ConfigError(str(error)) from error
    folder = tempfile.mkdtemp(prefix="oslogserve-upload-", dir=options.keep)
    path = Path(folder, options.name)
    is_stored = False
    # The job gets the first signal too, and may still write its last lines.
    at_signals(lambda *_: at_signals(signal.default_int_handler))
    with path.open("x+b", buffering=0) as file:
        try:
            _read_console(options, destination, report, file)
            with closing(_writer(options, destination, report, options.patience)) as writer:
                root = os.fsencode(folder)
                once = destination._replace(masks=None)  # the file is masked already
                Uploader(root, iter([name]), once, writer, report).run()
            is_stored = not report.has_failures
        except KeyboardInterrupt:
            report.incomplete("interrupted")
    if is_stored:
        path.unlink()
        os.rmdir(folder)
    else:
        again = shlex.join(["oslogserve", "upload", folder, *_same_destination(options)])
        report.note(f"kept in {path}, to be uploaded by: {again}")


def _same_destination(options: argparse.Namespace) -> list[str]:
    """Arguments that upload the folder to the same destination, in the same way."""
    names = ("prefix", "to", "container", "config", "expire", "passed")
    given = {name: getattr(options, name) for name in names} | {
        "segment-size": options.segment_size
    }
    again = [word for name, value in given.items() if value for word in (f"--{name}", str(value))]
    return [*again, "--no-gzip"] if options.no_gzip else again


def _read_console(
    options: argparse.Namespace, destination: Destination, report: Report, file: BinaryIO
) -> None:
    """Copies standard input to a file, masked, until its end, while readers see it grow."""
    location = destination.location(os.fsencode(options.name))
    writer = _writer(options, destination, report, 0)
    with closing(LiveConsole(file, location, writer, options.every, report)):
        try:
            chunks = iter(partial(_read, sys.stdin.fileno()), b"")
            keep(destination.masks.masked(chunks) if destination.masks else chunks, file, report)
        except KeyboardInterrupt:
            report.incomplete("interrupted: what came after that is not uploaded")
        except OSError as error:
            report.incomplete(f"standard input broke off: {error.strerror}")


def _read(descriptor: int) -> bytes:
    """The next bytes of a pipe. Another process may have made it non-blocking."""
    while True:
        try:
            return os.read(descriptor, PIECE)
        except BlockingIOError:
            select.select([descriptor], [], [])
