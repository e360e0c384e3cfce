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


class Nginx(Server):
    """In front of `backends`, Servers with a `port` each."""

    def __init__(self, *backends):
        super().__init__("nginx")
        program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")
        if program is None:
            raise ServerError("nginx is not installed: apt-get install nginx-core")
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}"
        shipped = CONFIG.read_text()
        nodes = "\n  ".join(f"server {HOST}:{backend.port};" for backend in backends)
        ours = shipped.replace("server 127.0.0.1:8000;", nodes)
        ours = ours.replace("listen 80;", f"listen {HOST}:{self.port};")
        (self.root / "oslogserve.conf").write_text(ours)
        config = self.root / "nginx.conf"
        config.write_text(MAIN_CONFIG.format(root=self.root))
        self.process = self._child(
            [program, "-p", self.root, "-c", config], self.root / "nginx.log", ready=[self.port]
        )

    def _begin(self):
        self.root.chmod(0o711)  # its worker is another user where root starts it
        self.process.start()
