# SPDX-License-Identifier: Apache-2.0
import threading

from oslogserve.lazy import lazy


class Computing:
    def __init__(self, compute):
        self.compute = compute

    @lazy
    def value(self):
        """Its value."""
        return self.compute()


def test_an_attribute_is_computed_once():
    values = iter([1, 2])
    computing = Computing(lambda: next(values))
    assert [computing.value, computing.value] == [1, 1]


def test_an_attribute_that_was_set_is_not_computed():
    computing = Computing(lambda: 1)
    computing.value = 2
    assert computing.value == 2


def test_an_attribute_that_waits_holds_up_no_other_instance():
    is_waiting, may_end = threading.Event(), threading.Event()

    def wait():
        is_waiting.set()
        may_end.wait()

    slow = threading.Thread(target=lambda: Computing(wait).value)
    quick = threading.Thread(target=lambda: Computing(lambda: 1).value)
    slow.start()
    try:
        assert is_waiting.wait(10)
        quick.start()
        quick.join(10)
        assert not quick.is_alive()
    finally:
        may_end.set()
        slow.join()
        quick.join()
