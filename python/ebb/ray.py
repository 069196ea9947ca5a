"""For Ray Tune:

    from ebb.ray import fit, measured

    results = fit(measured(train, zone="FR"), param_space=space)    # was: tune.Tuner(train, param_space=space).fit()

Each result of a trial has the energy and grams of the trial so far. fit() pauses the experiment if Ebb asks, and goes
on by the checkpoints that the trials reported to Tune. Ray jobs: ebb.ray_jobs.
"""

from __future__ import annotations

import copy
import glob
import inspect
import os
import signal
import socket
import subprocess
import sys
from typing import Any, Dict, List, Optional

import ray
from ray import tune
from ray.tune.trainable.function_trainable import wrap_function

from ebb import _checkpoints
from ebb._error import Error
from ebb._log import logger
from ebb._measuring import Tracker
from ebb._paused import Paused
from ebb._pausing import listen_alone, should_pause

_FIGURES = ("energy_kwh", "emissions_g")
#: Names the attempt that a result comes from: the machine and its run directory there.
_ATTEMPT = "ebb_run"
_has_stopped = False


def measured(trainable: Any, **flags: Any) -> Any:
    """The trainable, a function or a class, whose trials are measured; keywords are those of ebb.Tracker.

    Each result has ``energy_kwh`` and, if the intensity is known, ``emissions_g`` of the process of the trial and its
    children. The run directory is in the working directory of the trial, or in ``output_dir``.
    """
    whole: Any = trainable if inspect.isclass(trainable) else wrap_function(trainable)

    class Measured(whole):
        def setup(self, config: Dict[str, Any], **parameters: Any) -> None:
            self._begin_to_measure()
            super().setup(config, **parameters)

        def step(self) -> Dict[str, Any]:
            self._exit_code = 1  # unless this step ends well
            result: Dict[str, Any] = super().step()
            self._exit_code = 0
            return self._with_figures(result)

        def reset_config(self, new_config: Dict[str, Any]) -> bool:
            has_reset = bool(super().reset_config(new_config))
            if has_reset:  # this process goes on with another trial
                self._end_measuring()
                self._begin_to_measure()
            return has_reset

        def cleanup(self) -> None:
            try:
                super().cleanup()
            finally:
                self._end_measuring()

        def _begin_to_measure(self) -> None:
            self._exit_code = 0
            self._tracker = Tracker(**{"name": self.trial_name or "trial", "quiet": True, **flags}).start()

        def _with_figures(self, result: Dict[str, Any]) -> Dict[str, Any]:
            totals = self._tracker.totals
            figures = {name: getattr(totals, name) for name in _FIGURES}
            run = f"{socket.gethostname()}:{os.path.abspath(self._tracker.run_directory)}"
            return {**result, **{name: value for name, value in figures.items() if value is not None}, _ATTEMPT: run}

        def _end_measuring(self) -> None:
            try:
                self._tracker.stop(self._exit_code)
            except Error as failure:  # no reason to lose a trial
                logger.warning("%s", failure)

    Measured.__name__ = Measured.__qualname__ = getattr(whole, "_name", None) or whole.__name__
    return Measured


class EbbCallback(tune.Callback):
    """Adds up the attempts of each measured trial, on whatever machine they ran: a trial that was paused, moved or
    restored has in its results what all its attempts used. fit() has it already."""

    def __init__(self) -> None:
        self._trials: Dict[str, Dict[str, Dict[str, float]]] = {}

    def on_trial_result(
        self, iteration: int, trials: List[Any], trial: Any, result: Dict[str, Any], **info: Any
    ) -> None:
        if _ATTEMPT not in result:
            return
        attempts = self._trials.setdefault(trial.trial_id, {})
        attempts[result[_ATTEMPT]] = {name: result[name] for name in _FIGURES if name in result}
        for name in _FIGURES:
            result.pop(name, None)
            if all(name in attempt for attempt in attempts.values()):  # else a part is unknown
                result[name] = sum(attempt[name] for attempt in attempts.values())

    def on_step_end(self, iteration: int, trials: List[Any], **info: Any) -> None:
        global _has_stopped
        if _has_stopped or not should_pause() or all(trial.is_finished() for trial in trials):
            return
        _has_stopped = True
        signal.raise_signal(signal.SIGUSR1)  # Tune saves the experiment and ends fit()

    def get_state(self) -> Optional[Dict[str, Any]]:
        return {"trials": self._trials}

    def set_state(self, state: Dict[str, Any]) -> None:
        self._trials = state["trials"]


def _is_in_this_group(name: str) -> bool:
    """True if a process with this name is in the process group of this program."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                comm, _, rest = file.read().partition("(")[2].rpartition(")")
        except OSError:
            continue  # it has ended
        if comm == name and int(rest.split()[2]) == os.getpgrp():
            return True
    return False


def _listen() -> None:
    """Ray's own handler of SIGTERM would end this program at once."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    should_pause()


def init(**arguments: Any) -> Any:
    """``ray.init(...)``, for a program that Ebb pauses: it sends the signal to the process group of the program, and
    servers of Ray in the same group would end before the trials are saved. Outside of Ebb this is ray.init()."""
    if not _checkpoints.is_job():
        return ray.init(**arguments)
    _listen()
    own = os.getpgrp()
    words = [sys.executable, "-c", "input()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, preexec_fn=os.setpgrp) as other:
        os.setpgid(0, other.pid)  # children inherit the group
        try:
            context = ray.init(**arguments)
        finally:
            os.setpgid(0, own)
            other.kill()
    listen_alone()
    return context


def _connect() -> None:
    if not ray.is_initialized():
        init()
    elif _is_in_this_group("gcs_server"):
        raise Error("a pause would end the servers of Ray: call ebb.ray.init() in the place of ray.init()", 2)
    else:
        _listen()
        listen_alone()


def fit(trainable: Any, *, run_config: Optional[Any] = None, **arguments: Any) -> Any:
    """``ray.tune.Tuner(trainable, ...).fit()`` that Ebb can pause and resume.

    If Ebb asks for a pause, Tune saves the experiment; then ebb.Paused ends the program. When Ebb starts it again,
    trials that have ended are kept, and each of the others goes on from the checkpoint that it reported last, or begins
    anew.
    The experiment is in the ``storage_path`` of the RunConfig, else in $EBB_CHECKPOINT_DIR. Outside of Ebb this is
    Tuner.fit().
    """
    config = copy.copy(run_config or tune.RunConfig())
    config.callbacks = [*(config.callbacks or ()), EbbCallback()]
    if not _checkpoints.is_job():
        return tune.Tuner(trainable, run_config=config, **arguments).fit()
    config.name = config.name or "experiment"
    # The default is a folder of this machine, which does not travel with the job.
    if config.storage_path in (None, tune.RunConfig().storage_path):
        config.storage_path = _checkpoints.folder()
    place = os.path.join(config.storage_path, config.name)
    _connect()
    if os.environ.get("EBB_RESUME") == "1" and tune.Tuner.can_restore(place):
        tuner = tune.Tuner.restore(place, trainable, param_space=arguments.get("param_space"))
    else:
        tuner = tune.Tuner(trainable, run_config=config, **arguments)
    results = tuner.fit()
    if _has_stopped:
        with open(os.path.join(_checkpoints.folder(), "experiment"), "w", encoding="utf-8") as file:
            file.write(place + "\n")  # a sign for the service that work is kept
        raise Paused
    return results
