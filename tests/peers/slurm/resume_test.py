"""ebb slurm run on a real Slurm: a training that is paused three times ends with the parameters of one that is not, and
every joule of its attempts is in the job's sum once."""

import json
import os
import unittest
from pathlib import Path

from cluster import Cluster, missing_programs

BUILD = Path(os.environ.get("EBB_BUILD", Path(__file__).resolve().parents[3] / "build/release"))
EBB = Path(os.environ.get("EBB", BUILD / "bin/ebb"))
EBB_TRAIN = Path(os.environ.get("EBB_TRAIN", BUILD / "bin/ebb-train"))
PAUSES = 3
PATIENCE_S = 300
# 160 updates, long enough to be paused in the middle of each.
TRAINING = [EBB_TRAIN, "--data", "digits", "--train-samples", "1280", "--test-samples", "50", "--batch-size", "32",
            "--epochs", "4", "--lr-schedule", "cosine", "--threads", "1", "--device", "cpu", "--progress", "none"]
MEASURED = ["--constant", "300", "--interval", "100ms", "--quiet"]


def events(run):
    path = run / "progress.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")] \
        if path.exists() else []


class Resume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if missing := missing_programs():
            raise unittest.SkipTest(f"this machine has no {', '.join(missing)}")
        for program in (EBB, EBB_TRAIN):
            if not program.exists():
                raise unittest.SkipTest(f"{program} is not built")
        cls.cluster = cls.enterClassContext(Cluster(nodes=2, gpus=2))

    def script(self, name, *lines):
        path = self.cluster.directory / name
        path.write_text("\n".join(("#!/bin/bash", *lines)) + "\n")
        return path

    def command(self, directory, program, *before):
        words = [*before, EBB, "slurm", "run", *MEASURED, "--directory", directory, "--", *program]
        return " ".join(f"'{word}'" for word in words)

    def train(self, name, pauses=0):
        """Returns the folder of a job that trains, paused as often as said, each time by another attempt."""
        folder = self.cluster.directory / name
        job = self.cluster.submit("--requeue", "--open-mode=append",
                                  self.script(f"{name}.sh", "exec " + self.command(folder, TRAINING)))
        for attempt in range(1, pauses + 1):
            run = folder / f"attempt-{attempt}/n1"
            self.cluster.wait(lambda: any(event.get("step", 0) >= 20 * attempt for event in events(run)),
                              f"attempt {attempt} to be in its training", PATIENCE_S)
            self.cluster.run("scancel", "--full", "--signal=USR1", job)
            held = self.cluster.wait_for_state(job, "PENDING", PATIENCE_S)
            self.assertEqual(held["Reason"], "job_requeued_in_held_state")
            self.assertEqual(json.loads((run / "summary.json").read_text())["outcome"], "paused")
            self.cluster.run("scontrol", "release", job)
        self.cluster.wait_for_state(job, "COMPLETED", PATIENCE_S)
        return job, folder

    def test_three_pauses_do_not_change_the_parameters(self):
        _, straight = self.train("straight")
        job, paused = self.train("paused", PAUSES)
        self.assertEqual(self.cluster.job(job)["Restarts"], str(PAUSES))
        self.assertEqual(sorted(path.name for path in paused.glob("attempt-*")),
                         [f"attempt-{number}" for number in range(1, PAUSES + 2)])
        last = json.loads((paused / f"attempt-{PAUSES + 1}/n1/train_result.json").read_text())
        whole = json.loads((straight / "attempt-1/n1/train_result.json").read_text())
        self.assertEqual(last["parameters_sha256"], whole["parameters_sha256"])

    def test_a_program_keeps_its_exit_code_also_when_it_was_asked_to_pause(self):
        folder = self.cluster.directory / "deaf"
        job = self.cluster.submit("--requeue", self.script("deaf.sh", "exec " + self.command(
            folder, ["bash", "-c", f"trap \"exit 7\" TERM; touch {folder}.started; while :; do sleep 0.05; done"])))
        self.cluster.wait((self.cluster.directory / "deaf.started").exists, "the program")
        self.cluster.run("scancel", "--full", "--signal=USR1", job)
        self.assertEqual(self.cluster.wait_for_state(job, "FAILED")["ExitCode"], "7:0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
