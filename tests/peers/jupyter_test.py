"""The magic %%ebb in the real IPython, and in a notebook that a real kernel executes.

Run by ./dev peers jupyter, which makes the environment (jupyter.txt) and sets EBB_LIBRARY, EBB_BUILD and PYTHONPATH.
"""

import contextlib
import io
import json
import os
import unittest
from pathlib import Path

os.environ["EBB_CONFIG"] = "none"

import nbclient
import nbformat
from IPython.core.interactiveshell import InteractiveShell

import ebb
from document import examples, offline
from ran import InScratch

FLAGS = "--constant 360 --rapl none --interval 50ms --name cell"


class IPythonTest(InScratch):
    @classmethod
    def setUpClass(cls):
        cls.shell = InteractiveShell.instance()

    def setUp(self):
        super().setUp()
        self.shell.run_line_magic("load_ext", "ebb")
        self.addCleanup(self.shell.run_line_magic, "unload_ext", "ebb")

    def run_cell(self, text):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            result = self.shell.run_cell(text)
        return result, printed.getvalue()

    def test_a_cell_is_measured_and_its_names_and_its_value_stay(self):
        result, printed = self.run_cell(f"%%ebb {FLAGS} --output-dir kept\nx = sum(range(2_000_000))\nx + 1")
        self.assertTrue(result.success)
        self.assertEqual(self.shell.user_ns["x"], sum(range(2_000_000)))
        self.assertIn(str(sum(range(2_000_000)) + 1), printed, "the cell's last expression is shown")
        card = self.shell.user_ns["ebb_card"]
        self.assertGreater(card.totals.energy_kwh, 0)
        self.assertIn(str(card.totals), printed)
        summary = json.loads((Path(card.run_directory) / "summary.json").read_text())
        self.assertEqual(summary["outcome"], "done")
        self.assertAlmostEqual(summary["emissions_g"], card.totals.emissions_g, places=12)
        self.assertIn("CO2eq</b>", card._repr_html_())

    def test_an_error_of_the_cell_is_raised_once_and_the_run_has_failed(self):
        result, printed = self.run_cell(f"%%ebb {FLAGS}\nraise ValueError('as asked')")
        self.assertIsInstance(result.error_in_exec, ValueError)
        self.assertEqual(printed.count("Traceback"), 1)
        run = self.shell.user_ns["ebb_card"].run_directory
        self.assertEqual(json.loads((Path(run) / "summary.json").read_text())["outcome"], "failed")
        result, _ = self.run_cell(f"%%ebb {FLAGS}\nthis is not Python")
        self.assertFalse(result.success)
        self.assertTrue(self.shell.run_cell("1 + 1").success, "IPython shows errors again")

    def test_a_mistake_says_what_to_write(self):
        result, _ = self.run_cell("%%ebb FR\n1")
        self.assertIsInstance(result.error_in_exec, ebb.Error)
        self.assertIn("--zone FR", str(result.error_in_exec))

    def test_cells_inside_a_tracker_are_windows_of_it(self):
        with ebb.track(constant=360, rapl="none", interval="50ms", quiet=True) as tracker:
            self.run_cell(f"%%ebb {FLAGS}\nsum(range(1_000_000))")
            card = self.shell.user_ns["ebb_card"]
            self.assertEqual(card.run_directory, tracker.run_directory)
        self.assertLess(card.totals.energy_kwh, tracker.totals.energy_kwh)


class NotebookTest(InScratch):
    def execute(self, *cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3")
        try:
            client.execute()
        finally:
            self.notebook = notebook
        return notebook.cells

    def test_an_executed_notebook_has_the_card_in_the_place_of_the_live_line(self):
        cells = self.execute(
            "%load_ext ebb",
            f"%%ebb {FLAGS}\nimport time\nend = time.time() + 2.5\nwhile time.time() < end:\n    pass\nprint('done')",
            "ebb_card.totals.energy_kwh",
        )
        self.assertGreater(float(cells[2].outputs[0]["data"]["text/plain"]), 0)
        shown = [output for output in cells[1].outputs if output["output_type"] == "display_data"]
        self.assertEqual(len(shown), 1, "one line, rewritten")
        self.assertIn("CO2eq", shown[0]["data"]["text/html"])
        self.assertIn("kept in", shown[0]["data"]["text/plain"])

    def test_the_examples_of_the_document(self):
        offline(self)
        cells = self.execute(*examples("python", "jupyter"), "ebb_card.totals.emissions_g, total")
        self.assertRegex(cells[-1].outputs[0]["data"]["text/plain"], r"\([\d.e-]+, 12499997500000\)")

    def test_a_failing_cell_stops_the_notebook(self):
        with self.assertRaises(nbclient.exceptions.CellExecutionError):
            self.execute("%load_ext ebb", f"%%ebb {FLAGS}\nraise ValueError('as asked')", "later = 1")
        self.assertIsNone(self.notebook.cells[2].execution_count)


if __name__ == "__main__":
    unittest.main()
