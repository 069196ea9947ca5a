"""ebb-train's language models beside transformers and PEFT: logits, gradients, adapters in both directions, 50 updates.

Run by ./dev peers python, which makes the environments (python.txt: transformers 4; transformers5.txt) and sets
EBB_BUILD. The models are random and tiny.
"""

import copy
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", CUDA_VISIBLE_DEVICES="")

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (AutoModelForCausalLM, AutoTokenizer, __version__ as TRANSFORMERS, Gemma3TextConfig, LlamaConfig,
                          MistralConfig, Qwen2Config, Qwen3Config, get_cosine_schedule_with_warmup)
from transformers.utils.logging import disable_progress_bar

torch.set_num_threads(1)
disable_progress_bar()

PROBE = Path(os.environ["EBB_BUILD"]) / "bin" / "train_language_probe"
TRAINER = Path(os.environ["EBB_BUILD"]) / "bin" / "ebb-train"
EBB = Path(__file__).parents[2] / "build" / "release" / "bin" / "ebb"
PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]

SMALL = dict(
    vocab_size=320, hidden_size=64, intermediate_size=112, num_hidden_layers=3, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=64, bos_token_id=1, eos_token_id=2, pad_token_id=0,
)
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=32)
# A layer with a window of seven tokens, one that sees all, and one more with a window.
GEMMA = SMALL | dict(head_dim=32, query_pre_attn_scalar=24, sliding_window=7, layer_types=[
    "sliding_attention", "full_attention", "sliding_attention"])
MODELS = {
    "qwen2": Qwen2Config(**SMALL, rope_theta=1e6),
    "qwen2, tied": Qwen2Config(**SMALL, tie_word_embeddings=True),
    "qwen3": Qwen3Config(**SMALL, head_dim=32),
    "qwen3, biases": Qwen3Config(**SMALL, head_dim=16, attention_bias=True),
    "llama": LlamaConfig(**SMALL),
    "llama, biases, no groups": LlamaConfig(**{**SMALL, "num_key_value_heads": 4}, attention_bias=True, mlp_bias=True),
    "mistral": MistralConfig(**SMALL, head_dim=32, sliding_window=None),
    "mistral, window": MistralConfig(**SMALL, head_dim=32, sliding_window=7),
    "qwen2, window": Qwen2Config(**SMALL, use_sliding_window=True, sliding_window=5, max_window_layers=1),
    "qwen3, windows by layer": Qwen3Config(**SMALL, head_dim=32, use_sliding_window=True, sliding_window=9, layer_types=[
        "sliding_attention", "full_attention", "sliding_attention"]),
    "gemma3": Gemma3TextConfig(**GEMMA),
    "gemma3, biases, untied": Gemma3TextConfig(**GEMMA, attention_bias=True, tie_word_embeddings=False),
    "gemma3, linear": Gemma3TextConfig(**GEMMA, rope_scaling=dict(rope_type="linear", factor=8.0)),
    "llama, linear": LlamaConfig(**SMALL, rope_scaling=dict(rope_type="linear", factor=2.5)),
    "llama, llama3": LlamaConfig(**SMALL, rope_scaling=LLAMA3),
    "qwen2, dynamic": Qwen2Config(**SMALL, rope_scaling=dict(rope_type="dynamic", factor=2.0)),
    "qwen2, yarn": Qwen2Config(**SMALL, rope_scaling=dict(rope_type="yarn", factor=4.0,
                                                          original_max_position_embeddings=16)),
    "qwen3, yarn": Qwen3Config(**SMALL, head_dim=32, rope_scaling=dict(
        rope_type="yarn", factor=3.0, beta_fast=16, beta_slow=2, attention_factor=1.1)),
}


def relative(ours, theirs):
    """The largest difference beside the largest value."""
    return ((ours.double() - theirs.double()).abs().max() / theirs.double().abs().max()).item()


def relative_norm(ours, theirs):
    return ((ours.double() - theirs.double()).norm() / theirs.double().norm()).item()


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{words}: exit code {done.returncode}: {done.stderr}")
    return done


class Probe:
    """train_language_probe: one process for all cases."""

    process = None

    @classmethod
    def ask(cls, *words):
        if cls.process is None:
            cls.process = subprocess.Popen([PROBE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.process.stdin.write(json.dumps([str(word) for word in words]) + "\n")
        cls.process.stdin.flush()
        return json.loads(cls.process.stdout.readline())

    @classmethod
    def end(cls):
        if cls.process is not None:
            cls.process.communicate()
            cls.process = None


def tearDownModule():
    Probe.end()


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        torch.manual_seed(7)

    def save(self, config, shard_size="100MB", dtype=torch.float32):
        model = AutoModelForCausalLM.from_config(copy.deepcopy(config), attn_implementation="eager").to(dtype)
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                # Norms and biases begin as ones and zeros, which would hide where they are forgotten.
                if parameter.dim() == 1:
                    parameter.add_(0.3 * torch.randn_like(parameter))
                else:
                    parameter.mul_(4)
        model.save_pretrained(self.folder / "model", max_shard_size=shard_size)
        return model.eval()

    def ids(self, rows=2, length=24):
        return torch.randint(3, SMALL["vocab_size"], (rows, length))

    def probe(self, what, tensors, *more):
        save_file(tensors, self.folder / "input.safetensors")
        answer = Probe.ask(what, self.folder / "model", self.folder / "input.safetensors", self.folder / "out.safetensors",
                           *more)
        self.assertEqual(answer, {})
        return load_file(self.folder / "out.safetensors")

    def make_adapter(self, model, **settings):
        peft = get_peft_model(model, LoraConfig(**dict(r=4, lora_alpha=10, target_modules=PROJECTIONS, task_type="CAUSAL_LM")
                                                | settings))
        with torch.no_grad():
            for name, parameter in peft.named_parameters():
                if "lora_B" in name or "lora_embedding_A" in name:
                    parameter.copy_(0.2 * torch.randn_like(parameter))
                if "modules_to_save" in name:
                    parameter.add_(0.2 * torch.randn_like(parameter))
                if "lora_magnitude" in name:
                    parameter.mul_(1 + 0.2 * torch.rand_like(parameter))
        peft.save_pretrained(self.folder / "adapter")
        return peft.eval()


class LogitsTest(Scratch):
    def test_every_family_and_scaling(self):
        for name, config in MODELS.items():
            with self.subTest(name):
                model = self.save(config)
                length = 80 if "dynamic" in name else 24  # beyond max_position_embeddings: it scales only there
                ids = self.ids(length=length)
                with torch.no_grad():
                    theirs = copy.deepcopy(model).bfloat16()(ids).logits
                    exact = model.double()(ids).logits
                self.assertLess(relative(self.probe("logits", {"ids": ids}, "fp32")["logits"], exact), 1e-5)
                # In bf16 the largest difference is one rounding that was amplified: the whole counts, beside theirs.
                ours = self.probe("logits", {"ids": ids}, "bf16")["logits"]
                self.assertLess(relative_norm(ours, exact), 2e-2)
                self.assertLess(relative_norm(ours, exact), 1.1 * relative_norm(theirs, exact))

    def test_shards_and_bf16_files(self):
        self.save(MODELS["qwen2"], shard_size="60KB", dtype=torch.bfloat16)
        self.assertGreater(len(list((self.folder / "model").glob("*.safetensors"))), 2)
        model = AutoModelForCausalLM.from_pretrained(self.folder / "model", dtype=torch.float32)
        ids = self.ids()
        with torch.no_grad():
            exact = model.double()(ids).logits
        self.assertLess(relative(self.probe("logits", {"ids": ids}, "fp32")["logits"], exact), 1e-5)
        self.assertLess(relative_norm(self.probe("logits", {"ids": ids}, "bf16")["logits"], exact), 2e-2)

    def test_blocks_of_attention(self):
        config = Qwen2Config(**{**SMALL, "max_position_embeddings": 512})
        model = self.save(config)
        ids = self.ids(length=300)
        with torch.no_grad():
            exact = model.double()(ids).logits
        self.assertLess(relative(self.probe("logits", {"ids": ids}, "fp32")["logits"], exact), 1e-5)


class AdapterTest(Scratch):
    VARIANTS = {"plain": {}, "rslora": dict(use_rslora=True), "dora": dict(use_dora=True)}

    def test_an_adapter_of_peft_gives_its_logits_and_merges(self):
        for name, settings, family in [(*variant, family) for variant in self.VARIANTS.items() for family in ("qwen2", "gemma3")]:
            with self.subTest(name, family=family):
                peft = self.make_adapter(self.save(MODELS[family]), **settings)
                ids = self.ids()
                with torch.no_grad():
                    exact = peft.double()(ids).logits
                for mode in [], ["merged"]:
                    ours = self.probe("logits", {"ids": ids}, "fp32", self.folder / "adapter", *mode)["logits"]
                    self.assertLess(relative(ours, exact), 1e-5)

    OUTER = {
        "lm_head": dict(target_modules=["q_proj", "lm_head"]),
        "lm_head, DoRA": dict(target_modules=["q_proj", "lm_head"], use_dora=True),
        "embed_tokens": dict(target_modules=["q_proj", "embed_tokens"], rank_pattern={"embed_tokens": 2}),
        "learned whole": dict(target_modules=["q_proj"], modules_to_save=["embed_tokens", "lm_head"]),
    }

    def test_adapters_of_embedding_and_output(self):
        for name, settings in self.OUTER.items():
            for family in "qwen2", "qwen2, tied", "gemma3":
                if name == "embed_tokens" and family == "gemma3":
                    continue  # versions of PEFT differ there
                with self.subTest(name, family=family):
                    model = self.save(MODELS[family])
                    ids = self.ids()
                    with torch.no_grad():
                        before = copy.deepcopy(model).double()(ids).logits
                        peft = self.make_adapter(model, **settings)
                        exact = peft.double()(ids).logits
                    self.assertGreater(relative(before, exact), 1e-2)
                    ours = self.probe("logits", {"ids": ids}, "fp32", self.folder / "adapter")["logits"]
                    self.assertLess(relative(ours, exact), 1e-5)
                    if family == "qwen2":
                        self.merged_as_transformers_reads_it(ids, exact)

    def merged_as_transformers_reads_it(self, ids, exact):
        merged = self.folder / "merged"
        shutil.rmtree(merged, ignore_errors=True)
        run(TRAINER, "merge", "--base", self.folder / "model", "--adapter", self.folder / "adapter", "--output", merged)
        whole = AutoModelForCausalLM.from_pretrained(merged, attn_implementation="eager").double()
        with torch.no_grad():
            self.assertLess(relative(whole(ids).logits, exact), 1e-5)

    def test_gradients(self):
        for name, settings in self.VARIANTS.items():
            for family in "qwen2", "qwen3", "llama", "mistral, window", "gemma3":
                with self.subTest(name, family=family):
                    model = self.save(MODELS[family])
                    peft = self.make_adapter(model, **settings)
                    ids = self.ids()
                    labels = ids.clone()
                    labels[:, :5] = -100
                    labels[1, 15:] = -100
                    peft.zero_grad()
                    loss = peft.double()(ids, labels=labels).loss
                    loss.backward()
                    targets = torch.full_like(ids, -1)
                    targets[:, :-1] = labels[:, 1:]
                    targets[targets == -100] = -1
                    ours = self.probe("gradients", {"ids": ids, "targets": targets}, "fp32", self.folder / "adapter")
                    self.assertLess(relative(ours["loss"], loss.detach()), 1e-5)
                    seen = 0
                    for parameter_name, parameter in peft.named_parameters():
                        if parameter.grad is None:
                            continue
                        key = parameter_name.replace(".default", "")
                        key = key.replace("lora_magnitude_vector.weight", "lora_magnitude_vector")
                        self.assertLess(relative(ours[key], parameter.grad), 1e-4, key)
                        seen += 1
                    self.assertEqual(seen, len(ours) - 1)

    def test_checkpointed_gradients_have_the_same_bits(self):
        self.make_adapter(self.save(MODELS["qwen3"]))
        ids = self.ids()
        tensors = {"ids": ids, "targets": torch.roll(ids, -1, 1)}
        plain = self.probe("gradients", tensors, "fp32", self.folder / "adapter")
        checkpointed = self.probe("gradients", tensors, "fp32", self.folder / "adapter", "checkpointed")
        for name, gradient in plain.items():
            self.assertTrue(torch.equal(gradient, checkpointed[name]), name)


class TrainingTest(Scratch):
    UPDATES, RATE, DECAY, WARM_UP = 50, 3e-3, 0.1, 0.1

    def write_tokens(self, ids):
        (self.folder / "tokens.jsonl").write_text("".join(json.dumps({"input_ids": row}) + "\n" for row in ids.tolist()))

    def train(self, *more):
        run(TRAINER, "lora", "--base", self.folder / "model", "--tokens", self.folder / "tokens.jsonl", "--run-dir",
            self.folder / "run", "--precision", "fp32", "--threads", 1, "--validation-share", 0, "--progress", "none", *more)
        events = [json.loads(line) for line in (self.folder / "run" / "progress.jsonl").read_text().splitlines()]
        return [event["train_loss"] for event in events if event["event"] == "epoch_end"]

    def test_fifty_updates_are_those_of_transformers_and_peft(self):
        """AdamW, cosine with warm-up, clipping: an epoch is one update of four sequences in two micro-batches."""
        model = self.save(MODELS["qwen2"])
        peft = get_peft_model(model, LoraConfig(r=4, lora_alpha=10, target_modules=PROJECTIONS, task_type="CAUSAL_LM"))
        peft.save_pretrained(self.folder / "adapter")
        ids = self.ids(rows=4)
        self.write_tokens(ids)
        ours = self.train("--start-adapter", self.folder / "adapter", "--batch-size", 2, "--accumulation", 2, "--epochs",
                          self.UPDATES, "--learning-rate", self.RATE, "--weight-decay", self.DECAY, "--warm-up",
                          self.WARM_UP, "--clip-norm", 1)
        trained = [parameter for parameter in peft.parameters() if parameter.requires_grad]
        optimizer = torch.optim.AdamW(trained, lr=self.RATE, weight_decay=self.DECAY)
        schedule = get_cosine_schedule_with_warmup(optimizer, math.ceil(self.WARM_UP * self.UPDATES), self.UPDATES)
        theirs, clipped = [], 0
        for _ in range(self.UPDATES):
            loss = peft(ids, labels=ids).loss
            loss.backward()
            clipped += torch.nn.utils.clip_grad_norm_(trained, 1.0) > 1
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            theirs.append(loss.item())
        self.assertEqual(len(ours), self.UPDATES)
        self.assertGreater(clipped, 0)
        self.assertLess(theirs[-1], 0.8 * theirs[0])
        self.assertLess(max(abs(a - b) for a, b in zip(ours, theirs)), 1e-4)

    def test_an_adapter_of_ours_loads_in_peft_and_merges(self):
        for name, family, flags in [("plain", "qwen3", []), ("rslora", "qwen3", ["--rslora"]), ("dora", "qwen3", ["--dora"]),
                                    ("gemma", "gemma3", [])]:
            with self.subTest(name):
                self.save(MODELS[family])
                ids = self.ids(rows=4)
                self.write_tokens(ids)
                self.train("--epochs", 5, "--learning-rate", 1e-2, "--rank", 4, "--run-dir", self.folder / "run", *flags)
                adapter = self.folder / "run" / "adapter"
                base = AutoModelForCausalLM.from_pretrained(self.folder / "model", attn_implementation="eager")
                peft = PeftModel.from_pretrained(base, adapter).eval().double()
                ours = self.probe("logits", {"ids": ids}, "fp32", adapter)["logits"]
                with torch.no_grad():
                    self.assertLess(relative(ours, peft(ids).logits), 1e-5)
                    self.assertLess(relative(ours, peft.merge_and_unload()(ids).logits), 1e-5)
                    merged = self.folder / f"merged-{name}"
                    subprocess.run([TRAINER, "merge", "--base", self.folder / "model", "--adapter", adapter, "--output", merged],
                                   check=True, stdout=subprocess.DEVNULL)
                    whole = AutoModelForCausalLM.from_pretrained(merged, attn_implementation="eager").double()
                    self.assertLess(relative(ours, whole(ids).logits), 1e-5)
                    changed = relative(self.probe("logits", {"ids": ids}, "fp32")["logits"], ours)
                self.assertGreater(changed, 1e-3)

    def test_greedy_generation(self):
        for family in "llama", "gemma3":
            with self.subTest(family):
                self.generate_greedily(copy.deepcopy(MODELS[family]))

    def generate_greedily(self, config):
        model = self.save(config)
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
        tokenizer.train_from_iterator(
            ["to be or not to be, that is the question"] * 3,
            trainers.BpeTrainer(vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
        tokenizer.save(str(self.folder / "model" / "tokenizer.json"))
        prompt = "that is to be"
        done = run(TRAINER, "generate", "--base", self.folder / "model", "--prompt", prompt, "--precision", "fp32",
                   "--max-new-tokens", 24, "--format", "json")
        ids = torch.tensor([tokenizer.encode(prompt).ids])
        with torch.no_grad():
            theirs = model.generate(ids, do_sample=False, max_new_tokens=24)[0, ids.shape[1]:].tolist()
        if config.eos_token_id in theirs:
            theirs = theirs[:theirs.index(config.eos_token_id)]
        self.assertEqual(json.loads(done.stdout)["tokens"], theirs)


class TokenizerRulesTest(Scratch):
    """Which tokens stand around a text, by each version of transformers: its own rules of ebb-train give its tokens, or
    name a key."""

    RULES = "transformers-" + TRANSFORMERS.split(".")[0]
    TEXT = "to be or not to be"

    @classmethod
    def setUpClass(cls):
        cls.tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
        cls.tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
        cls.tokenizer.train_from_iterator([cls.TEXT] * 3, trainers.BpeTrainer(vocab_size=60, special_tokens=[
            "<unk>", "<s>", "</s>", "<bos>", "<eos>", "<pad>", "<mask>", "\u2581<PRE>", "\u2581<MID>", "\u2581<SUF>", "\u2581<EOT>"]))

    def around(self, ids):
        """Of the text itself, transformers 5 makes other tokens: some of its classes do not read tokenizer.json's steps."""
        return [self.tokenizer.id_to_token(number) for number in ids if 1 <= number <= 4]

    def write(self, config, special_map, model, template):
        tokenizer = Tokenizer.from_str(self.tokenizer.to_str())
        if template:
            tokenizer.post_processor = processors.TemplateProcessing(
                single=template, special_tokens=[(token, tokenizer.token_to_id(token)) for token in ("<s>", "</s>", "<bos>")])
        folder = self.folder / "tokenizer"
        folder.mkdir(exist_ok=True)
        tokenizer.save(str(folder / "tokenizer.json"))
        for name, content in {"tokenizer_config.json": config, "special_tokens_map.json": special_map,
                              "config.json": model}.items():
            (folder / name).unlink(missing_ok=True)
            if content is not None:
                (folder / name).write_text(json.dumps(content))
        return folder

    def outcome(self, drawn, *files):
        folder = self.write(*files)
        answer = Probe.ask("tokens", folder, self.RULES, self.TEXT)
        try:
            theirs = AutoTokenizer.from_pretrained(folder)(self.TEXT)["input_ids"]
        except Exception:  # transformers refuses it itself
            return "not drawn"
        if "error" in answer:
            self.assertTrue(any(key in answer["error"] for key in drawn), f"{drawn}: {answer}")
            return "refused"
        self.assertEqual(self.around(answer["ids"]), self.around(theirs), (drawn, files))
        if self.RULES == "transformers-4":
            self.assertEqual(answer["ids"], theirs)
        return "equal"

    KEYS = {"add_bos_token": [True, False], "add_eos_token": [True, False], "bos_token": ["<bos>", "</s>", None],
            "eos_token": ["<eos>", "<s>", None], "add_prefix_space": [True, False], "legacy": [True, False],
            "added_tokens_decoder": [{}]}
    CLASSES = ["LlamaTokenizer", "LlamaTokenizerFast", "GemmaTokenizer", "CodeLlamaTokenizer", "PreTrainedTokenizerFast",
               "Qwen2Tokenizer", "GPT2Tokenizer", "BloomTokenizer", None]
    MODELS = ["llama", "mistral", "qwen2", "qwen3", "gemma3_text"]

    def test_tokens_around_a_text(self):
        draw, outcomes = random.Random(5), []
        # The class of CodeLlama in transformers 5 writes <s> before every text, whatever tokenizer.json says.
        unlike = {"CodeLlamaTokenizer"} if self.RULES == "transformers-5" else set()
        classes = [name for name in self.CLASSES if name not in unlike]
        for _ in range(300):
            config = {key: draw.choice(self.KEYS[key]) for key in draw.sample(sorted(self.KEYS), draw.randint(0, 4))}
            name = draw.choice(classes)
            if name is not None:
                config["tokenizer_class"] = name
            special_map = draw.choice([None, None, {"bos_token": "<bos>"}, {"eos_token": {"content": "<eos>"}}])
            template = draw.choice([None, "<s> $A", "$A </s>", "<bos> $A </s>"])
            with self.subTest(config=config, special_map=special_map, template=template):
                outcomes.append(self.outcome({*config, "tokenizer_class"}, config, special_map,
                                             {"model_type": draw.choice(self.MODELS)}, template))
        counts = {name: outcomes.count(name) for name in ("equal", "refused", "not drawn")}
        print(f"\ntokens around a text, transformers {TRANSFORMERS}: {counts}")
        self.assertGreater(counts["equal"], 100)


class DrawnTest(Scratch):
    """Settings at random, of keys that Ebb reads and of others: it computes what the packages compute, or refuses by
    the name of a key that was drawn. EBB_DRAWS says how many, EBB_FIRST_DRAW where to begin; a draw is a function of its
    number."""

    DRAWS = int(os.environ.get("EBB_DRAWS", 300))
    FIRST = int(os.environ.get("EBB_FIRST_DRAW", 0))

    def draws(self):
        """Their numbers, each with its own generators."""
        for number in range(self.FIRST, self.FIRST + self.DRAWS):
            torch.manual_seed(number)
            yield random.Random(number)

    def outcome(self, theirs, drawn, *adapter):
        """ "equal" or "refused"; anything else fails."""
        ids = self.ids(length=20)
        with torch.no_grad():
            exact = theirs.double()(ids).logits
        save_file({"ids": ids}, self.folder / "input.safetensors")
        error = Probe.ask("logits", self.folder / "model", self.folder / "input.safetensors",
                          self.folder / "out.safetensors", "fp32", *adapter).get("error")
        if error is None:
            self.assertLess(relative(load_file(self.folder / "out.safetensors")["logits"], exact), 1e-5, drawn)
            return "equal"
        self.assertTrue(any(key in error for key in drawn), f"{drawn}: {error}")
        return "refused"

    def tell(self, what, outcomes):
        counts = {name: outcomes.count(name) for name in ("equal", "refused", "not drawn")}
        print(f"\n{what}, transformers {TRANSFORMERS}: {counts}")
        self.assertGreater(counts["equal"], self.DRAWS / 10)

    ADAPTER_KEYS = {
        "target_modules": [["q_proj"], ["self_attn.v_proj", "down_proj"], ["1.self_attn.k_proj"], ["proj", "o_proj"], "all-linear",
                           r".*\.(0|2)\..*_proj", r".*(q|v)_proj", r"model\.layers\.\d\.mlp\.(up|down)_proj", r".*layers\.[12].*proj",
                           ["q_proj", "lm_head"], ["q_proj", "embed_tokens"], r".*proj$", r"(?:.*\.)?(?!q_)\w_proj"],
        "exclude_modules": [["down_proj"], r".*\.1\..*", ["model.layers.0.self_attn.q_proj"], r".*k_proj"],
        "layers_to_transform": [[0], [1, 2], 2, [], [0, 7]],
        "rank_pattern": [{"q_proj": 2}, {r"layers\.1\..*": 6, "v_proj": 3}, {r"^model.*down_proj": 5}, {r".*\.[02]\..*": 7, "proj": 2}],
        "alpha_pattern": [{"v_proj": 3}, {r"(0|1)\.self_attn\.\w_proj": 20, r"^.*mlp.*": 1}],
        "use_rslora": [True], "use_dora": [True], "lora_bias": [True], "bias": ["all", "lora_only"],
        "modules_to_save": [["lm_head"], ["norm"], ["embed_tokens"], ["embed_tokens", "lm_head"]], "init_lora_weights": [False, "gaussian", "olora", "pissa"],
        "layer_replication": [[[0, 2], [1, 3]]], "trainable_token_indices": [[3, 5]],
    }

    def test_drawn_adapters(self):
        outcomes = []
        for draw in self.draws():
            family = draw.choice(["qwen2", "qwen3", "llama", "gemma3"])
            settings = {"target_modules": ["q_proj", "up_proj"]}
            for key in draw.sample(sorted(self.ADAPTER_KEYS), draw.randint(1, 4)):
                settings[key] = draw.choice(self.ADAPTER_KEYS[key])
            with self.subTest(family, settings=settings):
                try:
                    peft = self.make_adapter(self.save(MODELS[family]), **settings)
                    with torch.no_grad():
                        peft(self.ids(length=20))
                except Exception:  # PEFT or transformers refuses it itself
                    outcomes.append("not drawn")
                    continue
                # Modules that target_modules chose have their names in the message.
                named = {*settings, "lm_head", "embed_tokens"} if "target_modules" in settings else set(settings)
                outcomes.append(self.outcome(peft, named, self.folder / "adapter"))
        self.tell("drawn adapters", outcomes)

    ROPES = [dict(rope_type="linear", factor=2.0), dict(rope_type="dynamic", factor=2.0), LLAMA3, dict(rope_type="default"),
             dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=16), dict(rope_type="linear"),
             dict(rope_type="yarn", factor=2.0, mscale=0.7, mscale_all_dim=0.5), dict(rope_type="longrope", factor=2.0),
             dict(rope_type="default", rope_theta=500.0), dict(rope_type="linear", factor=3.0, partial_rotary_factor=0.5)]
    # By type of layer, as transformers 5 writes them of Gemma 3.
    TYPED_ROPES = [dict(full_attention=dict(rope_type="linear", factor=4.0, rope_theta=5e5)),
                   dict(sliding_attention=dict(rope_type="default", rope_theta=50.0), full_attention=dict(rope_type="default")),
                   dict(sliding_attention=dict(rope_type="linear", factor=4.0))]
    CONFIG_KEYS = {
        "rope_scaling": ROPES, "rope_parameters": ROPES + TYPED_ROPES, "rope_theta": [10.0, 5e5], "partial_rotary_factor": [0.5, 1.0],
        "tie_word_embeddings": [True, False], "rms_norm_eps": [1e-3, 1e-6], "hidden_act": ["silu", "gelu", "relu"],
        "attention_bias": [True, False], "mlp_bias": [True, False], "sliding_window": [8, None, 64], "use_sliding_window": [True, False],
        "max_window_layers": [1, 9], "max_position_embeddings": [16, 512], "original_max_position_embeddings": [8],
        "attention_dropout": [0.1, 0.0], "is_causal": [False], "final_logit_softcapping": [5.0], "logits_scaling": [2.0],
        "residual_multiplier": [0.5], "no_rope_layers": [[1, 0, 1]], "num_experts": [4], "pretraining_tp": [1, 2],
        "layer_types": [["full_attention"] * 3, ["full_attention", "sliding_attention", "full_attention"]],
        "head_dim": [16, None], "num_key_value_heads": [2], "initializer_range": [0.5], "use_cache": [False],
        "query_pre_attn_scalar": [16, 256], "rope_local_base_freq": [10.0, 1e4], "sliding_window_pattern": [1, 2],
        "hidden_activation": ["gelu_pytorch_tanh", "silu"], "attn_logit_softcapping": [30.0],
        "use_bidirectional_attention": [True, False], "cache_implementation": ["hybrid"],
        "torch_dtype": ["bfloat16"], "dtype": ["float32"], "key_of_tomorrow": [1, None], "quantization_config": [None],
    }

    def test_drawn_configurations(self):
        outcomes = []
        # transformers 4 does not know rope_parameters; Ebb follows transformers 5 (docs/language-models.md).
        unknown = {"rope_parameters"} if TRANSFORMERS.startswith("4.") else set()
        keys = sorted(set(self.CONFIG_KEYS) - unknown)
        for draw in self.draws():
            family = draw.choice(["qwen2", "qwen3", "llama", "mistral", "gemma3"])
            settings = {key: draw.choice(self.CONFIG_KEYS[key]) for key in draw.sample(keys, draw.randint(1, 3))}
            with self.subTest(family, settings=settings):
                self.save(MODELS[family])
                file = self.folder / "model" / "config.json"
                file.write_text(json.dumps(json.loads(file.read_text()) | settings))
                try:
                    theirs, loading = AutoModelForCausalLM.from_pretrained(
                        self.folder / "model", dtype=torch.float32, attn_implementation="eager", output_loading_info=True)
                    with torch.no_grad():
                        theirs(self.ids(length=20))
                except Exception:  # transformers refuses it itself
                    outcomes.append("not drawn")
                    continue
                if loading["missing_keys"] or loading["unexpected_keys"] or loading["mismatched_keys"]:
                    outcomes.append("not drawn")  # it asks for other weights than the file has
                    continue
                # Other words for the same: a rope's keys, a head's size, a window, ties.
                words = {"rope", "factor", "original_positions", "window", "rotary", "head", "tie", "lm_head"}
                outcomes.append(self.outcome(theirs.eval(), {*settings, *words}))
        self.tell("drawn configurations", outcomes)


WHEEL = Path(os.environ["EBB_BUILD"]).name == "torch"  # ebb-train with the LibTorch of this environment


@unittest.skipUnless(WHEEL, "torchrun of another PyTorch does not speak with this ebb-train")
class TorchrunTest(Scratch):
    """ebb-train started by the real torchrun, alone and measured by ebb run."""

    RANKS = [Path(sys.prefix) / "bin" / "torchrun", "--no-python", "--nproc-per-node", "2", "--standalone"]
    TRAINING = ["--model", "mlp", "--data", "digits", "--train-samples", "640", "--test-samples", "100", "--batch-size", "8",
                "--accumulation", "4", "--seed", "3", "--threads", "1", "--progress", "none", "--epochs", "4",
                "--learning-rate", "0.0003"]

    def alone(self):
        subprocess.run([TRAINER, *self.TRAINING, "--run-dir", self.folder / "alone"], check=True, stdout=subprocess.DEVNULL)
        return self.loss(self.folder / "alone")

    @staticmethod
    def loss(run):
        return json.loads((run / "train_result.json").read_text())["final_loss"]

    @staticmethod
    def wait_for_step(run, step):
        """Until so many updates are done: at most five a second have a line, so this one may have none."""
        progress = run / "progress.jsonl"
        while not progress.exists() or max(map(int, re.findall(r'"step":(\d+),', progress.read_text())), default=0) < step:
            time.sleep(0.02)

    @staticmethod
    def loss_of_first_epoch(run):
        events = map(json.loads, (run / "progress.jsonl").read_text().splitlines())
        return next(event["train_loss"] for event in events if event["event"] == "epoch_end")

    def test_two_ranks_learn_what_one_process_learns(self):
        run = self.folder / "two"
        subprocess.run([*self.RANKS, TRAINER, *self.TRAINING, "--run-dir", run], check=True,
                       stdout=subprocess.DEVNULL)
        # Ranks add in another order, and Adam makes ten times as much of the rounding in each further epoch.
        self.assertAlmostEqual(self.loss(run), self.alone(), delta=1e-3)
        self.assertAlmostEqual(self.loss_of_first_epoch(run), self.loss_of_first_epoch(self.folder / "alone"), delta=1e-6)

    def test_a_lost_rank_costs_a_restart(self):
        run = self.folder / "restarted"
        command = [*self.RANKS, "--max-restarts", "1", TRAINER, *self.TRAINING, "--run-dir", run]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as launcher:
            self.wait_for_step(run, 30)
            ranks = subprocess.run(["pgrep", "-P", str(launcher.pid), "-f", "ebb-train"], stdout=subprocess.PIPE, text=True,
                                   check=True).stdout.split()
            os.kill(int(ranks[1]), signal.SIGKILL)
        self.assertEqual(launcher.returncode, 0)
        begins = [json.loads(line)["event"] for line in (run / "progress.jsonl").read_text().splitlines()]
        self.assertEqual(begins.count("epoch_end"), 4, "it went on from its checkpoint")
        self.assertAlmostEqual(self.loss(run), self.alone(), delta=1e-3)

    def test_ebb_run_pauses_and_resumes_all_ranks_as_one(self):
        command = [EBB, "run", "--constant", "100", "--", *self.RANKS, TRAINER, *self.TRAINING]
        environment = os.environ | {"EBB_CONFIG": "none", "EBB_ZONE": "DE"}
        with subprocess.Popen(command, cwd=self.folder, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as ebb:
            while not (runs := list(self.folder.glob("runs/*"))):
                time.sleep(0.02)
            self.wait_for_step(runs[0], 30)
            ebb.send_signal(signal.SIGTERM)
        self.assertEqual(ebb.returncode, 75)
        subprocess.run([EBB, "resume", runs[0]], cwd=self.folder, env=environment, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        outcomes = [json.loads(line).get("outcome") for line in (runs[0] / "attempts.jsonl").read_text().splitlines()]
        self.assertEqual([outcome for outcome in outcomes if outcome], ["paused", "done"])
        self.assertAlmostEqual(self.loss(runs[0]), self.alone(), delta=1e-3)
        subprocess.run([EBB, "audit", runs[0]], env=environment, check=True, stdout=subprocess.DEVNULL)


@unittest.skipIf(WHEEL or not TorchrunTest.RANKS[0].exists(), "needs the torchrun of another PyTorch")
class OtherTorchrunTest(Scratch):
    def test_a_launcher_that_does_not_answer_is_said_to_be_of_another_pytorch(self):
        command = [*TorchrunTest.RANKS, TRAINER, *TorchrunTest.TRAINING, "--run-dir", self.folder / "run"]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=300)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("may be of another PyTorch than this program's LibTorch", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
