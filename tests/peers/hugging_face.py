"""Trainings with transformers, with Accelerate and with plain PyTorch on the CPU, of a tiny model.

Run by ./dev peers trainers with transformers 4 and PyTorch 1.13, and by ./dev peers python with transformers 5 and PyTorch
2. Both make the environment and set EBB_BUILD, EBB_LIBRARY and PYTHONPATH.
"""

import json
import os
import unittest
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", CUDA_VISIBLE_DEVICES="")

import torch
import transformers
from torch.utils.data import Dataset

import ebb
import ebb.transformers
from document import example, offline
from paused_twice import PausedTwice
from ran import FLAGS, InScratch

TORCH = int(torch.__version__.split(".")[0])


class Numbers(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        x = torch.full((4,), float(index))
        return {"x": x, "labels": x.sum().reshape(1)}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, x, labels=None):
        output = self.layer(x)
        return {"loss": torch.nn.functional.mse_loss(output, labels), "logits": output}


class TransformersTest(InScratch):
    def train(self, callback, **arguments):
        trainer = transformers.Trainer(
            model=Model(),
            args=transformers.TrainingArguments(
                "out", report_to=[], disable_tqdm=True, per_device_train_batch_size=8, use_cpu=True,
                save_strategy="no", **arguments,
            ),
            train_dataset=Numbers(),
            callbacks=[callback],
        )
        trainer.train()

    def test_a_training_is_a_run_with_its_epochs(self):
        callback = ebb.transformers.EbbCallback(name="tiny", **FLAGS)
        self.train(callback, num_train_epochs=3)
        self.assert_ran(callback.tracker, 3, "out/ebb")
        samples = {"samples": 96} if TORCH >= 2 else {}
        self.assert_work(callback.tracker, steps=12, **samples)
        self.assertIn("tiny", os.path.basename(callback.tracker.run_directory))

    def test_training_again_is_another_run(self):
        callback = ebb.transformers.EbbCallback(**FLAGS)
        self.train(callback, num_train_epochs=1)
        first = callback.tracker.run_directory
        self.train(callback, max_steps=2)
        self.assert_ran(callback.tracker, 1, "out/ebb")
        self.assertNotEqual(first, callback.tracker.run_directory)

    def test_inside_a_tracker_its_epochs_are_marked(self):
        with ebb.track(output_dir="outer", **FLAGS) as tracker:
            callback = ebb.transformers.EbbCallback(name="ignored")
            self.train(callback, num_train_epochs=2)
            self.assertIs(callback.tracker, tracker)
        self.assert_ran(tracker, 2, "outer")
        self.assertFalse((self.directory / "out" / "ebb").exists())

    def test_the_example_for_transformers(self):
        offline(self)
        arguments = transformers.TrainingArguments("out", report_to=[], disable_tqdm=True, use_cpu=True, save_strategy="no")
        names = {"transformers": transformers, "model": Model(), "arguments": arguments, "dataset": Numbers()}
        exec(example("transformers"), names)
        self.assertEqual(len(list(Path("out/ebb").iterdir())), 1)


class PausedTransformersTest(PausedTwice):
    #: Dropout, a shuffled order and an evaluation at the end of each epoch. Data that draws random numbers itself is left
    #: out: the trainer fetches a batch before the step, so its own checkpoints do not repeat that either.
    PROGRAM = """
        import os, sys
        os.environ.update(HF_HUB_OFFLINE="1", CUDA_VISIBLE_DEVICES="")
        import torch, transformers
        from torch.utils.data import Dataset
        from ebb.transformers import EbbCallback, train
        from paused_twice import told

        class Numbers(Dataset):
            def __len__(self):
                return 48

            def __getitem__(self, index):
                x = torch.linspace(0, 1, 4) * (index % 7)
                return {"x": x, "labels": x.sum().reshape(1)}

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.3), torch.nn.Linear(8, 1))

            def forward(self, x, labels=None):
                output = self.layers(x)
                return {"loss": torch.nn.functional.mse_loss(output, labels), "logits": output}

        class Told(transformers.TrainerCallback):
            def on_log(self, args, state, control, logs=None, **kwargs):
                if "loss" in logs:
                    told(state.global_step, logs["loss"])

        transformers.set_seed(7)
        callbacks = [Told(), *([EbbCallback(constant=100)] if "measured" in sys.argv else [])]
        trainer = transformers.Trainer(
            model=Model(),
            args=transformers.TrainingArguments(
                "out", report_to=[], disable_tqdm=True, per_device_train_batch_size=4, use_cpu=True, num_train_epochs=4,
                logging_steps=1, learning_rate=0.05, seed=7, save_strategy="no", eval_strategy="epoch",
                optim="adamw_torch",
            ),
            train_dataset=Numbers(), eval_dataset=Numbers(), callbacks=callbacks,
        )
        train(trainer)
        evaluations = [row["step"] for row in trainer.state.log_history if "eval_loss" in row]
        assert evaluations == [12, 24, 36, 48], evaluations
        weights = b"".join(value.numpy().tobytes() for value in trainer.model.state_dict().values())
        open("result", "wb").write(weights)
        """

    def test_paused_twice_the_loss_curve_is_that_of_an_uninterrupted_training(self):
        self.assert_paused_twice_is_the_same(self.PROGRAM)

    def test_the_run_of_the_callback_is_paused_and_the_work_counts_once(self):
        run = self.assert_paused_twice_is_the_same(self.PROGRAM.replace('if "measured" in sys.argv', "if True"))
        outcomes = [json.loads(path.read_text())["outcome"] for path in Path("paused/out/ebb").glob("*/summary.json")]
        self.assertEqual(sorted(outcomes), ["done", "paused", "paused"])
        self.assertEqual(json.loads((run / "summary.json").read_text())["work"]["steps"], 48)


class PlainTest(PausedTwice):
    #: The optimizer tells each step, since the example shall stand as it is.
    GIVEN = """
import torch
from paused_twice import told

class Told(torch.optim.Adam):
    def step(self, closure=None):
        super().step(closure)
        (first, *_) = self.param_groups[0]["params"]
        told(int(self.state[first]["step"]), loss.item())

torch.manual_seed(7)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 1))
optimizer = Told(model.parameters(), lr=0.01)
x = torch.arange(32.0).reshape(8, 4)
y = x.sum(dim=1, keepdim=True)
"""
    END = 'open("result", "wb").write(b"".join(value.numpy().tobytes() for value in model.state_dict().values()))\n'

    def test_the_example_for_pytorch_pauses_and_goes_on(self):
        self.assert_paused_twice_is_the_same(self.GIVEN + example("pytorch") + self.END, steps=100)

    def test_the_example_for_accelerate_pauses_and_goes_on(self):
        self.assert_paused_twice_is_the_same(self.GIVEN + example("accelerate") + self.END, steps=100)


class RanksTest(PausedTwice):
    """Two ranks by the real torchrun. The last one is asked while the first may be in the next step already."""

    LAUNCHER = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")
    if TORCH < 2:  # in Python 3.11 it cannot do without: 0 and 3 are no longer among the values of a Flag
        LAUNCHER += ("--redirects", "1", "--tee", "2", "--log_dir", "logs")
    #: Each rank has its own data, so that the loss of the first is not that of the other.
    GIVEN = "import os\n" + PlainTest.GIVEN.replace("torch.arange(32.0)", '(torch.arange(32.0) + int(os.environ["RANK"]))')
    END = f'if os.environ["RANK"] == "0":\n    {PlainTest.END}'

    def test_the_example_for_pytorch_pauses_both_at_the_same_step(self):
        self.assert_paused_twice_is_the_same(self.GIVEN + example("pytorch-ranks") + self.END, steps=100)

    @unittest.skipIf(TORCH < 2, "Accelerate has no ranks on CPUs with PyTorch 1")
    def test_the_example_for_accelerate_pauses_both_at_the_same_step(self):
        given = 'import os\nos.environ["ACCELERATE_USE_CPU"] = "true"  # else two trainings of their own\n' + self.GIVEN
        self.assert_paused_twice_is_the_same(given + example("accelerate") + self.END, steps=100)

    @unittest.skipIf(TORCH < 2, "as Accelerate")
    def test_a_trainer_pauses_both_at_the_same_step(self):
        program = PausedTransformersTest.PROGRAM.replace("return 48", "return 96").replace(
            "use_cpu=True", 'use_cpu=True, ddp_backend="gloo"'
        ).replace('open("result"', 'open("result" if os.environ["RANK"] == "0" else "other"')
        run = self.assert_paused_twice_is_the_same(program.replace('if "measured" in sys.argv', "if True"))
        self.assertEqual(Path("paused/other").read_bytes(), Path("paused/result").read_bytes())
        self.assertEqual(json.loads((run / "summary.json").read_text())["work"]["steps"], 48)


if __name__ == "__main__":
    unittest.main()
