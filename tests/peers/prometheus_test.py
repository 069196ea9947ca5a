"""The metrics of the service and the textfile of a run, parsed by prometheus_client.

Run by ./dev peers prometheus, which makes the environment (prometheus.txt) and sets EBB_BUILD.
"""

import os
import re
import subprocess
import unittest
import urllib.request
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tracked_run import EBB, TrackedRun


class PrometheusTest(TrackedRun):
    def families(self, text):
        found = list(text_string_to_metric_families(text))
        names = [family.name for family in found]
        self.assertEqual(len(names), len(set(names)), "each family once")
        for family in found:
            self.assertNotEqual(family.type, "unknown", family.name)
            self.assertTrue(family.documentation, family.name)
            series = [(sample.name, tuple(sorted(sample.labels.items()))) for sample in family.samples]
            self.assertEqual(len(series), len(set(series)), f"each series of {family.name} once")
        return {family.name: family for family in found}

    def test_the_service(self):
        words = ["serve", "--store", "ebb.db", "--constant", "200", "--slots", "2", "--port", "0"]
        service = subprocess.Popen(
            [EBB, *words], env={**os.environ, "EBB_CONFIG": "none"}, stderr=subprocess.PIPE, universal_newlines=True
        )
        self.addCleanup(service.stderr.close)
        self.addCleanup(service.wait)
        self.addCleanup(service.terminate)
        url = re.search(r"http://[\d.:]+", service.stderr.readline())[0]
        for command in (["submit", "--name", 'a "quoted\\ name"', "--", "true"], ["submit", "--", "false"], ["wait", "1"]):
            asked = [EBB, command[0], "--store", "ebb.db", *command[1:]]
            subprocess.run(asked, env={**os.environ, "EBB_CONFIG": "none"}, stdout=subprocess.DEVNULL, check=True)
        for query in ("", "?names=compute-gardener"):
            with urllib.request.urlopen(url + "/metrics" + query) as answer:
                found = self.families(answer.read().decode())
            self.assertGreater(len(found), 5, query)
            if not query:
                self.assertTrue(all(name.startswith("ebb_") for name in found), list(found))

    def test_the_textfile_of_a_run(self):
        summary = self.track("--prometheus-file", "ebb.prom")
        found = self.families(Path("ebb.prom").read_text())
        joules = sum(sample.value for sample in found["ebb_energy_joules"].samples)
        self.assertAlmostEqual(joules, summary["energy"]["facility_j"], delta=1e-3 * joules)


if __name__ == "__main__":
    unittest.main()
