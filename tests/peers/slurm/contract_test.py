"""The contract suite of executors (src/testing/executor_contract.h), on a real Slurm."""

import os
import subprocess
import unittest
from pathlib import Path

from cluster import Cluster

BUILD = Path(os.environ.get("EBB_BUILD", Path(__file__).resolve().parents[3] / "build/release"))
SUITE = BUILD / "bin/slurm_executor_test"


class Contract(unittest.TestCase):
    def test_the_executor_keeps_it(self):
        if not SUITE.exists():
            self.skipTest(f"{SUITE} is not built")
        with Cluster(nodes=2, gpus=2, accounting=True) as cluster:
            environment = {**cluster.environment, "EBB_TEST_SLURM_CONF": cluster.conf}
            self.assertEqual(subprocess.run([SUITE], env=environment).returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
