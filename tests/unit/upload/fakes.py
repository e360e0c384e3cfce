# SPDX-License-Identifier: Apache-2.0
"""A writer that keeps objects in memory, and a report that keeps its lines."""

import os
from threading import Event

from oslogserve.config import load
from oslogserve.upload.destination import Destination, target_of
from oslogserve.upload.report import Report


class FakeWriter:
    """on_replace: called before an object is stored; it may raise."""

    def __init__(self, on_replace=lambda: None):
        self.source = "swift"
        self.on_replace = on_replace
        self.objects = {}
        self.answered = -1.0
        self.stopped = Event()
        self.stop_reason = "interrupted"

    def close(self):
        pass

    def head(self, location):
        return self.objects.get(location, (None, None))[0]

    def checksum_of(self, headers):
        return headers["etag"]

    def console(self, location, file, seconds):
        return lambda size: None

    def replace(self, location, _found, payload):
        self.on_replace()
        headers = {
            "etag": payload.etag,
            "content-type": payload.media_type,
            "content-encoding": payload.encoding,
            "content-length": str(payload.size),
            "last-modified": "Thu, 28 Mar 2024 12:20:43 GMT",
        }
        self.objects[location] = (
            headers,
            os.pread(payload.segments[0].file.fileno(), payload.size, 0),
        )

    def stored(self):
        return {
            f"{location.container}/{location.name}": text
            for location, (_, text) in self.objects.items()
        }


class FakeReport(Report):
    def __init__(self):
        super().__init__()
        self.lines = []

    def note(self, text):
        self.lines.append(text)


def config(container="logs"):
    """A configuration whose Swift no test reaches."""
    swift = {"auth_version": "1", "auth_url": "http://swift", "username": "a", "password": "b"}
    overrides = {f"swift_{key}": value for key, value in swift.items()}
    return load(None, {}, swift_container=container, **overrides)


def destination(container="logs", prefix=b"42/7"):
    given = config(container)
    return Destination(given, target_of(given, None), prefix, segment_size=2**20, may_gzip=True)
