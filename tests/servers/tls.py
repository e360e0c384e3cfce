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

GUARDED = """\
server {{
  listen {host}:{plain};
  auth_basic logs;
  auth_basic_user_file {root}/passwords;
  location / {{ proxy_pass http://{host}:{backend}; }}
  location /away {{ return 302 {elsewhere}$request_uri; }}
  # Repeats what it got, as pages that help to find faults do.
  location /repeat {{
    default_type text/plain;
    return 400 "$http_authorization $arg_x$http_x_more";
  }}
  location /repeat-in-redirect {{ return 302 /repeat?x=$http_authorization; }}
}}
server {{
  listen {host}:{tls} ssl;
  ssl_certificate {root}/certificate.pem;
  ssl_certificate_key {root}/key.pem;
  ssl_client_certificate {authority};
  ssl_verify_client on;
  location / {{ proxy_pass http://{host}:{backend}; }}
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
        return self._front(FRONT)

    def _front(self, template, **values):
        self._certificate.private_key_pem.write_to_path(self.root / "key.pem")
        for blob in self._certificate.cert_chain_pems:
            blob.write_to_path(self.root / "certificate.pem", append=True)
        ports = {"tls": self._tls_port, "plain": self.port, "backend": self._backend}
        return template.format(host=HOST, root=self.root, **ports, **values)


class Guarded(TlsFront):
    """Asks for a client certificate of `authority`, and at `plain_url` for a password.

    passwords: of nginx. elsewhere: another server, to which a redirect leads.
    """

    def __init__(self, backend, authority, passwords, elsewhere):
        self._authority, self._passwords, self._elsewhere = authority, passwords, elsewhere
        super().__init__(backend, authority.certificate(HOST))

    def _config(self):
        (self.root / "passwords").write_text(self._passwords)
        return self._front(GUARDED, authority=self._authority.file, elsewhere=self._elsewhere)
