# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.sources.store.access import signed

URL = "https://logs.s3.eu-west-1.amazonaws.com/a%20b.txt?partNumber=1&uploadId=x"


@pytest.fixture
def key():
    from botocore.credentials import ReadOnlyCredentials

    return ReadOnlyCredentials("AKIA", "secret", None), "eu-west-1"


def test_all_headers_of_a_request_are_signed_and_a_body_by_its_md5(key):
    given = {"Content-MD5": "kAFQmDzST7DWlj99KOF/cg==", "x-amz-meta-a": "b", "User-Agent": "c"}
    headers = signed(key, "PUT", URL, given)
    assert given.items() <= headers.items()
    assert headers["X-Amz-Content-SHA256"] == "UNSIGNED-PAYLOAD"
    names = "SignedHeaders=content-md5;host;x-amz-content-sha256;x-amz-date;x-amz-meta-a,"
    assert names in headers["Authorization"]


def test_a_request_without_a_body_is_signed_as_one(key):
    headers = signed(key, "GET", URL, {})
    assert headers["X-Amz-Content-SHA256"].startswith("e3b0c44298fc1c14")
