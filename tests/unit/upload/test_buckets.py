# SPDX-License-Identifier: Apache-2.0
"""What servers do with uploads is in functional/test_upload_store and test_upload_stores."""

import base64
import hashlib
import re
from contextlib import ExitStack, closing
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import pytest

from oslogserve.config import load
from oslogserve.errors import SourceError
from oslogserve.http import TEXT
from oslogserve.sources.objects.access import Access
from oslogserve.sources.objects.location import Location
from oslogserve.sources.store import access
from oslogserve.upload import buckets
from oslogserve.upload import writer as writers
from oslogserve.upload.buckets import BucketWriter
from oslogserve.upload.payload import Changed
from oslogserve.upload.writer import Effort, Interrupted

LOCATION = Location("logs", "job/core.bin")
PATH = "/logs/job/core.bin"
UPLOADS = "/logs?uploads=&prefix=job%2Fcore.bin&encoding-type=url"
NO_UPLOADS = b"<R><EncodingType>url</EncodingType></R>"
BEGUN = b"<R><UploadId>new</UploadId></R>"


class Reply(NamedTuple):
    status: int = 200
    body: bytes = b""
    headers: dict = MappingProxyType({})

    def read(self):
        return self.body


class Asked(NamedTuple):
    method: str
    target: str
    headers: dict
    body: bytes


class Connection:
    """Answers of a server by method and target; asked: what was sent. An answer may be an error."""

    access = Access("http://store", "")

    def __init__(self):
        self.answers = {}
        self.asked = []

    def wait_until(self, deadline):
        pass

    def end(self):
        pass

    def answer(self, method, url, headers, body):
        sent = body
        if hasattr(body, "read"):
            sent = b""
            while piece := body.read(4):
                sent += piece
        asked = Asked(method, url.removeprefix("http://store"), headers, sent)
        self.asked.append(asked)
        reply = self.answers.get((asked.method, asked.target), Reply())
        return reply.pop(0) if isinstance(reply, list) else reply

    def close(self):
        pass

    def targets(self):
        return [f"{asked.method} {asked.target}" for asked in self.asked]


@pytest.fixture
def make_writer(monkeypatch):
    with ExitStack() as opened:

        def make(url="s3://logs", patience=0, prefix=""):
            given = {"url": url, "endpoint": "http://store", "anonymous": "yes", "retries": "0"}
            config = load(None, {}, **{f"store_{key}": text for key, text in given.items()})
            [(name, section)] = config.stores
            made = BucketWriter(name, section, Effort(1, patience), prefix)
            writer = opened.enter_context(closing(made))
            writer.connection = Connection()
            monkeypatch.setattr(writer._session, "_connection", lambda *_: writer.connection)
            return writer

        yield make


def listed(*uploads):
    rows = [
        f"<Upload><Key>{key}</Key><UploadId>{name}</UploadId><Initiated>{at}</Initiated></Upload>"
        for key, name, at in uploads
    ]
    return Reply(body=f"<R><EncodingType>url</EncodingType>{''.join(rows)}</R>".encode())


def parts(*segments):
    rows = [
        f"<Part><PartNumber>{number}</PartNumber><ETag>&quot;{segment.md5}&quot;</ETag>"
        f"<Size>{segment.size}</Size></Part>"
        for number, segment in segments
    ]
    return Reply(body=f"<R>{''.join(rows)}</R>".encode())


def part(number, upload="new"):
    return "PUT", f"{PATH}?partNumber={number}&uploadId={upload}"


def answer_parts(connection, count, upload="new"):
    connection.answers |= {
        ("GET", UPLOADS): Reply(body=NO_UPLOADS),
        ("POST", f"{PATH}?uploads="): Reply(body=BEGUN),
        **{part(n + 1, upload): Reply(headers={"ETag": f'"etag{n + 1}"'}) for n in range(count)},
    }


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "s3://logs",
            {
                "content-type": TEXT,
                "content-encoding": "gzip",
                "x-amz-meta-oslogserve-checksum": "{}",
            },
        ),
        (
            "gs://logs",
            {
                "content-type": TEXT,
                "content-encoding": "gzip",
                "x-goog-meta-oslogserve-checksum": "{}",
                "cache-control": "no-cache",
            },
        ),
        (
            "az://logs",
            {
                "x-ms-blob-type": "BlockBlob",
                "x-ms-blob-content-type": TEXT,
                "x-ms-blob-content-encoding": "gzip",
                "x-ms-meta-oslogserve_checksum": "{}",
            },
        ),
    ],
)
def test_an_object_is_sent_with_what_describes_it_and_with_its_md5(
    make_writer, payload, url, expected
):
    writer = make_writer(url)
    described = {"media_type": TEXT, "encoding": "gzip"}
    made = replace(payload(b"abc"), **described)
    writer.replace(LOCATION, None, made)
    [asked] = writer.connection.asked
    assert (asked.method, asked.target, asked.body) == ("PUT", PATH, b"abc")
    digest = base64.b64encode(hashlib.md5(b"abc").digest()).decode()
    expected = {name: text.format(made.etag) for name, text in expected.items()}
    assert asked.headers.items() >= {"Content-MD5": digest, **expected}.items()
    headers = {name: text for name, text in asked.headers.items() if "-meta-" in name}
    writer.connection.answers["HEAD", PATH] = Reply(headers=headers)
    assert writer.checksum_of(writer.head_anew(LOCATION)) == made.etag


def test_what_the_store_says_of_its_bytes_counts_more_than_metadata(make_writer):
    writer = make_writer()
    headers = {"ETag": f'"{"a" * 32}"', "x-amz-meta-oslogserve-checksum": "b" * 32}
    writer.connection.answers["HEAD", PATH] = Reply(headers=headers)
    assert writer.checksum_of(writer.head_anew(LOCATION)) == "a" * 32
    headers["ETag"] = f'"{"a" * 32}-2"'
    assert writer.checksum_of(writer.head_anew(LOCATION)) == "b" * 32


def test_an_unfinished_upload_goes_on_and_others_of_the_object_are_aborted(make_writer, payload):
    writer = make_writer()
    made = payload(b"a" * 20 + b"b")
    answer_parts(writer.connection, 3, "late")
    of_others = (
        ("job/core.bin.txt", "other", "2026-01-09"),
        ("job/core%2Ebin", "early", "2026-01-01"),
    )
    headers = {"x-amz-meta-oslogserve-checksum": made.etag, "content-type": made.media_type}
    wrong = made.segments[2]._replace(size=2)
    writer.connection.answers |= {
        ("GET", UPLOADS): listed(*of_others, ("job/core.bin", "late", "2026-01-02")),
        ("GET", f"{PATH}?uploadId=late"): parts((1, made.segments[0]), (3, wrong), (9, wrong)),
        ("HEAD", PATH): Reply(headers=headers),
    }
    writer.replace(LOCATION, None, made)
    assert writer.connection.targets() == [
        f"GET {UPLOADS}",
        f"DELETE {PATH}?uploadId=early",
        f"GET {PATH}?uploadId=late",
        " ".join(part(2, "late")),
        " ".join(part(3, "late")),
        f"POST {PATH}?uploadId=late",
        f"HEAD {PATH}",
    ]
    joined = writer.connection.asked[-2].body.decode()
    etags = re.findall('<PartNumber>(.)</PartNumber><ETag>"(.*?)"</ETag>', joined)
    assert etags == [("1", made.segments[0].md5), ("2", "etag2"), ("3", "etag3")]


@pytest.mark.parametrize(
    "looked_at", [Reply(headers={"x-amz-meta-oslogserve-checksum": "of another"}), Reply(403)]
)
def test_an_object_that_may_have_the_metadata_of_an_earlier_file_is_sent_anew(
    make_writer, payload, looked_at
):
    writer = make_writer()
    made = payload(b"a" * 11)
    answer_parts(writer.connection, 2)
    unfinished = listed(("job/core.bin", "late", "2026-01-02"))
    writer.connection.answers |= {
        ("GET", UPLOADS): unfinished,
        ("GET", f"{PATH}?uploadId=late"): parts(*enumerate(made.segments, 1)),
        ("HEAD", PATH): looked_at,
    }
    writer.replace(LOCATION, None, made)
    targets = writer.connection.targets()
    assert targets.index(f"POST {PATH}?uploadId=late") < targets.index(f"POST {PATH}?uploadId=new")
    assert targets.count(" ".join(part(1))) == 1


def test_a_user_who_may_not_list_uploads_or_parts_sends_all(make_writer, payload):
    writer = make_writer()
    made = payload(b"a" * 11)
    answer_parts(writer.connection, 2)
    writer.connection.answers["GET", UPLOADS] = Reply(403)
    writer.replace(LOCATION, None, made)
    assert writer.connection.targets()[-1] == f"POST {PATH}?uploadId=new"
    answer_parts(writer.connection, 2, "late")
    headers = {"x-amz-meta-oslogserve-checksum": made.etag, "content-type": made.media_type}
    writer.connection.answers |= {
        ("GET", UPLOADS): listed(("job/core.bin", "late", "2026-01-02")),
        ("GET", f"{PATH}?uploadId=late"): Reply(403),
        ("HEAD", PATH): Reply(headers=headers),
    }
    writer.replace(LOCATION, None, made)
    assert " ".join(part(1, "late")) in writer.connection.targets()
    assert writer.connection.targets()[-1] == f"HEAD {PATH}"


def test_parts_that_were_joined_though_the_answer_was_lost_are_found(make_writer, payload):
    writer = make_writer()
    made = payload(b"a" * 11)
    answer_parts(writer.connection, 2)
    finished = "POST", f"{PATH}?uploadId=new"
    headers = {"x-amz-meta-oslogserve-checksum": made.etag, "content-type": made.media_type}
    writer.connection.answers |= {finished: Reply(404), ("HEAD", PATH): Reply(headers=headers)}
    writer.replace(LOCATION, None, made)
    writer.connection.answers["HEAD", PATH] = Reply(404)
    with pytest.raises(SourceError, match="its parts were not joined"):
        writer.replace(LOCATION, None, made)


def test_a_failure_after_a_successful_status_is_one(make_writer, payload):
    writer = make_writer()
    answer_parts(writer.connection, 2)
    failed = Reply(body=b"\n<Error><Code>InternalError</Code></Error>")
    writer.connection.answers["POST", f"{PATH}?uploadId=new"] = failed
    with pytest.raises(SourceError, match="status 500, InternalError"):
        writer.replace(LOCATION, None, payload(b"a" * 11))


@pytest.mark.parametrize("body", [b"<html><br></html>", b"<R></R>", b""])
def test_what_answers_as_no_store_does_has_failed(make_writer, payload, body):
    writer = make_writer()
    answer_parts(writer.connection, 2)
    writer.connection.answers["POST", f"{PATH}?uploads="] = Reply(body=body)
    with pytest.raises(SourceError, match="what answers is not the store"):
        writer.replace(LOCATION, None, payload(b"a" * 11))
    answer_parts(writer.connection, 1)
    writer.connection.answers[part(2)] = Reply()  # without an ETag
    with pytest.raises(SourceError, match="what answers is not the store"):
        writer.replace(LOCATION, None, payload(b"a" * 11))


def test_parts_of_a_file_that_changes_are_aborted(make_writer, payload, tmp_path):
    writer = make_writer()
    answer_parts(writer.connection, 2)
    made = payload(b"a" * 11)
    (tmp_path / "core.bin").write_bytes(b"a" * 5)
    with pytest.raises(Changed):
        writer.replace(LOCATION, None, made)
    assert writer.connection.targets()[-1] == f"DELETE {PATH}?uploadId=new"


def test_refused_bytes_have_changed_or_are_refused_for_something_else(
    make_writer, payload, tmp_path
):
    writer = make_writer()
    writer.connection.answers["PUT", PATH] = Reply(400, b"<Code>KeyTooLong</Code>")
    made = payload(b"abc")
    with pytest.raises(SourceError, match="status 400, KeyTooLong"):
        writer.replace(LOCATION, None, made)
    (tmp_path / "core.bin").write_bytes(b"xyz")
    with pytest.raises(Changed):
        writer.replace(LOCATION, None, made)


def test_an_upload_ends_between_two_pieces(make_writer, payload, monkeypatch):
    writer = make_writer()
    send = writer.connection.answer

    def stop(method, url, headers, body):
        body.read(1)
        writer.stopped.set()
        return send(method, url, headers, body)

    monkeypatch.setattr(writer.connection, "answer", stop)
    with pytest.raises(Interrupted):
        writer.replace(LOCATION, None, payload(b"abc"))


def test_a_request_is_repeated_with_all_of_its_body(make_writer, payload, monkeypatch):
    monkeypatch.setattr(writers, "FIRST_PAUSE", 0.0)
    writer = make_writer(patience=60)
    writer.connection.answers["PUT", PATH] = [Reply(503), Reply(500), Reply()]
    writer.replace(LOCATION, None, payload(b"abc"))
    assert [asked.body for asked in writer.connection.asked] == [b"abc"] * 3


@pytest.mark.parametrize("content", [b"abc", b"a" * 11])
def test_a_bucket_that_is_missing_is_told(make_writer, payload, content):
    writer = make_writer()
    writer.connection.answers |= {
        ("PUT", PATH): Reply(404),
        ("GET", UPLOADS): Reply(404),
        ("POST", f"{PATH}?uploads="): Reply(404),
    }
    with pytest.raises(SourceError, match="there is no such bucket"):
        writer.replace(LOCATION, None, payload(content))


def test_blocks_that_are_there_are_not_sent_again(make_writer, payload):
    writer = make_writer("az://logs")
    made = payload(b"a" * 20 + b"b")
    names = [
        base64.b64encode(f"{number:04}-{segment.md5}".encode()).decode()
        for number, segment in enumerate(made.segments)
    ]
    listing = "GET", f"{PATH}?comp=blocklist&blocklisttype=all"
    rows = f"<Block><Name>{names[0]}</Name></Block><Block><Name>else</Name></Block>"
    writer.connection.answers[listing] = Reply(body=f"<R>{rows}</R>".encode())
    writer.replace(LOCATION, None, made)
    *_, second, third, last = writer.connection.asked
    assert (second.body, third.body) == (b"a" * 10, b"b")
    assert last.body.decode().endswith(
        "<BlockList>" + "".join(f"<Latest>{name}</Latest>" for name in names) + "</BlockList>"
    )
    assert last.headers["x-ms-blob-content-type"] == made.media_type
    assert "x-ms-blob-type" not in last.headers


def test_googles_token_of_an_upload_may_write(monkeypatch, make_writer):
    scopes = []
    monkeypatch.setattr(access, "of_google", lambda _, scope: scopes.append(scope))
    make_writer("gs://logs")
    assert scopes == [access.READ_WRITE]


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(buckets.time, "monotonic", lambda: now[0])
    return now


def test_a_large_console_is_sent_seldom_and_its_last_lines_come_in_time(
    make_writer, tmp_path, clock, monkeypatch
):
    monkeypatch.setattr(buckets, "WHOLE", 10)
    writer = make_writer()
    sent = []
    put = writer.connection.answer

    def answer(*asked):
        sent.append(clock[0] - 1000)
        return put(*asked)

    monkeypatch.setattr(writer.connection, "answer", answer)
    with (tmp_path / "a").open("x+b", buffering=0) as file:
        renew = writer.console(LOCATION, file, 5)
        renew(0)
        for size in (*range(1, 41), *[41] * 60):
            file.write(b"x" * (size - file.tell()))
            renew(size)
            clock[0] += 1
    # Up to 10 bytes each time; then after half a second for each byte; never without new lines.
    assert sent == [*range(10), 14, 22, 34, 52]
    assert writer.connection.asked[-1].body == b"x" * 41
