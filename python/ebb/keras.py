"""For Keras:

    from ebb.keras import EbbCallback, fit

    model.fit(..., callbacks=[EbbCallback(zone="FR", batch_size=32)])       # measures
    fit(model, ...)                                                         # was: model.fit(...); can be paused by Ebb

Each fit() is a run in ``runs``, with its epochs, and energy per step; keywords are those of ebb.Tracker. Keras does not
tell callbacks how large a batch is: with ``batch_size`` (that of fit(), or of the dataset) there is energy per sample,
where the last batch of an epoch counts as a whole one; with ``tokens_per_sample`` also per token.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import random
import sys
from typing import Any, Dict, Iterator, List, Mapping, Optional

import numpy

try:
    from keras.callbacks import Callback
except ImportError:
    from tensorflow.keras.callbacks import Callback

try:
    from keras.src.trainers.epoch_iterator import EpochIterator
except ImportError:
    EpochIterator = None  # pauses come at the end of an epoch

from ebb import _checkpoints
from ebb._paused import PAUSED, Paused
from ebb._pausing import should_pause
from ebb._training import TrainingRun


class EbbCallback(Callback):
    """``tracker`` is the ebb.Tracker of the fit: its totals, its run directory."""

    def __init__(self, batch_size: int = 0, tokens_per_sample: int = 0, **flags: Any) -> None:
        super().__init__()
        self._run = TrainingRun(**flags)
        self._batch_size, self._tokens_per_sample = batch_size, tokens_per_sample
        self._batches, self._has_begun = 0, False
        #: Batches of the first epoch that were done before a pause.
        self._batches_before = 0

    @property
    def tracker(self) -> Any:
        return self._run.tracker

    def on_train_begin(self, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._run.begin()
        self._has_begun = False

    def on_epoch_begin(self, epoch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._batches, self._batches_before = self._batches_before, 0
        # fit() with an initial_epoch goes on from a checkpoint.
        if not self._has_begun:
            step = epoch * ((self.params or {}).get("steps") or 0) + self._batches
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


_STATES, _WEIGHTS = ".json", ".weights.h5"


def _random_state() -> Dict[str, Any]:
    """The generators that the order of the data and its augmentation draw from. Those of layers are variables."""
    drawn: Any = numpy.random.get_state()
    kind, keys, *rest = drawn
    state: Dict[str, Any] = {"python": random.getstate(), "numpy": [kind, keys.tolist(), *rest]}
    if "torch" in sys.modules:
        state["torch"] = sys.modules["torch"].get_rng_state().tolist()
    return state


def _set_random_state(state: Mapping[str, Any]) -> None:
    version, numbers, following = state["python"]
    random.setstate((version, tuple(numbers), following))
    kind, keys, *rest = state["numpy"]
    numpy.random.set_state((kind, numpy.array(keys, dtype=numpy.uint32), *rest))
    if "torch" in state and "torch" in sys.modules:
        torch = sys.modules["torch"]
        torch.set_rng_state(torch.tensor(state["torch"], dtype=torch.uint8))


def _seeds(model: Any) -> List[Any]:
    """Those of layers, which are in no file of weights."""
    others = {id(variable) for variable in (*model.weights, *_sums_of_metrics(model))}
    return [variable for variable in model.variables if id(variable) not in others]


def _sums_of_metrics(model: Any) -> List[Any]:
    """What the metrics of the epoch have added up so far."""
    return list(getattr(model, "metrics_variables", ()))


def _values(variables: List[Any]) -> List[Any]:
    return [numpy.asarray(variable).ravel().tolist() for variable in variables]


def _assign(variables: List[Any], values: List[Any]) -> None:
    for variable, value in zip(variables, values):
        variable.assign(numpy.array(value, dtype=variable.dtype).reshape(variable.shape))


class _Pause(Callback):
    """Writes a file of weights, with those of the optimizer, and a file with the rest when Ebb asks for a pause."""

    def __init__(self, state: Optional[Dict[str, Any]], weights: str) -> None:
        super().__init__()
        self._state, self._weights = state, weights
        self._epoch, self._epoch_random = 0, _random_state()
        self._begins_epoch = False

    def on_train_begin(self, logs: Optional[Mapping[str, Any]] = None) -> None:
        model = self.model
        if self._state is not None:
            if model.optimizer is not None and not model.optimizer.built:
                model.optimizer.build(model.trainable_variables)
            model.load_weights(self._weights)

    def on_epoch_begin(self, epoch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._epoch, self._begins_epoch = epoch, True
        if self._state is None:
            self._epoch_random = _random_state()
            return
        model = self.model
        _assign(_seeds(model), self._state["seeds"])
        if self._state["batch"]:
            _assign(_sums_of_metrics(model), self._state["metrics"])
        self._epoch_random = self._state["epoch_random"]
        _set_random_state(self._epoch_random)

    def batches(self, iterate: Any, iterator: Any) -> Iterator[Any]:
        """Those of an epoch, without the ones that were done before the pause: the same order is drawn again."""
        batches = iterate(iterator)
        if self._begins_epoch and self._state is not None:
            for _ in range(0, self._state["batch"], iterator.steps_per_execution):
                _, _, data = next(batches)
                for _ in range(iterator.steps_per_execution):
                    next(data)
            _set_random_state(self._state["random"])
            self._state = None
        self._begins_epoch = False
        yield from batches

    def on_train_batch_end(self, batch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        # An epoch ends with validations and metrics, so its last batch is left to on_epoch_end.
        is_last = batch + 1 >= ((self.params or {}).get("steps") or 0)
        if should_pause() and EpochIterator is not None and not is_last:
            self._pause(self._epoch, batch + 1, self._epoch_random)

    def on_epoch_end(self, epoch: int, logs: Optional[Mapping[str, Any]] = None) -> None:
        self._state = None
        if should_pause() and epoch + 1 < (self.params or {}).get("epochs", 0):
            self._pause(epoch + 1, 0, _random_state())

    def _pause(self, epoch: int, batch: int, epoch_random: Mapping[str, Any]) -> None:
        model = self.model
        path = os.path.join(_checkpoints.folder(), f"epoch-{epoch}-batch-{batch}")
        model.save_weights(path + _WEIGHTS, overwrite=True)
        state = {
            "epoch": epoch,
            "batch": batch,
            "random": _random_state(),
            "epoch_random": epoch_random,
            "seeds": _values(_seeds(model)),
            "metrics": _values(_sums_of_metrics(model)),
        }
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(state, file)
        os.replace(path + ".part", path + _STATES)
        _checkpoints.keep_only(path + _STATES, "*" + _STATES)
        _checkpoints.keep_only(path + _WEIGHTS, "*" + _WEIGHTS)
        raise Paused


@contextlib.contextmanager
def _leaving_out_done_batches(pause: _Pause) -> Iterator[None]:
    if EpochIterator is None:
        yield
        return
    iterate = EpochIterator._enumerate_iterator
    EpochIterator._enumerate_iterator = lambda iterator: pause.batches(iterate, iterator)
    try:
        yield
    finally:
        EpochIterator._enumerate_iterator = iterate


def _is_whole(path: str) -> bool:
    return os.path.exists(path[: -len(_STATES)] + _WEIGHTS)


def fit(model: Any, *data: Any, callbacks: Any = None, **arguments: Any) -> Any:
    """``model.fit(*data, ...)`` that Ebb can pause and resume.

    If Ebb asks for a pause, fit() finishes its step, and the weights, the optimizer and the place in the epoch go into
    $EBB_CHECKPOINT_DIR; then ebb.Paused ends the program. When Ebb starts the program again, fit() goes on from there.
    Outside of Ebb this is model.fit().
    """
    if not _checkpoints.is_job():
        return model.fit(*data, callbacks=callbacks, **arguments)
    should_pause()  # from here on this program listens
    found = _checkpoints.newest([os.path.join(glob.escape(_checkpoints.folder()), "*" + _STATES)], _is_whole)
    state = None
    if found is not None:
        with open(found, encoding="utf-8") as file:
            state = json.load(file)
        arguments["initial_epoch"] = state["epoch"]
    pause = _Pause(state, found[: -len(_STATES)] + _WEIGHTS if found else "")
    callbacks = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks] if callbacks else []
    measuring = [callback for callback in callbacks if isinstance(callback, EbbCallback)]
    for callback in measuring:
        callback._batches_before = state["batch"] if state else 0
    try:
        with _leaving_out_done_batches(pause):
            return model.fit(*data, callbacks=[*callbacks, pause], **arguments)
    except Paused:
        for callback in measuring:
            callback._run.end(PAUSED)
        raise
