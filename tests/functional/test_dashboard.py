# SPDX-License-Identifier: Apache-2.0
"""etc/grafana: each expression of the dashboard, asked of a real Prometheus after a load."""

import contextlib
import importlib
import json
import math
import re
import urllib.parse
import urllib.request

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from tests.servers.client import ask, ini
from tests.servers.faulty import Fault
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import HOST, REPOSITORY, Process, free_port, poll
from tests.servers.swift import Swift

DASHBOARD = json.loads((REPOSITORY / "etc/grafana/oslogserve.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
EXPRESSIONS = {
    f"{panel['title']}: {target['refId']}": target["expr"]
    for panel in PANELS
    for target in panel["targets"]
}
#: What Grafana puts in the place of its variables.
VARIABLES = {"$__rate_interval": "1m", "$__range": "1h", "$job": "oslogserve", "$instance": ".*"}
#: A size of each class.
SIZES = {"64KiB": 10_000, "1MiB": 200_000, "16MiB": 2_000_000, "larger": 20_000_000}
LINE = b"2026-03-04 18:22:11.248 1 INFO nova.compute [-] A line like any other\n"
BOUND = 60


def lost(mine, theirs, at=""):
    """Places of what is there in `mine` and not in `theirs`."""
    if isinstance(mine, dict) and isinstance(theirs, dict):
        for key in mine:
            yield from lost(mine[key], theirs.get(key), f"{at}.{key}")
    elif isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs):
        for number, pair in enumerate(zip(mine, theirs, strict=True)):
            yield from lost(*pair, f"{at}[{number}]")
    elif mine != theirs:
        yield at


def as_grafana_reads(dashboard):
    """The dashboard without what Grafana's own model of it does not know."""
    register_default_plugins()
    model = Dashboard.from_json(json.loads(json.dumps(dashboard)))
    return json.loads(json.dumps(model, cls=JSONEncoder))


def test_grafana_knows_every_field_of_it():
    # Its importer takes these off; it asks for no input, since a variable chooses the data source.
    stored = {name: value for name, value in DASHBOARD.items() if not name.startswith("__")}
    assert list(lost(stored, as_grafana_reads(stored))) == []
    for panel in PANELS:
        importlib.import_module(f"grafana_foundation_sdk.models.{panel['type']}")


def test_it_names_all_that_it_needs_of_grafana():
    assert DASHBOARD["__inputs"] == []
    assert {panel["datasource"]["uid"] for panel in PANELS} == {"${datasource}"}
    needed = {(one["type"], one["id"]) for one in DASHBOARD["__requires"]}
    panels = {("panel", panel["type"]) for panel in PANELS}
    assert needed == {("grafana", "grafana"), ("datasource", "prometheus"), *panels}


@pytest.fixture
def prometheus(tmp_path):
    """start(server): the URL of a Prometheus with the shipped configuration that scrapes it."""
    with contextlib.ExitStack() as stack:

        def start(server):
            port = free_port()
            job = (REPOSITORY / "etc/prometheus/oslogserve.job.yml").read_text()
            rules = REPOSITORY / "etc/prometheus/oslogserve.rules.yml"
            config = tmp_path / "prometheus.yml"
            job = job.replace("scrape_interval: 15s", "scrape_interval: 1s")
            job = job.replace("127.0.0.1:8000", server.url.removeprefix("http://"))
            config.write_text(f"rule_files:\n  - {rules}\nscrape_configs:\n{job}")
            url = f"http://{HOST}:{port}"
            command = ["prometheus", f"--config.file={config}"]
            command += [f"--storage.tsdb.path={tmp_path / 'tsdb'}"]
            command += [f"--web.listen-address={HOST}:{port}"]
            ready = [f"{url}/-/ready"]
            stack.enter_context(Process(command, tmp_path / "prometheus.log", ready=ready))
            return url

        yield start


def values_of(prometheus, expression):
    """Those that are numbers."""
    for variable, value in VARIABLES.items():
        expression = expression.replace(variable, value)
    assert "$" not in expression
    query = urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(f"{prometheus}/api/v1/query?{query}", timeout=20) as answer:
        result = json.load(answer)["data"]["result"]
    return [float(row["value"][1]) for row in result if not math.isnan(float(row["value"][1]))]


def load(server, swift):
    """Requests of every kind: sizes of all classes, a miss, retries, resumes and a broken log."""
    for source in ("disk", "swift"):
        for name in SIZES:
            for view in ("html", "raw"):
                answer = ask(server, f"/{name}.txt?source={source}&format={view}&lines=1-9")
                assert answer.status == 200
        assert ask(server, f"/none.txt?source={source}").status == 404
    faulty = swift.faulty
    for behaviour in (
        Fault(after=3_000_000, then="reset", only=b"/larger.txt", times=1),
        Fault(after=0, then="reset", only=b"/64KiB.txt", times=1),
    ):
        faulty.behave(behaviour)
        name = "larger" if b"larger" in behaviour.only else "64KiB"
        assert ask(server, f"/{name}.txt?source=swift&format=text").status == 200
    faulty.behave()
    broken = ask(server, "/broken.txt.gz?format=text")
    assert b"this log is incomplete" in broken.body


def _of_each_size():
    """The expressions by size, for each size."""
    by_size = [text for text in EXPRESSIONS.values() if "by (size, le)" in text]
    assert len(by_size) > 10
    return [
        re.sub(r"(_bucket\{)", rf'\1size="{size}",', text) for size in SIZES for text in by_size
    ]


@pytest.fixture
def swift(tmp_path):
    with Swift(tmp_path / "swift", faulty=True) as swift:
        yield swift


def test_every_expression_has_data_after_a_load(swift, prometheus, tmp_path):
    root = tmp_path / "logs"
    root.mkdir()
    (root / "broken.txt.gz").write_bytes(b"\x1f\x8b\x08\0 and no more of it")
    logs = {f"{name}.txt": LINE * (size // len(LINE)) for name, size in SIZES.items()}
    for name, content in logs.items():
        (root / name).write_bytes(content)
    swift.put("logs", logs)
    config = {"disk": {"root": root}, "swift": swift.settings("logs")}
    expressions = [*EXPRESSIONS.values(), *_of_each_size()]
    with Gunicorn(ini(config), workers=2) as server:
        url = prometheus(server)

        def without_data():
            return [text for text in expressions if not values_of(url, text)]

        def all_have_data():
            load(server, swift)
            return not without_data()

        poll(all_have_data, lambda: AssertionError(f"no data: {without_data()}"), BOUND)
