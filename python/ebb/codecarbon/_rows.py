"""The rows of CodeCarbon's files: of emissions.csv, and of the file of tasks. Loaded when a tracker starts, because
dataclasses take a while to load."""

from __future__ import annotations

import json
import math
import os
from _csv import writer  # what csv offers, which loads re for more
from collections import OrderedDict
from dataclasses import dataclass, fields
from typing import Any, Dict, List, Optional, Union

from ebb._error import Error


class _Values:
    """What both kinds of data have."""

    @property
    def values(self) -> "OrderedDict[str, Any]":
        """By column, in the order of the file."""
        return OrderedDict((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]

    def toJSON(self) -> str:  # noqa: N802  (CodeCarbon's name)
        return json.dumps(self.values, indent=4, sort_keys=True)


@dataclass
class EmissionsData(_Values):
    """A row of emissions.csv: kg, kg/s, kWh with PUE in them, W without, seconds, GiB, litres.

    ``emissions`` is NaN where the intensity is known for none of the energy.
    """

    timestamp: str
    project_name: str
    run_id: str
    experiment_id: str
    duration: float
    emissions: float
    emissions_rate: float
    cpu_power: float
    gpu_power: float
    ram_power: float
    cpu_energy: float
    gpu_energy: float
    ram_energy: float
    energy_consumed: float
    water_consumed: float
    country_name: str
    country_iso_code: str
    region: str
    cloud_provider: str
    cloud_region: str
    os: str
    python_version: str
    codecarbon_version: str
    cpu_count: int
    cpu_model: str
    gpu_count: int
    gpu_model: str
    longitude: Optional[float]
    latitude: Optional[float]
    ram_total_size: float
    tracking_mode: str
    cpu_utilization_percent: float = 0.0
    gpu_utilization_percent: float = 0.0
    ram_utilization_percent: float = 0.0
    ram_used_gb: float = 0.0
    on_cloud: str = "N"
    pue: float = 1.0
    wue: float = 0.0


@dataclass
class TaskEmissionsData(_Values):
    """A row of the file of tasks, as EmissionsData."""

    task_name: str
    timestamp: str
    project_name: str
    run_id: str
    duration: float
    emissions: float
    emissions_rate: float
    cpu_power: float
    gpu_power: float
    ram_power: float
    cpu_energy: float
    gpu_energy: float
    ram_energy: float
    energy_consumed: float
    water_consumed: float
    country_name: str
    country_iso_code: str
    region: str
    cloud_provider: str
    cloud_region: str
    os: str
    python_version: str
    codecarbon_version: str
    cpu_count: int
    cpu_model: str
    gpu_count: int
    gpu_model: str
    longitude: Optional[float]
    latitude: Optional[float]
    ram_total_size: float
    tracking_mode: str
    cpu_utilization_percent: float = 0.0
    gpu_utilization_percent: float = 0.0
    ram_utilization_percent: float = 0.0
    ram_used_gb: float = 0.0
    on_cloud: str = "N"


def task_row(name: str, data: EmissionsData) -> TaskEmissionsData:
    shared = {field.name for field in fields(TaskEmissionsData)}
    values = {column: value for column, value in data.values.items() if column in shared}
    return TaskEmissionsData(task_name=name, **values)


def texts(data: Union[EmissionsData, TaskEmissionsData]) -> Dict[str, str]:
    """As they stand in a file; what is not known is empty."""
    cells = {}
    for name, value in data.values.items():
        unknown = value is None or (isinstance(value, float) and math.isnan(value))
        cells[name] = "" if unknown else str(value)
    return cells


def write_tasks(path: str, tasks: List[TaskEmissionsData]) -> None:
    """All of them anew; the file is the old one or the new one, whole."""
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "w", newline="", encoding="utf-8") as file:
            lines = writer(file, lineterminator="\n")
            lines.writerow([field.name for field in fields(TaskEmissionsData)])
            for task in tasks:
                lines.writerow(texts(task).values())
        os.replace(beside, path)
    except OSError as reason:
        raise Error(f"the tasks cannot be written: {reason}", 4) from None
