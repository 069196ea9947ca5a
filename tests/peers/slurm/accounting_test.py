"""ebb report period beside the accounting of a real Slurm: every start is listed, measured or not, restarts included."""

import csv
import json
import os
import subprocess
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

from cluster import Cluster, missing_programs

BUILD = Path(os.environ.get("EBB_BUILD", Path(__file__).resolve().parents[3] / "build/release"))
EBB = Path(os.environ.get("EBB", BUILD / "bin/ebb"))
COLUMNS = ("JobIDRaw,JobID,Cluster,User,Account,Partition,State,Start,End,ElapsedRaw,AllocTRES,ConsumedEnergyRaw,"
           "JobName")
PROGRAM = 'trap "exit 75" TERM; touch "$EBB_RUN_DIR/begun"; while [ ! -e end ]; do sleep 0.05; done'


class Accounting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if missing := missing_programs():
            raise unittest.SkipTest(f"this machine has no {', '.join(missing)}")
        if not EBB.exists():
            raise unittest.SkipTest(f"{EBB} is not built")
        cls.cluster = cls.enterClassContext(Cluster(nodes=2, gpus=2, accounting=True))

    def period(self, folder, source):
        now = datetime.now(timezone.utc)
        output = self.cluster.directory / "report"
        subprocess.run([EBB, "report", "period", "--from", f"{now - timedelta(hours=2):%Y-%m-%dT%H:%MZ}", "--to",
                        f"{now + timedelta(hours=2):%Y-%m-%dT%H:%MZ}", folder, "--slurm", source, "--output-dir", output],
                       check=True, capture_output=True, env=self.cluster.environment)
        return list(csv.DictReader((output / "slurm.csv").read_text().splitlines())), json.loads((output / "period.json").read_text())

    def test_every_start_is_listed_with_what_was_measured_of_it(self):
        cluster, home = self.cluster, self.cluster.directory / "home"
        home.mkdir()
        script = home / "job.sh"
        script.write_text(f"#!/bin/bash\ncd '{home}'\nexec '{EBB}' slurm run --quiet --constant 300 --interval 50ms "
                          f"--directory '{home}/job' -- bash -c '{PROGRAM}'\n")
        measured = cluster.submit("--requeue", "--gpus=1", script)
        cluster.wait((home / "job/attempt-1/n1/begun").exists, "the program")
        plain = cluster.submit("--gpus=2", "--wrap=sleep 2")
        cluster.run("scancel", "--full", "--signal=USR1", measured)
        cluster.wait_for_state(measured, "PENDING")
        (home / "end").touch()
        cluster.run("scontrol", "release", measured)
        for job in (measured, plain):
            cluster.wait_for_state(job, "COMPLETED")
        cluster.wait(lambda: self.states(measured) == ["REQUEUED", "COMPLETED"] and self.states(plain) == ["COMPLETED"],
                     "all of it in accounting")
        self.check(home, measured, plain)

    def states(self, job):
        return self.cluster.run("sacct", "-n", "-P", "-X", "--duplicates", "-j", job, "-o", "State").split()

    def check(self, home, measured, plain):
        rows, told = self.period(home, "sacct")
        ours = [row for row in rows if row["job"] == measured]
        self.assertEqual([(row["restart"], row["state"], row["measured"], row["gpus"]) for row in ours],
                         [("0", "REQUEUED", "1", "1"), ("1", "COMPLETED", "1", "1")])
        ledgers = [sum(json.loads(line)["energy_uj"] for line in path.read_text().splitlines())
                   for path in sorted((home / "job").glob("attempt-*/*/ledger.jsonl"))]
        self.assertEqual([int(row["energy_uj"]) for row in ours], ledgers)
        self.assertEqual(told["total"]["energy_uj"], sum(ledgers), "as in the report that the table stands beside")
        self.assertEqual(told["slurm"]["measured"]["energy_uj"], sum(ledgers))
        other, = [row for row in rows if row["job"] == plain]
        self.assertEqual((other["measured"], other["energy_uj"], other["gpus"]), ("0", "", "2"))
        self.assertEqual(told["slurm"]["not_measured"]["starts"], 1)
        saved = self.cluster.directory / "jobs.txt"
        saved.write_text(self.cluster.run("sacct", "-a", "-X", "--duplicates", "-P", "-S", "now-1hour", "-o", COLUMNS))
        self.assertEqual(self.period(home, saved)[0], rows, "local times are read by the same clock")


if __name__ == "__main__":
    unittest.main(verbosity=2)
