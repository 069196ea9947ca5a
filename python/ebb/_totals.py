"""The figures of a measurement."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Optional

from ebb._text import duration_text, emissions_text, energy_text, power_text

@dataclass(frozen=True, repr=False)
class Totals:
    """What was used since the start. Energies are of IT, in kWh; ``facility_kwh`` has PUE in it."""

    # The order is that of ebb_totals in ebb.h.

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


#: Those that grow from the start on; emissions may be unknown.
_SUMS = tuple(field.name for field in fields(Totals) if field.name not in ("emissions_g", "power_w"))
