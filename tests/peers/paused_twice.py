"""Trainings that the real `ebb run` pauses twice, against the same training that nothing interrupts.

A program of a trainer calls ``told(step, loss)`` after each step. Under Ebb it asks Ebb for a pause at two steps, as a
user's Ctrl-C does, so that no test depends on how fast the machine is.
"""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from ran import InScratch

EBB = os.path.join(os.environ.get("EBB_BUILD", ""), "bin", "ebb")
HERE = os.path.dirname(os.path.abspath(__file__))
#: Steps of 12 in an epoch: in the middle of one, and the last but one of another.
PAUSES = (5, 23)
STEPS = 48


def told(step, loss, file="losses.jsonl"):
    """Called in the program."""
    with open(file, "a", encoding="utf-8") as losses:
        losses.write(json.dumps([step, loss]) + "\n")
    if not os.environ.get("EBB_RUN_DIR"):
        return
    mark = Path(f"asked-{step}")
    if step in PAUSES and not mark.exists():
        mark.touch()
        os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(0.05)  # Ebb hands the signal on within the next step or a few


class PausedTwice(InScratch):
    def start(self, program, *before):
        path = os.pathsep.join([HERE, os.environ["PYTHONPATH"]])
        environment = {**os.environ, "PYTHONPATH": path, "EBB_CONFIG": "none", "PYTHONHASHSEED": "0"}
        for name in ("EBB_RUN_DIR", "EBB_CHECKPOINT_DIR", "EBB_RESUME"):
            environment.pop(name, None)
        words = [*before, *([sys.executable, "-W", "ignore", program] if program else [])]
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)

    def curve(self, folder):
        return [tuple(json.loads(line)) for line in Path(folder, "losses.jsonl").read_text().splitlines()]

    def assert_paused_twice_is_the_same(self, text, steps=STEPS):
        for folder in ("whole", "paused"):
            Path(folder).mkdir()
            Path(folder, "program.py").write_text(textwrap.dedent(text))
        os.chdir("whole")
        done = self.start("program.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        os.chdir("../paused")
        codes = []
        done = self.start("program.py", EBB, "run", "--constant", "100", "--")
        codes.append(done.returncode)
        (run,) = Path("runs").iterdir()
        while codes[-1] == 75 and len(codes) < 5:
            self.assertTrue(os.listdir(run / "checkpoints"), done.stderr)
            done = self.start("", EBB, "resume", str(run))
            codes.append(done.returncode)
        self.assertEqual(codes, [75, 75, 0], done.stderr)
        os.chdir("..")
        whole, paused = self.curve("whole"), self.curve("paused")
        self.assertEqual([step for step, _ in whole], list(range(1, steps + 1)))
        self.assertEqual(paused, whole, "each step once, with the same loss")
        self.assertEqual(Path("paused/result").read_bytes(), Path("whole/result").read_bytes(), "the same weights")
        audited = self.start("", EBB, "audit", str(Path("paused") / run))
        self.assertEqual(audited.returncode, 0, audited.stdout + audited.stderr)
        return Path("paused") / run
