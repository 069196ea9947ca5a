"""configs/signals/gridstatus_source.py with the real gridstatus, beside Ebb's own readers: both ask a network of the test
that answers for the operators (tests/answering_grids.py), so that two readers of one answer must find the same.

Run by ./dev peers gridstatus, which makes the environment (gridstatus.txt) and sets EBB_BUILD. The operators themselves are
not asked.
"""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "tests"))
sys.path.insert(0, str(TREE / "configs/signals"))

import gridstatus_source
import pandas
from answering_proxy import AnsweringProxy

EBB = os.environ["EBB_BUILD"] + "/bin/ebb"
OPERATORS = {"CAISO": "US-CAL-CISO", "Ercot": "US-TEX-ERCO", "IESO": "CA-ON", "MISO": "US-MIDW-MISO", "NYISO": "US-NY-NYIS"}


class GridstatusTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.network = AnsweringProxy()
        cls.addClassCleanup(cls.network.close)

    def grid(self, zone, *more):
        # gridstatus takes its network from the variables that urllib and requests read.
        environment = self.network.environment | {"https_proxy": self.network.environment["HTTPS_PROXY"]}
        shown = subprocess.run([EBB, "grid", "--zone", zone, "--format", "json", *more], env=environment, capture_output=True,
                               text=True, timeout=120, check=False)
        self.assertEqual(shown.returncode, 0, f"{zone}: {shown.stdout}{shown.stderr}")
        return json.loads(shown.stdout)

    def through_gridstatus(self, operator, zone):
        return self.grid(zone, "--signal-command", f"{sys.executable} {TREE}/configs/signals/gridstatus_source.py {operator}")

    def test_it_finds_what_ebbs_own_readers_find(self):
        for operator, zone in OPERATORS.items():
            own, other = self.grid(zone), self.through_gridstatus(operator, zone)
            grams = [grid["current"]["carbon_intensity_g_per_kwh"] for grid in (own, other)]
            print(f"{zone:12} {grams[0]:8.3f} {grams[1]:8.3f} g/kWh")
            self.assertAlmostEqual(*grams, places=6, msg=zone)
            self.assertEqual(own["boundary"], other["boundary"])

    def test_both_authorities_of_spp_count(self):
        grams = self.through_gridstatus("SPP", "US-CENT-SWPP")["current"]["carbon_intensity_g_per_kwh"]
        self.assertAlmostEqual(grams, self.grid("US-CENT-SWPP")["current"]["carbon_intensity_g_per_kwh"], places=6,
                               msg="the test answers the same mix for both")

    def test_a_fuel_of_which_a_part_is_not_known_is_not_known(self):
        mix = pandas.DataFrame({"Time": pandas.to_datetime(["2026-05-06T00:00Z", "2026-05-06T00:05Z"]),
                                "Large Hydro": [2000, 2100], "Small Hydro": [200, None], "Wind": [900, 950],
                                "Flux Capacitor": [1, 1]})
        found = {(time.minute, fuel): megawatts for time, fuel, megawatts in gridstatus_source.rows(mix)}
        self.assertEqual(found, {(0, "hydro"): 2200, (5, "hydro"): None, (0, "wind"): 900, (5, "wind"): 950,
                                 (0, "other"): 1, (5, "other"): 1})


if __name__ == "__main__":
    unittest.main()
