# SPDX-License-Identifier: Apache-2.0
"""Demo logs, generated from a seed, so none need be shipped or fetched.

``generate_oslo`` is the fast one, for a log of any size. It repeats *episodes*, each what one API
request leaves behind: a template of some twenty records. Line lengths and gzip ratio follow real
gate logs: most lines short (a pretty-printed body), a few very long (a service catalogue, which is
more than half of all bytes). ``write_demo_logs`` lays out two builds as Zuul uploads them.
"""

import base64
import functools
import gzip
import itertools
import json
import pathlib
import random
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta

#: Changes whenever the files written would; a folder with another mark is written again.
VERSION = "2"
MARK = ".oslogserve-demo"
#: Uncompressed bytes of the one big log: enough to see streaming, quick enough to write.
LARGE_LOG = 50_000_000

_START = datetime(2026, 3, 4, 18, 22, 11)
_NODE = "ubuntu-jammy"
_CATALOG_SERVICES = (
    "nova neutron glance cinder keystone placement swift heat octavia designate barbican "
    "manila magnum ironic trove aodh gnocchi cloudkitty masakari zaqar senlin mistral"
)

# Templates of episodes: "@" at the beginning of a line becomes a time.

_REQUEST = rb"""
@ %(pid)s INFO nova.osapi_compute.wsgi.server [None - - - - - -] (%(pid)s) accepted ('127.0.0.1', %(port)s)

@ %(pid)s DEBUG nova.api.openstack.wsgi [None %(req)s %(who)s] Calling method '<bound method ServersController.show of <nova.api.openstack.compute.servers.ServersController object at 0x7f3a5c0e2d90>>' {{(pid=%(pid)s) _process_stack /opt/stack/nova/nova/api/openstack/wsgi.py:511}}
@ %(pid)s DEBUG keystonemiddleware.auth_token [None %(req)s %(who)s] Removing headers from request environment: X-Service-Catalog,X-Identity-Status,X-Service-Identity-Status,X-Roles,X-Service-Roles,X-Domain-Name {{(pid=%(pid)s) remove_auth_headers /usr/local/lib/python3.12/dist-packages/keystonemiddleware/auth_token/_request.py:44}}
@ %(pid)s DEBUG keystoneauth.session [None %(req)s %(who)s] REQ: curl -g -i -X GET http://10.0.0.4/identity/v3/auth/tokens -H "X-Subject-Token: {SHA256}%(token)s" -H "X-Service-Catalog: %(catalog)s" {{(pid=%(pid)s) _http_log_request /usr/local/lib/python3.12/dist-packages/keystoneauth1/session.py:570}}
@ %(pid)s DEBUG nova.compute.api [None %(req)s %(who)s] [instance: %(instance)s] Fetching instance by UUID {{(pid=%(pid)s) get /opt/stack/nova/nova/compute/api.py:2884}}
@ %(pid)s DEBUG oslo_concurrency.lockutils [None %(req)s %(who)s] Acquiring lock "refresh_cache-%(instance)s" {{(pid=%(pid)s) lock /usr/local/lib/python3.12/dist-packages/oslo_concurrency/lockutils.py:313}}
@ %(pid)s DEBUG oslo_concurrency.lockutils [None %(req)s %(who)s] Acquired lock "refresh_cache-%(instance)s" {{(pid=%(pid)s) lock /usr/local/lib/python3.12/dist-packages/oslo_concurrency/lockutils.py:316}}
@ %(pid)s DEBUG nova.network.neutron [None %(req)s %(who)s] [instance: %(instance)s] Building network info cache for instance {{(pid=%(pid)s) _get_instance_nw_info /opt/stack/nova/nova/network/neutron.py:2067}}
@ %(pid)s DEBUG neutronclient.v2_0.client [None %(req)s %(who)s] RESP BODY: {
  "ports": [
    {
      "admin_state_up": true,
      "binding:host_id": "ubuntu-noble",
      "binding:vif_type": "ovs",
      "binding:vnic_type": "normal",
      "device_id": "%(instance)s",
      "device_owner": "compute:nova",
      "fixed_ips": [
        {
          "ip_address": "10.1.0.%(octet)s"
        }
      ],
      "mac_address": "fa:16:3e:%(mac)s",
      "name": "",
      "revision_number": 4,
      "status": "ACTIVE"
    }
  ]
}
 {{(pid=%(pid)s) log_resp /usr/local/lib/python3.12/dist-packages/neutronclient/common/utils.py:180}}
@ %(pid)s DEBUG oslo_concurrency.lockutils [None %(req)s %(who)s] Releasing lock "refresh_cache-%(instance)s" {{(pid=%(pid)s) lock /usr/local/lib/python3.12/dist-packages/oslo_concurrency/lockutils.py:334}}
@ %(pid)s INFO nova.compute.manager [None %(req)s %(who)s] [instance: %(instance)s] Took %(seconds)s seconds to build instance.
@ %(pid)s DEBUG nova.api.openstack.wsgi [None %(req)s %(who)s] RESP BODY:
<?xml version="1.0"?>
<server id="%(instance)s">
  <status>ACTIVE</status>
  <ip version="4" addr="10.1.0.%(octet)s"/>
  <metadata/>
  <config_drive/>
  <key_name>tempest & co</key_name>
</server>
 {{(pid=%(pid)s) _log_body /opt/stack/nova/nova/api/openstack/wsgi.py:498}}
@ %(pid)s INFO nova.api.openstack.requestlog [None %(req)s %(who)s] 10.0.0.4 "GET /compute/v2.1/servers/%(instance)s" status: 200 len: 1874 microversion: 2.96 time: 0.%(port)s
"""

_WARNING = rb"""
@ %(pid)s WARNING nova.virt.libvirt.driver [None %(req)s %(who)s] [instance: %(instance)s] Timeout waiting for ['network-vif-plugged'] after %(seconds)s seconds
"""

# oslo.log repeats the prefix on each line of a traceback ...
_ERROR_PREFIXED = rb"""
@ %(pid)s ERROR nova.compute.manager [None %(req)s %(who)s] [instance: %(instance)s] Instance failed to spawn: nova.exception.PortBindingFailed: Binding failed for port <%(token)s>
@ %(pid)s ERROR nova.compute.manager [instance: %(instance)s] Traceback (most recent call last):
@ %(pid)s ERROR nova.compute.manager [instance: %(instance)s]   File "/opt/stack/nova/nova/compute/manager.py", line 2887, in _build_resources
@ %(pid)s ERROR nova.compute.manager [instance: %(instance)s]     yield resources
@ %(pid)s ERROR nova.compute.manager [instance: %(instance)s]   File "/opt/stack/nova/nova/virt/libvirt/driver.py", line 4560, in spawn
@ %(pid)s ERROR nova.compute.manager [instance: %(instance)s]     self._create_guest_with_network(
@ %(pid)s ERROR nova.compute.manager [instance: %(instance)s] nova.exception.PortBindingFailed: Binding failed for port <%(token)s>
@ %(pid)s ERROR nova.compute.manager [instance: %(instance)s]
"""

# ... a service that prints it itself does not: those lines belong to the record above them.
_ERROR_BARE = rb"""
@ %(pid)s ERROR oslo_messaging.rpc.server [None %(req)s %(who)s] Exception during message handling: oslo_db.exception.DBDeadlock
Traceback (most recent call last):
  File "/usr/local/lib/python3.12/dist-packages/oslo_messaging/rpc/server.py", line 174, in _process_incoming
    res = self.dispatcher.dispatch(message)
  File "/usr/local/lib/python3.12/dist-packages/sqlalchemy/engine/base.py", line 1967, in _exec_single_context
    self.dialect.do_execute(
oslo_db.exception.DBDeadlock: (pymysql.err.OperationalError) (1213, 'Deadlock found when trying to get lock; try restarting transaction')
[SQL: UPDATE instances SET vm_state='active' WHERE instances.uuid = '%(instance)s' AND id < 7]
"""

# What must never reach a browser as it is. The longest line of a real gate log is about this long.
_HOSTILE = (
    b"""
@ %(pid)s INFO nova.metadata [None %(req)s %(who)s] name=<script>alert(1)</script>
@ %(pid)s INFO nova.metadata [None %(req)s %(who)s] &amp; &lt;b&gt; </span></pre><img src=x onerror=alert(1)>
@ %(pid)s WARNING nova.metadata [None %(req)s %(who)s] not UTF-8: \xff\xfe caf\xe9 \xc3\x28 \x00 end
@ %(pid)s INFO nova.metadata [None %(req)s %(who)s] \x1b[31;1mred\x1b[0m and \x1b[00;32mgreen\x1b[00m
@ %(pid)s INFO nova.metadata [None %(req)s %(who)s] "quotes' href="javascript:alert(1)" %%3Cb%%3E
@ %(pid)s DEBUG nova.metadata [None %(req)s %(who)s] user_data """
    + b"QUJDREVGR0g" * 9_000
    + b"\n"
)

_TASKS = """\
validate-host : Collect information about the host
prepare-workspace-git : Mirror the projects
configure-swap : Ensure swap is on
run-devstack : Run devstack
tempest : Run Tempest
collect-logs : Gather <logs> & results
""".splitlines()

# Each line is a message; ID and SHORT become a request's id.
_JOURNAL = """\
systemd[1]: Started Devstack devstack@c-api.service.
devstack@c-api.service[8526]: DEBUG oslo_concurrency.lockutils [None req-ID demo demo] Acquired lock "singleton" {{(pid=8526) lock /usr/lib/oslo_concurrency/lockutils.py:316}}
devstack@c-api.service[8526]: INFO cinder.api.openstack.wsgi [None req-ID demo demo] GET http://10.0.0.4/volume/v3/volumes/detail?limit=10&all_tenants=1
devstack@c-api.service[8526]: WARNING cinder.keymgr [None req-ID None None] fixed_key is in use: NOT for production.
kernel: br-int: port 3(tapSHORT) entered <forwarding> state
sshd[912]: Accepted publickey for zuul from 10.0.0.9 port 42122 ssh2: RSA SHA256:SHORT
""".splitlines()

_JOURNAL_ERROR = """\
devstack@c-vol.service[9001]: ERROR cinder.volume.manager [None req-ID demo demo] Unable to create volume: timeout
devstack@c-vol.service[9001]: ERROR cinder.volume.manager Traceback (most recent call last):
devstack@c-vol.service[9001]: ERROR cinder.volume.manager   File "/opt/stack/cinder/cinder/volume/manager.py", line 766
devstack@c-vol.service[9001]: ERROR cinder.volume.manager cinder.exception.VolumeBackendAPIException: <no lun>
""".splitlines()

_TEST_FAILED = b"""
Captured traceback:
~~~~~~~~~~~~~~~~~~~
    Traceback (most recent call last):
      File "/opt/stack/tempest/tempest/common/waiters.py", line 102, in wait_for_server_status
        raise lib_exc.TimeoutException(message)
    tempest.lib.exceptions.TimeoutException: Request timed out
Details: (ServersTestJSON:test_show) Server <7> failed to reach ACTIVE status & task state "None"

"""

_REPORT = b"""<!DOCTYPE html>
<meta charset="utf-8"><title>Unit Test Report</title><h1>Unit Test Report</h1>
<p id="script">The script did not run: this page is sandboxed.</p>
<table border="1"><tr><th>Test<th>Result<tr><td>test_show<td>fail<tr><td>test_list<td>pass</table>
<script>document.getElementById("script").textContent = "The script ran.";</script>
"""

# 64 x 64 pixels in black and white.
_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAFElEQVR42mNgGAV4wX8oGGVgZQAAeqH/AfBAxfwAAAAASUVO"
    "RK5CYII="
)

_INVENTORY = b"""all:
  hosts:
    controller: {ansible_host: 192.0.2.7, ansible_user: zuul, nodepool: {label: ubuntu-jammy}}
  vars:
    zuul: {build: abc1234, change: '123442', patchset: '7', pipeline: check}
"""


class _Clock:
    """Times that only grow, with gaps like a busy service's."""

    def __init__(self, rng: random.Random, mean_gap_ms: float = 6.0) -> None:
        self._rng = rng
        self._rate = 1 / mean_gap_ms
        self._millis = 248

    def millis(self) -> bytes:
        self._millis += int(self._rng.expovariate(self._rate))
        second, millis = divmod(self._millis, 1000)
        return _second(second, "%Y-%m-%d %H:%M:%S.") + b"%03d" % millis

    def micros(self, layout: str = "%Y-%m-%d %H:%M:%S.") -> bytes:
        self._millis += 1  # else two within one millisecond might go back
        millis = self.millis()[-3:]
        second = _second(self._millis // 1000, layout)
        return second + millis + b"%03d" % self._rng.randrange(1000)


@functools.lru_cache(maxsize=4)
def _second(number: int, layout: str) -> bytes:
    return (_START + timedelta(seconds=number)).strftime(layout).encode()


def _uuid(rng: random.Random) -> bytes:
    digits = b"%032x" % rng.getrandbits(128)
    return b"-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _catalog(project: str) -> bytes:
    entries = []
    for name in _CATALOG_SERVICES.split():
        url = f"http://10.0.0.4/{name}/v3/{project}"
        endpoint = {"adminURL": url, "region": "RegionOne", "publicURL": url, "internalURL": url}
        entries.append({"endpoints": [endpoint], "type": name, "name": name})
    return json.dumps(entries).encode()


def _identities(rng: random.Random) -> list[dict[bytes, bytes]]:
    """Users with their catalogs: a test class has its user and its project for a while."""
    found = []
    for number in range(12):
        project = f"{rng.getrandbits(128):032x}"
        who = b"tempest-ServersTest-%d demo" % rng.randrange(10**9) if number else b"demo demo"
        found.append({b"who": who, b"catalog": _catalog(project)})
    return found


def _templates(rng: random.Random) -> Iterator[bytes]:
    """Mostly requests; a warning now and then; an error about once a megabyte."""
    for number in itertools.count(1):
        yield _REQUEST
        if number % 15 == 0:
            yield _WARNING
        if number % 90 == 7:
            yield rng.choice((_ERROR_PREFIXED, _ERROR_BARE))
        if number % 400 == 9:
            yield _HOSTILE


def _episodes(seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    clock = _Clock(rng)
    identities = _identities(rng)
    pids = [b"%d" % (2790 + i) for i in range(4)]
    for template in _templates(rng):
        noise = b"%064x" % rng.getrandbits(256)
        values = {
            b"pid": rng.choice(pids),
            b"req": b"req-" + _uuid(rng),
            b"instance": _uuid(rng),
            b"token": noise,
            b"mac": b":".join((noise[:2], noise[2:4], noise[4:6])),
            b"octet": b"%d" % rng.randrange(2, 255),
            b"port": b"%d" % rng.randrange(32768, 61000),
            b"seconds": b"%.2f" % rng.uniform(0.3, 40),
        }
        values |= rng.choice(identities)
        _, *records = (template % values).split(b"\n@")
        yield b"\n".join([clock.millis() + record for record in records])


def generate_oslo(size: int, seed: int = 0) -> Iterator[bytes]:
    """Blocks of whole lines of an oslo.log; the last ends with the line that reaches `size`."""
    for episode in _episodes(seed):
        if size <= 0:
            return
        yield episode if len(episode) <= size else episode[: episode.index(b"\n", size - 1) + 1]
        size -= len(episode)


def write_demo_logs(folder: pathlib.Path) -> list[pathlib.Path]:
    """The paths of the demo builds, which are written unless this version of them is there.

    Only the files named in `_FILES` are written; whatever else the folder holds stays. The mark
    comes last, so that an interrupted run is done again.
    """
    mark = folder / MARK
    is_marked = mark.is_file() and mark.read_text() == VERSION
    paths = [folder / name for name in _FILES]
    if not (is_marked and all(path.is_file() for path in paths)):
        mark.unlink(missing_ok=True)
        for path, content in zip(paths, _FILES.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, content())
        mark.write_text(VERSION)
    return paths


def _write(path: pathlib.Path, blocks: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        if path.suffix != ".gz":
            file.writelines(blocks)
            return
        # No name and no time in the header: the same seed gives the same bytes.
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            packed.writelines(blocks)


def _screen(size: int, seed: int) -> Iterator[bytes]:
    yield b"+ exec /bin/bash -c '/opt/stack/data/venv/bin/nova-compute --config-file nova.conf'\n"
    yield from generate_oslo(size, seed)


def _console(seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    clock = _Clock(rng, mean_gap_ms=60)
    lines = ["Job console starting", "Updating git repos", "PLAY [all] " + "*" * 60]
    for task in _TASKS:
        lines += ["", f"TASK [{task}] " + "*" * (70 - len(task))]
        for step in rng.choices(range(10**6), k=rng.randrange(40, 400)):
            lines.append(f"{_NODE} | + functions-common:apt_get:{step % 900} : is_set PKG_{step}")
            lines.append(f"{_NODE} | Get:{step % 900} noble/main amd64 libdemo{step} 1.2-1")
        if "devstack" in task:
            lines.append(f"{_NODE} | \x1b[00;31mWARNING: swap is small <512 MB\x1b[00m")
        lines.append(f"{_NODE} | {_NODE} | changed: Runtime: 0:00:{len(task)}.412")
    lines.append("fatal: [ubuntu-jammy]: FAILED! => {'rc': 1, 'msg': 'non-zero return code'}")
    lines += ["", "PLAY RECAP " + "*" * 60]
    lines.append(f"{_NODE} | ok: 41 changed: 17 unreachable: 0 failed: 1 skipped: 6 rescued: 0")
    return (b"%s | %s\n" % (clock.micros(), line.encode()) for line in lines)


def _journal(seed: int, count: int, messages: list[str]) -> Iterator[bytes]:
    rng = random.Random(seed)
    clock = _Clock(rng, mean_gap_ms=200)
    yield b"-- Journal begins at Wed 2026-03-04 18:22:11 UTC. --\n"
    for number in range(count):
        found = [rng.choice(messages)]
        if number % 700 == 99:
            found += _JOURNAL_ERROR
        for message in found:
            request = _uuid(rng).decode()
            message = message.replace("ID", request).replace("SHORT", request[:8])
            yield b"%s np0039821 %s\n" % (clock.micros("%b %d %H:%M:%S."), message.encode())


def _stestr(seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    outcomes = rng.choices(("ok", "FAILED", "SKIPPED: Volume migration is off"), (96, 1, 3), k=900)
    for number, outcome in enumerate(outcomes):
        test = f"test_{number % 40}.ServersTestJSON.test_case_{number}"
        spent = rng.expovariate(0.3)
        line = f"{{{number % 4}}} tempest.api.compute.servers.{test} [{spent:.6f}s] ... {outcome}\n"
        yield line.encode()
        if outcome == "FAILED":
            yield _TEST_FAILED
    yield b"\n======\nTotals\n======\nRan: %d tests\n" % len(outcomes)
    for name, outcome in (("Passed", "ok"), ("Skipped", "SKIPPED"), ("Failed", "FAILED")):
        yield f" - {name}: {sum(found.startswith(outcome) for found in outcomes)}\n".encode()


def _job_output_json() -> Iterator[bytes]:
    tasks = [{"task": {"name": name}, "hosts": {_NODE: {"changed": False}}} for name in _TASKS]
    yield json.dumps([{"phase": "run", "plays": [{"tasks": tasks}]}], indent=2).encode() + b"\n"


_TOX = "42/123442/7/check/nova-tox/abc1234"
_LOGS = f"{_TOX}/controller/logs"
_TEMPEST = "42/123442/7/gate/nova-tempest/def5678"

_FILES: dict[str, Callable[[], Iterable[bytes]]] = {
    f"{_TOX}/job-output.txt": lambda: _console(1),
    f"{_TOX}/job-output.json": _job_output_json,
    f"{_TOX}/testr_results.html": lambda: [_REPORT],
    f"{_TOX}/zuul-info/inventory.yaml": lambda: [_INVENTORY],
    f"{_LOGS}/screen-n-cpu.txt.gz": lambda: _screen(LARGE_LOG, 2),
    f"{_LOGS}/screen-n-api.txt": lambda: _screen(900_000, 3),
    f"{_LOGS}/screen-hostile.txt": lambda: _screen(400_000, 4),
    f"{_LOGS}/syslog.txt": lambda: _journal(5, 2_000, _JOURNAL),
    f"{_LOGS}/devstack@c-api.service.txt.gz": lambda: _journal(6, 5_000, _JOURNAL[:4]),
    f"{_LOGS}/graph.png": lambda: [base64.b64decode(_PNG)],
    f"{_TEMPEST}/job-output.txt.gz": lambda: _console(8),
    f"{_TEMPEST}/stestr_results.txt": lambda: _stestr(9),
    f"{_TEMPEST}/tempest.log.gz": lambda: _screen(2_000_000, 10),
}
