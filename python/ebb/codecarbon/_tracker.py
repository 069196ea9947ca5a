"""CodeCarbon's tracker: a window over the measurement of this process."""

from __future__ import annotations

import atexit
import functools
import os
import threading
import time

from ebb._error import Error
from ebb._log import warn
from ebb._measuring import Tracker, exit_code_of, measuring_lock
from ebb.codecarbon._amounts import Amounts, facts_of
from ebb.codecarbon._measurement import CountedElsewhere, Measurement, join
from ebb.codecarbon._members import PrivateMembers
from ebb.codecarbon._outputs import LIVE_EVERY, Live, Outputs, seconds_of

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Set, Tuple, Union

    from ebb._settings import Settings
    from ebb.codecarbon._rows import EmissionsData

# Trackers that were started and not stopped: their rows are written when the interpreter ends.
_started: Set[EmissionsTracker] = set()


@atexit.register
def _stop_all() -> None:
    for tracker in list(_started):
        try:
            tracker.stop()
        except Error:
            pass  # a forked child, or a full disk: there is nobody left to tell


class _Task:
    """Of CodeCarbon's Task what programs look at."""

    def __init__(self, task_name: str, begin: Amounts) -> None:
        self.task_name, self.begin = task_name, begin
        self.emissions_data: Optional[EmissionsData] = None

    @property
    def is_active(self) -> bool:
        return self.emissions_data is None


def _unique() -> str:
    import uuid  # takes a while to load

    return str(uuid.uuid4())


def _locked(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def alone(self: EmissionsTracker, *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            return method(self, *args, **kwargs)

    return alone


class EmissionsTracker(PrivateMembers):
    """In the place of CodeCarbon's: start(), stop() and flush() return kg CO2eq; emissions.csv is written.

    Takes its keywords (docs/codecarbon.md); those without a meaning here are named in a warning of the
    logger "ebb". What no setting says is as there: the machine is measured. Run directories are kept in
    ``output_dir``/runs. NaN where the intensity is known for none of the energy. Any thread.
    """

    def __init__(
        self,
        project_name: Optional[str] = None,
        measure_power_secs: Optional[float] = None,
        **settings: Any,
    ) -> None:
        settings.update(project_name=project_name, measure_power_secs=measure_power_secs)
        settings = {key: value for key, value in settings.items() if value is not None}
        handlers = list(settings.pop("output_handlers", None) or [])
        self._outputs = Outputs(handlers)
        self._live: Optional[Live] = None
        if handlers:
            self._live = Live(self, int(settings.pop("api_call_interval", LIVE_EVERY)))
        if settings.pop("logging_logger", None) is not None:
            warn('logging_logger is ignored: see the logger "ebb" and the run directory')
        where = settings.get("output_dir")
        self._tracker = Tracker(
            codecarbon=settings,
            codecarbon_defaults=True,
            output_dir=os.path.join(str(where), "runs") if where else None,
        )
        self._lock = threading.RLock()
        self._settings: Optional[Settings] = None
        self._measurement: Union[Measurement, CountedElsewhere, None] = None
        self._facts: Dict[str, Any] = {}
        self._is_started = False
        self._is_stopped = False
        self._counted = Amounts.none()  # of windows that are over
        self._window: Optional[Amounts] = None  # at the beginning of the one that is not
        self._tasks: Dict[str, _Task] = {}
        self._active_task: Optional[str] = None
        self.run_id: Optional[str] = None
        self.final_emissions: Optional[float] = None
        self.final_emissions_data: Optional[EmissionsData] = None

    # Measuring.

    def _begin(self) -> Amounts:
        """Joins a measurement, the first time; returns the amounts of now."""
        if self._measurement is None:
            import ebb.codecarbon._rows  # noqa: F401  (now, not while it is measured)

            self._settings = self._tracker.settings()
            self._file = self._settings.flags.get("emissions-file", "")
            self._updates = self._settings.flags.get("csv-write") == "update"
            self._measurement = join(self._tracker, self._settings)
            self.run_id = self._measurement.join()
            self._facts = facts_of(self._measurement.row())
            name = self._settings.flags.get("name") or self._facts["project_name"]
            self._facts.update(
                project_name=name,
                run_id=self.run_id,
                experiment_id=self._settings.flags.get("group") or name,
            )
            _started.add(self)
            if isinstance(self._measurement, Measurement) and self._measurement.windows == 1:
                return Amounts.none()
        return self._amounts()

    def _amounts(self) -> Amounts:
        assert self._measurement is not None
        return Amounts.of(self._measurement.row())

    def _total(self, now: Optional[Amounts] = None) -> Amounts:
        if self._window is None:
            return self._counted
        return self._counted + ((now or self._amounts()) - self._window)

    def _data(self, amounts: Amounts) -> EmissionsData:
        from ebb.codecarbon._rows import EmissionsData

        timestamp = time.strftime("%Y-%m-%dT%H:%M:%S")
        return EmissionsData(**{**self._facts, "timestamp": timestamp, **amounts.columns()})

    def _measures(self, what: str) -> bool:
        if self._is_stopped:
            warn("%s: the tracker is stopped; make a new one", what)
        elif self._measurement is None:
            warn("%s: the tracker was not started", what)
        return self._measurement is not None and not self._is_stopped

    # CodeCarbon's methods.

    @property
    def run_directory(self) -> str:
        """Where the measurement is kept; several trackers of a process share one."""
        tracker = self._measurement.tracker if self._measurement else None
        return tracker.run_directory if tracker else ""

    @_locked
    def start(self) -> None:
        if self._is_started or self._is_stopped:
            warn("the tracker was started already")
            return
        now = self._begin()
        self._is_started = True
        if self._window is None:
            self._window = now
        if self._live is not None and self._settings is not None:
            self._live.start(seconds_of(self._settings.flags.get("interval", "")))

    @_locked
    def start_task(self, task_name: Optional[str] = None) -> None:
        """A task begins. Without start() before, the tracker measures its tasks only."""
        if self._is_stopped:
            warn("the tracker is stopped; make a new one")
            return
        if self._active_task is not None:
            warn("the task %s is measured already", self._active_task)
            return
        now = self._begin()
        name = task_name or _unique()
        if name in self._tasks:
            name += f"_{_unique()}"
        self._tasks[name] = _Task(name, now)
        self._active_task = name
        if self._window is None:
            self._window = now

    @_locked
    def stop_task(self, task_name: Optional[str] = None) -> Optional[EmissionsData]:
        """The task ends; returns what it used. None where no such task is measured."""
        name = task_name or self._active_task
        task = self._tasks.get(name) if name else None
        if task is None or not task.is_active:
            warn("there is no task to stop")
            return None
        now = self._amounts()
        task.emissions_data = self._data(now - task.begin)
        self._active_task = None
        if not self._is_started:
            self._counted, self._window = self._total(now), None
        return task.emissions_data

    @_locked
    def flush(self) -> Optional[float]:
        """kg so far, which become a row of emissions.csv, and tasks that are over their file."""
        if not self._measures("flush"):
            return None
        emissions: Optional[float] = self._write(self._total()).emissions
        return emissions

    def stop(self) -> Optional[float]:
        """kg of the whole; None if nothing was measured. Again: the same."""
        final: Optional[float] = self._stop(0)
        return final

    @_locked
    def _stop(self, exit_code: int) -> Optional[float]:
        if self._is_stopped or self._measurement is None:
            warn("the tracker is stopped already or was never started")
            return self.final_emissions
        if self._active_task is not None:
            self.stop_task()
        if self._live is not None:
            self._live.end()
        total, failure = self._end(exit_code)
        self.final_emissions_data = self._write(total)
        self.final_emissions = self.final_emissions_data.emissions
        self._outputs.tell("exit")
        if failure is not None:
            raise failure
        return self.final_emissions

    def _end(self, exit_code: int) -> Tuple[Amounts, Optional[Error]]:
        """The last look; ends the measurement where this was its last tracker. What is measured is
        told even where it could not be stored."""
        measurement, failure = self._measurement, None
        with measuring_lock:
            # The last one has the row of the very end.
            is_last = isinstance(measurement, Measurement) and measurement.is_last()
            total = None if is_last else self._total()
            try:
                if measurement is not None:
                    measurement.leave(exit_code)
            except Error as reason:
                failure = reason
        if total is None:
            total = self._total()
        _started.discard(self)
        self._is_stopped = True
        self._counted, self._window = total, None
        return total, failure

    def mark_epoch(self, number: int) -> None:
        """An epoch, counted from 1, has ended now."""
        if self._measurement is not None and self._measurement.tracker is not None:
            self._measurement.tracker.mark_epoch(number)

    def get_detected_hardware(self) -> Dict[str, Any]:
        """Known from start() on; before it, what Python knows."""
        facts = self._facts
        return {
            "ram_total_size": facts.get("ram_total_size"),
            "cpu_count": facts.get("cpu_count", os.cpu_count()),
            "cpu_physical_count": None,
            "cpu_model": facts.get("cpu_model"),
            "gpu_count": facts.get("gpu_count"),
            "gpu_model": facts.get("gpu_model"),
            "gpu_ids": self._settings.flags.get("gpu-ids") if self._settings else None,
        }

    def service_shutdown(self, signum: int, frame: Any) -> None:
        """For signal.signal(): stops."""
        self.stop()

    def __repr__(self) -> str:
        from ebb._text import emissions_text, energy_text

        name = self._settings.flags.get("name", "") if self._settings else ""
        if self.final_emissions_data is not None:
            data = self.final_emissions_data
            state = f"stopped, {energy_text(data.energy_consumed)}, {emissions_text(1000 * data.emissions)}"
        else:
            state = "not started" if self._measurement is None else "measuring"
        return f"<ebb.{type(self).__name__} {name or 'codecarbon'}: {state}>"

    def __enter__(self) -> "EmissionsTracker":
        self.start()
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        try:
            self._stop(exit_code_of(kind))
        except Error as failure:
            if kind is None:
                raise
            warn("%s", failure)

    # Where figures go.

    def _write(self, total: Amounts) -> EmissionsData:
        data = self._data(total)
        if isinstance(self._measurement, CountedElsewhere):
            return data
        from ebb._library import write_emissions_row
        from ebb.codecarbon._rows import task_row, texts, write_tasks

        tasks = [
            task_row(name, task.emissions_data)
            for name, task in self._tasks.items()
            if task.emissions_data is not None
        ]
        experiment = (self._settings.experiment_name if self._settings else "") or "base"
        if self._file:
            write_emissions_row(self._file, texts(data), self._updates)
            if tasks:
                write_tasks(self._task_file(experiment), tasks)
        self._outputs.tell_figures("out", total, self._data)
        if tasks:
            self._outputs.tell("task_out", tasks, experiment)
        return data

    @_locked
    def _tell_live(self) -> None:
        if not self._is_stopped:
            self._outputs.tell_figures("live_out", self._total(), self._data)

    def _task_file(self, experiment: str) -> str:
        name = f"emissions_{experiment}_{self.run_id}.csv".replace(os.sep, "_")
        return os.path.join(os.path.dirname(self._file), name)

    # For PrivateMembers.

    def _column(self, name: str) -> float:
        with self._lock:
            return self._total().columns()[name]

    @_locked
    def _prepare_emissions_data(self) -> EmissionsData:
        return self._data(self._total())


class OfflineEmissionsTracker(EmissionsTracker):
    """No network: the yearly mean of ``country_iso_code``, or the zone of the cloud's region."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, offline=True, **settings)
