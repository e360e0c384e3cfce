# SPDX-License-Identifier: Apache-2.0
"""Signers: each makes a request one of the configured user's. They are what an Access has for a token."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol


class Signer(Protocol):
    def headers_of(self, method: str, url: str, headers: Mapping[str, str]) -> dict[str, str]:
        """The headers that make a request with these headers one of the user's."""


class Bearer(NamedTuple):
    """A token of OAuth 2, for Google and Azure."""

    token: str

    def headers_of(self, method: str, url: str, headers: Mapping[str, str]) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


class SignatureV4(NamedTuple):
    """A key of S3, which signs each request. A body is signed by its Content-MD5."""

    #: botocore's, which do not change.
    credentials: Any
    region: str

    def headers_of(self, method: str, url: str, headers: Mapping[str, str]) -> dict[str, str]:
        from botocore.auth import S3SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.config import Config

        request = AWSRequest(method, url, dict(headers))
        if "Content-MD5" in headers:
            request.context["client_config"] = Config(s3={"payload_signing_enabled": False})
        S3SigV4Auth(self.credentials, "s3", self.region).add_auth(request)
        return dict(request.headers.items())
