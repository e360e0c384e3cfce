# SPDX-License-Identifier: Apache-2.0
"""`[swift] storage_url`: containers that everybody may read, without Keystone and tokens."""

import contextlib
import gzip
import json

import pytest

from tests.servers.client import ask, ini, metric
from tests.servers.faulty import ACCOUNT, CONTAINER, Faulty, reply
from tests.servers.gunicorn import Gunicorn
from tests.unit.handlers.asking import Asking

LOG = b"2024-03-28 12:20:43.570 1 ERROR nova.compute [-] A line like any other\n" * 40
READ, READ_AND_LIST = ".r:*", ".r:*,.rlistings"


@contextlib.contextmanager
def public(swift, container, read_acl):
    """A server of this container. read_acl: its X-Container-Read."""
    with contextlib.closing(swift.connection()) as connection:
        connection.put_container(container, headers={"X-Container-Read": read_acl})
        connection.put_object(container, "job/log.txt", LOG)
        connection.put_object(container, "job/packed.txt.gz", gzip.compress(LOG))
        connection.put_object(container, "segments/0", LOG)
        joined = {"X-Object-Manifest": f"{container}/segments/"}
        connection.put_object(container, "job/joined.txt", b"", headers=joined)
    sections = {"swift": {"storage_url": swift.storage_url, "container": container}}
    with Gunicorn(ini(sections)) as server:
        yield server


@pytest.fixture(scope="module", params=["swift", "keystone_swift"])
def authentication(request):
    return request.getfixturevalue(request.param)


def test_a_public_container_is_served_and_nobody_asks_for_a_token(authentication):
    before = authentication.token_requests()
    with public(authentication, "public_listed", READ_AND_LIST) as server:
        assert ask(server, "/readyz").body == b"swift: ok\n"
        assert ask(server, "/job/log.txt").body == LOG
        assert ask(server, "/job/packed.txt?level=ERROR").body == LOG
        assert ask(server, "/job/joined.txt").body == LOG
        assert ask(server, "/job/none.txt").status == 404
        assert ask(server, "/job").headers["Location"] == "./job/"
        listing = json.loads(ask(server, "/job/?format=json").body)
        assert listing["complete"]
        names = [entry["name"] for entry in listing["entries"]]
        assert names == ["joined.txt", "log.txt", "packed.txt.gz"]
        assert json.loads(ask(server, "/job/?format=summary").body)["complete"]
        assert metric(server, "oslogserve_swift_authentications_total") == 0
    # One by whoever filled the container.
    assert authentication.token_requests() - before <= 1


def test_without_rlistings_logs_are_served_and_a_listing_says_why_there_is_none(swift):
    with public(swift, "public_unlisted", READ) as server:
        assert ask(server, "/readyz").body == b"swift: ok\n"
        assert ask(server, "/job/log.txt").body == LOG
        assert ask(server, "/job/joined.txt").status == 503  # Swift lists its segments
        assert ask(server, "/job/none.txt").status == 404
        for _ in range(10):  # it is no outage, so that logs are served on
            listing = ask(server, "/job/")
            assert (listing.status, b".rlistings" in listing.body) == (503, True)
            assert "Retry-After" not in listing.headers  # nothing changes by itself
            assert b"Try again soon" not in listing.body
        assert ask(server, "/job/log.txt").status == 200
        assert metric(server, "oslogserve_source_available", source="swift") == 1


@pytest.mark.parametrize("container", ["private", "missing"])
def test_a_container_that_is_not_public_is_not_ready(swift, container):
    with contextlib.closing(swift.connection()) as connection:
        connection.put_container("private")
    sections = {"swift": {"storage_url": swift.storage_url, "container": container}}
    with Gunicorn(ini(sections)) as server:
        ready = ask(server, "/readyz")
        assert (ready.status, b"not public" in ready.body) == (503, True)
        assert ask(server, "/log.txt").status == 503


def test_no_token_is_sent_not_even_a_readers(tmp_path):
    readers = {"Authorization": "Bearer a", "X-Auth-Token": "b"}
    with Faulty() as swift:
        swift.answers["GET", f"{CONTAINER}/log.txt"] = [reply("200 OK", LOG)]
        options = {"storage_url": swift.url + ACCOUNT + "/", "container": "logs"}
        asking = Asking(tmp_path, **{f"swift_{key}": value for key, value in options.items()})
        assert asking("/log.txt", **readers).body == LOG
        assert asking("/none.txt", **readers).status_code == 404
        assert asking("/readyz", **readers).status_code == 200
        asked = swift.asked
    assert len(asked) > 4
    assert {request.target.partition("?")[0] for request in asked} >= {f"{CONTAINER}/log.txt"}
    for request in asked:
        assert request.headers.keys() & {"authorization", "x-auth-token", "cookie"} == set()
