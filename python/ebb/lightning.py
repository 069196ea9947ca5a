"""For Lightning's Trainer, of the package lightning or pytorch_lightning:

    from ebb.lightning import EbbCallback

    trainer = Trainer(..., callbacks=[EbbCallback(zone="FR")])

Each fit() is a run in ``default_root_dir``/runs, with its epochs; keywords are those of ebb.Tracker.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from ebb._training import TrainingRun

# Both packages have a class of their own; the one that the program uses is imported already.
if "pytorch_lightning" in sys.modules and "lightning" not in sys.modules:
    from pytorch_lightning import Callback
else:
    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback


class EbbCallback(Callback):
    """``tracker`` is the ebb.Tracker of the fit: its totals, its run directory."""

    def __init__(self, **flags: Any) -> None:
        super().__init__()
        self._run = TrainingRun(**flags)

    @property
    def tracker(self) -> Any:
        return self._run.tracker

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        self._run.begin(output_dir=os.path.join(trainer.default_root_dir, "runs"))

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        self._run.end_epoch(trainer.current_epoch + 1)

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        self._run.end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self._run.end(1)
