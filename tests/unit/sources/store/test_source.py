# SPDX-License-Identifier: Apache-2.0
import io
from hashlib import md5
from urllib.parse import parse_qs, urlsplit, urlunsplit

import pytest

from oslogserve.config import load
from oslogserve.errors import Incomplete, SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import METADATA_ONLY, Folder
from oslogserve.sources.objects import access as access_module
from oslogserve.sources.objects import session as session_module
from oslogserve.sources.store.source import Store

LOG = b"a line like any other\n" * 10_000
LISTING = b"<L>%s<IsTruncated>false</IsTruncated></L>"
DATE = "Fri, 27 Sep 2013 18:22:11 GMT"


class Answer:
    """An answer as a connection gives it."""

    def __init__(self, status, body=b"", **headers):
        self.status = status
        self.headers = {name.replace("_", "-"): text for name, text in headers.items()}
        self.read = io.BytesIO(body).read


def found(content, **headers):
    """The answer with an object."""
    size, etag = str(len(content)), f'"{md5(content).hexdigest()}"'
    given = {"ETag": etag, "Last_Modified": DATE, "Content_Length": size}
    return Answer(200, content, **given | headers)


class Connection:
    """A connection to what `answer` makes of a method, a target and headers."""

    def __init__(self, access, answer):
        self.access = access
        self._answer = answer

    def wait_until(self, deadline):
        pass

    def end(self):
        pass

    def answer(self, method, url, headers, body):
        url = urlsplit(url)
        return self._answer(method, urlunsplit(("", "", *url[2:])), headers)

    def close(self):
        pass


@pytest.fixture
def served(monkeypatch):
    """served(answer): an anonymous store of s3://logs/folder; its attribute `asked` has the requests."""

    def serve(answer, **options):
        given = {
            "url": "s3://logs/folder",
            "endpoint": "http://store",
            "anonymous": "yes",
        } | options
        [(name, section)] = load(
            None, {}, **{f"store_{key}": text for key, text in given.items()}
        ).stores
        store = Store(name, section, 65536, Metrics())
        store.asked = []

        def answered(method, target, headers):
            store.asked.append((method, target, headers))
            return answer(method, target, headers)

        connect = lambda access, *_: Connection(access, answered)
        monkeypatch.setattr(store._session, "_connection", connect)
        return store

    monkeypatch.setattr(session_module, "PAUSE", 0.001)
    return serve


def without_listing(method, target, headers):
    """Everybody may read objects, and nobody may list them: then what is missing is forbidden."""
    if "log.txt.gz" in target:
        return found(LOG)
    return Answer(403, b"<Error><Code>AccessDenied</Code></Error>")


def test_a_log_that_is_packed_is_found_where_nobody_may_list(served):
    store = served(without_listing)
    log = store.open(b"log.txt")
    assert log.stored.encoding == "gzip"
    assert b"".join(log) == LOG
    assert store.open(b"none.txt") is None
    with pytest.raises(SourceError, match="its listing is not public"):
        store.entries(b"")
    with pytest.raises(SourceError, match="the bucket is not there, or not public"):
        store.check()


def test_a_request_of_a_public_bucket_has_no_credentials(served):
    store = served(lambda *_: found(LOG))
    assert b"".join(store.open(b"a b.txt")) == LOG
    [(method, target, headers)] = store.asked
    assert (method, target) == ("GET", "/logs/folder/a%20b.txt")
    assert [name for name in headers if name != "User-Agent"] == []


def test_metadata_is_asked_for_without_the_bytes(served):
    store = served(lambda *_: found(b"", Content_Length="70", Content_Encoding="GZIP"))
    log = store.open(b"a.txt", METADATA_ONLY)
    assert (log.stored.size, log.stored.encoding) == (70, "gzip")
    assert [method for method, _, _ in store.asked] == ["HEAD"]


@pytest.mark.parametrize("path", [b"a/../b", b"..", b"./a", b"a/.", b"\xff"])
def test_a_path_that_would_name_another_object_is_not_asked_for(served, path):
    store = served(lambda *_: found(LOG))
    assert store.open(path) is None
    assert store.entries(path) is None
    assert store.asked == []


def test_the_folder_of_all_logs_is_a_folder_and_no_log_of_its_name(served):
    row = b"<CommonPrefixes><Prefix>folder/a/</Prefix></CommonPrefixes>"
    store = served(lambda *_: Answer(200, LISTING % row))
    assert isinstance(store.open(b""), Folder)
    [(_, target, _)] = store.asked
    assert parse_qs(urlsplit(target).query)["prefix"] == ["folder/"]


@pytest.mark.parametrize(
    ("headers", "content", "told"),
    [
        ({"ETag": f'"{"0" * 32}"'}, LOG, "damaged: their checksum does not match"),
        ({"Content_Length": str(len(LOG) - 1)}, LOG, "sent more than it said"),
        ({"Content_Length": str(len(LOG) + 1)}, LOG, "ended too early"),
    ],
)
def test_bytes_that_are_not_those_of_the_object_are_told(served, headers, content, told):
    store = served(lambda *_: found(content, **headers), resumes="0")
    with pytest.raises(Incomplete, match=told):
        b"".join(store.open(b"a.txt"))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer(200, b"<html>"), "what answers is not the store"),
        (Answer(200, b"<L/>"), "what answers is not the store"),
        (Answer(404, b"<Error><Code>NoSuchBucket</Code></Error>"), "there is no such bucket"),
        (Answer(302, b"", Location="http://elsewhere/"), "status 302"),
        (Answer(503, b"<Error><Code>SlowDown</Code></Error>"), "status 503, SlowDown"),
    ],
)
def test_a_listing_that_is_none_is_told(served, answer, told):
    with pytest.raises(SourceError, match=told):
        served(lambda *_: answer, retries="0").check()


def test_a_user_whom_the_store_does_not_know_is_no_missing_bucket(served, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    text = b"<Error><Code>XAdminUserNotFound</Code></Error>"
    with pytest.raises(SourceError, match="status 404, XAdminUserNotFound") as failed:
        served(lambda *_: Answer(404, text), anonymous="no").check()
    assert failed.value.reason == "denied"


def test_what_may_pass_is_asked_again(served):
    answers = [Answer(503), Answer(500), found(LOG)]
    store = served(lambda *_: answers.pop(0))
    assert b"".join(store.open(b"a.txt")) == LOG


def test_an_empty_page_that_goes_on_is_no_end(served):
    row = b"<Contents><Key>folder/a</Key><Size>1</Size>"
    row += b"<LastModified>2024-01-02T03:04:05Z</LastModified></Contents>"
    cut = b"<L><IsTruncated>true</IsTruncated>"
    cut += b"<NextContinuationToken>t</NextContinuationToken></L>"
    answers = [cut, cut, LISTING % row]
    store = served(lambda *_: Answer(200, answers.pop(0)))
    assert [entry.name for entry in store.entries(b"")] == [b"a"]


def test_a_key_that_has_expired_is_looked_up_again(served, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    refused = Answer(400, b"<Error><Code>ExpiredToken</Code></Error>")
    answers = [refused, found(LOG)]
    store = served(lambda *_: answers.pop(0), anonymous="no")
    assert b"".join(store.open(b"a.txt")) == LOG
    assert len({headers["Authorization"][:20] for _, _, headers in store.asked}) == 1


@pytest.mark.parametrize("status", [400, 403])
def test_a_head_that_is_refused_without_a_word_is_sent_again_with_a_new_key(
    served, monkeypatch, status
):
    monkeypatch.setattr(access_module, "MAY_BE_OLD_AFTER", 0)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    answers = [Answer(status), found(b"", Content_Length="70")]
    store = served(lambda *_: answers.pop(0), anonymous="no")
    assert store.open(b"a.txt", METADATA_ONLY).stored.size == 70
    assert [method for method, _, _ in store.asked] == ["HEAD", "HEAD"]


def test_a_head_that_is_refused_again_is_forbidden(served, monkeypatch):
    monkeypatch.setattr(access_module, "MAY_BE_OLD_AFTER", 0)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    store = served(lambda *_: Answer(403), anonymous="no")
    with pytest.raises(SourceError, match="status 403") as failed:
        store.open(b"a.txt", METADATA_ONLY)
    assert (failed.value.reason, len(store.asked)) == ("forbidden", 2)


def test_a_new_key_is_not_replaced_for_a_refusal_without_a_word(served, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    store = served(lambda *_: Answer(403), anonymous="no")
    with pytest.raises(SourceError, match="status 403"):
        store.open(b"a.txt", METADATA_ONLY)
    assert len(store.asked) == 1


@pytest.mark.parametrize(
    ("status", "code", "told", "reason"),
    [
        (403, "AccessDenied", "status 403, AccessDenied", "forbidden"),
        (403, "InvalidObjectState", "status 403, InvalidObjectState", "forbidden"),
        (404, "NoSuchKey", "it lists the log but does not find it", "lost"),
        (429, "TooManyRequests", "status 429", "failed"),
        (500, "InternalError", "status 500, InternalError", "failed"),
        (503, "SlowDown", "status 503, SlowDown", "failed"),
        (301, "PermanentRedirect", "status 301, PermanentRedirect", "refused"),
    ],
)
def test_a_log_that_is_there_and_refused_is_never_not_found(served, status, code, told, reason):
    row = b"<Contents><Key>folder/a.txt</Key><Size>1</Size>"
    row += b"<LastModified>2024-01-02T03:04:05Z</LastModified></Contents>"

    def answer(method, target, headers):
        if "list-type" in target:
            return Answer(200, LISTING % (row if target.endswith("a.txt") else b""))
        return Answer(status, f"<Error><Code>{code}</Code></Error>".encode())

    with pytest.raises(SourceError, match=told) as failed:
        served(answer, retries="0").open(b"a.txt")
    assert failed.value.reason == reason


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (Answer(404), "the rest of the listing is not found"),
        (Answer(403), "its listing is not public"),
        (Answer(500), "status 500"),
        (Answer(200, b"<L>"), "what answers is not the store"),
    ],
)
def test_a_listing_whose_second_page_is_missing_is_not_taken_for_whole(served, second, told):
    first = b"<L><Contents><Key>folder/a</Key><Size>1</Size>"
    first += b"<LastModified>2024-01-02T03:04:05Z</LastModified></Contents>"
    first += b"<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></L>"
    answers = [Answer(200, first), second]
    entries = served(lambda *_: answers.pop(0), retries="0").entries(b"")
    assert next(entries).name == b"a"
    with pytest.raises(SourceError, match=told):
        next(entries)
