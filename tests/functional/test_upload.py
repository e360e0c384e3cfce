# SPDX-License-Identifier: Apache-2.0
"""`oslogserve upload`, as a job runs it, into a real Swift, and what is served out of that."""

import contextlib
import gzip
import random
import shlex
import signal
import subprocess
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.servers.client import ask, ini
from tests.servers.faulty import PASS, Fault
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import as_installed, poll
from tests.servers.swift import Swift
from tests.servers.uploads import LINE, SEGMENT, command, console, job, upload


def config_of(swift, folder, container="logs"):
    path = folder / f"{container}.conf"
    settings = swift.settings() | {"container": container}
    path.write_text(ini({"swift": settings, "serve": {"dot_files": "yes"}}))
    return path


def stored(connection, container, prefix):
    """The bytes of the files below a prefix, by their paths, in the order of the listing."""
    found = []
    for row in connection.get_container(container, prefix=f"{prefix}/", full_listing=True)[1]:
        headers, body = connection.get_object(container, row["name"])
        is_gzip = headers.get("content-encoding") == "gzip"
        name = row["name"].removeprefix(f"{prefix}/")
        found.append((name, gzip.decompress(body) if is_gzip else body))
    return found


@pytest.fixture(scope="module")
def swift(tmp_path_factory):
    with Swift(tmp_path_factory.mktemp("upload-swift"), faulty=True) as swift:
        yield swift


@pytest.fixture(autouse=True)
def no_fault(swift):
    yield
    swift.faulty.accept()
    swift.faulty.behave(PASS)


@pytest.fixture
def connection(swift):
    with contextlib.closing(swift.connection()) as connection:
        yield connection


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("job")
    return folder, job(folder)


def test_a_job_is_served_as_it_was_on_disk(swift, connection, logs, tmp_path):
    folder, files = logs
    config = config_of(swift, tmp_path, "plain")
    arguments = folder, "--prefix", "42/7", "--segment-size", SEGMENT, "--expire", "30d"
    done = upload(*arguments, config=config)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"%d uploaded (" % len(files))
    objects = [request.method for request in swift.requests() if "/plain/42" in request.path]
    assert objects == ["PUT"] * len(files)  # a listing shows that none of them is there
    with Gunicorn(config.read_text()) as server:
        for name, content in files.items():
            answer = ask(server, f"/42/7/{quote(name)}", Accept="text/plain")
            assert (name, answer.status) == (name, 200)
            is_packed = name.endswith((".gz", ".zst"))
            expected = LINE * 50 if is_packed else content
            assert answer.body == expected, name
    heads = {name: connection.head_object("plain", f"42/7/{name}") for name in files}
    assert all("x-delete-at" in head for head in heads.values())
    types = {name: head["content-type"] for name, head in heads.items()}
    assert types["job-output.txt"] == types["empty.txt"] == "text/plain; charset=utf-8"
    assert types["report.html"] == "text/html; charset=utf-8"
    assert types["result.json"] == "application/json"
    assert (types["screen.png"], types["old.log.gz"]) == ("image/png", "application/gzip")
    assert types["older.log.zst"] == "application/zstd"
    packed = {name for name, head in heads.items() if head.get("content-encoding") == "gzip"}
    assert {"job-output.txt", "report.html"} <= packed
    assert not packed & {
        "result.json",
        "old.log.gz",
        "older.log.zst",
        "core.bin",
        "screen.png",
        "empty.txt",
    }
    segments = connection.get_container("plain_segments")[1]
    assert len(segments) == 6
    last = connection.head_object("plain_segments", segments[-1]["name"])
    assert int(last["x-delete-at"]) > int(heads["core.bin"]["x-delete-at"])

    again = upload(*arguments, config=config)
    assert again.stdout.startswith(b"0 uploaded (0 B, 0 B as stored), %d there" % len(files))
    puts = [request for request in swift.requests() if request.method == "PUT"]
    assert len(puts) == 2 + len(files) + len(segments)


@pytest.mark.long
def test_killed_at_ten_random_moments_and_run_again_every_file_is_there_once(
    swift, connection, logs, tmp_path
):
    folder, files = logs
    config = config_of(swift, tmp_path, "killed")
    arguments = "--segment-size", SEGMENT, "--parallel", "4"
    chance = random.Random(20130927)
    kills = number = 0
    while kills < 10:
        prefix = f"round-{number}"
        number += 1
        line = command(folder, "--prefix", prefix, *arguments, config=config)
        status = -signal.SIGKILL
        while kills < 10 and status == -signal.SIGKILL:  # as long as there is something left to do
            with subprocess.Popen(line, env=as_installed(), stdout=subprocess.PIPE) as child:
                swift.faulty.at_byte(chance.randrange(300_000), child.kill)
                status = child.wait(60)
            kills += status == -signal.SIGKILL
        done = upload(folder, "--prefix", prefix, *arguments, config=config)
        assert (done.returncode, done.stderr) == (0, b"")
        assert stored(connection, "killed", prefix) == sorted(files.items())
        segments = connection.get_container("killed_segments", prefix=f"{prefix}/")[1]
        assert len(segments) == 6


@pytest.mark.long
def test_a_masked_job_is_served_without_its_secrets(swift, connection, tmp_path):
    folder, mask = tmp_path / "job", tmp_path / "mask"
    folder.mkdir()
    mask.write_bytes(b"correct horse\n")
    line = b"the password is correct horse, twice: correct horse\n"
    (folder / "a.txt").write_bytes(LINE * 5000 + line)
    (folder / "b.log.gz").write_bytes(gzip.compress(line * 3))
    (folder / "c.png").write_bytes(b"\x89PNG\r\n\x1a\n" + line)
    config = config_of(swift, tmp_path, "masked")
    words = folder, "--prefix", "42/7", "--segment-size", SEGMENT, "--no-gzip"
    upload(*words, config=config)
    done = upload(*words, "--mask", mask, config=config)
    assert done.returncode == 1
    assert done.stdout.startswith(b"Masked 8 times: value 1 (8)\n2 uploaded (")
    assert done.stderr.startswith(b"oslogserve: c.png: not uploaded: it has value 1, and it is no")
    masked = line.replace(b"correct horse", b"***")
    with Gunicorn(config.read_text()) as server:
        texts = [ask(server, f"/42/7/{name}?format=text").body for name in ("a.txt", "b.log.gz")]
        assert texts == [LINE * 5000 + masked, masked * 3]
    segments = connection.get_container("masked_segments", prefix="42/7/a.txt")[1]
    assert len(segments) == 2  # those of the text that was not masked are gone
    console = upload("-", "--mask", mask, config=config, input=line)
    assert console.stdout.startswith(b"Masked 2 times: value 1 (2)\n")
    assert connection.get_object("masked", "job-output.txt")[1] == masked


def test_credentials_of_the_environment_and_a_container_for_each_partition(swift, tmp_path):
    folder = tmp_path / "job"
    folder.mkdir()
    (folder / "a.txt").write_bytes(LINE * 100)
    config = tmp_path / "site.conf"
    config.write_text(ini({"swift": {"auth_version": 1}}))
    env = {"OS_AUTH_URL": swift.auth_url, "OS_USERNAME": swift.user, "OS_PASSWORD": swift.key}
    container = "--container", "logs_{partition}"
    done = upload(folder, "--prefix", "/42/7/", *container, config=config, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    with Gunicorn(ini({"swift": swift.settings("logs_{partition}")})) as server:
        assert ask(server, "/42/7/a.txt").body == LINE * 100
    done = upload(folder, *container, config=config, env=env)
    assert done.returncode == 1
    assert b"a.txt: not uploaded: Swift has no such name: its first segment" in done.stderr


def growing(connection, container, size):
    """Waits until readers see so many bytes, and returns them."""

    def seen():
        with contextlib.suppress(Exception):
            headers, body = connection.get_object(container, "job/job-output.txt")
            return len(body) >= size and (headers, body)

    return poll(seen, lambda: AssertionError("readers do not see the console grow"), 30)


def test_a_console_of_10000_lines_arrives_whole_and_is_seen_to_grow(swift, connection, tmp_path):
    config = config_of(swift, tmp_path, "console")
    with console(tmp_path, config) as job:
        job.write(range(10))
        headers, body = growing(connection, "console", len(job.written))
        assert (body, "x-static-large-object" in headers) == (job.written, True)
        swift.faulty.behave(Fault(after=0, then="close", only=b"PUT /v1", times=3))
        job.write(range(10, 5000))
        assert job.written.startswith(growing(connection, "console", 60_000)[1])
        job.child.terminate()  # its job is ended too, and has some more to say
        job.write(range(5000, 10_000))
        status, out, _ = job.end()
    assert status == 0
    assert out.startswith(b"1 uploaded (")
    assert stored(connection, "console", "job") == [("job-output.txt", job.written)]
    assert connection.get_container("console_segments")[1] == []
    assert list(job.keep.iterdir()) == []
    with Gunicorn(config.read_text()) as server:
        assert ask(server, "/job/job-output.txt").body == job.written


def test_an_open_page_shows_the_new_lines_of_a_console(swift, connection, chromium, tmp_path):
    config = config_of(swift, tmp_path, "followed")
    with console(tmp_path, config) as job, Gunicorn(config.read_text()) as server:
        job.write(range(1, 11))
        growing(connection, "followed", len(job.written))
        page = chromium.new_page()
        page.clock.install()
        page.goto(f"{server.url}/job/job-output.txt")
        expect(page.locator("#L10")).to_be_attached()
        expect(page.get_by_role("switch", name="follow")).to_be_checked()
        job.write(range(11, 21))
        growing(connection, "followed", len(job.written))
        page.clock.fast_forward(6000)
        expect(page.locator("#L20")).to_contain_text("20 ")
        assert page.locator("#log [id]").count() == 20
        page.close()
        assert job.end()[0] == 0


def test_a_console_that_swift_does_not_take_is_kept_and_told(swift, connection, tmp_path):
    config = config_of(swift, tmp_path, "kept")
    swift.faulty.refuse()
    with console(tmp_path, config, "--patience", "0.5") as job:
        job.write(range(1000))
        status, _, err = job.end()
    assert status == 1
    told = err.decode().splitlines()
    (kept,) = job.keep.glob("*/job-output.txt")
    assert kept.read_bytes() == job.written
    assert str(kept) in told[-1]
    swift.faulty.accept()
    again = shlex.split(told[-1].partition("by: ")[2])
    assert upload(*again[2:], config=config).returncode == 0
    assert stored(connection, "kept", "job") == [("job-output.txt", job.written)]


def test_a_console_whose_upload_is_killed_is_kept(swift, connection, tmp_path):
    config = config_of(swift, tmp_path, "gone")
    with console(tmp_path, config) as job:
        job.write(range(300))
        growing(connection, "gone", len(job.written))
        job.child.kill()
    (kept,) = job.keep.glob("*/job-output.txt")
    assert kept.read_bytes() == job.written
    assert upload(kept.parent, "--prefix", "job", config=config).returncode == 0
    assert stored(connection, "gone", "job") == [("job-output.txt", job.written)]
    assert connection.get_container("gone_segments")[1] == []


@pytest.mark.long
def test_a_run_that_passed_renews_the_pointer_that_others_are_compared_with(swift, tmp_path):
    config = config_of(swift, tmp_path)
    console = b"+ make all\ntests passed\n"
    for run, text in (
        ("40", b"of old\n"),
        ("41", console),
        ("42", console + b"No Rakefile found\n"),
    ):
        (tmp_path / run).mkdir()
        (tmp_path / run / "console.log").write_bytes(text)
        passed = () if run == "42" else ("--passed", "unit")
        done = upload(tmp_path / run, "--prefix", f"check/{run}", *passed, config=config)
        assert done.returncode == 0, done.stderr
    refused = upload(tmp_path / "42", "--passed", "unit", config=config)
    assert (refused.returncode, b"give a name without slashes" in refused.stderr) == (2, True)
    with Gunicorn(config.read_text()) as server:
        found = ask(server, "/check/42/console.log?against=@unit&new=only")
        assert found.body == b"No Rakefile found\n"
        assert (
            ask(server, "/check/42/console.log?against=check/40/console.log&new=only").body
            != found.body
        )
