# SPDX-License-Identifier: Apache-2.0
import gzip
import hashlib

import pytest

from oslogserve import demo

#: MD5 of each demo log as text: other tests, figures and pictures rely on these very bytes.
SUMS = {
    "job-output.txt": "cc972d7a6dede9a49b1525ab484dac13",
    "testr_results.html": "416f1e2192a1b40c5efc32e2ee37438f",
    "controller/logs/screen-n-cpu.txt.gz": "3e30763c9f295d682ed88042916fb77b",
    "controller/logs/screen-n-api.txt": "70f42d91d315e5a2e4d6a45633710ec3",
    "controller/logs/screen-hostile.txt": "155740125fb1fa6c4b27fa5a1800e6ee",
    "controller/logs/syslog.txt": "7296b6bd330639a48ea192eb688a029a",
    "controller/logs/devstack@c-api.service.txt.gz": "9ff6f529587aa622e253f56993925701",
    "controller/logs/graph.png": "082b9c0033d25ced0c3f5365eb7339ba",
}
#: The same of the build that failed.
FAILED_SUMS = {
    "job-output.txt": "5b2dc1995100a6d9a5419c7e3cece9fc",
    "job-output.json": "a89121b417e27e1ce999a86401a7e774",
    "zuul-info/inventory.yaml": "3464ea7c5c7f331e0240ca240739fd03",
    "controller/logs/screen-c-vol.txt": "7224a5033d0fd47dbb2feb8759593b07",
    "controller/logs/screen-c-sch.txt": "5e82867644e3515df12f25846776c3c8",
    "controller/logs/syslog.txt": "78fd25a201ee08e55c34b4792eea55e5",
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
        found[str(path.relative_to(tmp_path))] = hashlib.md5(
            text, usedforsecurity=False
        ).hexdigest()
    expected = {f"{demo._BUILD}/{name}": one for name, one in SUMS.items()}
    expected |= {f"{demo._FAILED_BUILD}/{name}": one for name, one in FAILED_SUMS.items()}
    assert found == expected
