"""The block in the real Prefect: in a flow, and saved and loaded by its server.

Run by ./dev peers prefect, which makes the environment (prefect.txt) and sets EBB_BUILD and PYTHONPATH.
"""

import os
import unittest

os.environ.update(EBB_CONFIG="none", PREFECT_SERVER_ANALYTICS_ENABLED="false", DO_NOT_TRACK="1")
os.environ.setdefault("EBB_PROGRAM", os.path.join(os.environ["EBB_BUILD"], "bin", "ebb"))

from prefect import flow
from prefect.testing.utilities import prefect_test_harness

from document import example
from ebb.prefect import CleanPower


class PrefectTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        harness = prefect_test_harness(server_startup_timeout=300)
        harness.__enter__()
        cls.addClassCleanup(harness.__exit__, None, None, None)

    def test_a_saved_block_waits_in_a_flow(self):
        CleanPower(duration="2h", start_by="6h", flags={"constant": 50, "quiet": True}).save("calm")

        @flow
        def later():
            return CleanPower.load("calm").wait()

        wait = later()
        self.assertTrue(wait)
        self.assertEqual(wait.g_per_kwh, 50)

    def test_the_example_of_the_document(self):
        text = example("prefect").replace('"zone": "DE"', '"constant": 200')
        exec(text, {"__name__": "example"})


if __name__ == "__main__":
    unittest.main()
