"""Runs that `ebb track --mlflow` writes, read by MLflow's own client: from its server, and from files.

Run by ./dev peers mlflow, which makes the environment (mlflow.txt) and sets EBB_BUILD.
"""

import os
import socket
import subprocess
import sys
import time
import unittest
import urllib.request
from pathlib import Path

from tracked_run import STEPS, TrackedRun


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class MlflowTest(TrackedRun):
    def serve(self):
        port = free_port()
        words = ["server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
        words += ["--backend-store-uri", f"sqlite:///{self.directory}/mlflow.db"]
        words += ["--default-artifact-root", str(self.directory / "artifacts")]
        log = open(self.directory / "server.log", "w")
        self.addCleanup(log.close)
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
        server = subprocess.Popen(
            [sys.executable, "-m", "mlflow", *words], stdout=log, stderr=log, start_new_session=True,
            env={**os.environ, "PATH": path},
        )  # fmt: skip
        self.addCleanup(server.wait)
        self.addCleanup(lambda: os.killpg(server.pid, 15))
        url = f"http://127.0.0.1:{port}"
        for _ in range(1200):
            try:
                urllib.request.urlopen(url + "/health").close()
                return url
            except OSError:
                self.assertIsNone(server.poll(), (self.directory / "server.log").read_text())
                time.sleep(0.1)
        self.fail("the server of MLflow does not answer")

    def assert_read(self, uri, summary):
        from mlflow import MlflowClient

        client = MlflowClient(tracking_uri=uri)
        experiment = next(each for each in client.search_experiments() if each.name == "shared")
        (run,) = client.search_runs([experiment.experiment_id])
        self.assertEqual((run.info.status, run.info.run_name), ("FINISHED", "tracked"))
        self.assertGreaterEqual(run.info.end_time, run.info.start_time)
        self.assertAlmostEqual(run.data.metrics["summary/energy_kwh"], self.facility_kwh(summary), places=12)
        self.assertAlmostEqual(run.data.metrics["summary/emissions_g"], summary["emissions_g"], places=9)
        history = client.get_metric_history(run.info.run_id, "train/loss")
        self.assertEqual([(each.step, each.value) for each in history], [(n, 1 / n) for n in range(1, STEPS + 1)])
        self.assertEqual(run.data.params["pue"], "1.5")

    def test_the_server_and_its_client(self):
        url = self.serve()
        summary = self.track("--mlflow", url, "--mlflow-experiment", "shared")
        self.assert_read(url, summary)

    def test_files(self):
        os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # MLflow 3 still reads them if it is told so
        summary = self.track("--mlflow", "mlruns", "--mlflow-experiment", "shared")
        self.assertTrue(Path("mlruns").is_dir())
        self.assert_read(f"file://{self.directory}/mlruns", summary)


if __name__ == "__main__":
    unittest.main()
