# SPDX-License-Identifier: Apache-2.0
import pytest

from oslogserve.errors import NotFound, SourceError, Unavailable
from oslogserve.sources import FULL_BODY, Folder
from oslogserve.sources.first_of import Listing, open_first
from tests.kit.open_logs import FakeLog, FakeSource

BROKEN = SourceError("disk", "Input/output error")
LATE = SourceError("swift", "it did not answer in time", "timeout")


def test_the_first_source_that_has_it_is_taken_and_no_other_asked():
    log = FakeLog("disk", [b"x"])
    disk, swift = FakeSource("disk", {b"a": log}), FakeSource("swift", {b"a": LATE})
    assert open_first([disk, swift], b"a") is log
    assert disk.asked == [(b"a", FULL_BODY)]
    assert swift.asked == []


@pytest.mark.parametrize("disk", [None, BROKEN])
def test_a_miss_asks_the_next_and_a_failing_disk_does_not_hide_swifts_copy(disk):
    for kept in (FakeLog("swift", [b"x"]), Folder()):
        sources = [FakeSource("disk", {b"a": disk}), FakeSource("swift", {b"a": kept})]
        assert open_first(sources, b"a") is kept


@pytest.mark.parametrize(
    ("disk", "swift", "named"),
    [(BROKEN, None, ["disk"]), (None, LATE, ["swift"]), (BROKEN, LATE, ["disk", "swift"])],
)
def test_a_failure_is_not_a_miss_and_is_named(disk, swift, named):
    sources = [FakeSource("disk", {b"a": disk}), FakeSource("swift", {b"a": swift})]
    with pytest.raises(Unavailable) as caught:
        open_first(sources, b"a")
    assert [name for name in ("disk", "swift") if f"{name}: " in caught.value.sentence] == named


def test_not_found_only_where_every_source_said_so():
    with pytest.raises(NotFound, match="expire"):
        open_first([FakeSource("disk"), FakeSource("swift")], b"a")


def test_a_listing_merges_sorted_and_disk_comes_first():
    disk = FakeSource("disk", names=[b"a", b"b/", b"d"])
    swift = FakeSource("swift", names=[b"b/", b"c", b"d"])
    listing = Listing([disk, swift], b"")
    shown = [(entry.name, entry.source) for entry in listing]
    assert shown == [
        (b"a", "disk"),
        (b"b/", "disk"),
        (b"b/", "swift"),
        (b"c", "swift"),
        (b"d", "disk"),
        (b"d", "swift"),
    ]
    assert listing.failures == []


def test_a_source_that_fails_midway_leaves_the_other_and_is_told():
    disk = FakeSource("disk", names=[b"a", BROKEN, b"never"])
    listing = Listing([disk, FakeSource("swift", names=[b"b", b"c"])], b"")
    assert [entry.name for entry in listing] == [b"a", b"b", b"c"]
    assert listing.failures == [BROKEN]


def test_a_source_that_fails_at_once_leaves_the_other_and_is_told():
    listing = Listing([FakeSource("disk", names=BROKEN), FakeSource("swift", names=[b"b"])], b"")
    assert listing.failures == [BROKEN]
    assert [entry.name for entry in listing] == [b"b"]


def test_no_folder_and_no_source_that_could_tell():
    with pytest.raises(NotFound):
        Listing([FakeSource("disk"), FakeSource("swift")], b"")
    with pytest.raises(Unavailable, match="swift"):
        Listing([FakeSource("disk"), FakeSource("swift", names=LATE)], b"")


def test_an_empty_folder_is_a_folder():
    assert list(Listing([FakeSource("disk", names=[])], b"")) == []
