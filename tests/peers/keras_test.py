"""The callback for Keras, in a real fit of a tiny model on the CPU.

Run by ./dev peers keras, which makes the environment (keras.txt) and sets EBB_LIBRARY and PYTHONPATH.
"""

import os
import unittest

os.environ.update(KERAS_BACKEND="jax", JAX_PLATFORMS="cpu")

import keras
import numpy

import ebb
import ebb.keras
from ran import FLAGS, InScratch


class KerasTest(InScratch):
    def fit(self, callback, **arguments):
        model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
        model.compile(optimizer="sgd", loss="mse")
        x = numpy.ones((32, 4), dtype="float32")
        model.fit(x, x.sum(axis=1), batch_size=8, verbose=0, callbacks=[callback], **arguments)

    def test_a_fit_is_a_run_with_its_epochs(self):
        callback = ebb.keras.EbbCallback(batch_size=8, **FLAGS)
        self.fit(callback, epochs=3)
        self.assert_ran(callback.tracker, 3, "runs")
        self.assert_work(callback.tracker, steps=12, samples=96)

    def test_without_a_batch_size_only_steps_are_known(self):
        callback = ebb.keras.EbbCallback(**FLAGS)
        self.fit(callback, epochs=1)
        self.assert_work(callback.tracker, steps=4)

    def test_inside_a_tracker_its_epochs_are_marked(self):
        with ebb.track(output_dir="outer", **FLAGS) as tracker:
            self.fit(ebb.keras.EbbCallback(), epochs=2)
        self.assert_ran(tracker, 2, "outer")


if __name__ == "__main__":
    unittest.main()
