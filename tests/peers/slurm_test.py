"""The test cluster of real Slurm daemons itself (tests/peers/slurm/cluster.py): what later tests of Ebb rely on.

Run by ./dev peers slurm, which installs the daemons.
"""

import os
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "slurm"))
from cluster import Cluster

WITH_COMMENT = """
function slurm_job_submit(job, parts, user)
  job.admin_comment = "seen"
  return slurm.SUCCESS
end
function slurm_job_modify() return slurm.SUCCESS end
"""


class WholeCluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster(nodes=2, gpus=2, accounting=True, rest=True, lua=WITH_COMMENT))

    def test_a_job_sees_the_gpus_it_got(self):
        jobs = [self.cluster.submit("--gres=gpu:1", "--nodelist=n1", "--wrap=echo $CUDA_VISIBLE_DEVICES; sleep 1")
                for _ in range(2)]
        for job in jobs:
            self.cluster.wait_for_state(job, "COMPLETED")
        self.assertEqual(sorted(self.cluster.output_of(job) for job in jobs), ["0\n", "1\n"])

    def test_a_job_is_requeued_with_its_id_and_accounted_twice(self):
        job = self.cluster.submit("--requeue", "--open-mode=append", "--wrap=echo run $SLURM_RESTART_COUNT; sleep 600")
        self.cluster.wait(lambda: "run" in self.cluster.output_of(job), "the first run")
        self.cluster.run("scontrol", "requeuehold", "Incomplete", job)
        self.cluster.wait(lambda: self.cluster.job(job)["Reason"] == "job_requeued_in_held_state", "the hold")
        self.cluster.run("scontrol", "release", job)
        self.cluster.wait(lambda: "run 1" in self.cluster.output_of(job), "the second run")
        self.cluster.run("scancel", job)
        self.cluster.wait(lambda: self._accounted(job) == ["REQUEUED", "CANCELLED"], "both in accounting")

    def _accounted(self, job):
        states = self.cluster.run("sacct", "-n", "-P", "-X", "--duplicates", "-j", job, "-o", "State").splitlines()
        return [state.split()[0] for state in states]

    def test_the_controller_comes_back_with_its_jobs(self):
        job = self.cluster.submit("--hold", "--wrap=true")
        for how in (signal.SIGTERM, signal.SIGKILL):
            # A slurmctld that gets SIGKILL loses what it has not written yet; after SIGTERM it has written everything.
            self.cluster.kill_controller(how)
            self.cluster.start_controller()
            self.assertEqual(self.cluster.job(job)["JobState"], "PENDING")
        self.cluster.run("scancel", job)

    def test_jobs_run_while_accounting_is_away(self):
        self.cluster.kill_accounting()
        job = self.cluster.submit("--wrap=true")
        self.cluster.wait_for_state(job, "COMPLETED")
        self.cluster.start_accounting()
        self.cluster.wait(lambda: self._accounted(job) == ["COMPLETED"], "the job in accounting")

    def test_the_script_of_submissions_is_called(self):
        job = self.cluster.submit("--wrap=true")
        self.assertEqual(self.cluster.job(job)["AdminComment"], "seen")


class Alone(unittest.TestCase):
    def test_programs_of_jobs_end_with_the_cluster(self):
        with Cluster() as cluster:
            job = cluster.submit("--wrap=trap '' TERM; echo $$; while :; do sleep 1; done")
            cluster.wait(lambda: cluster.output_of(job), "its process id")
            process = int(cluster.output_of(job))
            os.kill(process, 0)
        self.assertFalse(self._runs(process))

    @staticmethod
    def _runs(process):
        try:
            return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
        except FileNotFoundError:
            return False


if __name__ == "__main__":
    unittest.main(verbosity=2)
