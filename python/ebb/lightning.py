"""For Lightning's Trainer, of the package lightning or pytorch_lightning:

    from ebb.lightning import EbbCallback, fit

    trainer = Trainer(..., callbacks=[EbbCallback(zone="FR")])      # measures
    fit(trainer, model, loader)                                     # was: trainer.fit(model, loader); can be paused by Ebb

Each fit() is a run in ``default_root_dir``/runs, with its epochs, and energy per step, sample and (of batches with
``input_ids``) token; keywords are those of ebb.Tracker.
"""

from __future__ import annotations

import glob
import os
import random
import sys
import zipfile
from typing import Any, Dict, List, Optional

import torch

from ebb import _checkpoints
from ebb._paused import PAUSED, Paused
from ebb._pausing import listen_alone, should_pause
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
        self._run.end(PAUSED if isinstance(exception, Paused) else 1)


_CHECKPOINTS = "*.ckpt"


def _random_state() -> Dict[str, Any]:
    """The generators that data, samplers and layers draw from, as types that any torch.load reads."""
    state: Dict[str, Any] = {"python": random.getstate(), "torch": torch.get_rng_state()}
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state_all()
    if "numpy" in sys.modules:
        kind, keys, *rest = sys.modules["numpy"].random.get_state()
        state["numpy"] = (kind, keys.tolist(), *rest)
    return state


def _set_random_state(state: Dict[str, Any]) -> None:
    version, numbers, following = state["python"]
    random.setstate((version, tuple(numbers), following))
    torch.set_rng_state(state["torch"])
    if "cuda" in state and len(state["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(state["cuda"])
    if "numpy" in state:
        import numpy

        kind, keys, *rest = state["numpy"]
        numpy.random.set_state((kind, numpy.array(keys, dtype=numpy.uint32), *rest))


class _Pause(Callback):
    """Has the trainer write one of its checkpoints when Ebb asks for a pause, and ends the training after that.

    A checkpoint of Lightning knows how many batches of the epoch are done, but not which: with it goes the state of the
    random numbers from which the epoch's order was drawn, so that the same order is drawn again and its first batches
    are left out.
    """

    def __init__(self) -> None:
        self._epoch: Dict[str, Any] = {}
        self._next_batch: Dict[str, Any] = {}
        self._has_validated = self._goes_on = False
        self._steps_since_asked = 0

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        if self._goes_on:
            _set_random_state(self._epoch)  # the order is drawn after this
        self._epoch = _random_state()

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        listen_alone()

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        if self._goes_on:
            self._leave_out_done_batches(trainer)
            # Lightning takes what it goes on from for the end of an epoch, and would step schedulers twice at the next.
            trainer.fit_loop._restarting = False
        elif trainer.current_epoch > 0:
            self._epoch = _random_state()
        self._goes_on = False

    def _leave_out_done_batches(self, trainer: Any) -> None:
        done = trainer.fit_loop.epoch_loop.batch_progress.current.completed
        iterator = getattr(trainer.fit_loop._data_fetcher, "iterator", None)
        loaders = trainer.train_dataloader
        loaders = loaders if isinstance(loaders, (list, tuple)) else [loaders]
        if not done or iterator is None or all(hasattr(loader, "load_state_dict") for loader in loaders):
            return  # loaders with a state of their own know where they were
        for _ in range(done):
            next(iterator)
        _set_random_state(self._next_batch)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, *args: Any, **kwargs: Any) -> None:
        asked = should_pause()
        if trainer.world_size > 1:  # all ranks save the same step
            asked = trainer.strategy.reduce_boolean_decision(asked, all=False)
        if asked:
            self._has_validated = False
            self._steps_since_asked += 1
            self._next_batch = _random_state()

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        self._has_validated = True

    def on_train_batch_start(self, trainer: Any, pl_module: Any, *args: Any, **kwargs: Any) -> None:
        # Here the step before is counted, logged and validated, in contrast to on_train_batch_end. Lightning repeats a
        # validation that comes right before a checkpoint, so the pause comes a batch later, unless each batch has one.
        if not self._steps_since_asked:
            return
        is_first_of_epoch = trainer.fit_loop.epoch_loop.batch_progress.current.completed == 0
        if (self._has_validated or is_first_of_epoch) and self._steps_since_asked < 3:
            return
        path = os.path.join(_checkpoints.folder(), f"step-{trainer.global_step}.ckpt")
        trainer.save_checkpoint(path + ".part")
        if trainer.is_global_zero:
            os.replace(path + ".part", path)
            _checkpoints.keep_only(path, _CHECKPOINTS)
        trainer.strategy.barrier("ebb has paused")
        raise Paused

    def state_dict(self) -> Dict[str, Any]:
        return {"epoch": self._epoch, "next_batch": self._next_batch} if self._steps_since_asked else {}

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        if state_dict.get("epoch"):
            self._epoch, self._next_batch = state_dict["epoch"], state_dict["next_batch"]
            self._goes_on = True


def _is_whole(checkpoint: str) -> bool:
    """A checkpoint that was cut off has no end of its archive. Those of sharded models are folders."""
    return os.path.isdir(checkpoint) or zipfile.is_zipfile(checkpoint)


def fit(trainer: Any, model: Any, *data: Any, ckpt_path: Optional[str] = None, **arguments: Any) -> None:
    """``trainer.fit(model, *data, ...)`` that Ebb can pause and resume.

    If Ebb asks for a pause, the trainer finishes its step and writes one of its checkpoints into $EBB_CHECKPOINT_DIR;
    then ebb.Paused ends the program. When Ebb starts the program again, the training goes on from the newest whole
    checkpoint there, or of a ModelCheckpoint with a ``dirpath``. Outside of Ebb this is trainer.fit().
    """
    if _checkpoints.is_job():
        should_pause()  # from here on this program listens
        places: List[str] = [_checkpoints.folder()]
        places += [callback.dirpath for callback in trainer.checkpoint_callbacks if getattr(callback, "dirpath", None)]
        patterns = [os.path.join(glob.escape(place), _CHECKPOINTS) for place in places]
        ckpt_path = _checkpoints.newest(patterns, _is_whole) or ckpt_path
        trainer.callbacks.append(_Pause())
    trainer.fit(model, *data, ckpt_path=ckpt_path, **arguments)
