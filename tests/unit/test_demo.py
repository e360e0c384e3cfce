# SPDX-License-Identifier: Apache-2.0
import gzip
import hashlib

import pytest

from oslogserve import demo

#: MD5 of each demo log as text: other tests, figures and pictures rely on these very bytes.
SUMS = {
    "job-output.txt": "cc972d7a6dede9a49b1525ab484dac13",
    "testr_results.html": "416f1e2192a1b40c5efc32e2ee37438f",
    "screen-n-cpu.txt.gz": "3e30763c9f295d682ed88042916fb77b",
    "screen-n-api.txt": "70f42d91d315e5a2e4d6a45633710ec3",
    "screen-hostile.txt": "155740125fb1fa6c4b27fa5a1800e6ee",
    "syslog.txt": "7296b6bd330639a48ea192eb688a029a",
    "devstack@c-api.service.txt.gz": "9ff6f529587aa622e253f56993925701",
    "graph.png": "082b9c0033d25ced0c3f5365eb7339ba",
}


@pytest.fixture
def small(monkeypatch):
    """A small log in place of the large one."""
    large = "controller/logs/screen-n-cpu.txt.gz"
    monkeypatch.setitem(demo._FILES, large, lambda: demo._screen(300_000, 2))


def test_the_demo_logs_never_change(tmp_path, small):
    found = {}
    for path in demo.write_demo_logs(tmp_path):
        content = path.read_bytes()
        text = gzip.decompress(content) if path.suffix == ".gz" else content
        found[path.name] = hashlib.md5(text, usedforsecurity=False).hexdigest()
    assert found == SUMS
