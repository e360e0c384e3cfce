# SPDX-License-Identifier: Apache-2.0
import contextlib
import itertools
import json
import math
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from swiftclient.exceptions import ClientException

from oslogserve.config import load
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources.objects import access as access_module
from oslogserve.sources.objects import session as session_module
from oslogserve.sources.objects.access import Access
from oslogserve.sources.objects.session import PAUSE
from oslogserve.sources.swift import SwiftService, SwiftSession

CONFIG = """
[swift]
auth_version = 1
auth_url = http://127.0.0.1:9/auth/v1.0
username = test:tester
password = testing
container = logs
"""
#: Seconds after which a test has failed; none waits for so long where all is well.
BOUND = 20
BUSY = ClientException("no", http_status=503)
REFUSED = ClientException("no", http_status=401)


@pytest.fixture
def session(monkeypatch, tmp_path):
    """Its tokens are t1, t2 and so on; `lives` tells which of them have not expired."""
    path = tmp_path / "conf"
    path.write_text(CONFIG)
    made = SwiftSession(load(str(path), {}), Metrics())
    made.lives = lambda number: True

    numbers = itertools.count(1)

    def authenticate():
        number = next(numbers)
        expires = math.inf if made.lives(number) else 0.0
        return Access("http://127.0.0.1:9/v1/a", f"t{number}", expires)

    monkeypatch.setattr(made._tokens, "_authenticate", authenticate)
    with contextlib.closing(made):
        yield made


@pytest.fixture
def pauses(monkeypatch):
    """Seconds, none of which is waited for."""
    made = []
    monkeypatch.setattr(session_module.time, "sleep", made.append)
    return made


def asked(session, *answers, seconds=20):
    """What comes of it, and the tokens that were asked with; Swift gives `answers` in turn."""
    answers, tokens = list(answers), []

    def ask(connection):
        tokens.append(connection.access.token)
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    try:
        session._answer_timeout = seconds
        return session.request(ask), tokens
    except SourceError as error:
        return error.reason, tokens


def test_refused_token_is_renewed_once(session):
    assert asked(session, REFUSED, "log") == ("log", ["t1", "t2"])


def test_new_token_that_is_refused_too_is_told(session):
    assert asked(session, REFUSED, REFUSED) == ("denied", ["t1", "t2"])


def test_new_token_that_expired_on_its_way_is_renewed_too(session):
    session.lives = lambda number: number in (1, 4)
    answer = asked(session, REFUSED, REFUSED, REFUSED, "log")
    assert answer == ("log", ["t1", "t2", "t3", "t4"])


def held_back(session, monkeypatch):
    """The event until which no token comes."""
    authenticate, may_go_on = session._tokens._authenticate, threading.Event()

    def hang():
        assert may_go_on.wait(BOUND)
        return authenticate()

    monkeypatch.setattr(session._tokens, "_authenticate", hang)
    return may_go_on


def test_nobody_waits_for_a_token_longer_than_he_may(session, monkeypatch):
    """Of two that need one, he who asked for it has less time."""
    may_go_on = held_back(session, monkeypatch)
    assert asked(session, "log", seconds=0.05) == ("timeout", [])
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(asked, session, "log", seconds=BOUND)
        may_go_on.set()
        assert other.result() == ("log", ["t1"])


@pytest.fixture
def aged(session, monkeypatch):
    """A session whose token t1 is old enough to be renewed."""
    monkeypatch.setattr(access_module, "RENEWAL_PAUSE", 0)
    authenticate = session._tokens._authenticate
    monkeypatch.setattr(session._tokens, "_authenticate", lambda: authenticate()._replace(life=0))
    assert asked(session, "log") == ("log", ["t1"])
    return session


def test_a_token_is_renewed_before_it_expires_and_nobody_waits_for_it(aged, monkeypatch):
    may_go_on = held_back(aged, monkeypatch)
    assert asked(aged, "log") == ("log", ["t1"])
    assert asked(aged, "log") == ("log", ["t1"])
    may_go_on.set()
    aged._tokens._renewal.result(BOUND)
    assert asked(aged, "log") == ("log", ["t2"])


def test_a_token_that_cannot_be_renewed_early_is_used_until_it_expires(aged, monkeypatch):
    failures = []

    def fail():
        failures.append("status 503")
        raise SourceError("swift", "status 503")

    monkeypatch.setattr(access_module, "RENEWAL_PAUSE", BOUND)
    monkeypatch.setattr(aged._tokens, "_authenticate", fail)
    for _ in range(3):
        assert asked(aged, "log") == ("log", ["t1"])
        assert aged._tokens._renewal.exception(BOUND)
    assert failures == ["status 503"], "Keystone was asked again before the pause was over"
    aged._tokens._access = aged._tokens._access._replace(expires=0.0)
    assert asked(aged) == ("failed", [])


def test_a_token_that_is_refused_by_one_container_stays_good_for_others(session, monkeypatch):
    assert asked(session, "log") == ("log", ["t1"])

    def fail():
        raise SourceError("swift", "status 503")

    monkeypatch.setattr(session._tokens, "_authenticate", fail)
    assert asked(session, REFUSED) == ("failed", ["t1"])
    assert asked(session, "log") == ("log", ["t1"])


def test_what_does_not_answer_as_keystone_does_has_failed(session, monkeypatch):
    def fail():
        raise ValueError("no JSON")

    monkeypatch.setattr(session._tokens, "_authenticate", fail)
    assert asked(session) == ("failed", [])


def test_what_keystoneauth_raises_bare_is_told_by_its_type(tmp_path, monkeypatch):
    path = tmp_path / "conf"
    path.write_text(CONFIG)
    with contextlib.closing(SwiftSession(load(str(path), {}), Metrics())) as session:

        def fail(_):
            raise Exception("no password")  # noqa: TRY002 - as keystoneauth does

        monkeypatch.setattr(session._auth, "get_access", fail)
        with pytest.raises(
            SourceError, match=r"^no token can be asked for \(Exception\)$"
        ) as failed:
            session.access()
    assert failed.value.reason == "denied"


def test_a_token_can_be_had_after_no_thread_could_ask_for_one(session, monkeypatch):
    def no_thread(**options):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(access_module, "Thread", no_thread)
        assert asked(session, "log") == ("failed", [])
    assert asked(session, "log") == ("log", ["t1"])


def test_what_may_pass_is_tried_twice_more_after_jittered_pauses(session, pauses):
    assert asked(session, BUSY, ConnectionError(), "log") == ("log", ["t1"] * 3)
    assert PAUSE / 2 <= pauses[0] <= PAUSE * 1.5
    assert PAUSE <= pauses[1] <= PAUSE * 3
    assert asked(session, BUSY, BUSY, BUSY) == ("failed", ["t1"] * 3)


@pytest.mark.parametrize(
    ("status", "reason"), [(401, "denied"), (403, "forbidden"), (409, "refused"), (429, "failed")]
)
def test_what_swift_refuses_one_log_is_told_from_its_own_trouble(session, pauses, status, reason):
    error = ClientException("no", http_status=status)
    assert asked(session, error, error, error)[0] == reason


@pytest.mark.parametrize("status", [400, 403, 412])
def test_what_would_be_said_again_is_not_asked_again(session, pauses, status):
    reason, tokens = asked(session, ClientException("no", http_status=status))
    assert (len(tokens), pauses) == (1, [])
    assert reason != "timeout"


@pytest.mark.parametrize("error", [KeyError("last-modified"), json.JSONDecodeError("no", "", 0)])
def test_what_does_not_answer_as_swift_does_has_failed(session, pauses, error):
    assert asked(session, error) == ("failed", ["t1"])


def test_who_cannot_be_reached_is_told(session, pauses, monkeypatch):
    with pytest.raises(SourceError, match="the connection to it failed"):
        session.request(SwiftService().head)
    monkeypatch.setattr(session._tokens, "_authenticate", session._token)
    monkeypatch.setattr(session._tokens, "_access", None)
    with pytest.raises(SourceError, match="auth_url cannot be reached"):
        session.request(SwiftService().head)


def test_what_did_not_come_in_time_is_not_waited_for_again(session, pauses):
    assert asked(session, TimeoutError()) == ("timeout", ["t1"])


def test_nothing_is_tried_again_beyond_the_deadline(session, pauses):
    assert asked(session, BUSY, seconds=PAUSE / 4) == ("failed", ["t1"])
