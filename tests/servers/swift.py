# SPDX-License-Identifier: Apache-2.0
"""A real OpenStack Swift: proxy, account, container and object server.

    with Swift() as swift:
        swift.connection().put_container("logs")

Swift runs all four in one process, which starts fast; FourProcessSwift runs
each in its own, to be killed or frozen alone.
"""

import base64
import contextlib
import os
import secrets
import sys
import tempfile
from pathlib import Path

from tests.servers.conf import write_conf
from tests.servers.faulty import Faulty
from tests.servers.process import HOST, Process, Server, free_ports
from tests.servers.request_log import RequestLog

SERVERS = ("proxy", "account", "container", "object")
TOKEN_PATHS = ("/auth/v1", "/auth/v1.0")


class Swift(Server):
    """Swift on free ports; tempauth decides who may in, or Keystone if one is given.

    The proxy gives a server up for 60 s after ten errors by default; here it
    always asks again, so a restarted server is back at once.

    faulty: clients reach it, and the storage URL leads, through the Faulty `faulty`.
    constraints: options of swift.conf's [swift-constraints].
    storage_url_scheme: tempauth's: https where TLS stands before it.
    """

    PROCESSES = (("swift", SERVERS),)  # each process's name and the servers in it

    user = "test:tester"
    key = "testing"

    def __init__(
        self,
        root=None,
        keystone=None,
        *,
        node_timeout=10,
        token_life=86400,
        faulty=False,
        constraints=None,
        storage_url_scheme="default",
    ):
        super().__init__("swift", root)
        self.keystone = keystone
        self.node_timeout = node_timeout
        self.token_life = token_life
        self.client_timeout = 60
        self.constraints = constraints or {}
        self.storage_url_scheme = storage_url_scheme
        self.faulty = None
        self.etc = self.root / "etc"
        self.ports = dict(zip(SERVERS, free_ports(len(SERVERS)), strict=True))
        self.processes = {name: self._process(name, servers) for name, servers in self.PROCESSES}
        self._requests = RequestLog(self.root / "requests.log")
        if faulty:
            self.faulty = self._resources.enter_context(Faulty(self.ports["proxy"]))

    def _begin(self):
        self._configure()
        if self.keystone:
            self.keystone.register_object_store(self.url)
        rings = Process(self._command("rings"), self.root / "rings.log")
        rings.spawn()
        rings.wait()
        for process in self.processes.values():
            process.spawn()
        for process in self.processes.values():
            process.wait_ready()

    # What a client needs

    @property
    def url(self):
        # tempauth's storage URL is made of the Host that it was asked by.
        return self.faulty.url if self.faulty else f"http://{HOST}:{self.ports['proxy']}"

    @property
    def auth_url(self):
        return self.keystone.auth_url if self.keystone else f"{self.url}/auth/v1.0"

    @property
    def storage_url(self):
        account = self.keystone.project_id if self.keystone else "test"
        return f"{self.url}/v1/AUTH_{account}"

    def settings(self, container="logs"):
        """The options of oslogserve's [swift] section for this Swift."""
        if self.keystone:
            return self.keystone.settings() | {"container": container}
        return {
            "auth_version": "1",
            "auth_url": self.auth_url,
            "username": self.user,
            "password": self.key,
            "container": container,
        }

    def connection(self, **options):
        """A new swiftclient.Connection; options go to its constructor."""
        import swiftclient

        if self.keystone:
            return swiftclient.Connection(session=self.keystone.session(), **options)
        return swiftclient.Connection(
            self.auth_url, self.user, self.key, auth_version="1", **options
        )

    def status_of(self, token):
        """Swift's answer to a request with this token."""
        import swiftclient

        connection = swiftclient.Connection(
            preauthurl=self.storage_url, preauthtoken=token, retries=0
        )
        with contextlib.closing(connection):
            try:
                connection.head_account()
            except swiftclient.ClientException as error:
                return error.http_status
        return 200

    def upload(self, directory, container="logs"):
        """Put every file below the directory, as it is, under its relative name."""
        directory = Path(directory)
        with contextlib.closing(self.connection()) as connection:
            connection.put_container(container)
            for path in sorted(path for path in directory.rglob("*") if path.is_file()):
                with path.open("rb") as file:
                    connection.put_object(
                        container,
                        path.relative_to(directory).as_posix(),
                        file,
                        content_length=path.stat().st_size,
                    )

    def put(self, container, files):
        """Put {name: content} into the container."""
        with contextlib.closing(self.connection()) as connection:
            connection.put_container(container)
            for name, content in files.items():
                connection.put_object(container, name, content)

    def list_more(self, container, prefix, count):
        """Let the container list PREFIX000000 and so many, as no test could upload them."""
        arguments = [self.root / "srv/sda/containers", container, prefix, str(count)]
        rows = Process(
            [sys.executable, "-m", "tests.servers.swift_rows", *arguments], self.root / "rows.log"
        )
        rows.spawn()
        rows.wait()

    # What the proxy saw

    def requests(self):
        """Every request the proxy received, health checks included, oldest first."""
        return self._requests.requests()

    def token_requests(self):
        """How many tempauth tokens were asked for; Keystone counts its own."""
        return sum(
            request.method == "GET" and request.path.rstrip("/") in TOKEN_PATHS
            for request in self.requests()
        )

    # Trouble

    def kill(self, name="swift"):
        self.processes[name].kill()

    def start(self, name="swift"):
        self.processes[name].start()

    def freeze(self, name="swift"):
        self.processes[name].freeze()

    def thaw(self, name="swift"):
        self.processes[name].thaw()

    def reconfigure(self, **options):
        """Restart the proxy with another token_life, node_timeout or client_timeout, and with a
        new key: it refuses the tokens that it gave before."""
        for name, value in options.items():
            setattr(self, name, value)
        process = self.processes.get("proxy") or self.processes["swift"]
        process.kill()
        write_conf(self.etc / "proxy-server.conf", self._proxy_conf())
        process.start()

    # How it is set up

    def _process(self, name, servers):
        return self._child(
            self._command(*servers),
            self.root / f"{name}.log",
            ready=[f"http://{HOST}:{self.ports[server]}/healthcheck" for server in servers],
        )

    def _command(self, *names):
        return [sys.executable, "-m", "tests.servers.swift_child", self.etc, *names]

    def _configure(self):
        self.etc.mkdir(parents=True, exist_ok=True)
        (self.root / "srv" / "sda").mkdir(parents=True, exist_ok=True)
        write_conf(
            self.etc / "swift.conf",
            {
                "swift-hash": {"swift_hash_path_suffix": secrets.token_hex(8)},
                "storage-policy:0": {"name": "gold", "default": "yes"},
                "swift-constraints": self.constraints,
            },
        )
        write_conf(self.etc / "proxy-server.conf", self._proxy_conf())
        for kind in ("account", "container", "object"):
            write_conf(self.etc / f"{kind}-server.conf", self._storage_conf(kind))

    def _default(self, server):
        return {
            "bind_ip": HOST,
            "bind_port": self.ports[server],
            "swift_dir": self.etc,
            "devices": self.root / "srv",
            "mount_check": "false",
            "workers": 0,  # serve in the process we started, not in a fork of it
            "disable_fallocate": "true",
            "fallocate_reserve": 0,
            "recon_cache_path": self.root / "recon",
        }

    def _storage_conf(self, kind):
        app = kind
        if kind == "object" and not _has_user_xattrs(self.root):
            app = "mem_object"
        return {
            "DEFAULT": self._default(kind),
            "pipeline:main": {"pipeline": f"healthcheck {kind}-server"},
            f"app:{kind}-server": {"use": f"egg:swift#{app}"},
            "filter:healthcheck": {"use": "egg:swift#healthcheck"},
        }

    def _proxy_conf(self):
        auth = self._keystone_filters() if self.keystone else self._tempauth_filter()
        before = ["catch_errors", "gatekeeper", "healthcheck", "listing_formats"]
        before += ["bulk", "tempurl"]
        after = ["copy", "slo", "dlo", "versioned_writes"]
        names = [name.removeprefix("filter:") for name in auth]
        return {
            "DEFAULT": self._default("proxy"),
            "pipeline:main": {
                "pipeline": " ".join(["requests", *before, *names, *after, "proxy-server"])
            },
            "app:proxy-server": {
                "use": "egg:swift#proxy",
                "account_autocreate": "true",
                "error_suppression_interval": 1,
                "error_suppression_limit": 100000,
                "node_timeout": self.node_timeout,
                "client_timeout": self.client_timeout,
            },
            "filter:requests": {
                "paste.filter_factory": "tests.servers.request_log:filter_factory",
                "path": self.root / "requests.log",
            },
            **{f"filter:{name}": {"use": f"egg:swift#{name}"} for name in before + after},
            **auth,
        }

    def _tempauth_filter(self):
        # A Fernet key makes the tokens stateless: tempauth needs no memcached.
        return {
            "filter:tempauth": {
                "use": "egg:swift#tempauth",
                "fernet_key_k1": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
                "active_fernet_key_id": "k1",
                "token_life": self.token_life,
                "storage_url_scheme": self.storage_url_scheme,
                "user_" + self.user.replace(":", "_"): f"{self.key} .admin",
            }
        }

    def _keystone_filters(self):
        return {
            "filter:authtoken": self.keystone.authtoken_conf(),
            "filter:keystoneauth": {
                "use": "egg:swift#keystoneauth",
                "operator_roles": "admin, member",
            },
        }


class FourProcessSwift(Swift):
    """A Swift whose servers can be killed and frozen one by one, by their names."""

    PROCESSES = tuple((name, (name,)) for name in SERVERS)


def _has_user_xattrs(directory):
    """Swift keeps metadata in them; without, objects are kept in the server's memory."""
    with tempfile.NamedTemporaryFile(dir=directory) as file:
        try:
            os.setxattr(file.fileno(), "user.swift.test", b"1")
        except OSError:
            return False
    return True
