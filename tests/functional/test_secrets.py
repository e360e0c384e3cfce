# SPDX-License-Identifier: Apache-2.0
"""Credentials and tokens through every failure, with all logs at DEBUG: none is in what comes out."""

import json
import logging

import pytest
import yaml
from openstack.config import loader

from oslogserve.app import App
from oslogserve.config import load
from tests.servers.client import ask, ini
from tests.servers.faulty import ACCOUNT, CONTAINER, Faulty, reply
from tests.servers.gunicorn import Gunicorn
from tests.unit.handlers.asking import Asking

PASSWORD = "pass-4f1d9c"
ADDRESS_PASSWORD = "basic-77ab02"
TOKEN = "gAAAAABtoken-9b3e55c0d1e2f3a4b5c6d7e8f9"
READERS = {"Authorization": "Bearer reader-31c8f6", "X_Auth_Token": "reader-5e20d4"}
#: The beginning of a token is one of the things that must not be seen.
SECRETS = (PASSWORD, ADDRESS_PASSWORD, TOKEN[:9], "reader-31c8f6", "reader-5e20d4")
LOG = b"2013-09-27 18:22:11.248 1 INFO nova.compute [-] A line like any other\n"
FAILURES = ("401 Unauthorized", "403 Forbidden", "404 Not Found", "500 Internal Server Error")

LOG_EVERYTHING = """\
[loggers]
keys = root, gunicorn.error
[handlers]
keys = stderr
[formatters]
keys = plain
[logger_root]
level = DEBUG
handlers = stderr
[logger_gunicorn.error]
level = DEBUG
handlers = stderr
qualname = gunicorn.error
propagate = 0
[handler_stderr]
class = StreamHandler
formatter = plain
args = (sys.stderr,)
[formatter_plain]
format = %(name)s %(levelname)s %(message)s
"""


@pytest.fixture
def swift(tmp_path, monkeypatch):
    with Faulty() as swift:
        swift.clouds = tmp_path / "clouds.yaml"
        monkeypatch.setattr(loader, "CONFIG_FILES", [str(swift.clouds)])
        swift.answers["GET", f"{CONTAINER}/log.txt"] = [reply("200 OK", LOG)]
        yield swift


def version_1(swift):
    """The options of [swift] with tempauth, which gives the token."""
    granted = reply("200 OK", X_Storage_Url=swift.url + ACCOUNT, X_Auth_Token=TOKEN)
    swift.answers["GET", "/auth/v1.0"] = [granted]
    return swift.settings() | {"password": PASSWORD}


def _catalog(url):
    endpoint = {"interface": "public", "region": "R", "region_id": "R", "url": url, "id": "e"}
    service = {"type": "object-store", "name": "swift", "id": "s", "endpoints": [endpoint]}
    times = {"issued_at": "2013-09-27T18:22:11.0Z", "expires_at": "2999-09-27T18:22:11.0Z"}
    return json.dumps({"token": {"catalog": [service], "methods": ["password"], **times}}).encode()


def _version_3(swift):
    body = _catalog(swift.url + ACCOUNT)
    headers = {"X_Subject_Token": TOKEN, "Content_Type": "application/json"}
    swift.answers["POST", "/v3/auth/tokens"] = [reply("201 Created", body, **headers)]
    return {
        "container": "logs",
        "auth_url": swift.url.replace("://", f"://user:{ADDRESS_PASSWORD}@") + "/v3",
        "retries": "0",
    }


def password(swift):
    user = {"username": "zuul", "password": PASSWORD, "project_name": "logs"}
    return _version_3(swift) | user


def application_credential(swift):
    credential = {"application_credential_id": "a", "application_credential_secret": PASSWORD}
    return _version_3(swift) | credential


def cloud(swift):
    """The options of [swift] with a cloud of clouds.yaml."""
    options = password(swift)
    names = ("auth_url", "username", "password", "project_name")
    auth = {name: options.pop(name) for name in names}
    domains = {"user_domain_name": "Default", "project_domain_name": "Default"}
    swift.clouds.write_text(yaml.dump({"clouds": {"ci": {"auth": auth | domains}}}))
    return options | {"cloud": "ci"}


def door(settings):
    """What gives tokens: method and path."""
    return (
        ("GET", "/auth/v1.0")
        if settings.get("auth_version") == "1"
        else ("POST", "/v3/auth/tokens")
    )


@pytest.mark.parametrize("settings_of", [version_1, password, application_credential, cloud])
@pytest.mark.parametrize("failure", ["", *FAILURES, "garbage", "down"])
@pytest.mark.parametrize("where", ["token", "log"])
def test_no_secret_is_logged_or_answered(swift, settings_of, failure, where, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    settings = settings_of(swift)
    at = door(settings) if where == "token" else ("GET", f"{CONTAINER}/log.txt")
    if failure in FAILURES:
        swift.answers[at] = [reply(failure, b"no", Content_Type="application/json")]
    elif failure:
        swift.answers[at] = [b"" if failure == "down" else b"what is this?\r\n\r\n"]
    server = Asking("", **{f"swift_{key}": value for key, value in settings.items()})
    answers = [
        server(path, **{f"HTTP_{name.upper()}": value for name, value in READERS.items()})
        for path in ("/log.txt", "/log.txt?format=raw", "/?format=json", "/readyz", "/metrics")
    ]
    assert any(request.method for request in swift.asked)
    assert caplog.records
    seen = repr(answers) + caplog.text + "".join(capfd.readouterr())
    assert [secret for secret in SECRETS if secret in seen] == []
    if not failure:
        assert LOG in answers[0].body


@pytest.mark.parametrize("settings_of", [version_1, password, application_credential, cloud])
def test_no_dump_of_an_object_shows_a_secret(swift, settings_of):
    options = {f"swift_{key}": value for key, value in settings_of(swift).items()}
    config = load(None, {}, **options)
    shown = [repr(config), repr(config.section("swift")), config.as_file(), repr(vars(App(config)))]
    assert [secret for secret in SECRETS if secret in "".join(shown)] == []
    options = config.section("swift")
    auth = options["cloud"].auth if options["cloud"] else options
    assert PASSWORD in auth["password"] + auth.get("application_credential_secret", "")


def test_gunicorns_logs_at_debug_hold_no_secret(swift, tmp_path):
    logging_config = tmp_path / "logging.ini"
    logging_config.write_text(LOG_EVERYTHING)
    config = ini({"swift": password(swift)})
    options = ("--log-config", str(logging_config), "--access-logfile", "-")
    with Gunicorn(config, *options, shipped_config=True) as server:
        assert LOG in ask(server, "/log.txt", **READERS).body
        for failure in FAILURES:
            swift.answers["GET", f"{CONTAINER}/log.txt"] = [reply(failure, b"no")]
            assert ask(server, "/log.txt", **READERS).status in (404, 503)
        ask(server, "/%0Alog%FF.txt", method="BREW", **READERS)
        seen = server.log.read_text() + ask(server, "/metrics").body.decode()
    assert "keystoneauth" in seen
    assert "urllib3.connectionpool DEBUG" in seen
    assert [secret for secret in SECRETS if secret in seen] == []
