# SPDX-License-Identifier: Apache-2.0
"""Signers: each makes a request one of the configured user's. They are what an Access has for a token."""

from typing import Any, NamedTuple, Protocol


class Signer(Protocol):
    def headers_of(self, method: str, url: str) -> dict[str, str]:
        """The headers that make the request one of the user's."""


class Bearer(NamedTuple):
    """A token of OAuth 2, for Google and Azure."""

    token: str

    def headers_of(self, method: str, url: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


class SignatureV4(NamedTuple):
    """A key of S3, which signs each request."""

    #: botocore's, which do not change.
    credentials: Any
    region: str

    def headers_of(self, method: str, url: str) -> dict[str, str]:
        from botocore.auth import S3SigV4Auth
        from botocore.awsrequest import AWSRequest

        request = AWSRequest(method, url)
        S3SigV4Auth(self.credentials, "s3", self.region).add_auth(request)
        return dict(request.headers.items())
