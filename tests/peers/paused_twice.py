"""Trainings that the real `ebb run` pauses twice, against the same training that nothing interrupts.

A program of a trainer calls ``told(step, loss)`` after each step. Under Ebb it asks Ebb for a pause at two steps, as a
user's Ctrl-C does, and waits until Ebb has passed that on, so that no test depends on how fast the machine is.
"""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from ebb import _pausing
from ran import InScratch

EBB = os.path.join(os.environ.get("EBB_BUILD", ""), "bin", "ebb")
HERE = os.path.dirname(os.path.abspath(__file__))
#: Steps of 12 in an epoch: in the middle of one, and the last but one of another.
PAUSES = (5, 23)
STEPS = 48


#: Seconds without another step after which a training counts as stuck. Loading a trainer takes minutes on a busy machine.
STUCK_S = 600


def _ebb():
    """The program that started this one, perhaps through a launcher."""
    process = os.getppid()
    while process > 1:
        name, parent = re.match(r"\d+ \((.*)\) \S (\d+)", Path(f"/proc/{process}/stat").read_text(), re.S).groups()
        if name == "ebb":
            return process
        process = int(parent)
    raise RuntimeError("this program was not started by ebb")


def told(step, loss, file="losses.jsonl"):
    """Called in the program. The first rank tells the loss, and the last one asks for the pause."""
    rank, ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    if rank == 0:
        with open(file, "a", encoding="utf-8") as losses:
            losses.write(json.dumps([step, loss]) + "\n")
    if rank != ranks - 1 or not os.environ.get("EBB_RUN_DIR"):
        return
    mark = Path(f"asked-{step}")
    if step in PAUSES and not mark.exists():
        mark.touch()
        os.kill(_ebb(), signal.SIGTERM)
        while not _pausing._asked:  # until Ebb has handed it on
            time.sleep(0.01)


class PausedTwice(InScratch):
    #: Before the program, such as those of torchrun.
    LAUNCHER = ()

    def start(self, program, *before):
        path = os.pathsep.join([HERE, os.environ["PYTHONPATH"]])
        environment = {**os.environ, "PYTHONPATH": path, "EBB_CONFIG": "none", "PYTHONHASHSEED": "0"}
        for name in ("EBB_RUN_DIR", "EBB_CHECKPOINT_DIR", "EBB_RESUME"):
            environment.pop(name, None)
        words = [*before, *([sys.executable, "-W", "ignore", *self.LAUNCHER, program] if program else [])]
        with open("stdout", "w+", encoding="utf-8") as out, open("stderr", "w+", encoding="utf-8") as err:
            process = subprocess.Popen(words, env=environment, stdout=out, stderr=err)
            self.wait_while_it_trains(process)
            out.seek(0), err.seek(0)
            return subprocess.CompletedProcess(words, process.returncode, out.read(), err.read())

    def wait_while_it_trains(self, process):
        steps, since = -1, time.monotonic()
        while process.poll() is None:
            done = os.path.getsize("losses.jsonl") if os.path.exists("losses.jsonl") else 0
            if done != steps:
                steps, since = done, time.monotonic()
            if time.monotonic() - since > STUCK_S:
                process.kill()
                process.wait()
                self.fail(f"no step for {STUCK_S} s: " + Path("stderr").read_text())
            time.sleep(0.1)

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
