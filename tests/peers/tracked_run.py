"""A short training under `ebb track`, for tests of what trackers of others make of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from ran import InScratch

EBB = os.path.join(os.environ["EBB_BUILD"], "bin", "ebb")
STEPS = 5
TRAINING = f"""
import json, os, time
file = open(os.environ["EBB_RUN_DIR"] + "/progress.jsonl", "a")
def say(**event):
    event["time_ms"] = int(time.time() * 1000)
    print(json.dumps(event), file=file, flush=True)
for step in range(1, {STEPS} + 1):
    say(event="step", epoch=1, step=step, total_steps={STEPS}, loss=1 / step, samples_per_second=100)
    time.sleep(0.06)
say(event="epoch_end", epoch=1, train_loss=0.2, test_loss=0.3, test_accuracy_percent=90)
time.sleep(0.3)
"""


class TrackedRun(InScratch):
    def track(self, *flags):
        """The summary of the run."""
        Path("train.py").write_text(TRAINING)
        words = ["track", "--constant", "200", "--interval", "50ms", "--pue", "1.5", "--name", "tracked", *flags]
        done = subprocess.run(
            [EBB, *words, "--", sys.executable, "train.py"], env={**os.environ, "EBB_CONFIG": "none"}, timeout=120,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout)
        (run,) = Path("runs").iterdir()
        return json.loads((run / "summary.json").read_text())

    @staticmethod
    def facility_kwh(summary):
        return summary["energy"]["facility_j"] / 3.6e6
