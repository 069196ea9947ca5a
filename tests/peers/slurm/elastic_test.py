"""Elastic jobs of `ebb serve --slurm` on a real Slurm: a job is wide in the clean hour and narrow in dirty ones, under one
number, and goes on from its checkpoint at each width.
"""

import json
import tempfile
import unittest
from pathlib import Path

from cluster import Cluster
from service import EBB, Service, replay, trace_of_days

ONE_CLEAN_HOUR = [400, 400, 40] + [400] * 21
# An hour of the grid clock in 30 s. A tick of 50 ms is six seconds of it.
SPEED = 120
# Five hours of work on one device, 3.4 times as fast on four. It notes how it begins.
PROGRAM = """
done=$(cat $EBB_CHECKPOINT_DIR/done 2>/dev/null || echo 0)
trap 'mkdir -p $EBB_CHECKPOINT_DIR; echo $done > $EBB_CHECKPOINT_DIR/done; exit 75' TERM
echo $SLURM_JOB_ID ${SLURM_RESTART_COUNT:-0} $EBB_DEVICES $(echo $CUDA_VISIBLE_DEVICES | tr , ' ' | wc -w) $done >> RECORD
case $EBB_DEVICES in 4) step=34;; 2) step=19;; *) step=10;; esac
while [ $done -lt 30000 ]; do sleep 0.05; done=$((done + step)); done
"""
WIDTHS = "2=1.9,4=3.4"


class Elastic(unittest.TestCase):
    def set_up(self, **cluster):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.cluster = self.enterContext(Cluster(accounting=True, **cluster))
        self.record = self.directory / "record"
        self.record.touch()
        self.program = self.directory / "program.sh"
        self.program.write_text(PROGRAM.replace("RECORD", str(self.record)))
        trace = trace_of_days(self.directory / "trace.csv", ONE_CLEAN_HOUR)
        self.flags = [*replay(trace, SPEED), "--policy", "planner", "--publication-lag", "none"]

    def begun(self):
        """Of each attempt: the job's number, restarts, EBB_DEVICES, GPUs that it sees, work done before."""
        return [tuple(map(int, line.split())) for line in self.record.read_text().splitlines()]

    def gpus_in_accounting(self, job):
        """GPUs of each attempt, as slurmdbd has booked them."""
        rows = self.cluster.run("sacct", "-n", "-P", "-X", "--duplicates", "-j", job, "-o", "AllocTRES").splitlines()
        return [int(part.removeprefix("gres/gpu=")) for row in rows for part in row.split(",")
                if part.startswith("gres/gpu=")]

    def comment_of(self, job):
        return self.cluster.run("squeue", "-h", "-t", "all", "-j", job, "-O", "Comment:600").strip()

    def test_a_users_job_is_wide_in_the_clean_hour(self):
        self.set_up(nodes=1, gpus=4)
        script = self.directory / "job.sh"
        script.write_text(f"#!/bin/bash\nexec {EBB} slurm run --directory {self.directory}/job --constant 300 --interval 100ms "
                          f"--quiet -- bash {self.program}\n")
        with Service(self.cluster, self.directory, self.flags) as service:
            job = self.cluster.submit(
                "--hold", "--gres=gpu:1", "--requeue", "--open-mode=append",
                f"--comment=ebb:finish-by=8h;duration=5h;minimum-segment=10m;pause-cost=2m;signal=USR1;speedup={WIDTHS}", script)
            known = service.wait_until_ended(1, 600)
        self.assertEqual(known[0]["stage"], "succeeded", known)
        self.check(job, known[0])
        energy = json.loads(service.ebb("slurm", "energy", self.directory / "job", "--format", "json"))
        self.assertEqual(len(energy["attempts"]), len(self.begun()), energy)

    def check(self, job, known):
        begun = self.begun()
        print(f"widths {[row[2] for row in begun]}, work before {[row[4] for row in begun]}")
        self.assertEqual({row[0] for row in begun}, {int(job)}, "one number")
        self.assertEqual([row[1] for row in begun], list(range(len(begun))), "no attempt ran twice")
        widths = [row[2] for row in begun]
        self.assertEqual([row[3] for row in begun], widths, "GPUs that it sees")
        self.assertEqual(max(widths), 4, "in the clean hour")
        self.assertIn(1, widths, "in dirty hours")
        done = [row[4] for row in begun]
        self.assertEqual(done, sorted(set(done)), "it goes on from its checkpoint")
        self.cluster.wait(lambda: self.gpus_in_accounting(job) == widths, "each attempt in accounting at its width")

    def test_a_job_of_the_service_goes_on_at_its_own_width_if_no_node_has_the_planned_one(self):
        self.set_up(nodes=2, gpus=2)
        with Service(self.cluster, self.directory, self.flags) as service:
            service.ebb("submit", "--name", "wide", "--checkpointable", "--minimum-segment", "10m", "--duration", "5h", "--power",
                        "100", "--finish-by", "8h", "--speedup", WIDTHS, "--", "bash", self.program)
            known = service.wait_until_ended(1, 600)
            log = (self.directory / "serve.log").read_text()
        self.assertEqual(known[0]["stage"], "succeeded", known)
        begun = self.begun()
        print(f"widths {[row[2] for row in begun]}")
        self.assertEqual(log.count("Slurm does not give it 4 devices"), 1, log)
        self.assertNotIn(4, [row[2] for row in begun])
        self.assertEqual([row[2] for row in begun], [row[3] for row in begun])
        self.assertIn("Slurm does not give it 4 devices (BadConstraints); it goes on with 1", log)


if __name__ == "__main__":
    unittest.main(verbosity=2)
