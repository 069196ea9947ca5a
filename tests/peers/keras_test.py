"""The callback for Keras, in a real fit of a tiny model on the CPU.

Run by ./dev peers keras, which makes the environment (keras.txt) and sets EBB_LIBRARY and PYTHONPATH.
"""

import json
import os
import unittest
from pathlib import Path

os.environ.update(KERAS_BACKEND="jax", JAX_PLATFORMS="cpu")

import keras
import numpy

import ebb
import ebb.keras
from document import example, offline
from paused_twice import PausedTwice
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


class DocumentTest(InScratch):
    def test_the_example_trains(self):
        offline(self)
        model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
        model.compile(optimizer="sgd", loss="mse")
        x = numpy.ones((16, 4), dtype="float32")
        exec(example("keras"), {"model": model, "x": x, "y": x.sum(axis=1)})
        (run,) = Path("runs").iterdir()
        self.assertEqual(json.loads((run / "summary.json").read_text())["work"]["samples"], 48)


class PausedKerasTest(PausedTwice):
    #: Dropout, a shuffled order, metrics of an epoch and a validation.
    PROGRAM = """
        import json, os
        os.environ.update(KERAS_BACKEND="jax", JAX_PLATFORMS="cpu")
        import keras, numpy
        from ebb.keras import EbbCallback, fit
        from paused_twice import told

        class Told(keras.callbacks.Callback):
            step = 0
            def on_epoch_begin(self, epoch, logs=None):
                self.epoch = epoch
            def on_train_batch_end(self, batch, logs=None):
                told(12 * self.epoch + batch + 1, float(logs["loss"]))
            def on_epoch_end(self, epoch, logs=None):
                open("epochs", "a").write(json.dumps({name: float(value) for name, value in sorted(logs.items())}))

        keras.utils.set_random_seed(7)
        layers = [keras.layers.Input((4,)), keras.layers.Dense(8), keras.layers.Dropout(0.3), keras.layers.Dense(1)]
        model = keras.Sequential(layers)
        model.compile(optimizer=keras.optimizers.Adam(0.05), loss="mse", metrics=["mae"])
        x = numpy.arange(48 * 4, dtype="float32").reshape(48, 4) % 7
        fit(model, x, x.sum(axis=1), batch_size=4, epochs=4, verbose=0, validation_data=(x, x.sum(axis=1)),
            callbacks=[Told(), EbbCallback(constant=100, output_dir="callback")])
        weights = b"".join(numpy.asarray(value).tobytes() for value in model.get_weights())
        open("result", "wb").write(weights + open("epochs", "rb").read())
        """

    def test_paused_twice_the_loss_curve_is_that_of_an_uninterrupted_training(self):
        run = self.assert_paused_twice_is_the_same(self.PROGRAM)
        outcomes = [json.loads(path.read_text())["outcome"] for path in Path("paused/callback").glob("*/summary.json")]
        self.assertEqual(sorted(outcomes), ["done", "paused", "paused"])
        self.assertEqual(json.loads((run / "summary.json").read_text())["work"]["steps"], 48)

    def test_a_pause_that_is_asked_in_the_last_step_of_an_epoch_comes_at_its_end(self):
        once = self.PROGRAM.replace("told(12 *", "import paused_twice; paused_twice.PAUSES = (12, 36); told(12 *")
        self.assert_paused_twice_is_the_same(once)


if __name__ == "__main__":
    unittest.main()
