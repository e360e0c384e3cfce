# SPDX-License-Identifier: Apache-2.0
import keystoneauth1.exceptions
import pytest
import urllib3.exceptions

from oslogserve.sources.deadline import AnswerTooLong
from oslogserve.sources.objects.errors import Refusal, retry_reason, source_error


@pytest.mark.parametrize(
    ("status", "code", "headers", "told", "reason"),
    [
        (403, "AccessDenied", {}, "status 403, AccessDenied", "forbidden"),
        (403, "InvalidAccessKeyId", {}, "status 403, InvalidAccessKeyId", "denied"),
        (400, "ExpiredToken", {}, "status 400, ExpiredToken", "denied"),
        (503, "SlowDown", {"x-amz-request-id": "r1"}, "SlowDown in transaction r1", "failed"),
        (400, "<b>", {}, "status 400", "refused"),
        (
            *(301, "PermanentRedirect", {"x-amz-bucket-region": "eu-west-1"}),
            *("PermanentRedirect: the bucket's region is eu-west-1", "refused"),
        ),
        (301, "", {"x-amz-bucket-region": "Not a region"}, "status 301", "refused"),
    ],
)
def test_a_refusal_is_told_by_the_stores_own_word(status, code, headers, told, reason):
    body = f"<Error><Code>{code}</Code><Message>a secret</Message></Error>".encode()
    error = source_error("store", Refusal(status, body, headers))
    assert str(error).endswith(told)
    assert (error.source, error.reason) == ("store", reason)


def test_a_wrong_region_is_told_with_the_right_one():
    text = b"<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>"
    told = str(source_error("store", Refusal(400, text, {})))
    assert told == "status 400, AuthorizationHeaderMalformed: the bucket's region is eu-west-1"


def test_an_answer_that_is_too_long_is_told_and_not_requested_again():
    """It is no outage: the names of a job's objects can make a listing so."""
    error = urllib3.exceptions.ProtocolError("broken", AnswerTooLong())
    error.__cause__ = AnswerTooLong()
    told = source_error("store", error)
    assert (str(told), told.is_outage) == ("its answer is too long", False)
    assert retry_reason(error) is None


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (keystoneauth1.exceptions.InvalidResponse(None), "auth_url is not Keystone's"),
        (keystoneauth1.exceptions.SSLError(), "auth_url does not answer over TLS"),
        (keystoneauth1.exceptions.ConnectFailure(), "auth_url cannot be reached"),
    ],
)
def test_a_wrong_address_of_keystone_is_told_in_a_sentence(error, told):
    assert str(source_error("swift", error)) == told


def test_the_text_of_a_refusal_is_not_kept():
    refusal = Refusal(403, b"<Code>AccessDenied</Code> a secret", {})
    assert "secret" not in f"{refusal} {refusal!r} {vars(refusal)}"
