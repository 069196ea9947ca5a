"""For Weights & Biases:

    from ebb.wandb import track

    with wandb.init(project="rates") as run, track(run, zone="FR"):
        train()                                                 # with run.log(...) as before

Energy, grams, power and intensity of this process are in the run, with the names that Ebb's other trackers have
(docs/trackers.md).
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Dict, Optional, Type

from ebb._error import Error
from ebb._log import logger
from ebb._measuring import Tracker, exit_code_of
from ebb._totals import Totals


def _figures(totals: Totals, before: Optional[Totals]) -> Dict[str, float]:
    """The known figures so far; the intensity is that of the energy used since ``before``."""
    figures = {"energy/kwh": totals.facility_kwh, "energy/power_w": totals.power_w}
    if totals.facility_without_intensity_kwh > 0:
        figures["energy/without_intensity_kwh"] = totals.facility_without_intensity_kwh
    if totals.emissions_g is None:
        return figures
    figures["carbon/emissions_g"] = totals.emissions_g
    used = totals.since(before) if before else totals
    known_kwh = used.facility_kwh - used.facility_without_intensity_kwh
    if known_kwh > 0 and used.emissions_g is not None:
        figures["carbon/intensity_g_per_kwh"] = used.emissions_g / known_kwh
    return figures


def _summary(totals: Totals) -> Dict[str, float]:
    summary = {"summary/energy_kwh": totals.facility_kwh, "summary/running_time_s": totals.duration_s}
    if totals.emissions_g is not None and totals.facility_without_intensity_kwh == 0:
        summary["summary/emissions_g"] = totals.emissions_g
    return summary


class track:  # noqa: N801  (used as a function)
    """``with track(run, zone="FR") as tracker:`` measures the block into ``run``, a run of wandb; keywords are those of
    ebb.Tracker.

    Every ``every`` seconds, and at the end, the figures are added to the row that the next ``run.log()`` writes. So the
    steps of the run are those of the program.
    """

    def __init__(self, run: Any, *, every: float = 10.0, **flags: Any) -> None:
        self._run, self._every = run, every
        self._tracker = Tracker(**{"quiet": True, **flags})
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._report, name="ebb.wandb", daemon=True)
        self._before: Optional[Totals] = None

    def __enter__(self) -> Tracker:
        self._tracker.start()
        self._run.config.update({"ebb": self._tracker.settings().flags}, allow_val_change=True)
        self._thread.start()
        return self._tracker

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self._has_ended.set()
        self._thread.join()
        try:
            totals = self._tracker.stop(exit_code_of(kind))
        except Error as failure:  # an exception of the block matters more
            if kind is None:
                raise
            logger.warning("%s", failure)
            return
        if self._log(totals):
            self._run.summary.update(_summary(totals))

    def _log(self, totals: Totals) -> bool:
        try:
            self._run.log(_figures(totals, self._before), commit=False)
        except Exception as failure:  # such as a run that has ended: no reason to lose a training
            logger.warning("wandb does not get the energy of this run: %s", failure)
            return False
        self._before = totals
        return True

    def _report(self) -> None:
        while not self._has_ended.wait(self._every):
            if not self._log(self._tracker.totals):
                return
