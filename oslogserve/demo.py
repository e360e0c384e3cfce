# SPDX-License-Identifier: Apache-2.0
"""Logs to try the server with: made here, from a seed, so none need be shipped or fetched.

``generate_oslo`` is the fast one, for a log of any size. It repeats *episodes*, each what one API
request leaves behind: a template of some twenty records whose stamps and ids are filled in by one
bytes ``%``. Line lengths and gzip ratio follow real gate logs: most lines short (a pretty-printed
body), a few very long (a service catalogue, which is more than half of all bytes).

``write_demo_logs`` lays out two builds as Zuul uploads them. This module reads no configuration
and knows nothing of the server.
"""

import datetime
import functools
import gzip
import json
import pathlib
import random
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator

VERSION = "1"
"""Changes whenever the files written would; a folder with another mark is written again."""

MARK = ".oslogserve-demo"

LARGE_LOG = 50_000_000
"""Uncompressed size of the one big log: enough to see streaming, quick enough to write."""

BLOCK = 1 << 18
"""Bytes gathered before a block is handed on; a gzip writer wants few, large pieces."""

_START = datetime.datetime(2026, 3, 4, 18, 22, 11, 248_123)

_CATALOG_SERVICES = [
    "nova",
    "neutron",
    "glance",
    "cinder",
    "keystone",
    "placement",
    "swift",
    "heat",
    "octavia",
    "designate",
    "barbican",
    "manila",
    "magnum",
    "ironic",
    "trove",
    "aodh",
    "gnocchi",
    "cloudkitty",
    "masakari",
    "zaqar",
    "senlin",
    "mistral",
]

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


def _template(text: bytes) -> tuple[bytes, int]:
    """Number the ``@`` at line starts: ``%(0)s``, ``%(1)s``...; also tell how many there are."""
    pieces = re.split(rb"(?m)^@", text.lstrip(b"\n"))
    numbered = [b"%%(%d)s" % i + piece for i, piece in enumerate(pieces[1:])]
    return pieces[0] + b"".join(numbered), len(numbered)


_EPISODES = {
    name: _template(text)
    for name, text in {
        "request": _REQUEST,
        "warning": _WARNING,
        "prefixed": _ERROR_PREFIXED,
        "bare": _ERROR_BARE,
        "hostile": _HOSTILE,
    }.items()
}

_KEYS = [b"%d" % i for i in range(max(count for _, count in _EPISODES.values()))]


class _Clock:
    """Stamps that only grow, with gaps like a busy service's."""

    def __init__(self, rng: random.Random, mean_gap_ms: float = 6.0) -> None:
        self._rng = rng
        self._rate = 1 / mean_gap_ms
        self._millis = _START.microsecond // 1000
        self._second = -1
        self._prefix = b""

    def oslo(self) -> bytes:
        self._millis += int(self._rng.expovariate(self._rate))
        second, millis = divmod(self._millis, 1000)
        if second != self._second:
            self._second = second
            self._prefix = self._at(second).strftime("%Y-%m-%d %H:%M:%S.").encode()
        return self._prefix + b"%03d" % millis

    def micros(self) -> bytes:
        self._millis += 1  # Else two within one millisecond might go back.
        return self.oslo() + b"%03d" % self._rng.randrange(1000)

    def journal(self) -> bytes:
        fraction = self.micros()[-7:]
        return self._at(self._second).strftime("%b %d %H:%M:%S").encode() + fraction

    @staticmethod
    def _at(second: int) -> datetime.datetime:
        return _START.replace(microsecond=0) + datetime.timedelta(seconds=second)


def _uuid(rng: random.Random) -> bytes:
    digits = b"%032x" % rng.getrandbits(128)
    return b"-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _catalog(project: bytes) -> bytes:
    entries = [
        {
            "endpoints": [
                {
                    "adminURL": f"http://10.0.0.4/{name}/v3/{project.decode()}",
                    "region": "RegionOne",
                    "publicURL": f"http://10.0.0.4/{name}/v3/{project.decode()}",
                    "internalURL": f"http://10.0.0.4/{name}/v3/{project.decode()}",
                }
            ],
            "type": name,
            "name": name,
        }
        for name in _CATALOG_SERVICES
    ]
    return json.dumps(entries).encode()


def _identities(rng: random.Random) -> list[dict[bytes, bytes]]:
    """Who asks: a test class has a user and a project of its own for a while."""
    found = []
    for number in range(12):
        project = b"%032x" % rng.getrandbits(128)
        who = b"tempest-ServersTest-%d demo" % rng.randrange(10**9) if number else b"demo demo"
        found.append({b"who": who, b"catalog": _catalog(project)})
    return found


def _episode_names(rng: random.Random) -> Iterator[str]:
    """Mostly requests; a warning now and then; an error about once a megabyte."""
    number = 0
    while True:
        number += 1
        yield "request"
        if number % 15 == 0:
            yield "warning"
        if number % 90 == 7:
            yield rng.choice(("prefixed", "bare"))
        if number % 400 == 9:
            yield "hostile"


def _episodes(seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    clock = _Clock(rng)
    identities = _identities(rng)
    pids = [b"%d" % (2790 + i) for i in range(4)]
    for name in _episode_names(rng):
        template, count = _EPISODES[name]
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
        values.update(rng.choice(identities))
        values.update(zip(_KEYS[:count], (clock.oslo() for _ in range(count)), strict=True))
        yield template % values


def _whole_lines(episodes: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Blocks of whole lines; the last ends with the line that reaches ``size``."""
    gathered: list[bytes] = []
    length = 0
    left = size
    for episode in episodes:
        if left <= 0:
            break
        if len(episode) > left:
            episode = episode[: episode.index(b"\n", left - 1) + 1]
        left -= len(episode)
        gathered.append(episode)
        length += len(episode)
        if length >= BLOCK:
            yield b"".join(gathered)
            gathered, length = [], 0
    if gathered:
        yield b"".join(gathered)


def generate_oslo(size: int, seed: int = 0) -> Iterator[bytes]:
    """Blocks of whole lines of an oslo.log, ``size`` bytes in all or one line's end more."""
    return _whole_lines(_episodes(seed), size)


def write_demo_logs(folder: pathlib.Path) -> list[pathlib.Path]:
    """Write the demo builds below ``folder``, unless this version of them is there already.

    Only the files named in ``_FILES`` are written; whatever else the folder holds stays. The mark
    comes last, so that an interrupted run is done again.
    """
    mark = folder / MARK
    paths = [folder / name for name in _FILES]
    if not (_marked(mark) and all(path.is_file() for path in paths)):
        mark.unlink(missing_ok=True)
        for path, content in zip(paths, _FILES.values(), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, content())
        mark.write_text(VERSION)
    return paths


def _marked(mark: pathlib.Path) -> bool:
    return mark.is_file() and mark.read_text() == VERSION


def _write(path: pathlib.Path, blocks: Iterable[bytes]) -> None:
    with path.open("wb") as plain:
        if path.suffix != ".gz":
            plain.writelines(blocks)
            return
        # No name and no time in the header: the same seed gives the same bytes.
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=plain, mtime=0) as packed:
            for block in blocks:
                packed.write(block)


def _screen(size: int, seed: int) -> Iterator[bytes]:
    yield b"+ exec /bin/bash -c '/opt/stack/data/venv/bin/nova-compute --config-file nova.conf'\n"
    yield from generate_oslo(size, seed)


def _hostile(seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    clock = _Clock(rng)
    template, count = _EPISODES["hostile"]
    values = {b"pid": b"2790", b"req": b"req-" + _uuid(rng), b"who": b"demo demo"}
    values.update(zip(_KEYS[:count], (clock.oslo() for _ in range(count)), strict=True))
    yield template % values
    yield from generate_oslo(200_000, seed)


_TASKS = (
    "Start console logger",
    "validate-host : Collect information about the host",
    "prepare-workspace-git : Mirror the projects",
    "configure-swap : Ensure swap is on",
    "run-devstack : Run devstack",
    "tempest : Run Tempest",
    "collect-logs : Gather <logs> & results",
)


def _console(seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    clock = _Clock(rng, mean_gap_ms=60)

    def line(text: str, host: str = "") -> bytes:
        return b"%s | %s\n" % (clock.micros(), f"{host} | {text}".removeprefix(" | ").encode())

    yield line("Job console starting")
    yield line("Updating git repos")
    yield line("PLAY [all] " + "*" * 60)
    for number, task in enumerate(_TASKS):
        yield line("")
        yield line(f"TASK [{task}] " + "*" * (70 - len(task)))
        for _ in range(rng.randrange(40, 400)):
            step = rng.randrange(10**6)
            yield line(f"+ functions-common:apt_get:{step % 900} : is_set PKG_{step}", _NODE)
            yield line(f"Get:{step % 900} noble/main amd64 libdemo{step} 1.2-{step % 7}", _NODE)
        if number == 4:
            yield line("\x1b[00;31mWARNING: swap is small <512 MB\x1b[00m", _NODE)
        yield line(f"{_NODE} | {('ok', 'changed')[number % 2]}: Runtime: 0:00:{number + 10}.412")
    yield line("fatal: [ubuntu-jammy]: FAILED! => {'rc': 1, 'msg': 'non-zero return code'}")
    yield line("")
    yield line("PLAY RECAP " + "*" * 60)
    yield line(f"{_NODE} | ok: 41 changed: 17 unreachable: 0 failed: 1 skipped: 6 rescued: 0")


_NODE = "ubuntu-jammy"


def _devstack(seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    clock = _Clock(rng, mean_gap_ms=40)
    for number in range(6_000):
        package = f"python3-demo{rng.randrange(900)}"
        text = ("Selecting previously unselected package %s.", "Unpacking %s (1.2-1ubuntu1) ...")
        yield b"%s | %s\n" % (clock.oslo(), (text[number % 2] % package).encode())


_JOURNAL = (
    "systemd[1]: Started Devstack devstack@c-api.service.",
    (
        "devstack@c-api.service[8526]: DEBUG oslo_concurrency.lockutils [None req-{id} demo demo] "
        'Acquired lock "singleton" {{{{(pid=8526) lock /usr/lib/oslo_concurrency/lockutils.py:316}}}}'
    ),
    (
        "devstack@c-api.service[8526]: INFO cinder.api.openstack.wsgi [None req-{id} demo demo] "
        "GET http://10.0.0.4/volume/v3/volumes/detail?limit=10&all_tenants=1"
    ),
    (
        "devstack@c-api.service[8526]: WARNING cinder.keymgr [None req-{id} None None] "
        "fixed_key is in use: NOT for production."
    ),
    "kernel: br-int: port 3(tap{short}) entered <forwarding> state",
    "sshd[912]: Accepted publickey for zuul from 10.0.0.9 port 42122 ssh2: RSA SHA256:{short}",
)

_JOURNAL_ERROR = (
    "ERROR cinder.volume.manager [None req-{id} demo demo] Unable to create volume: timeout",
    "ERROR cinder.volume.manager Traceback (most recent call last):",
    'ERROR cinder.volume.manager   File "/opt/stack/cinder/cinder/volume/manager.py", line 766',
    "ERROR cinder.volume.manager cinder.exception.VolumeBackendAPIException: <no lun>",
)


def _journal(seed: int, lines: int, kinds: tuple[str, ...]) -> Iterator[bytes]:
    rng = random.Random(seed)
    clock = _Clock(rng, mean_gap_ms=200)

    def line(text: str) -> bytes:
        identity = _uuid(rng).decode()
        text = text.format(id=identity, short=identity[:8])
        return b"%s np0039821 %s\n" % (clock.journal(), text.encode())

    yield b"-- Journal begins at Wed 2026-03-04 18:22:11 UTC. --\n"
    for number in range(lines):
        yield line(rng.choice(kinds))
        if number % 700 == 99:
            yield from (line(f"devstack@c-vol.service[9001]: {text}") for text in _JOURNAL_ERROR)


_TEST_FAILED = b"""
Captured traceback:
~~~~~~~~~~~~~~~~~~~
    Traceback (most recent call last):

      File "/opt/stack/tempest/tempest/common/waiters.py", line 102, in wait_for_server_status
    raise lib_exc.TimeoutException(message)

    tempest.lib.exceptions.TimeoutException: Request timed out
Details: (ServersTestJSON:test_show) Server <7> failed to reach ACTIVE status & task state "None"

"""


def _stestr(seed: int) -> Iterator[bytes]:
    rng = random.Random(seed)
    outcomes = {"ok": 0, "FAILED": 0, "SKIPPED: Volume migration is off": 0}
    for number in range(900):
        outcome = rng.choices(list(outcomes), (96, 1, 3))[0]
        outcomes[outcome] += 1
        yield (
            f"{{{rng.randrange(4)}}} tempest.api.compute.servers.test_{number % 40}."
            f"ServersTestJSON.test_case_{number} [{rng.expovariate(0.3):.6f}s] ... {outcome}\n"
        ).encode()
        if outcome == "FAILED":
            yield _TEST_FAILED
    passed, failed, skipped = outcomes.values()
    yield f"\n======\nTotals\n======\nRan: {passed + failed + skipped} tests\n".encode()
    yield f" - Passed: {passed}\n - Skipped: {skipped}\n - Failed: {failed}\n".encode()


_REPORT = b"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Unit Test Report</title></head>
<body><h1>Unit Test Report</h1>
<p id="script">The script did not run: this page is sandboxed.</p>
<table border="1"><tr><th>Test</th><th>Result</th></tr>
<tr><td>test_show</td><td>fail</td></tr><tr><td>test_list</td><td>pass</td></tr></table>
<script>document.getElementById("script").textContent = "The script ran.";</script>
</body></html>
"""

_INVENTORY = b"""all:
  children:
    tempest:
      hosts:
        controller: null
  hosts:
    controller:
      ansible_host: 192.0.2.7
      ansible_user: zuul
      nodepool:
        label: ubuntu-jammy
  vars:
    zuul:
      build: abc1234
      change: '123442'
      patchset: '7'
      pipeline: check
"""


def _png() -> Iterator[bytes]:
    """A 64 x 64 square of two colours, 8 bits a channel, no filter."""
    rows = b"".join(b"\0" + bytes((200 - 2 * y, 40, 60 + 2 * y)) * 64 for y in range(64))
    yield b"\x89PNG\r\n\x1a\n"
    yield _png_chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0))
    yield _png_chunk(b"IDAT", zlib.compress(rows))
    yield _png_chunk(b"IEND", b"")


def _png_chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


def _job_output_json() -> Iterator[bytes]:
    tasks = [{"task": {"name": name}, "hosts": {_NODE: {"changed": False}}} for name in _TASKS]
    yield json.dumps([{"phase": "run", "plays": [{"tasks": tasks}]}], indent=2).encode() + b"\n"


_TOX = "42/123442/7/check/nova-tox/abc1234"
_TEMPEST = "42/123442/7/gate/nova-tempest/def5678"

_FILES: dict[str, Callable[[], Iterable[bytes]]] = {
    f"{_TOX}/job-output.txt": functools.partial(_console, 1),
    f"{_TOX}/job-output.json": _job_output_json,
    f"{_TOX}/testr_results.html": lambda: [_REPORT],
    f"{_TOX}/zuul-info/inventory.yaml": lambda: [_INVENTORY],
    f"{_TOX}/controller/logs/screen-n-cpu.txt.gz": functools.partial(_screen, LARGE_LOG, 2),
    f"{_TOX}/controller/logs/screen-n-api.txt": functools.partial(_screen, 900_000, 3),
    f"{_TOX}/controller/logs/screen-hostile.txt": functools.partial(_hostile, 4),
    f"{_TOX}/controller/logs/syslog.txt": functools.partial(_journal, 5, 2_000, _JOURNAL),
    f"{_TOX}/controller/logs/devstack@c-api.service.txt.gz": functools.partial(
        _journal, 6, 5_000, _JOURNAL[:4]
    ),
    f"{_TOX}/controller/logs/devstacklog.txt.gz": functools.partial(_devstack, 7),
    f"{_TOX}/controller/logs/graph.png": _png,
    f"{_TEMPEST}/job-output.txt.gz": functools.partial(_console, 8),
    f"{_TEMPEST}/stestr_results.txt": functools.partial(_stestr, 9),
    f"{_TEMPEST}/tempest.log.gz": functools.partial(_screen, 2_000_000, 10),
}
