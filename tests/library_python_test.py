"""The Python module against libebb.so, in real runs of a busy loop. EBB_LIBRARY and PYTHONPATH are set by CTest."""

import asyncio
import contextlib
import csv
import io
import json
import logging
import math
import os
import random
import statistics
import subprocess
import sys
import textwrap
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import ebb
from ebb import _library, _text, _training
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

    def test_work_has_an_energy_per_unit(self):
        with ebb.track(**FLAGS) as tracker:
            for _ in range(10):
                work()
                tracker.add_work(steps=1, samples=8, tokens=1024)
            with ebb.track(**FLAGS) as inner:  # joins
                inner.add_work(steps=1)
        told = json.loads((Path(tracker.run_directory) / "summary.json").read_text())["work"]
        self.assertEqual([told[unit] for unit in ("steps", "samples", "tokens")], [11, 80, 10240])
        self.assertAlmostEqual(told["energy_per_token_j"] * 10240, 3.6e6 * tracker.totals.energy_kwh, delta=1e-6)
        with self.assertRaises(ebb.Error):
            tracker.add_work(steps=1)

    def last_line(self):
        return json.loads((self.directory / "progress.jsonl").read_text().splitlines()[-1])

    def train_in_a_job(self, step, steps):
        """As the callback of a trainer, in a process of its own: 8 samples a step."""
        with mock.patch.dict(os.environ, EBB_RUN_DIR=str(self.directory), WORLD_SIZE="2"):
            run = _training.TrainingRun(quiet=True, **FLAGS)
            run.begin()
            run.job.start(step)
            for _ in range(steps):
                run.add_work(1, 8)
            run.end()
        return json.loads((Path(run.tracker.run_directory) / "summary.json").read_text())["work"]

    def test_a_training_in_a_job_reports_its_work_there_too(self):
        work = self.train_in_a_job(0, 10)
        self.assertEqual((work["steps"], work["samples"], work["tokens"]), (10, 80, None))
        last = self.last_line()
        self.assertEqual((last["step"], last["samples_seen"]), (10, 160), "those of both ranks")
        self.assertNotIn("tokens_seen", last)

        self.train_in_a_job(0, 3)  # a second training of the same process
        self.assertEqual((self.last_line()["step"], self.last_line()["samples_seen"]), (13, 208))

        # The job is resumed from a checkpoint: another process.
        _training.JobProgress._reported.clear()
        with open(self.directory / "progress.jsonl", "a") as file:
            file.write('{"time_ms":1,"event":"step","step":20,"samples_seen":320}\n{"time_ms":')
        self.train_in_a_job(13, 2)
        self.assertEqual((self.last_line()["step"], self.last_line()["samples_seen"]), (15, 240))

    def test_only_the_first_rank_reports_to_the_job(self):
        with mock.patch.dict(os.environ, RANK="1"):
            self.train_in_a_job(0, 2)
        self.assertFalse((self.directory / "progress.jsonl").exists())

    def test_samples_and_tokens_of_batches(self):
        class Tensor:
            def __init__(self, *shape):
                self.shape = shape

        for batch, counts in [
            ({"attention_mask": Tensor(4, 128), "input_ids": Tensor(4, 128)}, (4, 512)),
            ((Tensor(16, 3, 32, 32), Tensor(16)), (16, 0)),
            ([[Tensor(2, 5)], {"y": Tensor(2)}], (2, 0)),
            (Tensor(7), (7, 0)),
            ((Tensor(), "text"), (0, 0)),
            (None, (0, 0)),
        ]:
            self.assertEqual(_training.count_batch(batch), counts)

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

        self.assertEqual(asyncio.run(later()), 5)
        self.assertEqual(len(list(Path("b").iterdir())), 1)

    def test_start_twice_is_an_error_and_stop_twice_harmless(self):
        tracker = ebb.Tracker(**FLAGS).start()
        with self.assertRaises(ebb.Error):
            tracker.start()
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

    def duration_s(self, run):
        with open(run / "emissions.csv", newline="") as file:
            return float(next(csv.DictReader(file))["duration"])

    def test_a_generator_is_measured_while_it_is_iterated(self):
        @ebb.track(output_dir="g", **FLAGS)
        def batches(count):
            """Batches."""
            got = []
            for number in range(count):
                work(0.03)
                got.append((yield number))
            return got

        iteration = batches(3)
        self.assertFalse(Path("g").exists(), "nothing is measured before the first item")
        self.assertEqual([next(iteration), iteration.send("a"), iteration.send("b")], [0, 1, 2])
        with self.assertRaises(StopIteration) as end:
            iteration.send("c")
        self.assertEqual(end.exception.value, ["a", "b", "c"])
        (run,) = Path("g").iterdir()
        summary = json.loads((run / "summary.json").read_text())
        self.assertGreater(self.duration_s(run), 0.06)
        self.assertGreater(summary["energy"]["it_kwh"], 0)
        self.assertEqual((batches.__name__, batches.__doc__), ("batches", "Batches."))

        unfinished = batches(3)
        next(unfinished)
        unfinished.close()
        self.assertEqual({self.attempts(r)[-1]["outcome"] for r in Path("g").iterdir()}, {"done"})

    def test_an_asynchronous_generator_is_measured_while_it_is_iterated(self):
        closed = []

        @ebb.track(output_dir="g", **FLAGS)
        async def batches():
            try:
                for number in range(3):
                    work(0.03)
                    yield number
            finally:
                closed.append(True)

        async def iterate():
            return [number async for number in batches()]

        self.assertEqual(asyncio.run(iterate()), [0, 1, 2])
        self.assertEqual(closed, [True])
        (run,) = Path("g").iterdir()
        self.assertGreater(self.duration_s(run), 0.06)

        async def first_only():
            iteration = batches()
            number = await iteration.__anext__()
            await iteration.aclose()
            return number

        self.assertEqual(asyncio.run(first_only()), 0)
        self.assertEqual({self.attempts(r)[-1]["outcome"] for r in Path("g").iterdir()}, {"done"})

    def test_why_the_intensity_is_not_known_is_a_warning_at_the_end(self):
        tracker = ebb.track(zone="FR", signal="command", signal_command="false", output_dir="u").start()
        work(0.05)
        with self.assertLogs("ebb", logging.WARNING) as said:
            self.assertIsNone(tracker.stop().emissions_g)
        (line,) = said.output
        self.assertIn("the carbon intensity is not known: false: failed", line)
        self.assertIn(line.split(":", 2)[2], (Path(tracker.run_directory) / "ebb.log").read_text())

    def test_a_tracker_inside_of_another_joins_it(self):
        with ebb.track(name="outer", output_dir="j", **FLAGS) as outer:
            work()
            with self.assertLogs("ebb", logging.WARNING) as said:
                with ebb.track(name="inner", output_dir="j", **FLAGS) as inner:
                    work(0.1)
                    inner.mark_epoch(1)
            in_thread = []
            thread = threading.Thread(
                target=lambda: in_thread.append(ebb.track(name="thread", **FLAGS).start().stop())
            )
            thread.start()
            thread.join()
            work()
        self.assertEqual(sum("joins it" in line for line in said.output), 1)
        self.assertEqual(len(list(Path("j").iterdir())), 1, "one measurement, one run")
        self.assertEqual(inner.run_directory, outer.run_directory)
        self.assertGreater(inner.totals.energy_kwh, 0)
        self.assertGreater(inner.totals.duration_s, 0.05)
        self.assertLess(inner.totals.duration_s, outer.totals.duration_s)
        self.assertLess(inner.totals.energy_kwh, outer.totals.energy_kwh)
        self.assertAlmostEqual(inner.totals.emissions_g, 360 * inner.totals.facility_kwh, delta=1e-9)
        self.assertGreaterEqual(in_thread[0].duration_s, 0)

    def test_a_measurement_ends_with_the_last_tracker_that_joined_it(self):
        first = ebb.track(name="first", **FLAGS).start()
        second = ebb.track(name="second", **FLAGS).start()
        work(0.02)
        used = first.stop(3)
        work(0.1)
        second.mark_epoch(1)
        third = ebb.track(name="third", **FLAGS).start()
        self.assertEqual([line["event"] for line in self.attempts(self.only_run())], ["begin"])
        left = second.stop()
        third.stop()
        self.assertEqual(first.stop(), used)
        self.assertGreaterEqual(left.duration_s, used.duration_s + 0.05)
        self.assertGreater(left.energy_kwh, used.energy_kwh)
        self.assertEqual(self.attempts(self.only_run())[-1]["exit_code"], 3)
        ebb.track(name="next", output_dir="other", **FLAGS).start().stop()
        self.assertEqual(len(list(Path("other").iterdir())), 1, "a measurement of its own")

    def test_a_tracker_outlives_the_window_of_codecarbon_that_it_joined(self):
        window = ebb.EmissionsTracker(force_carbon_intensity_g_co2e_kwh=360, log_level="error")
        window.start()
        inside = ebb.track(**FLAGS).start()
        window.stop()
        work(0.1)
        inside.mark_epoch(1)
        self.assertGreater(inside.stop().duration_s, 0.05)

    def test_what_still_measures_at_the_end_of_the_program_is_stored(self):
        program = f"""
            import ebb
            first, second = (ebb.track(**{FLAGS!r}).start() for _ in range(2))
            first.stop(3)
        """
        subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, capture_output=True)
        self.assertEqual(self.attempts(self.only_run())[-1]["exit_code"], 3)

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
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"^python: [\d.]+ .?J, [\d.]+ .?g CO2eq, [\w.]+, kept in /.*/kept\n$")
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
        self.assertEqual((done.returncode, done.stdout), (0, "interrupted\n"))
        self.assertRegex(done.stderr, r"^python: .*, kept in /.*/kept\n$")
        self.assertEqual(self.attempts("kept")[-1]["outcome"], "failed")


class DurationTest(InScratch):
    def test_a_measurement_is_as_long_as_what_it_measures(self):
        """Each begins between the call of its start and the return, and ends likewise, give or take the
        milliseconds within which a sample is young enough. A start that no sample answers takes 5 s."""
        settings = {"force_carbon_intensity_g_co2e_kwh": 360, "measure_power_secs": 3600}
        settings.update(log_level="error", save_to_file=False)
        chance, waits, off = random.Random(1), [], []

        def check(start, stop, data):
            called = time.monotonic()
            start()
            began = time.monotonic()
            time.sleep(chance.uniform(0, 0.004))
            ending = time.monotonic()
            stopped = stop()
            ended = time.monotonic()
            duration = data(stopped).duration
            off.append(max(ending - began - duration, duration - (ended - called)))
            waits.append(began - called)

        with contextlib.redirect_stderr(io.StringIO()):
            for _ in range(50):
                time.sleep(chance.uniform(0, 0.002))
                tracker = ebb.EmissionsTracker(**settings)
                check(tracker.start, tracker.stop, lambda _: tracker.final_emissions_data)
            with ebb.EmissionsTracker(**settings) as tracker:
                for _ in range(200):
                    check(tracker.start_task, tracker.stop_task, lambda data: data)
        self.assertLess(sum(wait > 4 for wait in waits), 3)
        # A machine with much to do may stop a thread between any two of these moments.
        self.assertLess(statistics.median(off), 0.004)
        self.assertLess(max(off), 1)


class PrintedTest(InScratch):
    def stopped(self, tracker):
        """What a tracker that is stopped prints."""
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            tracker.start().stop()
        return printed.getvalue()

    def test_the_end_is_printed_as_the_summary_has_it(self):
        tracker = ebb.Tracker(name="loop", **FLAGS)
        self.assertEqual(repr(tracker), "<ebb.Tracker loop: not started>")
        line = self.stopped(tracker)
        self.assertEqual(line, f"loop: {tracker.totals}, kept in {tracker.run_directory}\n")
        summary = subprocess.run(
            [os.environ["EBB_PROGRAM"], "summary", tracker.run_directory], capture_output=True, text=True, check=True
        ).stdout
        energy, grams, _ = str(tracker.totals).split(", ")
        self.assertIn(f"energy         {energy}  (", summary)
        self.assertIn(f"emitted        {grams.replace(' CO2eq', '')}  at", summary)
        self.assertEqual(repr(tracker), f"<ebb.Tracker loop: stopped, {tracker.totals}, {tracker.run_directory}>")
        self.assertIn(f"<ebb.Totals {tracker.totals}; cpu ", repr(tracker.totals))

    def test_quiet_prints_nothing(self):
        self.assertEqual(self.stopped(ebb.Tracker(quiet=True, **FLAGS)), "")
        self.assertEqual(self.stopped(ebb.Tracker(codecarbon={"log_level": "critical"}, **FLAGS)), "")


class TextTest(unittest.TestCase):
    """The cases of src/base/units_text_test.cc and src/base/time_test.cc."""

    def test_three_digits_in_the_unit_that_fits(self):
        for joules, text in (
            (0.518, "518 mJ"), (7e-6, "7.00 \u00b5J"), (4320, "1.20 Wh"), (3.6e9, "1.00 MWh"),
            (3599.9, "1.00 Wh"), (3598, "3598 J"), (0, "0 J"),
        ):  # fmt: skip
            self.assertEqual(_text.energy_text(joules / 3.6e6), text)
        for grams, text in (
            (4.95e-7, "495 ng"), (0.00817, "8.17 mg"), (0.04, "40.0 mg"), (1234.5, "1.23 kg"), (-2.5, "-2.50 g"),
            (999.6, "1.00 kg"), (9.996, "10.0 g"), (0, "0 g"),
        ):  # fmt: skip
            self.assertEqual(_text.emissions_text(grams), text + " CO2eq")
        self.assertEqual(_text.power_text(38.21), "38.2 W")
        self.assertEqual(_text.power_text(1200), "1.20 kW")

    def test_durations(self):
        for seconds, text in (
            (51 * 3600, "2d 3h"), (390 * 60, "6h 30m"), (12.3, "12.3s"), (0.25, "250ms"), (0, "0s"), (59.96, "1m 0s"),
        ):  # fmt: skip
            self.assertEqual(_text.duration_text(seconds), text)

    def test_unknown_is_not_zero(self):
        for unknown in (None, math.nan):
            self.assertEqual(_text.emissions_text(unknown), "unknown emissions")


class TotalsTest(unittest.TestCase):
    def test_unknown_is_not_zero(self):
        raw = _library.RawTotals()
        raw.emissions_g = math.nan
        self.assertIsNone(_library.totals_of(raw).emissions_g)


if __name__ == "__main__":
    unittest.main()
