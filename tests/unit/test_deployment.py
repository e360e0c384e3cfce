# SPDX-License-Identifier: Apache-2.0
"""etc/ in the distribution; the Containerfile and etc/kubernetes beside the program.

`make test ENV=lint` validates the latter two.
"""

import importlib.metadata
import json
import re
import textwrap
from pathlib import Path

import pytest

from oslogserve.cli import _parser
from oslogserve.config import load
from oslogserve.gunicorn_hooks import SETTINGS
from oslogserve.http.operators import Operators

REPOSITORY = Path(__file__).resolve().parents[2]
CONTAINER = (REPOSITORY / "Containerfile").read_text()
MANIFEST = (REPOSITORY / "etc/kubernetes/oslogserve.yaml").read_text()
SECRET = {"OS_USERNAME": "log-reader", "OS_PASSWORD": "x", "OS_PROJECT_NAME": "ci"}


SHIPPED = {
    str(path.relative_to(REPOSITORY / "etc"))
    for path in REPOSITORY.glob("etc/**/*.*")
    if path.suffix != ".pyc"  # of gunicorn's settings, which a server in the tests has imported
}


def test_all_of_etc_is_where_pip_has_installed_it():
    found = importlib.metadata.distributions(name="oslogserve")
    (installed,) = (one for one in found if one.read_text("RECORD"))
    if "editable" in (installed.read_text("direct_url.json") or ""):
        pytest.skip("an editable installation is without data files")
    names = (str(path).partition("share/oslogserve/")[2] for path in installed.files)
    assert {name for name in names if name and "__pycache__" not in name} == SHIPPED


def instruction(name):
    """What the last one of this name says."""
    return re.findall(rf"^{name} (.*)$", CONTAINER, re.MULTILINE)[-1]


def test_the_image_starts_a_server_that_is_not_root():
    command = json.loads(instruction("ENTRYPOINT")) + json.loads(instruction("CMD"))
    options = _parser().parse_args(command[1:])
    assert options.bind == f"0.0.0.0:{instruction('EXPOSE')}"
    assert int(instruction("USER").partition(":")[0]) > 0


def test_the_manifest_asks_for_what_the_image_has():
    assert f"containerPort: {instruction('EXPOSE')}\n" in MANIFEST
    config = Path(json.loads(instruction("CMD"))[2])
    assert f"mountPath: {config.parent}\n" in MANIFEST
    assert f"  {config.name}: |\n" in MANIFEST


@pytest.fixture
def config(tmp_path):
    block = re.search(r"^  oslogserve\.conf: \|\n((?:    .*\n|\n)+)", MANIFEST, re.MULTILINE)[1]
    file = tmp_path / "oslogserve.conf"
    file.write_text(textwrap.dedent(block))
    return load(str(file), environ=SECRET)


def test_the_manifests_configuration_is_complete_with_its_secret(config):
    assert config["swift", "username"] == "log-reader"
    assert all(f"--from-literal={name}=" in MANIFEST for name in SECRET)


@pytest.mark.parametrize(
    ("peer", "forwarded", "may"),
    [
        ("10.1.2.3", None, True),  # the kubelet, Prometheus
        ("10.1.2.3", "192.0.2.1", False),  # a reader, by way of the ingress
        ("192.0.2.1", None, False),
    ],
)
def test_the_kubelet_may_ask_for_readiness_and_readers_may_not(config, peer, forwarded, may):
    operators = Operators(config["serve", "operators"], config["serve", "fronts"])
    environ = {"REMOTE_ADDR": peer} | ({"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {})
    assert operators.include(environ) == may


def test_a_pod_is_stopped_only_after_its_requests_could_end():
    """preStop's pause and gunicorn's patience, and some time to spare."""
    (pause,) = re.findall(r"sleep:\n +seconds: (\d+)", MANIFEST)
    (patience,) = re.findall(r"terminationGracePeriodSeconds: (\d+)", MANIFEST)
    assert int(pause) + SETTINGS["graceful_timeout"] < int(patience)
