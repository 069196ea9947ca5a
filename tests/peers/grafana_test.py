"""The boards of deploy/grafana, read by Grafana's own types of dashboards, panels and queries.

Run by ./dev peers grafana, which makes the environment (grafana.txt). tests/monitoring_test.cc asks a real Prometheus
every query of every panel. A Grafana server is not part of the tests.
"""

import copy
import json
import unittest
from pathlib import Path

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models import prometheus
from grafana_foundation_sdk.models.dashboard import Dashboard

BOARDS = sorted((Path(__file__).resolve().parent.parent.parent / "deploy/grafana").glob("*.json"))
register_default_plugins()


def read_again(board):
    """As Grafana's types have read and written it."""
    return json.loads(JSONEncoder().encode(Dashboard.from_json(copy.deepcopy(board))))


def differences(ours, theirs, path=""):
    """Where a value that we wrote is not one that Grafana knows."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name, value in ours.items():
            if name not in theirs:
                yield f"{path}.{name} is not known"
            else:
                yield from differences(value, theirs[name], f"{path}.{name}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, (value, read) in enumerate(zip(ours, theirs)):
            yield from differences(value, read, f"{path}[{number}]")
    elif ours != theirs:
        yield f"{path} is {ours!r}, read as {theirs!r}"


class GrafanaTest(unittest.TestCase):
    def test_every_value_of_every_board_is_known(self):
        self.assertGreaterEqual(len(BOARDS), 3)
        for path in BOARDS:
            board = json.loads(path.read_text())
            self.assertEqual(list(differences(board, read_again(board))), [], path.name)

    def test_every_query_is_one_of_prometheus(self):
        for path in BOARDS:
            for panel in Dashboard.from_json(json.loads(path.read_text())).panels:
                self.assertTrue(panel.targets, panel.title)
                for query in panel.targets:
                    self.assertIsInstance(query, prometheus.Dataquery, panel.title)

    def test_a_misspelt_name_is_found(self):
        board = json.loads(BOARDS[0].read_text())
        panel = next(panel for panel in board["panels"] if panel["type"] == "timeseries")
        places = {"": board, ".panels": panel, ".targets": panel["targets"][0], ".fieldConfig": panel["fieldConfig"]}
        places[".custom"] = panel["fieldConfig"]["defaults"].setdefault("custom", {})
        for path, place in places.items():
            place["legendFromat"] = "x"
            (found,) = differences(board, read_again(board))
            self.assertIn(path, found)
            self.assertIn("legendFromat is not known", found)
            del place["legendFromat"]


if __name__ == "__main__":
    unittest.main()
