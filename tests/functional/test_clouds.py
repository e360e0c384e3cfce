# SPDX-License-Identifier: Apache-2.0
"""A log in a real Swift, by a cloud of clouds.yaml that a real Keystone knows."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from oslogserve.cli import main
from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.keystone import REGION
from tests.servers.process import as_installed

SCRIPT = str(Path(sys.executable).with_name("oslogserve"))
LINE = b"2024-03-28 12:20:43.570 1 INFO nova.compute [-] A line like any other\n"


def test_a_log_is_uploaded_and_served_by_a_cloud(keystone_swift, tmp_path):
    keystone = keystone_swift.keystone
    auth = keystone.settings()
    secret = {"password": auth.pop("password")}
    del auth["auth_version"]
    auth["auth_url"] = auth["auth_url"].removesuffix("/v3")  # found by asking Keystone
    files = {
        "clouds": {"auth": auth, "region_name": REGION},
        "secure": {"auth": secret},
    }
    for name, cloud in files.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.dump({"clouds": {"ci": cloud}}))
    env = {
        "OS_CLIENT_CONFIG_FILE": str(tmp_path / "clouds.yaml"),
        "OS_CLIENT_SECURE_FILE": str(tmp_path / "secure.yaml"),
    }
    config = tmp_path / "site.conf"
    config.write_text(ini({"swift": {"container": "cloud", "cloud": "ci"}}))
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "a.txt").write_bytes(LINE * 100)

    def oslogserve(*words):
        run = [SCRIPT, *map(str, words)]
        return subprocess.run(
            run, check=False, capture_output=True, timeout=60, env=as_installed(**env)
        )

    missing = oslogserve("check-config", config)
    assert missing.returncode == 1
    assert b"\n# swift: there is no such container (container cloud)\n" in missing.stdout
    done = oslogserve("upload", tmp_path / "job", "--prefix", "42/7", "--config", config)
    assert (done.returncode, done.stderr) == (0, b"")
    with Gunicorn(config.read_text(), env=env) as server:
        assert ask(server, "/42/7/a.txt?format=text").body == LINE * 100
        log = server.log.read_bytes()
    assert secret["password"].encode() not in log + missing.stdout + done.stdout


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "ok"),
        ({"container": "none"}, "there is no such container (container none)"),
        ({"container": "none_{partition}"}, "ok"),
        ({"password": "wrong"}, "auth_url answers with status 401 (container checked)"),
        pytest.param(
            {"project_name": "none"},
            "auth_url answers with status 401 (container checked)",
            marks=pytest.mark.long,
        ),
        (
            {"region_name": "none"},
            "the catalog has no such object-store endpoint (container checked)",
        ),
        ({"auth_url": "SWIFT/v3"}, "auth_url answers with status 400 (container checked)"),
    ],
    ids=str,
)
def test_check_config_asks_keystone_and_swift_as_a_server_will(
    keystone_swift, tmp_path, capsys, wrong, said
):
    keystone_swift.put("checked", {"a.txt": LINE})
    wrong = {key: text.replace("SWIFT", keystone_swift.url) for key, text in wrong.items()}
    config = tmp_path / "site.conf"
    config.write_text(ini({"swift": keystone_swift.settings("checked") | {"retries": 0} | wrong}))
    assert main(["check-config", str(config)]) == (0 if said == "ok" else 1)
    assert capsys.readouterr().out.splitlines()[-1] == f"# swift: {said}"
