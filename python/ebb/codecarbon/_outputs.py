"""Output handlers of the user: told at the end of a tracker, and while the figures grow."""

from __future__ import annotations

import threading
import weakref

from ebb._log import warn
from ebb.codecarbon._amounts import Amounts

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Any, Callable, List, Optional

    from ebb.codecarbon._rows import EmissionsData
    from ebb.codecarbon._tracker import EmissionsTracker


#: After so many measurements handlers are told the figures, if api_call_interval does not say it.
LIVE_EVERY = 8
_DEFAULT_INTERVAL_S = 1.0


def seconds_of(interval: str) -> float:
    return float(interval[: -len("ms")]) / 1000 if interval.endswith("ms") else _DEFAULT_INTERVAL_S


class Live:
    """Tells output handlers the figures while they grow, after each ``every`` measurements; -1: never.

    The start and the end of a tracker are measurements too, as in CodeCarbon."""

    def __init__(self, tracker: EmissionsTracker, every: int) -> None:
        self._tracker = weakref.ref(tracker)
        self._every, self._interval_s = every, _DEFAULT_INTERVAL_S
        self._count, self._has_ended = 1, threading.Event()
        self._thread: Optional[threading.Thread] = None

    def start(self, interval_s: float) -> None:
        self._interval_s = interval_s
        if self._every > 0:
            self._thread = threading.Thread(target=self._run, name="ebb.live_out", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """The caller holds the tracker's lock, so nobody waits for the thread here."""
        if self._thread is not None and not self._has_ended.is_set():
            self._has_ended.set()
            self._measured()

    def _run(self) -> None:
        while not self._has_ended.wait(self._interval_s):
            self._measured()

    def _measured(self) -> None:
        self._count += 1
        tracker = self._tracker()
        if tracker is None:
            self._has_ended.set()
        elif self._count >= self._every:
            self._count = 0
            tracker._tell_live()


class Outputs:
    """Tells handlers the figures, each the difference to what it was told before. What one raises costs the others
    nothing."""

    def __init__(self, handlers: List[Any]) -> None:
        self._handlers = handlers
        #: By handler: what it has been told so far, by whichever of its methods.
        self._told = [Amounts.none() for _ in handlers]

    def tell_figures(self, method: str, total: Amounts, data_of: Callable[[Amounts], EmissionsData]) -> None:
        data = data_of(total)
        for number, handler in enumerate(self._handlers):
            if hasattr(handler, method):
                delta = data_of(total - self._told[number])
                self._told[number] = total
                self._tell(handler, method, data, delta)

    def tell(self, method: str, *arguments: Any) -> None:
        for handler in self._handlers:
            self._tell(handler, method, *arguments)

    @staticmethod
    def _tell(handler: Any, method: str, *arguments: Any) -> None:
        """A handler without the method is left out."""
        try:
            function = getattr(handler, method, None)
            if function is not None:
                function(*arguments)
        except Exception as failure:  # whatever a handler may raise
            warn("the output handler %r: %s: %s", handler, method, failure)
