# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas of the manual, held against real answers, in which no member is more or less."""

import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.functional.test_seen import MIRROR, OTHER, RULE, write_run
from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.process import REPOSITORY

FOLDER = REPOSITORY / "doc/_static/schemas"
#: What none of these answers has: a line of more than a mebibyte, a step that shows nothing, a test that another run had.
UNSEEN = {"cut", "silent_step", "AnotherInJson"}
SAMPLES = "console.html.gz", "screen-c-api.txt.gz"
#: A build that went on from a failure, tests that failed, and a step that shows nothing.
SURVIVED = b"""TASK [build] ***
ERROR: the mirror is away
ok: [node]
TASK [test] ***
FAIL: test_sum (tests.Sum)
AssertionError: 3 != 4
FAIL: test_product (tests.Product)
AssertionError: 12 != 13
fatal: [node]: FAILED! => {"msg": "non-zero return code", "rc": 2}
"""


def closed(schema):
    """The schema, in which each object has no members but those that are named."""
    if isinstance(schema, list):
        return [*map(closed, schema)]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(value) for name, value in schema.items()}
    return found | {"additionalProperties": False} if "properties" in schema else found


SCHEMAS = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
VALIDATORS = {name: Draft202012Validator(closed(schema)) for name, schema in SCHEMAS.items()}


@pytest.fixture(scope="module")
def root(demo, tmp_path_factory):
    root = tmp_path_factory.mktemp("schemas")
    shutil.copytree(demo, root / "logs")
    for number in (11, 21):
        write_run(root / f"logs/unit/{number}", MIRROR % number)
    write_run(root / "logs/unit/31", OTHER % 1)
    write_run(root / "logs/survived/1", SURVIVED)
    write_run(root / "logs/cut/1", MIRROR % 1)
    (root / "logs/cut/1/cut.txt.gz").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\3abc")
    write_run(root / "logs/passed/1", b"Ran 3 tests in 0.1s\n\nOK\n")
    samples = Path(os.environ.get("OSLOGSERVE_SAMPLES", ""))
    (root / "logs/samples").mkdir()
    for name in SAMPLES:
        if (samples / name).is_file():
            shutil.copy(samples / name, root / "logs/samples")
    (root / "rules").mkdir()
    (root / "rules/mirror.yaml").write_text(RULE)
    return root


@pytest.fixture(scope="module")
def server(root):
    config = ini(
        {
            "disk": {"root": root / "logs"},
            "seen": {"directory": root},
            "known": {"rules": root / "rules"},
        }
    )
    (root / "oslogserve.conf").write_text(config)
    with Gunicorn(config) as server:
        command = [Path(sys.executable).parent / "oslogserve", "seen", "--config"]
        subprocess.run([*command, root / "oslogserve.conf"], check=True, capture_output=True)
        yield server


@pytest.fixture(scope="module")
def answers(root, server):
    """The objects of answers, by the schema that they belong to."""
    logs = [path.relative_to(root / "logs") for path in sorted((root / "logs").rglob("*"))]
    logs = [path for path in logs if path.name.endswith((".txt", ".log", ".gz"))]
    folders = sorted({f"{path.parent}/" for path in logs})
    runs = ["unit/11/", "unit/21/", "unit/31/", "survived/1/", "cut/1/", "passed/1/", *folders[:4]]
    found = {name: [] for name in SCHEMAS}

    def get(schema, path, query):
        answer = ask(server, f"/{path}?{query}")
        assert answer.status == 200, answer.body
        found[schema] += map(
            json.loads, answer.body.splitlines() if "jsonl" in schema else [answer.body]
        )

    for path in logs:
        against = "&against=unit/31/job-output.txt" if f"{path.parent}/" in runs else ""
        get("log-jsonl", path, f"format=jsonl&tail=20{against}")
        get("log-summary", path, "format=summary")
        if against:
            get("log-jsonl", path, "format=jsonl&limit=3")
            get("log-summary", path, f"format=summary{against}")
    for folder in runs:
        for query in ("", "&against=unit/31"):
            get("folder-summary", folder, f"format=summary{query}")
            get("folder-jsonl", folder, f"format=jsonl&level=WARNING&limit=30{query}")
            get("folder-seen", folder, f"format=seen{query}")
    get("folder-summary", "unit/11/", "format=summary&logs=none")
    for query in ("", "&days=1", "&branch=none"):
        get("seen", "_oslogserve/seen", f"format=json{query}")
    for cause in found["seen"][0]["causes"]:
        get("seen", "_oslogserve/seen", f"format=json&cause={cause['fingerprint']}")
    for folder in ("", *folders):
        get("folder-json", folder, "format=json")
    return found


def test_the_schemas_are_those_of_the_types():
    loader = importlib.machinery.SourceFileLoader("schemas", str(REPOSITORY / "tools/schemas"))
    spec = importlib.util.spec_from_loader("schemas", loader)
    schemas = importlib.util.module_from_spec(spec)
    loader.exec_module(schemas)
    assert {name: schemas.schema_of(name) for name in schemas.ANSWERS} == SCHEMAS, (
        "run tools/schemas"
    )


@pytest.mark.parametrize("name", SCHEMAS)
def test_answers_have_the_members_of_their_schema_and_no_others(answers, name):
    Draft202012Validator.check_schema(SCHEMAS[name])
    assert len(answers[name]) > 5
    for answer in answers[name]:
        error = next(VALIDATORS[name].iter_errors(answer), None)
        assert error is None, f"{error.json_path}: {error.message[:500]}"


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_member_of_a_schema_is_in_an_answer(answers, name):
    text = json.dumps(answers[name])
    members = {
        member
        for title, definition in SCHEMAS[name]["$defs"].items()
        for member in definition.get("properties", ())
        if title not in UNSEEN and member not in UNSEEN
    }
    assert [one for one in sorted(members) if f'"{one}": ' not in text] == []


def test_a_member_that_is_changed_is_noticed(answers):
    for name, validator in VALIDATORS.items():
        answer = max(answers[name], key=len)
        assert validator.is_valid(answer)
        assert not validator.is_valid({**answer, "unknown": 1})
        for member in answer:
            changed = {**answer, member: {"of": "another type"}}
            assert not validator.is_valid(changed) or member == "severities", (name, member)
