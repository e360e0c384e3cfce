# SPDX-License-Identifier: Apache-2.0
"""The demo's logs and the samples are the same from disk, from Swift and from a store."""

import re
import shutil
from itertools import chain
from urllib.parse import quote

import pytest

from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.s3 import ENVIRONMENT, S3

pytestmark = pytest.mark.long

SOURCES = ("disk", "swift", "store")
OF_A_LOG = ("format=text", "format=jsonl", "format=summary", "level=WARNING", "format=brief")
OF_A_FOLDER = (
    "format=json",
    "format=summary",
    "format=overview",
    "level=ERROR&order=time&format=jsonl",
    "q=error",
)
#: What each source says of its own: its name, and when a log was stored.
OWN = re.compile(
    rb'(?<=source=)(?:disk|swift|store)|"(?:disk|swift|store)"|"modified": (?:null|"[^"]*")'
)


@pytest.fixture(scope="module")
def root(demo, samples, tmp_path_factory):
    root = tmp_path_factory.mktemp("disk")
    shutil.copytree(demo, root / "demo", copy_function=shutil.copyfile)
    shutil.copytree(samples, root / "samples", copy_function=shutil.copyfile)
    return root


@pytest.fixture(scope="module")
def server(swift, root, tmp_path_factory):
    with S3(tmp_path_factory.mktemp("s3")) as s3:
        s3.upload(root, "logs")
        swift.upload(root, "agreeing")
        sections = {
            "disk": {"root": root},
            "swift": swift.settings("agreeing"),
            "store": s3.settings("logs"),
        }
        with Gunicorn(ini(sections), env=ENVIRONMENT) as server:
            yield server


def differing(server, path, query):
    """The sources whose answer is not that of the disk."""
    answers = [ask(server, f"{quote(path)}?{query}&source={name}") for name in SOURCES]
    assert answers[0].status == 200, (path, query, answers[0].body)
    said = [(answer.status, OWN.sub(b"", answer.body)) for answer in answers]
    differ = [name for name, one in zip(SOURCES, said, strict=True) if one != said[0]]
    return [f"{name} of {path}?{query}" for name in differ]


def test_every_log_is_the_same_from_all_sources(server, root):
    paths = [path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file()]
    logs = [f"/{path}" for path in paths if path.suffix in (".txt", ".gz", ".log")]
    assert len(logs) > 15
    found = (differing(server, path, query) for path in logs for query in OF_A_LOG)
    assert list(chain.from_iterable(found)) == []


def test_every_folder_is_the_same_from_all_sources(server, root):
    folders = [root, *(path for path in sorted(root.rglob("*")) if path.is_dir())]
    paths = [f"/{path.relative_to(root)}/".replace("/./", "/") for path in folders]
    found = (differing(server, path, query) for path in paths for query in OF_A_FOLDER)
    assert list(chain.from_iterable(found)) == []
