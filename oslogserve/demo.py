# SPDX-License-Identifier: Apache-2.0
"""Demo logs, generated from a seed, so none need be shipped or fetched.

All are made of *episodes*: templates of some records that one event leaves behind, with new times
and ids each time. ``generate_oslo`` gives a log of any size. Its line lengths and gzip ratio follow
real gate logs: most lines short (a pretty-printed body), a few very long (a service catalogue, which
is more than half of all bytes). ``write_demo_logs`` lays out a build as Zuul uploads it.
"""

import base64
import gzip
import itertools
import json
import pathlib
import random
import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta

#: Uncompressed bytes of the one big log: enough to see streaming, quick enough to write.
LARGE_LOG = 50_000_000

_START = datetime(2026, 3, 4, 18, 22, 11)
_JOURNAL_TIME = "%b %d %H:%M:%S.%f"
_CATALOG_SERVICES = (
    "nova neutron glance cinder keystone placement swift heat octavia designate barbican "
    "manila magnum ironic trove aodh gnocchi cloudkitty masakari zaqar senlin mistral"
)

# Templates of episodes: "@" at the beginning of a line becomes a time in milliseconds, "@000" one in
# microseconds.

_REQUEST = rb"""
@ %(pid)s INFO nova.osapi_compute.wsgi.server [None - - - - - -] (%(pid)s) accepted ('127.0.0.1', %(port)s)

@ %(pid)s DEBUG nova.api.openstack.wsgi [None %(req)s %(user)s] Calling method '<bound method ServersController.show of <nova.api.openstack.compute.servers.ServersController object at 0x7f3a5c0e2d90>>' {{(pid=%(pid)s) _process_stack /opt/stack/nova/nova/api/openstack/wsgi.py:511}}
@ %(pid)s DEBUG keystonemiddleware.auth_token [None %(req)s %(user)s] Removing headers from request environment: X-Service-Catalog,X-Identity-Status,X-Service-Identity-Status,X-Roles,X-Service-Roles,X-Domain-Name {{(pid=%(pid)s) remove_auth_headers /usr/local/lib/python3.12/dist-packages/keystonemiddleware/auth_token/_request.py:44}}
@ %(pid)s DEBUG keystoneauth.session [None %(req)s %(user)s] REQ: curl -g -i -X GET http://10.0.0.4/identity/v3/auth/tokens -H "X-Subject-Token: {SHA256}%(token)s" -H "X-Service-Catalog: %(catalog)s" {{(pid=%(pid)s) _http_log_request /usr/local/lib/python3.12/dist-packages/keystoneauth1/session.py:570}}
@ %(pid)s DEBUG nova.compute.api [None %(req)s %(user)s] [instance: %(instance)s] Fetching instance by UUID {{(pid=%(pid)s) get /opt/stack/nova/nova/compute/api.py:2884}}
@ %(pid)s DEBUG oslo_concurrency.lockutils [None %(req)s %(user)s] Acquiring lock "refresh_cache-%(instance)s" {{(pid=%(pid)s) lock /usr/local/lib/python3.12/dist-packages/oslo_concurrency/lockutils.py:313}}
@ %(pid)s DEBUG oslo_concurrency.lockutils [None %(req)s %(user)s] Acquired lock "refresh_cache-%(instance)s" {{(pid=%(pid)s) lock /usr/local/lib/python3.12/dist-packages/oslo_concurrency/lockutils.py:316}}
@ %(pid)s DEBUG nova.network.neutron [None %(req)s %(user)s] [instance: %(instance)s] Building network info cache for instance {{(pid=%(pid)s) _get_instance_nw_info /opt/stack/nova/nova/network/neutron.py:2067}}
@ %(pid)s DEBUG neutronclient.v2_0.client [None %(req)s %(user)s] RESP BODY: {
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
@ %(pid)s DEBUG oslo_concurrency.lockutils [None %(req)s %(user)s] Releasing lock "refresh_cache-%(instance)s" {{(pid=%(pid)s) lock /usr/local/lib/python3.12/dist-packages/oslo_concurrency/lockutils.py:334}}
@ %(pid)s INFO nova.compute.manager [None %(req)s %(user)s] [instance: %(instance)s] Took %(seconds)s seconds to build instance.
@ %(pid)s DEBUG nova.api.openstack.wsgi [None %(req)s %(user)s] RESP BODY:
<?xml version="1.0"?>
<server id="%(instance)s">
  <status>ACTIVE</status>
  <ip version="4" addr="10.1.0.%(octet)s"/>
  <metadata/>
  <config_drive/>
  <key_name>tempest & co</key_name>
</server>
 {{(pid=%(pid)s) _log_body /opt/stack/nova/nova/api/openstack/wsgi.py:498}}
@ %(pid)s INFO nova.api.openstack.requestlog [None %(req)s %(user)s] 10.0.0.4 "GET /compute/v2.1/servers/%(instance)s" status: 200 len: 1874 microversion: 2.96 time: 0.%(port)s
"""

_WARNING = rb"""
@ %(pid)s WARNING nova.virt.libvirt.driver [None %(req)s %(user)s] [instance: %(instance)s] Timeout waiting for ['network-vif-plugged'] after %(seconds)s seconds
"""

# oslo.log repeats the prefix on each line of a traceback ...
_ERROR_PREFIXED = rb"""
@ %(pid)s ERROR nova.compute.manager [None %(req)s %(user)s] [instance: %(instance)s] Instance failed to spawn: nova.exception.PortBindingFailed: Binding failed for port <%(token)s>
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
@ %(pid)s ERROR oslo_messaging.rpc.server [None %(req)s %(user)s] Exception during message handling: oslo_db.exception.DBDeadlock
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
@ %(pid)s INFO nova.metadata [None %(req)s %(user)s] name=<script>alert(1)</script>
@ %(pid)s INFO nova.metadata [None %(req)s %(user)s] &amp; &lt;b&gt; </span></pre><img src=x onerror=alert(1)>
@ %(pid)s WARNING nova.metadata [None %(req)s %(user)s] not UTF-8: \xff\xfe caf\xe9 \xc3\x28 \x00 end
@ %(pid)s INFO nova.metadata [None %(req)s %(user)s] \x1b[31;1mred\x1b[0m and \x1b[00;32mgreen\x1b[00m
@ %(pid)s INFO nova.metadata [None %(req)s %(user)s] "quotes' href="javascript:alert(1)" %%3Cb%%3E
@ %(pid)s DEBUG nova.metadata [None %(req)s %(user)s] user_data """
    + b"QUJDREVGR0g" * 9_000
    + b"\n"
)

_CONSOLE_START = b"""
@000 | Job console starting
@000 | Updating git repos
@000 | PLAY [all] **********************************************************
"""

_CONSOLE_STEP = b"""
@000 | ubuntu-jammy | + functions-common:apt_get:1120 : is_set PKG_%(port)s
@000 | ubuntu-jammy | Get:%(octet)s noble/main amd64 libdemo%(port)s 1.2-1
"""

_CONSOLE_END = b"""
@000 | ubuntu-jammy | \x1b[00;31mWARNING: swap is small <512 MB\x1b[00m
@000 | fatal: [ubuntu-jammy]: FAILED! => {'rc': 1, 'msg': 'non-zero return code'}
@000 |
@000 | PLAY RECAP **********************************************************
@000 | ubuntu-jammy | ok: 41 changed: 17 unreachable: 0 failed: 1 skipped: 6 rescued: 0
"""

_C_API = b"""
@000 np0039821 devstack@c-api.service[8526]: DEBUG oslo_concurrency.lockutils [None %(req)s demo demo] Acquired lock "singleton" {{(pid=8526) lock /usr/lib/oslo_concurrency/lockutils.py:316}}
@000 np0039821 devstack@c-api.service[8526]: INFO cinder.api.openstack.wsgi [None %(req)s demo demo] GET http://10.0.0.4/volume/v3/volumes/detail?limit=10&all_tenants=1
@000 np0039821 devstack@c-api.service[8526]: WARNING cinder.keymgr [None %(req)s None None] fixed_key is in use: NOT for production.
"""

_SYSTEM = b"""
@000 np0039821 kernel: br-int: port 3(tap%(port)s) entered <forwarding> state
@000 np0039821 sshd[912]: Accepted publickey for zuul from 10.0.0.9 port %(port)s ssh2: RSA SHA256:%(token)s
"""

_C_VOL_ERROR = b"""
@000 np0039821 devstack@c-vol.service[9001]: ERROR cinder.volume.manager [None %(req)s demo demo] Unable to create volume: timeout
@000 np0039821 devstack@c-vol.service[9001]: ERROR cinder.volume.manager Traceback (most recent call last):
@000 np0039821 devstack@c-vol.service[9001]: ERROR cinder.volume.manager   File "/opt/stack/cinder/cinder/volume/manager.py", line 766
@000 np0039821 devstack@c-vol.service[9001]: ERROR cinder.volume.manager cinder.exception.VolumeBackendAPIException: <no lun>
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


def _times(rng: random.Random, layout: str, mean_gap: float) -> Iterator[bytes]:
    """Times that only grow, with gaps like a busy service's. mean_gap: in milliseconds."""
    millis = 248
    while True:
        millis += int(rng.expovariate(1 / mean_gap))
        yield (_START + timedelta(milliseconds=millis)).strftime(layout)[:-3].encode()


def _uuid(rng: random.Random) -> bytes:
    return str(uuid.UUID(int=rng.getrandbits(128))).encode()


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
        user = b"tempest-ServersTest-%d demo" % rng.randrange(10**9) if number else b"demo demo"
        found.append({b"user": user, b"catalog": _catalog(project)})
    return found


def _values(rng: random.Random) -> dict[bytes, bytes]:
    """Values of a template's fields in one episode."""
    noise = b"%064x" % rng.getrandbits(256)
    return {
        b"pid": b"%d" % rng.choice(range(2790, 2794)),
        b"req": b"req-" + _uuid(rng),
        b"instance": _uuid(rng),
        b"token": noise,
        b"mac": b":".join((noise[:2], noise[2:4], noise[4:6])),
        b"octet": b"%d" % rng.randrange(2, 255),
        b"port": b"%d" % rng.randrange(32768, 61000),
        b"seconds": b"%.2f" % rng.uniform(0.3, 40),
    }


def _episodes(
    templates: Callable[[random.Random], Iterator[bytes]],
    seed: int,
    layout: str = "%Y-%m-%d %H:%M:%S.%f",
    mean_gap: float = 6.0,
) -> Iterator[bytes]:
    """An episode of each template. layout, mean_gap: of the times, see _times()."""
    rng = random.Random(seed)  # noqa: S311 - the same demo logs each time
    times = _times(rng, layout, mean_gap)
    identities = _identities(rng)
    for template in templates(rng):
        values = _values(rng) | rng.choice(identities)
        _, *records = (template % values).split(b"\n@")
        yield b"\n".join([next(times) + record for record in records])


def _requests(rng: random.Random) -> Iterator[bytes]:
    """Mostly requests; a warning now and then; an error about once a megabyte."""
    for number in itertools.count(1):
        yield _REQUEST
        if number % 15 == 0:
            yield _WARNING
        if number % 90 == 7:
            yield rng.choice((_ERROR_PREFIXED, _ERROR_BARE))
        if number % 400 == 9:
            yield _HOSTILE


def _console(rng: random.Random) -> Iterator[bytes]:
    yield _CONSOLE_START
    for task in (b"Ensure swap is on", b"Run devstack", b"Gather <logs> & results"):
        yield b"\n@000 |\n@000 | TASK [%b] " % task + b"*" * 40 + b"\n"
        yield from itertools.repeat(_CONSOLE_STEP, rng.randrange(40, 400))
    yield _CONSOLE_END


def _syslog(rng: random.Random) -> Iterator[bytes]:
    for number in range(800):
        yield rng.choice((_C_API, _SYSTEM))
        if number % 300 == 99:
            yield _C_VOL_ERROR


def generate_oslo(size: int, seed: int = 0) -> Iterator[bytes]:
    """Blocks of whole lines of an oslo.log; the last ends with the line that reaches `size`."""
    for episode in _episodes(_requests, seed):
        if size <= 0:
            return
        yield episode if len(episode) <= size else episode[: episode.index(b"\n", size - 1) + 1]
        size -= len(episode)


def _screen(size: int, seed: int) -> Iterator[bytes]:
    yield b"+ exec /bin/bash -c '/opt/stack/data/venv/bin/nova-compute --config-file nova.conf'\n"
    yield from generate_oslo(size, seed)


def write_demo_logs(folder: pathlib.Path) -> list[pathlib.Path]:
    """The paths of the demo build, which is written. Whatever else the folder holds stays."""
    paths = [folder / _BUILD / name for name in _FILES]
    for path, content in zip(paths, _FILES.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, content())
    return paths


def _write(path: pathlib.Path, blocks: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        if path.suffix != ".gz":
            file.writelines(blocks)
            return
        # No name and no time in the header: the same seed gives the same bytes.
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            packed.writelines(blocks)


_BUILD = "42/123442/7/check/nova-tox/abc1234"

_FILES: dict[str, Callable[[], Iterable[bytes]]] = {
    "job-output.txt": lambda: _episodes(_console, 1, mean_gap=60),
    "testr_results.html": lambda: [_REPORT],
    "controller/logs/screen-n-cpu.txt.gz": lambda: _screen(LARGE_LOG, 2),
    "controller/logs/screen-n-api.txt": lambda: _screen(900_000, 3),
    "controller/logs/screen-hostile.txt": lambda: _screen(400_000, 4),
    "controller/logs/syslog.txt": lambda: _episodes(_syslog, 5, _JOURNAL_TIME, 200),
    "controller/logs/devstack@c-api.service.txt.gz": lambda: _episodes(
        lambda _: itertools.repeat(_C_API, 1_700), 6, _JOURNAL_TIME, 200
    ),
    "controller/logs/graph.png": lambda: [base64.b64decode(_PNG)],
}
