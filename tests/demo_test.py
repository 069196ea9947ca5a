"""What ./dev demo shows: bench/demo-no-training with the real ebb, bench/demo with stand-ins for a training.

Usage: demo_test.py FOLDER (of the program ebb)
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
PROGRAMS = sys.argv.pop(1) if len(sys.argv) > 1 else str(TREE / "build/release/bin")


class Demo(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_demo(self, name, *arguments, programs=PROGRAMS):
        environment = {**os.environ, "EBB_CONFIG": "none", "EBB_DEMO_PROGRAMS": str(programs),
                       "EBB_DEMO_DIR": str(self.folder / "demo")}
        done = subprocess.run([TREE / "bench" / name, *arguments], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def test_without_training_five_lines_tell_what_came_of_real_hours(self):
        said = self.run_demo("demo-no-training")
        lines = dict(line.split(maxsplit=1) for line in said.splitlines() if line.startswith("  "))
        self.assertEqual(list(lines), ["measured", "planned", "ran", "cost", "pages"], said)
        self.assertRegex(lines["measured"], r"used [0-9.]+ m?J, at [0-9]+ g of CO2 per kWh$")
        self.assertRegex(lines["planned"], r"^21 training jobs: [0-9.]+ kg, [0-9.]+ % less than ")
        self.assertRegex(lines["ran"], r"three wait: [0-9]+ g/kWh now, [0-9]+ g/kWh expected Tue ")
        self.assertNotIn("modelled", said)
        readme = (TREE / "README.md").read_text(encoding="utf-8")
        for label in ("planned", "ran", "cost"):
            self.assertIn(f"  {label:8}  {lines[label]}\n", readme)
        for page in re.findall(r"/\S+\.html", lines["pages"]):
            self.assertIn("<html", Path(page).read_text(encoding="utf-8").lower(), page)

    def test_details_are_the_tables(self):
        said = self.run_demo("demo-no-training", "--details")
        self.assertIn("against now   why", said)
        self.assertIn("uncertainty", said)

    def stand_ins(self):
        """ebb tells how it is called; ebb-train is as fast as on a processor with bf16."""
        for name, body in (("ebb", 'printf "%s\\n" "$@"'), ("ebb-train", 'printf "fp32 4000\\nbf16 9000\\n"')):
            program = self.folder / name
            program.write_text(f"#!/bin/bash\n{body}\n", encoding="utf-8")
            program.chmod(0o755)
        return self.folder

    def test_a_training_is_told_in_brief_unless_details_are_asked_for(self):
        words = self.run_demo("demo", programs=self.stand_ins()).splitlines()
        self.assertIn("--brief", words)
        self.assertIn("--compare", words)
        words = self.run_demo("demo", "--details", programs=self.stand_ins()).splitlines()
        self.assertNotIn("--brief", words)
        self.assertNotIn("--details", words, "it is no flag of ebb train")


if __name__ == "__main__":
    unittest.main()
