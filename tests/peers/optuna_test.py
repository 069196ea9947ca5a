"""Trials of the real Optuna: their grams, grams as a second objective, and a study that Ebb pauses between trials.

Run by ./dev peers optuna, which makes the environment (optuna.txt) and sets EBB_LIBRARY, EBB_BUILD and PYTHONPATH.
"""

import os
import time
import unittest
from pathlib import Path

import optuna

import ebb
from document import example, offline
from ebb.optuna import measured, optimize
from paused_twice import PausedTwice
from ran import FLAGS, InScratch

optuna.logging.set_verbosity(optuna.logging.ERROR)


def objective(trial):
    seconds = trial.suggest_float("seconds", 0.01, 0.2)
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return (seconds - 0.1) ** 2


class OptunaTest(InScratch):
    def setUp(self):
        super().setUp()
        offline(self)  # before the library reads the settings, which it does once

    def test_each_trial_has_its_energy_and_grams(self):
        study = optuna.create_study()
        study.optimize(measured(objective, **FLAGS), n_trials=3)
        self.assertEqual(len(study.trials), 3)
        for trial in study.trials:
            self.assertGreater(trial.user_attrs["energy_kwh"], 0)
            grams = 360 * trial.user_attrs["energy_kwh"]
            self.assertAlmostEqual(trial.user_attrs["emissions_g"], grams, delta=grams * 1e-6)
        self.assertEqual(len(list(Path("runs").iterdir())), 3)

    def test_grams_are_a_second_objective(self):
        study = optuna.create_study(directions=["minimize", "minimize"])
        study.optimize(measured(objective, second="emissions_g", rapl="none", **FLAGS), n_trials=4)
        for trial in study.trials:
            self.assertEqual(trial.values[1], trial.user_attrs["emissions_g"])
        self.assertTrue(study.best_trials)

    def test_a_trial_that_raises_has_failed_with_its_figures(self):
        def fails(trial):
            raise ValueError("as asked")

        study = optuna.create_study()
        study.optimize(measured(fails, **FLAGS), n_trials=1, catch=ValueError)
        self.assertEqual(study.trials[0].state, optuna.trial.TrialState.FAIL)
        self.assertIn("energy_kwh", study.trials[0].user_attrs)

    def test_another_second_objective_is_a_mistake(self):
        with self.assertRaises(ebb.Error):
            measured(objective, second="money")


    def test_the_example_of_the_document(self):

        def train(rate):
            end = time.process_time() + 0.05
            while time.process_time() < end:
                pass
            return (rate - 0.01) ** 2

        names = {"train": train}
        exec(example("optuna"), names)
        self.assertEqual(len(names["study"].trials), 5)
        self.assertTrue(all(len(trial.values) == 2 for trial in names["both"].trials))


class PausedOptunaTest(PausedTwice):
    #: A sampler without memory between trials draws the same values if each trial has its own seed.
    PROGRAM = """
        import optuna, paused_twice
        from ebb.optuna import measured, optimize
        paused_twice.PAUSES = (2, 5)

        def objective(trial):
            value = trial.suggest_int("x", 0, 1000)
            paused_twice.told(trial.number + 1, value)
            return value

        class Own(optuna.samplers.BaseSampler):
            def infer_relative_search_space(self, study, trial):
                return {}
            def sample_relative(self, study, trial, space):
                return {}
            def sample_independent(self, study, trial, name, distribution):
                return 37 * trial.number % 1000

        study = optuna.create_study(storage="sqlite:///study.db", study_name="s", load_if_exists=True, sampler=Own())
        optimize(study, measured(objective, constant=100, output_dir="kept"), n_trials=8)
        assert len(study.trials) == 8
        open("result", "w").write(repr(study.best_value))
        """

    def test_paused_twice_each_trial_runs_once(self):
        self.assert_paused_twice_is_the_same(self.PROGRAM, steps=8)

    def test_outside_of_ebb_it_is_the_studys_own(self):
        os.environ.pop("EBB_RUN_DIR", None)
        study = optuna.create_study()
        optimize(study, objective, n_trials=2)
        optimize(study, objective, n_trials=2)
        self.assertEqual(len(study.trials), 4)


if __name__ == "__main__":
    unittest.main()
