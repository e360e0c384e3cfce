# SPDX-License-Identifier: Apache-2.0
"""The servers the other tests rely on: they are real, countable and mortal."""

import configparser
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import keystoneauth1.exceptions
import pytest
import requests
import swiftclient

from tests.servers.faulty import BLACK_HOLE, Fault, FaultyProxy
from tests.servers.keystone import Keystone
from tests.servers.process import (
    HOST,
    REPOSITORY,
    Process,
    ServerError,
    environment,
    free_port,
    free_ports,
    poll,
    port_accepts,
)
from tests.servers.swift import Swift

LISTENER = """
import socket, sys, time
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
time.sleep(600)
"""

PARENT = """
import sys
from tests.servers.process import Process
port = int(sys.argv[1])
Process([sys.executable, "-c", sys.argv[2], sys.argv[1]], sys.argv[3], ready=[port]).start()
sys.stdin.read()
"""


@pytest.fixture
def listener(tmp_path):
    port = free_port()
    process = Process(
        [sys.executable, "-c", LISTENER, str(port)], tmp_path / "listener.log", ready=[port]
    )
    with process:
        yield process


@pytest.fixture
def container(request):
    return request.node.name.partition("[")[0]


def connected(swift, **options):
    return contextlib.closing(swift.connection(**options))


def put_and_get(connection, container):
    connection.put_container(container)
    connection.put_object(container, "a/b.txt", b"line\n")
    return connection.get_object(container, "a/b.txt")[1]


# Processes


def test_free_ports_are_distinct_and_can_be_listened_on():
    ports = free_ports(20)
    assert len(set(ports)) == 20
    for port in ports:
        assert not port_accepts(port)
        socket.create_server((HOST, port)).close()


def test_process_starts_again_after_close(listener):
    (port,) = listener.ready
    listener.close()
    listener.close()
    assert not port_accepts(port)
    listener.start()
    assert port_accepts(port)


def test_frozen_process_can_be_closed(listener):
    listener.freeze()
    listener.close()
    assert not listener.running


def test_process_outlives_the_thread_that_started_it(listener):
    listener.kill()
    thread = threading.Thread(target=listener.start)
    thread.start()
    thread.join()
    with pytest.raises(ServerError, match="still running"):
        listener.wait(0.5)  # it would be dead within a millisecond


def test_failing_start_tells_what_was_logged(tmp_path):
    process = Process(
        [sys.executable, "-c", "import sys; sys.exit('no such luck')"],
        tmp_path / "log",
        ready=[free_port()],
    )
    with pytest.raises(ServerError, match="exit status 1\nno such luck"):
        process.start()
    process.close()


def test_silent_start_ends_at_the_deadline(tmp_path):
    sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
    process = Process(sleep, tmp_path / "log", ready=[free_port()], seconds=0.1)
    with pytest.raises(ServerError, match=r"did not answer in 0\.1 s"):
        process.start()
    assert not process.running


def test_process_dies_with_its_parent(tmp_path):
    port = free_port()
    argv = [sys.executable, "-c", PARENT, str(port), LISTENER, tmp_path / "log"]
    with subprocess.Popen(argv, cwd=REPOSITORY, stdin=subprocess.PIPE) as parent:
        poll(lambda: port_accepts(port), lambda: AssertionError("no listener"), 10)
        parent.kill()
    poll(lambda: not port_accepts(port), lambda: AssertionError("listener lives on"), 10)


def test_server_environment_has_no_proxy_and_no_cloud(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("OS_AUTH_URL", "http://cloud.example/v3")
    names = set(environment())
    assert names.isdisjoint({"https_proxy", "OS_AUTH_URL"})
    assert os.environ.keys() & {"PATH"} <= names


# Swift with tempauth


def test_put_and_get_with_tempauth(swift, container):
    with connected(swift) as connection:
        assert put_and_get(connection, container) == b"line\n"
        assert connection.url == swift.storage_url


def test_settings_are_enough_to_log_in(swift):
    settings = swift.settings("some")
    url, _ = swiftclient.get_auth(
        settings["auth_url"], settings["username"], settings["password"], auth_version="1"
    )
    assert url == swift.storage_url
    assert settings["container"] == "some"


def test_wrong_key_is_refused(swift):
    with pytest.raises(swiftclient.ClientException) as error:
        swiftclient.get_auth(swift.auth_url, swift.user, "wrong", auth_version="1")
    assert error.value.http_status == 401


def test_static_large_object_reads_as_one(swift, container):
    with connected(swift) as connection:
        connection.put_container(container)
        manifest = []
        for number, segment in enumerate((b"one\ntw", b"o\nthree\n")):
            etag = connection.put_object(container, f"segments/{number}", segment)
            path = f"/{container}/segments/{number}"
            manifest.append({"path": path, "etag": etag, "size_bytes": len(segment)})
        connection.put_object(
            container, "log.txt", json.dumps(manifest), query_string="multipart-manifest=put"
        )
        headers, body = connection.get_object(container, "log.txt")
    assert body == b"one\ntwo\nthree\n"
    assert headers["x-static-large-object"] == "True"


def test_tempauth_token_requests_are_counted_exactly(swift, container):
    before = swift.token_requests()
    with connected(swift) as connection:
        for _ in range(3):
            put_and_get(connection, container)
        assert swift.token_requests() == before + 1
    with connected(swift) as connection:
        connection.get_auth()
    assert swift.token_requests() == before + 2


def test_upload_keeps_names_and_bytes(swift, container, tmp_path):
    files = {"console.html.gz": b"\x1f\x8b\0", "a b/ü.txt": b"x\n", "empty": b""}
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    swift.upload(tmp_path, container)
    with connected(swift) as connection:
        listing = connection.get_container(container)[1]
        assert {entry["name"] for entry in listing} == set(files)
        for name, content in files.items():
            headers, body = connection.get_object(container, name)
            assert body == content
            assert "content-encoding" not in headers


def test_expired_token_is_renewed(tmp_path, container):
    with Swift(tmp_path, token_life=2) as swift, connected(swift) as connection:
        put_and_get(connection, container)
        _, token = connection.get_auth()
        poll(
            lambda: swift.status_of(token) == 401,
            lambda: AssertionError("the token does not expire"),
            10,
        )
        assert connection.get_object(container, "a/b.txt")[1] == b"line\n"


# Swift with Keystone


def test_put_and_get_with_a_keystone_password(keystone_swift, container):
    with connected(keystone_swift) as connection:
        assert put_and_get(connection, container) == b"line\n"
        assert connection.url == keystone_swift.storage_url


def test_put_and_get_with_an_application_credential(keystone_swift, container):
    session = keystone_swift.keystone.application_credential_session()
    with contextlib.closing(swiftclient.Connection(session=session)) as connection:
        assert put_and_get(connection, container) == b"line\n"


def test_keystone_token_requests_are_counted_exactly(keystone_swift, container):
    keystone = keystone_swift.keystone
    before = keystone.token_requests()
    keystone.application_credential()
    assert keystone.token_requests() == before
    with connected(keystone_swift) as connection:
        for _ in range(3):
            put_and_get(connection, container)
    assert keystone.token_requests() == before + 1


def test_short_keystone_tokens_expire(tmp_path):
    with Keystone(tmp_path, expiration=5) as keystone:
        session = keystone.session()
        token = session.get_token()
        auth_headers = {"X-Auth-Token": token, "X-Subject-Token": token}

        def refused():
            url = f"{keystone.auth_url}/auth/tokens"
            answer = session.get(url, headers=auth_headers, authenticated=False, raise_exc=False)
            return answer.status_code in (401, 404)

        assert not refused()
        poll(refused, lambda: AssertionError("the token does not expire"), 15)


def test_keystone_freezes_and_comes_back_after_a_crash(tmp_path):
    with Keystone(tmp_path) as keystone:
        keystone.freeze()
        port = int(keystone.url.rpartition(":")[2])
        with socket.create_connection((HOST, port), 1) as client:
            client.sendall(b"GET /v3 HTTP/1.0\r\n\r\n")
            with pytest.raises(TimeoutError):
                client.recv(1)
        keystone.thaw()
        assert keystone.session().get_token()
        keystone.kill()
        keystone.start()
        assert keystone.session().get_token()


# Trouble


def test_object_server_comes_back_after_a_crash(fragile_swift, container):
    with connected(fragile_swift, retries=0) as connection:
        assert put_and_get(connection, container) == b"line\n"
        fragile_swift.kill("object")
        with pytest.raises(swiftclient.ClientException) as error:
            connection.get_object(container, "a/b.txt")
        assert error.value.http_status == 503
        fragile_swift.start("object")
        assert connection.get_object(container, "a/b.txt")[1] == b"line\n"


def test_frozen_object_server_answers_after_thaw(fragile_swift, container):
    with connected(fragile_swift, retries=0) as connection:
        put_and_get(connection, container)
        fragile_swift.freeze("object")
        started = time.monotonic()
        with pytest.raises(swiftclient.ClientException) as error:
            connection.get_object(container, "a/b.txt")
        assert error.value.http_status == 503
        assert time.monotonic() - started >= fragile_swift.node_timeout
        fragile_swift.thaw("object")
        assert connection.get_object(container, "a/b.txt")[1] == b"line\n"


# The faulty proxy

ECHO = """
import socketserver, sys
class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while asked := self.request.recv(65536):
            self.request.sendall(asked * 100)
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
Server(("127.0.0.1", int(sys.argv[1])), Echo).serve_forever()
"""


@pytest.fixture(scope="module")
def echo(tmp_path_factory):
    """A port that answers everything a hundred times."""
    port = free_port()
    log = tmp_path_factory.mktemp("echo") / "log"
    with Process([sys.executable, "-c", ECHO, str(port)], log, ready=[port]):
        yield port


@pytest.fixture
def proxy(echo):
    with FaultyProxy(echo) as proxy:
        yield proxy


def client(proxy):
    return socket.create_connection((HOST, proxy.port), 10)


def answer(to, asked=b"ab", size=200):
    """What comes back until `size` bytes are there or the connection is closed."""
    to.sendall(asked)
    received = b""
    while len(received) < size and (piece := to.recv(size)):
        received += piece
    return received


def test_faulty_proxy_passes_what_it_has_no_fault_for(proxy):
    with client(proxy) as one, client(proxy) as other:
        for asked in (b"ab", b"cd"):
            assert answer(one, asked) == asked * 100
            assert answer(other, asked) == asked * 100


@pytest.mark.parametrize("after", [0, 1, 150])
def test_faulty_proxy_closes_after_so_many_bytes(proxy, after):
    proxy.behave(Fault(after=after))
    with client(proxy) as one:
        assert answer(one) == (b"ab" * 100)[:after]
    assert proxy.struck == 1


def test_faulty_proxy_resets(proxy):
    proxy.behave(Fault(after=50, then="reset"))
    with client(proxy) as one, pytest.raises(ConnectionResetError):
        answer(one)


def test_faulty_proxy_strikes_the_answers_that_are_meant(proxy):
    proxy.behave(Fault(after=10, only=b"c", times=1))
    with client(proxy) as one:
        assert answer(one) == b"ab" * 100
        assert answer(one, b"cd") == b"cd" * 5
    with client(proxy) as one:
        assert answer(one, b"cd") == b"cd" * 100


@pytest.mark.parametrize("fault", [BLACK_HOLE, Fault(after=50, then="hold")])
def test_faulty_proxy_holds_until_it_behaves_otherwise(proxy, fault):
    proxy.behave(fault)
    with client(proxy) as one:
        one.sendall(b"ab")
        poll(lambda: proxy.struck, lambda: AssertionError("nothing is held"), 10)
        one.settimeout(0.1)
        held = b"" if fault is BLACK_HOLE else one.recv(50)
        assert held == (b"ab" * 25)[: len(held)]
        with pytest.raises(TimeoutError):
            one.recv(1)
        proxy.behave()
        one.settimeout(10)
        assert held + answer(one, b"", 200 - len(held)) == b"ab" * 100


def test_faulty_proxy_cuts_what_it_holds(proxy):
    proxy.behave(Fault(after=50, then="hold"))
    with client(proxy) as one:
        one.sendall(b"ab")
        poll(lambda: proxy.struck, lambda: AssertionError("nothing is held"), 10)
        proxy.cut()
        assert answer(one, b"") == b"ab" * 25


def test_faulty_proxy_cuts_a_client_that_reads_nothing(proxy):
    with client(proxy) as one:
        one.settimeout(1)
        with pytest.raises(TimeoutError):
            one.sendall(b"x" * 100_000_000)  # nobody has room for so much
        proxy.cut()


@pytest.mark.parametrize("fault", [Fault(delay=0.3), Fault(rate=600)])
def test_faulty_proxy_is_slow(proxy, fault):
    proxy.behave(fault)
    with client(proxy) as one:
        started = time.monotonic()
        assert answer(one) == b"ab" * 100
        assert time.monotonic() - started >= 0.3


def test_faulty_proxy_refuses_and_accepts_again(proxy):
    with client(proxy) as one:
        assert answer(one) == b"ab" * 100  # else it may not have been accepted yet
        proxy.refuse()
        assert not port_accepts(proxy.port)
        assert answer(one) == b"ab" * 100
        proxy.accept()
        with client(proxy) as other:
            assert answer(other) == b"ab" * 100


def test_faulty_proxy_leaves_neither_thread_nor_descriptor(echo):
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    with FaultyProxy(echo) as proxy, client(proxy) as passed, client(proxy) as held:
        assert answer(passed)
        proxy.behave(BLACK_HOLE)
        held.sendall(b"ab")
        poll(lambda: proxy.struck, lambda: AssertionError("nothing is held"), 10)
    # What other tests had left may be gone by now.
    assert threading.active_count() <= threads
    assert len(os.listdir("/proc/self/fd")) <= files


def test_faulty_swift_leads_through_its_proxy(tmp_path, container):
    with Swift(tmp_path, faulty=True) as swift, connected(swift, retries=0) as connection:
        assert put_and_get(connection, container) == b"line\n"
        assert connection.url == swift.storage_url
        assert f":{swift.faulty.port}/" in swift.storage_url
        swift.faulty.behave(Fault(after=0, only=b"/b.txt"))
        with pytest.raises(requests.ConnectionError):
            connection.get_object(container, "a/b.txt")
        swift.faulty.behave()
        assert connection.get_object(container, "a/b.txt")[1] == b"line\n"


def test_faulty_keystone_is_refused_to_clients_only(tmp_path, container):
    with (
        Keystone(tmp_path / "keystone", faulty=True) as keystone,
        Swift(tmp_path / "swift", keystone, faulty=True) as swift,
        connected(swift, retries=0) as connection,
    ):
        keystone.faulty.refuse()
        with pytest.raises(keystoneauth1.exceptions.ConnectFailure):
            connection.put_container(container)
        keystone.faulty.accept()
        assert put_and_get(connection, container) == b"line\n"
        assert connection.url == swift.storage_url


# In the foreground


def test_foreground_swift_holds_the_files_it_was_given(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "x.txt").write_bytes(b"line\n")
    conf = tmp_path / "oslogserve.conf"
    argv = [sys.executable, "-m", "tests.servers", "--upload", logs, "--write-config", conf]
    with subprocess.Popen(argv, cwd=REPOSITORY, stdout=subprocess.PIPE) as foreground:
        try:
            assert foreground.stdout.readline() == b"ready\n"
            settings = configparser.RawConfigParser()
            settings.read(conf)
            assert settings["disk"]["root"] == str(logs)
            section = settings["swift"]
            with contextlib.closing(
                swiftclient.Connection(
                    section["auth_url"], section["username"], section["password"]
                )
            ) as connection:
                assert connection.get_object(section["container"], "x.txt")[1] == b"line\n"
        finally:
            foreground.send_signal(signal.SIGTERM)
    assert foreground.returncode == 0
    proxy = int(section["auth_url"].split("/")[2].rpartition(":")[2])
    assert not port_accepts(proxy)
