"""What the callbacks of trainers have in common: a run from the trainer's start to its end, with epochs and work."""

from __future__ import annotations

import functools
import json
import operator
import os
import time
from collections.abc import Mapping
from typing import Any, Dict, Iterable, Optional, Tuple

from ebb._error import Error
from ebb._log import logger
from ebb._measuring import Tracker, measuring


def _shapes(batch: Any) -> Iterable[Tuple[int, ...]]:
    """Of the tensors in a batch, in its order."""
    shape = getattr(batch, "shape", None)
    if shape is not None:
        yield tuple(int(size) for size in shape)
    elif isinstance(batch, (list, tuple)) or isinstance(batch, Mapping):
        for part in batch.values() if isinstance(batch, Mapping) else batch:
            yield from _shapes(part)


def count_batch(batch: Any) -> Tuple[int, int]:
    """Samples and tokens of a batch; 0: not known. Tokens are those of ``input_ids``, padding included."""
    if isinstance(batch, Mapping) and "input_ids" in batch:
        for shape in _shapes(batch["input_ids"]):
            return (shape[0] if shape else 0), functools.reduce(operator.mul, shape, 1)
    for shape in _shapes(batch):
        if shape:
            return shape[0], 0
    return 0, 0


_COUNTS = ("step", "samples_seen", "tokens_seen")


def _counts_at(file: str, step: int) -> Dict[str, int]:
    """What a progress file says of the training at the latest step up to this one."""
    found: Dict[str, int] = {}
    with open(file, encoding="utf-8", errors="replace") as lines:
        for text in lines:
            try:
                line = json.loads(text)
            except ValueError:
                continue  # half a line, of an attempt that was killed
            if not isinstance(line, dict):
                continue
            counts = {name: line[name] for name in _COUNTS if isinstance(line.get(name), int)}
            if found.get("step", 0) <= counts.get("step", -1) <= step:
                found = counts
    return found


class JobProgress:
    """The work of the job, or run of `ebb run`, that this program is: lines of $EBB_RUN_DIR/progress.jsonl
    (docs/training-program.md). Without one, and in all ranks but the first, nothing."""

    EVERY_S = 0.2

    #: By file: what this process has reported, so that a second training goes on counting.
    _reported: Dict[str, Dict[str, int]] = {}

    def __init__(self, ranks: int) -> None:
        directory = os.environ.get("EBB_RUN_DIR", "")
        is_first = not int(os.environ.get("RANK") or os.environ.get("LOCAL_RANK") or 0)
        self._file = os.path.join(directory, "progress.jsonl") if directory and is_first else ""
        self._ranks = ranks
        self._counts: Dict[str, int] = {}
        self._write_at = 0.0

    def start(self, step: int, samples: Optional[int] = None, tokens: Optional[int] = None) -> None:
        """The training begins after ``step``; None: not known, perhaps said in the file."""
        if not self._file:
            return
        before = self._reported.get(self._file)
        if before is not None and not step:
            self._counts = dict(before)
        elif not step:
            self._counts = {name: 0 for name in _COUNTS}
        else:
            known = {"step": step, "samples_seen": samples, "tokens_seen": tokens}
            self._counts = {name: count for name, count in known.items() if count is not None}
            if samples is None and os.path.exists(self._file):
                self._counts = {**_counts_at(self._file, step), "step": step}
        self._write("resume" if self._counts.get("step") else "begin")

    def add(self, steps: int, samples: int, tokens: int) -> None:
        if not self._file or not self._counts:
            return
        for name, more in zip(_COUNTS, (steps, samples * self._ranks, tokens * self._ranks)):
            if name in self._counts:
                self._counts[name] += more
        if time.monotonic() >= self._write_at:
            self._write("step")

    def write(self) -> None:
        """Now: at a checkpoint, and at the end."""
        if self._file and self._counts:
            self._write("step")

    def _write(self, event: str) -> None:
        self._reported[self._file] = self._counts
        self._write_at = time.monotonic() + self.EVERY_S
        # A count that never grew is not known.
        counts = {name: count for name, count in self._counts.items() if count or event != "step"}
        line = json.dumps({"time_ms": time.time_ns() // 1_000_000, "event": event, **counts})
        # An attempt that was killed may have left half a line.
        first = "" if event == "step" else "\n"
        try:
            with open(self._file, "a", encoding="utf-8") as file:
                file.write((first if file.tell() else "") + line + "\n")
        except OSError as failure:  # no reason to lose a training
            logger.warning("progress is no longer reported: %s", failure)
            self._file = ""


class TrainingRun:
    """Keywords are those of ebb.Tracker. Inside a tracker that measures already only its epochs and its
    work are marked, since the process is measured once."""

    def __init__(self, **flags: Any) -> None:
        self._flags = flags
        self._owned = False
        self._ranks = 1
        self.job = JobProgress(1)
        self.tracker: Optional[Tracker] = None

    def begin(self, local_ranks: Optional[int] = None, ranks: Optional[int] = None, **defaults: Any) -> None:
        """Of ``ranks`` that do alike work, so many are on this machine. ``defaults`` are used where the keywords say
        nothing."""
        self.tracker = measuring()
        self._owned = self.tracker is None
        if self.tracker is None:
            self.tracker = Tracker(**{**defaults, **self._flags}).start()
        # The energy of the machine is that of all its ranks; else each rank has its own.
        local = local_ranks or int(os.environ.get("LOCAL_WORLD_SIZE") or 1)
        self._ranks = local if self.tracker.settings().flags.get("scope") == "machine" else 1
        self.job = JobProgress(ranks or int(os.environ.get("WORLD_SIZE") or 1))

    def add_work(self, steps: int = 0, samples: int = 0, tokens: int = 0) -> None:
        """Of this rank; a step is one of all ranks."""
        if self.tracker is None:
            return
        try:
            self.tracker.add_work(steps, samples * self._ranks, tokens * self._ranks)
        except Error as failure:  # no reason to lose a training
            logger.warning("%s", failure)
        self.job.add(steps, samples, tokens)

    def end_epoch(self, number: int) -> None:
        if self.tracker is None:
            return
        self.job.write()
        try:
            self.tracker.mark_epoch(max(1, number))
        except Error as failure:  # no reason to lose a training
            logger.warning("%s", failure)

    def end(self, exit_code: int = 0) -> None:
        """Stops what begin() started; again: nothing."""
        self.job.write()
        if self.tracker is None or not self._owned:
            return
        self._owned = False
        try:
            self.tracker.stop(exit_code)
        except Error as failure:
            logger.warning("%s", failure)
