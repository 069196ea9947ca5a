"""The sensor in the real Airflow: a DAG with it, and what a poke answers.

Run by ./dev peers airflow, which makes the environment (airflow.txt) and sets EBB_BUILD and PYTHONPATH.
"""

import datetime
import os
import tempfile
import types
import unittest

home = tempfile.TemporaryDirectory()
os.environ.update(AIRFLOW_HOME=home.name, AIRFLOW__CORE__LOAD_EXAMPLES="false", EBB_CONFIG="none")
os.environ.setdefault("EBB_PROGRAM", os.path.join(os.environ["EBB_BUILD"], "bin", "ebb"))

from document import example
from ebb.airflow import CleanPowerSensor

HOURS = datetime.timedelta(hours=1)


def context(begun=datetime.timedelta(0)):
    run = types.SimpleNamespace(start_date=datetime.datetime.now(datetime.timezone.utc) - begun)
    return {"dag_run": run}


class AirflowTest(unittest.TestCase):
    def sensor(self, **flags):
        return CleanPowerSensor(task_id="clean", start_by=8 * HOURS, flags={"policy": "threshold", "threshold": 100, **flags})

    def test_a_poke_says_whether_power_is_clean(self):
        self.assertTrue(self.sensor(constant=50).poke(context()))
        self.assertFalse(self.sensor(constant=400).poke(context()))

    def test_the_longest_wait_counts_from_the_start_of_the_dag_run(self):
        self.assertFalse(self.sensor(constant=400).poke(context(7 * HOURS)))
        self.assertTrue(self.sensor(constant=400).poke(context(9 * HOURS)))

    def test_between_pokes_it_holds_no_worker(self):
        sensor = self.sensor()
        self.assertEqual((sensor.mode, sensor.poke_interval), ("reschedule", 300))
        self.assertGreater(sensor.timeout, (8 * HOURS).total_seconds())

    def test_the_example_of_the_document_is_a_dag(self):
        names = {}
        exec(example("airflow"), names)
        dag = names["dag"]
        self.assertEqual(set(dag.task_ids), {"clean", "train"})
        self.assertEqual(dag.get_task("train").upstream_task_ids, {"clean"})


if __name__ == "__main__":
    unittest.main()
