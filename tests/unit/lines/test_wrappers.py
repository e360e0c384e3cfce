# SPDX-License-Identifier: Apache-2.0
"""What programs write around the lines of others: the text of the inner line is read as a line by itself."""

import json

import pytest

from oslogserve.native import LIMITS
from tests.kit.renderers import anchor_of, seen_in
from tests.reference import recognise
from tests.reference.grammar import RANKS

T = "2025-09-14T08:12:00"
TEST = b"--- FAIL: TestLease (0.10s)"
MESSAGE = b"lease_test.go:12: got 299, want 300"


def before(text, time=""):
    return lambda line: text.encode() + line, time.encode()


def member(name, time="", /, **others):
    """An object of JSON with the line as this member."""
    return lambda line: json.dumps({name: line.decode() + "\n"} | others).encode(), time.encode()


def nested(outer, inner):
    return lambda line: outer[0](inner[0](line)), outer[1] or inner[1]


DOCKER = member("log", f"{T}.123456789Z", stream="stderr", time=f"{T}.123456789Z")
CRI = before(f"{T}.000000000Z stdout F ", f"{T}.000000000Z")
#: By name: the line in it, and its time.
WRAPPERS = {
    "docker": DOCKER,
    "docker_of_a_record": nested(DOCKER, member("msg", logger="a")),
    "docker_of_cri": nested(member("log"), CRI),
    "ecs": member("log", container_name="api", source="stdout"),
    "go_test": member("Output", f"{T}Z", Time=f"{T}Z", Action="output", Package="e/a"),
    "journal": member("MESSAGE", PRIORITY="6", _PID="1"),
    "journal_of_cri": nested(member("MESSAGE", PRIORITY="6"), CRI),
    "cloud_logging": member("textPayload", f"{T}Z", timestamp=f"{T}Z"),
    "structlog": member("event", f"{T}Z", timestamp=f"{T}Z"),
    "bunyan": member("msg", f"{T}Z", name="a", line=12, time=f"{T}Z", v=0),
    "serilog": member("@m", f"{T}Z", **{"@t": f"{T}Z"}),
    "cri": CRI,
    "gitlab": before(f"{T}.000000Z 00O ", f"{T}.000000Z"),
    "gitlab_goes_on": before(f"{T}.000000Z 01E+", f"{T}.000000Z"),
    "kubectl": before("[pod/api-7d9f-x2/api] "),
    "kubectl_with_time": before(f"[pod/api-7d9f-x2/api] {T}Z ", f"{T}Z"),
    "compose": before("api-1     | "),
    "compose_1": before("api_1  | "),
    "compose_with_time": before(f"api-1  | {T}Z ", f"{T}Z"),
    "buildkite": before("\x1b_bk;t=1757837520000\x07", "1757837520000"),
    "mozharness": before(f"[task {T}.000Z] 08:12:00     INFO - ", f"{T}.000Z"),
    "mozharness_alone": before("08:12:00     INFO - ", "08:12:00"),
    "teamcity_server": before("[08:12:00]   ", "08:12:00"),
    "buildkit": before("#12 0.345 "),
    "turborepo": before("@acme/web:test: "),
    "turborepo_without_scope": before("web:build: "),
    "pnpm": before("packages/web test: "),
    "pnpm_install": before("apps/web prepare$ "),
    "lerna": before("@acme/web: "),
    "act": before("[CI/build]   | "),
    "drone": before("[test:L12:34s] "),
    "tekton": before("[build : compile] "),
    "earthly": before("               +test | "),
    "dagger": before("42: [3.4s] | "),
    "mpirun": before("[1,0]<stderr>:"),
    "torchrun": before("[rank0]: "),
    "ray": before("(train pid=1234, ip=10.0.0.1) "),
    "fabric": before("[web1.example.org] out: "),
    "vagrant": before("==> default: "),
    "terraform": before("aws_instance.web (remote-exec): "),
    "loki": before(f'{T}Z {{app="a", pod="b"}} ', f"{T}Z"),
    "github": before(f"{T}.1234567Z ", f"{T}.1234567Z"),
    "jenkins": before("\x1b[8mha:////4DsC=\x1b[0m"),
    "jenkins_with_time": before(f"[{T}.123Z] ", f"{T}.123Z"),
}


@pytest.mark.parametrize("name", WRAPPERS)
@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (TEST, b"ERROR"),
        (b"Traceback (most recent call last):", b"ERROR"),
        (b"WARNING: low space", b"WARNING"),
        (b"all is well", b""),
    ],
)
def test_a_line_in_a_wrapper_has_its_own_level_and_the_time_of_both(name, text, severity):
    wrap, time = WRAPPERS[name]
    seen = seen_in(wrap(text))
    assert (seen.anchor, seen.severity.replace(b"INFO", b"")) == (anchor_of(time), severity)
    by_reference = recognise.seen_in(wrap(text))
    assert anchor_of(by_reference.time) == seen.anchor
    assert RANKS.get(seen.severity.decode(), 0) == by_reference.rank


@pytest.mark.parametrize("name", WRAPPERS)
def test_the_cause_is_what_the_lines_in_a_wrapper_say(name, cause_of):
    wrap, _ = WRAPPERS[name]
    cause = cause_of(*map(wrap, [b"starts", b"    " + MESSAGE, TEST, b"goes on"]))
    assert (cause["line"], cause["why"]) == (2, "test")
    assert cause["told"][:2] == [MESSAGE.decode(), TEST.decode()]


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        (b'{"level":"info","msg":"2024-03-04 05:06:07 ERROR a"}', b"INFO"),
        (b'{"PRIORITY":"4","MESSAGE":"a"}', b"WARNING"),
        (b'{"PRIORITY":"6","MESSAGE":"ERROR: a"}', b"ERROR"),
        (b'{"text":"a","record":{"level":{"name":"ERROR","no":40}}}', b"ERROR"),
        (b'{"Action":"fail","Package":"a"}', b"ERROR"),
        (b'{"Action":"pass","Package":"a"}', b""),
        (b'{"log":"\\u001b[31mERROR\\u001b[0m: a\\n"}', b"ERROR"),
        (b'{"log":"\\n\\nERROR: a\\nb"}', b"ERROR"),
        (b'{"log":"a\\nERROR: b"}', b""),
        (b'{"log":"\\ud83d\\ude00 ERROR: a"}', b"ERROR"),
        (b'{"log":"ERROR: what is cut', b"ERROR"),
        (b'{"log":"ERROR: what is cut\\', b"ERROR"),
        (b'{"log":"ERROR: \\u12', b"ERROR"),
        (b'{"log":', b""),
    ],
)
def test_what_an_object_says_and_what_it_quotes(line, severity):
    assert seen_in(line).severity == severity


def test_wrappers_are_read_up_to_a_depth():
    line = b"ERROR: a"
    for _ in range(LIMITS["head.MOST_NESTED"]):
        line = json.dumps({"log": line.decode()}).encode()
    assert seen_in(line).severity == b"ERROR"
    assert seen_in(json.dumps({"log": line.decode()}).encode()).severity == b""
