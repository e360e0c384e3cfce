# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from oslogserve.config.values import BucketUrl
from oslogserve.sources.objects.errors import MALFORMED
from oslogserve.sources.objects.service import BEGINNING, Marker, Page
from oslogserve.sources.store.services import service_of

OPTIONS = {"endpoint": "", "region": "", "profile": ""}
DIGEST = "kAFQmDzST7DWlj99KOF/cg=="
HEX = "900150983cd24fb0d6963f7d28e17f72"


def service(url, **options):
    return service_of(OPTIONS | options | {"url": BucketUrl.parsed(url)})


@pytest.mark.parametrize(
    ("url", "options", "address"),
    [
        ("s3://logs/a", {}, "https://logs.s3.eu-west-1.amazonaws.com/a%20b/c%3F"),
        ("s3://my.logs", {}, "https://s3.eu-west-1.amazonaws.com/my.logs/a%20b/c%3F"),
        ("s3://logs", {"endpoint": "http://ceph:80"}, "http://ceph:80/logs/a%20b/c%3F"),
        ("gs://logs", {}, "https://storage.googleapis.com/logs/a%20b/c%3F"),
        ("az://logs", {"endpoint": "https://a.blob"}, "https://a.blob/logs/a%20b/c%3F"),
    ],
)
def test_an_object_has_the_address_that_its_service_wants(url, options, address):
    asked = service(url, **options)
    bucket = BucketUrl.parsed(url).bucket
    assert asked.address("eu-west-1") + asked.path(bucket, "a b/c?") == address


def test_a_part_of_the_path_is_never_a_part_of_a_hosts_name():
    asked = service("s3://logs-{partition}")
    assert asked.address("eu-west-1") == "https://s3.eu-west-1.amazonaws.com"
    assert asked.path("logs-x@y/z", "a") == "/logs-x%40y%2Fz/a"


def test_a_token_goes_into_a_header():
    for url in ("gs://logs", "az://logs"):
        headers = service(url, endpoint="http://a").credentials("abc", "GET", "http://a/a", {})
        assert headers == {"Authorization": "Bearer abc"}


def s3_page(*rows, beside="<IsTruncated>false</IsTruncated>"):
    return f"<ListBucketResult>{''.join(rows)}{beside}</ListBucketResult>".encode()


def s3_row(name, size="3", modified="2024-01-02T03:04:05.000Z"):
    return (
        f"<Contents><Key>{name}</Key><LastModified>{modified}</LastModified>"
        f"<Size>{size}</Size><Owner><ID>x</ID></Owner></Contents>"
    )


def s3_folder(name):
    return f"<CommonPrefixes><Prefix>{name}</Prefix></CommonPrefixes>"


ENCODED = "<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
ENCODED += "<NextContinuationToken>t&amp;1</NextContinuationToken>"


def test_a_page_of_s3_is_in_the_order_of_names_and_says_where_it_goes_on():
    body = s3_page(s3_row("p/a+b"), s3_row("p/c%2B"), s3_folder("p/b/"), beside=ENCODED)
    page = service("s3://logs").page(body, "p/", BEGINNING)
    assert [row.name for row in page.rows] == ["p/a b", "p/b/", "p/c+"]
    assert page.rows[0].size == 3
    assert page.rows[0].modified == 1704164645.0
    assert page.next == Marker("p/c+", "t&1")
    query = service("s3://logs").query("p/", page.next, 10)
    assert query["continuation-token"] == "t&1"
    assert "start-after" not in query


def test_a_folder_that_begins_before_a_name_is_left_out():
    body = s3_page(s3_folder("p/b/"), s3_row("p/c"))
    page = service("s3://logs").page(body, "p/", Marker("p/b/x"))
    assert [row.name for row in page.rows] == ["p/c"]


@pytest.mark.parametrize(
    "body",
    [
        b"<html/>",
        s3_page(s3_row("q/a")),
        s3_page(s3_row("p/a/b")),
        s3_page(s3_row("p/a"), s3_row("p/a")),
        s3_page(s3_row("p/a", size="-1")),
        s3_page(s3_row("p/a", modified="yesterday")),
        s3_page("<Contents><Key>p/a</Key></Contents>"),
        s3_page(beside="<IsTruncated>true</IsTruncated>"),
    ],
)
def test_what_is_no_page_of_this_folder_is_refused(body):
    with pytest.raises((ValueError, LookupError)):
        service("s3://logs").page(body, "p/", BEGINNING)


def test_pages_that_go_back_are_refused():
    with pytest.raises(ValueError, match="another listing"):
        service("s3://logs").page(s3_page(s3_row("p/a")), "p/", Marker("p/b", "token"))


def google_page(*items, **beside):
    return json.dumps({"items": items, "prefixes": ["p/b/"]} | beside).encode()


def google_row(name, size="3", **more):
    return {"name": name, "size": size, "updated": "2024-01-02T03:04:05.000Z"} | more


def test_a_page_of_google_is_in_the_order_of_names_and_knows_its_markers():
    marker = google_row("p/m", "0", contentType="application/directory")
    body = google_page(google_row("p/a"), marker, nextPageToken="t/1")
    page = service("gs://logs").page(body, "p/", BEGINNING)
    names = [(row.name, row.size, row.is_marker) for row in page.rows]
    assert names == [("p/a", 3, False), ("p/b/", None, False), ("p/m", 0, True)]
    assert page.rows[0].modified == 1704164645.0
    assert page.next == Marker("p/m", "t/1")
    assert service("gs://logs").query("p/", page.next, 10)["pageToken"] == "t/1"
    assert service("gs://logs").page(b"{}", "p/", BEGINNING) == Page([], None)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"[]", b"<html/>", b'{"items": 5}', b'{"items": [{}]}'),
        google_page(google_row("q/a")),
        google_page(google_row("p/a", size="three")),
        google_page(google_row("p/a", updated="yesterday")),
    ],
)
def test_what_is_no_page_of_google_is_refused(body):
    with pytest.raises(MALFORMED):
        service("gs://logs").page(body, "p/", BEGINNING)


AZURE = """<EnumerationResults><Blobs>
<Blob><Name>p/a</Name><Properties><Last-Modified>Tue, 02 Jan 2024 03:04:05 GMT</Last-Modified>
<Content-Length>3</Content-Length><Content-Type>text/plain</Content-Type></Properties></Blob>
<Blob><Name>p/m</Name><Properties><Last-Modified>Tue, 02 Jan 2024 03:04:05 GMT</Last-Modified>
<Content-Length>0</Content-Length><ResourceType>directory</ResourceType></Properties></Blob>
<BlobPrefix><Name Encoded="true">p/%02/</Name></BlobPrefix>
</Blobs><NextMarker>2!x</NextMarker></EnumerationResults>"""


def test_a_page_of_azure_has_its_names_sizes_and_markers():
    page = service("az://logs", endpoint="http://a").page(AZURE.encode(), "p/", BEGINNING)
    names = [(row.name, row.size, row.is_marker) for row in page.rows]
    assert names == [("p/\x02/", None, False), ("p/a", 3, False), ("p/m", 0, True)]
    assert page.next == Marker("p/m", "2!x")


@pytest.mark.parametrize(
    ("headers", "md5"),
    [
        ({"etag": f'"{HEX}"'}, HEX),
        ({"etag": f'"{HEX}"', "x-amz-server-side-encryption": "AES256"}, HEX),
        ({"etag": f'"{HEX}"', "x-amz-server-side-encryption": "aws:kms"}, ""),
        ({"etag": f'"{HEX}"', "x-amz-server-side-encryption-customer-algorithm": "AES256"}, ""),
        ({"etag": f'"{HEX}-2"'}, ""),
        ({"etag": f'W/"{HEX}"'}, ""),
        ({}, ""),
    ],
)
def test_the_etag_of_s3_is_a_checksum_only_of_an_object_in_one_plain_part(headers, md5):
    assert service("s3://logs").md5_of(headers) == md5


def test_google_and_azure_say_the_checksum_in_headers():
    google = service("gs://logs")
    assert google.md5_of({"x-goog-hash": f"crc32c=n03x6A==, md5={DIGEST}"}) == HEX
    assert google.md5_of({"x-goog-hash": "crc32c=n03x6A==", "etag": HEX}) == ""
    azure = service("az://logs", endpoint="http://a")
    assert azure.md5_of({"content-md5": DIGEST}) == HEX
    assert azure.md5_of({"content-md5": DIGEST, "content-range": "bytes 0-1/3"}) == ""
    assert azure.md5_of({"x-ms-blob-content-md5": DIGEST, "content-range": "bytes 0-1/3"}) == HEX
    assert azure.md5_of({"content-md5": "nothing"}) == ""
