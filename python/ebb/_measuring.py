"""A tracker that measures this process, by libebb (_library.py). What it offers is named in __init__.py.

Naming ebb.track loads little: the library and the figures are loaded when a tracker starts, and logging only for what
somebody may read.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
import weakref

from ebb._error import Error
from ebb._log import inform, warn
from ebb._paused import PAUSED, Paused

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Mapping, Optional, Tuple

    from ebb._library import Measurement, Options
    from ebb._settings import Settings
    from ebb._totals import Totals

_USAGE, COUNTED_ELSEWHERE = 2, 7  # of ebb.h


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
    enum = sys.modules.get("enum")  # unless it is loaded, no value is of an Enum
    return str(value.value if enum is not None and isinstance(value, enum.Enum) else value)


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
        #: Notes of libebb that were logged.
        self._notes_told = 0
        self._exit_code = 0
        self._measurement: Optional[Measurement] = None
        self._final: Optional[Totals] = None

    def _options(self) -> Options:
        from ebb._library import options_of

        return options_of(
            self._flags,
            self._codecarbon,
            _program_name(),
            self._read_codecarbon_settings,
            self._codecarbon_defaults,
        )

    def settings(self) -> Settings:
        """What the settings come to, with nothing started."""
        from ebb._library import read_settings

        return read_settings(self._options())

    def start(self) -> "Tracker":
        if self._measurement is not None or self._joined or self._counted_elsewhere_since is not None:
            raise Error("the tracker was started before: make a new one for each run", _USAGE)
        flags = self.settings().flags  # those of CodeCarbon in them
        self._name, self._is_quiet = flags["name"], "quiet" in flags
        with measuring_lock:
            running = measuring()
            if running is not None:
                return self._join(running)
            self._begin()
        return self

    def _begin(self) -> None:
        """The caller holds measuring_lock."""
        global _measuring
        from ebb._library import Measurement

        try:
            self._measurement = Measurement(self._options())
        except Error as failure:
            if failure.code != COUNTED_ELSEWHERE:
                raise
            self._counted_elsewhere_since = time.monotonic()
            inform("%s", failure)
            return
        _measuring = (os.getpid(), weakref.ref(self))
        _running.add(self)
        self._pass_on_notes()

    def _pass_on_notes(self) -> None:
        notes = self._measures().notes()
        for line in notes[self._notes_told :]:
            kind, _, text = line.partition(": ")
            (warn if kind == "warning" else inform)("%s", text)
        self._notes_told = len(notes)

    def _join(self, running: "Tracker") -> "Tracker":
        self._joined = (running, running._look())
        running._guests.add(self)
        if not running._said_joined:
            warn(
                "this process is measured already, by %s: %s joins it, and its totals are those of its own time",
                running._name,
                self._name,
            )
        running._said_joined = True
        return self

    def _measures(self) -> Measurement:
        if self._measurement is None:
            raise Error("the tracker was not started: call start() first", _USAGE)
        return self._measurement

    def _nothing(self) -> Totals:
        from ebb._totals import Totals

        duration_s = time.monotonic() - (self._counted_elsewhere_since or 0)
        return Totals(duration_s, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def emissions_row(self) -> Dict[str, str]:
        """The run so far by the columns of emissions.csv, and energy_without_intensity (kWh)."""
        if self._joined is not None:
            return self._joined[0].emissions_row()
        return self._measures().emissions_row()

    @property
    def run_directory(self) -> str:
        """Where the run is kept: ``ebb summary``, ``ebb compare`` read it."""
        if self._joined is not None:
            return self._joined[0].run_directory
        return self._measurement.run_directory() if self._measurement is not None else ""

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
        return self._measures().totals()

    def mark_epoch(self, number: int) -> None:
        """An epoch, counted from 1, has ended now."""
        if self._joined is not None:
            self._joined[0].mark_epoch(number)
        elif self._counted_elsewhere_since is None:
            self._measures().mark_epoch(number)

    def add_work(self, steps: int = 0, samples: int = 0, tokens: int = 0) -> None:
        """Work that was done since the last call, for energy per step, sample and token; cheap enough for every step."""
        if self._joined is not None:
            self._joined[0].add_work(steps, samples, tokens)
        elif self._counted_elsewhere_since is None:
            self._measures().add_work(steps, samples, tokens)

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
        try:
            totals = self._measures().stop(exit_code)
        finally:
            _running.discard(self)
        self._pass_on_notes()
        return totals

    def __repr__(self) -> str:
        if self._final is not None:
            state = f"stopped, {self._final}"
        elif self._counted_elsewhere_since is not None:
            state = "counted by another rank"
        elif self._joined is not None:
            state = f"measured by {self._joined[0]._name}"
        else:
            state = "not started" if self._measurement is None else "measuring"
        kept = f", {self.run_directory}" if self._measurement is not None else ""
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
            warn("%s", failure)


def exit_code_of(kind: Any) -> int:
    """By what a with block ended with. A generator that nobody iterates to its end has not failed."""
    if kind is None or issubclass(kind, GeneratorExit):
        return 0
    return PAUSED if issubclass(kind, Paused) else 1


class track(Tracker):  # noqa: N801  (used as a function)
    """``with ebb.track(zone="FR") as t:``, ``@ebb.track`` or ``@ebb.track(zone="FR")``; arguments as Tracker."""

    def __new__(cls, function: Optional[Callable[..., Any]] = None, **arguments: Any) -> Any:
        if function is not None:
            from ebb._decorating import decorated

            return decorated(function, lambda: cls(name=function.__name__))
        return super().__new__(cls)

    def __init__(self, function: None = None, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._arguments = arguments

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        arguments = dict(self._arguments)
        if "project_name" not in arguments:
            arguments.setdefault("name", function.__name__)
        from ebb._decorating import decorated

        return decorated(function, lambda: Tracker(**arguments))
