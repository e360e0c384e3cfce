# SPDX-License-Identifier: Apache-2.0
"""`oslogserve bench`, as it is run from a shell."""

import contextlib
import csv
import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from oslogserve.bench.client import Client
from oslogserve.bench.containers import PREFIX
from oslogserve.bench.runs import interrupted_by_signals
from oslogserve.bench.samples import Request, UploadData
from tests.servers.client import ini
from tests.servers.delays import Delays
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import as_installed, poll

SCRIPT = str(Path(sys.executable).with_name("oslogserve"))
CONTAINER = "test_bench"
LOG = b"2013-09-27 18:22:11.248 1 INFO nova a line\n" * 2000


def bench(*arguments, action="get", **options):
    command = [SCRIPT, "bench", action, *arguments]
    return subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env=as_installed(),
        **options,
    )


def rows(done):
    return list(csv.DictReader(done.stdout.splitlines()))


def interrupted(wait, number, *arguments):
    """The JSON of a command that gets a signal once `wait` returns."""
    with subprocess.Popen(
        [SCRIPT, "bench", *arguments, "--warm-up", "0", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=as_installed(),
    ) as process:
        wait()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"")
    found = json.loads(out)
    assert found["interrupted"]
    return found


@pytest.fixture(scope="module")
def server(swift, tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    (root / "job" / "logs").mkdir(parents=True)
    (root / "job" / "console.txt").write_bytes(LOG)
    (root / "job" / "logs" / "a b.txt").write_bytes(LOG[:4300])
    swift.upload(root, CONTAINER)
    settings = {"disk": {"root": root}, "swift": swift.settings(CONTAINER)}
    with Gunicorn(ini(settings), "--threads", "8", workers=2) as server:
        yield server


@pytest.fixture(scope="module")
def config(swift, tmp_path_factory):
    """The argument for a configuration that knows this Swift."""
    path = tmp_path_factory.mktemp("config") / "oslogserve.conf"
    path.write_text(ini({"swift": swift.settings(CONTAINER)}))
    return f"--config={path}"


@pytest.fixture
def connection(swift):
    with contextlib.closing(swift.connection()) as connection:
        yield connection


def containers(connection):
    _, rows = connection.get_account(prefix=PREFIX)
    return [row["name"] for row in rows]


@pytest.fixture(scope="module")
def delays():
    with Delays() as server:
        yield server


@pytest.mark.long
def test_disk_and_swift_are_measured_in_turn(server, tmp_path):
    page = tmp_path / "report.html"
    done = bench(
        f"{server.url}/job/console.txt",
        *("--requests", "30", "--parallel", "4", "--runs", "2", "--json", "--report", str(page)),
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert [run["requests"] for run in found["runs"]] == [60, 60]
    assert [run["bytes"] for run in found["runs"]] == [60 * len(LOG)] * 2
    for source in ("disk", "swift"):
        assert found["sources"][source]["total"]["all"]["requests"] == 60
        assert found["sources"][source][f"server {source}"]["all"]["mean"] > 0
        assert found["sources"][source]["server begin"]["all"]["requests"] == 60
    assert {ratio["metric"] for ratio in found["ratios"]} == {"response", "transfer"}
    assert sum(found["workers"].values()) == 120
    assert "<svg" in page.read_text()


def test_all_logs_below_a_folder_are_fetched(server):
    job = "--job", f"{server.url}/job"
    found = rows(bench(*job, "--requests", "4", "--csv", "--sources", "swift,disk"))
    assert [row["source"] for row in found] == ["swift", "disk"] * 4
    assert {(row["name"], int(row["size"])) for row in found} == {
        (f"{server.url}/job/console.txt", len(LOG)),
        (f"{server.url}/job/logs/a%20b.txt", 4300),
    }


@pytest.mark.parametrize("which", [("--list", "-"), ("--job", "job")])
def test_two_servers_are_compared_by_a_list_or_a_folder_of_the_first(server, which):
    both = "--base", f"one={server.url}", "--base", f"two={server.url}/job/.."
    listed = "# logs\n\n  job/console.txt\r\njob/logs/a%20b.txt\n"
    found = rows(bench(*both, *which, "--requests", "2", "--csv", input=listed))
    assert [(row["source"], row["name"]) for row in found] == [
        (source, name)
        for name in ("job/console.txt", "job/logs/a%20b.txt")
        for source in ("one", "two")
    ]


@pytest.mark.parametrize("path", ["503", "short"])
def test_failures_and_short_bodies_are_counted_and_not_averaged_in(delays, path):
    urls = f"{delays.url}/none", f"{delays.url}/{path}"
    done = bench(*urls, "--sources", "disk", "--requests", "40", "--warm-up", "0", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["runs"][0]["failures"] == 20
    assert found["sources"]["disk"]["total"]["all"]["requests"] == 20
    assert "disk: 20 requests failed" in " ".join(found["caveats"])


@pytest.mark.parametrize(("requests", "parallel"), [(16, 1), (64, 64)])
def test_no_answer_is_measured_faster_than_it_was(delays, requests, parallel):
    amount = ("--requests", str(requests), "--parallel", str(parallel))
    done = bench(f"{delays.url}/fixed", "--sources", "disk", *amount, "--csv")
    found = rows(done)
    assert len(found) == requests
    assert all(0.0495 <= float(row["response"]) <= float(row["total"]) for row in found)
    assert {row["worker"] for row in found} == {"17"}


def test_connections_are_kept_unless_told_otherwise(delays):
    url = f"{delays.url}/none"
    for options, opened in (((), 0), (("--no-keep-alive",), 20)):
        done = bench(url, "--sources", "disk", "--requests", "20", "--csv", *options)
        assert [row["is_first"] for row in rows(done)].count("True") == opened


def test_an_interruption_within_a_callback_of_libcurl_is_not_lost(delays):
    client = Client(1, [])

    class Interrupting(UploadData):
        def read(self, most):
            os.kill(os.getpid(), signal.SIGINT)
            return super().read(most)

    requests = (
        Request("a", "none", f"{delays.url}/none", "PUT", (), Interrupting(b"x", 1))
        for _ in itertools.count()
    )
    with (
        contextlib.closing(client),
        interrupted_by_signals(client),
        pytest.raises(KeyboardInterrupt),
    ):
        next(client.fetch(requests))


def test_ctrl_c_keeps_what_was_measured(delays):
    urls = f"{delays.url}/none", f"{delays.url}/never"
    command = "get", *urls, "--sources", "disk", "--requests", "2"
    found = interrupted(delays.wait_for_a_client_of_never, signal.SIGINT, *command)
    assert found["sources"]["disk"]["total"]["all"]["requests"] == 1


def test_four_scenarios_are_one_command(server):
    logs = [f"{server.url}/job/{name}" for name in ("logs/a%20b.txt", "console.txt")]
    done = bench(*logs, "--requests", "5", "--parallel", "2", action="scenarios")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"logs: 2; one log: {logs[1]}\n" in done.stdout
    table = done.stdout.partition("\nscenario, ms")[2].partition("\n\n")[0].splitlines()[1:]
    assert [row.partition("  ")[0] for row in table] == [
        f"{what}, {how}"
        for what in ("one log", "2 logs")
        for how in ("one by one", "2 parallel")
        for _ in ("disk", "swift")
    ]


def test_the_log_of_a_scenario_can_be_named(server):
    job, short = f"{server.url}/job/", f"{server.url}/job/logs/a%20b.txt"
    amount = ("--requests", "1", "--parallel", "2", "--csv")
    found = rows(bench("--job", job, "--log", short, *amount, action="scenarios"))
    sizes = {row["size"] for row in found if row["run"].startswith("one log")}
    assert sizes == {"4300"}


def test_progress_is_shown_without_a_terminal_if_asked_for(delays):
    done = bench(f"{delays.url}/none", "--sources", "disk", "--requests", "20", "--verbose")
    assert done.stderr.splitlines()[-1] == "run 1 of 1: 20 requests"
    assert "\x1b" not in done.stderr


@pytest.mark.long
def test_a_mix_puts_gets_and_deletes_at_once_and_leaves_nothing(config, connection):
    sizes = ("--sizes", "10,2000", "--mix", "2,3,2", "--containers", "2")
    amount = ("--requests", "200", "--parallel", "8", "--warm-up", "2")
    done = bench(config, *sizes, *amount, "--json", action="mix")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    counts = {name: own["total"]["all"]["requests"] for name, own in found["sources"].items()}
    assert set(counts) == {"put", "get", "delete"}
    assert sum(counts.values()) == 200
    assert min(counts.values()) > 20
    assert found["runs"][0]["failures"] == 0
    assert {row[7] for row in found["samples"][0] if row[0] != "delete"} == {10, 2000}
    assert "delete" not in [row[0] for run in found["samples"][1:] for row in run]
    assert containers(connection) == []


@pytest.mark.long
def test_what_was_put_is_deleted(config, connection, tmp_path):
    page = tmp_path / "report.html"
    amount = ("--size", "1500", "--requests", "20", "--parallel", "4", "--containers", "2")
    done = bench(config, *amount, "--json", "--report", str(page), action="put")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["runs"][0]["failures"] == 0
    assert found["runs"][0]["bytes"] == 20 * 1500
    assert sum(part["requests"].get("put", 0) for part in found["runs"][0]["slices"]) == 20
    assert found["sources"]["put"]["response"]["all"]["requests"] == 20
    assert [run["requests"] for run in found["deletions"]] == [24]
    assert "<svg" in page.read_text()
    assert containers(connection) == []


@pytest.mark.long
def test_what_is_kept_is_deleted_later_and_nothing_else(config, connection):
    others = (f"{PREFIX}results", CONTAINER + "_other")
    for other in others:
        connection.put_container(other)
        connection.put_object(other, "log-000000000.txt", b"a log")
    kept = ("--keep", "--size", "1500", "--requests", "5", "--warm-up", "0", "--json")
    run = json.loads(bench(config, *kept, action="put").stdout)["setup"]["run"]
    (container,) = set(containers(connection)) - set(others)
    objects = [connection.get_object(container, f"log-{n:09}.txt")[1] for n in range(5)]
    assert [len(data) for data in objects] == [1500] * 5
    assert len(set(objects)) == 5
    done = bench(config, "--json", run, action="delete")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["sources"]["delete"]["total"]["all"]["requests"] == 5
    done = bench(config, "results", "other", action="delete")
    assert (done.returncode, done.stderr) == (2, "oslogserve: there is nothing to delete\n")
    done = bench(config, "--all", action="delete")
    assert (done.returncode, done.stderr) == (2, "oslogserve: there is nothing to delete\n")
    assert containers(connection) == [others[0]]
    for other in others:
        assert connection.get_object(other, "log-000000000.txt")[1] == b"a log"
        connection.delete_object(other, "log-000000000.txt")
        connection.delete_container(other)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)]
)
def test_an_interrupted_put_keeps_what_was_measured_and_leaves_nothing(config, connection, number):
    parallel = 4

    def wait_for_an_answer():
        """Of more objects than requests at once, one was answered."""
        poll(
            lambda: (
                sum(len(connection.get_container(name)[1]) for name in containers(connection))
                > parallel
            ),
            lambda: AssertionError("nothing was put"),
            60,
        )

    command = "put", config, "--duration", "10m", "--parallel", str(parallel)
    found = interrupted(wait_for_an_answer, number, *command)
    assert found["runs"][0]["requests"] > 0
    assert containers(connection) == []
