"""Every Python example of the documents runs as it stands, in a program of its own. CTest sets EBB_PROGRAM, EBB_LIBRARY
and PYTHONPATH. The examples of docs/integrations.md need the tools of others and are run by tests/peers and
library_ci_test.py; here is only looked that none of them is forgotten."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from python_scratch import InScratch

TREE = Path(__file__).resolve().parent.parent
#: Documents with Python that runs by itself.
DOCUMENTS = ("python", "libebb", "quickstart")
#: Examples without a word of their own: library_ci_test.py has them.
OF_CI = 2
#: Something to train, which the examples take for granted.
GIVEN = "def train(*arguments): return arguments\ndef evaluate(): pass\n"
#: No network. Where an example waits, nothing is known of the hours, so no wait is long.
SETTINGS = "zone: DE\nsignal: {}\n"


def examples(document, language):
    found = re.findall(rf"^```{language}\n(.*?)^```$", (TREE / f"docs/{document}.md").read_text(), re.M | re.S)
    assert found, f"docs/{document}.md has no example of {language}"
    return found


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
        found = [text for document in DOCUMENTS for text in examples(document, "python")]
        self.assertGreater(len(found), 9)
        for number, text in enumerate(found):
            with self.subTest(text):
                Path(f"example{number}.py").write_text(GIVEN + text)
                self.run_example([sys.executable, f"example{number}.py"], text)

    def test_each_shell_example_runs(self):
        for text in examples("python", "sh"):
            line = text.replace("make train", "echo trained")  # make itself is not needed
            self.assertEqual(self.run_example(["sh", "-ec", line], text), "trained\n")

    def reported(self):
        lines = Path("run/progress.jsonl").read_text().splitlines()
        return [(line["event"], line["step"]) for line in map(json.loads, lines)]

    def test_the_training_program_pauses_and_goes_on(self):
        (text,) = examples("training-program", "python")
        Path("train.py").write_text(text.replace("sleep(0.01)", "sleep(0.004)"))
        words = ["--constant", "200", "--rapl", "none", "--quiet", "--run-dir", "run", "--", sys.executable, "train.py"]
        silent = {"env": {**self.environment, "EBB_CONFIG": "none"}, "stdout": subprocess.DEVNULL}
        run = subprocess.Popen([os.environ["EBB_PROGRAM"], "run", *words], stderr=subprocess.PIPE, **silent)
        while run.poll() is None and not (Path("run/progress.jsonl").exists() and len(self.reported()) > 2):
            time.sleep(0.02)
        run.send_signal(signal.SIGTERM)
        said = run.communicate()[1].decode()
        self.assertEqual(run.returncode, 75, said)
        paused_at = self.reported()[-1][1]
        self.assertLess(paused_at, 1000)
        subprocess.run([os.environ["EBB_PROGRAM"], "resume", "run"], stderr=subprocess.DEVNULL, check=True, **silent)
        self.assertIn(("resume", paused_at), self.reported())
        self.assertEqual(self.reported()[-1], ("step", 1000))


class IntegrationsTest(unittest.TestCase):
    def test_each_example_is_run_by_a_test_of_its_tool(self):
        text = (TREE / "docs/integrations.md").read_text()
        tests = "".join(file.read_text() for file in (TREE / "tests/peers").glob("*.py"))
        begins = re.findall(r"^```(\w+) ?(.*)\n(?:.*\n)*?```$", text, re.M)
        self.assertGreater(len(begins), 20)
        for language, word in begins:
            if word:
                call = re.escape(f'example("{word}")') + "|" + re.escape(f'examples("{language}", "{word}")')
                self.assertRegex(tests, call)
        self.assertEqual([language for language, word in begins if not word], ["yaml"] * OF_CI)


if __name__ == "__main__":
    unittest.main()
