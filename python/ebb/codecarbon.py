"""CodeCarbon's trackers by their names, over one measurement of this process.

The process is measured once, however many trackers run: each is a window over that measurement, the
difference of its totals at the window's two ends, and so is each task. Nothing is sampled twice, and the
energy of tasks and of the time between them adds up to the tracker's. What is as there and what is not:
docs/codecarbon.md (facts of version 3.3.2).
"""

from __future__ import annotations

import atexit
import csv
import enum
import functools
import json
import math
import os
import platform
import threading
import time
import uuid
import weakref
from collections import OrderedDict
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Callable, Dict, List, Optional, Set, Tuple, Union

from ebb._decorating import decorated
from ebb._error import Error
from ebb._library import write_emissions_row
from ebb._log import logger
from ebb._measuring import Tracker, exit_code_of, measuring, measuring_lock
from ebb._settings import Settings
from ebb._text import emissions_text, energy_text


class OutputMethod(str, enum.Enum):
    """What ``output_methods`` may name; csv and prometheus have a meaning here."""

    CSV = "csv"
    API = "api"
    LOGGER = "logger"
    PROMETHEUS = "prometheus"
    LOGFIRE = "logfire"
    BOAMPS = "boamps"


@dataclass(order=True)
class Energy:
    """What ``tracker._total_energy`` is."""

    kWh: float

    def __add__(self, other: "Energy") -> "Energy":
        return Energy(self.kWh + other.kWh)

    def __sub__(self, other: "Energy") -> "Energy":
        return Energy(self.kWh - other.kWh)

    def __mul__(self, factor: float) -> "Energy":
        return Energy(self.kWh * factor)

    def __truediv__(self, divisor: float) -> "Energy":
        return Energy(self.kWh / divisor)

    def __float__(self) -> float:
        return self.kWh


@dataclass
class Power:
    """What ``tracker._cpu_power`` is."""

    kW: float

    @property
    def W(self) -> float:
        return 1000 * self.kW


@dataclass
class Water:
    """What ``tracker._total_water`` is."""

    litres: float


class _Values:
    """What both kinds of data have."""

    @property
    def values(self) -> "OrderedDict[str, Any]":
        """By column, in the order of the file."""
        return OrderedDict((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]

    def toJSON(self) -> str:  # noqa: N802  (CodeCarbon's name)
        return json.dumps(self.values, indent=4, sort_keys=True)


@dataclass
class EmissionsData(_Values):
    """A row of emissions.csv: kg, kg/s, kWh with PUE in them, W without, seconds, GiB, litres.

    ``emissions`` is NaN where the intensity is known for none of the energy.
    """

    timestamp: str
    project_name: str
    run_id: str
    experiment_id: str
    duration: float
    emissions: float
    emissions_rate: float
    cpu_power: float
    gpu_power: float
    ram_power: float
    cpu_energy: float
    gpu_energy: float
    ram_energy: float
    energy_consumed: float
    water_consumed: float
    country_name: str
    country_iso_code: str
    region: str
    cloud_provider: str
    cloud_region: str
    os: str
    python_version: str
    codecarbon_version: str
    cpu_count: int
    cpu_model: str
    gpu_count: int
    gpu_model: str
    longitude: Optional[float]
    latitude: Optional[float]
    ram_total_size: float
    tracking_mode: str
    cpu_utilization_percent: float = 0.0
    gpu_utilization_percent: float = 0.0
    ram_utilization_percent: float = 0.0
    ram_used_gb: float = 0.0
    on_cloud: str = "N"
    pue: float = 1.0
    wue: float = 0.0


@dataclass
class TaskEmissionsData(_Values):
    """A row of the file of tasks, as EmissionsData."""

    task_name: str
    timestamp: str
    project_name: str
    run_id: str
    duration: float
    emissions: float
    emissions_rate: float
    cpu_power: float
    gpu_power: float
    ram_power: float
    cpu_energy: float
    gpu_energy: float
    ram_energy: float
    energy_consumed: float
    water_consumed: float
    country_name: str
    country_iso_code: str
    region: str
    cloud_provider: str
    cloud_region: str
    os: str
    python_version: str
    codecarbon_version: str
    cpu_count: int
    cpu_model: str
    gpu_count: int
    gpu_model: str
    longitude: Optional[float]
    latitude: Optional[float]
    ram_total_size: float
    tracking_mode: str
    cpu_utilization_percent: float = 0.0
    gpu_utilization_percent: float = 0.0
    ram_utilization_percent: float = 0.0
    ram_used_gb: float = 0.0
    on_cloud: str = "N"


def _task_row(name: str, data: EmissionsData) -> TaskEmissionsData:
    shared = {field.name for field in fields(TaskEmissionsData)}
    values = {column: value for column, value in data.values.items() if column in shared}
    return TaskEmissionsData(task_name=name, **values)


class _Amounts:
    """What adds up over time: sums as they are, means as their integrals over time."""

    SUMS = (
        "duration",
        "emissions",
        "cpu_energy",
        "gpu_energy",
        "ram_energy",
        "energy_consumed",
        "water_consumed",
        "energy_without_intensity",
    )
    MEANS = (
        "cpu_power",
        "gpu_power",
        "ram_power",
        "cpu_utilization_percent",
        "gpu_utilization_percent",
        "ram_utilization_percent",
        "ram_used_gb",
    )

    def __init__(self, values: Dict[str, float]) -> None:
        self.values = values

    @classmethod
    def none(cls) -> "_Amounts":
        return cls({name: 0.0 for name in cls.SUMS + cls.MEANS})

    @classmethod
    def of(cls, row: Dict[str, str]) -> "_Amounts":
        values = {name: float(row[name]) for name in cls.SUMS + cls.MEANS}
        for name in cls.MEANS:
            values[name] *= values["duration"]
        return cls(values)

    def __add__(self, other: "_Amounts") -> "_Amounts":
        return _Amounts({name: value + other.values[name] for name, value in self.values.items()})

    def __sub__(self, other: "_Amounts") -> "_Amounts":
        return _Amounts({name: value - other.values[name] for name, value in self.values.items()})

    def columns(self) -> Dict[str, float]:
        """The columns that are amounts; NaN for emissions that are known of nothing."""
        columns = {name: self.values[name] for name in self.SUMS[:-1]}
        seconds = self.values["duration"]
        for name in self.MEANS:
            columns[name] = self.values[name] / seconds if seconds > 0 else 0.0
        energy, unknown = self.values["energy_consumed"], self.values["energy_without_intensity"]
        if unknown > 0 and energy - unknown <= 1e-12 * energy:
            columns["emissions"] = math.nan
        columns["emissions_rate"] = columns["emissions"] / seconds if seconds > 0 else 0.0
        return columns


#: Columns of a row that are whole numbers, or numbers that may be missing.
_WHOLE = ("cpu_count", "gpu_count")
_NUMBERS = ("longitude", "latitude", "ram_total_size", "pue", "wue")


def _facts_of(row: Dict[str, str]) -> Dict[str, Any]:
    """The columns that are no amounts."""
    amounts = set(_Amounts.SUMS + _Amounts.MEANS) | {"emissions_rate"}
    facts: Dict[str, Any] = {name: text for name, text in row.items() if name not in amounts}
    for name in _WHOLE:
        facts[name] = int(facts[name] or 0)
    for name in _NUMBERS:
        facts[name] = float(facts[name]) if facts[name] else None
    facts["python_version"] = platform.python_version()
    return facts


class _Measurement:
    """This process, measured for one or more trackers; it ends with the last of them."""

    def __init__(self, tracker: Tracker, owned: bool) -> None:
        self.tracker = tracker
        self.run_id = os.path.basename(tracker.run_directory)
        self.windows = 0
        self._owned = owned
        self._users = 0

    def join(self) -> str:
        """Another tracker; returns the run_id of its rows, each its own."""
        self._users += 1
        self.windows += 1
        return self.run_id if self.windows == 1 else f"{self.run_id}.{self.windows}"

    def leave(self, exit_code: int) -> None:
        global _shared
        self._users -= 1
        if self._users == 0:
            _shared = None
        if self._users == 0 and self._owned:
            self.tracker.stop(exit_code)

    def is_last(self) -> bool:
        """Whether it ends with the tracker that leaves next."""
        return self._users == 1 and self._owned

    def row(self) -> Dict[str, str]:
        return self.tracker.emissions_row()


class _CountedElsewhere:
    """In the place of a measurement, where another rank of the job counts the machine."""

    def __init__(self, settings: Settings) -> None:
        self.tracker: Optional[Tracker] = None
        self.run_id = ""
        self._began = time.monotonic()
        self._settings = settings

    def join(self) -> str:
        return self.run_id

    def leave(self, exit_code: int) -> None:
        pass

    def row(self) -> Dict[str, str]:
        row = {field.name: "" for field in fields(EmissionsData)}
        row.update({name: "0" for name in _Amounts.SUMS + _Amounts.MEANS + ("ram_total_size",)})
        row["duration"] = repr(time.monotonic() - self._began)
        row["project_name"] = self._settings.flags.get("name", "")
        row["tracking_mode"] = self._settings.flags.get("scope", "machine")
        row["os"], row["cpu_count"] = platform.platform(), str(os.cpu_count() or 0)
        row["on_cloud"], row["pue"], row["wue"] = "N", "1", "0"
        return row


_shared: Optional[_Measurement] = None
# Trackers that were started and not stopped: their rows are written when the interpreter ends.
_started: Set["EmissionsTracker"] = set()


@atexit.register
def _stop_all() -> None:
    for tracker in list(_started):
        try:
            tracker.stop()
        except Error:
            pass  # a forked child, or a full disk: there is nobody left to tell


# Options that each window has of its own, whatever measurement it belongs to.
_OF_A_WINDOW = ("name", "group", "emissions-file", "csv-write")


def _differences(wanted: Settings, measured: Settings) -> List[str]:
    names = sorted(set(wanted.flags) | set(measured.flags))
    return [
        name
        for name in names
        if name not in _OF_A_WINDOW and wanted.flags.get(name) != measured.flags.get(name)
    ]


def _start_without_row(tracker: Tracker) -> Tracker:
    """Rows of emissions.csv are written by the windows, not by the library."""
    tracker._flags["emissions-file"] = ""
    try:
        return tracker.start()
    finally:
        del tracker._flags["emissions-file"]


def _join(tracker: Tracker, settings: Settings) -> Union[_Measurement, _CountedElsewhere]:
    """The measurement that ``tracker`` would make, or the one that is made already."""
    global _shared
    if settings.counted_by:
        logger.info("%s: this tracker counts nothing", settings.counted_by)
        return _CountedElsewhere(settings)
    with measuring_lock:
        running = measuring()
        if running is None:
            _shared = _Measurement(_start_without_row(tracker), owned=True)
            return _shared
        if _shared is None or _shared.tracker is not running:
            _shared = _Measurement(running, owned=False)
            _shared.windows = 1  # what the tracker that is no window measures has the run_id
        for note in settings.notes:
            logger.warning("%s", note)
        differences = _differences(settings, running.settings())
        if differences:
            logger.warning(
                "this process is measured already; of this tracker's settings %s %s ignored",
                ", ".join(differences),
                "is" if len(differences) == 1 else "are",
            )
        return _shared


@dataclass
class _Task:
    """Of CodeCarbon's Task what programs look at."""

    task_name: str
    begin: _Amounts
    emissions_data: Optional[EmissionsData] = None

    @property
    def is_active(self) -> bool:
        return self.emissions_data is None


def _locked(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def alone(self: "EmissionsTracker", *args: Any, **kwargs: Any) -> Any:
        with self._lock:
            return method(self, *args, **kwargs)

    return alone


#: After so many measurements handlers are told the figures, if api_call_interval does not say it.
_LIVE_EVERY = 8
_DEFAULT_INTERVAL_S = 1.0


def _seconds_of(interval: str) -> float:
    return float(interval[: -len("ms")]) / 1000 if interval.endswith("ms") else _DEFAULT_INTERVAL_S


class _Live:
    """Tells output handlers the figures while they grow, after each ``every`` measurements; -1: never. As in CodeCarbon,
    the start and the end of a tracker are measurements, too."""

    def __init__(self, tracker: "EmissionsTracker", every: int) -> None:
        self._tracker = weakref.ref(tracker)
        self._every, self._interval_s = every, _DEFAULT_INTERVAL_S
        self._count, self._has_ended = 1, threading.Event()
        self._thread: Optional[threading.Thread] = None

    def start(self, interval_s: float) -> None:
        self._interval_s = interval_s
        if self._every > 0:
            self._thread = threading.Thread(target=self._run, name="ebb.live_out", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """The caller holds the tracker's lock, so nobody waits for the thread here."""
        if self._thread is not None and not self._has_ended.is_set():
            self._has_ended.set()
            self._measured()

    def _run(self) -> None:
        while not self._has_ended.wait(self._interval_s):
            self._measured()

    def _measured(self) -> None:
        self._count += 1
        tracker = self._tracker()
        if tracker is None:
            self._has_ended.set()
        elif self._count >= self._every:
            self._count = 0
            tracker._tell_live()


class EmissionsTracker:
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
        self._output_handlers: List[Any] = list(settings.pop("output_handlers", None) or [])
        self._live: Optional[_Live] = None
        if self._output_handlers:
            self._live = _Live(self, int(settings.pop("api_call_interval", _LIVE_EVERY)))
        if settings.pop("logging_logger", None) is not None:
            logger.warning('logging_logger is ignored: see the logger "ebb" and the run directory')
        where = settings.get("output_dir")
        self._tracker = Tracker(
            codecarbon=settings,
            codecarbon_defaults=True,
            output_dir=os.path.join(str(where), "runs") if where else None,
        )
        self._lock = threading.RLock()
        self._settings: Optional[Settings] = None
        self._measurement: Union[_Measurement, _CountedElsewhere, None] = None
        self._facts: Dict[str, Any] = {}
        self._is_started = False
        self._is_stopped = False
        self._counted = _Amounts.none()  # of windows that are over
        self._window: Optional[_Amounts] = None  # at the beginning of the one that is not
        #: By handler: what it has been told so far, by whichever of its methods.
        self._told = [_Amounts.none() for _ in self._output_handlers]
        self._tasks: Dict[str, _Task] = OrderedDict()
        self._active_task: Optional[str] = None
        self.run_id: Optional[str] = None
        self.final_emissions: Optional[float] = None
        self.final_emissions_data: Optional[EmissionsData] = None

    # Measuring.

    def _begin(self) -> _Amounts:
        """Joins a measurement, the first time; returns the amounts of now."""
        if self._measurement is None:
            self._settings = self._tracker.settings()
            self._file = self._settings.flags.get("emissions-file", "")
            self._updates = self._settings.flags.get("csv-write") == "update"
            self._measurement = _join(self._tracker, self._settings)
            self.run_id = self._measurement.join()
            self._facts = _facts_of(self._measurement.row())
            name = self._settings.flags.get("name") or self._facts["project_name"]
            self._facts.update(
                project_name=name,
                run_id=self.run_id,
                experiment_id=self._settings.flags.get("group") or name,
            )
            _started.add(self)
            if isinstance(self._measurement, _Measurement) and self._measurement.windows == 1:
                return _Amounts.none()
        return self._amounts()

    def _amounts(self) -> _Amounts:
        assert self._measurement is not None
        return _Amounts.of(self._measurement.row())

    def _total(self, now: Optional[_Amounts] = None) -> _Amounts:
        if self._window is None:
            return self._counted
        return self._counted + ((now or self._amounts()) - self._window)

    def _data(self, amounts: _Amounts) -> EmissionsData:
        timestamp = datetime.now().strftime("%Y-%m-%dT%H:%M:%S")
        return EmissionsData(**{**self._facts, "timestamp": timestamp, **amounts.columns()})

    def _measures(self, what: str) -> bool:
        if self._is_stopped:
            logger.warning("%s: the tracker is stopped; make a new one", what)
        elif self._measurement is None:
            logger.warning("%s: the tracker was not started", what)
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
            logger.warning("the tracker was started already")
            return
        now = self._begin()
        self._is_started = True
        if self._window is None:
            self._window = now
        if self._live is not None and self._settings is not None:
            self._live.start(_seconds_of(self._settings.flags.get("interval", "")))

    @_locked
    def start_task(self, task_name: Optional[str] = None) -> None:
        """A task begins. Without start() before, the tracker measures its tasks only."""
        if self._is_stopped:
            logger.warning("the tracker is stopped; make a new one")
            return
        if self._active_task is not None:
            logger.warning("the task %s is measured already", self._active_task)
            return
        now = self._begin()
        name = task_name or str(uuid.uuid4())
        if name in self._tasks:
            name += f"_{uuid.uuid4()}"
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
            logger.warning("there is no task to stop")
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
            logger.warning("the tracker is stopped already or was never started")
            return self.final_emissions
        if self._active_task is not None:
            self.stop_task()
        if self._live is not None:
            self._live.end()
        total, failure = self._end(exit_code)
        self.final_emissions_data = self._write(total)
        self.final_emissions = self.final_emissions_data.emissions
        for handler in self._output_handlers:
            self._tell(handler, "exit")
        if failure is not None:
            raise failure
        return self.final_emissions

    def _end(self, exit_code: int) -> Tuple[_Amounts, Optional[Error]]:
        """The last look; ends the measurement where this was its last tracker. What is measured is
        told even where it could not be stored."""
        measurement, failure = self._measurement, None
        with measuring_lock:
            # The last one has the row of the very end.
            is_last = isinstance(measurement, _Measurement) and measurement.is_last()
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
            logger.warning("%s", failure)

    # Where figures go.

    def _write(self, total: _Amounts) -> EmissionsData:
        data = self._data(total)
        if isinstance(self._measurement, _CountedElsewhere):
            return data
        tasks = [
            _task_row(name, task.emissions_data)
            for name, task in self._tasks.items()
            if task.emissions_data is not None
        ]
        experiment = (self._settings.experiment_name if self._settings else "") or "base"
        if self._file:
            write_emissions_row(self._file, _texts(data), self._updates)
            if tasks:
                _write_tasks(self._task_file(experiment), tasks)
        self._tell_figures("out", total, data)
        for handler in self._output_handlers:
            if tasks:
                self._tell(handler, "task_out", tasks, experiment)
        return data

    @_locked
    def _tell_live(self) -> None:
        if self._is_stopped:
            return
        total = self._total()
        self._tell_figures("live_out", total, self._data(total))

    def _tell_figures(self, method: str, total: _Amounts, data: EmissionsData) -> None:
        """The total, and the difference to what the handler was told before. One without the method is left out."""
        for number, handler in enumerate(self._output_handlers):
            if hasattr(handler, method):
                delta = self._data(total - self._told[number])
                self._told[number] = total
                self._tell(handler, method, data, delta)

    def _task_file(self, experiment: str) -> str:
        name = f"emissions_{experiment}_{self.run_id}.csv".replace(os.sep, "_")
        return os.path.join(os.path.dirname(self._file), name)

    @staticmethod
    def _tell(handler: Any, method: str, *arguments: Any) -> None:
        """A handler of the user's; what it raises costs the others nothing."""
        try:
            function = getattr(handler, method, None)
            if function is not None:
                function(*arguments)
        except Exception as failure:  # whatever a handler may raise
            logger.warning("the output handler %r: %s: %s", handler, method, failure)

    # Members that are private in CodeCarbon, but that programs use.

    def _column(self, name: str) -> float:
        with self._lock:
            return self._total().columns()[name]

    @property
    def _total_energy(self) -> Energy:
        return Energy(self._column("energy_consumed"))

    @property
    def _total_cpu_energy(self) -> Energy:
        return Energy(self._column("cpu_energy"))

    @property
    def _total_gpu_energy(self) -> Energy:
        return Energy(self._column("gpu_energy"))

    @property
    def _total_ram_energy(self) -> Energy:
        return Energy(self._column("ram_energy"))

    @property
    def _total_water(self) -> Water:
        return Water(self._column("water_consumed"))

    @property
    def _total_emissions(self) -> float:
        return self._column("emissions")

    @property
    def _cpu_power(self) -> Power:
        return Power(self._column("cpu_power") / 1000)

    @property
    def _gpu_power(self) -> Power:
        return Power(self._column("gpu_power") / 1000)

    @property
    def _ram_power(self) -> Power:
        return Power(self._column("ram_power") / 1000)

    @_locked
    def _prepare_emissions_data(self) -> EmissionsData:
        return self._data(self._total())

    def _measure_power_and_energy(self) -> None:
        """A sample is taken whenever a figure is asked for."""
        self._column("duration")


def _texts(data: "EmissionsData | TaskEmissionsData") -> Dict[str, str]:
    """As they stand in a file; what is not known is empty."""
    texts = {}
    for name, value in data.values.items():
        unknown = value is None or (isinstance(value, float) and math.isnan(value))
        texts[name] = "" if unknown else str(value)
    return texts


def _write_tasks(path: str, tasks: List[TaskEmissionsData]) -> None:
    """All of them anew; the file is the old one or the new one, whole."""
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([field.name for field in fields(TaskEmissionsData)])
            for task in tasks:
                writer.writerow(_texts(task).values())
        os.replace(beside, path)
    except OSError as reason:
        raise Error(f"the tasks cannot be written: {reason}", 4) from None


class OfflineEmissionsTracker(EmissionsTracker):
    """No network: the yearly mean of ``country_iso_code``, or the zone of the cloud's region."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, offline=True, **settings)


class TaskEmissionsTracker:
    """``with TaskEmissionsTracker("grid search", tracker=t):``; without a tracker, one of its own."""

    def __init__(self, task_name: str, tracker: Optional[EmissionsTracker] = None) -> None:
        self.task_name = task_name
        self.is_default_tracker = tracker is None
        self.tracker = tracker or EmissionsTracker()

    def __enter__(self) -> "TaskEmissionsTracker":
        self.tracker.start_task(self.task_name)
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.tracker.stop_task()
        if self.is_default_tracker:
            self.tracker._stop(exit_code_of(kind))


def track_emissions(
    fn: Optional[Callable[..., Any]] = None,
    project_name: Optional[str] = None,
    *,
    offline: bool = False,
    **settings: Any,
) -> Callable[..., Any]:
    """CodeCarbon's decorator, bare or with the keywords of the trackers."""
    make = OfflineEmissionsTracker if offline else EmissionsTracker

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return decorated(function, lambda: make(project_name, **settings))

    return decorate if fn is None else decorate(fn)


def track_task_emissions(
    fn: Optional[Callable[..., Any]] = None,
    tracker: Optional[EmissionsTracker] = None,
    task_name: str = "",
) -> Callable[..., Any]:
    """Each call of the function is a task, of ``tracker`` or of one of its own."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return decorated(function, lambda: TaskEmissionsTracker(task_name, tracker))

    return decorate if fn is None else decorate(fn)
