# SPDX-License-Identifier: Apache-2.0
"""This checkout's answers: with and without an index, from disk, Swift and S3, and as they were."""

import pytest

from tests import same_answers
from tests.servers.s3 import S3

HELP = (
    "tools/same-answers BASE says in what they differ. If that is meant: tools/same-answers --renew"
)


@pytest.fixture(scope="module")
def asked(demo, swift, tmp_path_factory):
    """What differs, and the lines of digests."""
    root = tmp_path_factory.mktemp("same") / "logs"
    same_answers.write_logs(root, demo)
    comparison = same_answers.Comparison()
    with S3(tmp_path_factory.mktemp("s3")) as s3:
        sections = same_answers.upload(root, swift, s3)
        with same_answers.servers(sections, same_answers.KINDS) as now:
            digests = same_answers.digests(root, now, comparison)
            uses = [server.uses_of_indexes() for server in now]
    return comparison, digests, uses


def test_answers_are_the_same_with_and_without_an_index_and_from_all_sources(asked):
    comparison, _, uses = asked
    assert comparison.answers > 1000
    assert uses[0] == 0
    assert uses[1] > 30
    assert not comparison.differences, "\n".join(comparison.report())


def test_answers_are_as_they_were(asked):
    _, digests, _ = asked
    before = same_answers.DIGESTS.read_text().splitlines(keepends=True)
    changed = sorted(set(digests) - set(before), key=digests.index)
    assert len(before) == len(digests) == same_answers.MOST_DIGESTS
    assert not changed, f"{''.join(line[17:] for line in changed)}\n{HELP}"
