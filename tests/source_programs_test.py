#!/usr/bin/env python3
"""configs/signals/electricity_maps_source.py with a parser of this file, which returns what those of Electricity Maps' open
repository return. (gridstatus_source.py: peers/gridstatus_test.py.)

    source_programs_test.py EBB SOURCE_TREE
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EBB, TREE = sys.argv[1:3]
PROGRAM = f"{TREE}/configs/signals/electricity_maps_source.py"

PARSER = '''
from datetime import datetime, timedelta, timezone

def fetch_production(zone_key, session=None, target_datetime=None):
    """Two hours of a zone; how many of the source's values are unknown differs."""
    hour = datetime.now(timezone.utc).replace(minute=0, second=0, microsecond=0)
    return [{"zoneKey": zone_key, "datetime": hour - timedelta(hours=back), "source": "made",
             "production": {"coal": 3000.0, "wind": 1000.0, "nuclear": None if back else 0.0, "unknown": 10.0},
             "storage": {"hydro": -500.0}} for back in (1, 0)]
'''


class ElectricityMapsParsers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        parsers = self.folder / "electricitymap/contrib/parsers"
        parsers.mkdir(parents=True)
        (parsers / "MADE.py").write_text(PARSER)

    def grid(self, command):
        environment = os.environ | {"EBB_CONFIG": "none", "TZ": "UTC", "PYTHONPATH": str(self.folder),
                                    "XDG_CACHE_HOME": str(self.folder / "cache")}
        return subprocess.run([EBB, "grid", "--zone", "ZA", "--format", "json", "--signal-command", command], env=environment,
                              capture_output=True, text=True, timeout=120, check=False)

    def test_events_of_a_parser_are_a_live_source(self):
        shown = self.grid(f"{sys.executable} {PROGRAM} MADE")
        self.assertEqual(shown.returncode, 0, shown.stdout + shown.stderr)
        grid = json.loads(shown.stdout)
        self.assertEqual(grid["boundary"], "lifecycle")
        self.assertAlmostEqual(grid["current"]["carbon_intensity_g_per_kwh"], (3000 * 820 + 1000 * 11) / 4000)

    def test_a_parser_that_is_not_there_is_an_error_that_shows_what_python_said(self):
        shown = self.grid(f"{sys.executable} {PROGRAM} ATLANTIS")
        self.assertNotEqual(shown.returncode, 0)
        self.assertIn("ATLANTIS", shown.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
