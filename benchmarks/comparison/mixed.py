# SPDX-License-Identifier: Apache-2.0
"""A log with ten formats, line by line in turn, to measure the cost of recognising them.

Real logs keep the same format for many lines. This log is the worst for a processor's caches and branch
prediction.
"""

import random
from collections.abc import Iterator

BLOCK = 1 << 18

#: A `%d` is a number below a million, written with six digits.
FORMATS = {
    "oslo.log": b"2026-03-04 18:22:11.%d 2790 DEBUG nova.network.neutron [None req-9ab3cc0e-%d-4bd1-8f3b"
    b"-1d8e0c3ef2aa tempest-ServersTest-%d demo] [instance: 0f2e8a] Building network info cache for "
    b"instance {{(pid=2790) _get_instance_nw_info /opt/stack/nova/nova/network/neutron.py:2067}}",
    "journal": b"Mar 04 18:22:11.%d np0039821 devstack@c-api.service[8526]: INFO cinder.api.openstack.wsgi"
    b" [None req-%d-demo demo] GET http://10.0.0.4/volume/v3/volumes/detail?limit=10&marker=%d",
    "Zuul console": b"2026-03-04 18:22:11.%d | controller | Setting up libvirt-daemon-system:amd64"
    b" (8.0.0-1ubuntu7.%d) ... and its %d triggers",
    "access log": b'10.0.0.%d - - [04/Mar/2026:18:22:11 +0000] "GET /identity/v3/auth/tokens/%d HTTP/1.1" 200'
    b' %d "-" "openstacksdk/4.0.0 keystoneauth1/5.8.0 python-requests/2.32.3 CPython/3.12.3"',
    "JSON": b'{"time":"2026-03-04T18:22:11.%dZ","level":"info","logger":"controller.machine","msg":"reconciled'
    b' the object","namespace":"default","name":"worker-%d","took":"12ms","attempt":%d}',
    "logfmt": b'time="2026-03-04T18:22:11.%dZ" level=info msg="Finished a compaction of the head block"'
    b" component=tsdb mint=%d maxt=%d duration=1.2s",
    "klog": b"I0304 18:22:11.%d   12345 reconciler_common.go:251] operationExecutor.MountVolume started for"
    b' volume "kube-api-access-%d" pod "coredns-%d" in namespace "kube-system"',
    "nginx errors": b"2026/03/04 18:22:11 [error] 31#31: *%d connect() failed (111: Connection refused) while"
    b' connecting to upstream, client: 10.0.0.%d, request: "GET /api/%d HTTP/1.1"',
    "stestr": b"{3} tempest.api.compute.servers.test_create_server.ServersTestJSON.test_list_servers_%d"
    b" [1.%ds] ... ok",
    "GitHub console": b"2026-03-04T18:22:11.%d7Z [INFO] --- maven-compiler-plugin:3.11.0:compile"
    b" (default-compile) @ service-%d --- compiled %d files",
}


def generate_mixed(size: int, seed: int = 0) -> Iterator[bytes]:
    """Yields blocks of whole lines, with at least `size` bytes together."""
    rng = random.Random(seed)
    formats = list(FORMATS.values())
    while size > 0:
        lines = [
            line % tuple(rng.randrange(100_000, 1_000_000) for _ in range(line.count(b"%d")))
            for line in rng.choices(formats, k=1500)
        ]
        block = b"".join(line + b"\n" for line in lines)
        size -= len(block)
        yield block
