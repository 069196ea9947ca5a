"""Energy and grams in a run of the real wandb, offline, read from its file with wandb's own messages.

Run by ./dev peers wandb, which makes the environment (wandb.txt) and sets EBB_LIBRARY and PYTHONPATH.
"""

import json
import logging
import os
import struct
import time
import unittest
from pathlib import Path

os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_ERROR_REPORTING="false")

import wandb
from wandb.proto import wandb_internal_pb2 as messages

import ebb
from document import example, offline
from ebb.wandb import track
from ran import FLAGS, InScratch

#: The file is a log in the format of LevelDB: after 7 bytes, blocks of records with CRC, length and type.
HEADER, BLOCK = 7, 32768
FULL, LAST = 1, 4


def records(path):
    data, at, whole = path.read_bytes(), HEADER, b""
    while at + 7 <= len(data):
        left = BLOCK - at % BLOCK
        if left < 7:  # the rest of a block is too short for a record
            at += left
            continue
        _, length, kind = struct.unpack_from("<IHB", data, at)
        whole += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (FULL, LAST):
            record = messages.Record()
            record.ParseFromString(whole)
            yield record
            whole = b""


def read(items):
    return {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}


def work(seconds=0.2):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


class WandbTest(InScratch):
    def setUp(self):
        super().setUp()
        offline(self)
        self.addCleanup(wandb.teardown)  # it remembers the folder of its first run

    def told(self):
        """The rows, the summary and the configuration in the file."""
        wandb.teardown()  # the file is whole when its writer has ended
        (file,) = Path("wandb").glob("offline-run-*/run-*.wandb")
        rows, summary, config = [], {}, {}
        for record in records(file):
            kind = record.WhichOneof("record_type")
            if kind == "history":
                rows.append(read(record.history.item))
            elif kind == "summary":
                summary.update(read(record.summary.update))
            elif kind == "config":
                config.update(read(record.config.update))
            elif kind == "run":
                config.update(read(record.run.config.update))
        return rows, summary, config

    def test_energy_and_grams_of_the_block(self):
        with wandb.init(project="p") as run:
            with track(run, every=0.1, pue=1.5, **FLAGS) as tracker:
                for step in range(3):
                    work()
                    run.log({"loss": 1 / (step + 1)})
        rows, summary, config = self.told()
        losses = [row["loss"] for row in rows if "loss" in row]
        self.assertEqual(losses, [1, 1 / 2, 1 / 3])
        self.assertEqual([row["_step"] for row in rows if "loss" in row], [0, 1, 2], "Ebb adds no steps")
        energies = [row["energy/kwh"] for row in rows if "energy/kwh" in row]
        self.assertGreaterEqual(len(energies), 3)
        self.assertEqual(energies, sorted(energies))
        totals = tracker.totals
        self.assertAlmostEqual(energies[-1], totals.facility_kwh, places=12)
        self.assertAlmostEqual(rows[-1]["carbon/emissions_g"], totals.emissions_g, places=12)
        for row in rows:
            if "carbon/intensity_g_per_kwh" in row:
                self.assertAlmostEqual(row["carbon/intensity_g_per_kwh"], 360, delta=0.05)
        self.assertAlmostEqual(summary["summary/energy_kwh"], totals.facility_kwh, places=12)
        self.assertAlmostEqual(summary["summary/emissions_g"], 360 * totals.facility_kwh, delta=1e-8)
        self.assertEqual(config["ebb"]["pue"], "1.5")

    def test_steps_that_the_program_numbers_itself_are_kept(self):
        with wandb.init(project="p") as run, track(run, every=0.02, **FLAGS):
            for step in (10, 20, 30):
                work(0.1)
                run.log({"loss": step}, step=step)
        rows, _, _ = self.told()
        self.assertEqual([(row["_step"], row["loss"]) for row in rows if "loss" in row], [(10, 10), (20, 20), (30, 30)])

    def test_unknown_grams_are_left_out(self):
        class Unknown:
            facility_kwh, power_w, facility_without_intensity_kwh, emissions_g, duration_s = 1.0, 2.0, 1.0, None, 3.0

        from ebb.wandb import _figures, _summary

        known = {"energy/kwh": 1.0, "energy/power_w": 2.0, "energy/without_intensity_kwh": 1.0}
        self.assertEqual(_figures(Unknown, None), known)
        self.assertEqual(_summary(Unknown), {"summary/energy_kwh": 1.0, "summary/running_time_s": 3.0})

    def test_a_block_that_fails_is_a_failed_run_with_its_figures(self):
        with self.assertRaises(ValueError), wandb.init(project="p") as run, track(run, **FLAGS) as tracker:
            raise ValueError("as asked")
        self.assertEqual(json.loads(Path(tracker.run_directory, "summary.json").read_text())["outcome"], "failed")
        self.assertIn("summary/energy_kwh", self.told()[1])

    def test_a_run_that_has_ended_is_no_reason_to_lose_the_training(self):
        with self.assertLogs("ebb", logging.WARNING) as told:
            run = wandb.init(project="p")
            with track(run, every=0.05, **FLAGS):
                run.finish()
                time.sleep(0.5)
        self.assertIn("wandb does not get", told.output[0])

    def test_the_example_of_the_document(self):
        exec(example("wandb"), {"train_step": lambda: work(0.01) or 0.5})
        rows, summary, _ = self.told()
        self.assertEqual(len([row for row in rows if "loss" in row]), 100)
        self.assertGreater(summary["summary/emissions_g"], 0)


if __name__ == "__main__":
    unittest.main()
