"""bench/gpu without a GPU: its clock and its reading of counters by themselves, and a trial on the CPU with the real programs.

    bench_gpu_test.py FOLDER_OF_PROGRAMS FAKE_NVML
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TREE / "bench"))

from gpu_counter import Nvml, Steps
from gpu_rows import Aim, Figures, Row
from gpu_session import Clock, Failed, Session, json_lines
from gpu_training import our_figures

PROGRAMS, FAKE_NVML = sys.argv[1:3]


class Counters(unittest.TestCase):
    def test_a_counter_that_advances_in_steps_grows_evenly_between_them(self):
        steps = Steps()
        for moment, value in ((10.0, 100), (10.05, 100), (10.1, 170), (10.15, 170), (10.2, 210)):
            steps.add(moment, value)
        self.assertAlmostEqual(steps.at(10.05), 135)
        self.assertAlmostEqual(steps.at(10.15), 190)
        self.assertEqual(steps.at(10.2), 210)

    def test_nothing_is_known_outside_of_what_was_watched(self):
        steps = Steps()
        steps.add(10.0, 100)
        steps.add(10.1, 170)
        self.assertIsNone(steps.at(9.9))
        self.assertIsNone(steps.at(10.11))

    def test_reads_the_counters_of_nvml(self):
        with tempfile.TemporaryDirectory() as folder:
            state = Path(folder) / "gpus.txt"
            state.write_text("GPU-aaaa1111 | NVIDIA L4 | 5000 | 40000\nGPU-bbbb2222 | NVIDIA K80 | -1 | 40000\n")
            os.environ["EBB_FAKE_NVML_STATE"] = str(state)
            nvml = Nvml(FAKE_NVML)
            self.assertEqual({uuid: nvml.joules(uuid) for uuid in nvml.uuids}, {"GPU-aaaa1111": 5.0, "GPU-bbbb2222": None})

    def test_without_nvml_that_is_said(self):
        self.assertRaises(OSError, Nvml, "libnvidia-ml-that-is-not-there.so")


class Budget(unittest.TestCase):
    def test_a_part_has_what_the_parts_before_it_left_over(self):
        clock = Clock(100, {"first": 1, "second": 3})
        clock.enter("first")
        self.assertTrue(20 < clock.left() <= 25)
        clock.enter("second")
        self.assertTrue(90 < clock.left() <= 100)
        self.assertRaisesRegex(Failed, "takes about 200 s", clock.require, 200)
        self.assertRaisesRegex(Failed, "takes about 60 s", clock.require, 60, 50)

    def test_if_time_is_short_the_last_parts_have_none(self):
        clock = Clock(30, {"first": 20, "second": 20, "third": 20})
        for part, seconds in (("first", 20), ("second", 30), ("third", 30)):
            clock.enter(part)
            self.assertAlmostEqual(clock.left(), seconds, delta=1)


class Machine:
    """A session that has one counter, or several, in place of those of NVML."""

    product_rate = None

    def __init__(self, uuids=(), environment=()):
        self.counter, self.environment, self.windows = self, dict(environment), []
        self.uuids = list(uuids)

    def joules(self, windows):
        self.windows = windows
        return 12.0


class Epochs(unittest.TestCase):
    def figures(self, result, unit, events):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "train_result.json").write_text(json.dumps({"peak_tensor_bytes": 3e9, **result}))
            (Path(folder) / "progress.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events) + '{"event": "cut')
            machine = Machine()
            return our_figures(machine, Path(folder), unit), machine

    def test_rate_and_joules_are_of_all_epochs_but_the_first(self):
        begins = [{"event": "epoch_begin", "epoch": epoch, "time_ms": 1000 * epoch} for epoch in (1, 2, 3)]
        found, machine = self.figures({"epoch_seconds": [9.0, 2.0, 4.0], "train_samples": 300}, "samples", begins)
        self.assertEqual(machine.windows, [(2.0, 2.0), (3.0, 4.0)])
        self.assertEqual((found.per_second, found.joules_per_unit, found.peak_gb), (100, 0.02, 3))

    def test_a_resumed_epoch_counts_from_its_last_begin(self):
        begins = [{"event": "epoch_begin", "epoch": epoch, "time_ms": moment} for epoch, moment in ((1, 1), (2, 2000), (2, 5000))]
        _, machine = self.figures({"epoch_seconds": [9.0, 2.0], "train_samples": 300}, "samples", begins)
        self.assertEqual(machine.windows, [(5.0, 2.0)])

    def test_tokens_and_operations_are_those_of_one_epoch(self):
        begins = [{"event": "epoch_begin", "epoch": epoch, "time_ms": 1000 * epoch} for epoch in (1, 2)]
        found, machine = self.figures({"epoch_seconds": [5.0, 4.0], "tokens": 800, "training_flops": 8000.0,
                                       "measured_peak_flops_per_s": 500.0}, "tokens", begins)
        self.assertEqual((found.per_second, found.flops_per_second), (100, 1000))
        self.assertEqual(machine.product_rate, 500.0)


class Gpus(unittest.TestCase):
    UUIDS = ("GPU-aaaa1111", "GPU-bbbb2222")

    def test_of_several_all_programs_get_one(self):
        machine = Machine(self.UUIDS)
        self.assertEqual(Session.chosen_gpu(machine), "GPU-aaaa1111")
        self.assertEqual(machine.environment, {"CUDA_VISIBLE_DEVICES": "GPU-aaaa1111"})

    def test_what_the_user_has_chosen_stays(self):
        for visible, uuid in (("1", "GPU-bbbb2222"), ("GPU-bbbb", "GPU-bbbb2222"), ("1,0", "GPU-bbbb2222")):
            machine = Machine(self.UUIDS, {"CUDA_VISIBLE_DEVICES": visible})
            self.assertEqual(Session.chosen_gpu(machine), uuid)
            self.assertEqual(machine.environment, {"CUDA_VISIBLE_DEVICES": visible})

    def test_without_a_counter_there_is_none(self):
        self.assertIsNone(Session.chosen_gpu(Machine()))


class Rows(unittest.TestCase):
    def test_ratios_are_known_if_both_figures_are(self):
        row = Row("p", "n", "tokens", Figures(120, joules_per_unit=0.5), Figures(100, joules_per_unit=1.0))
        self.assertAlmostEqual(row.ratio("per_second"), 1.2)
        self.assertAlmostEqual(row.ratio("units_per_joule"), 2)
        self.assertIsNone(Row("p", "n", "tokens", Figures(120)).ratio("per_second"))

    def test_an_aim_is_met_missed_or_not_measured(self):
        self.assertEqual([Aim("a", value, ">=", 1.2).met for value in (1.2, 1.1, None)], [True, False, None])
        self.assertEqual([Aim("a", value, "<", 20).met for value in (19, 20)], [True, False])

    def test_what_libraries_print_beside_json_is_left_out(self):
        self.assertEqual(json_lines('warning: {x}\n{"a": 1}\n[1]\n{"b": '), [{"a": 1}])


class Trial(unittest.TestCase):
    """Every part that needs no other software than ours; the peers' columns say what they lack."""

    @classmethod
    def setUpClass(cls):
        parts = "machine,lora-0.5b,few-bits,memory,resume,service"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "gpu.json"
            bare = Path(folder) / "python"  # this Python without what is installed beside it
            bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -I "$@"\n')
            bare.chmod(0o755)
            done = subprocess.run([sys.executable, TREE / "bench/gpu", "--trial", "--bin", PROGRAMS, "--python", bare, "--only",
                                   parts, "--json", file], capture_output=True, text=True, check=False)
            cls.said = done.stdout + done.stderr
            if done.returncode != 0:
                raise AssertionError(cls.said)
            cls.found = json.loads(file.read_text())

    def test_every_row_has_our_figures(self):
        rows = {row["name"]: row for row in self.found["rows"]}
        self.assertEqual(len(rows), 8, self.said)
        for name, row in rows.items():
            self.assertIsNotNone(row["ours"], f"{name}: {row['note']}")
            for key in ("per_second", "peak_gb", "flops_per_second"):
                self.assertGreater(row["ours"][key], 0, name)

    def test_settings_arrive(self):
        given = {row["name"]: row["ours"]["more"] for row in self.found["rows"]}
        self.assertEqual(given["7 B, 8 x 512, nf4"]["base_weights"], "nf4")
        self.assertEqual(given["7 B, 8 x 512, nf4"]["rank"], 32)
        self.assertEqual(given["0.5 B, 8 x 512"]["base_weights"], "bf16")
        packed, plain = given["0.5 B, 4 x 4096, 4 texts packed"], given["0.5 B, 8 x 512"]
        self.assertEqual(packed["tokens"], 8 * plain["tokens"])
        self.assertEqual(packed["steps"], plain["steps"], "four texts of a quarter fill a sequence")

    def test_peers_that_are_not_there_are_said(self):
        for row in self.found["rows"]:
            self.assertIsNone(row["peer"])
            self.assertRegex(row["note"], "has no torch, transformers and PEFT|bitsandbytes")

    def test_a_killed_training_goes_on_and_jobs_of_the_service_end(self):
        checks = {check["name"]: check for check in self.found["checks"]}
        self.assertTrue(checks["2 x kill -9, resumed"]["holds"], self.said)
        self.assertTrue(checks["three jobs"]["holds"], self.said)

    def test_aims_without_a_figure_are_not_met(self):
        aims = {aim["what"]: aim["met"] for aim in self.found["aims"]}
        self.assertIsNone(aims["0.5 B, 8 x 512: tokens/s against the peer"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
