# SPDX-License-Identifier: Apache-2.0
"""Certificates of authorities that nobody trusts by default, and TLS in front of a plain server."""

import trustme

from .nginx import NginxBase
from .process import HOST, free_port

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


class TlsFront(NginxBase):
    """nginx with `certificate` in front of the port `backend`.

    plain_url: the same without TLS. The backend is asked by the name of `url` in both.
    """

    def __init__(self, backend, certificate):
        self._backend = backend
        self._certificate = certificate
        self._tls_port = free_port()
        super().__init__()
        self.plain_url, self.url = self.url, f"https://{HOST}:{self._tls_port}"

    def _config(self):
        self._certificate.private_key_pem.write_to_path(self.root / "key.pem")
        for blob in self._certificate.cert_chain_pems:
            blob.write_to_path(self.root / "certificate.pem", append=True)
        ports = {"tls": self._tls_port, "plain": self.port, "backend": self._backend}
        return FRONT.format(host=HOST, root=self.root, **ports)
