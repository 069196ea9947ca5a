"""A plugin of pytest for CodeCarbon's own tests: with EBB_STANDS_IN=1, Ebb's classes are in the place of its trackers.

The outcome of each test that makes a tracker, or fails, goes to $OUTCOMES as JSON. tests.fake_modules, which the tests
import, is not in the source distribution: a module with the same names is in its place.
"""

import json
import os
import sys
import types
from unittest import mock

import codecarbon
import codecarbon.emissions_tracker as theirs

NAMES = ("EmissionsTracker", "OfflineEmissionsTracker", "TaskEmissionsTracker", "track_emissions", "track_task_emissions")
#: Tests replace these so that a tracker does not ask the network. Ebb never does.
REPLACED = ("_get_cloud_metadata", "_get_geo_metadata")

fake_modules = types.ModuleType("tests.fake_modules")
fake_modules.pynvml = types.SimpleNamespace(INIT_MOCK=mock.Mock(), DETAILS=None)
sys.modules["tests.fake_modules"] = fake_modules
outcomes = {}
trackers = []


def stand_in():
    import ebb.codecarbon as ours

    for name in NAMES:
        for module in (codecarbon, theirs):
            if hasattr(module, name):
                setattr(module, name, getattr(ours, name))
    for name in REPLACED:
        setattr(ours.EmissionsTracker, name, None)
    make = ours.EmissionsTracker.__init__

    def counted(self, *arguments, **settings):
        trackers.append(self)
        make(self, *arguments, **settings)

    ours.EmissionsTracker.__init__ = counted


IS_EBB = os.environ.get("EBB_STANDS_IN") == "1"
if IS_EBB:
    stand_in()


def pytest_runtest_teardown(item):
    """A tracker that a test leaves running would measure for the next ones, too."""
    if IS_EBB:
        from ebb.codecarbon import _tracker

        for tracker in list(_tracker._started):
            tracker.stop()
        trackers.clear()


def pytest_runtest_logreport(report):
    name = report.nodeid.rpartition("/")[2]
    if report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        outcomes[name] = crash.message.splitlines()[0] if crash else str(report.longrepr)
    elif report.when == "call" or report.skipped:
        if trackers or not IS_EBB:
            outcomes.setdefault(name, "skipped" if report.skipped else "")


def pytest_collectreport(report):
    if report.failed:
        outcomes[report.nodeid.rpartition("/")[2]] = str(report.longrepr)


def pytest_sessionfinish():
    with open(os.environ["OUTCOMES"], "w", encoding="utf-8") as file:
        json.dump(outcomes, file, indent=1)
