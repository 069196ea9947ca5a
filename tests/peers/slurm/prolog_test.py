"""The prolog and epilog for sites (deploy/slurm) on a real Slurm: jobs that have their node alone are measured without
doing anything for it, also after a requeue; other partitions are left alone."""

import csv
import os
import subprocess
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

from cluster import Cluster, missing_programs

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("EBB_BUILD", ROOT / "build/release"))
EBB = Path(os.environ.get("EBB", BUILD / "bin/ebb"))


class Prolog(unittest.TestCase):
    def setUp(self):
        if missing := missing_programs():
            self.skipTest(f"this machine has no {', '.join(missing)}")
        if not EBB.exists():
            self.skipTest(f"{EBB} is not built")
        self.cluster = Cluster(accounting=True, partitions={"whole": "Default=YES OverSubscribe=EXCLUSIVE", "shared": ""})
        folder = self.cluster.directory
        self.cluster.settings = {name: self.script(name.lower()) for name in ("Prolog", "Epilog")}
        (folder / "settings").write_text(f"EBB={EBB}\nEBB_PARTITIONS='whole other'\nEBB_FOLDER={folder}/measured\n"
                                         f"EBB_FLAGS=(--constant 300 --interval 100ms)\n")
        self.enterContext(self.cluster)

    def script(self, name):
        path = self.cluster.directory / name
        path.write_text(f"#!/bin/bash\nEBB_SLURM_SETTINGS={self.cluster.directory}/settings "
                        f"exec {ROOT}/deploy/slurm/{name}.sh\n")
        path.chmod(0o755)
        return path

    def test_jobs_with_whole_nodes_are_measured_from_prolog_to_epilog(self):
        cluster, measured = self.cluster, self.cluster.directory / "measured"
        job = cluster.submit("--requeue", "--wrap=sleep 5")
        cluster.wait_for_state(job, "RUNNING")
        cluster.wait(lambda: list(measured.glob("*/attempt-1/*/ledger.jsonl")), "the first readings")
        cluster.run("scontrol", "requeue", job)
        cluster.wait(lambda: cluster.job(job)["Restarts"] == "1" and cluster.job(job)["JobState"] == "COMPLETED",
                     "the second start")
        shared = cluster.submit("--partition=shared", "--wrap=true")
        cluster.wait_for_state(shared, "COMPLETED")
        cluster.wait(lambda: len(list(measured.glob(f"slurm-{job}/attempt-1/*/summary.json"))) == 2, "both figures")
        self.assertEqual([path.name for path in measured.iterdir()], [f"slurm-{job}"])
        self.assertEqual(list(measured.glob("*/*.pid")), [])
        cluster.wait(lambda: self.rows().get(job, []) == ["1", "1"] and self.rows().get(shared) == ["0"],
                     "each start in the report, measured or not")

    def rows(self):
        """Whether the starts of each job are measured."""
        now = datetime.now(timezone.utc)
        output = self.cluster.directory / "report"
        subprocess.run([EBB, "report", "period", "--from", f"{now - timedelta(hours=2):%Y-%m-%dT%H:%MZ}", "--to",
                        f"{now + timedelta(hours=2):%Y-%m-%dT%H:%MZ}", self.cluster.directory / "measured",
                        "--slurm", "sacct", "--output-dir", output],
                       check=True, capture_output=True, env=self.cluster.environment)
        rows = {}
        for row in csv.DictReader((output / "slurm.csv").read_text().splitlines()):
            rows.setdefault(row["job"], []).append(row["measured"])
        return rows


if __name__ == "__main__":
    unittest.main(verbosity=2)
