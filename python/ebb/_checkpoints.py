"""Checkpoints of trainers that pause as docs/training-program.md asks: where they are kept, and which one to go on from."""

from __future__ import annotations

import glob
import os
import shutil
from typing import Callable, Iterable, List, Optional

_BEGAN = "training-began"


def is_job() -> bool:
    """True under `ebb run`, `ebb serve`, a sweep or `ebb slurm run`. Elsewhere nobody asks for a pause."""
    return bool(os.environ.get("EBB_RUN_DIR"))


def is_first_rank() -> bool:
    return not int(os.environ.get("RANK") or os.environ.get("LOCAL_RANK") or 0)


def folder() -> str:
    """The folder for checkpoints of pauses. It travels with the job, unlike the folders of the trainer itself."""
    named = os.environ.get("EBB_CHECKPOINT_DIR") or os.path.join(os.environ["EBB_RUN_DIR"], "checkpoints")
    os.makedirs(named, exist_ok=True)
    return named


def _began_file() -> str:
    return os.path.join(os.environ["EBB_RUN_DIR"], _BEGAN)


def newest(patterns: Iterable[str], is_whole: Callable[[str], bool]) -> Optional[str]:
    """The latest whole checkpoint that this run has written; None: it begins.

    Checkpoints that were there before the run began belong to another training, so they do not count.
    """
    if os.environ.get("EBB_RESUME") != "1":
        if is_first_rank():
            with open(_began_file(), "w", encoding="utf-8"):
                pass
        return None
    began_ns = os.stat(_began_file()).st_mtime_ns if os.path.exists(_began_file()) else 0
    paths: List[str] = [path for pattern in patterns for path in glob.glob(pattern)]
    paths.sort(key=lambda path: os.stat(path).st_mtime_ns, reverse=True)
    return next((path for path in paths if os.stat(path).st_mtime_ns >= began_ns and is_whole(path)), None)


def keep_only(path: str, pattern: str) -> None:
    """Removes the checkpoints of earlier pauses, once this one is whole."""
    for other in glob.glob(os.path.join(glob.escape(os.path.dirname(path)), pattern)):
        if other != path:
            shutil.rmtree(other) if os.path.isdir(other) else os.remove(other)
