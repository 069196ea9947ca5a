"""What libebb tells of a measurement so far: amounts, which have differences, and facts."""

from __future__ import annotations

import math
import sys

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Any, Dict


class Amounts:
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
    def none(cls) -> Amounts:
        return cls({name: 0.0 for name in cls.SUMS + cls.MEANS})

    @classmethod
    def of(cls, row: Dict[str, str]) -> Amounts:
        values = {name: float(row[name]) for name in cls.SUMS + cls.MEANS}
        for name in cls.MEANS:
            values[name] *= values["duration"]
        return cls(values)

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts({name: value + other.values[name] for name, value in self.values.items()})

    def __sub__(self, other: Amounts) -> Amounts:
        return Amounts({name: value - other.values[name] for name, value in self.values.items()})

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


def facts_of(row: Dict[str, str]) -> Dict[str, Any]:
    """The columns that are no amounts."""
    amounts = set(Amounts.SUMS + Amounts.MEANS) | {"emissions_rate"}
    facts: Dict[str, Any] = {name: text for name, text in row.items() if name not in amounts}
    for name in _WHOLE:
        facts[name] = int(facts[name] or 0)
    for name in _NUMBERS:
        facts[name] = float(facts[name]) if facts[name] else None
    facts["python_version"] = sys.version.split()[0]
    return facts
