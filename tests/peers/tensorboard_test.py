"""Event files of `ebb track --tensorboard`, read by TensorBoard's own code.

Run by ./dev peers tensorboard, which makes the environment (tensorboard.txt) and sets EBB_BUILD.
"""

import unittest
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tracked_run import STEPS, TrackedRun


class TensorboardTest(TrackedRun):
    def test_tensorboard_reads_the_run(self):
        summary = self.track("--tensorboard", "tb")
        (folder,) = Path("tb").iterdir()
        events = EventAccumulator(str(folder), size_guidance={"scalars": 0})
        events.Reload()
        names = events.Tags()["scalars"]
        losses = [(scalar.step, scalar.value) for scalar in events.Scalars("train/loss")]
        self.assertEqual([step for step, _ in losses], list(range(1, STEPS + 1)))
        for step, loss in losses:
            self.assertAlmostEqual(loss, 1 / step, places=6)
        for name in ("energy/kwh", "energy/power_w", "carbon/emissions_g", "summary/energy_kwh", "epoch/test_loss"):
            self.assertIn(name, names)
        (energy,) = events.Scalars("summary/energy_kwh")
        self.assertAlmostEqual(energy.value, self.facility_kwh(summary), delta=1e-5 * energy.value)
        grown = [scalar.value for scalar in events.Scalars("energy/kwh")]
        self.assertEqual(grown, sorted(grown))
        self.assertTrue(events.Tags()["tensors"], "the table of settings")


if __name__ == "__main__":
    unittest.main()
