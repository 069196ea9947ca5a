"""Runs training when power is clean, and measures its energy and emissions.

    import ebb

    ebb.wait_for_clean_power(duration="2h", start_by="tomorrow 6am")     # blocks, and says why

    @ebb.when_clean(duration="2h")                                       # each call waits first
    def train(): ...

    with ebb.track(name="training", zone="FR") as tracker:               # measures this process
        train()
    print(tracker.totals.emissions_g)

    ebb.grid(), ebb.best_window("2h")                                    # the grid as data
    ebb.submit(train, duration="2h").result()                            # in the queue service
    if ebb.should_pause(): save(); raise ebb.Paused                      # in a loop that can be paused

docs/python.md. Coming from CodeCarbon, one import changes:

    from ebb import EmissionsTracker          # was: from codecarbon import EmissionsTracker

Trainers of others measure themselves with a callback, and pause: ebb.transformers, ebb.lightning, ebb.keras. In a
notebook, `%load_ext ebb` and `%%ebb` measure a cell. docs/integrations.md has these and other tools.

Standard library only; each name is loaded when it is first used. The program is $EBB_PROGRAM, or the one in the wheel,
or the one that the shell finds; the shared library is $EBB_LIBRARY, or libebb.so.0 beside this file, or the one the
system finds. What is measured, threads and forks: docs/libebb.md.
"""

TYPE_CHECKING = False  # true for type checkers; typing takes a while to load

if TYPE_CHECKING:
    from typing import Any, List

    from ebb._error import Error as Error
    from ebb._grid import Grid as Grid
    from ebb._grid import Sample as Sample
    from ebb._grid import Window as Window
    from ebb._grid import best_window as best_window
    from ebb._grid import grid as grid
    from ebb._library import version as version
    from ebb._log import logger as logger
    from ebb._measuring import Tracker as Tracker
    from ebb._measuring import track as track
    from ebb._notebook import load_ipython_extension as load_ipython_extension
    from ebb._notebook import unload_ipython_extension as unload_ipython_extension
    from ebb._paused import Paused as Paused
    from ebb._pausing import should_pause as should_pause
    from ebb._service import Client as Client
    from ebb._service import Job as Job
    from ebb._service import JobFailed as JobFailed
    from ebb._service import submit as submit
    from ebb._totals import Totals as Totals
    from ebb._waiting import NoCleanPower as NoCleanPower
    from ebb._waiting import Wait as Wait
    from ebb._waiting import clean_power as clean_power
    from ebb._waiting import wait_for_clean_power as wait_for_clean_power
    from ebb._waiting import wait_for_clean_power_async as wait_for_clean_power_async
    from ebb._waiting import when_clean as when_clean
    from ebb.codecarbon import EmissionsData as EmissionsData
    from ebb.codecarbon import EmissionsTracker as EmissionsTracker
    from ebb.codecarbon import OfflineEmissionsTracker as OfflineEmissionsTracker
    from ebb.codecarbon import OutputMethod as OutputMethod
    from ebb.codecarbon import TaskEmissionsData as TaskEmissionsData
    from ebb.codecarbon import TaskEmissionsTracker as TaskEmissionsTracker
    from ebb.codecarbon import track_emissions as track_emissions
    from ebb.codecarbon import track_task_emissions as track_task_emissions

_NAMES = {
    "_error": ("Error",),
    "_grid": ("Grid", "Sample", "Window", "best_window", "grid"),
    "_library": ("version",),
    "_log": ("logger",),
    "_measuring": ("Tracker", "track"),
    "_notebook": ("load_ipython_extension", "unload_ipython_extension"),
    "_paused": ("Paused",),
    "_pausing": ("should_pause",),
    "_service": ("Client", "Job", "JobFailed", "submit"),
    "_totals": ("Totals",),
    "_waiting": (
        "NoCleanPower",
        "Wait",
        "clean_power",
        "wait_for_clean_power",
        "wait_for_clean_power_async",
        "when_clean",
    ),
    "codecarbon": (
        "EmissionsData",
        "EmissionsTracker",
        "OfflineEmissionsTracker",
        "OutputMethod",
        "TaskEmissionsData",
        "TaskEmissionsTracker",
        "track_emissions",
        "track_task_emissions",
    ),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> "Any":
    # __import__, because importlib takes a while to load.
    if name == "codecarbon":  # `import ebb; ebb.codecarbon` has always been enough
        return __import__("ebb.codecarbon", fromlist=["codecarbon"])
    if name not in _HOMES:
        raise AttributeError(f"module 'ebb' has no attribute {name!r}")
    value = getattr(__import__("ebb." + _HOMES[name], fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__() -> "List[str]":
    return sorted({*globals(), *__all__})
