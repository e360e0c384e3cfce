# SPDX-License-Identifier: Apache-2.0
"""gunicorn with the settings that we ship: started either way, and its workers' metrics."""

import os
import re
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from oslogserve import __version__
from oslogserve.query.parameters import MAX_QUERY
from tests.servers.client import ask, begin, metric
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import HOST, ServerError, poll
from tests.servers.readers import Readers, write_logs

REQUESTS = 40
IS_GOOD = "oslogserve_config_last_reload_successful"
RELOADED = "oslogserve_config_last_reload_success_timestamp_seconds"


@pytest.fixture(
    scope="module",
    params=[False, pytest.param(True, marks=pytest.mark.long)],
    ids=["oslogserve serve", "etc/gunicorn.conf.py"],
)
def server(request, tmp_path_factory):
    root = tmp_path_factory.mktemp("logs")
    (root / "a.txt").write_bytes(b"one line\n")
    config = f"[disk]\nroot = {root}\n"
    with Gunicorn(config, shipped_config=request.param, workers=None) as server:
        yield server


def load(server):
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda _: ask(server, "/a.txt").body, range(REQUESTS)))


def workers(server):
    return children(server.process.pid)


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_query_as_long_as_one_may_be_is_answered(server):
    query = "&".join(["not=" + "x" * 507] * 8)
    assert len(query) == MAX_QUERY - 1
    assert ask(server, f"/a.txt?{query}").body == b"one line\n"


@pytest.mark.parametrize(
    "rest",
    [
        b"Content-Length: 1000000\r\n\r\n" + b"x" * 1000,
        b"Transfer-Encoding: chunked\r\n\r\nfffff\r\n" + b"x" * 1000,
        b"Connection: close\r\n\r\n",
    ],
    ids=["a body", "chunks", "an open connection"],
)
def test_nobody_waits_for_what_a_client_may_still_send(server, rest):
    with ExitStack() as stack:
        clients = []
        for _ in range(300):  # each would hold one of 64 threads for 5 s
            clients.append(stack.enter_context(socket.create_connection((HOST, server.port), 20)))
            clients[-1].sendall(b"GET /a.txt HTTP/1.1\r\nHost: logs\r\n" + rest)
        for _ in range(4):
            assert ask(server, "/healthz", timeout=15).status == 200
        for client in clients:
            answer = b"".join(iter(lambda client=client: client.recv(4096), b""))
            assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
            assert b"\r\nConnection: close\r\n" in answer
            assert answer.endswith(b"one line\n")


def test_a_body_that_comes_at_once_costs_no_connection(server):
    request = b"GET /a.txt HTTP/1.1\r\nHost: logs\r\nContent-Length: 7\r\n\r\nx\r\ny\r\n\r"
    with socket.create_connection((HOST, server.port), 20) as client:
        for _ in range(2):
            client.sendall(request)
            answer = b""
            while not answer.endswith(b"one line\n"):
                answer += client.recv(4096)
            assert b"\r\nConnection: keep-alive\r\n" in answer


def test_two_workers_metrics_add_up(server):
    poll(
        lambda: len(workers(server)) == 2,
        lambda: AssertionError(server.process.tail()),
        seconds=20,
    )
    before = metric(server, "oslogserve_responses_total")
    assert all(b"one line" in body for body in load(server))
    look = 1  # the look at the metrics before may have counted as a request too
    assert metric(server, "oslogserve_responses_total") - before in (REQUESTS, REQUESTS + look)


def test_a_killed_worker_is_replaced_and_what_it_counted_stays(server):
    load(server)
    before = metric(server, "oslogserve_responses_total")
    old = workers(server)
    for pid in old:
        os.kill(pid, signal.SIGKILL)
    poll(
        lambda: len(set(workers(server)) - set(old)) == 2,
        lambda: AssertionError(server.process.tail()),
        seconds=20,
    )
    assert metric(server, "oslogserve_responses_total") >= before
    (folder,) = server.root.glob("oslogserve-metrics-*")
    files = [path.name for path in folder.iterdir()]
    assert {"counter_merged.db", "histogram_merged.db"} <= set(files)
    assert not [name for name in files if name.endswith(tuple(f"_{pid}.db" for pid in old))]


@pytest.mark.parametrize(
    "shipped",
    [False, pytest.param(True, marks=pytest.mark.long)],
    ids=["oslogserve serve", "etc/gunicorn.conf.py"],
)
def test_the_folder_of_the_metrics_goes_with_the_server(tmp_path, shipped):
    with Gunicorn(f"[disk]\nroot = {tmp_path}\n", shipped_config=shipped) as server:
        assert list(server.root.glob("oslogserve-metrics-*"))
        os.kill(server.process.pid, signal.SIGTERM)
        server.process.wait()
        assert not list(server.root.glob("oslogserve-metrics-*"))


def test_a_full_worker_leaves_connections_to_others(tmp_path):
    (tmp_path / "large.txt").write_bytes(b"a line like any other\n" * 400_000)
    config = f"[disk]\nroot = {tmp_path}\n"
    options = ("--threads", "2")
    env = {"OSLOGSERVE_THREADS": "64"}  # so that large logs may take all threads
    with (
        Gunicorn(config, *options, workers=2, shipped_config=True, env=env) as server,
        ExitStack() as stack,
    ):
        # Both workers have loaded; the threads are as the configuration says.
        poll(
            lambda: metric(server, "oslogserve_threads") == 2 * 64,
            lambda: AssertionError("a worker has not loaded"),
            20,
        )
        for _ in range(3):  # slow readers: one worker is full, the other has a thread
            connection, answer = begin(server, "/large.txt?format=jsonl")
            stack.callback(connection.close)
            assert (answer.status, len(answer.read(1))) == (200, 1)
        for _ in range(40):
            assert ask(server, "/healthz", timeout=20).status == 200
        assert metric(server, "oslogserve_threads_busy") == 3 + 1


@pytest.mark.parametrize(
    "shipped",
    [pytest.param(False, marks=pytest.mark.long), True],
    ids=["oslogserve serve", "etc/gunicorn.conf.py"],
)
def test_a_hup_makes_the_changed_configuration_count_and_leaves_one_with_faults_alone(
    tmp_path, shipped
):
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(f"{folder}\n")
    with Gunicorn(
        f"[disk]\nroot = {tmp_path}/old\n", shipped_config=shipped, workers=None
    ) as server:
        assert ask(server, "/a.txt").body == b"old\n"
        first = workers(server)

        def reload(config):
            (server.root / "oslogserve.conf").write_text(config)
            before = set(workers(server))
            os.kill(server.process.pid, signal.SIGHUP)
            poll(
                lambda: len(workers(server)) == 2 and not before & set(workers(server)),
                lambda: AssertionError(server.process.tail()),
                20,
            )

        started = metric(server, RELOADED)
        assert time.time() - 60 < started < time.time()
        reload(f"[disk]\nroot = {tmp_path}/new\n")
        assert ask(server, "/a.txt").body == b"new\n"
        taken = metric(server, RELOADED)
        assert (taken > started, metric(server, IS_GOOD)) == (True, 1)
        reload(f"[disk]\nroots = {tmp_path}/old\n")
        assert ask(server, "/a.txt").body == b"new\n"
        assert (metric(server, RELOADED), metric(server, IS_GOOD)) == (taken, 0)
        assert not set(first) & set(workers(server))
        told = server.log.read_text()
    fault, end = sentences(told)[-2:]
    assert fault.endswith("roots: no such key")
    assert end == "the configuration stays as it was"
    assert "Traceback" not in told


BROKEN_RULE = "title: x\npattern: (a\n"
#: {configurations that cannot work: how the sentence about each begins behind the file's name}. FOLDER has
#: faulty rules in `faulty`, and rules that cannot be read in `unread`.
IMPOSSIBLE = {
    "[seen]\ndatabase = sqlite://rel.db\n": ":4: [seen] database: ",
    "[seen]\ndatabase = sqlite:///rel.db\n": ":4: [seen] database: ",
    "[seen]\ndatabase = sqlite://\n": ":4: [seen] database: ",
    "[seen]\ndatabase = sqlite:////x?timeout=x\n": ":4: [seen] database: ",
    "[seen]\ndatabase = mysql://h/x\n": ":4: [seen] database: ",
    "[seen]\ndatabase = postgresql://h:port/x\n": ":4: [seen] database: ",
    "[seen]\ndatabase = postgresql://h/x\n": ":4: [seen] database: ",  # without its driver
    "[known]\nrules = FOLDER/faulty\n": ":4: [known] rules: FOLDER/faulty/a.yaml:2: pattern: ",
    "[known]\nrules = FOLDER/unread\n": ":4: [known] rules: FOLDER/unread/a.yaml: Is a directory",
    "[known]\nrules = FOLDER/none\n": ":4: [known] rules: FOLDER/none: No such file",
    "[store]\nanonymous = yes\nurl = s3://x\nca_file = FOLDER/none\n": ":6: [store] ca_file: ",
    f"[job]\npassed = {'(' * 20000}{')' * 20000}\n": ":4: [job] passed: ",
    "[view x]\npattern = a{99999999999999999999}\n": ":4: [view x] pattern: ",
    "[swift]\ncontainer = x\nstorage_url = http://[::1\n": ":5: [swift] storage_url: ",
    "\0": ":3: the line has a control character",
}
WITHOUT_PSYCOPG = 'raise ImportError("it is not installed")\n'


def sentences(told):
    """What the server says of its own, but for the version that each worker tells."""
    found = re.findall(r"^\S+ oslogserve: (.*)$", told, re.MULTILINE)
    return [line for line in found if not line.startswith("oslogserve ")]


@pytest.mark.parametrize(
    ("shipped", "configs"),
    [
        (True, [*IMPOSSIBLE][-3:]),
        pytest.param(True, [*IMPOSSIBLE], marks=pytest.mark.long),
        pytest.param(False, [*IMPOSSIBLE], marks=pytest.mark.long),
    ],
    ids=["three", "etc/gunicorn.conf.py", "oslogserve serve"],
)
def test_a_hup_with_a_configuration_that_cannot_work_is_a_sentence_and_the_server_lives(
    tmp_path, shipped, configs, monkeypatch
):
    (tmp_path / "a.txt").write_text("one line\n")
    (tmp_path / "unread" / "a.yaml").mkdir(parents=True)
    (tmp_path / "faulty").mkdir()
    (tmp_path / "faulty" / "a.yaml").write_text(BROKEN_RULE)
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "psycopg.py").write_text(WITHOUT_PSYCOPG)
    paths = filter(None, [str(tmp_path / "modules"), os.environ.get("PYTHONPATH")])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    good = f"[disk]\nroot = {tmp_path}\n"
    with Gunicorn(good, shipped_config=shipped) as server:
        file = server.root / "oslogserve.conf"
        assert ask(server, "/a.txt").body == b"one line\n"
        for config in configs:
            begins = IMPOSSIBLE[config]
            before = len(server.log.read_text())
            file.write_text(good + config.replace("FOLDER", str(tmp_path)))
            os.kill(server.process.pid, signal.SIGHUP)
            told = poll(
                lambda: (
                    (new := server.log.read_text()[before:])  # noqa: B023 - called at once
                    and "stays as it was\n" in new
                    and sentences(new)
                ),
                lambda: AssertionError(server.process.tail()),
                30,
            )
            assert ask(server, "/a.txt").body == b"one line\n"
            fault, end = told
            assert fault.startswith(f"{file}{begins}".replace("FOLDER", str(tmp_path)))
            assert end == "the configuration stays as it was"
        is_noted = lambda: metric(server, IS_GOOD) == 0
        poll(is_noted, lambda: AssertionError(server.process.tail()), 30)
        taken = metric(server, RELOADED)
        file.write_text(good)
        os.kill(server.process.pid, signal.SIGHUP)
        is_taken = lambda: metric(server, RELOADED) > taken
        poll(is_taken, lambda: AssertionError(server.process.tail()), 30)
        assert metric(server, IS_GOOD) == 1
        assert "Traceback" not in server.log.read_text()


def test_a_hup_with_folders_that_cannot_be_made_is_taken_and_the_server_serves(tmp_path):
    (tmp_path / "a.txt").write_text("one line\n")
    good = f"[disk]\nroot = {tmp_path}\n"
    away = "/proc/none"
    config = f"[index]\ndirectory = {away}\n[seen]\ndirectory = {away}?timeout=x\n"
    config += f"[request_log]\nto = {away}/requests.log\n"
    with Gunicorn(good, workers=2, shipped_config=True) as server:
        taken = metric(server, RELOADED)
        (server.root / "oslogserve.conf").write_text(good + config)
        os.kill(server.process.pid, signal.SIGHUP)
        is_taken = lambda: metric(server, RELOADED) > taken
        poll(is_taken, lambda: AssertionError(server.process.tail()), 30)
        poll(
            lambda: len(workers(server)) == 2 and server.log.read_text().count(__version__) == 4,
            lambda: AssertionError(server.process.tail()),
            30,
        )
        assert metric(server, IS_GOOD) == 1
        assert ask(server, "/a.txt?format=summary").status == 200
        assert ask(server, "/?format=seen").status == 200
        told = server.log.read_text()
    assert "Traceback" not in told
    # Of each worker.
    assert told.count("[request_log] to: /proc/none/requests.log: No such file") == 2
    assert (
        len(re.findall("oslogserve: seen fails in process .*: the folder .* cannot be made", told))
        == 1
    )


#: gunicorn's configuration in which a configuration with a view named WORD cannot be read so soon, or ends
#: the process that reads it.
HARD_TO_READ = """
import os, time
from oslogserve import gunicorn_hooks
globals().update(gunicorn_hooks.COMMAND_SETTINGS)
gunicorn_hooks.TRIAL = 4
load = gunicorn_hooks.load
def hard(*arguments, **options):
    config = load(*arguments, **options)
    names = [name for name, _ in config.rows("view")]
    if "hangs" in names:
        time.sleep(600)
    if "crashes" in names:
        os.abort()
    return config
gunicorn_hooks.load = hard
"""


@pytest.mark.parametrize(
    ("view", "said"),
    [
        ("hangs", "the new configuration was not taken in 4 s: "),
        ("crashes", "the process that tried the new configuration ended before it was done"),
    ],
)
def test_a_hup_with_a_configuration_that_hangs_or_crashes_leaves_the_server_alone(
    tmp_path, view, said
):
    (tmp_path / "a.txt").write_text("one line\n")
    (tmp_path / "gunicorn.py").write_text(HARD_TO_READ)
    good = f"[disk]\nroot = {tmp_path}\n"
    options = ("--config", str(tmp_path / "gunicorn.py"))
    with Gunicorn(good, *options, shipped_config=True) as server:
        assert ask(server, "/a.txt").status == 200
        (server.root / "oslogserve.conf").write_text(f"{good}[view {view}]\npattern = x\n")
        os.kill(server.process.pid, signal.SIGHUP)
        told = poll(
            lambda: "as it was\n" in (log := server.log.read_text()) and sentences(log),
            lambda: AssertionError(server.process.tail()),
            30,
        )
        assert ask(server, "/a.txt").body == b"one line\n"
        fault, end = told
        assert fault.startswith(said)
        assert end == "the configuration stays as it was"


def test_faulty_rules_are_a_sentence_each_and_the_server_starts_with_the_others(tmp_path):
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "a.yaml").write_text(BROKEN_RULE)
    (rules / "b.yaml").mkdir()
    (rules / "c.yaml").write_text("{pattern: x, title: y}\n")
    (tmp_path / "a.txt").write_text("one line\n")
    config = f"[disk]\nroot = {tmp_path}\n[known]\nrules = {rules}\n"
    with Gunicorn(config, workers=2, shipped_config=True) as server:
        assert ask(server, "/a.txt").body == b"one line\n"
        first, second = sentences(server.log.read_text())
    file = server.root / "oslogserve.conf"
    begins = f"{file}:4: [known] rules: {rules}/a.yaml:2: pattern: it takes a regular expression"
    assert first.startswith(begins)
    assert second == (
        f"{file}:4: [known] rules: {rules}/b.yaml: Is a directory; the server runs without it"
    )


#: gunicorn's configuration with new workers that load until there is the file GO_ON.
SLOW_TO_LOAD = """
import os, time
from oslogserve.gunicorn_hooks import COMMAND_SETTINGS
globals().update(COMMAND_SETTINGS)
def post_fork(server, worker):
    COMMAND_SETTINGS["post_fork"](server, worker)
    while worker.age > 2 and not os.path.exists(os.environ["GO_ON"]):
        time.sleep(0.01)
"""


@pytest.mark.long
def test_a_server_that_is_stopped_while_new_workers_load_ends_soon(tmp_path):
    (tmp_path / "gunicorn.py").write_text(SLOW_TO_LOAD)
    options = ("--config", str(tmp_path / "gunicorn.py"), "--graceful-timeout", "3600")
    config, env = f"[disk]\nroot = {tmp_path}\n", {"GO_ON": str(tmp_path / "never")}
    with Gunicorn(config, *options, shipped_config=True, env=env, workers=None) as server:
        assert ask(server, "/healthz").status == 200
        old = set(workers(server))
        os.kill(server.process.pid, signal.SIGHUP)
        is_replaced = lambda: len(set(workers(server)) - old) == 2
        poll(is_replaced, lambda: AssertionError(server.process.tail()), 20)
        os.kill(server.process.pid, signal.SIGTERM)
        server.process.wait(20)


JUST_FORKED = """
import os, time
from oslogserve.gunicorn_hooks import COMMAND_SETTINGS
globals().update(COMMAND_SETTINGS)
def post_fork(server, worker):
    while not os.path.exists(os.environ["GO_ON"]):
        time.sleep(0.01)
    COMMAND_SETTINGS["post_fork"](server, worker)
"""


def has_sigterm_waiting(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    waiting = int(re.search(r"^ShdPnd:\s*(\w+)$", status, re.MULTILINE)[1], 16)
    return bool(waiting & 1 << (signal.SIGTERM - 1))


def test_a_worker_that_was_just_forked_when_the_server_is_stopped_ends_at_once(tmp_path):
    (tmp_path / "gunicorn.py").write_text(JUST_FORKED)
    go_on = tmp_path / "go on"
    options = ("--config", str(tmp_path / "gunicorn.py"), "--graceful-timeout", "3600")
    config, env = f"[disk]\nroot = {tmp_path}\n", {"GO_ON": str(go_on)}
    with Gunicorn(config, *options, shipped_config=True, env=env, workers=None) as server:
        poll(lambda: len(workers(server)) == 2, lambda: AssertionError(), 20)
        os.kill(server.process.pid, signal.SIGTERM)
        forked = workers(server)
        is_sent = lambda: all(map(has_sigterm_waiting, forked))
        poll(is_sent, lambda: AssertionError("a worker lost the signal"), 20)
        go_on.touch()
        server.process.wait(20)


def test_a_root_that_is_not_there_is_told_at_the_start(tmp_path):
    with Gunicorn(f"[disk]\nroot = {tmp_path}/none\n", shipped_config=True, workers=None) as server:
        assert ask(server, "/a.txt").status == 503
        ready = ask(server, "/readyz")
        told = server.log.read_text()
    assert ready.body.decode() == f"disk: No such file or directory ({tmp_path}/none)\n"
    assert told.count(f":2: [disk] root: {tmp_path}/none: there is no such folder\n") == 1


def test_faults_of_the_configuration_are_a_sentence_each_and_nothing_starts():
    config = "[disk]\nroots = /x\n[serve]\nthreads = 0\n"
    with (
        pytest.raises(ServerError, match="exit status 2") as told,
        Gunicorn(config, shipped_config=True, workers=None),
    ):
        pass
    _, started, *faults = str(told.value).rstrip("\n").split("\n")
    assert "Starting gunicorn" in started
    untimed = [line.partition(" ")[2] for line in faults]
    assert [re.sub(r"\S+\.conf", "FILE", line)[:36] for line in untimed] == [
        "oslogserve: FILE:2: [disk] roots: no",
        "oslogserve: FILE:4: [serve] threads:",
    ]


@pytest.fixture
def readers(tmp_path):
    write_logs(tmp_path)
    with Gunicorn(f"[disk]\nroot = {tmp_path}\n", shipped_config=True, workers=None) as server:
        yield Readers(server)


def test_a_reload_under_load_loses_no_request(readers):
    with readers.reading():
        readers.wait_for(100)
        old = set(workers(readers.server))
        os.kill(readers.server.process.pid, signal.SIGHUP)
        is_replaced = lambda: not old & set(workers(readers.server))
        poll(is_replaced, lambda: AssertionError(readers.server.process.tail()), 20)
        readers.wait_for(100)
    assert readers.lost == []


@pytest.mark.long
def test_an_upgrade_under_load_loses_no_request_and_no_count(readers):
    """USR2 starts a second master on the same socket; then the first one is told to end."""
    process = readers.server.process
    second = None
    try:
        with readers.reading():
            readers.wait_for(100)
            old = set(workers(readers.server))
            os.kill(process.pid, signal.SIGUSR2)
            (second,) = poll(
                lambda: [pid for pid in set(workers(readers.server)) - old if children(pid)],
                lambda: AssertionError(process.tail()),
                20,
            )
            readers.wait_for(100)
            before = metric(readers.server, "oslogserve_responses_total")
            os.kill(process.pid, signal.SIGTERM)
            process.wait()
            readers.wait_for(100)
            assert metric(readers.server, "oslogserve_responses_total") > before
    finally:
        if second:
            os.kill(second, signal.SIGTERM)
    assert readers.lost == []
    left = lambda: list(readers.server.root.glob("oslogserve-metrics-*"))
    poll(lambda: not left(), lambda: AssertionError(f"{left()} is still there"), 20)
