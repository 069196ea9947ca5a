"""The callbacks for Hugging Face's and Lightning's trainers, in real trainings of a tiny model on the CPU.

Run by ./dev peers trainers, which makes the environment (trainers.txt, PyTorch of Debian) and sets EBB_BUILD, EBB_LIBRARY
and PYTHONPATH.
"""

import json
import os
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

from hugging_face import *  # the tests too

import lightning.pytorch as pl
import torch
from torch.utils.data import DataLoader

import ebb
import ebb.lightning
from document import example, offline
from paused_twice import PausedTwice
from ran import FLAGS, InScratch


class Module(pl.LightningModule):
    def __init__(self, fails_in=None):
        super().__init__()
        self.model, self.fails_in = Model(), fails_in

    def _register_sharded_tensor_state_dict_hooks_if_available(self):
        """Nothing is sharded here, and this module of Debian's PyTorch 1.13 cannot be imported in Python 3.11."""

    def training_step(self, batch, index):
        if self.current_epoch == self.fails_in:
            raise ValueError("as asked")
        return self.model(**batch)["loss"]

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1e-6)


class LightningTest(InScratch):
    def fit(self, callback, module, epochs):
        trainer = pl.Trainer(
            max_epochs=epochs, callbacks=[callback], accelerator="cpu", logger=False, enable_progress_bar=False,
            enable_checkpointing=False, enable_model_summary=False,
        )
        trainer.fit(module, DataLoader(Numbers(), batch_size=8))

    def test_a_fit_is_a_run_with_its_epochs(self):
        callback = ebb.lightning.EbbCallback(**FLAGS)
        self.fit(callback, Module(), 3)
        self.assert_ran(callback.tracker, 3, "runs")
        self.assert_work(callback.tracker, steps=12, samples=96)

    def test_an_exception_is_a_failed_run(self):
        callback = ebb.lightning.EbbCallback(output_dir="kept", **FLAGS)
        with self.assertRaises(ValueError):
            self.fit(callback, Module(fails_in=1), 3)
        self.assert_ran(callback.tracker, 1, "kept", outcome="failed")

    RANKS = """
        from trainers_test import DataLoader, FLAGS, Module, Numbers, ebb, os, pl
        callback = ebb.lightning.EbbCallback(scope="machine", **FLAGS)
        trainer = pl.Trainer(max_epochs=2, callbacks=[callback], accelerator="cpu", devices=2, strategy="ddp",
                             logger=False, enable_progress_bar=False, enable_checkpointing=False,
                             enable_model_summary=False)
        trainer.fit(Module(), DataLoader(Numbers(), batch_size=8))
        with open("rank" + os.environ["LOCAL_RANK"], "w") as file:
            file.write(repr(callback.tracker.totals.energy_kwh))
    """

    def test_two_ranks_count_the_machine_once(self):
        (self.directory / "ranks.py").write_text(textwrap.dedent(self.RANKS))
        path = os.pathsep.join([os.path.dirname(os.path.abspath(__file__)), os.environ["PYTHONPATH"]])
        done = subprocess.run(
            [sys.executable, "ranks.py"], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True,
            timeout=200,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        energies = [float((self.directory / f"rank{rank}").read_text()) for rank in range(2)]
        self.assertGreater(energies[0], 0)
        self.assertEqual(energies[1], 0)
        (run,) = (self.directory / "runs").iterdir()
        # 4 batches of 8 in each epoch, two of them in each rank.
        work = json.loads((run / "summary.json").read_text())["work"]
        self.assertEqual((work["steps"], work["samples"]), (4, 64))

    def test_the_example_for_lightning(self):
        offline(self)
        exec(example("lightning"), {"pl": pl, "model": Module(), "loader": DataLoader(Numbers(), batch_size=8)})
        self.assertEqual(len(list(Path("runs").iterdir())), 1)


class PausedLightningTest(PausedTwice):
    PROGRAM = """
        import json, os
        import lightning.pytorch as pl, torch
        from torch.utils.data import DataLoader
        from ebb.lightning import EbbCallback, fit
        from paused_twice import told
        from trainers_test import Module, Numbers

        class Noisy(Numbers):
            def __getitem__(self, index):
                x = torch.full((4,), float(index % 5)) + torch.rand(4)
                return {"x": x, "labels": x.sum().reshape(1)}

        class Dropped(Module):
            def __init__(self):
                super().__init__()
                self.model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.3), torch.nn.Linear(8, 1))

            def training_step(self, batch, index):
                self.loss = torch.nn.functional.mse_loss(self.model(batch["x"]), batch["labels"])
                return self.loss

            def validation_step(self, batch, index):
                open("validated", "a").write(f"{self.trainer.global_step} {torch.rand(1).item()}\\n")

            def on_train_batch_end(self, outputs, batch, index):
                told(self.trainer.global_step, self.loss.item())

            def configure_optimizers(self):
                optimizer = torch.optim.Adam(self.parameters(), lr=0.05)
                return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.9)]

        pl.seed_everything(7)
        module = Dropped()
        trainer = pl.Trainer(
            max_epochs=4, accelerator="cpu", logger=False, enable_progress_bar=False, enable_checkpointing=False,
            enable_model_summary=False, num_sanity_val_steps=0, callbacks=[EbbCallback(constant=100, output_dir="callback")],
        )
        class Twelve(Noisy):
            def __len__(self):
                return 48
        fit(trainer, module, DataLoader(Twelve(), batch_size=4, shuffle=True), DataLoader(Noisy(), batch_size=16))
        validated = open("validated").read()
        weights = b"".join(value.numpy().tobytes() for value in module.state_dict().values())
        open("result", "wb").write(weights + validated.encode())
        """

    def test_paused_twice_the_loss_curve_is_that_of_an_uninterrupted_training(self):
        run = self.assert_paused_twice_is_the_same(self.PROGRAM)
        outcomes = [json.loads(path.read_text())["outcome"] for path in Path("paused/callback").glob("*/summary.json")]
        self.assertEqual(sorted(outcomes), ["done", "paused", "paused"])
        self.assertEqual(json.loads((run / "summary.json").read_text())["work"]["steps"], 48)


class LightningRanksTest(PausedTwice):
    LAUNCHER = RanksTest.LAUNCHER

    def test_it_pauses_both_at_the_same_step(self):
        program = PausedLightningTest.PROGRAM
        for before, after in (
            ('accelerator="cpu"', 'accelerator="cpu", devices=2, strategy="ddp"'),
            ("return 48", "return 96"),
            ('open("validated"', 'open("validated" + os.environ["RANK"]'),
            ('open("result"', 'open("result" if os.environ["RANK"] == "0" else "other"'),
        ):
            self.assertIn(before, program)
            program = program.replace(before, after)
        self.assert_paused_twice_is_the_same(program)
        self.assertEqual(Path("paused/other").read_bytes(), Path("whole/other").read_bytes())


if __name__ == "__main__":
    unittest.main()
