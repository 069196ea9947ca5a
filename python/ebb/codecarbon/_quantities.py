"""CodeCarbon's classes for energy, power and water, as far as programs use them."""

from __future__ import annotations

from dataclasses import dataclass


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
