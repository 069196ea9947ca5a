"""Members that are private in CodeCarbon, but that programs use."""

from __future__ import annotations

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from ebb.codecarbon._quantities import Energy, Power, Water


def _energy(kwh: float) -> Energy:
    from ebb.codecarbon._quantities import Energy

    return Energy(kwh)


def _power(watts: float) -> Power:
    from ebb.codecarbon._quantities import Power

    return Power(watts / 1000)


class PrivateMembers:
    """Of a tracker, which says what a column of its row has come to."""

    def _column(self, name: str) -> float:
        raise NotImplementedError

    @property
    def _total_energy(self) -> Energy:
        return _energy(self._column("energy_consumed"))

    @property
    def _total_cpu_energy(self) -> Energy:
        return _energy(self._column("cpu_energy"))

    @property
    def _total_gpu_energy(self) -> Energy:
        return _energy(self._column("gpu_energy"))

    @property
    def _total_ram_energy(self) -> Energy:
        return _energy(self._column("ram_energy"))

    @property
    def _total_water(self) -> Water:
        from ebb.codecarbon._quantities import Water

        return Water(self._column("water_consumed"))

    @property
    def _total_emissions(self) -> float:
        return self._column("emissions")

    @property
    def _cpu_power(self) -> Power:
        return _power(self._column("cpu_power"))

    @property
    def _gpu_power(self) -> Power:
        return _power(self._column("gpu_power"))

    @property
    def _ram_power(self) -> Power:
        return _power(self._column("ram_power"))

    def _measure_power_and_energy(self) -> None:
        """A sample is taken whenever a figure is asked for."""
        self._column("duration")
