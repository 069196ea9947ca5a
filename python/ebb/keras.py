"""For Keras:

    from ebb.keras import EbbCallback

    model.fit(..., callbacks=[EbbCallback(zone="FR", batch_size=32)])

Each fit() is a run in ``runs``, with its epochs, and energy per step; keywords are those of ebb.Tracker. Keras does not
tell callbacks how large a batch is: with ``batch_size`` (that of fit(), or of the dataset) there is energy per sample,
where the last batch of an epoch counts as a whole one; with ``tokens_per_sample`` also per token.
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

    def __init__(self, batch_size: int = 0, tokens_per_sample: int = 0, **flags: Any) -> None:
        super().__init__()
        self._run = TrainingRun(**flags)
        self._batch_size, self._tokens_per_sample = batch_size, tokens_per_sample
        self._batches, self._has_begun = 0, False

    @property
    def tracker(self) -> Any:
        return self._run.tracker

    def on_train_begin(self, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._run.begin()
        self._has_begun = False

    def on_epoch_begin(self, epoch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._batches = 0
        # fit() with an initial_epoch goes on from a checkpoint.
        if not self._has_begun:
            step = epoch * ((self.params or {}).get("steps") or 0)
            samples = step * self._batch_size
            self._run.job.start(step, samples, samples * self._tokens_per_sample)
        self._has_begun = True

    def on_train_batch_end(self, batch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        # Several batches, where fit() takes several steps in one execution.
        steps, self._batches = batch + 1 - self._batches, batch + 1
        samples = steps * self._batch_size
        self._run.add_work(steps, samples, samples * self._tokens_per_sample)

    def on_epoch_end(self, epoch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._run.end_epoch(epoch + 1)

    def on_train_end(self, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._run.end()
