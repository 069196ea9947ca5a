"""The plugin in the real pytest, found by its entry point as in the wheel, also with the workers of pytest-xdist.

Run by ./dev peers pytest, which makes the environment (pytest.txt) and sets EBB_LIBRARY and PYTHONPATH.
"""

import json
import os
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree
from pathlib import Path

from document import examples, offline
from ran import InScratch

TESTS = """
import time, pytest

def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def test_long():
    work(0.3)

def test_short():
    pass

@pytest.mark.ebb(joules=0.001)
def test_marked():
    work(0.2)

def test_that_fails():
    assert False
"""
#: A processor of a known power, so that a test's energy is its time.
FLAGS = "--ebb=--constant 360 --rapl none --cpu-tdp 100 --interval 20ms"


class PytestTest(InScratch):
    def setUp(self):
        super().setUp()
        Path("test_it.py").write_text(TESTS)
        packer = Path(__file__).resolve().parent.parent.parent / "deploy/make_wheel.py"
        entry_points = re.search(r'"(\[console_scripts\].*)"', packer.read_text())[1].replace(r"\n", "\n")
        facts = Path("found/ebb-0.dist-info")
        facts.mkdir(parents=True)
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: ebb\nVersion: 0\n")
        (facts / "entry_points.txt").write_text(entry_points)

    def pytest(self, *words):
        path = os.pathsep.join([str(self.directory / "found"), os.environ["PYTHONPATH"]])
        environment = {**os.environ, "PYTHONPATH": path, "EBB_CONFIG": "none"}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--junitxml", "report.xml", *words]
        return subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=300
        )

    def joules(self):
        found = {}
        for case in xml.etree.ElementTree.parse("report.xml").iter("testcase"):
            kept = {each.get("name"): each.get("value") for each in case.iter("property")}
            if "ebb_joules" in kept:
                found[case.get("name")] = (float(kept["ebb_joules"]), float(kept["ebb_emissions_g"]))
        return found

    def test_without_the_flag_nothing_is_measured(self):
        done = self.pytest("-k", "short or marked")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.joules(), {})
        self.assertNotIn("energy", done.stdout)

    def test_each_test_has_its_joules_and_grams_and_a_limit_fails_the_one_that_is_marked(self):
        done = self.pytest(FLAGS)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("2 failed, 2 passed", done.stdout)
        self.assertRegex(done.stdout, r"used [\d.]+ J; its limit is 0.001 J")
        self.assertIn("energy of tests that passed", done.stdout)
        found = self.joules()
        self.assertEqual(set(found), {"test_long", "test_short", "test_marked", "test_that_fails"})
        self.assertGreater(found["test_long"][0], 10 * found["test_short"][0])
        for joules, grams in found.values():
            self.assertAlmostEqual(grams, joules / 3.6e6 * 360, places=9)
        self.assertFalse(Path("runs").exists(), "no run directory that nobody asked for")

    def test_mistakes_are_told_before_a_test_runs(self):
        Path("broken.json").write_text("[1]")
        for flags, words in (
            (["--ebb=--zome FR"], '"zome" is not a flag of a tracker (did you mean "zone"?)'),
            (["--ebb=nonsense"], 'not "nonsense"'),
            ([FLAGS, "--ebb-baseline", "none.json"], "none.json: No such file or directory; --ebb-write-baseline writes one"),
            ([FLAGS, "--ebb-baseline", "broken.json"], "broken.json: is not a file of --ebb-write-baseline"),
        ):
            with self.subTest(words):
                done = self.pytest(*flags)
                self.assertEqual(done.returncode, 4, done.stdout)
                self.assertNotIn("INTERNALERROR", done.stdout)
                self.assertIn(words, done.stdout)
        Path("test_it.py").write_text(TESTS.replace("ebb(joules=0.001)", "ebb(jouls=0.001)"))
        done = self.pytest(FLAGS)
        self.assertIn("test_it.py::test_marked: write @pytest.mark.ebb(joules=5), not ebb(jouls=0.001)", done.stdout)
        done = self.pytest("--ebb-limit", "3", "-k", "short")
        self.assertIn("--ebb-limit has no effect without --ebb", done.stdout)
        self.assertEqual(done.returncode, 0)

    def test_a_limit_for_all_tests(self):
        done = self.pytest(FLAGS, "--ebb-limit", "0.5", "-k", "long or short")
        self.assertIn("1 failed, 1 passed", done.stdout)

    def test_a_test_that_uses_much_more_than_before_fails(self):
        self.assertEqual(self.pytest(FLAGS, "-k", "long or short", "--ebb-write-baseline", "joules.json").returncode, 0)
        baseline = json.loads(Path("joules.json").read_text())
        self.assertEqual(set(baseline), {"test_it.py::test_long", "test_it.py::test_short"})
        again = (FLAGS, "-k", "long or short", "--ebb-baseline", "joules.json", "--ebb-factor", "4")
        self.assertEqual(self.pytest(*again).returncode, 0)
        Path("test_it.py").write_text(TESTS.replace("work(0.3)", "work(3)"))
        done = self.pytest(*again)
        self.assertIn("1 failed, 1 passed", done.stdout)

    def test_workers_measure_their_own_tests(self):
        done = self.pytest(FLAGS, "-n", "2", "-k", "long or short", "--ebb-write-baseline", "joules.json")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(set(self.joules()), {"test_long", "test_short"})
        self.assertEqual(len(json.loads(Path("joules.json").read_text())), 2)

    def test_the_examples_of_the_document(self):
        Path("test_it.py").write_text(TESTS.partition("@pytest.mark")[0])
        offline(self)
        (lines,) = examples("sh", "pytest")
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
        modules = os.pathsep.join([str(self.directory / "found"), os.environ["PYTHONPATH"]])
        environment = {**os.environ, "PATH": path, "PYTHONPATH": modules, "EBB_ZONE": "FR"}
        shim = self.directory / "bin"
        shim.mkdir()
        (shim / "pytest").write_text(f'#!/bin/sh\nexec {sys.executable} -m pytest -p no:cacheprovider "$@"\n')
        (shim / "pytest").chmod(0o755)
        environment["PATH"] = f"{shim}:{path}"
        done = subprocess.run(["sh", "-e", "-c", lines], env=environment, stdout=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout.count("2 passed"), 4)


if __name__ == "__main__":
    unittest.main()
