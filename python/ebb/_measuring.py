"""libebb through ctypes: a tracker that measures this process. What it offers is named in __init__.py.

The shared library is $EBB_LIBRARY, or libebb.so.0 beside this file, or the one the system finds.
"""

from __future__ import annotations

import atexit
import csv
import ctypes
import enum
import functools
import inspect
import io
import logging
import math
import os
import sys
import threading
import time
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from ebb._error import Error
from ebb._pausing import PAUSED, Paused
from ebb._text import duration_text, emissions_text, energy_text, power_text

#: What libebb has to say of a start comes here: which meter, which intensity (INFO); settings that
#: are ignored, and grams of an assumed place (WARNING).
logger = logging.getLogger("ebb")

_USAGE, COUNTED_ELSEWHERE = 2, 7  # of ebb.h


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
        ("codecarbon_defaults", ctypes.c_int32),
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


#: Those that grow from the start on; emissions may be unknown.
_SUMS = tuple(name for name in _TOTALS if name not in ("emissions_g", "power_w"))


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
        "ebb_read_settings": (
            [ctypes.POINTER(_Options), ctypes.c_char_p, ctypes.c_size_t, error],
            ctypes.c_int,
        ),
        "ebb_get_emissions_row": ([tracker, ctypes.c_char_p, ctypes.c_size_t, error], ctypes.c_int),
        "ebb_write_emissions_row": (
            [ctypes.c_char_p, ctypes.POINTER(_Setting), ctypes.c_size_t, ctypes.c_int32, error],
            ctypes.c_int,
        ),
        "ebb_start": ([ctypes.POINTER(_Options), error], tracker),
        "ebb_notes": ([tracker], ctypes.c_char_p),
        "ebb_run_directory": ([tracker], ctypes.c_char_p),
        "ebb_mark_epoch": ([tracker, ctypes.c_int32, error], ctypes.c_int),
        "ebb_add_work": ([tracker, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, error], ctypes.c_int),
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
    return str(_library().ebb_version().decode())


@dataclass(frozen=True, repr=False)
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

    def since(self, before: "Totals") -> "Totals":
        """What was used after ``before``, an earlier look at the same tracker."""
        used = {name: getattr(self, name) - getattr(before, name) for name in _SUMS}
        emissions_g = None
        if self.emissions_g is not None:
            emissions_g = self.emissions_g - (before.emissions_g or 0.0)
        return Totals(emissions_g=emissions_g, power_w=self.power_w, **used)

    def __str__(self) -> str:
        """As `ebb summary` has them: "1.20 Wh, 495 mg CO2eq, 2m 3s"."""
        return f"{energy_text(self.energy_kwh)}, {emissions_text(self.emissions_g)}, {duration_text(self.duration_s)}"

    def __repr__(self) -> str:
        parts = ", ".join(f"{part} {energy_text(getattr(self, part + '_kwh'))}" for part in ("cpu", "gpu", "ram"))
        return f"<ebb.Totals {self}; {parts}; {power_text(self.power_w)} at last>"


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
    return stem if stem and stem not in ("-c", "-") else "python"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, set)):
        return ",".join(_text(part) for part in value)
    return str(value.value if isinstance(value, enum.Enum) else value)


def _array(settings: Mapping[str, str]) -> Any:
    return (_Setting * len(settings))(
        *[_Setting(name.encode(), text.encode()) for name, text in settings.items()]
    )


#: More than any of libebb's texts needs.
_TEXT_BYTES = 1 << 20


def _failure(error: _Error) -> Error:
    return Error(error.message.decode(errors="replace"), error.code)


@dataclass(frozen=True)
class Settings:
    """What a tracker's settings come to: those of the machine in them, CodeCarbon's translated."""

    #: Of `ebb track`, without dashes, where they differ from their defaults.
    flags: Dict[str, str]
    #: Which settings are ignored, and why.
    notes: List[str]
    #: CodeCarbon's; empty: not given.
    experiment_name: str
    #: Who counts what this tracker would, where another rank of the job does; empty: nobody.
    counted_by: str


def _settings_of(records: str) -> Settings:
    named: Dict[str, Dict[str, str]] = {"flag": {}, "setting": {}}
    notes, counted_by = [], ""
    for kind, name, value in csv.reader(io.StringIO(records)):
        if kind in named:
            named[kind][name] = value
        elif kind == "note":
            notes.append(value)
        elif kind == "counted":
            counted_by = value
    return Settings(
        named["flag"], notes, named["setting"].get("experiment_name", ""), counted_by
    )


def write_emissions_row(file: str, row: Mapping[str, str], update: bool) -> None:
    """Adds a row to an emissions.csv that many programs share; what was done beside is logged."""
    fields, error = _array(row), _Error(ctypes.sizeof(_Error))
    code = _library().ebb_write_emissions_row(
        os.fsencode(file), fields, len(fields), int(update), ctypes.byref(error)
    )
    if code != 0:
        raise _failure(error)
    if error.message:
        logger.warning("%s", error.message.decode(errors="replace"))


# The tracker that measures this process, if any: (process, tracker).
_measuring: Optional[Tuple[int, "weakref.ref[Tracker]"]] = None
#: Held while the above is looked at and a measurement begun or ended because of it.
measuring_lock = threading.RLock()


def measuring() -> Optional["Tracker"]:
    """The tracker that measures this process at the moment."""
    tracker = _measuring[1]() if _measuring and _measuring[0] == os.getpid() else None
    return tracker if tracker is not None and tracker in _running else None


# Trackers that still measure when the interpreter ends are stopped, so that nothing is lost.
_running: "weakref.WeakSet[Tracker]" = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    for tracker in list(_running):
        try:
            tracker._guests.clear()
            tracker.stop() if tracker._final is None else tracker._end(tracker._exit_code)
        except Error:
            pass  # a forked child, or a full disk: there is nobody left to tell


class Tracker:
    """Measures this process and its children from start() to stop().

    ``flags`` are those of `ebb track` with "_" for "-": ``Tracker(name="x", zone="FR", interval="500ms",
    scope="machine", output_dir="runs")``; numbers for ``interval`` are seconds. ``codecarbon`` are settings
    by CodeCarbon's names. ``read_codecarbon_settings``: CODECARBON_* and .codecarbon.config count too.
    ``codecarbon_defaults``: what no setting says is as there: the scope is the machine, and there is an
    emissions.csv. One tracker measures a process at a time: one that is started meanwhile (nested, or in
    another thread) joins it, and its totals are those of its own time. The measurement ends with the
    last of them. Where another rank of a job on this machine counts the machine, this one counts
    nothing and says so (docs/libebb.md).

    stop() prints energy, emissions and time to stderr, unless ``quiet=True``.
    """

    def __init__(
        self,
        *,
        codecarbon: Optional[Mapping[str, Any]] = None,
        read_codecarbon_settings: bool = True,
        codecarbon_defaults: bool = False,
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
        self._codecarbon_defaults = codecarbon_defaults
        self._name, self._is_quiet = self._flags.get("name", _program_name()), False
        self._counted_elsewhere_since: Optional[float] = None
        #: The tracker that measures this process already, and its totals at the start of this one.
        self._joined: Optional[Tuple["Tracker", Totals]] = None
        #: Those that joined this one and still measure. Without them its stop() ends the measurement.
        self._guests: "weakref.WeakSet[Tracker]" = weakref.WeakSet()
        self._said_joined = False
        self._exit_code = 0
        self._handle: Optional[int] = None
        self._final: Optional[Totals] = None
        self._finalizer: Optional["weakref.finalize[Any, Any]"] = None

    def _options(self) -> _Options:
        options = _Options()
        _library().ebb_options_init(ctypes.byref(options), ctypes.sizeof(options))
        flags, codecarbon = _array(self._flags), _array(self._codecarbon)
        options.flags, options.flag_count = flags, len(flags)
        options.codecarbon, options.codecarbon_count = codecarbon, len(codecarbon)
        options.default_name = _program_name().encode()
        options.read_codecarbon_settings = int(self._read_codecarbon_settings)
        options.codecarbon_defaults = int(self._codecarbon_defaults)
        return options

    def settings(self) -> Settings:
        """What the settings come to, with nothing started."""
        text, error = ctypes.create_string_buffer(_TEXT_BYTES), _Error(ctypes.sizeof(_Error))
        code = _library().ebb_read_settings(
            ctypes.byref(self._options()), text, len(text), ctypes.byref(error)
        )
        if code != 0:
            raise _failure(error)
        return _settings_of(text.value.decode(errors="replace"))

    def start(self) -> "Tracker":
        global _measuring
        if self._handle is not None or self._joined or self._counted_elsewhere_since is not None:
            raise Error("the tracker was started before: make a new one for each run", _USAGE)
        library, error = _library(), _Error(ctypes.sizeof(_Error))
        flags = self.settings().flags  # those of CodeCarbon in them
        self._name, self._is_quiet = flags["name"], "quiet" in flags
        with measuring_lock:
            running = measuring()
            if running is not None:
                return self._join(running)
            self._handle = library.ebb_start(ctypes.byref(self._options()), ctypes.byref(error))
            if self._handle is None and error.code == COUNTED_ELSEWHERE:
                self._counted_elsewhere_since = time.monotonic()
                logger.info("%s", error.message.decode(errors="replace"))
                return self
            if self._handle is None:
                raise _failure(error)
            _measuring = (os.getpid(), weakref.ref(self))
            _running.add(self)
        self._finalizer = weakref.finalize(self, library.ebb_free, self._handle)
        # At the end of the interpreter stop() comes first, and the memory goes with the process.
        self._finalizer.atexit = False  # type: ignore[misc]  # typeshed has it as read-only
        for line in library.ebb_notes(self._handle).decode(errors="replace").splitlines():
            kind, _, text = line.partition(": ")
            logger.log(logging.WARNING if kind == "warning" else logging.INFO, text)
        return self

    def _join(self, running: "Tracker") -> "Tracker":
        self._joined = (running, running._look())
        running._guests.add(self)
        if not running._said_joined:
            logger.warning(
                "this process is measured already, by %s: %s joins it, and its totals are those of its own time",
                running._name,
                self._name,
            )
        running._said_joined = True
        return self

    def _call(self, function: str, *arguments: Any) -> None:
        error = _Error(ctypes.sizeof(_Error))
        code = getattr(_library(), function)(self._handle, *arguments, ctypes.byref(error))
        if code != 0:
            raise _failure(error)

    def _nothing(self) -> Totals:
        duration_s = time.monotonic() - (self._counted_elsewhere_since or 0)
        return Totals(duration_s, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def emissions_row(self) -> Dict[str, str]:
        """The run so far by the columns of emissions.csv, and energy_without_intensity (kWh)."""
        if self._joined is not None:
            return self._joined[0].emissions_row()
        text = ctypes.create_string_buffer(_TEXT_BYTES)
        self._call("ebb_get_emissions_row", text, len(text))
        names, values = csv.reader(io.StringIO(text.value.decode(errors="replace")))
        return dict(zip(names, values))

    @property
    def run_directory(self) -> str:
        """Where the run is kept: ``ebb summary``, ``ebb compare`` read it."""
        if self._joined is not None:
            return self._joined[0].run_directory
        if self._handle is None:
            return ""
        return os.fsdecode(_library().ebb_run_directory(self._handle))

    @property
    def totals(self) -> Totals:
        """So far, after a sample that is taken now; after stop(), of the whole."""
        if self._final is not None:
            return self._final
        if self._counted_elsewhere_since is not None:
            return self._nothing()
        if self._joined is not None:
            running, before = self._joined
            return running._look().since(before)
        return self._look()

    def _look(self) -> Totals:
        """Of the measurement so far, also where this tracker has left it to others."""
        raw = _Totals(ctypes.sizeof(_Totals))
        self._call("ebb_get_totals", ctypes.byref(raw))
        return _totals_of(raw)

    def mark_epoch(self, number: int) -> None:
        """An epoch, counted from 1, has ended now."""
        if self._joined is not None:
            self._joined[0].mark_epoch(number)
        elif self._counted_elsewhere_since is None:
            self._call("ebb_mark_epoch", number)

    def add_work(self, steps: int = 0, samples: int = 0, tokens: int = 0) -> None:
        """Work that was done since the last call, for energy per step, sample and token; cheap enough for every step."""
        if self._joined is not None:
            self._joined[0].add_work(steps, samples, tokens)
        elif self._counted_elsewhere_since is None:
            self._call("ebb_add_work", steps, samples, tokens)

    def stop(self, exit_code: int = 0) -> Totals:
        """Takes the last sample and stores everything; again: the same totals.

        While others that joined still measure, the last of them stores.
        """
        if self._final is None and self._counted_elsewhere_since is not None:
            self._final = self._nothing()
        with measuring_lock:
            if self._final is None:
                self._final = self._leave() if self._joined else self._stop(exit_code)
        return self._final

    def _stop(self, exit_code: int) -> Totals:
        """The caller holds measuring_lock."""
        if self._guests:
            self._exit_code = exit_code
            totals = self._look()
        else:
            totals = self._end(exit_code)
        if not self._is_quiet and sys.stderr is not None:
            print(f"{self._name}: {totals}, kept in {self.run_directory}", file=sys.stderr)
        return totals

    def _leave(self) -> Totals:
        """Of one that joined; the caller holds measuring_lock."""
        assert self._joined is not None
        running, totals = self._joined[0], self.totals
        running._guests.discard(self)
        if running._final is not None and not running._guests and running in _running:
            running._end(running._exit_code)
        return totals

    def _end(self, exit_code: int) -> Totals:
        raw = _Totals(ctypes.sizeof(_Totals))
        try:
            self._call("ebb_stop", exit_code, ctypes.byref(raw))
        finally:
            _running.discard(self)
        return _totals_of(raw)

    def __repr__(self) -> str:
        if self._final is not None:
            state = f"stopped, {self._final}"
        elif self._counted_elsewhere_since is not None:
            state = "counted by another rank"
        elif self._joined is not None:
            state = f"measured by {self._joined[0]._name}"
        else:
            state = "not started" if self._handle is None else "measuring"
        kept = f", {self.run_directory}" if self._handle is not None else ""
        return f"<ebb.{type(self).__name__} {self._name}: {state}{kept}>"

    def __enter__(self) -> "Tracker":
        return self.start()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        # An exception of the body matters more than an error while stopping.
        try:
            self.stop(exit_code_of(kind))
        except Error as failure:
            if kind is None:
                raise
            logger.warning("%s", failure)


def exit_code_of(kind: Any) -> int:
    """By what a with block ended with. A generator that nobody iterates to its end has not failed."""
    if kind is None or issubclass(kind, GeneratorExit):
        return 0
    return PAUSED if issubclass(kind, Paused) else 1


def _decorate(function: Callable[..., Any], make: Callable[[], Any]) -> Callable[..., Any]:
    """Each call of the function inside a tracker of its own; a generator, while it is iterated."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def tracked_async(*args: Any, **kwargs: Any) -> Any:
            with make():
                return await function(*args, **kwargs)

        return tracked_async

    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def tracked_async_generator(*args: Any, **kwargs: Any) -> Any:
            with make():
                inner = function(*args, **kwargs)
                try:
                    value = await inner.__anext__()
                    while True:
                        try:
                            sent = yield value
                        except GeneratorExit:
                            raise
                        except BaseException as error:
                            value = await inner.athrow(error)
                        else:
                            value = await inner.asend(sent)
                except StopAsyncIteration:
                    return
                finally:
                    await inner.aclose()

        return tracked_async_generator

    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def tracked_generator(*args: Any, **kwargs: Any) -> Any:
            with make():
                return (yield from function(*args, **kwargs))

        return tracked_generator

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
