"""The same real cluster by Slurm's commands and by slurmrestd: equal jobs, nodes and accounts, and changes by REST."""

import os
import re
import subprocess
import unittest
from pathlib import Path

from cluster import Cluster

BUILD = Path(os.environ.get("EBB_BUILD", Path(__file__).resolve().parents[3] / "build/release"))
SUITE = BUILD / "bin/slurm_test"
HETEROGENEOUS = """#!/bin/bash
#SBATCH --gpus=1
#SBATCH hetjob
#SBATCH --ntasks=2 --gpus-per-task=1
sleep 1
"""


class Rest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster(nodes=3, gpus=2, accounting=True, rest=True,
                                                    partitions={"main": "Default=YES", "green": ""}))

    def setUp(self):
        if not SUITE.exists():
            self.skipTest(f"{SUITE} is not built")

    def run_suite(self, tests, **environment):
        environment = {**self.cluster.environment, "EBB_TEST_SLURM_REST": f"unix:{self.cluster.rest_socket}", **environment}
        ended = subprocess.run([SUITE, f"--gtest_filter={tests}"], env=environment, capture_output=True, text=True)
        differences = "\n".join(re.findall(r"^[-+@].*", ended.stdout, re.MULTILINE))
        self.assertEqual(ended.returncode, 0, differences or ended.stdout)
        self.assertNotIn("SKIPPED", ended.stdout)
        self.assertNotIn("Running 0 tests", ended.stdout)

    def submit_one_of_each_kind(self):
        """Jobs of every kind that differs in squeue; returns when nothing moves any more."""
        submit = self.cluster.submit
        submit("--hold", "--gpus=2", "--time=1:00:00", "--comment=ebb:tier=2;start-by=12h {ebb wait 0} \"x\" ä",
               "--job-name=a \"b\"", "--wrap=true")
        submit("--hold", "--job-name=to-change", "--wrap=true")
        submit("--hold", "--job-name=to-cancel", "--wrap=true")
        submit("--hold", "--job-name=element-to-change", "--array=1-3", "--wrap=true")
        submit("--begin=now+1hour", "--array=0-6:2,9%2", "--gres=gpu:1", "--wrap=true")
        submit("--begin=now+1hour", "--gpus-per-node=fake:1", "--nodes=2", "--time=2-0", "--partition=main,green",
               "--wrap=true")
        script = self.cluster.directory / "heterogeneous.sh"
        script.write_text(HETEROGENEOUS)
        submit(script)
        submit("--array=1-2", "--wrap=exit 3")
        submit("--comment=ebb:", "--wrap=kill -9 $$")
        submit("--dependency=afterok:1", "--wrap=true")
        requeued = submit("--requeue", "--wrap=sleep 600")
        cancelled = submit("--wrap=sleep 600")
        for job in (requeued, cancelled):
            self.cluster.wait_for_state(job, "RUNNING")
        self.cluster.run("scancel", cancelled)
        self.cluster.run("scontrol", "requeuehold", "Incomplete", requeued)
        submit("--gpus=1", "--comment=runs", "--wrap=sleep 600")
        self.cluster.run("scontrol", "update", "NodeName=n3", "State=DRAIN", "Reason=test")
        self.rest()

    def rest(self):
        self.cluster.wait(lambda: not self.moving(), "all jobs to rest")

    def moving(self):
        """Jobs that are about to start or to end."""
        lines = self.cluster.run("squeue", "-h", "-t", "all", "-O", "JobID:12,State:20,Reason:40,Comment:20").splitlines()
        return [line for line in lines
                if "COMPLETING" in line or ("RUNNING" in line and "runs" not in line)
                or ("PENDING" in line and line.split()[2] in ("None", "Priority", "Resources"))]

    def test_by_commands_and_by_rest(self):
        self.submit_one_of_each_kind()
        self.run_suite("SlurmRestLive.*AreTheSame*:SlurmRestLive.*IsTheSame*")
        self.run_suite("SlurmRestLive.AChange*:SlurmRestLive.AJob*:SlurmRestLive.Errors*")
        # slurmrestd cuts the list of this array's elements.
        squares = ",".join(str(number * number) for number in range(30))
        self.cluster.submit("--begin=now+1hour", f"--array={squares}", "--wrap=true")
        self.rest()
        self.run_suite("SlurmRestLive.Jobs*")
        self.cluster.kill_controller()
        self.run_suite("SlurmRestLive.AController*", EBB_TEST_SLURM_AWAY="1")
        self.cluster.start_controller()
        self.cluster.wait(lambda: "*" not in self.cluster.run("sinfo", "-h", "-N", "-o", "%T"), "all nodes to answer")
        self.rest()
        self.run_suite("SlurmRestLive.Jobs*")
        if self.cluster.has_tokens:
            token = self.cluster.directory / "token"
            token.write_text(f"SLURM_JWT={self.cluster.token('nobody')}\n")
            self.run_suite("SlurmRestLive.Jobs*:SlurmRestLive.Nodes*", EBB_TEST_SLURM_REST=self.cluster.rest_url,
                           EBB_TEST_SLURM_TOKEN=str(token), EBB_TEST_SLURM_USER="nobody")


if __name__ == "__main__":
    unittest.main(verbosity=2)
