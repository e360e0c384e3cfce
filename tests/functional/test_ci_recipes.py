# SPDX-License-Identifier: Apache-2.0
"""What etc/ has for CI systems, run as these run it: with the uploader, a store and a server, and with what keeps notes."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.kit.markdown import code_of, fault_of
from tests.servers.client import ask, ini
from tests.servers.gunicorn import Gunicorn
from tests.servers.notes import TOKEN, Notes
from tests.servers.process import REPOSITORY, as_installed, environment, free_port
from tests.servers.s3 import ENVIRONMENT, S3, SECRET

ETC = REPOSITORY / "etc"
NOTE = ETC / "ci/note.py"
SCRIPTS = Path(sys.executable).parent
PATH = f"{SCRIPTS}:{os.environ['PATH']}"
ANSIBLE = shutil.which("ansible-playbook", path=PATH)
DEPLOY = "a-secret-of-the-job"
CONSOLE = f"""2026-03-04 18:20:01.000 | TASK [run tests]
2026-03-04 18:20:02.000 | deploys with {DEPLOY} for @everyone, see #1
2026-03-04 18:22:11.000 | FAIL: test_boot (tests.Boot)
2026-03-04 18:22:11.000 | AssertionError: 'ACTIVE' != 'ERROR'
2026-03-04 18:22:12.000 | fatal: [node]: FAILED! => {{"msg": "non-zero return code"}}
"""
CAUSE = ">2026-03-04 18:22:11.000 | FAIL: test_boot (tests.Boot)\n"
#: What the server asks for.
READER = "reader-of-logs-5"
#: A branch by which a shell that takes it for a part of its text writes a file.
BRANCH = "x\"; touch owned; echo `touch owned` $(touch owned) '; touch owned; ' \""


@pytest.fixture(scope="module")
def s3(tmp_path_factory):
    with S3(tmp_path_factory.mktemp("s3")) as s3:
        s3.client.create_bucket(Bucket="logs")
        yield s3


@pytest.fixture(scope="module")
def config(s3, tmp_path_factory):
    path = tmp_path_factory.mktemp("config") / "upload.conf"
    path.write_text(ini({"store": s3.settings("logs")}))
    return path


@pytest.fixture(scope="module")
def server(config):
    with Gunicorn(config.read_text(), env=ENVIRONMENT) as server:
        yield server


@pytest.fixture
def notes():
    with Notes() as notes:
        yield notes


@pytest.fixture
def work(tmp_path):
    """The folder in which a job runs, with its logs."""
    (tmp_path / "work/logs").mkdir(parents=True)
    (tmp_path / "work/logs/environment.txt").write_text(f"{SECRET} is of the store\n")
    (tmp_path / "work/logs/header.txt").write_text(f"{READER} is of the server\n")
    (tmp_path / "work/logs/job-output.txt").write_text(CONSOLE)
    return tmp_path / "work"


class Done:
    def __init__(self, status, output):
        self.status, self.output = status, output


def run(command, folder, variables):
    """Runs a command with these variables; no secret is printed, and no branch is run."""
    known = {
        name: text for name, text in environment().items() if name in ("HOME", "LANG", "TMPDIR")
    }
    python = as_installed()["PYTHONPATH"]
    env = known | {"NO_PROXY": "*", "PATH": PATH, "PYTHONPATH": python, **ENVIRONMENT}
    env |= {"OSLOGSERVE_HEADER": f"Authorization: Bearer {READER}", **variables}
    done = subprocess.run(
        command,
        cwd=folder,
        env=env,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    assert not [one for one in (TOKEN, DEPLOY, SECRET, READER) if one in done.stdout], done.stdout
    assert not (folder / "owned").exists()
    return Done(done.returncode, done.stdout)


def assert_no_header(server, folder):
    """The logs have nothing of what is sent to the server."""
    stored = ask(server, f"{folder}/header.txt", Accept="text/plain")
    assert stored.body == b"*** is of the server\n"


# GitHub.


@pytest.fixture
def github(work, notes, server, config, tmp_path):
    """Runs the action's step as GitHub does; what is given replaces values of expressions."""
    action = yaml.safe_load((ETC / "github/action.yml").read_text())
    [step] = action["runs"]["steps"]
    assert "${{" not in step["run"]
    event = {"pull_request": {"number": 5, "title": BRANCH, "head": {"ref": BRANCH}}}
    (tmp_path / "event.json").write_text(json.dumps(event))

    def run_step(
        result="failure", attempt=1, head="acme/shop", actor="somebody", variables=(), **inputs
    ):
        given = {
            "logs": "logs",
            "server": f"{server.url}/",
            "config": str(config),
            "masks": f"\n{DEPLOY}\n\n",
            "token": TOKEN,
            **inputs,
        }
        values = {
            f"inputs.{name}": one.get("default", "") for name, one in action["inputs"].items()
        }
        values |= {f"inputs.{name}": text for name, text in given.items()}
        values |= {
            "job.status": result,
            "github.event.pull_request.head.repo.full_name": head,
            "github.actor": actor,
            "strategy.job-total > 1 && format('-{0}', strategy.job-index) || ''": "-0",
        }
        of_step = {
            name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], text)
            for name, text in step["env"].items()
        }
        for name in ("output", "summary"):
            (tmp_path / name).unlink(missing_ok=True)
        github = {
            "GITHUB_ACTION_PATH": str(ETC / "github"),
            "GITHUB_API_URL": notes.url,
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
            "GITHUB_HEAD_REF": BRANCH,
            "GITHUB_JOB": "test",
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_REPOSITORY": "acme/shop",
            "GITHUB_RUN_ATTEMPT": str(attempt),
            "GITHUB_RUN_ID": str(abs(hash(work)) % 10**10),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            "GITHUB_WORKFLOW": f"-{BRANCH}",
        }
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = run(shell, work, github | of_step | dict(variables))
        for name in ("output", "summary"):
            path = tmp_path / name
            setattr(
                done,
                name if name != "output" else "outputs",
                path.read_text() if path.exists() else "",
            )
        return done

    return run_step


def test_a_job_of_github_shows_its_cause_in_the_summary_and_in_one_comment(github, notes, server):
    done = github(bytes="")
    assert (done.status, done.outputs.count("\n")) == (0, 1), done.output
    url = done.outputs.removeprefix("url=").strip()
    assert re.fullmatch(rf"{server.url}/github/acme/shop/\d+/1/test-0/", url)
    assert CAUSE in code_of(done.summary)[0]
    [body] = notes.bodies
    mark, _, shown = body.partition("\n")
    assert re.fullmatch("<!-- oslogserve [0-9a-f]{16} [0-9]+ -->", mark)
    assert shown.strip() == done.summary.strip()
    assert fault_of(shown) == ""
    assert "deploys with *** for @everyone" in code_of(shown)[0]
    stored = ask(server, f"{url.removeprefix(server.url)}job-output.txt", Accept="text/plain")
    assert stored.body.decode() == CONSOLE.replace(DEPLOY, "***")
    stored = ask(server, f"{url.removeprefix(server.url)}environment.txt", Accept="text/plain")
    assert stored.body == b"*** is of the store\n"
    assert_no_header(server, url.removeprefix(server.url).rstrip("/"))

    again = github(attempt=2)
    assert "the note was replaced" in again.output
    [body] = notes.bodies
    assert "/2/test-0/" in body


@pytest.mark.parametrize(
    ("of", "status"),
    [
        ({"head": "somebody/shop"}, 0),
        ({"actor": "dependabot[bot]"}, 0),
        ({}, 3),
        ({"head": ""}, 3),  # no pull request
    ],
)
def test_on_github_a_job_without_secrets_fails_only_where_it_should_have_some(
    github, notes, of, status
):
    without = {
        "AWS_ACCESS_KEY_ID": "",
        "AWS_SECRET_ACCESS_KEY": "",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    done = github(masks="", variables=without, **of)
    assert (done.status, notes.bodies) == (status, []), done.output
    assert ("pull requests of forks and of Dependabot get no secrets" in done.output) == (
        not status
    )


def test_what_is_missing_on_github_is_said(github, notes, work):
    assert github(config="none.conf").status == 2
    shutil.rmtree(work / "logs")
    done = github()
    assert (done.status, done.outputs) == (0, "")
    assert "::warning::oslogserve: there is no folder of logs" in done.output


# GitLab.


@pytest.fixture
def gitlab(work, notes, server, config):
    template = yaml.safe_load((ETC / "gitlab/oslogserve.gitlab-ci.yml").read_text())[".oslogserve"]

    def run_script(status="failed", job=1001, shell="bash", **variables):
        given = {
            **template["variables"],
            "OSLOGSERVE_SERVER": server.url,
            "OSLOGSERVE_CONFIG": str(config),
            "OSLOGSERVE_GITLAB_TOKEN": TOKEN,
            "OSLOGSERVE_MASKS": DEPLOY,
            "OSLOGSERVE_NOTE": str(NOTE),
            "CI_API_V4_URL": notes.url,
            "CI_COMMIT_REF_NAME": BRANCH,
            "CI_JOB_ID": str(job),
            "CI_JOB_NAME": "-test: [a, b]",
            "CI_JOB_STATUS": status,
            "CI_JOB_TOKEN": "glcbt-64_a-token",
            "CI_MERGE_REQUEST_IID": "5",
            "CI_MERGE_REQUEST_TITLE": BRANCH,
            "CI_PIPELINE_ID": "77",
            "CI_PROJECT_ID": "17",
            "CI_PROJECT_PATH": "acme/shop",
            **variables,
        }
        options = ["-o", "pipefail"] if shell == "bash" else []
        return run([shell, "-e", *options, "-c", "\n".join(template["after_script"])], work, given)

    return run_script


def test_a_job_of_gitlab_shows_its_cause_in_one_note(gitlab, notes, server, work):
    done = gitlab(job=1001)
    assert f"Logs: {server.url}/gitlab/acme/shop/77/1001/\n" in done.output
    assert (done.status, "the note was written" in done.output) == (0, True)
    [body] = notes.bodies
    assert CAUSE in code_of(body.partition("\n")[2])[0]
    assert_no_header(server, "/gitlab/acme/shop/77/1001")
    assert "the note was replaced" in gitlab("success", job=1002, shell="sh").output
    assert len(notes.bodies) == 1
    shutil.rmtree(work / "logs")
    assert gitlab(job=1003).output == "oslogserve: there is no folder of logs\n"


# Jenkins.


def test_a_build_of_jenkins_has_the_excerpt_and_a_comment(work, notes, server, config):
    text = (ETC / "jenkins/Jenkinsfile").read_text()
    [script] = re.findall(r"script: '''(.*?)'''", text, re.DOTALL)
    path = work.parent / "script.sh"
    path.write_text(script.replace("\\\\", "\\"))  # as Groovy reads it
    path.chmod(0o700)
    variables = {
        "OSLOGSERVE_SERVER": server.url,
        "OSLOGSERVE_CONFIG": str(config),
        "OSLOGSERVE_LOGS": "logs",
        "OSLOGSERVE_MASKS": DEPLOY,
        "OSLOGSERVE_NOTE": str(NOTE),
        "OSLOGSERVE_RESULT": "FAILURE",
        "BRANCH_NAME": BRANCH,
        "BUILD_NUMBER": "8",
        "CHANGE_ID": "5",
        "CHANGE_URL": "https://github.com/acme/shop/pull/5",
        "CHANGE_TITLE": BRANCH,
        "GITHUB_API_URL": notes.url,
        "GITHUB_TOKEN": TOKEN,
        "JOB_NAME": "shop/PR-5 é",
    }
    done = run([path], work, variables)
    assert (done.status, "the note was written" in done.output) == (0, True), done.output
    assert (work / "oslogserve.url").read_text() == f"{server.url}/jenkins/shop/PR-5---/8/"
    assert CAUSE in code_of((work / "oslogserve.md").read_text())[0]
    [body] = notes.bodies
    assert CAUSE in body
    stored = ask(server, "/jenkins/shop/PR-5---/8/environment.txt", Accept="text/plain")
    assert stored.body == b"*** is of the store\n"
    assert_no_header(server, "/jenkins/shop/PR-5---/8")
    again = run([path], work, variables | {"BUILD_NUMBER": "9", "OSLOGSERVE_RESULT": "SUCCESS"})
    assert ("the note was replaced" in again.output, len(notes.bodies)) == (True, 1)
    plain = {
        name: text for name, text in variables.items() if not name.startswith(("CHANGE", "GITHUB"))
    }
    assert run([path], work, plain | {"OSLOGSERVE_CONFIG": "none.conf"}).status == 2
    # They are taken away also if a credential is missing, and the script does not run.
    before, _, _ = text.partition("withCredentials")
    assert "sh 'rm -f oslogserve.md oslogserve.url'" in before


# Zuul.

#: In place of Zuul's own module, which says what it is given.
ZUUL_RETURN = """
import json, os
from ansible.module_utils.basic import AnsibleModule
module = AnsibleModule(argument_spec={"data": {"type": "dict"}})
with open(os.environ["ZUUL_RETURNED"], "a") as file:
    file.write(json.dumps(module.params["data"]) + "\\n")
module.exit_json(changed=False)
"""


@pytest.fixture
def zuul(work, tmp_path, server, config):
    assert ANSIBLE, "ansible-core is not installed"
    (tmp_path / "library").mkdir()
    (tmp_path / "library/zuul_return.py").write_text(ZUUL_RETURN)

    def run_playbook(success=False, **variables):
        returned = tmp_path / "returned"
        returned.unlink(missing_ok=True)
        given = {
            "oslogserve": {
                "server": f"{server.url}/",
                # With lines that are too short to be masked.
                "environment": {**ENVIRONMENT, "AWS_REGION": "tests", "A_KEY": "a-key-of\nab\n"},
            },
            "oslogserve_config": str(config),
            "oslogserve_masks": [DEPLOY],
            "zuul_success": success,
            "zuul": {
                "branch": BRANCH,
                "build": "5e0d1a9c2b7f",
                "change": "123442",
                "executor": {"log_root": str(work / "logs")},
                "job": "nova-tox",
                "patchset": "7",
                "pipeline": "check",
                "tenant": "openstack",
            },
            **variables,
        }
        values = tmp_path / "values.json"
        values.write_text(json.dumps(given))
        playbook = ETC / "zuul/playbooks/post-logs.yaml"
        command = [ANSIBLE, "-i", "localhost,", "-c", "local", "-e", f"@{values}", playbook]
        of_ansible = {
            "ANSIBLE_HOME": str(tmp_path),
            "ANSIBLE_LIBRARY": str(tmp_path / "library"),
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_NOCOWS": "1",
            "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
            "ANSIBLE_ROLES_PATH": str(ETC / "zuul/roles"),
            "LC_ALL": "C.UTF-8",
            "ZUUL_RETURNED": str(returned),
        }
        done = run(command, tmp_path, of_ansible)
        lines = returned.read_text().splitlines() if returned.exists() else []
        done.returned = [json.loads(line)["zuul"] for line in lines]
        return done

    return run_playbook


def test_zuul_returns_the_address_of_the_logs_and_why_the_job_failed(zuul, server):
    done = zuul()
    assert done.status == 0, done.output
    url = f"{server.url}/openstack/123442/7/check/nova-tox/5e0d1a9/"
    log = f"{url.removeprefix(server.url)}job-output.txt"
    headline = json.loads(ask(server, f"{log}?format=summary").body)["cause"]["headline"]
    assert "test_boot" in headline
    artifact = {
        "name": f"Failure: {headline}",
        "url": f"{url}?format=overview",
        "metadata": {"type": "oslogserve_failure"},
    }
    assert done.returned == [{"log_url": url}, {"artifacts": [artifact]}]
    stored = ask(server, log, Accept="text/plain")
    assert stored.body.decode() == CONSOLE.replace(DEPLOY, "***")


@pytest.mark.long
def test_zuul_returns_the_address_if_the_server_is_down(zuul):
    down = f"http://127.0.0.1:{free_port()}"
    done = zuul(oslogserve={"server": down, "environment": ENVIRONMENT})
    assert (done.status, len(done.returned)) == (0, 1), done.output
    assert "the server did not say why the job failed" in done.output


@pytest.mark.long
def test_zuul_says_so_if_nothing_is_stored(zuul, tmp_path):
    done = zuul(oslogserve_config="/nothing.conf")
    assert (done.status, done.returned) == (2, [])
    assert "/nothing.conf" in done.output
    done = zuul(oslogserve_command="no-oslogserve")
    assert (done.status, done.returned) == (2, [])
    assert "no-oslogserve did not start" in done.output
    down = tmp_path / "down.conf"
    endpoint = f"http://127.0.0.1:{free_port()}"
    down.write_text(ini({"store": {"url": "s3://logs", "endpoint": endpoint}}))
    done = zuul(oslogserve_config=str(down), oslogserve_patience=1)
    assert (done.status, done.returned) == (2, [])
    assert "job-output.txt: not uploaded" in done.output
