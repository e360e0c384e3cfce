# SPDX-License-Identifier: Apache-2.0
"""TLS to a real Keystone and a real Swift: whom oslogserve trusts, and what it sends to others."""

import contextlib
from urllib.parse import urlsplit

import pytest

from oslogserve.config import load
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources.swift import Swift as SwiftSource
from tests.servers.process import HOST
from tests.servers.swift import Swift
from tests.servers.tls import Authority, TlsFront

CONTAINER = "tls"
LOG = b"2024-03-28 12:20:43.570 1 INFO nova.compute [-] A line like any other\n"


def filled(swift):
    options = {} if swift.keystone else {"os_options": {"object_storage_url": swift.storage_url}}
    with contextlib.closing(swift.connection(retries=0, **options)) as connection:
        connection.put_container(CONTAINER)
        connection.put_object(CONTAINER, "log.txt", LOG)
    return swift


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def strangers(tmp_path_factory):
    """An authority that nobody was told to trust."""
    return Authority(tmp_path_factory.mktemp("strangers"))


@pytest.fixture(scope="module")
def keystone(keystone_swift):
    return filled(keystone_swift).keystone


@pytest.fixture(scope="module")
def swift(tmp_path_factory):
    """A Swift with tempauth whose storage URL is https, at whatever host it is asked by."""
    with Swift(tmp_path_factory.mktemp("tls-swift"), storage_url_scheme="https") as swift:
        yield filled(swift)


@pytest.fixture(scope="module")
def trusted_swift(swift, authority):
    with TlsFront(swift.ports["proxy"], authority.certificate(HOST)) as front:
        yield front


@pytest.fixture(scope="module")
def strange_swift(swift, strangers):
    with TlsFront(swift.ports["proxy"], strangers.certificate(HOST)) as front:
        yield front


@pytest.fixture(scope="module")
def misnamed_swift(swift, authority):
    with TlsFront(swift.ports["proxy"], authority.certificate("swift.example")) as front:
        yield front


@pytest.fixture(scope="module")
def trusted_keystone(keystone, authority):
    with TlsFront(urlsplit(keystone.url).port, authority.certificate(HOST)) as front:
        yield front


@pytest.fixture(scope="module")
def strange_keystone(keystone, strangers):
    with TlsFront(urlsplit(keystone.url).port, strangers.certificate(HOST)) as front:
        yield front


def read(settings, environ=None, **more):
    """A log's bytes, by the options of [swift]."""
    options = settings | {"container": CONTAINER, "retries": "1"} | more
    overrides = {f"swift_{key}": value for key, value in options.items()}
    config = load(None, environ or {}, **overrides)
    with contextlib.closing(SwiftSource(config, Metrics())) as source:
        log = source.open(b"log.txt")
        with contextlib.closing(log):
            return b"".join(log)


def keystone_by(keystone, front):
    return keystone.settings() | {"auth_url": f"{front.url}/v3"}


def swift_by(swift, front):
    """The token comes without TLS, so that it is Swift's certificate that counts."""
    return swift.settings() | {"auth_url": f"{front.plain_url}/auth/v1.0"}


def test_a_private_authority_is_trusted_for_keystone_where_it_is_named(
    keystone, trusted_keystone, authority
):
    assert read(keystone_by(keystone, trusted_keystone), ca_file=str(authority.file)) == LOG


def test_a_private_authority_is_trusted_for_swift_where_it_is_named(
    swift, trusted_swift, authority
):
    assert read(swift_by(swift, trusted_swift), ca_file=str(authority.file)) == LOG


def test_the_environment_may_name_the_authority(swift, trusted_swift, authority):
    assert read(swift_by(swift, trusted_swift), {"OS_CACERT": str(authority.file)}) == LOG


@pytest.mark.parametrize("named", [True, False], ids=["another is", "none is"])
def test_a_keystone_of_an_authority_that_is_not_trusted_gets_no_password(
    keystone, strange_keystone, authority, named
):
    before = keystone.token_requests()
    with pytest.raises(SourceError, match="certificate is not trusted") as caught:
        read(keystone_by(keystone, strange_keystone), ca_file=str(authority.file) * named)
    assert keystone.token_requests() == before
    assert caught.value.is_outage


@pytest.mark.parametrize("named", [True, False], ids=["another is", "none is"])
def test_a_swift_of_an_authority_that_is_not_trusted_gets_no_token(
    swift, strange_swift, authority, named
):
    before = len(swift.requests())
    with pytest.raises(SourceError, match="certificate is not trusted"):
        read(swift_by(swift, strange_swift), ca_file=str(authority.file) * named)
    assert [request.path for request in swift.requests()[before:]] == ["/auth/v1.0"]


def test_a_certificate_of_another_name_is_refused(swift, misnamed_swift, authority):
    before = len(swift.requests())
    with pytest.raises(SourceError, match="certificate is not trusted"):
        read(swift_by(swift, misnamed_swift), ca_file=str(authority.file))
    assert [request.path for request in swift.requests()[before:]] == ["/auth/v1.0"]
