# SPDX-License-Identifier: Apache-2.0
"""Swift's servers in this process: python -m tests.servers.swift_child ETC NAME...

NAME is proxy, account, container or object, configured by ETC/NAME-server.conf;
`rings` builds the rings in ETC first.  Any number of servers share the process:
Swift serves with green threads, and its servers do not mind company.
"""

import configparser
import sys
from pathlib import Path

import eventlet
from swift.common import constraints, wsgi
from swift.common.ring import RingBuilder
from swift.common.utils import get_hub

RINGS = ("account", "container", "object")
PART_POWER = 4
REPLICAS = 1


def main(etc, *names):
    etc = Path(etc)
    if "rings" in names:
        build_rings(etc)
    servers = [prepared(etc, name) for name in names if name != "rings"]
    if servers:
        serve(servers)


def build_rings(etc):
    for kind in RINGS:
        conf = configparser.RawConfigParser()
        conf.read(etc / f"{kind}-server.conf")
        builder = RingBuilder(PART_POWER, REPLICAS, min_part_hours=0)
        builder.add_dev(
            {
                "id": 0,
                "region": 1,
                "zone": 1,
                "ip": conf["DEFAULT"]["bind_ip"],
                "port": int(conf["DEFAULT"]["bind_port"]),
                "device": "sda",
                "weight": 1.0,
            }
        )
        builder.rebalance()
        builder.get_ring().save(str(etc / f"{kind}.ring.gz"))


def prepared(etc, name):
    """The arguments of run_server, with the port bound."""
    path = str(etc / f"{name}-server.conf")
    conf, logger, global_conf, _ = wsgi.check_config(path, f"{name}-server", verbose=True)
    constraints.reload_constraints()  # of our swift.conf; they were read from /etc/swift
    return conf, logger, wsgi.get_socket(conf), global_conf


def serve(servers):
    # run_server() chooses the main thread's hub, and a new hub would strand the
    # servers that run in the one before: choose it once for all.  Worker threads
    # still get theirs, by a call without a name.
    hubs = eventlet.hubs
    choose = hubs.use_hub
    choose(get_hub())
    hubs.use_hub = lambda name=None: None if name else choose()
    for green_thread in [eventlet.spawn(wsgi.run_server, *server) for server in servers]:
        green_thread.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
