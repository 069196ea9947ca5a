"""Measures the energy and emissions of this Python process with libebb.

    import ebb

    with ebb.track(name="training", zone="FR") as tracker:
        train()
    print(tracker.totals.emissions_g)

    @ebb.track
    def train(): ...

Coming from CodeCarbon, one import changes:

    from ebb import EmissionsTracker          # was: from codecarbon import EmissionsTracker

Standard library only. The shared library is $EBB_LIBRARY, or libebb.so.0 beside this file, or the one
the system finds. What is measured, threads and forks: docs/libebb.md.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import inspect
import logging
import math
import os
import sys
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Union

__all__ = [
    "EmissionsData",
    "EmissionsTracker",
    "Error",
    "OfflineEmissionsTracker",
    "Totals",
    "Tracker",
    "track",
    "track_emissions",
    "version",
]

#: What libebb has to say of a start comes here: which meter, which intensity (INFO); settings that
#: are ignored, and grams of an assumed place (WARNING).
logger = logging.getLogger("ebb")

_USAGE, _BUSY = 2, 5  # of ebb.h


class Error(RuntimeError):
    """Measuring could not be started, read or stored; ``code`` is one of ebb.h."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class _Setting(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("flags", ctypes.POINTER(_Setting)),
        ("flag_count", ctypes.c_size_t),
        ("codecarbon", ctypes.POINTER(_Setting)),
        ("codecarbon_count", ctypes.c_size_t),
        ("default_name", ctypes.c_char_p),
        ("read_codecarbon_settings", ctypes.c_int32),
    ]


class _Error(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("code", ctypes.c_int32), ("message", ctypes.c_char * 1012)]


_TOTALS = (
    "duration_s",
    "energy_kwh",
    "cpu_kwh",
    "gpu_kwh",
    "ram_kwh",
    "facility_kwh",
    "emissions_g",
    "facility_without_intensity_kwh",
    "power_w",
)


class _Totals(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [(name, ctypes.c_double) for name in _TOTALS]


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.CDLL:
    named = os.environ.get("EBB_LIBRARY")
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libebb.so.0")
    path = named or (beside if os.path.exists(beside) else "libebb.so.0")
    try:
        library = ctypes.CDLL(path)
    except OSError as reason:
        raise Error(f"libebb cannot be loaded: {reason} (set EBB_LIBRARY to its path)", 4) from None
    tracker, error = ctypes.c_void_p, ctypes.POINTER(_Error)
    signatures = {
        "ebb_version": ([], ctypes.c_char_p),
        "ebb_options_init": ([ctypes.POINTER(_Options), ctypes.c_size_t], None),
        "ebb_start": ([ctypes.POINTER(_Options), error], tracker),
        "ebb_notes": ([tracker], ctypes.c_char_p),
        "ebb_run_directory": ([tracker], ctypes.c_char_p),
        "ebb_mark_epoch": ([tracker, ctypes.c_int32, error], ctypes.c_int),
        "ebb_get_totals": ([tracker, ctypes.POINTER(_Totals), error], ctypes.c_int),
        "ebb_stop": ([tracker, ctypes.c_int32, ctypes.POINTER(_Totals), error], ctypes.c_int),
        "ebb_free": ([tracker], None),
    }
    for name, (arguments, result) in signatures.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, result
    return library


def version() -> str:
    """The version of libebb."""
    return _library().ebb_version().decode()


@dataclass(frozen=True)
class Totals:
    """What was used since the start. Energies are of IT, in kWh; ``facility_kwh`` has PUE in it."""

    duration_s: float
    energy_kwh: float
    cpu_kwh: float
    gpu_kwh: float
    ram_kwh: float
    facility_kwh: float
    #: Of the energy whose intensity is known; None: none is known.
    emissions_g: Optional[float]
    #: The energy whose emissions are unknown.
    facility_without_intensity_kwh: float
    #: Mean over the latest sample.
    power_w: float


def _totals_of(raw: _Totals) -> Totals:
    values = {name: getattr(raw, name) for name in _TOTALS}
    if math.isnan(values["emissions_g"]):
        values["emissions_g"] = None
    return Totals(**values)


def _program_name() -> str:
    """The script's name, or the module's of ``python -m``; "python" where there is neither."""
    stem = os.path.splitext(os.path.basename(sys.argv[0] if sys.argv else ""))[0]
    if stem == "__main__":
        stem = os.path.basename(os.path.dirname(os.path.abspath(sys.argv[0])))
    return stem if stem and stem != "-c" else "python"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, set)):
        return ",".join(str(part) for part in value)
    return str(value)


def _array(settings: Mapping[str, str]) -> Any:
    return (_Setting * len(settings))(
        *[_Setting(name.encode(), text.encode()) for name, text in settings.items()]
    )


# Trackers that still measure when the interpreter ends are stopped, so that nothing is lost.
_running: "weakref.WeakSet[Tracker]" = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    for tracker in list(_running):
        try:
            tracker.stop()
        except Error:
            pass  # a forked child, or a full disk: there is nobody left to tell


class Tracker:
    """Measures this process and its children from start() to stop().

    ``flags`` are those of `ebb track` with "_" for "-": ``Tracker(name="x", zone="FR", interval="500ms",
    scope="machine", output_dir="runs")``; numbers for ``interval`` are seconds. ``codecarbon`` are settings
    by CodeCarbon's names. ``read_codecarbon_settings``: CODECARBON_* and .codecarbon.config count too.
    One tracker measures at a time; a second start() raises.
    """

    def __init__(
        self,
        *,
        codecarbon: Optional[Mapping[str, Any]] = None,
        read_codecarbon_settings: bool = True,
        **flags: Any,
    ) -> None:
        if "project_name" in flags:
            flags.setdefault("name", flags.pop("project_name"))
        self._flags: Dict[str, str] = {}
        for name, value in flags.items():
            if value is None or value is False:
                continue
            if name == "interval" and isinstance(value, (int, float)):
                value = f"{value}s"
            self._flags[name.replace("_", "-")] = _text(value)
        self._codecarbon = {k: _text(v) for k, v in (codecarbon or {}).items() if v is not None}
        self._read_codecarbon_settings = read_codecarbon_settings
        self._handle: Optional[int] = None
        self._final: Optional[Totals] = None
        self._finalizer: Optional[weakref.finalize] = None

    def start(self) -> "Tracker":
        if self._handle is not None:
            raise Error("the tracker was started before: make a new one for each run", _USAGE)
        library = _library()
        options, error = _Options(), _Error(ctypes.sizeof(_Error))
        library.ebb_options_init(ctypes.byref(options), ctypes.sizeof(options))
        flags, codecarbon = _array(self._flags), _array(self._codecarbon)
        options.flags, options.flag_count = flags, len(flags)
        options.codecarbon, options.codecarbon_count = codecarbon, len(codecarbon)
        options.default_name = _program_name().encode()
        options.read_codecarbon_settings = int(self._read_codecarbon_settings)
        self._handle = library.ebb_start(ctypes.byref(options), ctypes.byref(error))
        if self._handle is None:
            raise Error(error.message.decode(errors="replace"), error.code)
        self._finalizer = weakref.finalize(self, library.ebb_free, self._handle)
        # At the end of the interpreter stop() comes first, and the memory goes with the process.
        self._finalizer.atexit = False
        _running.add(self)
        for line in library.ebb_notes(self._handle).decode(errors="replace").splitlines():
            kind, _, text = line.partition(": ")
            logger.log(logging.WARNING if kind == "warning" else logging.INFO, text)
        return self

    def _call(self, function: str, *arguments: Any) -> None:
        error = _Error(ctypes.sizeof(_Error))
        code = getattr(_library(), function)(self._handle, *arguments, ctypes.byref(error))
        if code != 0:
            raise Error(error.message.decode(errors="replace"), code)

    @property
    def run_directory(self) -> str:
        """Where the run is kept: ``ebb summary``, ``ebb compare`` read it."""
        if self._handle is None:
            return ""
        return os.fsdecode(_library().ebb_run_directory(self._handle))

    @property
    def totals(self) -> Totals:
        """So far, after a sample that is taken now; after stop(), of the whole."""
        if self._final is not None:
            return self._final
        raw = _Totals(ctypes.sizeof(_Totals))
        self._call("ebb_get_totals", ctypes.byref(raw))
        return _totals_of(raw)

    def mark_epoch(self, number: int) -> None:
        """An epoch, counted from 1, has ended now."""
        self._call("ebb_mark_epoch", number)

    def stop(self, exit_code: int = 0) -> Totals:
        """Takes the last sample and stores everything; again: the same totals."""
        if self._final is None:
            raw = _Totals(ctypes.sizeof(_Totals))
            try:
                self._call("ebb_stop", exit_code, ctypes.byref(raw))
            finally:
                _running.discard(self)
            self._final = _totals_of(raw)
        return self._final

    def __enter__(self) -> "Tracker":
        return self.start()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        # What the body raised matters more than what stopping has to say.
        try:
            self.stop(0 if kind is None else 1)
        except Error as failure:
            if kind is None:
                raise
            logger.warning("%s", failure)


def _decorate(function: Callable[..., Any], make: Callable[[], Any]) -> Callable[..., Any]:
    """Each call of the function inside a tracker of its own."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def tracked_async(*args: Any, **kwargs: Any) -> Any:
            with make():
                return await function(*args, **kwargs)

        return tracked_async

    @functools.wraps(function)
    def tracked(*args: Any, **kwargs: Any) -> Any:
        with make():
            return function(*args, **kwargs)

    return tracked


class track(Tracker):  # noqa: N801  (used as a function)
    """``with ebb.track(zone="FR") as t:``, ``@ebb.track`` or ``@ebb.track(zone="FR")``; arguments as Tracker."""

    def __new__(cls, function: Optional[Callable[..., Any]] = None, **arguments: Any) -> Any:
        if function is not None:
            return _decorate(function, lambda: cls(name=function.__name__))
        return super().__new__(cls)

    def __init__(self, function: None = None, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._arguments = arguments

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        arguments = dict(self._arguments)
        if "project_name" not in arguments:
            arguments.setdefault("name", function.__name__)
        return _decorate(function, lambda: Tracker(**arguments))


@dataclass(frozen=True)
class EmissionsData:
    """The figures of CodeCarbon's class of this name that Ebb has: kg, kg/s, kWh with PUE in them, W, s."""

    run_id: str
    project_name: str
    duration: float
    emissions: float
    emissions_rate: float
    cpu_energy: float
    gpu_energy: float
    ram_energy: float
    energy_consumed: float


class EmissionsTracker:
    """In the place of CodeCarbon's: start(), stop() and flush() return kg CO2eq; emissions.csv is written.

    Takes its keywords (docs/codecarbon.md); those without a meaning here are named in a warning of the
    logger "ebb". Run directories are kept in ``output_dir``/runs. What the intensity is not known for adds
    nothing; NaN where it is known for nothing. While another tracker measures, this one says so and
    measures nothing, as CodeCarbon does without allow_multiple_runs.
    """

    def __init__(self, project_name: Optional[str] = None, **settings: Any) -> None:
        if project_name is not None:
            settings["project_name"] = project_name
        settings = {key: value for key, value in settings.items() if value is not None}
        for key in ("logging_logger", "output_handlers"):
            if settings.pop(key, None) is not None:
                logger.warning('%s is ignored: see the logger "ebb" and the run directory', key)
        where = settings.get("output_dir")
        self._tracker = Tracker(
            codecarbon=settings, output_dir=os.path.join(str(where), "runs") if where else None
        )
        self._measures: Optional[bool] = None  # None: not started
        self.final_emissions: Optional[float] = None
        self.final_emissions_data: Optional[EmissionsData] = None

    @property
    def run_directory(self) -> str:
        return self._tracker.run_directory

    def start(self) -> None:
        if self._measures is not None:
            logger.warning("the tracker is started already")
            return
        try:
            self._tracker.start()
            self._measures = True
        except Error as error:
            if error.code != _BUSY:
                raise
            self._measures = False
            logger.warning("%s; this tracker measures nothing", error)

    def flush(self) -> Optional[float]:
        """kg so far; what was measured is on the disk."""
        return self._kilograms(self._tracker.totals) if self._measures else None

    def stop(self) -> Optional[float]:
        """kg of the whole; None if nothing was measured."""
        return self._stop(0)

    def _stop(self, exit_code: int) -> Optional[float]:
        if not self._measures:
            return None
        totals = self._tracker.stop(exit_code)
        self.final_emissions = self._kilograms(totals)
        self.final_emissions_data = self._data(totals, self.final_emissions)
        return self.final_emissions

    def mark_epoch(self, number: int) -> None:
        if self._measures:
            self._tracker.mark_epoch(number)

    @staticmethod
    def _kilograms(totals: Totals) -> float:
        return math.nan if totals.emissions_g is None else totals.emissions_g / 1000

    def _data(self, totals: Totals, kilograms: float) -> EmissionsData:
        pue = totals.facility_kwh / totals.energy_kwh if totals.energy_kwh > 0 else 1.0
        directory = os.path.basename(self.run_directory)
        return EmissionsData(
            run_id=directory,
            project_name=directory.rsplit("-", 2)[0],
            duration=totals.duration_s,
            emissions=kilograms,
            emissions_rate=kilograms / totals.duration_s if totals.duration_s > 0 else 0.0,
            cpu_energy=totals.cpu_kwh * pue,
            gpu_energy=totals.gpu_kwh * pue,
            ram_energy=totals.ram_kwh * pue,
            energy_consumed=totals.facility_kwh,
        )

    def __enter__(self) -> "EmissionsTracker":
        self.start()
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        try:
            self._stop(0 if kind is None else 1)
        except Error as failure:
            if kind is None:
                raise
            logger.warning("%s", failure)


class OfflineEmissionsTracker(EmissionsTracker):
    """No network: the yearly mean of ``country_iso_code``."""

    def __init__(
        self,
        project_name: Optional[str] = None,
        *,
        country_iso_code: Optional[str] = None,
        **settings: Any,
    ) -> None:
        super().__init__(
            project_name, country_iso_code=country_iso_code, offline=True, **settings
        )


def track_emissions(
    fn: Optional[Callable[..., Any]] = None, *, offline: bool = False, **settings: Any
) -> Union[Callable[..., Any], Callable[[Callable[..., Any]], Callable[..., Any]]]:
    """CodeCarbon's decorator, bare or with the keywords of the trackers."""
    make = OfflineEmissionsTracker if offline else EmissionsTracker

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return _decorate(function, lambda: make(**settings))

    return decorate if fn is None else decorate(fn)
