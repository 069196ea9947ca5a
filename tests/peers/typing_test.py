"""The types of the Python module by mypy, as a user's own checks see them, and the grid as a pandas DataFrame.

Run by ./dev peers typing, which makes the environment (typing.txt) and sets EBB_LIBRARY, EBB_BUILD and PYTHONPATH.
"""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

os.environ["EBB_CONFIG"] = "none"
os.environ.setdefault("EBB_PROGRAM", os.path.join(os.environ["EBB_BUILD"], "bin", "ebb"))

import ebb

PYTHON = Path(ebb.__file__).resolve().parent.parent
#: Trainers of others are installed for no check of types, and have none.
SETTINGS = """
[mypy]
strict = True
ignore_missing_imports = True
disallow_subclassing_any = False
"""

USE = """
    import ebb

    @ebb.when_clean(duration="2h")
    def train(rate: float) -> str:
        return str(rate)

    wait: ebb.Wait = ebb.wait_for_clean_power("2h", 3600, zone="DE")
    grid: ebb.Grid = ebb.grid("DE", hours=24)
    job: ebb.Job = ebb.submit(train, args=(0.1,), duration="2h")
    with ebb.clean_power("2h") as also:
        reveal_type(also.waited)
    reveal_type(train)
    reveal_type(ebb.best_window("2h"))
    reveal_type(grid.current)
    tracker: ebb.Tracker = ebb.Tracker(zone="DE")
    if ebb.should_pause():
        raise ebb.Paused
    train("0.1")
    wait.no_such_figure
"""


def mypy(directory, *words):
    settings = directory / "mypy.ini"
    settings.write_text(SETTINGS)
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", settings, "--cache-dir", directory / "cache", *words],
        stdout=subprocess.PIPE,
        env={**os.environ, "MYPYPATH": str(PYTHON)},
        cwd=directory,
        universal_newlines=True,
    )


class TypingTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def test_the_module_says_that_it_has_types(self):
        self.assertTrue((PYTHON / "ebb/py.typed").exists())

    def test_the_module_is_right_by_mypy_in_strict_mode(self):
        checked = mypy(self.directory, "-p", "ebb")
        self.assertEqual(checked.returncode, 0, checked.stdout)

    def test_a_program_that_uses_it_is_checked(self):
        (self.directory / "use.py").write_text(textwrap.dedent(USE))
        told = mypy(self.directory, "use.py").stdout
        train = "def (rate: builtins.float) -> builtins.str"
        for revealed in ("datetime.timedelta", train, "ebb._grid.Window", "ebb._grid.Sample"):
            self.assertIn(revealed, told)
        self.assertIn('incompatible type "str"; expected "float"', told)
        self.assertIn('"Wait" has no attribute "no_such_figure"', told)
        self.assertEqual(told.count("error:"), 2, told)


class FrameTest(unittest.TestCase):
    def test_the_grid_is_a_frame_by_start(self):
        import pandas

        grid = ebb.grid("DE", signal="profile", windows=2)
        frame = grid.to_frame()
        self.assertEqual(len(frame), 1 + len(grid.forecast))
        self.assertEqual(str(frame.index.tz), "UTC")
        self.assertEqual(frame["g_per_kwh"].iloc[0], grid.g_per_kwh)
        self.assertTrue(frame.index.is_monotonic_increasing)
        self.assertEqual(list(pandas.DataFrame(grid.windows).columns), ["start", "end", "g_per_kwh"])


if __name__ == "__main__":
    unittest.main()
