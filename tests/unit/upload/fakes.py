# SPDX-License-Identifier: Apache-2.0
"""A store that keeps objects in memory, and a report that keeps what it is told."""

import os

from oslogserve.config import load
from oslogserve.upload.naming import Naming
from oslogserve.upload.report import Report
from oslogserve.upload.store import Interrupted


class FakeStore:
    """on_replace: called before an object is stored; it may raise."""

    def __init__(self, on_replace=lambda: None):
        self.on_replace = on_replace
        self.objects = {}
        self.segments = {}
        self.manifests = []
        self.answered = -1.0
        self.is_stopped = False

    def stop(self):
        self.is_stopped = True

    def close(self):
        pass

    def head(self, place):
        return self.objects.get(place, (None, None))[0]

    def replace(self, place, _found, content):
        self.on_replace()
        headers = {
            "etag": content.etag,
            "content-type": content.media_type,
            "content-encoding": content.encoding,
        }
        self.objects[place] = headers, os.pread(content.file.fileno(), content.size, 0)

    def put_segment(self, _place, content, number, segment):
        if self.is_stopped:
            raise Interrupted
        piece = os.pread(content.file.fileno(), segment.size, segment.start)
        self.segments[number, segment.md5] = piece

    def put_manifest(self, _place, content):
        pairs = enumerate(content.segments)
        pieces = [self.segments[number, segment.md5] for number, segment in pairs]
        self.manifests.append(b"".join(pieces))


class FakeReport(Report):
    def __init__(self):
        super().__init__()
        self.lines = []

    def _line(self, text):
        self.lines.append(text)


def config(container="logs"):
    """A configuration whose Swift no test reaches."""
    swift = {"auth_version": "1", "auth_url": "http://swift", "username": "a", "password": "b"}
    overrides = {f"swift_{key}": value for key, value in swift.items()}
    return load(None, {}, swift_container=container, **overrides)


def naming(container="logs", prefix=b"42/7", segment_size=2**20, packs=True):
    return Naming(config(container), prefix, segment_size, packs)
