"""Programs written for CodeCarbon, after the change of their import: real runs of a busy loop.

EBB_LIBRARY, PYTHONPATH and EBB_FAKE_NVML are set by CTest. The same against CodeCarbon itself: ./dev peers.
"""

import csv
import dataclasses
import json
import logging
import math
import os
import platform
import subprocess
import sys
import textwrap
import time
import unittest
from pathlib import Path

import ebb
from ebb.codecarbon import _measurement
from ebb.codecarbon._amounts import Amounts
from python_scratch import InScratch, work

# Settings that no test here is about; the first is CodeCarbon's name for a constant intensity.
SETTINGS = {"force_carbon_intensity_g_co2e_kwh": 360, "measure_power_secs": 0.02}
AMOUNTS = ("emissions", "cpu_energy", "gpu_energy", "ram_energy", "energy_consumed")


class CodeCarbonTest(InScratch):
    def rows(self, path="emissions.csv"):
        with open(path, newline="") as file:
            return list(csv.DictReader(file))

    def assert_sum(self, parts, total, name):
        self.assertAlmostEqual(
            sum(getattr(part, name) for part in parts), getattr(total, name), delta=1e-15, msg=name
        )


class TrackerTest(CodeCarbonTest):
    def test_start_stop_return_kilograms_and_write_the_file(self):
        tracker = ebb.EmissionsTracker(project_name="mnist", log_level="error", **SETTINGS)
        tracker.start()
        work()
        emissions = tracker.stop()
        self.assertIsInstance(emissions, float)
        self.assertGreater(emissions, 0)
        with self.assertLogs("ebb", logging.WARNING):
            self.assertEqual(tracker.stop(), emissions)
        (row,) = self.rows()
        self.assertEqual(row["project_name"], "mnist")
        self.assertEqual(float(row["emissions"]), emissions)
        summary = json.loads((Path(tracker.run_directory) / "summary.json").read_text())
        self.assertAlmostEqual(summary["emissions_g"] / 1000, emissions, places=15)

    def test_nothing_needs_to_be_said(self):
        with self.assertLogs("ebb", logging.WARNING):  # but nobody said where it runs
            with ebb.EmissionsTracker():
                work()
        (row,) = self.rows()
        self.assertEqual(row["tracking_mode"], "machine")

    def test_flush_adds_a_row_or_replaces_it(self):
        for how, rows in (("append", 3), ("update", 1)):
            with self.subTest(how), ebb.EmissionsTracker(
                output_file=how + ".csv", on_csv_write=how, **SETTINGS
            ) as tracker:
                work()
                first = tracker.flush()
                work()
                second = tracker.flush()
            self.assertLess(first, second)
            self.assertLess(second, tracker.final_emissions)
            written = self.rows(how + ".csv")
            self.assertEqual([row["run_id"] for row in written], [tracker.run_id] * rows)
            self.assertEqual(float(written[-1]["emissions"]), tracker.final_emissions)
        with self.assertLogs("ebb", logging.WARNING):
            self.assertIsNone(ebb.EmissionsTracker(**SETTINGS).flush())

    def test_the_data_have_every_column_of_the_file(self):
        with ebb.EmissionsTracker(
            "all", pue=1.5, wue=2, country_iso_code="FRA", experiment_id="e", **SETTINGS
        ) as tracker:
            work()
        data = tracker.final_emissions_data
        (row,) = self.rows()
        self.assertEqual(list(data.values), list(row))
        self.assertEqual(len(row), 38)
        for name, value in data.values.items():
            self.assertEqual(row[name], "" if value is None else str(value), name)
        self.assertEqual(row["python_version"], platform.python_version())
        self.assertEqual((row["country_iso_code"], row["experiment_id"]), ("FRA", "e"))
        self.assertAlmostEqual(data.water_consumed, 2 * data.energy_consumed, places=15)
        self.assertAlmostEqual(
            data.cpu_power * data.duration / 3.6e6 * 1.5, data.cpu_energy, delta=1e-11  # rows are whole microjoules
        )
        self.assertGreater(data.cpu_utilization_percent, 0)
        self.assertEqual((data.pue, data.wue), (1.5, 2.0))
        self.assertEqual(json.loads(data.toJSON())["run_id"], tracker.run_id)

    def test_the_machine_is_measured_unless_somebody_says_otherwise(self):
        for mode, keywords, variable in (
            ("machine", {}, None),
            ("process", {"tracking_mode": "process"}, None),
            ("process", {}, "process"),
            ("machine", {"tracking_mode": "machine"}, "process"),
        ):
            with self.subTest(keywords=keywords, variable=variable):
                if variable:
                    os.environ["CODECARBON_TRACKING_MODE"] = variable
                    self.addCleanup(os.environ.pop, "CODECARBON_TRACKING_MODE", None)
                with ebb.EmissionsTracker(**SETTINGS, **keywords) as tracker:
                    pass
                self.assertEqual(tracker.final_emissions_data.tracking_mode, mode)
                run = json.loads((Path(tracker.run_directory) / "run.json").read_text())
                self.assertIn(mode, json.dumps(run["scope"]))

    def test_offline_by_country_in_a_directory(self):
        os.mkdir("out")
        with ebb.OfflineEmissionsTracker(
            country_iso_code="FRA", output_dir="out", output_file="e.csv", gpu_ids=[0]
        ) as tracker:
            work()
        (row,) = self.rows("out/e.csv")
        self.assertEqual(row["country_iso_code"], "FRA")
        self.assertEqual(Path(tracker.run_directory).parent, self.directory / "out" / "runs")

    def test_decorators(self):
        @ebb.track_emissions(offline=True, country_iso_code="FRA", project_name="decorated")
        def train():
            return 7

        self.assertEqual(train(), 7)
        self.assertEqual(self.rows()[0]["project_name"], "decorated")

    def test_settings_of_the_machine_count_and_ignored_ones_are_named(self):
        Path(".codecarbon.config").write_text("[codecarbon]\nproject_name = from file\npue = 1.5\n")
        os.environ["CODECARBON_PUE"] = "2"
        self.addCleanup(os.environ.pop, "CODECARBON_PUE")
        with self.assertLogs("ebb", logging.WARNING) as log:
            with ebb.EmissionsTracker(country_iso_code="FRA", api_key="secret", mesure_power_secs=1,
                                      logging_logger=object()):
                pass
        text = "\n".join(log.output)
        self.assertIn("api_key", text)
        self.assertIn("logging_logger", text)
        self.assertIn("mesure_power_secs", text)
        self.assertIn("measure_power_secs", text)
        self.assertNotIn("secret", text)
        (row,) = self.rows()
        self.assertEqual((row["project_name"], float(row["pue"])), ("from file", 2.0))

    def test_output_methods_by_their_names(self):
        with self.assertLogs("ebb", logging.WARNING) as log:
            with ebb.EmissionsTracker(output_methods=[ebb.OutputMethod.LOGGER], **SETTINGS):
                pass
        self.assertIn("logger", "\n".join(log.output))
        self.assertFalse(Path("emissions.csv").exists())
        with ebb.EmissionsTracker(output_methods=[ebb.OutputMethod.CSV], **SETTINGS):
            pass
        self.assertEqual(len(self.rows()), 1)

    def test_no_place_is_warned_of(self):
        with self.assertLogs("ebb", logging.WARNING) as log:
            with ebb.EmissionsTracker(save_to_file=False):
                pass
        self.assertIn("no zone", "\n".join(log.output))
        self.assertFalse(Path("emissions.csv").exists())

    def test_what_cannot_be_used_is_refused_and_may_be_mended(self):
        with self.assertRaises(ebb.Error) as refused:
            ebb.OfflineEmissionsTracker(country_iso_code="FRX").start()
        self.assertIn("FRX", str(refused.exception))
        tracker = ebb.EmissionsTracker(output_dir="later", **SETTINGS)
        with self.assertRaises(ebb.Error):
            tracker.start()
        os.mkdir("later")
        tracker.start()
        tracker.stop()
        self.assertEqual(len(self.rows("later/emissions.csv")), 1)

    def test_private_figures_that_programs_read(self):
        with ebb.EmissionsTracker(pue=1.5, **SETTINGS) as tracker:
            work()
            parts = [tracker._total_cpu_energy, tracker._total_gpu_energy, tracker._total_ram_energy]
            self.assertGreater(parts[0].kWh, 0)
            self.assertGreaterEqual(tracker._total_energy.kWh, sum(part.kWh for part in parts) - 1e-15)
            self.assertGreater(tracker._cpu_power.W, 0)
            self.assertEqual(tracker._total_water.litres, 0)
            self.assertGreater(tracker._total_emissions, 0)
            before = tracker._total_energy
            tracker._measure_power_and_energy()
            self.assertGreaterEqual(tracker._total_energy, before)
            self.assertGreater(tracker._prepare_emissions_data().duration, 0)
            self.assertEqual(tracker.get_detected_hardware()["cpu_count"], os.cpu_count())
        data = tracker.final_emissions_data
        self.assertEqual(tracker._total_energy.kWh, data.energy_consumed)

    def test_output_handlers_are_told(self):
        told = []

        class Handler:
            def out(self, total, delta):
                told.append(("out", total.emissions, delta.emissions))

            def task_out(self, data, experiment_name):
                told.append(("task_out", [task.task_name for task in data], experiment_name))

            def exit(self):
                told.append(("exit",))

        class Broken:
            def out(self, total, delta):
                raise ValueError("no")

        with self.assertLogs("ebb", logging.WARNING):
            with ebb.EmissionsTracker(
                output_handlers=[Broken(), Handler()], experiment_name="x", **SETTINGS
            ) as tracker:
                with ebb.TaskEmissionsTracker("a", tracker):
                    work()
                first = tracker.flush()
                work()
        self.assertEqual([entry[0] for entry in told], ["out", "task_out", "out", "task_out", "exit"])
        self.assertEqual(told[0][1:], (first, first))
        self.assertEqual(told[1][1:], (["a"], "x"))
        self.assertAlmostEqual(told[2][2], tracker.final_emissions - first, places=15)

    def test_output_handlers_are_told_while_figures_grow(self):
        told = []

        class Handler:
            def live_out(self, total, delta):
                told.append(("live_out", total.emissions, delta.emissions))

            def out(self, total, delta):
                told.append(("out", total.emissions, delta.emissions))

        with ebb.EmissionsTracker(output_handlers=[Handler()], api_call_interval=2, **SETTINGS) as tracker:
            for _ in range(100):
                work()
                if len(told) >= 3:
                    break
        kinds = [kind for kind, _, _ in told]
        self.assertGreaterEqual(kinds.count("live_out"), 3)
        self.assertEqual((kinds.count("out"), kinds[-1]), (1, "out"))
        totals = [total for _, total, _ in told]
        self.assertEqual(totals, sorted(totals))
        self.assertEqual(totals[-1], tracker.final_emissions)
        self.assertAlmostEqual(sum(delta for _, _, delta in told), totals[-1], places=15)

    def test_no_handler_is_told_live_if_that_is_switched_off(self):
        told = []

        class Handler:
            def live_out(self, total, delta):
                told.append(total)

        with ebb.EmissionsTracker(output_handlers=[Handler()], api_call_interval=-1, **SETTINGS):
            time.sleep(0.5)
        self.assertEqual(told, [])

    def test_what_nobody_stopped_is_written_when_the_interpreter_ends(self):
        program = """
            import ebb
            ebb.EmissionsTracker(force_carbon_intensity_g_co2e_kwh=360).start()
            sum(range(10**6))
        """
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True
        )
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"^[^\n]* CO2eq, [^\n]*, kept in /[^\n]*\n$")
        self.assertEqual(self.attempts(self.only_run())[-1]["outcome"], "done")
        self.assertEqual(len(self.rows()), 1)

    def test_a_forked_child_leaves_it_alone(self):
        with ebb.EmissionsTracker(**SETTINGS) as tracker:
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    tracker.stop()
                except ebb.Error as error:
                    code = 0 if error.code == 6 else 2
                os._exit(code)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(len(self.rows()), 1)

    def test_an_exception_is_a_failed_run_with_its_row(self):
        with self.assertRaises(ZeroDivisionError):
            with ebb.EmissionsTracker(**SETTINGS):
                1 / 0
        self.assertEqual(self.attempts(self.only_run())[-1]["outcome"], "failed")
        self.assertEqual(len(self.rows()), 1)


class TaskTest(CodeCarbonTest):
    def test_tasks_and_the_rest_are_the_whole(self):
        tracker = ebb.EmissionsTracker(pue=1.3, force_ram_power=20, **SETTINGS)
        tracker.start()
        begin = Amounts.none()
        tasks, between = [], []
        for number in range(6):
            work(0.01 * (number % 3))
            tracker.start_task(f"task {number}")
            at_start = tracker._tasks[f"task {number}"].begin
            between.append(tracker._data(at_start - begin))
            work(0.02)
            tasks.append(tracker.stop_task())
            begin = at_start + Amounts.of(
                {**{k: "0" for k in at_start.values}, **self._texts(tasks[-1])}
            )
        work(0.02)
        tracker.stop()
        total = tracker.final_emissions_data
        last = tracker._counted - begin
        for name in AMOUNTS + ("duration",):
            parts = [getattr(part, name) for part in tasks + between] + [last.values[name]]
            self.assertAlmostEqual(sum(parts), getattr(total, name), delta=1e-12, msg=name)
        summary = json.loads((self.only_run() / "summary.json").read_text())
        self.assertAlmostEqual(summary["emissions_g"] / 1000, total.emissions, places=15)
        # Each task by a law of its own: a constant power for as long as it took, which is told in milliseconds.
        for task in tasks:
            joules = 3.6e6 * task.ram_energy / 1.3
            self.assertAlmostEqual(joules, 20 * task.duration, delta=20 * 0.0021)
        self.assertGreater(sum(task.energy_consumed for task in tasks), 0)
        self.assertLess(sum(task.energy_consumed for task in tasks), total.energy_consumed)

    @staticmethod
    def _texts(data):
        return {name: repr(getattr(data, name)) for name in Amounts.SUMS[:-1] + Amounts.MEANS}

    def test_the_file_of_tasks(self):
        os.mkdir("out")
        with ebb.EmissionsTracker(
            output_dir="out", experiment_name="sweep", project_name="p", **SETTINGS
        ) as tracker:
            tracker.start_task("load")
            work()
            loaded = tracker.stop_task()
            tracker.flush()
            path = Path("out") / f"emissions_sweep_{tracker.run_id}.csv"
            self.assertEqual(len(self.rows(path)), 1)
            tracker.start_task("fit")
            work()
        rows = self.rows(path)
        self.assertEqual([row["task_name"] for row in rows], ["load", "fit"])
        self.assertEqual(len(rows[0]), 36)
        self.assertEqual(float(rows[0]["energy_consumed"]), loaded.energy_consumed)
        self.assertEqual((rows[1]["project_name"], rows[1]["run_id"]), ("p", tracker.run_id))
        self.assertEqual(
            list(rows[0]), [field.name for field in dataclasses.fields(ebb.TaskEmissionsData)]
        )
        self.assertEqual([p.name for p in Path("out").glob("*.tmp")], [])

    def test_without_start_only_tasks_count(self):
        tracker = ebb.EmissionsTracker(**SETTINGS)
        tasks = []
        for name in ("a", "b"):
            tracker.start_task(name)
            work(0.03)
            tasks.append(tracker.stop_task())
            work(0.03)
        tracker.stop()
        for name in AMOUNTS + ("duration",):
            self.assert_sum(tasks, tracker.final_emissions_data, name)

    def test_names_and_mistakes(self):
        with ebb.EmissionsTracker(**SETTINGS) as tracker:
            tracker.start_task("same")
            with self.assertLogs("ebb", logging.WARNING):
                tracker.start_task("inner")
            with self.assertLogs("ebb", logging.WARNING):
                self.assertIsNone(tracker.stop_task("unknown"))
            self.assertIsNotNone(tracker.stop_task("same"))
            with self.assertLogs("ebb", logging.WARNING):
                self.assertIsNone(tracker.stop_task("same"))
            with self.assertLogs("ebb", logging.WARNING):
                self.assertIsNone(tracker.stop_task())
            tracker.start_task("same")
            tracker.stop_task()
            tracker.start_task()
            tracker.stop_task()
            names = list(tracker._tasks)
        self.assertEqual(names[0], "same")
        self.assertTrue(names[1].startswith("same_"))
        self.assertEqual(len(set(names)), 3)

    def test_decorator_and_block(self):
        tracker = ebb.EmissionsTracker(**SETTINGS)

        @ebb.track_task_emissions(tracker=tracker, task_name="fit")
        def fit(x):
            return x + 1

        self.assertEqual((fit(1), fit(2)), (2, 3))
        with ebb.TaskEmissionsTracker("test", tracker=tracker):
            pass
        tracker.stop()
        (tasks,) = Path(".").glob("emissions_base_*.csv")
        names = [row["task_name"] for row in self.rows(tasks)]
        self.assertEqual((names[0], names[2]), ("fit", "test"))

        Path("emissions.csv").unlink()
        os.environ["CODECARBON_FORCE_CARBON_INTENSITY_G_CO2E_KWH"] = "100"
        self.addCleanup(os.environ.pop, "CODECARBON_FORCE_CARBON_INTENSITY_G_CO2E_KWH")

        @ebb.track_task_emissions(task_name="alone")
        def alone():
            return 4

        self.assertEqual((alone(), alone()), (4, 4))
        self.assertEqual(len(self.rows()), 2)


class SeveralTest(CodeCarbonTest):
    """Several trackers of a process are windows over one measurement."""

    def test_one_inside_another_counts_its_own_time(self):
        with ebb.EmissionsTracker("outer", **SETTINGS) as outer:
            work()
            with ebb.EmissionsTracker("inner", output_file="inner.csv", **SETTINGS) as inner:
                work()
            work()
        self.only_run()
        (outer_row,), (inner_row,) = self.rows(), self.rows("inner.csv")
        self.assertEqual((outer_row["project_name"], inner_row["project_name"]), ("outer", "inner"))
        self.assertNotEqual(outer_row["run_id"], inner_row["run_id"])
        self.assertGreater(inner.final_emissions, 0)
        self.assertLess(inner.final_emissions, outer.final_emissions)
        summary = json.loads((self.only_run() / "summary.json").read_text())
        self.assertAlmostEqual(summary["emissions_g"] / 1000, outer.final_emissions, places=15)

    def test_each_lasts_as_long_as_it_lasts(self):
        first, second = (ebb.EmissionsTracker(name, **SETTINGS) for name in ("first", "second"))
        first.start()
        work()
        second.start()
        at_second = first._counted + (second._window - first._window)
        work()
        first.stop()
        work()
        second.stop()
        self.only_run()
        summary = json.loads((self.only_run() / "summary.json").read_text())
        # Until the second began, and the second: the whole, once.
        self.assertAlmostEqual(
            at_second.values["emissions"] + second.final_emissions,
            summary["emissions_g"] / 1000,
            places=14,
        )
        self.assertLess(first.final_emissions, summary["emissions_g"] / 1000)
        third = ebb.EmissionsTracker("third", **SETTINGS)
        third.start()
        third.stop()
        self.assertEqual(len(list(Path("runs").iterdir())), 2)

    def test_settings_that_differ_are_named(self):
        with ebb.EmissionsTracker(pue=1.5, **SETTINGS):
            with self.assertLogs("ebb", logging.WARNING) as log:
                with ebb.EmissionsTracker(
                    pue=1.1, project_name="other", tracking_mode="process", **SETTINGS
                ) as inner:
                    pass
        text = "\n".join(log.output)
        self.assertIn("pue", text)
        self.assertIn("scope", text)
        self.assertNotIn("name", text.replace("names", ""))
        self.assertEqual(inner.final_emissions_data.pue, 1.5)
        self.assertEqual(inner.final_emissions_data.tracking_mode, "machine")

    def test_inside_a_tracker_of_ebb(self):
        with ebb.track(name="outer", constant=360, scope="machine", interval="20ms") as outer:
            work()
            with ebb.EmissionsTracker("inner", **SETTINGS) as inner:
                work()
        self.only_run()
        self.assertEqual(self.rows()[0]["project_name"], "inner")
        self.assertLess(1000 * inner.final_emissions, outer.totals.emissions_g)

    def test_many_threads_at_once(self):
        import threading

        trackers = [ebb.EmissionsTracker(f"t{n}", **SETTINGS) for n in range(8)]

        def run(tracker):
            with tracker:
                tracker.start_task("one")
                work(0.01)
                tracker.stop_task()

        threads = [threading.Thread(target=run, args=(tracker,)) for tracker in trackers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rows = self.rows()
        self.assertEqual(len({row["run_id"] for row in rows}), 8)
        self.assertIsNone(_measurement._shared)


class RankTest(CodeCarbonTest):
    """Ranks of one job on one machine, as real processes."""

    PROGRAM = """
        import ebb, json, sys, time
        keywords = json.loads(sys.argv[1])
        with ebb.EmissionsTracker("rank", force_carbon_intensity_g_co2e_kwh=360,
                                  measure_power_secs=0.05, **keywords) as tracker:
            tracker.start_task("a")
            end = time.time() + 0.5
            while time.time() < end:
                pass
            tracker.stop_task()
        data = tracker.final_emissions_data
        print(json.dumps([tracker.final_emissions, data.values, tracker.run_directory]))
    """

    def run_all(self, environments, **keywords):
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(self.PROGRAM), json.dumps(keywords)],
                env={**os.environ, **environment},
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for environment in environments
        ]
        outputs = [process.communicate() for process in processes]
        for _, printed in outputs:  # nothing, or what a measurement came to
            self.assertRegex(printed, r"^([^\n]* CO2eq, [^\n]*, kept in /[^\n]*\n)?$")
        return [json.loads(output[0]) for output in outputs]

    def run_ranks(self, count, variable="LOCAL_RANK", **keywords):
        return self.run_all([{variable: str(rank)} for rank in range(count)], **keywords)

    def test_the_machine_is_counted_once(self):
        for variable in ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK"):
            with self.subTest(variable):
                Path("emissions.csv").unlink(missing_ok=True)
                ranks = self.run_ranks(3, variable)
                self.assertEqual([grams > 0 for grams, _, _ in ranks], [True, False, False])
                self.assertEqual([grams for grams, _, _ in ranks[1:]], [0.0, 0.0])
                self.assertEqual(len(self.rows()), 1)
                self.assertEqual([directory != "" for _, _, directory in ranks], [True, False, False])
                for _, data, _ in ranks:
                    self.assertEqual(len(data), 38)
                    self.assertGreater(data["duration"], 0.45)

    def test_of_process_trees_each_counts_its_own(self):
        ranks = self.run_ranks(2, tracking_mode="process")
        self.assertTrue(all(data["cpu_energy"] > 0 for _, data, _ in ranks))
        self.assertEqual(len(self.rows()), 2)

    def fake_gpus(self, lines):
        library = os.environ.get("EBB_FAKE_NVML")
        if not library:
            self.skipTest("EBB_FAKE_NVML names no stand-in for NVML")
        os.symlink(library, "libnvidia-ml.so.1")
        Path("gpus.txt").write_text(lines)
        return {
            "LD_LIBRARY_PATH": str(self.directory),
            "EBB_FAKE_NVML_STATE": str(self.directory / "gpus.txt"),
        }

    # No counter, so that power is integrated: 100 W and 200 W.
    GPUS = "GPU-aaaa1111 | NVIDIA L4 | -1 | 100000\nGPU-bbbb2222 | NVIDIA L4 | -1 | 200000\n"

    def joules_of_ranks(self, *own, **keywords):
        """Of the GPUs, by rank; each has variables of its own beside those of all."""
        environment = {**self.fake_gpus(self.GPUS), "SLURM_JOB_ID": str(os.getpid())}
        ranks = self.run_all(
            [{**environment, **variables} for variables in own], tracking_mode="process", **keywords
        )
        self.assertTrue(all(data["cpu_energy"] > 0 for _, data, _ in ranks))
        return [3.6e6 * data["gpu_energy"] for _, data, _ in ranks], [
            data["duration"] for _, data, _ in ranks
        ]

    def test_gpus_that_ranks_share_are_counted_once(self):
        joules, seconds = self.joules_of_ranks(*({"LOCAL_RANK": str(rank)} for rank in range(3)))
        # Each second of either GPU once, for half a second at least.
        self.assertGreater(sum(joules), 0.9 * 300 * 0.5)
        self.assertLess(sum(joules), 1.1 * 300 * max(seconds))

    def test_each_rank_counts_the_gpu_that_is_its_own(self):
        joules, seconds = self.joules_of_ranks(
            {"SLURM_LOCALID": "0", "CUDA_VISIBLE_DEVICES": "0"},
            {"SLURM_LOCALID": "1", "CUDA_VISIBLE_DEVICES": "1"},
        )
        self.assertAlmostEqual(joules[0] / seconds[0], 100, delta=20)
        self.assertAlmostEqual(joules[1] / seconds[1], 200, delta=40)

    def test_another_job_counts_for_itself(self):
        joules, seconds = self.joules_of_ranks(
            {"LOCAL_RANK": "0"}, {"LOCAL_RANK": "0", "SLURM_JOB_ID": "another"}
        )
        for rank in range(2):
            self.assertAlmostEqual(joules[rank] / seconds[rank], 300, delta=60)

    def test_a_plain_tracker_counts_nothing_either(self):
        os.environ["LOCAL_RANK"] = "1"
        self.addCleanup(os.environ.pop, "LOCAL_RANK")
        with self.assertLogs("ebb", logging.INFO) as log:
            with ebb.track(scope="machine", constant=360) as tracker:
                tracker.mark_epoch(1)
                time.sleep(0.01)
        self.assertIn("local rank 0", "\n".join(log.output))
        self.assertEqual(tracker.totals.energy_kwh, 0)
        self.assertGreater(tracker.totals.duration_s, 0)
        self.assertEqual(tracker.run_directory, "")
        self.assertFalse(Path("runs").exists())


class AmountsTest(unittest.TestCase):
    def amounts(self, **values):
        return Amounts({**Amounts.none().values, **values})

    def test_unknown_emissions_are_not_zero(self):
        unknown = self.amounts(duration=2, energy_consumed=1.0, energy_without_intensity=1.0)
        self.assertTrue(math.isnan(unknown.columns()["emissions"]))
        known = self.amounts(duration=2, energy_consumed=1.0, emissions=0.4)
        self.assertEqual(known.columns()["emissions_rate"], 0.2)
        part = self.amounts(
            duration=2, energy_consumed=1.0, energy_without_intensity=0.5, emissions=0.2
        )
        self.assertEqual(part.columns()["emissions"], 0.2)
        self.assertEqual(self.amounts().columns()["emissions"], 0)

    def test_means_of_a_window_are_weighted_by_time(self):
        columns = {name: "0" for name in Amounts.none().values}
        first = Amounts.of({**columns, "duration": "10", "cpu_power": "100"})
        both = Amounts.of({**columns, "duration": "40", "cpu_power": "25"})
        self.assertEqual((both - first).columns()["cpu_power"], 0)
        self.assertEqual(((both - first) + first).columns()["cpu_power"], 25)


if __name__ == "__main__":
    unittest.main()
