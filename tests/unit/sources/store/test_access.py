# SPDX-License-Identifier: Apache-2.0
import builtins
import logging
import subprocess
import sys
import time

import pytest

from oslogserve.errors import SourceError
from oslogserve.sources.store.access import KEY_LIFE, explained, of_s3, signed

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"


def address(region):
    return f"https://s3.{region}.example.org"


@pytest.fixture
def key(monkeypatch, tmp_path):
    """A key in the environment, and nothing else that botocore would find."""
    for name in ("AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)


def current(authenticate):
    return explained("store", authenticate)


def test_a_key_in_the_environment_signs_requests(key):
    found = current(of_s3(address, "eu-west-1", ""))
    assert found.storage_url == "https://s3.eu-west-1.example.org"
    url = "https://s3.eu-west-1.example.org/logs/a%20b?list-type=2"
    headers = signed(found.token, "GET", url, {})
    scope = f"AWS4-HMAC-SHA256 Credential={KEY}/"
    assert headers["Authorization"].startswith(scope)
    assert "/eu-west-1/s3/aws4_request, SignedHeaders=host;" in headers["Authorization"]
    assert SECRET not in str(headers)


def test_without_a_region_it_is_the_one_of_the_environment_or_the_usual_one(key, monkeypatch):
    assert current(of_s3(address, "", "")).token[1] == "us-east-1"
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-north-1")
    found = current(of_s3(address, "", ""))
    assert found.storage_url == "https://s3.eu-north-1.example.org"


def test_a_profile_that_is_missing_is_told_without_its_name(key):
    with pytest.raises(SourceError, match=r"^there is no such profile$"):
        current(of_s3(address, "", "nobody"))


def test_a_key_that_others_replace_in_its_file_is_read_anew(key, monkeypatch, tmp_path):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    file = tmp_path / "credentials"
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    authenticate = of_s3(address, "", "ci")
    tokens = []
    for token in ("first", "second"):
        text = f"aws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n"
        file.write_text(f"[ci]\n{text}aws_session_token = {token}\n")
        found = current(authenticate)
        tokens.append(found.token[0].token)
    assert tokens == ["first", "second"]


def test_a_key_that_was_long_of_no_use_is_looked_up_before_the_next(key, monkeypatch):
    found = current(of_s3(address, "", ""))
    assert not found.has_expired()
    later = time.time() + KEY_LIFE
    monkeypatch.setattr(time, "time", lambda: later)
    assert found.has_expired()


def test_a_library_that_is_not_installed_is_named(key, monkeypatch):
    imported = builtins.__import__

    def without_botocore(name, *args, **options):
        if name.startswith("botocore"):
            raise ImportError(name)
        return imported(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without_botocore)
    with pytest.raises(SourceError, match=r"pip install oslogserve\[store\]"):
        current(of_s3(address, "", ""))


def test_a_failure_is_told_by_its_type_alone():
    def fail():
        raise RuntimeError("the secret is 42")

    with pytest.raises(SourceError) as failed:
        current(fail)
    assert str(failed.value) == "no credentials are found (RuntimeError)"
    assert failed.value.reason == "denied"


def test_no_library_of_a_store_is_loaded_before_it_is_asked():
    code = "import sys, oslogserve.app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert {b"botocore", b"google.auth", b"azure"}.isdisjoint(loaded.stdout.split())


def test_a_session_token_is_in_no_log(key, monkeypatch, caplog):
    monkeypatch.setenv("AWS_SESSION_TOKEN", "the-session-token")
    caplog.set_level(logging.DEBUG)
    key = current(of_s3(address, "", "")).token
    headers = signed(key, "GET", address("us-east-1"), {})
    assert headers["X-Amz-Security-Token"] == "the-session-token"
    assert "the-session-token" not in caplog.text
    assert SECRET not in caplog.text
