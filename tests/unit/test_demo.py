# SPDX-License-Identifier: Apache-2.0
import gzip
import hashlib
import re

import pytest
from webob import Request

from oslogserve import demo
from oslogserve.app import App
from oslogserve.config import load
from tests.servers.process import REPOSITORY

README, CONFIGURE = REPOSITORY / "README.rst", REPOSITORY / "doc/configure.rst"

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
#: The same of the build that passed, and the pointer to it.
PASSED_SUMS = {
    "job-output.txt": "152650477798cbcf516c158b7466bc5e",
    "job-output.json": "c08bccbefaa1618c328da5160cb26327",
    "zuul-info/inventory.yaml": "74540d9d6494f1507cfdef74ffd1f26f",
    "controller/logs/screen-c-vol.txt": "e64c461d546ccc5bacf2db517d880220",
    "controller/logs/screen-c-sch.txt": "fc4f023e5ee82ddc9a9575701c805f43",
    "controller/logs/syslog.txt": "fcce4518b52e1b0b5fc2a207104fb8f4",
}
POINTER = b"57/123456/2/check/smoke/9b2c7f4\n"


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
    expected |= {f"{demo._PASSED_BUILD}/{name}": one for name, one in PASSED_SUMS.items()}
    assert found == expected | {
        "passed/smoke": hashlib.md5(POINTER, usedforsecurity=False).hexdigest()
    }


def asked(folder, address, **options):
    app = App(load(None, {}, disk_root=str(folder), **options))
    return Request.blank(address, accept="text/html" if options else None).get_response(app)


def test_the_line_of_the_readme_shows_what_is_new_in_the_failed_demo_build(tmp_path, small):
    demo.write_demo_logs(tmp_path)
    [line] = re.findall(r'curl "http://127.0.0.1:8000(/\S+against=\S+)"', README.read_text("utf-8"))
    logs = [row.split(":")[0] for row in asked(tmp_path, line).text.splitlines() if row]
    assert set(logs) == {"controller/logs/screen-c-vol.txt", "job-output.txt"}
    assert "thin pool 'pool' has 1.21 GiB free" in asked(tmp_path, line).text
    assert len(logs) < 40


def test_the_pattern_of_the_manual_compares_the_failed_demo_build_by_itself(tmp_path, small):
    demo.write_demo_logs(tmp_path)
    [pattern] = re.findall(r"^    passed = (.*)$", CONFIGURE.read_text("utf-8"), re.MULTILINE)
    shown = asked(tmp_path, f"/{demo._FAILED_BUILD}/?format=overview", job_passed=pattern).text
    assert "not enough free space in pool" in shown
    assert f"Compared with {demo._PASSED_BUILD}: " in re.sub(r"<[^>]+>", "", shown)
