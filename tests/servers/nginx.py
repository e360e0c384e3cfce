# SPDX-License-Identifier: Apache-2.0
"""The real nginx as we ship it, in front of gunicorn."""

import re
import shutil

from .process import HOST, REPOSITORY, Server, ServerError, free_port

CONFIG = REPOSITORY / "etc/nginx/oslogserve.conf"
MAIN_CONFIG = """\
daemon off;
pid {root}/pid;
error_log stderr warn;
worker_processes 1;
worker_rlimit_nofile 4096;
events {{ worker_connections 2048; }}
http {{
  access_log off;
  client_body_temp_path {root}/body;
  proxy_temp_path {root}/proxy;
  fastcgi_temp_path {root}/fastcgi;
  uwsgi_temp_path {root}/uwsgi;
  scgi_temp_path {root}/scgi;
  # The client's address, as a test says.
  set_real_ip_from 127.0.0.1;
  real_ip_header Test-Client;
  # Who answered, after those that did not.
  add_header Test-Node $upstream_addr always;
  include {root}/oslogserve.conf;
}}
"""

CACHE = """\
proxy_cache_path {root}/cache keys_zone=cdn:1m;
upstream origin {{ server {origin}; keepalive 16; }}
server {{
  listen {host}:{port};
  location / {{
    proxy_pass http://origin;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_cache cdn;
    proxy_cache_valid 200 10m;
  }}
}}
"""


class NginxBase(Server):
    """nginx with the configuration of a subclass."""

    def __init__(self):
        super().__init__("nginx")
        program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")
        if program is None:
            raise ServerError("nginx is not installed: apt-get install nginx-light")
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}"
        (self.root / "oslogserve.conf").write_text(self._config())
        config = self.root / "nginx.conf"
        config.write_text(MAIN_CONFIG.format(root=self.root))
        self.process = self._child(
            [program, "-p", self.root, "-c", config], self.root / "nginx.log", ready=[self.port]
        )

    def _begin(self):
        self.root.chmod(0o711)  # its worker is another user where root starts it
        self.process.start()

    def _config(self):
        """The text that the main configuration includes."""
        raise NotImplementedError


class Nginx(NginxBase):
    """In front of `backends`, Servers with a `port` each.

    has_limits: False for tests whose many readers have one address. certificate: PEM files of a
    certificate and its key, for which the configuration's TLS is switched on, at `tls_port`.
    """

    def __init__(self, *backends, has_limits=False, certificate=None):
        self._backends = backends
        self._has_limits = has_limits
        self._certificate = certificate
        self.tls_port = free_port()
        super().__init__()

    def _config(self):
        nodes = "\n  ".join(f"server {HOST}:{backend.port};" for backend in self._backends)
        ours = CONFIG.read_text().replace("server 127.0.0.1:8000;", nodes)
        if not self._has_limits:
            ours = re.sub(r"^ +limit_(conn|req) .*$", "", ours, flags=re.MULTILINE)
        if self._certificate:
            certificate, key = self._certificate
            ours = re.sub("^  #(?! )", "  ", ours, flags=re.MULTILINE)
            ours = ours.replace("/etc/ssl/logs.example.org.pem", str(certificate))
            ours = ours.replace("/etc/ssl/logs.example.org.key", str(key))
        for shipped, port in ((80, self.port), (443, self.tls_port)):
            ours = re.sub(rf"(listen (?:\[::)?)(\]:)?{shipped}\b", _listening(port), ours)
        return ours


def _listening(port):
    """Loopback's addresses in place of all of the machine's, in a "listen"."""
    return lambda found: f"{found[1]}1{found[2]}{port}" if found[2] else f"listen {HOST}:{port}"


class CachingNginx(NginxBase):
    """A cache in front of the server at `origin`, as a CDN has one."""

    def __init__(self, origin):
        self._origin = origin
        super().__init__()

    def _config(self):
        return CACHE.format(
            root=self.root, port=self.port, host=HOST, origin=self._origin.removeprefix("http://")
        )
