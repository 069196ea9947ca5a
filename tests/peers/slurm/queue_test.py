"""`ebb serve --slurm` with many jobs of users on a real Slurm: order and capacity, and what happens while everything is
killed and started again. EBB_SLURM_JOBS=200,300 runs that many jobs, in order and under fire; that takes half an
hour.
"""

import os
import random
import signal
import tempfile
import time
import unittest
from pathlib import Path

from cluster import Cluster
from service import Service, replay, trace_of_days

JOBS_IN_ORDER, JOBS_UNDER_FIRE = map(int, os.environ.get("EBB_SLURM_JOBS", "40,60").split(","))
MOST_SIGKILLS = 2
MOSTLY_CLEAN = [400] * 4 + [120] * 20
# The job's name, its number of restarts, when it began, and what its comment said then.
SCRIPT = """#!/bin/bash
echo "$SLURM_JOB_NAME ${SLURM_RESTART_COUNT:-0} $(date +%s.%N) $(squeue -h -j $SLURM_JOB_ID -o %k 2>/dev/null)" >> RECORD
sleep 0.3
"""


class Queue(unittest.TestCase):
    def set_up(self, **cluster):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.cluster = self.enterContext(Cluster(cpus=64, **cluster))
        self.record = self.directory / "record"
        self.record.touch()
        self.script = self.directory / "job.sh"
        self.script.write_text(SCRIPT.replace("RECORD", str(self.record)))

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

    def test_many_jobs_on_two_gpus(self):
        self.run_in_order(JOBS_IN_ORDER)

    def test_jobs_on_two_gpus_through_slurmrestd(self):
        self.run_in_order(12, rest=True)

    def test_a_jobs_comment_says_what_ebb_cannot_read_and_why_it_is_not_taken(self):
        self.set_up(nodes=1, gpus=2)
        unread = self.submit("unread", "start-by=9h;tier=gold", 20)
        refused = self.submit("refused", "finish-by=5m", 20)
        said = lambda job: self.cluster.run("squeue", "-h", "-j", job, "-O", "Comment:600").strip()
        with Service(self.cluster, self.directory, ["--signal", "constant", "--constant", "300", "--zone", "DE"]):
            self.cluster.wait(lambda: 'Ebb cannot read tier: "gold" is not a tier' in said(unread), "the wish in the comment")
            self.cluster.wait(lambda: "{ebb note} Ebb does not take this job" in said(refused), "the refusal in the comment")
            self.cluster.run("scontrol", "update", f"JobId={refused}", "Comment=ebb:start-by=9h")
            self.cluster.wait(lambda: said(refused).startswith("ebb:start-by=9h {ebb "), "the corrected job")

    def run_in_order(self, jobs, rest=False):
        self.set_up(nodes=1, gpus=2, rest=rest)
        seeded = random.Random(7)
        for number in range(jobs):
            self.submit(f"job{number}", f"tier={number % 3 + 1};start-by={seeded.randint(60, 120)}h", 20)
        trace = trace_of_days(self.directory / "trace.csv", MOSTLY_CLEAN)
        most = 0
        flags = ["--slurm-rest", f"unix:{self.cluster.rest_socket}"] if rest else []
        with Service(self.cluster, self.directory, replay(trace, 600) + flags) as service:
            end = time.monotonic() + 900
            while len(self.begun()) < jobs:
                most = max(most, self.let_go())
                self.assertLess(time.monotonic(), end, "it takes too long")
                time.sleep(0.3)
            known = service.wait_until_ended(jobs, 60)
        self.assertEqual({job["stage"] for job in known}, {"succeeded"})
        self.assertLessEqual(most, 2, "never more than fit")
        begun = self.begun()
        self.assertEqual(len({name for name, *_ in begun}), jobs)
        without = [row for row in begun if "{ebb go 1 " not in row[3]]
        self.assertEqual(without, [], "each was let go by Ebb")
        # Slurm starts them in the order in which Ebb has let them go; two of the same round are a draw.
        decided = {job["name"].split()[0]: job["started"] for job in known}
        order = [decided[name] for name, *_ in begun]
        swapped = sum(a > b for a, b in zip(order, order[2:]))
        print(f"{jobs} jobs, 2 GPUs: at most {most} let go at once, {swapped} out of order, {len(without)} without Ebb")
        self.assertEqual(swapped, 0)

    def administer(self):
        """A controller that starts again what it had forgotten drains the nodes ("Duplicate jobid") and holds the jobs
        ("launch failed requeued held"). An administrator resumes and releases them."""
        self.cluster.run("scontrol", "update", "NodeName=ALL", "State=RESUME", check=False)
        for line in self.cluster.run("squeue", "-h", "-t", "PD", "-o", "%i %r", check=False).splitlines():
            if "launch" in line:
                self.cluster.run("scontrol", "release", line.split()[0], check=False)

    def test_everything_is_killed_and_comes_back(self):
        jobs = JOBS_UNDER_FIRE
        self.set_up(nodes=2, gpus=4, accounting=True)
        seeded = random.Random(20261127)
        # One in ten has a latest start that comes while the others run.
        latest = {f"job{number}": 60 + number % 50 if number % 10 == 0 else 3600 for number in range(jobs)}
        submitted = {}
        for name, delay in latest.items():
            submitted[name] = time.time()
            self.submit(name, f"start-by={delay}s", 20)
        time.sleep(6)  # by then the controller has written them
        killed = {"controller": 0, "controller by SIGKILL": 0, "accounting": 0, "ebb": 0}
        lost_by_slurm = []  # when the controller was killed by SIGKILL
        service = Service(self.cluster, self.directory, ["--signal", "constant", "--constant", "300", "--zone", "DE"])
        self.addCleanup(service.close)
        service.start()
        end = time.monotonic() + 900
        while len({name for name, *_ in self.begun()}) < jobs and time.monotonic() < end:
            time.sleep(seeded.uniform(4, 10))
            self.administer()
            what = seeded.choice(list(killed))
            # Each SIGKILL can leave jobs that Slurm believes to run until their time limit: their nodes refuse the second
            # start ("Duplicate jobid"). More of them would take all GPUs.
            if what.endswith("SIGKILL") and killed[what] == MOST_SIGKILLS:
                what = "controller"
            killed[what] += 1
            if what.startswith("controller"):
                if what.endswith("SIGKILL"):
                    lost_by_slurm.append(time.time())
                self.cluster.kill_controller(signal.SIGKILL if what.endswith("SIGKILL") else signal.SIGTERM)
                time.sleep(seeded.uniform(0, 3))
                self.cluster.start_controller()
            elif what == "accounting":
                self.cluster.kill_accounting()
                time.sleep(seeded.uniform(0, 3))
                self.cluster.start_accounting()
            else:
                service.kill()
                time.sleep(seeded.uniform(0, 8))
                service.start()
        time.sleep(6)  # nodes are drained once they have answered
        self.administer()
        print(f"{len({name for name, *_ in self.begun()})} of {jobs} jobs have begun; killed {killed}")
        try:
            known = service.wait_until_ended(jobs, 300)
        except TimeoutError:
            print(self.cluster.run("squeue", "-h", "-r", "-o", "%i %j %T %r %S %k"))
            print(self.cluster.run("sinfo", "-N", "-O", "NodeList,StateLong,Reason:60"))
            raise
        begun = self.begun()
        names = [name for name, *_ in begun]
        lost = set(latest) - set(names)
        # After SIGKILL the controller does not know of jobs that began in its last seconds, and starts them again. No
        # service can tell: Slurm says that they wait.
        forgotten = {name for name, _, at, _ in begun if any(0 <= killed_at - at < 10 for killed_at in lost_by_slurm)}
        twice = {name for name in names if names.count(name) > 1}
        by_slurm, twice = twice & forgotten, twice - forgotten
        # A job may begin because Ebb has let it go, or because its latest start has come.
        due = {name: submitted[name] + latest[name] for name in latest}
        early = [row for row in begun if row[3] and "{ebb go " not in row[3] and row[2] < due[row[0]] - 1]
        late = [row for row in begun if row[2] > due[row[0]] + 60]
        print(f"{jobs} jobs; killed {killed}: {len(lost)} lost, {len(twice)} twice ({len(by_slurm)} more that Slurm had "
              f"forgotten), {len(early)} early, {len(late)} more than a minute late")
        self.assertEqual((lost, twice, early, late), (set(), set(), [], []))
        self.assertEqual({job["stage"] for job in known}, {"succeeded"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
