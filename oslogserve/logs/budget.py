# SPDX-License-Identifier: Apache-2.0
"""Limits what requests may cost: processor time, inflated bytes, memory, and places for expensive work.

One request may keep a worker busy for long: a search of gigabytes, a gzip that inflates to a thousand times its size, a
thousand logs merged by time. Each has a Budget. Whoever works for it charges what the work took, at every piece, in the
thread that did it; the first charge beyond a limit raises Incomplete, and the answer says so at its end. A charge also
notices that the client has left, so that nobody works for nobody.

Some work is bounded by places as well, for all requests of a process together: large logs, searches, folders. If all
places of a kind are taken, requests wait for their turns, as long as places keep being given back, and are refused then.
A request for summaries waits for as long as those before it may work. Some threads are always kept free for small
answers: if too many wait, the last ones are refused. A request for a folder's lines whose client takes nothing keeps its place, but
not from others.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from math import inf
from threading import Lock, local

from oslogserve.errors import Busy, ClientLeft, Incomplete
from oslogserve.threads import Bulkhead, Full, ThreadLimit

#: Bytes of an answer, in multiples of what a request may inflate: lines become longer as HTML and JSON.
MOST_SENT = 2
#: Bytes of memory that unpacks a request's logs. One of Zstandard takes up to 8.5 MiB, and logs that are
#: merged by time are unpacked all at once.
MOST_UNPACKING = 48 * 1024 * 1024
#: Seconds between two checks that the client is still there.
LOOK_EVERY = 0.05
#: Places for each kind of work. A large log takes up to 15 MiB of memory, a search up to 32 MiB.
MOST_LARGE_LOGS, MOST_SEARCHES, MOST_FOLDERS = 12, 3, 2
#: Of the large logs, those of Zstandard, each with up to 8.5 MiB more for its window.
MOST_ZSTANDARD = 4
MOST_JOBS = MOST_OVERVIEWS = 2
#: Kinds of work, as a refusal names them.
SEARCHES, LARGE_LOGS, FOLDERS = "searches", "large logs", "folders"
ZSTANDARD = "logs of Zstandard"
JOBS, OVERVIEWS = "folders' lines", "folders' summaries"
#: Seconds without work begun or ended before waiters are refused: long enough that a burst of
#: ordinary requests is only delayed.
PATIENCE = 3.0
#: Seconds without work or a piece of the answer, after which a request for a folder's lines keeps no other one
#: from its place: its client takes nothing, and is cut off later.
IDLE_AFTER = 30.0


#: The processor time up to which each thread was charged, to any budget.
_threads = local()


class Budget:
    """What one request may cost, and what is spent of it.

    Create it in the thread that answers. Another thread that works for it must be new, or of a pool and
    within working().
    """

    def __init__(
        self,
        processor_time: float = inf,
        inflated_size: float = inf,
        has_left: Callable[[], bool] = bool,
        bulkheads: Mapping[str, Bulkhead] | None = None,
    ) -> None:
        """processor_time: seconds, of all threads together. inflated_size: bytes. has_left: true once the client has
        left. bulkheads: by the kind of work; work of other kinds needs no place.
        """
        self._processor_time, self._inflated_size = processor_time, inflated_size
        self._has_left = has_left
        self._bulkheads = bulkheads or {}
        #: What gives each place back.
        self._entered: list[Callable[[], None]] = []
        self._last_work = time.monotonic()
        self._next_look = time.monotonic() + LOOK_EVERY
        self._lock = Lock()
        self._inflated = self._sent = self._unpacking = 0
        self._seconds = 0.0
        _threads.charged_until = time.thread_time()

    def enter(self, work: str) -> None:
        """Takes a place for this kind of work; close() gives it back. Raises Busy."""
        bulkhead = self._bulkheads.get(work)
        if bulkhead is None:
            return
        try:
            is_idle = self._is_idle if work == JOBS else bool
            bulkhead.enter(is_idle, self._look)
        except Full:
            raise Busy(f"This server is busy with other {work}.") from None
        self._entered.append(partial(bulkhead.leave, is_idle))

    def _look(self) -> None:
        """Raises ClientLeft."""
        if self._has_left():
            raise ClientLeft

    def _is_idle(self) -> bool:
        return time.monotonic() - self._last_work > IDLE_AFTER

    @contextmanager
    def working(self) -> Iterator[None]:
        """Context in which a thread of a pool works for this budget alone.

        What the thread did since it last worked for any budget is charged too: it took this work over.
        """
        try:
            yield
        finally:
            self.note()

    def charged(
        self, pieces: Iterable[bytes], is_packed: bool, memory: Callable[[], int] = int
    ) -> Iterator[bytes]:
        """Yields the pieces of a log. Charges each before it is yielded, with all that the thread did since the last.

        Empty ones are charged and left out. is_packed: true if they are inflated. memory: bytes that unpacking them
        takes now. Raises as charge() does, and Incomplete if the request's logs take too many of them together.
        """
        held = 0
        try:
            for piece in pieces:
                now = memory()
                if now != held:
                    self._hold(now - held)
                    held = now
                self.charge(len(piece) if is_packed else 0)
                if piece:
                    yield piece
        finally:
            self._hold(-held)

    def _hold(self, more: int) -> None:
        with self._lock:
            if more > 0 and self._unpacking + more > MOST_UNPACKING:
                most = MOST_UNPACKING >> 20
                why = f"to unpack it with the others takes more than {most} MiB of memory"
                raise Incomplete("budget", f"{why}: ask for fewer logs, or with order=log")
            self._unpacking += more

    def charge_rendering(self) -> None:
        """The same as charge(), before a part of the answer is made: that is bounded, too."""
        self.charge()
        most = MOST_SENT * self._inflated_size
        if self._sent > most:
            raise Incomplete("budget", f"one answer has no more than {int(most) >> 20} MiB")

    def charge(self, inflated: int = 0) -> None:
        """Charges what this thread did since it was last charged. inflated: bytes.

        Raises Incomplete where the budget is spent, and ClientLeft.
        """
        self.note(inflated=inflated)
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + LOOK_EVERY
            self._look()
        seconds, size = self._processor_time, self._inflated_size
        if self._seconds > seconds:
            raise Incomplete(
                "budget", f"the {seconds:g} s of processor time of the request are used up"
            )
        if self._inflated > size:
            raise Incomplete("budget", f"one request inflates no more than {int(size) >> 20} MiB")

    def note(self, sent: int = 0, inflated: int = 0) -> None:
        """Charges in the same way, but raises nothing: whoever charges next learns that the budget is
        spent. sent: bytes of a piece of the answer."""
        now = time.thread_time()
        spent = now - getattr(_threads, "charged_until", 0.0)
        _threads.charged_until = now
        with self._lock:
            self._last_work = time.monotonic()
            self._seconds += spent
            self._inflated += inflated
            self._sent += sent

    def close(self) -> None:
        """Gives all places back. May be called twice."""
        entered, self._entered = self._entered, []
        for leave in entered:
            leave()


class Workload:
    """Limits of all requests of a process. They leave some threads for small answers."""

    def __init__(self, processor_time: float, inflated_size: int, threads: int) -> None:
        """processor_time, inflated_size: of one request, see Budget. threads: of the process. An eighth of them is kept free of expensive work."""
        self._limits = processor_time, inflated_size
        eighth = max(1, threads // 8)
        folders = {
            FOLDERS: min(MOST_FOLDERS, eighth),
            JOBS: min(MOST_JOBS, eighth),
            OVERVIEWS: min(MOST_OVERVIEWS, eighth),
        }
        # All places together, one waiting thread and the free ones are no more than all threads. A
        # search of a small log holds its place briefly; that of a large one has a place of that, too, and
        # so has one of Zstandard.
        left = threads - eighth - sum(folders.values()) - 1
        places = {
            LARGE_LOGS: max(1, min(MOST_LARGE_LOGS, left)),
            ZSTANDARD: MOST_ZSTANDARD,
            SEARCHES: min(MOST_SEARCHES, max(1, threads // 4)),
            **folders,
        }
        # Places of summaries are given back before they are sent: whoever has one is at work.
        patience = {OVERVIEWS: max(PATIENCE, processor_time)}
        limit = ThreadLimit(threads - eighth)
        self._bulkheads = {
            work: Bulkhead(n, patience.get(work, PATIENCE), limit) for work, n in places.items()
        }

    def begin(self, has_left: Callable[[], bool]) -> Budget:
        """The budget of a request, to be closed at its end. has_left: see Budget."""
        return Budget(*self._limits, has_left, self._bulkheads)
