"""CodeCarbon's trackers by their names, over one measurement of this process.

The process is measured once, however many trackers run: each is a window over that measurement, the
difference of its totals at the window's two ends, and so is each task. Nothing is sampled twice, and the
energy of tasks and of the time between them adds up to the tracker's. What is as there and what is not:
docs/codecarbon.md (facts of version 3.3.2).

Each name is loaded when it is first used.
"""

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Any, List

    from ebb.codecarbon._around import TaskEmissionsTracker as TaskEmissionsTracker
    from ebb.codecarbon._around import track_emissions as track_emissions
    from ebb.codecarbon._around import track_task_emissions as track_task_emissions
    from ebb.codecarbon._output_method import OutputMethod as OutputMethod
    from ebb.codecarbon._quantities import Energy as Energy
    from ebb.codecarbon._quantities import Power as Power
    from ebb.codecarbon._quantities import Water as Water
    from ebb.codecarbon._rows import EmissionsData as EmissionsData
    from ebb.codecarbon._rows import TaskEmissionsData as TaskEmissionsData
    from ebb.codecarbon._tracker import EmissionsTracker as EmissionsTracker
    from ebb.codecarbon._tracker import OfflineEmissionsTracker as OfflineEmissionsTracker

_HOMES = {
    "EmissionsData": "_rows",
    "EmissionsTracker": "_tracker",
    "Energy": "_quantities",
    "OfflineEmissionsTracker": "_tracker",
    "OutputMethod": "_output_method",
    "Power": "_quantities",
    "TaskEmissionsData": "_rows",
    "TaskEmissionsTracker": "_around",
    "Water": "_quantities",
    "track_emissions": "_around",
    "track_task_emissions": "_around",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> "Any":
    if name not in _HOMES:
        raise AttributeError(f"module 'ebb.codecarbon' has no attribute {name!r}")
    value = getattr(__import__("ebb.codecarbon." + _HOMES[name], fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__() -> "List[str]":
    return sorted({*globals(), *__all__})
