# SPDX-License-Identifier: Apache-2.0
"""Logs in a real Swift, asked for over HTTP: what is found, how it is asked for, what fails."""

import base64
import contextlib
import gc
import gzip
import json
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

from oslogserve.compression import plain_name
from oslogserve.config import load
from oslogserve.errors import SourceError
from oslogserve.metrics import Metrics
from oslogserve.sources import FULL_BODY, METADATA_ONLY, OpenOptions, WantedEntries
from oslogserve.sources.objects import service
from oslogserve.sources.swift import Swift as SwiftSource
from tests.faults.leaks import waiting
from tests.kit.packing import frame, frames
from tests.servers.client import ask, counted, ini, metric
from tests.servers.conf import write_conf
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import poll

CONTAINER = "test_swift"
LINE = b"2024-03-28 12:20:43.570 1 INFO nova.compute [-] A line like any other\n"
LOG = LINE * 40
ODD_NAMES = (
    *("a b.txt", "what?.txt", "C#.txt", "100%.txt", "a+b&c=d;e.txt", "%2e%2e.txt"),
    *("Grüße 日本語.txt", "back\\slash.txt", "new\nline.txt"),
)
MEGABYTE = 1024 * 1024
#: More than what is on its way to who reads no more.
LARGE = 32 * MEGABYTE


def serving(swift, container=CONTAINER, *, threads=8, root=None, **options):
    """The application in one worker, so that its figures are those of one process; what does not
    come back it gives up soon."""
    sections = {"swift": swift.settings(container) | {"resumes": "2"} | options}
    if root is not None:
        sections["disk"] = {"root": root}
    return Gunicorn(ini(sections), "--threads", str(threads))


@contextlib.contextmanager
def filling(swift, container):
    with contextlib.closing(swift.connection(retries=0)) as connection:
        connection.put_container(container)
        yield connection


@pytest.fixture(scope="module")
def put(swift):
    """put(name, content, **headers) in the container of these tests."""
    with filling(swift, CONTAINER) as connection:

        def put(name, content, container=CONTAINER, query=None, **headers):
            named = {key.replace("_", "-"): value for key, value in headers.items()}
            connection.put_container(container)
            return connection.put_object(
                container, name, content, headers=named, query_string=query
            )

        yield put


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("disk")


@pytest.fixture(scope="module")
def server(swift, put, root):
    with serving(swift, root=root, threads=24) as server:
        yield server


@pytest.fixture
def source(swift, put, tmp_path):
    """The source itself, in this process."""
    write_conf(tmp_path / "conf", {"swift": swift.settings(CONTAINER)})
    config = load(str(tmp_path / "conf"), {})
    with contextlib.closing(SwiftSource(config, Metrics())) as opened:
        yield opened


@pytest.fixture
def asked(swift):
    """What Swift's proxy was asked for objects and containers since the test began."""
    before = len(swift.requests())
    return lambda: [
        (request.method, request.path.partition("/v1/AUTH_test/")[2])
        for request in swift.requests()[before:]
        if request.path.startswith("/v1/")
    ]


# What is found


def test_log_in_swift_only(server, put):
    put("only/swift.txt", LOG)
    assert ask(server, "/only/swift.txt").body == LOG
    assert ask(server, "/only/swift.txt?source=swift").body == LOG
    assert ask(server, "/only/swift.txt?source=disk").status == 404


@pytest.mark.parametrize("lines", [1, MEGABYTE // len(LINE)])
def test_a_chapter_of_a_log_in_swift(server, put, lines):
    chapter = b"TASK [b] ***\n" + LINE
    put("chapter.txt.gz", gzip.compress(b"TASK [a] ***\n" + LINE * lines + chapter))
    assert ask(server, "/chapter.txt?chapter=b").body == chapter
    assert ask(server, "/chapter.txt?chapter=c").status == 400


def test_an_object_that_a_job_makes_larger_than_all_disks_hides_no_other_log(server, source, put):
    """A static large object may have another one as its segment, a thousand times."""
    put("huge/a.txt", LOG)
    put("huge/0.txt", b"x" * MEGABYTE)
    for level in range(1, 6):
        segments = [{"path": f"/{CONTAINER}/huge/{level - 1}.txt"}] * 1000
        put(f"huge/{level}.txt", json.dumps(segments), query="multipart-manifest=put")
    listed = json.loads(ask(server, "/huge/?format=json").body)
    sizes = {entry["name"]: entry["size"] for entry in listed["entries"]}
    assert (listed["complete"], sizes["a.txt"]) == (True, len(LOG))
    assert sizes["3.txt"] == MEGABYTE * 1000**3
    assert sizes["5.txt"] == service.LARGEST
    for options in (FULL_BODY, METADATA_ONLY):
        with pytest.raises(SourceError, match="no log is as large") as raised:
            source.open(b"huge/5.txt", options)
        assert not raised.value.is_outage


@pytest.mark.parametrize(
    "name", ["Content_Disposition", "Content_Encoding", "X_Object_Meta_Author"]
)
@pytest.mark.parametrize("view", ["", "format=text", "format=summary", "tail=1"])
def test_an_object_with_a_header_that_is_not_utf_8_is_read(server, put, name, view):
    put("latin.txt", LOG, **{name: b"Jos\xe9"})
    assert ask(server, f"/latin.txt?{view}").status == 200
    assert ask(server, f"/latin.txt?{view}", method="HEAD").status == 200


def test_disk_comes_first_unless_swift_is_named(server, put, root):
    (root / "both.txt").write_bytes(b"on disk\n")
    put("both.txt", b"in swift\n")
    assert ask(server, "/both.txt").body == b"on disk\n"
    assert ask(server, "/both.txt?source=disk").body == b"on disk\n"
    assert ask(server, "/both.txt?source=swift").body == b"in swift\n"


def compressed(content, wbits):
    packer = zlib.compressobj(wbits=wbits)
    return packer.compress(content) + packer.flush()


@pytest.mark.parametrize(
    ("stored_as", "content", "headers"),
    [
        ("plain.txt", LOG, {}),
        ("packed.txt.gz", gzip.compress(LOG), {}),
        ("gzip.txt", gzip.compress(LOG), {"Content_Encoding": "gzip"}),
        ("frame.txt.zst", frame(LOG), {}),
        ("zstd.txt", frame(LOG), {"Content_Encoding": "zstd"}),
        ("frames.txt.zst", frames(LOG, len(LOG) // 3), {}),
        ("zlib.txt", zlib.compress(LOG), {"Content_Encoding": "deflate"}),
        ("raw-deflate.txt", compressed(LOG, -15), {"Content_Encoding": "deflate"}),
        ("members.txt.gz", b"".join(map(gzip.compress, LOG.splitlines(True))), {}),
        ("belied.txt", LOG, {"Content_Encoding": "gzip"}),
        ("empty.txt", b"", {}),
    ],
)
def test_every_way_of_storing_gives_the_same_lines(server, put, stored_as, content, headers):
    put(f"ways/{stored_as}", content, **headers)
    name = plain_name(stored_as)
    expected = LOG if content else b""
    for path in {name, stored_as}:
        text = ask(server, f"/ways/{path}?format=text")
        assert (text.status, text.body) == (200, expected)
        page = ask(server, f"/ways/{path}?format=html").body
        assert page.count(b"A line like any other") == expected.count(b"\n")
        raw = ask(server, f"/ways/{path}?format=raw")
        assert raw.body == content
        assert "Content-Encoding" not in raw.headers


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["static", "dynamic"])
def test_large_object_reads_as_one_log(server, put, kind, packed):
    content = gzip.compress(LOG) if packed else LOG
    half = len(content) // 2
    parts = (content[:half], content[half:])
    name = f"large/{kind}.txt" + (".gz" if packed else "")
    prefix = f"segments/{kind}{packed}/"
    etags = [put(f"{prefix}{n}", part) for n, part in enumerate(parts)]
    if kind == "static":
        manifest = [
            {"path": f"/{CONTAINER}/{prefix}{n}", "etag": etag, "size_bytes": len(part)}
            for n, (etag, part) in enumerate(zip(etags, parts, strict=True))
        ]
        put(name, json.dumps(manifest), query="multipart-manifest=put")
    else:
        put(name, b"", X_Object_Manifest=f"{CONTAINER}/{prefix}")
    answer = ask(server, f"/{name}?format=text")
    assert answer.body == LOG
    assert answer.headers["ETag"]
    assert ask(server, f"/{name.removesuffix('.gz')}?format=text").body == LOG
    across = ask(server, f"/{name}?format=raw", Range=f"bytes={half - 5}-{half + 4}")
    assert (across.status, across.body) == (206, content[half - 5 : half + 5])


def test_a_large_object_may_be_of_parts_of_segments_nested_ones_and_inline_text(server, put):
    quarter = len(LOG) // 4

    def static(name, *rows):
        put(f"parts/{name}", json.dumps(rows), query="multipart-manifest=put")
        return {"path": f"/{CONTAINER}/parts/{name}"}

    put("parts/all", LOG)
    put("parts/%41 +/0", LOG)
    put("parts/dynamic.txt", b"", X_Object_Manifest=f"{CONTAINER}/{quote('parts/%41 +/')}")
    half = {"path": f"/{CONTAINER}/parts/all", "range": f"0-{2 * quarter - 1}"}
    third = {"path": f"/{CONTAINER}/parts/all", "range": f"{2 * quarter}-{3 * quarter - 1}"}
    inline = {"data": base64.b64encode(LOG[3 * quarter :]).decode()}
    static("static.txt", half, third, inline)
    nested = static("inner.txt", half, third)
    static("nested.txt", nested, third | {"range": f"{3 * quarter}-{len(LOG) - 1}"})
    begin, end = ({"range": one} for one in (f"0-{quarter - 1}", f"{quarter}-{3 * quarter - 1}"))
    static("of-nested.txt", nested | begin, nested | end, inline)
    for name in ("dynamic", "static", "nested", "of-nested"):
        answer = ask(server, f"/parts/{name}.txt?format=text")
        assert (name, answer.body) == (name, LOG)


def test_odd_names_are_found_and_listed_with_addresses_that_lead_to_them(server, put):
    for name in ODD_NAMES:
        put(f"odd list/{name}", name.encode() + b"\n")
        found = ask(server, "/" + quote(f"odd list/{name}") + "?format=text").body
        assert found == name.encode() + b"\n"
    listed = json.loads(ask(server, "/odd%20list/?format=json").body)["entries"]
    assert sorted(row["name"] for row in listed) == sorted(ODD_NAMES)
    page = ask(server, "/odd%20list/?format=html").body.decode()
    for name in ODD_NAMES:
        assert f'href="./{quote(name)}"' in page


@pytest.mark.parametrize("length", [1017, 1021, 1022, 1024, 1025, 2000])
def test_name_near_swifts_longest_is_found_or_missing(server, put, length):
    name = "n" * length
    assert ask(server, f"/{name}?source=swift").status == 404
    if length <= 1024:
        put(name, LOG)
        assert ask(server, f"/{name}?source=swift").body == LOG


def test_partitions_choose_the_container(swift, put):
    put("job/console.txt", LOG, container="logs_3f")
    put("job/console.txt", LINE, container="logs_periodic-weekly")
    put("job/console.txt", b"secret\n", container="private")
    with serving(swift, "logs_{partition}") as server:
        assert ask(server, "/3f/job/console.txt").body == LOG
        assert ask(server, "/periodic-weekly/job/console.txt").body == LINE
        for path in ("/4e/job/console.txt", "/private/job/console.txt", "/job/console.txt", "/3g/"):
            assert ask(server, path).status == 404
        listed = json.loads(ask(server, "/3f/job/?format=json").body)["entries"]
        assert [row["name"] for row in listed] == ["console.txt"]
        assert ask(server, "/3f").headers["Location"] == "./3f/"
        assert ask(server, "/readyz").status == 200


def test_partitions_may_be_narrowed(swift, put):
    for container in ("logs_3f", "logs_periodic-weekly"):
        put("job/console.txt", LOG, container=container)
    with serving(swift, "logs_{partition}", partitions="[0-9a-f]{2}") as server:
        assert ask(server, "/3f/job/console.txt").body == LOG
        assert ask(server, "/periodic-weekly/job/console.txt").status == 404


@pytest.mark.parametrize(
    "path",
    [
        *("/../private/key.txt", "/x/../../private/key.txt", "/%2e%2e/private/key.txt"),
        *("/x/%2E%2E/%2e%2e/private/key.txt", "/..%2fprivate/key.txt", "/./key.txt", "/x/.."),
        *("//private/key.txt", "/key.txt%00"),
    ],
)
def test_no_path_leads_to_another_container(server, put, asked, path):
    put("key.txt", b"the other container's\n", container="private")
    started = len(asked())
    for query in ("", "?source=swift", "?format=raw"):
        answer = ask(server, path + query)
        assert answer.status == 400
        assert b"other container" not in answer.body
    assert len(asked()) == started


def test_missing_log_and_missing_container_are_404(swift, server):
    answer = ask(server, "/no/such/log.txt")
    assert answer.status == 404
    assert b"expire" in answer.body
    with serving(swift, "no_such_container") as other:
        for path in ("/log.txt", "/folder/", "/"):
            assert ask(other, path).status == 404
        ready = ask(other, "/readyz")
        assert (ready.status, b"swift" in ready.body) == (503, True)


# Folders


def test_folder_redirects_and_shows_its_index(server, put):
    put("report/index.html", b"<!DOCTYPE html><title>Report</title>")
    answer = ask(server, "/report?source=swift")
    assert (answer.status, answer.headers["Location"]) == (301, "./report/?source=swift")
    answer = ask(server, "/report/", Accept="text/html")
    assert answer.body == b"<!DOCTYPE html><title>Report</title>"
    assert answer.headers["Content-Type"].startswith("text/html")


def test_objects_that_stand_for_folders_are_no_logs(server, put):
    put("zuul/dir", b"", Content_Type="application/directory")
    put("zuul/dir/log.txt", LOG)
    put("zuul/index.html", b"")
    assert ask(server, "/zuul/dir?source=swift").headers["Location"] == "./dir/?source=swift"
    assert ask(server, "/zuul/dir?format=text").status == 301
    rows = json.loads(ask(server, "/zuul/?format=json").body)["entries"]
    assert [row["name"] for row in rows] == ["dir/", "index.html"]
    assert b"dir/" in ask(server, "/zuul/", Accept="text/html").body


@pytest.mark.parametrize(
    ("pack", "encoding"), [(gzip.compress, "gzip"), (zlib.compress, "deflate")]
)
def test_packed_index_is_shown_as_the_page_it_is(server, put, pack, encoding):
    page = b"<!DOCTYPE html><title>Report</title>"
    put(f"{encoding} report/index.html", pack(page), Content_Encoding=encoding)
    answer = ask(server, f"/{encoding}%20report/", Accept="text/html")
    assert answer.body == page
    assert answer.headers["Content-Security-Policy"].startswith("sandbox")


_LONG = [pytest.param(page, marks=pytest.mark.long) for page in (1, 3, 7)]


@pytest.mark.parametrize("page", [2, *_LONG])
def test_listing_is_complete_across_pages(source, put, monkeypatch, page):
    names = [f"f{n:02}" for n in range(6)] + ["f02/a", "f02/b", "f02/c", "f02.x", "ü", "z/1", "z/2"]
    for name in names:
        put(f"paged/{name}", b"")
    monkeypatch.setattr(service, "PAGE", page)
    expected = sorted({name.encode().partition(b"/")[0] + b"/" * ("/" in name) for name in names})
    assert [entry.name for entry in source.entries(b"paged")] == expected


def test_listing_begins_at_a_name(source, put, monkeypatch):
    names = [b"f01", b"f02", b"f02.x", b"f02/", "ü".encode()]
    for name in names:
        put(f"begun/{name.decode()}" + "a" * name.endswith(b"/"), b"")
    monkeypatch.setattr(service, "PAGE", 2)
    for first in (*names, b"f02-", "ü".encode() + b"\xff", b"zz"):
        rest = source.entries(b"begun", WantedEntries(first))
        assert [entry.name for entry in rest] == [name for name in names if name >= first]
    assert source.entries(b"nowhere", WantedEntries(b"f02")) is None


def test_folder_markers_are_not_listed_as_nameless_entries(server, put):
    put("marked/", b"", Content_Type="application/directory")
    put("marked/log.txt", LOG)
    listed = json.loads(ask(server, "/marked/?format=json").body)["entries"]
    assert [row["name"] for row in listed] == ["log.txt"]


# How Swift is asked


@pytest.fixture(scope="module")
def keystone_log(keystone_swift):
    """It holds log.txt."""
    keystone_swift.put(CONTAINER, {"log.txt": LOG})
    return keystone_swift


def test_keystone_password_takes_one_token(keystone_log):
    keystone = keystone_log.keystone
    before = keystone.token_requests()
    # Swift has Keystone look at the new token once for each who brings it.
    patient = {"read_timeout": "50", "answer_timeout": "50"}
    with serving(keystone_log, threads=16, **patient) as server, ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: ask(server, "/log.txt"), range(8)))
    assert {(answer.status, answer.body) for answer in answers} == {(200, LOG)}
    assert keystone.token_requests() == before + 1


@pytest.mark.long
def test_keystone_takes_what_an_openrc_by_id_exports(keystone_log):
    keystone = keystone_log.keystone
    openrc = {
        "OS_AUTH_URL": keystone_log.auth_url,
        "OS_USERNAME": keystone.user,
        "OS_PASSWORD": keystone.password,
        "OS_PROJECT_ID": keystone.project_id,
        "OS_USER_DOMAIN_ID": "default",
        "OS_PROJECT_DOMAIN_ID": "default",
    }
    config = ini({"swift": {"container": CONTAINER}})
    with Gunicorn(config, env=openrc) as server:
        assert ask(server, "/log.txt").body == LOG


def test_keystone_application_credential(keystone_log):
    identity, secret = keystone_log.keystone.application_credential()
    settings = {
        "container": CONTAINER,
        "auth_url": keystone_log.auth_url,
        "application_credential_id": identity,
        "application_credential_secret": secret,
    }
    with Gunicorn(ini({"swift": settings})) as server:
        assert ask(server, "/log.txt").body == LOG


@pytest.fixture
def connects(monkeypatch):
    """Every TCP connection that this process makes."""
    from urllib3.connection import HTTPConnection

    made = []
    connect = HTTPConnection.connect

    def counting(self):
        made.append(self.port)
        return connect(self)

    monkeypatch.setattr(HTTPConnection, "connect", counting)
    return made


@pytest.mark.parametrize("size", [0, 10, 65536, 300_000])
def test_connection_is_used_again(source, put, connects, size):
    put("reused.txt", b"x" * size)
    connects.clear()  # whoever put it may have had to connect again
    for _ in range(3):
        log = source.open(b"reused.txt")
        assert sum(map(len, log)) == size
        log.close()
        assert source.open(b"not/there") is None
        source.check()
    assert len(connects) == 2  # the token's, and one


def test_logs_open_at_once_do_not_mix(source, put):
    for letter in b"abc":
        put(f"mixed/{letter}", bytes([letter]) * 400_000)
    logs = {letter: source.open(f"mixed/{letter}".encode()) for letter in b"abc"}
    chunks = {letter: iter(log) for letter, log in logs.items()}
    seen = dict.fromkeys(logs, b"")
    while chunks:
        for letter in list(chunks):
            chunk = next(chunks[letter], b"")
            seen[letter] += chunk
            if not chunk:
                del chunks[letter]
    for letter, log in logs.items():
        log.close()
        assert seen[letter] == bytes([letter]) * 400_000


def test_broken_off_log_leaves_no_connection_behind(source, put):
    put("broken-off.txt", b"first " * 500_000)
    put("next.txt", LOG)
    log = source.open(b"broken-off.txt")
    next(iter(log))
    log.close()
    following = source.open(b"next.txt")
    assert b"".join(following) == LOG
    following.close()


def test_refused_request_leaves_no_connection_to_the_garbage_collector(swift, source, put):
    put("refused.txt", LOG)
    before, _ = waiting(swift.ports["proxy"])
    gc.disable()
    try:
        for _ in range(20):
            with pytest.raises(SourceError, match="changed"):
                source.open(b"refused.txt", OpenOptions(byte_range=(0, 5), version="another"))
        poll(
            # Where the token came from, and one for later requests.
            lambda: waiting(swift.ports["proxy"])[0] <= before + 2,
            lambda: AssertionError(f"{waiting(swift.ports['proxy'])[0] - before} stay open"),
            5,
        )
    finally:
        gc.enable()


def test_unchanged_log_is_304_without_reading_the_object(server, put, asked):
    put("unchanged.txt", LOG)
    first = ask(server, "/unchanged.txt?source=swift")
    before = len(asked())
    for condition in (
        {"If_None_Match": first.headers["ETag"]},
        {"If_Modified_Since": first.headers["Last-Modified"]},
    ):
        answer = ask(server, "/unchanged.txt?source=swift", **condition)
        assert (answer.status, answer.body) == (304, b"")
    assert asked()[before:] == [("HEAD", f"{CONTAINER}/unchanged.txt")] * 2
    put("unchanged.txt", LOG + LINE)
    again = ask(server, "/unchanged.txt", If_None_Match=first.headers["ETag"])
    assert (again.status, again.body) == (200, LOG + LINE)


@pytest.mark.parametrize("view", ["html", "text"])
def test_head_of_a_view_does_not_read_the_object(server, put, asked, view):
    put("head.txt", LOG)
    whole = ask(server, f"/head.txt?format={view}")
    before = len(asked())
    answer = ask(server, f"/head.txt?format={view}", method="HEAD")
    assert (answer.status, answer.body) == (200, b"")
    for name in ("ETag", "Last-Modified", "Content-Type"):
        assert answer.headers[name] == whole.headers[name]
    assert asked()[before:] == [("HEAD", f"{CONTAINER}/head.txt")]


# Trouble


def test_swift_down_is_503_while_the_disk_answers(fragile_swift, tmp_path):
    root = tmp_path / "logs"
    root.mkdir()
    (root / "disk.txt").write_bytes(LOG)
    fragile_swift.put("logs", {"swift.txt": LOG})
    with serving(fragile_swift, "logs", root=root) as server:
        assert ask(server, "/swift.txt").body == LOG
        assert ask(server, "/readyz").status == 200
        fragile_swift.kill("proxy")
        for path in ("/swift.txt", "/missing.txt", "/disk.txt?source=swift", "/folder/"):
            answer = ask(server, path)
            assert answer.status == 503
            assert int(answer.headers["Retry-After"]) > 0
            assert b"swift" in answer.body
        assert ask(server, "/disk.txt").body == LOG
        assert ask(server, "/missing.txt?source=disk").status == 404
        listing = json.loads(ask(server, "/?format=json").body)
        assert [row["name"] for row in listing["entries"]] == ["disk.txt"]
        assert listing["complete"] is False
        assert "swift" in listing["reason"]
        ready = ask(server, "/readyz")
        assert ready.status == 503
        assert b"disk: ok" in ready.body
        assert b"swift: ok" not in ready.body
        assert ask(server, "/healthz").status == 200
        fragile_swift.start("proxy")
        assert ask(server, "/readyz").status == 200  # it asks in any case, so it is seen at once
        assert ask(server, "/swift.txt").body == LOG
        counted(server, 1, "oslogserve_requests_in_progress")  # the look at it


@pytest.mark.long
def test_missing_log_is_not_denied_while_a_server_of_swift_is_down(fragile_swift):
    """Some of what Swift says then is 404."""
    fragile_swift.put("logs", {"folder/log.txt": LOG})
    with serving(fragile_swift, "logs") as server:
        for server_down in ("object", "container", "account"):
            assert ask(server, "/missing.txt").status == 404
            fragile_swift.kill(server_down)
            paths = ["/missing.txt", "/folder", *["/missing/"] * (server_down != "object")]
            assert [ask(server, path).status for path in paths] == [503] * len(paths)
            fragile_swift.start(server_down)
        assert ask(server, "/missing.txt").status == 404


def test_large_object_with_a_lost_segment_says_so(server, put, swift):
    etags = [put(f"lost/{n}", LOG * 2000) for n in range(2)]
    manifest = [
        {"path": f"/{CONTAINER}/lost/{n}", "etag": etag, "size_bytes": len(LOG) * 2000}
        for n, etag in enumerate(etags)
    ]
    put("lost.txt", json.dumps(manifest), query="multipart-manifest=put")
    with contextlib.closing(swift.connection()) as connection:
        connection.delete_object(CONTAINER, "lost/1")
    answer = ask(server, "/lost.txt?format=text")
    assert answer.status == 200
    assert answer.body.startswith(LOG * 2000)
    assert b"oslogserve: this log is incomplete here" in answer.body[-300:]


def test_large_object_without_its_first_segment_takes_no_other_log_with_it(swift, server, put):
    """Swift says 409, whatever its health."""
    put("after.txt", LOG)
    path = f"/{CONTAINER}/first/0"
    manifest = [{"path": path, "etag": put("first/0", LOG), "size_bytes": len(LOG)}]
    put("first.txt", json.dumps(manifest), query="multipart-manifest=put")
    with contextlib.closing(swift.connection()) as connection:
        connection.delete_object(CONTAINER, "first/0")
    started = time.monotonic()
    while time.monotonic() < started + 1.5:
        assert ask(server, "/first.txt").status == 503
    assert metric(server, "oslogserve_source_available", source="swift") == 1
    assert ask(server, "/after.txt").body == LOG


@pytest.mark.long
def test_wrong_region_is_503_and_named(keystone_swift):
    with serving(keystone_swift, region_name="Nowhere") as server:
        answer = ask(server, "/log.txt")
        assert answer.status == 503
        assert b"swift: the catalog has no such object-store endpoint" in answer.body
