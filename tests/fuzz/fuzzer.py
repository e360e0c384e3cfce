# SPDX-License-Identifier: Apache-2.0
"""What all fuzzers share: cases drawn from numbers, a round of them, and the shortest of a fault."""

import time
import traceback
from dataclasses import replace
from typing import NamedTuple


class Fuzzer:
    """Cases, and what is wrong with one. A case is a frozen dataclass, drawn from its number alone."""

    name = ""
    #: Fields of a case that can be shortened: bytes, strings and tuples.
    shortens: tuple[str, ...] = ()
    #: Processor time of one case.
    most_seconds = 20.0
    #: Lines of code above a reproducer.
    imports = ""

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        pass

    def case_of(self, number):
        raise NotImplementedError

    def fault(self, case):
        """What is wrong with it; "" for nothing."""
        raise NotImplementedError

    def fault_at_end(self):
        """What all cases left behind; "" for nothing."""
        return ""


class Round(NamedTuple):
    """What came of some cases."""

    #: How many were tried.
    cases: int
    #: What was wrong with the last one, with a reproducer; "" for nothing.
    fault: str


def run(fuzzer, seed=0, seconds=None, cases=None):
    """Tries cases from number `seed` on, until one of the two limits or a fault."""
    end = None if seconds is None else time.monotonic() + seconds
    number = seed
    while number - seed != cases and (end is None or time.monotonic() < end):
        case = fuzzer.case_of(number)
        number += 1
        if fault := _fault(fuzzer, case):
            return Round(number - seed, _told(fuzzer, number - 1, case, fault))
    return Round(number - seed, fuzzer.fault_at_end())


def _fault(fuzzer, case):
    before = time.thread_time()
    try:
        if fault := fuzzer.fault(case):
            return fault
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 (a panic of the native core is no Exception)
        return traceback.format_exc()
    seconds = time.thread_time() - before
    return f"{seconds:.1f} s of processor time" if seconds > fuzzer.most_seconds else ""


def _told(fuzzer, number, case, fault):
    shortest = shortened(fuzzer, case)
    return (
        f"{fuzzer.name}, case {number}: {_fault(fuzzer, shortest) or fault}\n"
        f"From the checkout's root:\n\n{fuzzer.imports}\n"
        f"with {type(fuzzer).__name__}() as fuzzer:\n    assert not fuzzer.fault({shortest})\n"
    )


def shortened(fuzzer, case):
    """The case without all that its fault does not need."""
    for field in fuzzer.shortens:
        size = max(len(getattr(case, field)) // 2, 1)
        while size:
            case = _without(fuzzer, case, field, size)
            size //= 2
    return case


def _without(fuzzer, case, field, size):
    """The case without all pieces of this size, of that field, that its fault does not need."""
    at = 0
    while at < len(value := getattr(case, field)):
        shorter = replace(case, **{field: value[:at] + value[at + size :]})
        if _fault(fuzzer, shorter):
            case = shorter
        else:
            at += size
    return case
