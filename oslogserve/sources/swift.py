# SPDX-License-Identifier: Apache-2.0
"""The Swift source: logs and listings in containers of OpenStack Swift.

Swift's service has the pages of its listings. The session has its connections, and storage URLs with tokens:
swiftclient's own Connection cannot be shared by threads, sleeps a second on an expired token, and retries for half a
minute.
"""

import contextlib
import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

import keystoneauth1.exceptions
import requests
from keystoneauth1.identity import v3
from keystoneauth1.session import Session
from requests.utils import get_auth_from_url, urldefragauth
from swiftclient import authv1
from swiftclient.client import logger_settings

from oslogserve.config import Config
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import Trace
from oslogserve.sources.deadline import DeadlineAdapter
from oslogserve.sources.objects.access import Access, SharedAccess
from oslogserve.sources.objects.errors import FAILURES, MALFORMED, source_error
from oslogserve.sources.objects.location import PROBED, Location, location_of
from oslogserve.sources.objects.log import md5_in_etag, version_of
from oslogserve.sources.objects.service import (
    PAGE,
    Listed,
    Marker,
    Page,
    Service,
    checked,
    listed_object,
)
from oslogserve.sources.objects.session import ObjectSession
from oslogserve.sources.objects.source import ObjectSource

SOURCE = "swift"

# swiftclient would log the beginning of each token.
logger_settings["reveal_sensitive_prefix"] = 0


class SwiftService(Service):
    kind = "Swift"
    tells_denials = True
    page_size = PAGE

    def credentials(
        self, token: Any, method: str, url: str, headers: Mapping[str, str]
    ) -> dict[str, str]:
        return {"X-Auth-Token": token}

    def query(self, prefix: str, marker: Marker, limit: int) -> dict[str, str]:
        wanted = {"format": "json", "marker": marker.name, "limit": str(limit)}
        return wanted | {"prefix": prefix, "delimiter": "/"}

    def page(self, body: bytes, prefix: str, marker: Marker) -> Page:
        found = json.loads(body)
        if not isinstance(found, list):
            raise ValueError("no listing")  # noqa: TRY004 - of an answer, not of an argument
        rows = checked(list(map(_listed, found)), prefix, marker.name)
        return Page(rows, Marker(rows[-1].name) if rows else None)

    def md5_of(self, headers: Mapping[str, str]) -> str:
        return "" if self.is_joined(headers) else md5_in_etag(headers)

    def checksum_of(self, headers: Mapping[str, str]) -> str:
        return version_of(headers)

    def verified(self, md5: str) -> dict[str, str]:
        return {"ETag": md5}

    def is_joined(self, headers: Mapping[str, str]) -> bool:
        return not {"x-static-large-object", "x-object-manifest"}.isdisjoint(headers)


def _listed(row: dict[str, Any]) -> Listed:
    """Raises one of several errors for a row that is malformed."""
    if "subdir" in row:
        return Listed(row["subdir"])
    # Swift writes UTC without a zone.
    modified = datetime.fromisoformat(row["last_modified"]).replace(tzinfo=UTC)
    return listed_object(row["name"], row["bytes"], modified, row.get("content_type", ""))


class SwiftSession(ObjectSession):
    """Its tokens are from Keystone, or from Swift itself."""

    def __init__(self, config: Config, metrics: Metrics) -> None:
        options = config.section("swift")
        url = options["storage_url"]
        public = Access(url, "") if url else None
        tokens = SharedAccess(SOURCE, self._token, public)
        super().__init__(SOURCE, SwiftService(), options, tokens, metrics)
        #: Seconds for a token.
        self._timeout = min(options["read_timeout"], options["answer_timeout"])
        cloud = options["cloud"]
        #: Used instead of the catalog's address; "" for none.
        self._endpoint: str = cloud.endpoint if cloud else ""
        auth_url = cloud.auth_url if cloud else options["auth_url"]
        self._auth: Any = None if url else _credentials(options, urldefragauth(auth_url))
        http = requests.Session()
        http.auth = get_auth_from_url(auth_url)
        self._adapter = DeadlineAdapter.mounted_on(http)
        self._keystone = Session(
            auth=self._auth,
            session=http,
            timeout=self._timeout,
            verify=options["ca_file"] or True,
            redirect=False,  # the password would go along to any host
            app_name="oslogserve",
        )
        self._had_token = False

    def close(self) -> None:
        super().close()
        self._keystone.session.close()

    def _token(self) -> Access:
        """A new access. Swift verifies it with Keystone before a reader waits for that, but for the first one."""
        outcome = "failed"
        try:
            access = self._answered()
            outcome = "ok"
        finally:
            self._metrics["swift_authentications_total", outcome].inc()
        if self._had_token:
            with contextlib.suppress(Exception):  # the next reader's request will tell
                deadline = time.monotonic() + self._timeout
                connection = self._connection(access, deadline, Trace())
                self._request_once(partial(self.service.head, connection), connection, False)
        self._had_token = True
        return access

    def _answered(self) -> Access:
        self._adapter.at = time.monotonic() + self._timeout
        try:
            self._auth.invalidate()
            info = self._auth.get_access(self._keystone)
            url = self._endpoint or self._keystone.get_endpoint(
                service_type="object-store",
                interface=self._options["interface"],
                region_name=self._options["region_name"] or None,
            )
            if url is None:
                raise keystoneauth1.exceptions.EndpointNotFound
            if info.expires is None:
                return Access(str(url), info.auth_token)
            life = (info.expires - info.issued).total_seconds()
            return Access(str(url), info.auth_token, info.expires.timestamp(), life)
        except keystoneauth1.exceptions.EndpointNotFound as error:
            message = "the catalog has no such object-store endpoint"
            raise SourceError(SOURCE, message) from error
        except FAILURES as error:
            raise source_error(SOURCE, error) from error
        except MALFORMED as error:
            raise SourceError(SOURCE, "what gives tokens is not Keystone") from error
        except Exception as error:  # keystoneauth raises it bare, such as of a missing password
            what = f"no token can be asked for ({type(error).__name__})"
            raise SourceError(SOURCE, what, "denied") from error


def _credentials(options: dict[str, Any], url: str) -> Any:
    """keystoneauth's plugin. url: the auth_url without secrets, since it may be logged."""
    made = options["cloud"].plugin(auth_url=url) if options["cloud"] else _plugin(options, url)
    # keystoneauth would renew a token with two minutes left at each request. A token that expires
    # on its way is renewed after the 401.
    made.MIN_TOKEN_LIFE_SECONDS = 0
    return made


def _plugin(options: dict[str, Any], url: str) -> Any:
    """keystoneauth's plugin for the credentials of [swift]."""
    plugin: Any = v3.Password  # takes an id before a name
    prefixes: tuple[str, ...] = ("username", "password", "project_", "user_domain_")
    if options["auth_version"] == "1":
        plugin, prefixes = authv1.PasswordPlugin, ("username", "password")
    elif options["application_credential_id"]:
        plugin, prefixes = v3.ApplicationCredential, ("application_credential_",)
    secrets = {key: value for key, value in options.items() if key.startswith(prefixes)}
    return plugin(auth_url=url, **secrets)


class Swift(ObjectSource):
    _unlisted = "its listing is not public: the container's read ACL has no .rlistings"

    def __init__(self, config: Config, metrics: Metrics) -> None:
        options = config.section("swift")
        self._container = options["container"]
        self.location = f"container {self._container}"
        self._partitions = options["partitions"]
        super().__init__(SwiftSession(config, metrics), config["serve", "chunk_size"])

    def _locate(self, path: bytes) -> Location | None:
        return location_of(path, self._container, self._partitions)

    def _check_missing(self, container: str) -> None:
        """Raises SourceError if the account cannot be read: then its containers seem missing."""
        try:
            self._request(self._service.head)
        except SourceError as error:
            # A user may be allowed to read a container, and not its account.
            if error.reason not in ("denied", "forbidden"):
                raise

    def check(self) -> None:
        # With a partition, no container of this name need be there.
        where = () if "{partition}" in self._container else (self._container,)
        if not self._session.is_public:
            if self._request(self._service.head, *where) is None:
                raise SourceError(self.name, "there is no such container")
            return
        # Whoever may only read is told that an object is missing.
        try:
            self._request(self._service.head, self._container, PROBED)
        except SourceError as error:
            if not self._is_unlisted(error):
                raise
            if where:
                what = "the container is not there, or not public: its read ACL has no .r:*"
                raise SourceError(self.name, what, error.reason) from error
