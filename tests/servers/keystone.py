# SPDX-License-Identifier: Apache-2.0
"""A real OpenStack Keystone v3, with a user and a project for the logs.

with Keystone() as keystone, Swift(keystone=keystone) as swift:
    swift.connection().put_container("logs")
"""

import json
import secrets
import sys
import urllib.error
import urllib.request

from tests.servers.conf import write_conf
from tests.servers.faulty import Faulty
from tests.servers.process import HOST, Process, Server, environment, free_port, poll
from tests.servers.request_log import RequestLog

SETUP_EXPIRATION = 3600  # users cannot be made with tokens that expire at once
AGENT = "oslogserve-tests"
MIDDLEWARE_AGENT = "keystonemiddleware"
REGION = "RegionOne"

_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Keystone(Server):
    """Keystone under gunicorn with SQLite; tokens live `expiration` seconds (3 or more).

    faulty: clients reach it through the Faulty `faulty`, Swift does not.
    """

    user = "logs"
    project = "logs"
    domain = "Default"

    def __init__(self, root=None, *, expiration=SETUP_EXPIRATION, faulty=False):
        super().__init__("keystone", root)
        self.expiration = expiration
        self.password = secrets.token_hex(8)
        self.project_id = self.user_id = None
        self._admin_password = secrets.token_hex(8)
        self._service_password = secrets.token_hex(8)
        port = free_port()
        self.url = f"http://{HOST}:{port}"
        self.faulty = self._resources.enter_context(Faulty(port)) if faulty else None
        self.auth_url = f"{self.faulty.url if faulty else self.url}/v3"
        self._own_url = f"{self.url}/v3"
        self._requests = RequestLog(self.root / "requests.log")
        self.process = self._child(
            [sys.executable, "-m", "gunicorn"],
            self.root / "keystone.log",
            ready=[self._own_url],
            # keystone.wsgi.api parses sys.argv, so gunicorn's options come this way.
            env=environment(
                OS_KEYSTONE_CONFIG_FILES=str(self._conf),
                KEYSTONE_REQUEST_LOG=str(self._requests.path),
                GUNICORN_CMD_ARGS="--config python:tests.servers.keystone_gunicorn"
                f" --bind {self.url.removeprefix('http://')}",
            ),
        )

    def _begin(self):
        self._bootstrap()
        self.process.start()
        self._create_users()
        if self.expiration != SETUP_EXPIRATION:
            self.reconfigure(self.expiration)

    # What a client needs

    def settings(self):
        """The options of oslogserve's [swift] section that concern Keystone."""
        return {
            "auth_version": "3",
            "auth_url": self.auth_url,
            "username": self.user,
            "password": self.password,
            "project_name": self.project,
            "user_domain_name": self.domain,
            "project_domain_name": self.domain,
        }

    def session(self):
        """A new keystoneauth1 session that logs in by password."""
        import requests
        from keystoneauth1.identity import v3
        from keystoneauth1.session import Session

        options = self.settings()
        del options["auth_version"]
        # A keystoneauth session has no close(); we close what it holds when we end.
        http = self._resources.enter_context(requests.Session())
        return Session(auth=v3.Password(**options), session=http)

    def application_credential(self):
        """Make an application credential of the logs' user: its id and its secret."""
        token = self._token(self.user, self.password, self.project)
        credential = self._call(
            token,
            "POST",
            f"/users/{self.user_id}/application_credentials",
            {"application_credential": {"name": secrets.token_hex(8)}},
        )["application_credential"]
        return credential["id"], credential["secret"]

    # What a Swift needs

    def authtoken_conf(self):
        """The proxy's [filter:authtoken]."""
        return {
            "paste.filter_factory": "keystonemiddleware.auth_token:filter_factory",
            "www_authenticate_uri": self._own_url,
            "auth_url": self._own_url,
            "auth_type": "password",
            "username": "swift",
            "password": self._service_password,
            "project_name": "service",
            "user_domain_id": "default",
            "project_domain_id": "default",
            "delay_auth_decision": "True",
        }

    def register_object_store(self, url):
        """Put Swift's proxy at `url` in the catalog."""
        token = self._admin_token()
        service = {"type": "object-store", "name": "swift"}
        service = self._call(token, "POST", "/services", {"service": service})["service"]
        for interface in ("public", "internal", "admin"):
            endpoint = {
                "service_id": service["id"],
                "interface": interface,
                "region_id": REGION,
                "url": f"{url}/v1/AUTH_%(project_id)s",
            }
            self._call(token, "POST", "/endpoints", {"endpoint": endpoint})

    # What it saw

    def requests(self):
        """Every request received, our own and Swift's included, oldest first."""
        return self._requests.requests()

    def token_requests(self):
        """How many tokens clients asked for, without Swift's middleware and this class."""
        return sum(
            request.method == "POST"
            and request.path == "/v3/auth/tokens"
            and MIDDLEWARE_AGENT not in request.agent
            and request.agent != AGENT
            for request in self.requests()
        )

    # Trouble

    def kill(self):
        self.process.kill()

    def start(self):
        self.process.start()

    def freeze(self):
        self.process.freeze()

    def thaw(self):
        self.process.thaw()

    def reconfigure(self, expiration):
        """Restart it with another lifetime of tokens; those that it gave before stay valid."""
        self.expiration = expiration
        self._configure(expiration)
        self.process.kill()  # to end by itself it takes seconds
        self.process.start()

    def revoke_tokens(self):
        """Revokes the tokens of the logs' user; a Swift that has seen one remembers it as valid.

        To Keystone a second has no parts: a token given in the same one is revoked too.
        """
        self.rotate_password(self.password)  # a change, though it stays the same
        admin = self._admin_token()
        poll(
            lambda: self._is_valid(admin, self._token(self.user, self.password, self.project)),
            lambda: AssertionError("new tokens are revoked too"),
            10,
        )

    def rotate_password(self, password):
        """The logs' user's, which `settings` does not tell: revoke_tokens() gives back the one
        that it does."""
        user = {"user": {"password": password}}
        self._call(self._admin_token(), "PATCH", f"/users/{self.user_id}", user)

    def _is_valid(self, admin, token):
        request = urllib.request.Request(f"{self._own_url}/auth/tokens", method="HEAD")
        request.add_header("User-Agent", AGENT)
        request.add_header("X-Auth-Token", admin)
        request.add_header("X-Subject-Token", token)
        try:
            _direct.open(request, timeout=30).close()
        except urllib.error.HTTPError as error:
            error.close()
            return False
        return True

    # How it is set up

    @property
    def _conf(self):
        return self.root / "keystone.conf"

    def _bootstrap(self):
        self._configure(SETUP_EXPIRATION)
        setup = Process(
            [sys.executable, "-m", "tests.servers.keystone_child", self._conf, self._own_url],
            self.root / "setup.log",
            env=environment(BOOTSTRAP_PASSWORD=self._admin_password),
        )
        setup.spawn()
        setup.wait()

    def _configure(self, expiration):
        repositories = ("fernet_tokens", "fernet_receipts", "credential")
        for name in repositories:
            (self.root / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        write_conf(
            self._conf,
            {
                "database": {"connection": f"sqlite:///{self.root}/keystone.db"},
                "token": {
                    "provider": "fernet",
                    "expiration": expiration,
                    "allow_expired_window": 0,
                },
                "identity": {"password_hash_rounds": 4},
                "cache": {"enabled": "false"},
                **{name: {"key_repository": self.root / name} for name in repositories},
            },
        )

    def _create_users(self):
        token = self._admin_token()
        roles = self._call(token, "GET", "/roles")["roles"]
        roles = {role["name"]: role["id"] for role in roles}
        self._create_user(token, "swift", self._service_password, "service", roles["admin"])
        self.user_id, self.project_id = self._create_user(
            token, self.user, self.password, self.project, roles["member"]
        )

    def _create_user(self, token, name, password, project, role_id):
        """Make the user and its project; their ids."""
        project = {"name": project, "domain_id": "default"}
        project = self._call(token, "POST", "/projects", {"project": project})["project"]
        user = {"name": name, "password": password, "domain_id": "default"}
        user = self._call(token, "POST", "/users", {"user": user})["user"]
        grant = f"/projects/{project['id']}/users/{user['id']}/roles/{role_id}"
        self._call(token, "PUT", grant)
        return user["id"], project["id"]

    def _admin_token(self):
        return self._token("admin", self._admin_password, "admin")

    def _token(self, user, password, project):
        domain = {"id": "default"}
        auth = {
            "identity": {
                "methods": ["password"],
                "password": {"user": {"name": user, "password": password, "domain": domain}},
            },
            "scope": {"project": {"name": project, "domain": domain}},
        }
        with self._open(None, "POST", "/auth/tokens", {"auth": auth}) as response:
            return response.headers["X-Subject-Token"]

    def _call(self, token, method, path, body=None):
        with self._open(token, method, path, body) as response:
            return json.loads(response.read() or "null")

    def _open(self, token, method, path, body=None):
        request = urllib.request.Request(self._own_url + path, method=method)
        request.add_header("User-Agent", AGENT)
        if token:
            request.add_header("X-Auth-Token", token)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        return _direct.open(request, timeout=30)
