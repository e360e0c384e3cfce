# SPDX-License-Identifier: Apache-2.0
import time

import pytest

from oslogserve.ci.build import MOST_OF_INVENTORY, Build, build_of

INVENTORY = b"""all:
  children:
    compute:
      hosts: {node-1: null}
  hosts:
    node-1:
      ansible_host: 203.0.113.5
      nodepool:
        label: ubuntu-jammy-8gb
    node-2:
      ansible_host: 203.0.113.6
  vars:
    zuul:
      _inheritance_path:
      - '<Job nova-tox>'
      branch: !unsafe stable/2026.1
      change: '123442'
      change_url: https://review.example.org/c/nova/+/123442
      items:
      - {branch: other, change: '9'}
      job: nova-tox
      patchset: '7'
      pipeline: check
      project:
        canonical_name: example.org/openstack/nova
        name: openstack/nova
      projects:
        x: {branch: other}
"""


def of_zuul(yaml):
    return build_of(b"all: {vars: {zuul: {%b}}}" % yaml)


def test_an_inventory_of_zuul_names_the_build():
    assert build_of(INVENTORY) == Build(
        project="example.org/openstack/nova",
        change="123442,7",
        change_url="https://review.example.org/c/nova/+/123442",
        branch="stable/2026.1",
        pipeline="check",
        job="nova-tox",
        nodes="node-1 (ubuntu-jammy-8gb), node-2",
        host="example.org",
    )


@pytest.mark.parametrize(
    ("yaml", "commit"),
    [
        (b"patchset: '7'", ""),
        (
            b"patchset: 0123456789abcdef0123456789abcdef01234567",
            "0123456789abcdef" * 2 + "01234567",
        ),
        (b"newrev: abcdef0, patchset: '7'", "abcdef0"),
        (b"newrev: abcdef0, commit_id: 'fedcba9'", "fedcba9"),
        (b"commit_id: ../../x", ""),
    ],
)
def test_an_inventory_of_zuul_names_the_commit(yaml, commit):
    assert of_zuul(yaml).commit == commit


@pytest.mark.parametrize(
    ("yaml", "repository"),
    [
        (b"name: a/b", "a/b"),
        (b"canonical_name: git.org/a/b, name: a/b", "a/b"),
        (b"canonical_name: git.org/a/b", "git.org/a/b"),
        (b"canonical_name: a/b, name: a/b", "a/b"),
    ],
)
def test_a_repository_is_the_project_without_its_host(yaml, repository):
    assert of_zuul(b"project: {%b}" % yaml).repository == repository


@pytest.mark.parametrize(
    "inventory",
    [
        b"",
        b"x",
        b"all",
        b"- all",
        b"all: []",
        b"all: {vars: {zuul: x}}",
        b"\0",
        b"\xff\xfe\xff",
        b"{",
    ],
)
def test_what_is_no_inventory_of_zuul_names_nothing(inventory):
    assert build_of(inventory) == Build()


def test_what_is_before_a_damage_is_named():
    assert build_of(INVENTORY.partition(b"pipeline")[0] + b"\t: {").job == "nova-tox"


@pytest.mark.parametrize("value", [b"null", b"~", b"''", b"[master]", b"{a: b}", b"*alias"])
def test_an_absent_value_is_not_invented(value):
    assert of_zuul(
        b"change: %b, patchset: '1', change_url: 'https://a.b/', x: &alias y" % value
    ) == (Build())


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "//a.b/", "https:", "http://[", "data:x", "https://" + "a" * 3000],
)
def test_only_a_url_of_the_web_is_a_link(url):
    assert of_zuul(b"change: '1', change_url: '%b'" % url.encode()) == Build(change="1")


def test_values_and_nodes_are_bounded():
    build = of_zuul(b"branch: %b" % (b"x" * 100_000))
    assert build.branch == "x" * 200
    nodes = b", ".join(b"n%d: {nodepool: {label: %b}}" % (n, b"y" * 999) for n in range(50))
    found = build_of(b"all: {hosts: {%b}}" % nodes).nodes
    assert found.endswith(" and others")
    assert len(found) < 1100


@pytest.mark.parametrize(
    "piece",
    [
        b"[",
        b"{",
        b"- ",
        b"? ",
        b"a: ",
        b"- - x\n",
        b"&a [*a]\n",
        b'"',
        b"!",
        b"x: 1\n",
        b"[],",
        b"%",
    ],
)
def test_a_hostile_inventory_takes_little_time(piece):
    inventory = piece * (MOST_OF_INVENTORY // len(piece))
    before = time.thread_time()
    assert build_of(inventory) == Build()
    assert time.thread_time() - before < 2
