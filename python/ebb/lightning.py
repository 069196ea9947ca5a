"""For Lightning's Trainer, of the package lightning or pytorch_lightning:

    from ebb.lightning import EbbCallback

    trainer = Trainer(..., callbacks=[EbbCallback(zone="FR")])

Each fit() is a run in ``default_root_dir``/runs, with its epochs, and energy per step, sample and (of batches with
``input_ids``) token; keywords are those of ebb.Tracker.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from ebb._training import TrainingRun, count_batch

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
        self._steps = 0

    @property
    def tracker(self) -> Any:
        return self._run.tracker

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        runs = os.path.join(trainer.default_root_dir, "runs")
        self._run.begin(trainer.num_devices, trainer.world_size, output_dir=runs)

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self._steps = trainer.global_step  # a checkpoint has been loaded by now
        self._run.job.start(self._steps)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, *args: Any, **kwargs: Any) -> None:
        samples, tokens = count_batch(batch)
        # Gradients may be accumulated over several batches.
        self._run.add_work(max(0, trainer.global_step - self._steps), samples, tokens)
        self._steps = trainer.global_step

    def on_save_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: Any) -> None:
        self._run.job.write()  # a training that goes on from this checkpoint begins here

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        self._run.end_epoch(trainer.current_epoch + 1)

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        self._run.end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        self._run.end(1)
