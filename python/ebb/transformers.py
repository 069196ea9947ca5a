"""For Hugging Face's Trainer:

    from ebb.transformers import EbbCallback

    trainer = Trainer(..., callbacks=[EbbCallback(zone="FR")])

Each training is a run in ``output_dir``/ebb, with its epochs, and energy per step, sample and token; keywords are
those of ebb.Tracker. Samples and tokens are those that pass through the model in training, padding included; they need
PyTorch 2.0.
"""

from __future__ import annotations

import os
import weakref
from typing import Any

from transformers import TrainerCallback

from ebb._training import TrainingRun, count_batch

# The callback that counts the batches of a model: only the latest one, also after an exception ended a training.
_counting: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()


def _stop_counting(model: Any) -> None:
    handle = _counting.pop(model, None)
    if handle is not None:
        handle.remove()


class EbbCallback(TrainerCallback):
    """``tracker`` is the ebb.Tracker of the training: its totals, its run directory."""

    def __init__(self, **flags: Any) -> None:
        self._run = TrainingRun(**flags)

    @property
    def tracker(self) -> Any:
        return self._run.tracker

    def _count(self, model: Any, args: Any, kwargs: Any) -> None:
        if model.training:  # else it evaluates
            samples, tokens = count_batch(kwargs or args)
            self._run.add_work(samples=samples, tokens=tokens)

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._run.begin(ranks=args.world_size, output_dir=os.path.join(args.output_dir, "ebb"))
        self._run.job.start(state.global_step)
        model = kwargs.get("model")
        if model is None:
            return
        _stop_counting(model)
        try:
            _counting[model] = model.register_forward_pre_hook(self._count, with_kwargs=True)
        except TypeError:
            pass  # PyTorch 1: only steps are known

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._run.add_work(steps=1)

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._run.job.write()  # a training that goes on from this checkpoint begins here

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._run.end_epoch(round(state.epoch))

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if kwargs.get("model") is not None:
            _stop_counting(kwargs["model"])
        self._run.end()
