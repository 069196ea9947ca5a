"""The measurement of this process, which all trackers share; each is a window over it."""

from __future__ import annotations

import os
import time

from ebb._log import inform, warn
from ebb._measuring import measuring, measuring_lock
from ebb.codecarbon._amounts import Amounts

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Dict, List, Optional, Union

    from ebb._measuring import Tracker
    from ebb._settings import Settings


class Measurement:
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


class CountedElsewhere:
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
        import platform
        from dataclasses import fields

        from ebb.codecarbon._rows import EmissionsData

        row = {field.name: "" for field in fields(EmissionsData)}
        row.update({name: "0" for name in Amounts.SUMS + Amounts.MEANS + ("ram_total_size",)})
        row["duration"] = repr(time.monotonic() - self._began)
        row["project_name"] = self._settings.flags.get("name", "")
        row["tracking_mode"] = self._settings.flags.get("scope", "machine")
        row["os"], row["cpu_count"] = platform.platform(), str(os.cpu_count() or 0)
        row["on_cloud"], row["pue"], row["wue"] = "N", "1", "0"
        return row


_shared: Optional[Measurement] = None
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


def join(tracker: Tracker, settings: Settings) -> Union[Measurement, CountedElsewhere]:
    """The measurement that ``tracker`` would make, or the one that is made already."""
    global _shared
    if settings.counted_by:
        inform("%s: this tracker counts nothing", settings.counted_by)
        return CountedElsewhere(settings)
    with measuring_lock:
        running = measuring()
        if running is None:
            _shared = Measurement(_start_without_row(tracker), owned=True)
            return _shared
        if _shared is None or _shared.tracker is not running:
            _shared = Measurement(running, owned=False)
            _shared.windows = 1  # what the tracker that is no window measures has the run_id
        for note in settings.notes:
            warn("%s", note)
        differences = _differences(settings, running.settings())
        if differences:
            warn(
                "this process is measured already; of this tracker's settings %s %s ignored",
                ", ".join(differences),
                "is" if len(differences) == 1 else "are",
            )
        return _shared
