"""The HTTP API against its own description, by the real schemathesis: thousands of requests, valid and not.

Run by ./dev peers schemathesis, which makes the environment (schemathesis.txt) and sets EBB_BUILD. EBB_CASES is the
least number of cases: 1,000 among all peers, 10,000 if this one is run by its name (some minutes).

The service drains, so no job that a request submits is started. The check positive_data_acceptance (what fits the schema
is accepted, or is about something that is not there) is left out where a schema cannot say what is accepted: options of
jobs that contradict each other, and intervals that end before they begin.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

EBB = os.path.join(os.environ["EBB_BUILD"], "bin", "ebb")
CASES = int(os.environ.get("EBB_CASES", 1000))
#: Where a schema cannot say what is accepted; and that a body that is too long is refused with 413.
SETTINGS = r"""
[checks]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"]

[[operations]]
include-method = "POST"
include-path-regex = '^/api/v1/(jobs|sweeps)(/\{id\}/(budget|edit|restart))?$'
checks.positive_data_acceptance.enabled = false

[[operations]]
include-path = "/emissions/forecasts/current"
checks.positive_data_acceptance.enabled = false
"""
#: The first never ends; the others would let jobs start.
NOT_CALLED = "^/api/v1/(events|drain.*)$"


class ApiTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)
        environment = {**os.environ, "EBB_CONFIG": "none", "HOME": scratch.name, "PATH": str(self.directory / "none")}
        words = ["serve", "--store", "ebb.db", "--zone", "DE", "--signal", "profile", "--slots", "1", "--port", "0"]
        log = open(self.directory / "log", "w")
        self.addCleanup(log.close)
        self.service = subprocess.Popen(
            [EBB, *words], cwd=scratch.name, env=environment, stdout=log, stderr=subprocess.PIPE, universal_newlines=True
        )
        self.addCleanup(self.service.stderr.close)
        self.addCleanup(self.service.wait)
        self.addCleanup(self.service.terminate)
        self.url = re.search(r"http://[\d.:]+", self.service.stderr.readline())[0]
        self.token = (self.directory / "ebb.db.token").read_text().strip()
        self.environment = environment

    def ask(self, path, method="GET"):
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", f"Bearer {self.token}")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def test_no_request_breaks_the_service_or_the_contract(self):
        self.assertTrue(self.ask("/api/v1/drain", "POST")["draining"])
        operations = sum(len(methods) for methods in self.ask("/api/v1/openapi.json")["paths"].values())
        settings = self.directory / "schemathesis.toml"
        settings.write_text(SETTINGS)
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings), "run", f"{self.url}/api/v1/openapi.json",
             "-H", f"Authorization: Bearer {self.token}", "--exclude-path-regex", NOT_CALLED,
             "--continue-on-failure", "--seed", os.environ.get("EBB_SEED", "1"), "--no-color",
             "-n", str(max(5, CASES // operations))],
            cwd=self.directory, env={**self.environment, "PATH": os.environ["PATH"]}, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, universal_newlines=True,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout)
        cases = int(re.search(r"([\d,]+) generated", done.stdout)[1].replace(",", ""))
        print(f"\n{cases} cases, none failed")
        self.assertGreaterEqual(cases, CASES)
        self.assertIsNone(self.service.poll(), "the service still runs")
        self.assertEqual(self.ask("/api/v1/drain")["running"], 0, "no command of a request ran")


if __name__ == "__main__":
    unittest.main()
