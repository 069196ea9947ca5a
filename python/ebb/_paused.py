"""The end of a program that paused; the signals that ask for it are in _pausing.py. ebb.track needs only this."""

from __future__ import annotations

import atexit
import os
import time

#: The exit code of a program that paused with a checkpoint.
PAUSED = 75


def _report_pause(directory: str) -> None:
    """The last line of the attempt's progress. Launchers such as torchrun end with a code of their own."""
    import json

    line = json.dumps({"time_ms": time.time_ns() // 1_000_000, "event": "paused"})
    try:
        with open(os.path.join(directory, "progress.jsonl"), "a", encoding="utf-8") as file:
            file.write(("\n" if file.tell() else "") + line + "\n")
    except OSError:
        pass  # the exit code says it, too


class Paused(SystemExit):
    """Ends this program with exit code 75: paused with a checkpoint. `ebb resume`, and the service, start it again."""

    def __init__(self) -> None:
        super().__init__(PAUSED)
        directory = os.environ.get("EBB_RUN_DIR", "")
        is_first = not int(os.environ.get("RANK") or os.environ.get("LOCAL_RANK") or 0)
        if directory and is_first:
            # At the end, since a trainer's callback may report its work until then.
            atexit.register(_report_pause, directory)
