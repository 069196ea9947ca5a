"""A stage of the real DVC that waits for clean power and has its energy and grams as metrics.

Run by ./dev peers dvc, which makes the environment (dvc.txt) and sets EBB_BUILD.
"""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from document import examples, offline
from ran import InScratch

EBB = os.path.join(os.environ["EBB_BUILD"], "bin", "ebb")


class DvcTest(InScratch):
    def setUp(self):
        super().setUp()
        offline(self)
        home = self.directory / "home"
        home.mkdir()
        path = os.pathsep.join([os.path.dirname(sys.executable), os.path.dirname(EBB), os.environ["PATH"]])
        self.environment = {**os.environ, "PATH": path, "HOME": str(home), "DVC_NO_ANALYTICS": "1"}
        for word in ("AUTHOR", "COMMITTER"):
            self.environment.update({f"GIT_{word}_NAME": "a", f"GIT_{word}_EMAIL": "a@b.c"})
        Path("project").mkdir()
        os.chdir("project")
        (stages,) = examples("yaml", "dvc")
        #: The test does not wait for hours.
        Path("dvc.yaml").write_text(stages.replace("--start-by 12h", "--start-by 1s"))
        Path("train.py").write_text("open('model.txt', 'w').write(str(sum(range(3_000_000))))\n")
        self.run_words("git", "init", "--quiet")
        self.run_words("dvc", "init", "--quiet")

    def run_words(self, *words):
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def metrics(self):
        return json.loads(self.run_words("dvc", "metrics", "show", "--json").stdout)

    def test_the_example_of_the_document(self):
        (commands,) = examples("sh", "dvc")
        for line in commands.splitlines():
            told = self.run_words(*line.split()).stdout
        self.assertIn("energy/summary.json", told)
        ((_, found),) = self.metrics().items()
        figures = found["data"]["energy/summary.json"]["data"]
        self.assertGreater(figures["energy"]["facility_j"], 0)
        self.assertGreater(figures["emissions_g"], 0)
        self.assertTrue(Path("model.txt").exists())
        self.assertIn("energy.facility_j", told)

    def test_a_stage_that_has_not_changed_neither_waits_nor_runs(self):
        self.run_words("dvc", "repro")
        before = Path("energy/summary.json").read_bytes()
        self.assertIn("didn't change", self.run_words("dvc", "repro").stdout)
        self.assertEqual(Path("energy/summary.json").read_bytes(), before)

    def test_grams_are_compared_with_those_of_the_last_commit(self):
        self.run_words("dvc", "repro")
        self.run_words("git", "add", "--all")
        self.run_words("git", "commit", "--quiet", "--message", "first")
        Path("train.py").write_text("open('model.txt', 'w').write(str(sum(range(60_000_000))))\n")
        self.run_words("dvc", "repro")
        change = json.loads(self.run_words("dvc", "metrics", "diff", "--json").stdout)["energy/summary.json"]
        self.assertGreater(change["energy.facility_j"]["diff"], 0)

    def test_a_stage_that_only_waits(self):
        (stages,) = examples("yaml", "dvc-until")
        Path("dvc.yaml").write_text(stages.replace("--start-by 12h", "--start-by 1s"))
        self.run_words("dvc", "repro")
        self.assertTrue(Path("model.txt").exists())

    def test_a_stage_that_fails_has_failed(self):
        Path("train.py").write_text("raise SystemExit(3)\n")
        done = subprocess.run(["dvc", "repro"], env=self.environment, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
