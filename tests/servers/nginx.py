# SPDX-License-Identifier: Apache-2.0
"""The real nginx as we ship it, in front of gunicorn."""

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


class _Nginx(Server):
    def __init__(self):
        super().__init__("nginx")
        program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")
        if program is None:
            raise ServerError("nginx is not installed: apt-get install nginx-core")
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


class Nginx(_Nginx):
    """In front of `backends`, Servers with a `port` each."""

    def __init__(self, *backends):
        self._backends = backends
        super().__init__()

    def _config(self):
        nodes = "\n  ".join(f"server {HOST}:{backend.port};" for backend in self._backends)
        ours = CONFIG.read_text().replace("server 127.0.0.1:8000;", nodes)
        return ours.replace("listen 80;", f"listen {HOST}:{self.port};")


class CachingNginx(_Nginx):
    """A cache in front of the server at `origin`, as a CDN has one."""

    def __init__(self, origin):
        self._origin = origin
        super().__init__()

    def _config(self):
        return CACHE.format(
            root=self.root, port=self.port, host=HOST, origin=self._origin.removeprefix("http://")
        )
