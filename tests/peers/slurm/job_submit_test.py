"""deploy/slurm/job_submit.lua in a real slurmctld: who waits from submission on, and what a missing or stale file does."""

import os
import subprocess
import time
import unittest
from pathlib import Path

from cluster import Cluster

ROOT = Path(__file__).resolve().parents[3]
EBB = os.environ.get("EBB", str(ROOT / "build/release/bin/ebb"))
HOUR_S = 3600


class JobSubmit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        script = (ROOT / "deploy/slurm/job_submit.lua").read_text()
        partitions = {"main": "Default=YES", "green": ""}
        cls.cluster = Cluster(partitions=partitions, lua=script)
        cls.state = cls.cluster.directory / "state-of-ebb"
        cls.cluster.lua = script.replace('"/run/ebb/slurm-state"', f'"{cls.state}"')
        cls.enterClassContext(cls.cluster)

    def write_state(self, *words):
        subprocess.run([EBB, "slurm", "state-file", "--output", self.state, *words], check=True)

    def wait_of(self, *options):
        """For how many seconds a new job waits at least, rounded to minutes; 0: it starts."""
        submitted = time.time()
        job = self.cluster.submit(*options, "--wrap=sleep 60")
        found = self.cluster.wait(lambda: (now := self.cluster.job(job))["Reason"] == "BeginTime" and now
                                  or now["JobState"] != "PENDING" and now, "the job to wait or to start")
        begin = self.cluster.run("squeue", "-h", "-j", job, "-o", "%S", environment={"SLURM_TIME_FORMAT": "%s"})
        self.cluster.run("scancel", job)
        return round((int(begin) - submitted) / 60) * 60 if found["Reason"] == "BeginTime" else 0

    def test_only_jobs_that_have_opted_in_wait(self):
        self.write_state("--partition", "green", "--max-delay", "2h")
        self.assertEqual(self.wait_of(), 0)
        self.assertEqual(self.wait_of("--comment=for people: ebb:"), 0)
        self.assertEqual(self.wait_of("--partition=green"), 2 * HOUR_S)
        self.assertEqual(self.wait_of("--partition=main,green"), 2 * HOUR_S)
        self.assertEqual(self.wait_of("--comment=ebb:"), 2 * HOUR_S)
        self.assertEqual(self.wait_of("--comment=ebb:tier=2;start-by=1h30m"), 1.5 * HOUR_S)
        self.assertEqual(self.wait_of("--comment=ebb:start-by=nonsense"), 2 * HOUR_S)
        self.assertEqual(self.wait_of("--comment=ebb:", "--begin=now+5hours"), 5 * HOUR_S)
        self.write_state("--partition", "main", "--max-delay", "3h")
        self.assertEqual(self.wait_of(), 3 * HOUR_S, "the default partition")

    def test_without_a_valid_file_nothing_waits(self):
        for content in (None, "", "until 1000\ndelay 60\npartition main\n", "until x\ndelay 60\n", "\0\0" * 5000):
            self.state.unlink(missing_ok=True)
            if content is not None:
                self.state.write_text(content)
            self.assertEqual(self.wait_of("--comment=ebb:"), 0, content)


if __name__ == "__main__":
    unittest.main(verbosity=2)
