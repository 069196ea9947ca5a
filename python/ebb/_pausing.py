"""Pausing inside a loop, as docs/training-program.md asks of a program:

    if ebb.should_pause():
        save()
        raise ebb.Paused
"""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType
from typing import Any, Dict, Optional

from ebb._error import Error

_asked = False
_before: Dict[int, Any] = {}


def _ask(number: int, frame: Optional[FrameType]) -> None:
    global _asked
    if _asked and number == signal.SIGINT:
        raise KeyboardInterrupt  # a second Ctrl-C means: at once
    _asked = True
    before = _before.get(number)
    if callable(before) and before is not signal.default_int_handler:
        before(number, frame)


def _listen() -> None:
    if _before:
        return
    if threading.current_thread() is not threading.main_thread():
        raise Error("call should_pause() in the main thread first: only there can Python handle signals", 2)
    for number in (signal.SIGTERM, signal.SIGINT):
        _before[number] = signal.getsignal(number)
        signal.signal(number, _ask)


def should_pause() -> bool:
    """True once Ebb has asked this program to pause: then write a checkpoint and raise ebb.Paused.

    The first call, in the main thread, begins to listen, so call it once before the first step. Outside of Ebb
    ($EBB_RUN_DIR is not set) it is always False and signals keep their meaning. Each process decides by itself: ranks
    of one training must agree on the step, for example by an all-reduce of this value.
    """
    if not os.environ.get("EBB_RUN_DIR"):
        return False
    _listen()
    return _asked


def listen_alone() -> None:
    """Takes the signals back from a trainer that has its own handlers for them and would end at once. Call it after the
    trainer has set these."""
    if should_pause() or _before:
        for number in _before:
            signal.signal(number, _ask)
