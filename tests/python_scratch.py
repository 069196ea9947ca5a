"""What the tests of the Python module have in common: a scratch directory, and something to measure."""

import json
import os
import tempfile
import time
import unittest
from pathlib import Path

FLAGS = {"constant": 360, "rapl": "none", "interval": "20ms", "read_codecarbon_settings": False}


def work(seconds=0.08):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


class InScratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.directory)
        ranks = ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK")
        for name in [n for n in os.environ if n.upper().startswith("CODECARBON_") or n in ranks]:
            del os.environ[name]

    def attempts(self, directory):
        lines = (Path(directory) / "attempts.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def only_run(self):
        runs = list(Path("runs").iterdir())
        self.assertEqual(len(runs), 1)
        return runs[0]
