"""What the tests of the trainers' callbacks look for in a run directory."""

import json
import os
import tempfile
import unittest
from pathlib import Path

FLAGS = {"constant": 360, "interval": "50ms", "read_codecarbon_settings": False}


class InScratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(scratch.name)
        self.directory = Path(scratch.name)

    def assert_work(self, tracker, **counts):
        work = json.loads((Path(tracker.run_directory) / "summary.json").read_text())["work"]
        self.assertEqual({unit: work[unit] for unit in ("steps", "samples", "tokens") if work[unit]}, counts)

    def assert_ran(self, tracker, epochs, parent, outcome="done"):
        run = Path(tracker.run_directory)
        self.assertEqual(run.parent.resolve(), (self.directory / parent).resolve())
        summary = json.loads((run / "summary.json").read_text())
        self.assertEqual(summary["outcome"], outcome)
        self.assertEqual([epoch["epoch"] for epoch in summary["epochs"]], list(range(1, epochs + 1)))
        self.assertGreater(tracker.totals.energy_kwh, 0)
        self.assertAlmostEqual(summary["emissions_g"], tracker.totals.emissions_g, places=12)
        energies = [epoch["energy_j"] for epoch in summary["epochs"]] if epochs else []
        self.assertTrue(all(energy >= 0 for energy in energies))
        self.assertLessEqual(sum(energies), 3.6e6 * tracker.totals.energy_kwh * 1.001)
