# SPDX-License-Identifier: Apache-2.0
"""etc/ in the distribution; the Containerfile and etc/kubernetes beside the program.

`make test ENV=lint` validates the latter two.
"""

import configparser
import importlib.metadata
import json
import re
from pathlib import Path

import pytest
import yaml

from oslogserve.cli import _parser
from oslogserve.config import load
from oslogserve.gunicorn_hooks import SETTINGS, TRIAL
from oslogserve.http.operators import Operators

REPOSITORY = Path(__file__).resolve().parents[2]
CONTAINER = (REPOSITORY / "Containerfile").read_text()
KUBERNETES = REPOSITORY / "etc/kubernetes"
MANIFEST = (KUBERNETES / "oslogserve.yaml").read_text()
KINDS = {document["kind"]: document for document in yaml.safe_load_all(MANIFEST)}
DEPLOYMENT = KINDS["Deployment"]
KUSTOMIZATION_TEXT = (KUBERNETES / "kustomization.yaml").read_text()
KUSTOMIZATION = yaml.safe_load(KUSTOMIZATION_TEXT)
SECRET = {"OS_USERNAME": "log-reader", "OS_PASSWORD": "x", "OS_PROJECT_NAME": "ci"}


SHIPPED = {
    str(path.relative_to(REPOSITORY / "etc"))
    for path in REPOSITORY.glob("etc/**/*")
    if path.is_file()
    and path.suffix != ".pyc"  # of gunicorn's settings, which a server in the tests has imported
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


def test_the_image_has_no_command_whose_libraries_it_lacks():
    """Beside the server's wheel, `make wheels` makes that of oslogserve-mcp."""
    assert re.findall(r"dist/\S+", CONTAINER) == ["dist/oslogserve-*.whl"]


def test_the_image_starts_a_server_that_is_not_root():
    command = json.loads(instruction("ENTRYPOINT")) + json.loads(instruction("CMD"))
    options = _parser().parse_args(command[1:])
    assert options.bind == f"0.0.0.0:{instruction('EXPOSE')}"
    assert int(instruction("USER").partition(":")[0]) > 0


def test_the_manifest_asks_for_what_the_image_has():
    assert f"containerPort: {instruction('EXPOSE')}\n" in MANIFEST
    config = Path(json.loads(instruction("CMD"))[2])
    assert f"mountPath: {config.parent}\n" in MANIFEST
    assert (KUBERNETES / config.name).exists()


@pytest.fixture
def config():
    return load(str(KUBERNETES / "oslogserve.conf"), environ=SECRET)


def test_the_manifests_configuration_is_complete_with_its_secret(config):
    assert config["swift", "username"] == "log-reader"
    assert all(f"--from-literal={name}=" in MANIFEST for name in SECRET)


PROMETHEUS, INGRESS, POD = "192.0.2.1", "192.0.2.17", "10.1.2.3"


@pytest.mark.parametrize(
    ("peer", "forwarded", "may"),
    [
        (PROMETHEUS, None, True),
        (POD, None, False),
        (POD, "127.0.0.1", False),
        (INGRESS, POD, False),
        (INGRESS, "203.0.113.7", False),
    ],
)
def test_prometheus_alone_is_an_operator_and_no_other_pod(config, peer, forwarded, may):
    operators = Operators(config["serve", "operators"], config["serve", "fronts"])
    environ = {"REMOTE_ADDR": peer} | ({"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {})
    assert operators.include(environ) == may


def test_no_probe_of_a_pod_asks_swift():
    """All pods have the same Swift: its outage would leave none that answers."""
    (container,) = DEPLOYMENT["spec"]["template"]["spec"]["containers"]
    probes = [probe for name, probe in container.items() if name.endswith("Probe")]
    assert [probe["httpGet"]["path"] for probe in probes] == ["/healthz"] * 3


def test_a_changed_configuration_is_rolled_out():
    """kustomize adds a hash of its content to the name of the ConfigMap that the pods mount."""
    (generated,) = KUSTOMIZATION["configMapGenerator"]
    assert generated["files"] == ["oslogserve.conf"]
    (volume,) = (v for v in DEPLOYMENT["spec"]["template"]["spec"]["volumes"] if "configMap" in v)
    assert volume["configMap"]["name"] == generated["name"]
    assert "ConfigMap" not in KINDS
    resources = re.findall(r"^  #?- (\S+\.yaml)$", KUSTOMIZATION_TEXT, re.MULTILINE)
    others = {path.name for path in KUBERNETES.glob("*.yaml")} - {"kustomization.yaml"}
    assert set(resources) == others


def test_what_prometheus_scrapes_of_a_pod_has_the_job_of_the_alerts():
    monitor = yaml.safe_load((KUBERNETES / "podmonitor.yaml").read_text())["spec"]
    pod = DEPLOYMENT["spec"]["template"]
    labels = pod["metadata"]["labels"]
    assert monitor["selector"]["matchLabels"].items() <= labels.items()
    (endpoint,) = monitor["podMetricsEndpoints"]
    ports = {port["name"] for port in pod["spec"]["containers"][0]["ports"]}
    assert endpoint["port"] in ports
    alerts = (REPOSITORY / "etc/prometheus/oslogserve.rules.yml").read_text()
    assert f'up{{job="{labels[monitor["jobLabel"]]}"}}' in alerts


def test_only_the_ingress_and_prometheus_reach_a_pod():
    (rule,) = KINDS["NetworkPolicy"]["spec"]["ingress"]
    assert len(rule["from"]) == 2
    assert rule["ports"] == [{"port": "http"}]
    (backend,) = KINDS["Ingress"]["spec"]["rules"][0]["http"]["paths"]
    service = backend["backend"]["service"]
    assert service["name"] == KINDS["Service"]["metadata"]["name"]
    assert service["port"]["name"] in {port["name"] for port in KINDS["Service"]["spec"]["ports"]}


def test_pods_are_on_different_nodes():
    (spread,) = DEPLOYMENT["spec"]["template"]["spec"]["topologySpreadConstraints"]
    labels = DEPLOYMENT["spec"]["template"]["metadata"]["labels"]
    assert spread["labelSelector"]["matchLabels"].items() <= labels.items()
    assert spread["topologyKey"] == "kubernetes.io/hostname"


def test_the_service_is_bounded_and_starts_again_before_systemd_gives_up():
    """Twice the workers are there while a reload replaces them."""
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str
    unit.read(REPOSITORY / "etc/systemd/oslogserve.service")
    service = unit["Service"]
    assert service["MemoryMax"] == "1G"
    assert 2 * SETTINGS["workers"] * 256 <= 1024
    assert int(service["TasksMax"]) >= 2 * SETTINGS["workers"] * SETTINGS["threads"] * 4
    # By default, five starts in ten seconds are too many.
    assert service["Restart"] == "on-failure"
    assert 5 * int(service["RestartSec"]) >= 10


def test_a_pod_is_stopped_only_after_its_requests_could_end():
    """preStop's pause and gunicorn's patience, and some time to spare."""
    (pause,) = re.findall(r"sleep:\n +seconds: (\d+)", MANIFEST)
    (patience,) = re.findall(r"terminationGracePeriodSeconds: (\d+)", MANIFEST)
    assert int(pause) + SETTINGS["graceful_timeout"] < int(patience)


def test_systemd_waits_for_a_stop_during_a_reload():
    """The trial of the new configuration, the old workers and then the new ones may take their time."""
    unit = (REPOSITORY / "etc/systemd/oslogserve.service").read_text()
    patience = int(re.search(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)[1])
    assert TRIAL + 2 * SETTINGS["graceful_timeout"] < patience


def test_the_manual_makes_each_secret_that_the_manifest_names():
    manual = (REPOSITORY / "doc/deploy.rst").read_text()
    names = set(re.findall(r"secretName: (\S+)", MANIFEST))
    names |= set(re.findall(r"secretRef:\s+name: (\S+)", MANIFEST))
    for name in names:
        assert re.search(rf"kubectl create secret \w+ {name}\b", manual)
