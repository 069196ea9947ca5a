#!/usr/bin/env python3
"""ebb-train on several ranks, as torchrun starts them: the same training as by one, whatever their number.

    ranks_test.py EBB_TRAIN
"""

import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

TRAIN = sys.argv[1]
TRY_LATER = 75
DIGITS = ["--model", "mlp", "--data", "digits", "--train-samples", "640", "--test-samples", "100", "--batch-size", "8",
          "--accumulation", "4", "--seed", "3"]
CONFIG = {"model_type": "qwen2", "vocab_size": 64, "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
          "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 64, "rms_norm_eps": 1e-6,
          "rope_theta": 10000.0, "tie_word_embeddings": True, "hidden_act": "silu", "architectures": ["Qwen2ForCausalLM"]}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Slow:
    """A process that is stopped for most of the time, from outside."""

    def __init__(self, process):
        self._process, self._ended = process, threading.Event()
        self._thread = threading.Thread(target=self._stop_and_go)

    def _stop_and_go(self):
        while not self._ended.is_set() and self._process.poll() is None:
            self._process.send_signal(signal.SIGSTOP)
            time.sleep(0.03)
            self._process.send_signal(signal.SIGCONT)
            time.sleep(0.01)

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()


def tensors(path):
    """The floats of a safetensors file, by name."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    return {name: struct.unpack(f"<{(to - begin) // 4}f", data[begin:to])
            for name, entry in header.items() if name != "__metadata__" and entry["dtype"] == "F32"
            for begin, to in [entry["data_offsets"]]}


class Ranks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def start(self, ranks, run, arguments, shares=None):
        port, started = str(free_port()), []
        for rank in range(ranks):
            words = [TRAIN, *arguments, "--run-dir", f"{self.scratch}/{run}", "--threads", "1", "--progress", "none"]
            if shares:
                words += ["--rank-share", str(shares[rank])]
            place = {} if ranks == 1 else {"RANK": str(rank), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
            started.append(subprocess.Popen(words, env=os.environ | place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        self.addCleanup(lambda: [(process.kill(), process.communicate()) for process in started])
        return started

    def end(self, started):
        said = [process.communicate(timeout=100)[1] for process in started]
        return [process.returncode for process in started], said

    def train(self, ranks, run, arguments, shares=None):
        codes, said = self.end(self.start(ranks, run, arguments, shares))
        self.assertEqual(codes, [0] * ranks, said)
        return self.result(run)

    def result(self, run):
        with open(f"{self.scratch}/{run}/train_result.json", encoding="utf-8") as file:
            return json.load(file)

    def events(self, run, name):
        return [json.loads(line) for line in self.told(run).splitlines() if f'"{name}"' in line]

    def stored_state(self, run):
        with open(f"{self.scratch}/{run}/checkpoints/checkpoint.safetensors", "rb") as file:
            header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        return json.loads(header["__metadata__"]["ebb.checkpoint"])["state"]

    def checkpoint(self, run):
        return tensors(f"{self.scratch}/{run}/checkpoints/checkpoint.safetensors")

    def assert_like(self, run, other, names, most):
        """The tensors of these names differ by no more than `most` of their largest value."""
        mine, theirs = self.checkpoint(run), self.checkpoint(other)
        self.assertEqual(mine.keys(), theirs.keys())
        compared = [name for name in mine if re.search(names, name)]
        self.assertTrue(compared, list(mine))
        for name in compared:
            scale = max(map(abs, theirs[name]))
            self.assertLess(max(abs(a - b) for a, b in zip(mine[name], theirs[name])), most * max(scale, 1e-9), name)

    def told(self, run):
        path = f"{self.scratch}/{run}/progress.jsonl"
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read()

    def epochs(self, run):
        return self.told(run).count('"epoch_end"')

    def wait_for(self, run, event, started):
        for _ in range(3000):
            if event():
                return
            self.assertTrue(all(process.poll() is None for process in started), (run, [process.poll() for process in started]))
            time.sleep(0.01)
        self.fail("it never came")

    def test_the_gradient_of_several_ranks_is_that_of_one(self):
        # After one update Adam's first moment is the gradient.
        arguments = [*DIGITS, "--train-samples", "32", "--epochs", "1"]
        alone = self.train(1, "alone", arguments)
        for run, ranks, shares in ("two", 2, None), ("three", 3, None), ("unlike", 2, (3, 1)):
            with self.subTest(run):
                together = self.train(ranks, run, arguments, shares)
                self.assertAlmostEqual(together["final_loss"], alone["final_loss"], 5)
                self.assert_like(run, "alone", r"\.exp_avg$", 1e-5)

    def lora(self):
        base = self.scratch + "/base"
        os.makedirs(base, exist_ok=True)
        with open(base + "/config.json", "w", encoding="utf-8") as file:
            json.dump(CONFIG, file)
        with open(self.scratch + "/tokens.jsonl", "w", encoding="utf-8") as file:
            for i in range(60):
                ids = [(7 * i + 3 * j * j) % 64 for j in range(4 + i % 13)]
                file.write(json.dumps({"input_ids": ids}) + "\n")
        return ["lora", "--base", base, "--random-weights", "--tokens", self.scratch + "/tokens.jsonl", "--precision", "fp32",
                "--accumulation", "6", "--learning-rate", "0.001", "--rank", "4"]

    def test_an_adapter_of_texts_of_unlike_lengths_too(self):
        arguments = [*self.lora(), "--epochs", "4"]
        alone = self.train(1, "alone", arguments)
        for ranks in 2, 5:
            together = self.train(ranks, f"{ranks}", arguments)
            self.assertAlmostEqual(together["test_loss"], alone["test_loss"], 5)
            self.assertEqual(together["tokens"], alone["tokens"])
            self.assert_like(f"{ranks}", "alone", "^adapter", 1e-3)

    def test_one_that_is_asked_to_stop_stops_all_and_another_number_goes_on(self):
        arguments = [*self.lora(), "--epochs", "60"]
        self.train(1, "alone", arguments)
        for ranks, asked in (2, 1), (1, 0), (4, 2):
            before = self.epochs("elastic")
            started = self.start(ranks, "elastic", [*arguments, "--resume"])
            self.wait_for("elastic", lambda: self.epochs("elastic") > before + 3, started)  # pylint: disable=cell-var-from-loop
            started[asked].send_signal(signal.SIGTERM)
            codes, said = self.end(started)
            self.assertEqual(codes, [TRY_LATER] * ranks, said)
        self.assertLess(self.epochs("elastic"), 60)
        result = self.train(2, "elastic", [*arguments, "--resume"])
        self.assertAlmostEqual(result["test_loss"], self.result("alone")["test_loss"], 3)
        self.assertEqual(result["tokens"], self.result("alone")["tokens"])
        self.assert_like("elastic", "alone", "^adapter", 0.05)

    def test_a_lost_rank_ends_the_training_with_a_checkpoint(self):
        arguments = [*self.lora(), "--epochs", "1000"]
        for lost in 1, 0:
            run = f"lost-{lost}"
            started = self.start(2, run, arguments)
            self.wait_for(run, lambda: self.epochs(run) > 2, started)  # pylint: disable=cell-var-from-loop
            began = time.time()
            started[lost].kill()
            codes, said = self.end(started)
            self.assertLess(time.time() - began, 30)
            self.assertEqual(codes[1 - lost], TRY_LATER, said)
            self.assertIn("a rank is lost", said[1 - lost])
            if lost == 1:
                self.assertRegex(said[0], r"a checkpoint of step \d+ is written")
        started = self.start(1, "lost-1", [*arguments, "--resume"])
        self.wait_for("lost-1", lambda: '"resume' in self.told("lost-1"), started)

    def test_one_that_is_lost_during_an_evaluation_too(self):
        # Nearly all of the time is evaluation: of 4,000 images by a larger model, after each 32.
        arguments = [*DIGITS, "--model", "simple-cnn", "--train-samples", "32", "--test-samples", "4000", "--epochs", "1000"]
        started = self.start(2, "lost", arguments)
        self.wait_for("lost", lambda: self.epochs("lost") > 1, started)
        time.sleep(0.2)
        started[1].kill()
        codes, said = self.end(started)
        self.assertEqual(codes[0], TRY_LATER, said)
        self.assertRegex(said[0], r"a checkpoint of step \d+ is written")
        self.assertEqual(self.epochs("lost"), self.told("lost").count('"checkpoint"') - 1, "one more than epochs that ended")

    # Updates long enough that their parts differ in time; five in an epoch, so no epoch is long enough to change the parts.
    UNLIKE = ["--model", "simple-cnn", "--data", "digits", "--train-samples", "320", "--test-samples", "40", "--batch-size", "16",
              "--accumulation", "4", "--epochs", "500", "--seed", "3"]

    def test_ranks_that_are_unlike_find_their_parts(self):
        started = self.start(2, "unlike", self.UNLIKE, ("auto", "auto"))
        with Slow(started[1]):
            self.wait_for("unlike", lambda: self.events("unlike", "rank_shares"), started)
        change = self.events("unlike", "rank_shares")[0]
        self.assertEqual(sum(change["samples"]), 64)
        self.assertGreater(change["samples"][0], 35, change)
        self.assertLess(change["update_s"], change["was_s"])
        self.assertEqual([rank["power_by"] for rank in change["ranks"]], ["model", "model"])
        started[0].send_signal(signal.SIGTERM)
        codes, said = self.end(started)
        self.assertEqual(codes, [TRY_LATER] * 2, said)
        self.assertEqual(self.stored_state("unlike")["rank_shares"]["changes"],
                         [{"step": each["step"], "samples": each["samples"]} for each in self.events("unlike", "rank_shares")])
        self.goes_on_with_its_parts("unlike")

    def goes_on_with_its_parts(self, run):
        """A continuation that finds its parts in the checkpoint ends an epoch with the bits of one that is told the parts."""
        first, last = self.stored_state(run)["rank_shares"]["changes"][-1]["samples"]
        shares = {"found": ("auto", "auto"), "told": (first, last), "equal": (1, 1)}
        ended = {}
        for name, given in shares.items():
            shutil.copytree(f"{self.scratch}/{run}", f"{self.scratch}/{name}")
            before = len(self.events(name, "checkpoint"))
            started = self.start(2, name, [*self.UNLIKE, "--resume"], given)
            self.wait_for(name, lambda: len(self.events(name, "checkpoint")) > before, started)  # pylint: disable=cell-var-from-loop
            ended[name] = self.stored_state(name)["step"], self.checkpoint(name)
            for process in started:
                process.kill()
            self.end(started)
        self.assertEqual(ended["found"][0], ended["told"][0])
        self.assertEqual(ended["found"][1], ended["told"][1])
        self.assertNotEqual(ended["found"][1], ended["equal"][1], "dropout draws by rank")

    def test_ranks_that_are_told_different_things_do_not_begin(self):
        port = str(free_port())
        started = [subprocess.Popen([TRAIN, *DIGITS, "--learning-rate", rate, "--run-dir", self.scratch + "/unlike"],
                                    env=os.environ | {"RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port},
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                   for rank, rate in enumerate(("0.001", "0.002"))]
        codes, said = self.end(started)
        self.assertEqual(codes, [3, 3], said)
        self.assertIn("options other than", said[0])

    def test_a_place_that_is_not_whole_is_named(self):
        answer = subprocess.run([TRAIN, *DIGITS, "--run-dir", self.scratch + "/x"], env=os.environ | {"WORLD_SIZE": "2"},
                                capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(answer.returncode, 3)
        self.assertIn("RANK is not set", answer.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
