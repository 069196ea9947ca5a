"""What the callbacks of trainers have in common: a run from the trainer's start to its end, with epochs."""

from __future__ import annotations

from typing import Any, Optional

from ebb._measuring import Error, Tracker, logger, measuring


class TrainingRun:
    """Keywords are those of ebb.Tracker. Inside a tracker that measures already only its epochs are
    marked, since the process is measured once."""

    def __init__(self, **flags: Any) -> None:
        self._flags = flags
        self._owned = False
        self.tracker: Optional[Tracker] = None

    def begin(self, **defaults: Any) -> None:
        """``defaults`` are used where the keywords say nothing."""
        self.tracker = measuring()
        self._owned = self.tracker is None
        if self.tracker is None:
            self.tracker = Tracker(**{**defaults, **self._flags}).start()

    def end_epoch(self, number: int) -> None:
        if self.tracker is None:
            return
        try:
            self.tracker.mark_epoch(max(1, number))
        except Error as failure:  # no reason to lose a training
            logger.warning("%s", failure)

    def end(self, exit_code: int = 0) -> None:
        """Stops what begin() started; again: nothing."""
        if self.tracker is None or not self._owned:
            return
        self._owned = False
        try:
            self.tracker.stop(exit_code)
        except Error as failure:
            logger.warning("%s", failure)
