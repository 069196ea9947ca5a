"""For Hugging Face's Trainer:

    from ebb.transformers import EbbCallback

    trainer = Trainer(..., callbacks=[EbbCallback(zone="FR")])

Each training is a run in ``output_dir``/ebb, with its epochs; keywords are those of ebb.Tracker.
"""

from __future__ import annotations

import os
from typing import Any

from transformers import TrainerCallback

from ebb._training import TrainingRun


class EbbCallback(TrainerCallback):
    """``tracker`` is the ebb.Tracker of the training: its totals, its run directory."""

    def __init__(self, **flags: Any) -> None:
        self._run = TrainingRun(**flags)

    @property
    def tracker(self) -> Any:
        return self._run.tracker

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._run.begin(output_dir=os.path.join(args.output_dir, "ebb"))

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._run.end_epoch(round(state.epoch))

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._run.end()
