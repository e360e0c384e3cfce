# SPDX-License-Identifier: Apache-2.0
"""`oslogserve upload` to a server that answers like S3, and what is served out of that."""

import gzip
import os
import random
import signal
import subprocess
from urllib.parse import quote

import pytest

from tests.servers.client import ask, ini
from tests.servers.faulty import PASS, Fault
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import as_installed, poll
from tests.servers.s3 import ENVIRONMENT, S3
from tests.servers.uploads import LINE, command, console, job, upload

#: The least bytes of a part that S3 takes.
PART = 5 * 2**20


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    with S3(tmp_path_factory.mktemp("s3"), faulty=True) as s3:
        s3.client.create_bucket(Bucket="logs")
        yield s3


@pytest.fixture(scope="module")
def config(s3, tmp_path_factory):
    path = tmp_path_factory.mktemp("config") / "site.conf"
    path.write_text(ini({"store": s3.settings("logs/zuul"), "serve": {"dot_files": "yes"}}))
    return path


@pytest.fixture(autouse=True)
def no_fault(s3):
    yield
    s3.faulty.behave(PASS)


def stored(s3, prefix):
    """The bytes of all objects below a prefix, by their paths."""
    rows = s3.client.list_objects_v2(Bucket="logs", Prefix=f"zuul/{prefix}/").get("Contents", [])
    found = {}
    for row in rows:
        answer = s3.client.get_object(Bucket="logs", Key=row["Key"])
        body = answer["Body"].read()
        is_gzip = answer.get("ContentEncoding") == "gzip"
        name = row["Key"].removeprefix(f"zuul/{prefix}/")
        found[name] = gzip.decompress(body) if is_gzip else body
    return found


def unfinished(s3):
    return s3.client.list_multipart_uploads(Bucket="logs").get("Uploads", [])


def test_a_job_is_served_as_it_was_on_disk(s3, config, tmp_path):
    files = job(tmp_path)
    del files["with\nnewline.txt"]  # moto's server has no such name
    (tmp_path / "with\nnewline.txt").unlink()
    arguments = tmp_path, "--prefix", "42/7"
    done = upload(*arguments, config=config, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"%d uploaded (" % len(files))
    with Gunicorn(config.read_text(), env=ENVIRONMENT) as server:
        for name, content in files.items():
            answer = ask(server, f"/42/7/{quote(name)}", Accept="text/plain")
            assert (name, answer.status) == (name, 200)
            if not name.endswith((".gz", ".zst")):
                assert answer.body == content, name
    heads = {name: s3.client.head_object(Bucket="logs", Key=f"zuul/42/7/{name}") for name in files}
    types = {name: head["ContentType"] for name, head in heads.items()}
    assert types["job-output.txt"] == types["empty.txt"] == "text/plain; charset=utf-8"
    assert (types["screen.png"], types["old.log.gz"]) == ("image/png", "application/gzip")
    assert heads["job-output.txt"]["ContentEncoding"] == "gzip"
    again = upload(*arguments, config=config, env=ENVIRONMENT)
    assert again.stdout.startswith(b"0 uploaded (0 B, 0 B as stored), %d there" % len(files))


def test_killed_and_run_again_a_large_file_goes_on_where_it_was(s3, config, tmp_path):
    content = os.urandom(3 * PART + 77)
    (tmp_path / "core.bin").write_bytes(content)
    arguments = "--prefix", "large", "--segment-size", "5M", "--parallel", "1"
    line = command(tmp_path, *arguments, config=config)
    s3.faulty.behave(Fault(after=0, then="hold", only=b"partNumber=3"))
    with subprocess.Popen(line, env=as_installed(**ENVIRONMENT), stdout=subprocess.PIPE) as child:
        poll(lambda: s3.faulty.struck, lambda: AssertionError("no third part comes"), 20)
        child.kill()
        assert child.wait(20) == -signal.SIGKILL
    s3.faulty.behave(PASS)
    [begun] = unfinished(s3)
    assert begun["Key"] == "zuul/large/core.bin"
    assert stored(s3, "large") == {}
    done = upload(tmp_path, *arguments, config=config, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, b"")
    assert stored(s3, "large") == {"core.bin": content}
    assert unfinished(s3) == []
    head = s3.client.head_object(Bucket="logs", Key="zuul/large/core.bin")
    assert head["ETag"].endswith('-4"')
    again = upload(tmp_path, *arguments, config=config, env=ENVIRONMENT)
    assert again.stdout.startswith(b"0 uploaded (0 B, 0 B as stored), 1 there")
    sent = sum(b"partNumber=" in line for line in (s3.root / "s3.log").read_bytes().split(b"\n"))
    assert sent == 4  # the answer to the third one was lost, and no part is sent twice


def test_a_console_is_seen_to_grow_and_arrives_whole(s3, config, tmp_path):
    def growing(size):
        seen = lambda: (body := stored(s3, "job").get("job-output.txt", b""))[:size] and body
        return poll(
            lambda: len(seen() or b"") >= size and seen(), lambda: AssertionError("no lines"), 20
        )

    with console(tmp_path, config, env=ENVIRONMENT) as running:
        running.write(range(10))
        assert growing(len(running.written)) == running.written
        s3.faulty.behave(Fault(after=0, then="close", only=b"PUT /logs", times=3))
        running.write(range(10, 5000))
        assert running.written.startswith(growing(60_000))
        status, out, _ = running.end()
    assert status == 0
    assert out.startswith(b"1 uploaded (")
    assert stored(s3, "job") == {"job-output.txt": running.written}
    assert running.written.startswith(b"0 " + LINE)


@pytest.mark.long
def test_killed_at_random_moments_and_run_again_every_file_is_there_once(s3, config, tmp_path):
    files = job(tmp_path) | {"large.bin": os.urandom(2 * PART + 77)}
    del files["with\nnewline.txt"]
    (tmp_path / "with\nnewline.txt").unlink()
    (tmp_path / "large.bin").write_bytes(files["large.bin"])
    arguments = "--prefix", "killed", "--segment-size", "5M", "--parallel", "4"
    line = command(tmp_path, *arguments, config=config)
    chance = random.Random(20130927)
    kills = 0
    while kills < 6:
        with subprocess.Popen(
            line, env=as_installed(**ENVIRONMENT), stdout=subprocess.PIPE
        ) as child:
            s3.faulty.at_byte(chance.randrange(4_000_000), child.kill)
            if child.wait(60) != -signal.SIGKILL:
                break
        kills += 1
        seen = stored(s3, "killed")
        assert seen == {name: files[name] for name in seen}
    assert kills > 1
    done = upload(tmp_path, *arguments, config=config, env=ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, b"")
    assert stored(s3, "killed") == files
    assert unfinished(s3) == []
