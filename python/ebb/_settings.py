"""The settings of a tracker, as libebb tells them."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Dict, List


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


def settings_of(records: str) -> Settings:
    """Reads the lines of ebb_read_settings."""
    named: Dict[str, Dict[str, str]] = {"flag": {}, "setting": {}}
    notes, counted_by = [], ""
    for kind, name, value in csv.reader(io.StringIO(records)):
        if kind in named:
            named[kind][name] = value
        elif kind == "note":
            notes.append(value)
        elif kind == "counted":
            counted_by = value
    return Settings(named["flag"], notes, named["setting"].get("experiment_name", ""), counted_by)
