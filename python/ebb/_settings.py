"""The settings of a tracker, as libebb tells them."""

from __future__ import annotations

import io
from _csv import reader  # what csv offers, which loads re for more

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Dict, List


class Settings:
    """What a tracker's settings come to: those of the machine in them, CodeCarbon's translated."""

    def __init__(self, flags: Dict[str, str], notes: List[str], experiment_name: str, counted_by: str) -> None:
        #: Of `ebb track`, without dashes, where they differ from their defaults.
        self.flags = flags
        #: Which settings are ignored, and why.
        self.notes = notes
        #: CodeCarbon's; empty: not given.
        self.experiment_name = experiment_name
        #: Who counts what this tracker would, where another rank of the job does; empty: nobody.
        self.counted_by = counted_by


def settings_of(records: str) -> Settings:
    """Reads the lines of ebb_read_settings."""
    named: Dict[str, Dict[str, str]] = {"flag": {}, "setting": {}}
    notes, counted_by = [], ""
    for kind, name, value in reader(io.StringIO(records)):
        if kind in named:
            named[kind][name] = value
        elif kind == "note":
            notes.append(value)
        elif kind == "counted":
            counted_by = value
    return Settings(named["flag"], notes, named["setting"].get("experiment_name", ""), counted_by)
