"""The Python module against libebb.so, in real runs of a busy loop. EBB_LIBRARY and PYTHONPATH are set by CTest."""

import csv
import json
import logging
import math
import os
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

import ebb
from ebb import _measuring
from python_scratch import FLAGS, InScratch, work


class TrackTest(InScratch):
    def test_a_with_block_is_a_run_whose_totals_grow(self):
        with ebb.track(project_name="loop", pue=1.2, output_dir="kept", **FLAGS) as tracker:
            work()
            first = tracker.totals
            tracker.mark_epoch(1)
            work()
            tracker.mark_epoch(2)
            second = tracker.totals
        last = tracker.totals
        self.assertGreater(first.cpu_kwh, 0)
        self.assertGreater(first.power_w, 0)
        for name in ("duration_s", "energy_kwh", "cpu_kwh", "facility_kwh", "emissions_g"):
            self.assertLessEqual(getattr(first, name), getattr(second, name))
            self.assertLessEqual(getattr(second, name), getattr(last, name))
        self.assertAlmostEqual(last.facility_kwh, 1.2 * last.energy_kwh, delta=1e-10)
        self.assertAlmostEqual(last.emissions_g, 360 * last.facility_kwh, delta=1e-9)

        run = Path(tracker.run_directory)
        self.assertEqual(run.parent.name, "kept")
        summary = json.loads((run / "summary.json").read_text())
        self.assertEqual(summary["name"], "loop")
        self.assertEqual(summary["outcome"], "done")
        self.assertEqual([epoch["epoch"] for epoch in summary["epochs"]], [1, 2])
        self.assertAlmostEqual(summary["emissions_g"], last.emissions_g, places=12)
        with open(run / "emissions.csv", newline="") as file:
            (row,) = csv.DictReader(file)
        self.assertAlmostEqual(float(row["energy_consumed"]), last.facility_kwh, places=12)

    def test_an_exception_still_stops_and_stores(self):
        with self.assertRaises(ZeroDivisionError):
            with ebb.track(**FLAGS) as tracker:
                work()
                1 / 0
        self.assertEqual(self.attempts(tracker.run_directory)[-1]["outcome"], "failed")
        self.assertTrue((Path(tracker.run_directory) / "summary.json").exists())

    def test_decorators_bare_with_arguments_and_async(self):
        @ebb.track(output_dir="a", **FLAGS)
        def train(x):
            """Trains."""
            return x + 1

        self.assertEqual((train(1), train(2)), (2, 3))
        self.assertEqual((train.__name__, train.__doc__), ("train", "Trains."))
        names = [json.loads((r / "run.json").read_text())["name"] for r in Path("a").iterdir()]
        self.assertEqual(names, ["train", "train"])

        @ebb.track
        def bare():
            return "done"

        with self.assertLogs("ebb", logging.WARNING):  # nobody said where it runs
            self.assertEqual(bare(), "done")
        self.assertEqual(self.attempts(self.only_run())[-1]["outcome"], "done")

        @ebb.track(output_dir="b", **FLAGS)
        async def later():
            return 5

        import asyncio

        self.assertEqual(asyncio.run(later()), 5)
        self.assertEqual(len(list(Path("b").iterdir())), 1)

    def test_start_twice_is_an_error_and_stop_twice_harmless(self):
        tracker = ebb.Tracker(**FLAGS).start()
        with self.assertRaises(ebb.Error):
            tracker.start()
        with self.assertRaises(ebb.Error) as nested:
            ebb.Tracker(**FLAGS).start()
        self.assertEqual(nested.exception.code, 5)
        first = tracker.stop()
        self.assertEqual(tracker.stop(), first)
        ebb.Tracker(**FLAGS).start().stop()

    def test_mistakes_are_errors_that_help(self):
        for flags, words in (
            ({"zoen": "FR"}, "zone"),
            ({"pue": 0.1}, "--pue"),
            ({"budget_kwh": 1}, "ebb track"),
            ({"trace": "no-such.csv", "grid_start": "2023-05-01T00:00Z"}, "no-such.csv"),
        ):
            with self.subTest(flags), self.assertRaises(ebb.Error) as refused:
                ebb.Tracker(read_codecarbon_settings=False, **flags).start()
            self.assertIn(words, str(refused.exception))
        self.assertFalse(Path("runs").exists())

    def test_a_forked_child_leaves_the_tracker_alone(self):
        with ebb.track(**FLAGS) as tracker:
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    tracker.stop()
                except ebb.Error as error:
                    code = 0 if error.code == 6 else 2
                del tracker
                os._exit(code)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.attempts(tracker.run_directory)[-1]["outcome"], "done")

    def test_the_end_of_the_interpreter_stops_what_still_runs(self):
        program = """
            import ebb
            t = ebb.Tracker(constant=360, rapl="none", run_dir="kept").start()
            sum(range(10**6))
        """
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.attempts("kept")[-1]["outcome"], "done")

    def test_the_host_keeps_its_ctrl_c(self):
        program = """
            import ebb, os, signal
            try:
                with ebb.track(constant=360, rapl="none", run_dir="kept"):
                    os.kill(os.getpid(), signal.SIGINT)
                    signal.pause()
            except KeyboardInterrupt:
                print("interrupted")
        """
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "interrupted\n", ""))
        self.assertEqual(self.attempts("kept")[-1]["outcome"], "failed")


class TotalsTest(unittest.TestCase):
    def test_unknown_is_not_zero(self):
        raw = _measuring._Totals()
        raw.emissions_g = math.nan
        self.assertIsNone(_measuring._totals_of(raw).emissions_g)


if __name__ == "__main__":
    unittest.main()
