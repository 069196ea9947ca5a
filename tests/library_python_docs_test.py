"""Every example of docs/python.md runs as it stands, in a program of its own. CTest sets EBB_PROGRAM, EBB_LIBRARY and
PYTHONPATH."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from python_scratch import InScratch

TEXT = (Path(__file__).resolve().parent.parent / "docs/python.md").read_text()
#: Something to train, which the examples take for granted.
GIVEN = "def train(*arguments): return arguments\ndef evaluate(): pass\n"
#: No network. Where an example waits, nothing is known of the hours, so no wait is long.
SETTINGS = "zone: DE\nsignal: {}\n"


def examples(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.M | re.S)


class DocumentTest(InScratch):
    def setUp(self):
        super().setUp()
        store = str(self.directory / "ebb.db")
        self.environment = {
            **os.environ,
            "EBB_STORE": store,
            "EBB_CONFIG": str(self.directory / "config.yaml"),
            "XDG_STATE_HOME": str(self.directory / "state"),
            "PATH": f"{self.directory}:{os.environ['PATH']}",
        }
        for name in ("EBB_SERVER", "EBB_TOKEN_FILE", "EBB_ZONE", "EBB_RUN_DIR"):
            self.environment.pop(name, None)
        os.symlink(os.environ["EBB_PROGRAM"], "ebb")

    def serve(self):
        words = ["serve", "--constant", "200", "--slots", "2", "--port", "0"]
        service = subprocess.Popen(
            [os.environ["EBB_PROGRAM"], *words], stderr=subprocess.PIPE, env={**self.environment, "EBB_CONFIG": "none"}
        )
        self.addCleanup(service.stderr.close)
        self.addCleanup(service.wait)
        self.addCleanup(service.terminate)
        self.assertIn(b"http://", service.stderr.readline())

    def run_example(self, words, text):
        waits = re.search(r"clean_power|when_clean|ebb until", text)
        Path("config.yaml").write_text(SETTINGS.format("yearly-average" if waits else "profile"))
        os.chmod("config.yaml", 0o600)
        ran = subprocess.run(
            words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.assertEqual(ran.returncode, 0, text + ran.stderr.decode())
        return ran.stdout.decode()

    def test_each_python_example_runs(self):
        self.serve()
        found = examples("python")
        self.assertGreater(len(found), 7)
        for number, text in enumerate(found):
            with self.subTest(text):
                Path(f"example{number}.py").write_text(GIVEN + text)
                self.run_example([sys.executable, f"example{number}.py"], text)

    def test_each_shell_example_runs(self):
        for text in examples("sh"):
            line = text.replace("make train", "echo trained")  # make itself is not needed
            self.assertEqual(self.run_example(["sh", "-ec", line], text), "trained\n")


if __name__ == "__main__":
    unittest.main()
