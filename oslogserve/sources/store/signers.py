# SPDX-License-Identifier: Apache-2.0
"""Signers: each makes a request one of the configured user's. They are what an Access has for a token."""

from typing import Any, NamedTuple, Protocol


class Signer(Protocol):
    def signed(self, method: str, url: str) -> tuple[str, dict[str, str]]:
        """The URL and the headers of the request, as the user's."""


class Bearer(NamedTuple):
    """A token of OAuth 2, for Google and Azure."""

    token: str

    def signed(self, method: str, url: str) -> tuple[str, dict[str, str]]:
        return url, {"Authorization": f"Bearer {self.token}"}


class SharedAccessSignature(NamedTuple):
    """A query string that lets whoever has it read: Azure's SAS."""

    query: str

    def signed(self, method: str, url: str) -> tuple[str, dict[str, str]]:
        return f"{url}{'&' if '?' in url else '?'}{self.query}", {}


class SignatureV4(NamedTuple):
    """A key of S3, which signs each request."""

    #: botocore's, which do not change.
    credentials: Any
    region: str

    def signed(self, method: str, url: str) -> tuple[str, dict[str, str]]:
        from botocore.auth import S3SigV4Auth
        from botocore.awsrequest import AWSRequest

        request = AWSRequest(method, url)
        S3SigV4Auth(self.credentials, "s3", self.region).add_auth(request)
        return url, dict(request.headers.items())
