#!/usr/bin/env python3
"""Two ranks of one training, each a job of a service in a zone of its own: they find the parts of an update with the
fewest grams, and change them when the intensities change.

    rank_services_test.py EBB EBB_TRAIN
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import unittest

EBB, TRAIN = map(os.path.abspath, sys.argv[1:3])
# Long enough that the parts of an update differ in time.
TRAINING = ["--model", "simple-cnn", "--data", "digits", "--train-samples", "320", "--test-samples", "40", "--batch-size", "16",
            "--accumulation", "4", "--epochs", "5000", "--seed", "3", "--threads", "1", "--progress", "none"]
ZONES = {"AA": (100, 600), "BB": (600, 100)}  # g/kWh in the first hour and in those after it
BEGIN, HOURS, SPEED = "2026-05-01T{:02}:00:00Z", 20, 80  # an hour takes 45 s
PATIENCE_S = 150


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Service:
    """`ebb serve` of one zone, with a replayed grid."""

    def __init__(self, folder, zone):
        self.folder, self.environment = f"{folder}/{zone}", os.environ | {"EBB_STORE": f"{folder}/{zone}/ebb.db"}
        os.mkdir(self.folder)
        trace = f"{self.folder}/{zone}_test_2026_60min_lifecycle.csv"
        first, later = ZONES[zone]
        with open(trace, "w", encoding="utf-8") as file:
            file.write("timestamp,carbon_intensity\n")
            file.writelines(f"{BEGIN.format(hour)},{later if hour else first}\n" for hour in range(HOURS))
        self.process = subprocess.Popen(
            [EBB, "serve", "--slots", "1", "--port", "0", "--policy", "run-now", "--trace", trace, "--publication-lag", "none",
             "--grid-start", BEGIN.format(0), "--grid-speed", str(SPEED), "--pue", "1.5", "--cpu-tdp", "100", "--rapl", "none"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.process.stderr.readline()

    def run(self, *words):
        return subprocess.run([EBB, *words], env=self.environment, cwd=self.folder, check=True, capture_output=True, text=True)

    def stop(self):
        subprocess.run([EBB, "cancel", "1"], env=self.environment, capture_output=True, check=False)
        self.process.terminate()
        self.process.communicate()


class RankServices(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def changes(self):
        path = f"{self.scratch}/run/progress.jsonl"
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if '"rank_shares"' in line]

    def wait_for(self, holds):
        until = time.monotonic() + PATIENCE_S
        while not holds():
            self.assertLess(time.monotonic(), until, self.changes())
            time.sleep(0.1)

    @staticmethod
    def intensities(change):
        return [rank["g_per_kwh"] for rank in change["ranks"]]

    def assert_takes_more_than_by_speed(self, rank, change):
        """More than its part of the shortest update: other work on this machine may slow one of the ranks."""
        speeds = [each["samples_per_s"] for each in change["ranks"]]
        self.assertGreater(change["samples"][rank], sum(change["samples"]) * speeds[rank] / sum(speeds), change)

    def test_ranks_follow_the_intensities_of_their_services(self):
        port = str(free_port())
        services = [Service(self.scratch, zone) for zone in ZONES]
        for rank, service in enumerate(services):
            self.addCleanup(service.stop)
            place = {"RANK": rank, "WORLD_SIZE": 2, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
            service.run("submit", "--duration", "1h", "--", "env", *(f"{name}={value}" for name, value in place.items()), TRAIN,
                        *TRAINING, "--run-dir", f"{self.scratch}/run", "--rank-share", "auto", "--rank-power", "100,1",
                        "--slower-by", "100%")
        self.wait_for(self.changes)
        first = self.changes()[0]
        self.assertEqual(first["aim"], "emissions")
        self.assertEqual(self.intensities(first), [150, 900], "with the PUE")
        self.assert_takes_more_than_by_speed(0, first)
        self.wait_for(lambda: self.intensities(self.changes()[-1]) == [900, 150])
        self.assert_takes_more_than_by_speed(1, self.changes()[-1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
