#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the excerpt of a job, and the link to its logs, where its change is looked at.

    note.py --server https://logs.example.org --path github/o/p/123/1/test [--summary FILE] [--to github]

It gets the excerpt from the server as Markdown. --summary appends it to a file. --to writes it as a note of the pull
or merge request: one for each job, which the next run of that job replaces. A job that passed replaces its note, and
gets none if it has none.

OSLOGSERVE_HEADER is sent to the server, and to nothing else, such as "Authorization: Basic YTpi" where it asks for a
password.

The exit status is 0 also if the note could not be written, and standard error says why. No message has a token, or
what a server answered.
"""

import argparse
import hashlib
import http.client
import json
import os
import re
import sys
import time
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

#: Seconds for a request, and how often an excerpt is asked for, with a pause that grows.
TIMEOUT, TRIES, PAUSE = 30, 3, 2
#: Bytes of an answer. An excerpt has at most MOST_BYTES: GitHub takes 65,536 characters, with ours around it.
LARGEST, MOST_BYTES = 8 * 1024 * 1024, 60_000
#: Pages of 100 notes in which the one to replace is looked for.
MOST_PAGES = 30
#: The first line of a note: a digest of the job, and the number of the run.
MARK = re.compile(r"<!-- oslogserve ([0-9a-f]{16}) (\d{1,30}) -->")
#: Results of GitHub, GitLab and Jenkins. Of the last one, tests that failed make a build unstable.
FAILED = {"failure", "failed", "unstable"}
#: An address with a user, and so mostly with a password.
USER = re.compile(r"[^/]*//[^/?#]*@")


class Failed(Exception):
    """Why there is no note, in a sentence without secrets."""


class NoRedirect(HTTPRedirectHandler):
    """A token goes nowhere but to the address that it is for."""

    def redirect_request(self, *_):
        return None


OPENER = build_opener(NoRedirect())


def ask(method, url, headers, body=None):
    """The answer's bytes."""
    what = f"{method} {urlsplit(url).scheme}://{urlsplit(url).hostname}"
    if urlsplit(url).scheme not in ("http", "https"):
        raise Failed(f"{what}: this is no address of a server")
    headers = {"User-Agent": "oslogserve-note", **headers}
    if body is not None:
        headers["Content-Type"] = "application/json"
    content = None if body is None else json.dumps(body).encode()
    try:
        request = Request(url, content, headers, method=method)  # noqa: S310, its scheme was checked
        with OPENER.open(request, timeout=TIMEOUT) as answer:
            return answer.read(LARGEST)
    except HTTPError as error:
        with error:
            raise Failed(f"{what}: status {error.code}") from error
    except URLError as error:
        raise Failed(f"{what}: {type(error.reason).__name__}") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Failed(f"{what}: {type(error).__name__}") from error


def excerpt(server, path, size):
    """The excerpt of a folder of logs, in at most so many bytes."""
    parts = urlsplit(server)
    url = f"{server}/{path}/?format=markdown&bytes={size}&origin={parts.scheme}://{parts.netloc}"
    name, _, value = os.environ.get("OSLOGSERVE_HEADER", "").partition(":")
    headers = {name.strip(): value.strip()} if value.strip() else {}
    for left in reversed(range(TRIES)):
        try:
            return ask("GET", url, {"Accept": "text/markdown", **headers}).decode()
        except Failed:
            if not left:
                raise
            time.sleep(PAUSE * (TRIES - left))
    return ""


class GitHub:
    def __init__(self, number):
        token = variable("GITHUB_TOKEN")
        api, repository = variable("GITHUB_API_URL"), variable("GITHUB_REPOSITORY")
        self.issues = f"{api}/repos/{quote(repository)}/issues"
        self.notes = f"{self.issues}/{number or self.of_event()}/comments"
        self.headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
        # Anybody may write a comment that begins like ours.
        self.author = os.environ.get("OSLOGSERVE_AUTHOR") or "github-actions[bot]"
        self.method = "PATCH"

    def of_event(self):
        try:
            with open(variable("GITHUB_EVENT_PATH"), encoding="utf-8") as file:
                return int(json.load(file)["pull_request"]["number"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Failed("this run is not of a pull request") from error

    def author_of(self, note):
        return note["user"]["login"]

    def address(self, note):
        return f"{self.issues}/comments/{int(note['id'])}"


class GitLab:
    def __init__(self, number):
        token, api = variable("OSLOGSERVE_GITLAB_TOKEN"), variable("CI_API_V4_URL")
        number = number or os.environ.get("CI_MERGE_REQUEST_IID", "")
        if not number.isdigit():
            raise Failed("this job is not of a merge request")
        project = quote(variable("CI_PROJECT_ID"), safe="")
        self.notes = f"{api}/projects/{project}/merge_requests/{number}/notes"
        self.headers = {"PRIVATE-TOKEN": token}
        self.author = json.loads(ask("GET", f"{api}/user", self.headers))["username"]
        self.method = "PUT"

    def author_of(self, note):
        return note["author"]["username"]

    def address(self, note):
        return f"{self.notes}/{int(note['id'])}"


def variable(name):
    value = os.environ.get(name, "").strip()
    if not value:
        raise Failed(f"{name} is not set; the pull or merge request of a fork gets no token")
    return value


def write(to, text, name, run, may_create):
    """Writes the note of a job; says what it did. run: a number that grows from run to run."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    body = {"body": f"<!-- oslogserve {digest} {run} -->\n{text}"}
    for page in range(1, MOST_PAGES + 1):
        notes = json.loads(ask("GET", f"{to.notes}?per_page=100&page={page}", to.headers))
        for note in notes:
            mark = MARK.match(note.get("body") or "")
            if not mark or mark[1] != digest or to.author_of(note) != to.author:
                continue
            if int(mark[2]) > run:
                return "the note is of a later run"
            ask(to.method, to.address(note), to.headers, body)
            return "the note was replaced"
        if len(notes) < 100:
            break
    if not may_create:
        return "the job did not fail, and has no note to replace"
    ask("POST", to.notes, to.headers, body)
    return "the note was written"


def numbered(text):
    """The number of a run: what CI systems count up, then the attempt."""
    numbers = [int(one) for one in re.findall(r"\d{1,18}", text)[:2]]
    return sum(one * scale for one, scale in zip(numbers, (10**12, 1), strict=False))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--server", required=True, help="address of the server")
    parser.add_argument("--path", required=True, help="the job's folder, as in --prefix")
    parser.add_argument("--name", help="the job; default: the last part of its path")
    parser.add_argument("--run", default="0", help="number of the run, and of the attempt: 123.1")
    parser.add_argument("--result", default="failure", help="success, failure, cancelled")
    parser.add_argument("--bytes", type=int, default=4000)
    parser.add_argument("--summary", metavar="FILE", help="append the excerpt to it")
    parser.add_argument("--to", choices=["github", "gitlab"], help="write a note there")
    parser.add_argument("--number", help="of the pull or merge request; default: the run's own")
    given = parser.parse_args()
    server, path = given.server.rstrip("/"), quote(os.fsencode(given.path.strip("/")))
    if USER.match(server):
        print("oslogserve: no note: a password in the address would be shown", file=sys.stderr)
        return
    link = f"{server}/{path}/"
    print(f"Logs: {link}")
    try:
        size = min(max(given.bytes, 500), MOST_BYTES)
        try:
            text, fault = excerpt(server, path, size), None
        except Failed as error:
            text, fault = f"### [Logs]({link})\n\nThe server gave no excerpt.\n", error
        if given.summary:
            with open(given.summary, "a", encoding="utf-8") as file:
                file.write(f"{text}\n")
        if fault:  # a note with less is none to replace one by
            raise fault
        if given.to:
            to = {"github": GitHub, "gitlab": GitLab}[given.to](given.number)
            name = given.name or path.rpartition("/")[2]
            may_create = given.result.lower() in FAILED
            print(f"oslogserve: {write(to, text, name, numbered(given.run), may_create)}")
    except Failed as error:
        print(f"oslogserve: no note: {error}", file=sys.stderr)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"oslogserve: no note: {type(error).__name__}", file=sys.stderr)


if __name__ == "__main__":
    main()
