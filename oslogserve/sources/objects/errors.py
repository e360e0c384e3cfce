# SPDX-License-Identifier: Apache-2.0
"""The failures of requests to Swift, Keystone and stores, as SourceErrors."""

import re
import ssl
from collections.abc import Mapping

import keystoneauth1.exceptions
import requests
import urllib3.exceptions
from swiftclient.exceptions import ClientException

from oslogserve.errors import SourceError
from oslogserve.sources import transaction_of
from oslogserve.sources.deadline import AnswerTooLong

#: Exceptions that requests raise. A store raises ClientException as Swift does.
FAILURES = (
    ClientException,
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    keystoneauth1.exceptions.ClientException,
    OSError,
)
TIMEOUTS = (
    requests.Timeout,
    urllib3.exceptions.TimeoutError,
    keystoneauth1.exceptions.ConnectTimeout,
    TimeoutError,
)
#: Exceptions of the client libraries for malformed answers.
MALFORMED = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)
#: Words of stores for credentials that are not valid, or no longer.
_DENIED = (
    *("ExpiredToken", "InvalidAccessKeyId", "InvalidToken", "RequestTimeTooSkewed"),
    *("SignatureDoesNotMatch", "TokenRefreshRequired", "AuthenticationFailed"),
    *("InvalidAuthenticationInfo", "XAdminUserNotFound"),
)
#: The word of a store for what is wrong.
_CODE = re.compile(rb"<Code>([A-Za-z]{1,60})</Code>")
#: The region of a bucket, in an answer of another one: in a header, or in the text.
_REGION = re.compile("[a-z0-9-]{1,30}")
_REGION_OF_TEXT = re.compile(rb"<Region>([a-z0-9-]{1,30})</Region>")
#: Statuses that may pass: a storage server is gone, or too busy.
_TRANSIENT_STATUSES = (429, 498, 500, 502, 503, 504)
#: Failures of a connection that the next one has, too.
_LASTING = (ssl.SSLCertVerificationError, AnswerTooLong)
_REASONS = {403: "forbidden"}


class Refusal(ClientException):
    """An answer of a store that is no success. Its text may contain what was asked, and is not kept."""

    def __init__(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        super().__init__("", http_status=status, http_response_headers=headers)
        found = _CODE.search(body)
        #: The store's word for what is wrong; "" for none.
        self.code = found[1].decode() if found else ""
        #: The region to ask instead; "" for none.
        self.region = ""
        region = headers.get("x-amz-bucket-region", "")
        if status == 301 and _REGION.fullmatch(region):
            self.region = region
        elif self.code == "AuthorizationHeaderMalformed":
            named = _REGION_OF_TEXT.search(body)
            self.region = named[1].decode() if named else ""

    @property
    def detail(self) -> str:
        """What is wrong, to be put after the status."""
        code = f", {self.code}" if self.code else ""
        return code + (f": the bucket's region is {self.region}" if self.region else "")


def is_denied(error: BaseException) -> bool:
    """True if the credentials are not valid: others may be."""
    is_named = isinstance(error, Refusal) and error.code in _DENIED
    return is_named or getattr(error, "http_status", None) == 401


def may_be_denied(error: BaseException) -> bool:
    """True for a refusal without a word, as of each HEAD: S3 says by the word alone if a key expired."""
    is_untold = isinstance(error, Refusal) and not error.code
    return is_untold and getattr(error, "http_status", None) in (400, 403)


def source_error(source: str, error: BaseException, is_public: bool = False) -> SourceError:
    """The failure by type and status, since messages of these exceptions contain URLs.

    source: its name. is_public: True for a request without a token.
    """
    if isinstance(error, TIMEOUTS):
        return SourceError(source, "it did not answer in time", "timeout")
    if _is_caused_by(error, ssl.SSLCertVerificationError):
        return SourceError(source, "its certificate is not trusted")
    if _is_caused_by(error, AnswerTooLong):
        # The names of a job's objects can make a listing too long.
        return SourceError(source, "its answer is too long", "refused")
    status = getattr(error, "http_status", None)
    if status == 412:
        return SourceError(source, "the object changed", "changed")
    if isinstance(error, keystoneauth1.exceptions.ConnectFailure):
        return SourceError(source, "auth_url cannot be reached")
    if isinstance(error, keystoneauth1.exceptions.SSLError):
        return SourceError(source, "auth_url does not answer over TLS")
    if isinstance(error, keystoneauth1.exceptions.InvalidResponse):
        return SourceError(source, "auth_url is not Keystone's")
    if not status:
        is_broken = isinstance(error, requests.ConnectionError)
        what = "the connection to it failed" if is_broken else type(error).__name__
        return SourceError(source, what)
    reason = "denied" if is_denied(error) else _REASONS.get(status, "failed")
    if reason == "denied" and is_public:
        reason = "forbidden"  # others may be public
    if reason == "failed" and 300 <= status < 500 and status not in _TRANSIENT_STATUSES:
        reason = "refused"  # such as a large object without its first segment
    transaction = transaction_of(getattr(error, "http_response_headers", None) or {})
    what = f"status {status}" + (error.detail if isinstance(error, Refusal) else "")
    if isinstance(error, keystoneauth1.exceptions.HttpError):
        what = f"auth_url answers with {what}"
    what += f" in transaction {transaction}" if transaction else ""
    return SourceError(source, what, reason)


def retry_reason(error: BaseException) -> str | None:
    """A retry's metric label; None if it cannot succeed, or would wait as long again."""
    if isinstance(error, TIMEOUTS) or _is_caused_by(error, *_LASTING):
        return None
    if isinstance(error, ClientException) and error.http_status:
        return "status" if error.http_status in _TRANSIENT_STATUSES else None
    is_broken = isinstance(error, (requests.ConnectionError, urllib3.exceptions.HTTPError, OSError))
    return "connection" if is_broken else None


def _is_caused_by(error: BaseException, *types: type[BaseException]) -> bool:
    """True if it is one of these, which other exceptions wrap."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, types):
        cause = cause.__cause__ or cause.__context__
    return cause is not None
