"""For Keras:

    from ebb.keras import EbbCallback

    model.fit(..., callbacks=[EbbCallback(zone="FR")])

Each fit() is a run in ``runs``, with its epochs; keywords are those of ebb.Tracker.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional

try:
    from keras.callbacks import Callback
except ImportError:
    from tensorflow.keras.callbacks import Callback

from ebb._training import TrainingRun


class EbbCallback(Callback):
    """``tracker`` is the ebb.Tracker of the fit: its totals, its run directory."""

    def __init__(self, **flags: Any) -> None:
        super().__init__()
        self._run = TrainingRun(**flags)

    @property
    def tracker(self) -> Any:
        return self._run.tracker

    def on_train_begin(self, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._run.begin()

    def on_epoch_end(self, epoch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._run.end_epoch(epoch + 1)

    def on_train_end(self, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._run.end()
