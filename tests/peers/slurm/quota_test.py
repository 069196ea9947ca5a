"""ebb slurm quota on a real slurmdbd: the GPUs of a QOS and the count of a licence follow the grid, and come back."""

import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from cluster import CLUSTER_NAME, Cluster

EBB = os.environ.get("EBB", str(Path(__file__).resolve().parents[3] / "build/release/bin/ebb"))


class Quota(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        settings = {"AccountingStorageEnforce": "associations,limits,qos"}
        cls.cluster = cls.enterClassContext(Cluster(nodes=2, gpus=2, accounting=True, settings=settings))
        manage = lambda *words: cls.cluster.run("sacctmgr", "-i", *words)
        manage("add", "account", "lab")
        manage("add", "qos", "green", "set", "GrpTRES=cpu=100,gres/gpu=3")
        manage("add", "user", cls.cluster.user, "account=lab", "set", "qos=normal,green")
        manage("add", "resource", "name=green", "server=ebb", "count=10", "type=license", f"cluster={CLUSTER_NAME}",
               "percentallowed=100")

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def ebb(self, grams, *words):
        """Runs ebb slurm quota where the grid has this intensity."""
        return subprocess.Popen([EBB, "slurm", "quota", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env={**self.cluster.environment, "EBB_CONFIG": self.settings(grams)})

    def settings(self, grams):
        path = self.folder / f"{grams}.yaml"
        rows = self.folder / f"{grams}.csv"
        hour = int(time.time()) // 3600 * 3600
        rows.write_text(f"time,end,g_per_kwh\n{hour},{hour + 7200},{grams}\n")
        path.write_text(f"zone: DE\nsignal_cache: {self.folder}/cache-{grams}\nsignal_command: cat {rows}\n")
        return str(path)

    def once(self, grams, *words):
        with self.ebb(grams, *words, "--once") as program:
            said = program.communicate(timeout=60)[0]
        self.assertEqual(program.returncode, 0, said)
        return said

    def limit(self):
        return self.cluster.run("sacctmgr", "-n", "-P", "show", "qos", "where", "name=green", "format=GrpTRES").strip()

    def licences(self):
        return self.cluster.run("sacctmgr", "-n", "-P", "show", "resource", "where", "name=green", "format=Count").strip()

    def running(self):
        return len(self.cluster.run("squeue", "-h", "-t", "R", "-o", "%i").split())

    def test_jobs_of_the_qos_follow_the_quota(self):
        for _ in range(4):
            self.cluster.submit("--account=lab", "--qos=green", "--gres=gpu:1", "--wrap=sleep 600")
        self.cluster.wait(lambda: self.running() == 3, "3 jobs by the limit of 3 GPUs")
        rule = ("--qos", "green", "--gpus", "4", "--reduced", "1", "--threshold", "250")
        dirty = self.once(400, *rule)
        self.assertIn("QOS green has 3 GPUs", dirty)
        self.assertIn("QOS green gets 1 GPU: 400 g/kWh is above 250", dirty)
        self.assertEqual(self.limit(), "cpu=100,gres/gpu=1")
        self.assertEqual(self.running(), 3, "running jobs go on")
        self.once(100, *rule)
        self.cluster.wait(lambda: self.running() == 4, "all 4 jobs")
        self.cluster.run("sacctmgr", "-i", "modify", "qos", "green", "set", "GrpTRES=gres/gpu=3")

    def test_at_its_end_it_restores_what_it_found(self):
        with self.ebb(400, "--qos", "green", "--gpus", "4", "--threshold", "250", "--every", "1s") as program:
            self.cluster.wait(lambda: self.limit() == "cpu=100,gres/gpu=0", "the reduced quota")
            program.terminate()
            said = program.communicate(timeout=60)[0]
        self.assertEqual(program.returncode, 0, said)
        self.assertIn("QOS green has 3 GPUs again", said)
        self.assertEqual(self.limit(), "cpu=100,gres/gpu=3")

    def test_it_waits_for_accounting_that_is_away(self):
        with self.ebb(400, "--qos", "green", "--gpus", "4", "--threshold", "250", "--every", "1s", "--restore", "2") as program:
            self.cluster.wait(lambda: self.limit() == "cpu=100,gres/gpu=0", "the reduced quota")
            self.cluster.kill_accounting()
            self.cluster.start_accounting()
            self.cluster.run("sacctmgr", "-i", "modify", "qos", "green", "set", "GrpTRES=gres/gpu=0")
            program.terminate()
            said = program.communicate(timeout=60)[0]
        self.assertEqual(self.limit(), "cpu=100,gres/gpu=2", said)
        self.cluster.run("sacctmgr", "-i", "modify", "qos", "green", "set", "GrpTRES=gres/gpu=3")

    def test_a_licence_and_a_day_with_gpu_hours(self):
        rule = ("--licence", "green", "--gpus", "8", "--reduced", "2")
        self.once(400, *rule, "--threshold", "250")
        self.assertEqual(self.licences(), "2")
        # All hours are equal here, so the first ones of the day are taken; 190 of at most 192 GPU hours need all of them.
        self.once(400, *rule, "--gpu-hours-per-day", "190", "--state", str(self.folder / "state"))
        self.assertEqual(self.licences(), "8")

    def test_dry_run_changes_nothing(self):
        with self.ebb(400, "--qos", "green", "--gpus", "4", "--threshold", "250", "--dry-run") as program:
            said = program.communicate(timeout=60)[0]
        self.assertIn("sacctmgr -i modify qos where 'name=green' set 'GrpTRES=gres/gpu=0'", said)
        self.assertEqual(self.limit(), "cpu=100,gres/gpu=3")

    def test_a_qos_that_is_not_there(self):
        with self.ebb(400, "--qos", "nothing", "--gpus", "4", "--threshold", "250", "--once") as program:
            said = program.communicate(timeout=60)[0]
        self.assertNotEqual(program.returncode, 0)
        self.assertIn("accounting does not know it", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
