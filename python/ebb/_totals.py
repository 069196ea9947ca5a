"""The figures of a measurement."""

from __future__ import annotations

from ebb._text import duration_text, emissions_text, energy_text, power_text

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Any, Optional


class Totals:
    """What was used since the start. Energies are of IT, in kWh; ``facility_kwh`` has PUE in it. It cannot be changed,
    and vars() gives its values by name. (A dataclass would take longer to load than all else of a measurement.)"""

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

    def __init__(
        self,
        duration_s: float,
        energy_kwh: float,
        cpu_kwh: float,
        gpu_kwh: float,
        ram_kwh: float,
        facility_kwh: float,
        emissions_g: Optional[float],
        facility_without_intensity_kwh: float,
        power_w: float,
    ) -> None:
        values = dict(locals())
        del values["self"]
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"cannot assign to {name!r}: totals are those of one moment")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"cannot delete {name!r}: totals are those of one moment")

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if isinstance(other, Totals) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

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


#: The names of the values, in the order of ebb_totals in ebb.h.
NAMES = tuple(Totals.__annotations__)
#: Those that grow from the start on; emissions may be unknown.
_SUMS = tuple(name for name in NAMES if name not in ("emissions_g", "power_w"))
