"""Figures as people read them, everywhere in Ebb: src/base/units_text.h has the rule, FormatDuration of src/base/time.h
that of durations."""

from __future__ import annotations

import math

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Optional, Sequence, Tuple

_JOULES_OF_KWH = 3.6e6
_ENERGY = ((1e-6, "\u00b5J"), (1e-3, "mJ"), (1.0, "J"), (3600.0, "Wh"), (3.6e6, "kWh"), (3.6e9, "MWh"), (3.6e12, "GWh"))
_POWER = ((1e-3, "mW"), (1.0, "W"), (1e3, "kW"), (1e6, "MW"))
_MASS = ((1e-9, "ng"), (1e-6, "\u00b5g"), (1e-3, "mg"), (1.0, "g"), (1e3, "kg"), (1e6, "t"))


def _in_units(value: float, units: Sequence[Tuple[float, str]]) -> str:
    """Three digits in the largest unit in which the value, so rounded, is at least 1."""
    chosen = units[0]
    for unit in units:
        if abs(float(f"{value / unit[0]:.2e}")) >= 1:
            chosen = unit
    number = value / chosen[0]
    if abs(number) < 1000:
        number = float(f"{number:.2e}")
    magnitude = math.floor(math.log10(abs(number)))
    return f"{number:.{max(0, min(12, 2 - magnitude))}f} {chosen[1]}"


def energy_text(kwh: float) -> str:
    joules = kwh * _JOULES_OF_KWH
    return _in_units(joules, _ENERGY) if joules != 0 else "0 J"


def emissions_text(grams: Optional[float]) -> str:
    if grams is None or math.isnan(grams):
        return "unknown emissions"
    return f"{_in_units(grams, _MASS) if grams != 0 else '0 g'} CO2eq"


def power_text(watts: float) -> str:
    return _in_units(watts, _POWER) if watts != 0 else "0 W"


def duration_text(seconds: float) -> str:
    millis = round(seconds * 1000)
    if millis == 0:
        return "0s"
    if millis < 1000:
        return f"{millis}ms"
    if millis < 59_950:
        return f"{millis / 1000:.1f}s"
    whole = (millis + 500) // 1000
    if whole < 3600:
        return f"{whole // 60}m {whole % 60}s"
    minutes = (whole + 30) // 60
    if minutes < 24 * 60:
        return f"{minutes // 60}h {minutes % 60}m"
    hours = (minutes + 30) // 60
    return f"{hours // 24}d {hours % 24}h"
