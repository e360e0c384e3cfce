# SPDX-License-Identifier: Apache-2.0
"""Certificates of authorities that nobody trusts by default, and TLS in front of a plain server."""

import shutil

import trustme

from .nginx import MAIN_CONFIG
from .process import HOST, Server, ServerError, free_ports

FRONT = """\
server {{
  listen {host}:{tls} ssl;
  listen {host}:{plain};
  ssl_certificate {root}/certificate.pem;
  ssl_certificate_key {root}/key.pem;
  location / {{
    proxy_pass http://{host}:{backend};
    proxy_set_header Host {host}:{tls};
  }}
}}
"""


class Authority:
    """A certificate authority; `file` is what its clients trust."""

    def __init__(self, folder):
        self._authority = trustme.CA()
        self.file = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(self.file)

    def certificate(self, *names):
        """A certificate for these names and addresses, with its key."""
        return self._authority.issue_cert(*names)


class TlsFront(Server):
    """nginx with `certificate` in front of the port `backend`.

    plain_url: the same without TLS. The backend is asked by the name of `url` in both.
    """

    def __init__(self, backend, certificate):
        super().__init__("tls")
        program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/sbin")
        if program is None:
            raise ServerError("nginx is not installed: apt-get install nginx-light")
        tls, plain = free_ports(2)
        self.url = f"https://{HOST}:{tls}"
        self.plain_url = f"http://{HOST}:{plain}"
        certificate.private_key_pem.write_to_path(self.root / "key.pem")
        for blob in certificate.cert_chain_pems:
            blob.write_to_path(self.root / "certificate.pem", append=True)
        front = FRONT.format(host=HOST, tls=tls, plain=plain, backend=backend, root=self.root)
        (self.root / "oslogserve.conf").write_text(front)
        config = self.root / "nginx.conf"
        config.write_text(MAIN_CONFIG.format(root=self.root))
        self.process = self._child(
            [program, "-p", self.root, "-c", config], self.root / "nginx.log", ready=[plain]
        )

    def _begin(self):
        self.root.chmod(0o711)  # its worker is another user where root starts it
        self.process.start()
