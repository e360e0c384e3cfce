# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from oslogserve.errors import BadRequest, Forbidden, NotFound, SourceError, Unavailable
from oslogserve.pages.error import error_page

BOTH = ["disk", "swift"]
SICK = Unavailable([SourceError("swift", "it broke")])


def shown(error, path=b"42/job/a b.txt", asked="", sources=BOTH, mount="/m"):
    return error_page(mount, error, path, asked, sources).decode()


def steps(page):
    """What to do next: address by label."""
    return {label: address for address, label in re.findall(r'<li><a href="(.*?)">(.*?)</a>', page)}


def test_it_tells_what_happened_escaped():
    page = shown(BadRequest("<script>x</script>"))
    assert "<h1>400 Bad Request</h1>" in page
    assert "<p>&lt;script&gt;x&lt;/script&gt;</p>" in page
    assert "<script" not in page


@pytest.mark.parametrize(
    ("error", "asked", "wanted"),
    [
        (NotFound("x"), "q=1", {"The folder above": "/m/42/job/"}),
        (Forbidden("x"), "", {"The folder above": "/m/42/job/"}),
        (BadRequest("x"), "level=LOUD", {"All of a b.txt": "/m/42/job/a%20b.txt"}),
        (BadRequest("x"), "", {}),
        (
            SICK,
            "q=1&level=INFO",
            {
                "Try again": "/m/42/job/a%20b.txt?q=1&amp;level=INFO",
                "Ask disk alone": "/m/42/job/a%20b.txt?source=disk",
                "Ask swift alone": "/m/42/job/a%20b.txt?source=swift",
            },
        ),
    ],
)
def test_it_leads_to_what_may_be_done_next(error, asked, wanted):
    assert steps(shown(error, asked=asked)) == {**wanted, "All logs": "/m/"}


def test_what_has_no_folder_above_leads_to_all_logs():
    for path in (b"a.txt", None):
        assert steps(shown(NotFound("x"), path, "q=1")) == {"All logs": "/m/"}


def test_a_hostile_path_and_query_add_no_element():
    page = shown(SICK, b'"><script>x</script>', '"><script>x</script>')
    assert "<script" not in page


def test_a_fault_stands_beside_what_was_typed():
    asked = "q=a%22b&re=ok&re=%28bad&level=error&not=&wrap=no&format=html"
    page = shown(BadRequest("<i>no</i>", ("re", "(bad")), asked=asked)
    inputs = re.findall(
        r'<input( aria-invalid="true" aria-describedby="fault-re-2")? name="(.*?)" value="(.*?)"',
        page,
    )
    assert [one for one in inputs if one[2] and one[1] != "new"] == [
        ("", "q", "a&#34;b"),
        ("", "re", "ok"),
        (' aria-invalid="true" aria-describedby="fault-re-2"', "re", "(bad"),
    ]
    assert re.search(
        'value="\\(bad".*?><strong class="fault" id="fault-re-2">&lt;i&gt;no&lt;/i&gt;</strong></label>',
        page,
    )
    hidden = re.findall('type="hidden" name="(.*?)" value="(.*?)"', page)
    assert hidden == [("level", "error"), ("wrap", "no")]
    assert page.count("&lt;i&gt;no") == 1


def test_a_fault_that_no_field_has_stands_above_the_form():
    page = shown(BadRequest("no", ("level", "LOUD")), asked="level=LOUD&q=a")
    assert "<p>no</p>" in page
    assert 'name="q" value="a"' in page
    assert "LOUD" not in page


def test_the_form_of_a_folder_keeps_what_was_chosen_of_all_its_logs():
    page = shown(BadRequest("no", ("re", "(")), b"42/job/", "re=(&order=time&logs=n-*")
    hidden = re.findall(r'<input type="hidden" name="(.*?)" value="(.*?)">', page)
    assert hidden == [("order", "time"), ("logs", "n-*")]
    assert "<b>job</b>" in page


@pytest.mark.parametrize(
    ("path", "wrong", "is_offered"),
    [
        (b"42/job/", ("re", "("), False),
        (b"42/job/", ("lines", "x"), True),
        (b"42/a.txt", ("re", "("), True),
    ],
)
def test_numbers_of_lines_are_offered_for_logs_alone(path, wrong, is_offered):
    page = shown(BadRequest("no", wrong), path, "=".join(wrong))
    assert ('name="lines"' in page) == is_offered
