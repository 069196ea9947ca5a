"""ebb slurm energy: a job of four tasks on two nodes, requeued twice, is the sum of the ledgers to the microjoule."""

import json
import os
import re
import subprocess
import unittest
from collections import Counter
from pathlib import Path

from cluster import Cluster, missing_programs

BUILD = Path(os.environ.get("EBB_BUILD", Path(__file__).resolve().parents[3] / "build/release"))
EBB = Path(os.environ.get("EBB", BUILD / "bin/ebb"))
TASKS, RESTARTS = 4, 2
PROGRAM = f"""
import os, signal, sys, time
asked = []
signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
resumes = os.environ["EBB_RESUME"] == "1"
if resumes != (os.environ.get("SLURM_RESTART_COUNT", "0") != "0"):
    sys.exit("EBB_RESUME is wrong")
os.makedirs(os.environ["EBB_CHECKPOINT_DIR"], exist_ok=True)
mark = os.environ["EBB_CHECKPOINT_DIR"] + "/" + os.environ["SLURM_PROCID"]
with open(mark + ".new", "w") as file:
    file.write(os.environ.get("SLURM_RESTART_COUNT", "0"))
os.replace(mark + ".new", mark)
begin = time.monotonic()
while not asked and time.monotonic() < begin + 600:
    sum(range(100_000))
    if os.environ.get("SLURM_RESTART_COUNT") == "{RESTARTS}" and time.monotonic() > begin + 1:
        sys.exit(0)
time.sleep(0.5 * int(os.environ["SLURM_PROCID"]))   # tasks write their checkpoints one after the other
open(mark + ".paused", "a").write("x")
sys.exit(75)
"""


def microjoules(ledger):
    return sum(json.loads(line)["energy_uj"] for line in ledger.read_text().splitlines())


class Energy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if missing := missing_programs():
            raise unittest.SkipTest(f"this machine has no {', '.join(missing)}")
        if not EBB.exists():
            raise unittest.SkipTest(f"{EBB} is not built")
        cls.cluster = cls.enterClassContext(Cluster(nodes=2, gpus=2))

    def test_four_tasks_on_two_nodes_over_two_requeues(self):
        cluster, folder = self.cluster, self.cluster.directory / "job"
        program = cluster.directory / "program.py"
        program.write_text(PROGRAM)
        script = cluster.directory / "job.sh"
        script.write_text(f"#!/bin/bash\ntrap '' USR1\nsrun '{EBB}' slurm run --quiet --constant 300 --interval 50ms "
                          f"--directory '{folder}' -- python3 '{program}'\n")
        job = cluster.submit("--requeue", "--open-mode=append", "--nodes=2", "--ntasks=4", "--ntasks-per-node=2",
                             "--comment=for the paper", script)
        marks = folder / "checkpoints"
        for restart in range(RESTARTS):
            cluster.wait(lambda: [path.read_text() for path in sorted(marks.glob("[0-9]"))] == [str(restart)] * TASKS,
                         f"all tasks of attempt {restart + 1}")
            cluster.run("scancel", "--full", "--signal=USR1", job)
            self.assertEqual(cluster.wait_for_state(job, "PENDING")["Reason"], "job_requeued_in_held_state")
            paused = [path.read_text() for path in sorted(marks.glob("*.paused"))]
            self.assertEqual(paused, ["x" * (restart + 1)] * TASKS, "every task was asked once, and was waited for")
            cluster.run("scontrol", "release", job)
        cluster.wait_for_state(job, "COMPLETED")
        self.check(folder)
        said = re.escape("for the paper {ebb measured} used ") + r"[\d.]+ \w+, [\d.]+ \w+ in 3 attempts on 2 nodes"
        self.assertRegex(cluster.run("squeue", "-h", "-t", "all", "-j", job, "-O", "Comment:300").strip(), f"^{said}$")
        admin = cluster.run("squeue", "-h", "-t", "all", "-j", job, "-O", "admin_comment:300")
        self.assertTrue(admin.startswith("ebb: used "), "the user of these tests may write it")

    def test_a_job_that_is_submitted_to_be_tracked(self):
        for name, command, runs in (("plain", f"python3 '{self.cluster.directory}/busy.py'", {"n1"}),
                                    ("with-srun", f"srun -l --ntasks 4 python3 '{self.cluster.directory}/busy.py'",
                                     {"n1", "n1.task-1", "n2", "n2.task-1"})):
            with self.subTest(name):
                self.track(name, command, runs)

    def track(self, name, command, runs):
        cluster = self.cluster
        (cluster.directory / "busy.py").write_text("import time\nend = time.monotonic() + 1\n"
                                                   "while time.monotonic() < end: pass\nprint('done')\n")
        script = cluster.directory / f"{name}.sh"
        script.write_text(f"#!/bin/bash\n#SBATCH --nodes=2 --ntasks-per-node=2\n{command}\n")
        told = subprocess.run([EBB, "slurm", "submit", "--track", "--managed", "--zone", "DE", "--start-by", "1s", "--format", "json",
                               f"--chdir={cluster.directory}", script], check=True, capture_output=True, text=True,
                              env=cluster.environment | {"HOME": str(cluster.directory)}, cwd=cluster.directory)
        job = json.loads(told.stdout)["job"]
        self.assertEqual(cluster.job(job)["JobName"], f"{name}.sh")
        script.write_text("#!/bin/sh\nexit 1\n")  # Slurm has the script as it was
        cluster.wait_for_state(job, "COMPLETED")
        folder = cluster.directory / f".ebb/slurm-{job}"
        self.assertEqual({path.parent.name for path in folder.glob("attempt-1/*/ledger.jsonl")}, runs)
        told = json.loads(subprocess.run([EBB, "slurm", "energy", folder, "--format", "json"], check=True,
                                         capture_output=True, text=True).stdout)
        self.assertGreater(told["total"]["energy_uj"], 0)
        self.assertIn("} used ", cluster.run("squeue", "-h", "-t", "all", "-j", job, "-O", "Comment:300"))

    def check(self, folder):
        ledgers = {path: microjoules(path) for path in folder.glob("attempt-*/*/ledger.jsonl")}
        self.assertEqual(len(ledgers), TASKS * (RESTARTS + 1), "a run for each task of each attempt")
        self.assertTrue(all(ledgers.values()))
        for ledger in ledgers:
            grid = json.loads((ledger.parent / "grid.json").read_text())
            self.assertEqual((grid["g_per_kwh"], grid["pue"]), (300, 1), "each task finds the intensity")
        told = json.loads(subprocess.run([EBB, "slurm", "energy", folder, "--format", "json"], check=True,
                                         capture_output=True, text=True).stdout)
        self.assertEqual(told["total"]["energy_uj"], sum(ledgers.values()))
        self.assertEqual(told["counted_elsewhere_uj"], 0)
        nodes, attempts = Counter(), Counter()
        for path, energy in ledgers.items():
            nodes[path.parent.name.split(".")[0]] += energy
            attempts[int(path.parent.parent.name.split("-")[1])] += energy
        self.assertEqual({row["node"]: row["energy_uj"] for row in told["nodes"]}, nodes)
        self.assertEqual({row["attempt"]: row["energy_uj"] for row in told["attempts"]}, attempts)
        self.assertEqual([row["outcome"] for row in told["attempts"]], ["paused"] * RESTARTS + ["done"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
