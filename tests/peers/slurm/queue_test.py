"""`ebb serve --slurm` with many jobs of users on a real Slurm: order and capacity, and what happens while everything is
killed and started again."""

import random
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from cluster import Cluster
from service import START, Service, trace_of_days

CLEAN_AT_NOON = [400] * 8 + [120] * 8 + [400] * 8
# The job's name, its number of restarts, when it began, and what its comment said then.
SCRIPT = """#!/bin/bash
echo "$SLURM_JOB_NAME ${SLURM_RESTART_COUNT:-0} $(date +%s.%N) $(squeue -h -j $SLURM_JOB_ID -o %k 2>/dev/null)" >> RECORD
sleep SECONDS
"""


class Queue(unittest.TestCase):
    def set_up(self, speed, seconds, **cluster):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.cluster = self.enterContext(Cluster(cpus=64, **cluster))
        self.speed = speed
        self.record = self.directory / "record"
        self.record.touch()
        self.script = self.directory / "job.sh"
        self.script.write_text(SCRIPT.replace("RECORD", str(self.record)).replace("SECONDS", str(seconds)))
        trace = trace_of_days(self.directory / "trace.csv", CLEAN_AT_NOON)
        self.service = Service(self.cluster, self.directory, trace, speed)

    def submit(self, name, wishes, minutes):
        # A job's time limit is its length as the planner knows it: minutes of the grid clock.
        return self.cluster.submit("--hold", "--gpus=1", f"--time={minutes}", f"--job-name={name}", f"--comment=ebb:{wishes}",
                                   "--requeue", self.script)

    def begun(self):
        """Rows of the record: name, restarts, time, comment."""
        rows = [line.split(" ", 3) for line in self.record.read_text().splitlines()]
        return [(row[0], int(row[1]), float(row[2]), row[3] if len(row) > 3 else "") for row in rows]

    def let_go(self):
        """Jobs that run, or that Slurm may start at any moment."""
        lines = self.cluster.run("squeue", "-h", "-r", "-o", "%T|%r|%k").splitlines()
        return sum(line.startswith(("RUNNING", "COMPLETING")) or "{ebb go " in line for line in lines)

    def test_two_hundred_jobs_on_two_gpus(self):
        self.set_up(600, 0.3, nodes=1, gpus=2)
        seeded = random.Random(7)
        for number in range(200):
            tier = number % 3 + 1
            self.submit(f"job{number}", f"tier={tier};start-by={seeded.randint(60, 120)}h", 20)
        most = 0
        with self.service as service:
            end = time.monotonic() + 900
            while len(self.begun()) < 200:
                most = max(most, self.let_go())
                self.assertLess(time.monotonic(), end, "it takes too long")
                time.sleep(0.3)
            jobs = service.wait_until_ended(200, 60)
        self.assertEqual({job["stage"] for job in jobs}, {"succeeded"})
        self.assertLessEqual(most, 2, "never more than fit")
        begun = self.begun()
        self.assertEqual(len({name for name, *_ in begun}), 200)
        without = [row for row in begun if "{ebb go 1 " not in row[3]]
        self.assertEqual(without, [], "each was let go by Ebb")
        # Slurm starts them in the order in which Ebb has let them go; two of the same round are a draw.
        decided = {job["name"].split()[0]: job["started"] for job in jobs}
        order = [decided[name] for name, *_ in begun]
        swapped = sum(a > b for a, b in zip(order, order[2:]))
        print(f"200 jobs, 2 GPUs: at most {most} let go at once, {swapped} out of order, {len(without)} without Ebb")
        self.assertEqual(swapped, 0)

    def test_everything_is_killed_and_comes_back(self):
        jobs, seed = 300, 20261127
        self.set_up(600, 0.3, nodes=2, gpus=4, accounting=True)
        seeded = random.Random(seed)
        submitted = time.time()
        delays = {}
        for number in range(jobs):
            delays[f"job{number}"] = seeded.randint(6, 48)
            self.submit(f"job{number}", f"start-by={delays[f'job{number}']}h", 20)
        time.sleep(6)  # by then the controller has written them
        killed = {"controller": 0, "accounting": 0, "ebb": 0}
        self.service.start()
        began = time.time()
        end = time.monotonic() + 900
        while len(self.begun()) < jobs and time.monotonic() < end:
            time.sleep(seeded.uniform(2, 6))
            what = seeded.choice(["controller", "controller", "accounting", "ebb"])
            killed[what] += 1
            if what == "controller":
                self.cluster.kill_controller()
                time.sleep(seeded.uniform(0, 3))
                self.cluster.start_controller()
            elif what == "accounting":
                self.cluster.kill_accounting()
                time.sleep(seeded.uniform(0, 3))
                self.cluster.start_accounting()
            else:
                self.service.kill()
                time.sleep(seeded.uniform(0, 8))
                self.service.start()
        known = self.service.wait_until_ended(jobs, 300)
        self.service.kill()
        begun = self.begun()
        names = [name for name, *_ in begun]
        lost = set(delays) - set(names)
        twice = {name for name in names if names.count(name) > 1}
        # A job may begin because Ebb has let it go, or because its latest start has come.
        latest = {name: began + (delay * 3600 - (began - submitted)) / self.speed for name, delay in delays.items()}
        early = [row for row in begun if row[3] and "{ebb go " not in row[3] and row[2] < latest[row[0]] - 1]
        late = [row for row in begun if row[2] > latest[row[0]] + 60]
        print(f"{jobs} jobs; killed {killed}: {len(lost)} lost, {len(twice)} twice, {len(early)} early, {len(late)} late by "
              "more than a minute")
        self.assertEqual((lost, twice, early), (set(), set(), []))
        self.assertEqual({job["stage"] for job in known}, {"succeeded"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
