"""For Hugging Face's Trainer:

    from ebb.transformers import EbbCallback, train

    trainer = Trainer(..., callbacks=[EbbCallback(zone="FR")])      # measures
    train(trainer)                                                  # was: trainer.train(); can be paused by Ebb

Each training is a run in ``output_dir``/ebb, with its epochs, and energy per step, sample and token; keywords are
those of ebb.Tracker. Samples and tokens are those that pass through the model in training, padding included; they need
PyTorch 2.0.
"""

from __future__ import annotations

import glob
import json
import os
import weakref
from typing import Any, Dict

from transformers import TrainerCallback

from ebb import _checkpoints
from ebb._paused import PAUSED, Paused
from ebb._pausing import should_pause
from ebb._training import TrainingRun, count_batch

# The callback that counts the batches of a model: only the latest one, also after an exception ended a training.
_counting: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()

_CHECKPOINTS = "checkpoint-*"


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


def _any_rank(asked: bool, args: Any) -> bool:
    """True in all ranks as soon as one of them was asked, so that they save the same step."""
    if args.world_size < 2:
        return asked
    import torch

    if not torch.distributed.is_initialized():
        return asked
    flag = torch.tensor([int(asked)], device=args.device)
    torch.distributed.all_reduce(flag, op=torch.distributed.ReduceOp.MAX)
    return bool(flag.item())


def _wait_for_ranks(args: Any) -> None:
    """A launcher ends all ranks once one has ended, also the one that still writes."""
    if args.world_size > 1:
        import torch

        if torch.distributed.is_initialized():
            torch.distributed.barrier()


class _Pause(TrainerCallback):
    """Has the trainer write one of its checkpoints when Ebb asks for a pause, and ends the training after that."""

    def __init__(self) -> None:
        self._kept: Dict[str, Any] = {}

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        # Evaluations of an epoch come after its last step, and a checkpoint of that step would leave them out.
        is_last_of_epoch = state.epoch is not None and abs(state.epoch - round(state.epoch)) < 1e-9
        if not _any_rank(should_pause(), args) or is_last_of_epoch or state.global_step >= state.max_steps:
            return
        changed = {"output_dir": _checkpoints.folder(), "save_only_model": False, "push_to_hub": False}
        self._kept = {name: getattr(args, name) for name in changed if hasattr(args, name)}
        for name in self._kept:
            setattr(args, name, changed[name])
        control.should_save = True
        if getattr(args.logging_strategy, "value", args.logging_strategy) == "steps":
            control.should_log = True  # else the loss since the last log is lost

    def restore(self, args: Any) -> None:
        for name, value in self._kept.items():
            setattr(args, name, value)
        self._kept = {}

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if not self._kept:
            return  # one of the trainer's own
        written = os.path.join(args.output_dir, f"checkpoint-{state.global_step}")
        self.restore(args)
        _wait_for_ranks(args)
        if _checkpoints.is_first_rank():
            _checkpoints.keep_only(written, _CHECKPOINTS)
        raise Paused


def _is_whole(checkpoint: str) -> bool:
    """The trainer's state is the file that it writes last."""
    try:
        with open(os.path.join(checkpoint, "trainer_state.json"), encoding="utf-8") as file:
            return int(json.load(file)["global_step"]) > 0
    except (OSError, ValueError, KeyError):
        return False


def train(trainer: Any, **arguments: Any) -> Any:
    """``trainer.train(**arguments)`` that Ebb can pause and resume.

    If Ebb asks for a pause, the trainer finishes its step and writes one of its checkpoints into $EBB_CHECKPOINT_DIR;
    then ebb.Paused ends the program. When Ebb starts the program again, the training goes on from the newest whole
    checkpoint there or in ``output_dir``. Outside of Ebb this is trainer.train().
    """
    if not _checkpoints.is_job():
        return trainer.train(**arguments)
    should_pause()  # from here on this program listens
    places = [os.path.join(glob.escape(place), _CHECKPOINTS) for place in (_checkpoints.folder(), trainer.args.output_dir)]
    checkpoint = _checkpoints.newest(places, _is_whole)
    if checkpoint is not None:
        arguments["resume_from_checkpoint"] = checkpoint
    pause = _Pause()
    trainer.add_callback(pause)
    try:
        return trainer.train(**arguments)
    except Paused:
        for callback in trainer.callback_handler.callbacks:
            if isinstance(callback, EbbCallback):
                callback._run.end(PAUSED)
        trainer.callback_handler.on_train_end(trainer.args, trainer.state, trainer.control)
        raise
    finally:
        pause.restore(trainer.args)
        trainer.remove_callback(pause)
