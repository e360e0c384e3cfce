# SPDX-License-Identifier: Apache-2.0
"""Access to stores: where they are, with credentials as the users of each service have them.

The services' own libraries find these: in the environment, in files, or from the machine that this runs on.
Each library is imported with the first request, in a worker.
"""

import logging
import time
from collections.abc import Callable, Mapping
from datetime import UTC
from typing import Any

from oslogserve.errors import SourceError
from oslogserve.sources.objects.access import Access

#: Seconds after which a key of S3 is looked up again: it may be a temporary one that others replace.
KEY_LIFE = 120.0
#: What failures of the libraries mean, by type; texts may contain addresses or secrets.
_MEANINGS = {
    "ProfileNotFound": "there is no such profile",
    "NoCredentialsError": "no credentials are found",
    "PartialCredentialsError": "the key has no secret, or the secret no key",
    "CredentialRetrievalError": "the credentials could not be fetched",
    "ConfigParseError": "a file of credentials is malformed",
    "DefaultCredentialsError": "no credentials are found, or their file is malformed",
    "RefreshError": "the credentials were refused",
    "TransportError": "what gives credentials cannot be reached",
    "CredentialUnavailableError": "no credentials are found",
    "ClientAuthenticationError": "no credentials are found, or they were refused",
}
#: What Google's tokens are good for: of a server, and of an upload.
READ_ONLY = "https://www.googleapis.com/auth/devstorage.read_only"
READ_WRITE = "https://www.googleapis.com/auth/devstorage.read_write"
_AZURE_SCOPE = "https://storage.azure.com/.default"

# At DEBUG, botocore logs the session token of each request. What fails is told in our own words.
for _library in ("azure", "botocore", "google", "msal"):
    logging.getLogger(_library).setLevel(logging.ERROR)


def explained(source: str, authenticate: Callable[[], Access]) -> Access:
    """An access. Raises SourceError for whatever `authenticate` raises. source: the store's name."""
    try:
        return authenticate()
    except ImportError:
        what = "its library is not installed: pip install oslogserve[store]"
        raise SourceError(source, what, "denied") from None
    except Exception as error:
        name = type(error).__name__
        what = _MEANINGS.get(name, f"no credentials are found ({name})")
        raise SourceError(source, what, "denied") from error


def of_s3(address: Callable[[str], str], region: str, profile: str) -> Callable[[], Access]:
    """Access by a key that botocore finds, for signed(). address: of the store, in a region."""
    kept: list[Any] = []

    def authenticate() -> Access:
        from botocore.credentials import RefreshableCredentials
        from botocore.exceptions import NoCredentialsError
        from botocore.session import Session

        if not kept:
            session = Session(profile=profile or None)
            kept[:] = session.get_credentials(), region or session.get_config_variable("region")
        credentials, found = kept
        if not isinstance(credentials, RefreshableCredentials):
            kept.clear()  # a file may have another key the next time
        if credentials is None:
            raise NoCredentialsError
        where = found or "us-east-1"
        key = credentials.get_frozen_credentials(), where
        return Access(address(where), key, time.time() + KEY_LIFE, KEY_LIFE)

    return authenticate


def signed(
    key: tuple[Any, str], method: str, url: str, headers: Mapping[str, str]
) -> dict[str, str]:
    """The headers of a request with a signature of S3. A body is signed by its Content-MD5.

    key: botocore's frozen credentials, and the region.
    """
    from botocore.auth import S3SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.config import Config

    request = AWSRequest(method, url, dict(headers))
    if "Content-MD5" in headers:
        request.context["client_config"] = Config(s3={"payload_signing_enabled": False})
    S3SigV4Auth(key[0], "s3", key[1]).add_auth(request)
    return dict(request.headers.items())


def of_google(address: str, scope: str) -> Callable[[], Access]:
    """Access by a token that google-auth requests."""

    def authenticate() -> Access:
        import google.auth
        from google.auth.transport.requests import Request

        credentials, _ = google.auth.default(scopes=[scope])
        credentials.refresh(Request())
        return _by_token(
            address, credentials.token, credentials.expiry.replace(tzinfo=UTC).timestamp()
        )

    return authenticate


def of_azure(address: str) -> Callable[[], Access]:
    """Access by a token that azure-identity requests."""

    def authenticate() -> Access:
        from azure.identity import DefaultAzureCredential

        with DefaultAzureCredential() as credential:
            found = credential.get_token(_AZURE_SCOPE)
        return _by_token(address, found.token, found.expires_on)

    return authenticate


def _by_token(address: str, token: str, expires: float) -> Access:
    return Access(address, token, expires, max(0.0, expires - time.time()))
