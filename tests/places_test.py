#!/usr/bin/env python3
"""What a stranger without any key gets who names a place of the world: the program as it ships, with its own addresses
and https, behind a proxy that answers as the services there do (answering_grids.py).

    places_test.py EBB
"""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from answering_proxy import AnsweringProxy
from live_sources import EBB, has_library

# The source that `ebb grid` names for a zone.
PLACES = {
    "NL": "Energy-Charts", "CH": "Energy-Charts", "GB": "UK Carbon Intensity", "US-NY-NYIS": "New York ISO",
    "US-CAL-CISO": "California ISO", "CA-ON": "IESO" if has_library("libexpat.so.1") else "typical",
    "AU-NSW": "OpenElectricity", "KR": "typical", "ZA": "typical", "JP-TK": "typical", "BR-CS": "typical",
    "IN-WE": "typical",
}
MORE_OPERATORS = {"US-MIDW-MISO": "MISO", "US-CENT-SWPP": "Southwest Power Pool", "US-TEX-ERCO": "ERCOT"}


@unittest.skipUnless(shutil.which("openssl"), "there is no openssl to make a certificate with")
class Places(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.network = AnsweringProxy()
        cls.addClassCleanup(cls.network.close)
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)

    def first_decision(self, zone):
        """Of a run that may wait for a day; it is not let go on."""
        run = self.folder / zone
        process = subprocess.Popen(
            [EBB, "run", "--policy", "lowest-window", "--zone", zone, "--start-by", "20h", "--duration", "1h", "--run-dir",
             str(run), "sleep", "600"], env=self.network.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        decisions = run / "decisions.jsonl"
        for _ in range(600):
            if decisions.exists() and decisions.read_text().endswith("\n") or process.poll() is not None:
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[0]
        self.assertTrue(decisions.exists(), f"{zone}: {said}")
        return json.loads(decisions.read_text().splitlines()[0]), said

    def grid(self, zone):
        shown = subprocess.run([EBB, "grid", "--zone", zone, "--format", "json"], env=self.network.environment, capture_output=True,
                               text=True, check=False)
        self.assertEqual(shown.returncode, 0, shown.stdout + shown.stderr)
        return json.loads(shown.stdout)

    def test_a_run_knows_hours_in_eleven_of_twelve_places(self):
        without = []
        for zone, source in PLACES.items():
            decision, said = self.first_decision(zone)
            self.assertIsNotNone(decision["current_g_per_kwh"], f"{zone}: {said}")
            grid = self.grid(zone)
            self.assertIn(source, json.dumps(grid), zone)
            print(f"{zone:12} {decision['action']:6} {decision['rule']:20} {decision['current_g_per_kwh']:5.0f} g/kWh  {source}")
            if decision["rule"] == "hours_unknown" or not grid["hours_known"]:
                without.append(zone)
        self.assertLessEqual(len(without), 1, without)

    def test_other_operators_are_live_without_a_key(self):
        for zone, source in MORE_OPERATORS.items():
            self.assertIn(source, json.dumps(self.grid(zone)), zone)

    def test_of_a_place_with_a_yearly_mean_alone_no_hours_are_known(self):
        self.assertEqual(self.first_decision("KE")[0]["rule"], "hours_unknown")
        self.assertFalse(self.grid("KE")["hours_known"])

    def test_a_live_zone_is_asked_where_it_is_said_to_be(self):
        self.network.asked.clear()
        self.grid("BE")
        self.assertEqual(set(self.network.asked), {"api.energy-charts.info"})
        self.network.asked.clear()
        self.grid("JP-KY")
        self.assertEqual(self.network.asked, [], "typical days need no network")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
