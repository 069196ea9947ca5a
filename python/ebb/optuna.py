"""For Optuna:

    from ebb.optuna import measured, optimize

    study = optuna.create_study(storage="sqlite:///study.db", study_name="rates", load_if_exists=True)
    optimize(study, measured(objective), n_trials=100)          # was: study.optimize(objective, n_trials=100)

Each trial has its energy, grams and time as user attributes. With ``second="emissions_g"`` (or "energy_kwh") the grams
are a second objective, for a study with two directions. optimize() pauses between trials if Ebb asks.
"""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, Optional

from ebb import _checkpoints
from ebb._error import Error
from ebb._measuring import Tracker
from ebb._paused import Paused
from ebb._pausing import should_pause

_FIGURES = ("energy_kwh", "emissions_g", "duration_s")
_TARGET = "ebb_trials"


def measured(objective: Callable[..., Any], *, second: Optional[str] = None, **flags: Any) -> Callable[..., Any]:
    """The objective, whose trials are measured; keywords are those of ebb.Tracker.

    Trials that run at the same time in threads of one process share its energy: each has what the process used while
    the trial ran. Use processes for figures that add up.
    """
    if second not in (None, "emissions_g", "energy_kwh"):
        raise Error(f'a second objective is "emissions_g" or "energy_kwh", not "{second}"', 2)

    @functools.wraps(objective)
    def measuring(trial: Any) -> Any:
        tracker = Tracker(**{"name": f"trial-{trial.number}", "quiet": True, **flags}).start()
        code = 1
        try:
            value = objective(trial)
            code = 0
        finally:
            totals = tracker.stop(code)
            for name in _FIGURES:
                trial.set_user_attr(name, getattr(totals, name))
        if second is None:
            return value
        cost = getattr(totals, second)
        if cost is None:
            raise Error("no carbon intensity is known, so the grams of this trial are unknown: give a zone", 4)
        return (*(value if isinstance(value, (tuple, list)) else (value,)), cost)

    return measuring


def _ended(study: Any) -> int:
    return sum(trial.state.is_finished() for trial in study.get_trials(deepcopy=False))


def optimize(study: Any, objective: Callable[..., Any], n_trials: int, **arguments: Any) -> None:
    """``study.optimize(objective, n_trials, ...)`` that Ebb can pause and resume.

    If Ebb asks for a pause, the trials that run are finished; then ebb.Paused ends the program. When Ebb starts it
    again, the rest of ``n_trials`` run, so the study needs a storage that outlives the program. Outside of Ebb this is
    study.optimize().
    """
    if not _checkpoints.is_job():
        study.optimize(objective, n_trials=n_trials, **arguments)
        return
    should_pause()  # from here on this program listens
    target = study.user_attrs.get(_TARGET) if os.environ.get("EBB_RESUME") == "1" else None
    if target is None:
        target = _ended(study) + n_trials
        study.set_user_attr(_TARGET, target)

    def stop(study: Any, trial: Any) -> None:
        if should_pause():
            study.stop()

    callbacks = [*(arguments.pop("callbacks", None) or ()), stop]
    study.optimize(objective, n_trials=max(0, target - _ended(study)), callbacks=callbacks, **arguments)
    if should_pause() and _ended(study) < target:
        mark = os.path.join(_checkpoints.folder(), "trials")  # a sign for the service that work is kept
        with open(mark, "w", encoding="utf-8") as file:
            file.write(f"{_ended(study)}\n")
        raise Paused
