"""Measures the energy and emissions of this Python process with libebb.

    import ebb

    with ebb.track(name="training", zone="FR") as tracker:
        train()
    print(tracker.totals.emissions_g)

    @ebb.track
    def train(): ...

Coming from CodeCarbon, one import changes:

    from ebb import EmissionsTracker          # was: from codecarbon import EmissionsTracker

Trainers of others measure themselves with a callback: ebb.transformers, ebb.lightning, ebb.keras.

Standard library only. The shared library is $EBB_LIBRARY, or libebb.so.0 beside this file, or the one
the system finds. What is measured, threads and forks: docs/libebb.md.
"""

from ebb._measuring import Error, Totals, Tracker, logger, track, version
from ebb.codecarbon import (
    EmissionsData,
    EmissionsTracker,
    OfflineEmissionsTracker,
    OutputMethod,
    TaskEmissionsData,
    TaskEmissionsTracker,
    track_emissions,
    track_task_emissions,
)

__all__ = [
    "EmissionsData",
    "EmissionsTracker",
    "Error",
    "OfflineEmissionsTracker",
    "OutputMethod",
    "TaskEmissionsData",
    "TaskEmissionsTracker",
    "Totals",
    "Tracker",
    "logger",
    "track",
    "track_emissions",
    "track_task_emissions",
    "version",
]
