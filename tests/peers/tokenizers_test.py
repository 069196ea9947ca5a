"""ebb-train's tokens and text data beside `tokenizers`, `transformers` and NumPy.

Run by ./dev peers tokenizers, which makes the environment (tokenizers.txt) and sets EBB_LIBRARY. The tokenizers are
trained here (trained_tokenizers.py). EBB_STRINGS and EBB_LINES say how many texts are compared; bench/tokenizers takes
a million and a hundred thousand, and prints the speed too.
"""

import importlib.metadata
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error", TOKENIZERS_PARALLELISM="false")

import numpy
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast
from transformers.utils.chat_template_utils import render_jinja_template

import trained_tokenizers

# The package itself needs PyTorch; its templates are files.
TEMPLATES = Path(importlib.metadata.distribution("trl").locate_file("trl")) / "chat_templates"

PROGRAM = Path(os.environ["EBB_LIBRARY"]).parents[1] / "bin" / "text_peer"
STRINGS = int(os.environ.get("EBB_STRINGS", 20000))
LINES = int(os.environ.get("EBB_LINES", 5000))
VOCABULARY = 6000
CHUNK = 20000

SPECIAL = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<tool_call>", "<think>", "<word>", "<left>", "<right>", "<caf\u00e9>",
           "<cafe\u0301>", "<|begin_of_text|>", "<|eot_id|>", "<s>", "</s>", "<0x0A>", "<extra>", "<|im_", "|>", "\u2581", "<start_of_turn>",
           "<end_of_turn>", "<h1>", "\n\n", "  "]
BLOCKS = [
    range(32, 127), range(32, 127), range(48, 58), range(0xA0, 0x250), range(0x300, 0x370), range(0x370, 0x600),
    range(0x600, 0x1000), range(0x1000, 0x1200), range(0x1100, 0x1200), range(0x2000, 0x2C00), range(0x3000, 0x3100),
    range(0x4E00, 0x9FFF), range(0xAC00, 0xD7A4), range(0xF900, 0xFB00), range(0xFE00, 0x10000), range(0x10000, 0x12000),
    range(0x1D000, 0x1F000), range(0x1F000, 0x20000), range(0x20000, 0x33000), range(0, 0xD800), range(0xE000, 0x110000),
    [9, 10, 13, 32, 32, 32, 0x85, 0xA0, 0x1680, 0x180E, 0x2003, 0x2028, 0x3000, 0xB, 0xC, 0x200D, 0x200C, 0xFEFF],
    [ord(c) for c in "'sStTrRemMlLdDvV\u017f\u212a"],
]


def random_text(draw):
    parts = []
    for _ in range(draw.randint(1, 6)):
        if draw.random() < 0.12:
            parts.append(draw.choice(SPECIAL))
            continue
        block = draw.choice(BLOCKS)
        length = draw.randint(1, 12) if draw.random() < 0.98 else draw.randint(50, 300)
        parts.append("".join(chr(draw.choice(block)) for _ in range(length)))
    return "".join(parts)


def lines_of_code_and_chat(draw, count):
    """The lines of this checkout, and turns of chats in both forms made of its documents."""
    files = subprocess.run(["git", "ls-files", "src", "tests", "docs", "python", "web"], cwd=trained_tokenizers.TREE,
                           capture_output=True, text=True, check=True).stdout.split()
    code, prose = [], []
    for name in sorted(files):
        path = trained_tokenizers.TREE / name
        if path.suffix in {".cc", ".h", ".py", ".js", ".css", ".html", ".md", ".txt"} and "golden" not in name:
            lines = path.read_text().splitlines(keepends=True)
            (prose if path.suffix == ".md" else code).extend(line for line in lines if line.strip())
    chats = []
    while len(code) + len(chats) < count or len(chats) < count // 5:
        question, answer = "".join(draw.sample(prose, 2)), "".join(draw.sample(prose, 3))
        chats.append(draw.choice([
            f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n{answer}<|im_end|>\n",
            f"<|start_header_id|>user<|end_header_id|>\n\n{question}<|eot_id|>",
        ]))
    draw.shuffle(code)
    return code[:count - count // 5] + chats[:count - len(code[:count - count // 5])]


def run(*arguments, lines=()):
    ran = subprocess.run([PROGRAM, *map(str, arguments)], input="".join(json.dumps(line) + "\n" for line in lines),
                         capture_output=True, text=True)
    if ran.returncode != 0:
        raise AssertionError(ran.stderr)
    return [json.loads(line) for line in ran.stdout.split("\n")[:-1]]


class InFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.tokenizers = {}
        for name, make in trained_tokenizers.FAMILIES.items():
            (cls.folder / name).mkdir()
            cls.tokenizers[name] = make(VOCABULARY)
            cls.tokenizers[name].save(str(cls.folder / name / "tokenizer.json"))


class EncodingTest(InFolder):
    def differences(self, name, texts):
        """How many texts are other tokens, or another text again."""
        theirs, different = self.tokenizers[name], 0
        for begin in range(0, len(texts), CHUNK):
            chunk = texts[begin:begin + CHUNK]
            ours = run("encode", self.folder / name, lines=chunk)
            self.assertEqual(len(ours), len(chunk))
            for text, mine, encoding in zip(chunk, ours, theirs.encode_batch(chunk)):
                same = (mine["ids"] == encoding.ids and mine["bare"] == theirs.decode(encoding.ids)
                        and mine["text"] == theirs.decode(encoding.ids, skip_special_tokens=False))
                if not same:
                    different += 1
                    if different < 4:
                        print(name, ascii(text), mine["ids"], encoding.ids, file=sys.stderr)
        return different

    def compare(self, what, texts):
        characters = sum(map(len, texts))
        for name in trained_tokenizers.FAMILIES:
            different = self.differences(name, texts)
            print(f"{name}: {len(texts):,} {what} ({characters:,} characters): {different} different from tokenizers")
            self.assertEqual(different, 0)

    def test_random_unicode_strings_are_the_same_tokens(self):
        draw = random.Random(20261124)
        self.compare("random Unicode strings", [random_text(draw) for _ in range(STRINGS)])

    def test_lines_of_code_and_chat_are_the_same_tokens(self):
        self.compare("lines of code and chat", lines_of_code_and_chat(random.Random(7), LINES))

    def test_merges_of_the_older_form_are_read(self):
        path = self.folder / "older"
        path.mkdir()
        whole = json.loads((self.folder / "qwen" / "tokenizer.json").read_text())
        merges = whole["model"]["merges"]
        whole["model"]["merges"] = [" ".join(pair) if isinstance(pair, list) else pair.split(" ") for pair in merges]
        (path / "tokenizer.json").write_text(json.dumps(whole))
        texts = lines_of_code_and_chat(random.Random(8), 300)
        self.assertEqual(run("encode", path, lines=texts), run("encode", self.folder / "qwen", lines=texts))


@unittest.skipUnless(os.environ.get("EBB_SPEED"), "EBB_SPEED is not set: bench/tokenizers sets it")
class SpeedTest(InFolder):
    def test_speed(self):
        texts = ["".join(lines_of_code_and_chat(random.Random(i), 400)) for i in range(40)]
        for name in trained_tokenizers.FAMILIES:
            ours, theirs = [], []
            for _ in range(3):
                (mine,) = run("speed", self.folder / name, lines=texts)
                ours.append(mine["bytes"] / mine["processor_seconds"] / 1e6)
                begin = time.process_time()
                tokens = sum(len(self.tokenizers[name].encode(text).ids) for text in texts)
                theirs.append(mine["bytes"] / (time.process_time() - begin) / 1e6)
                self.assertEqual(tokens, mine["tokens"])
            ours, theirs = sorted(ours)[1], sorted(theirs)[1]
            print(f"{name}: {ours:.1f} MB/s of processor time, tokenizers {theirs:.1f} MB/s ({ours / theirs:.2f}x)")


def help_steer(count):
    """Records in the shape of nvidia/HelpSteer2."""
    draw = random.Random(3)
    text = "".join(lines_of_code_and_chat(random.Random(9), 3000))
    records = []
    for _ in range(count):
        begin, length = draw.randrange(len(text) - 4000), draw.randint(5, 3000)
        records.append({
            "prompt": text[begin:begin + draw.randint(5, 700)], "response": text[begin + 700:begin + 700 + length],
            **{name: draw.randint(0, 4) for name in ("helpfulness", "correctness", "coherence", "complexity", "verbosity")},
        })
    return records


class RecipeTest(InFolder):
    """The published sweep's preparation, in plain Python: the first 5,000 records, 80/20 by datasets.train_test_split,
    one text, 512 tokens, padded to the longest allowed; its labels are the tokens, padding included."""

    def theirs(self, name, records, padding):
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_file=str(self.folder / name / "tokenizer.json"), pad_token=padding, eos_token=padding)
        records = records[:5000]
        held_out = math.ceil(0.2 * len(records))
        order = numpy.random.default_rng(42).permutation(len(records))  # as datasets draws it
        for indices in (order[held_out:], order[:held_out]):
            texts = [f"### Instruction:\n{records[i]['prompt']}\n\n### Response:\n{records[i]['response']}" for i in indices]
            yield tokenizer(texts, truncation=True, max_length=512, padding="max_length")

    def test_help_steer_gives_the_batches_of_the_published_recipe(self):
        records = help_steer(600)
        for name, padding in (("qwen", "<|endoftext|>"), ("llama3", "<|end_of_text|>")):
            (self.folder / name / "tokenizer_config.json").write_text(json.dumps({"eos_token": padding, "pad_token": padding}))
            file = self.folder / "train.jsonl"
            file.write_text("".join(json.dumps(record) + "\n" for record in records))
            ours = run("batches", self.folder / name, file, "helpsteer2")
            for mine, theirs in zip(ours, self.theirs(name, records, padding)):
                rows = [row for batch in mine["batches"] for row in batch["ids"]]
                self.assertEqual(rows, theirs["input_ids"])
                self.assertEqual([row for batch in mine["batches"] for row in batch["attention_mask"]], theirs["attention_mask"])
                # Labels equal to the tokens, padding included: all count but the first, which transformers shifts away.
                for batch in mine["batches"]:
                    for row in batch["loss_mask"]:
                        self.assertEqual(row, [0] + [1] * 511)
            corrected = run("batches", self.folder / name, file, "prompt-response")
            for mine, theirs in zip(corrected, self.theirs(name, records, padding)):
                at = 0
                for batch in mine["batches"]:
                    longest = max(sum(mask) for mask in theirs["attention_mask"][at:at + len(batch["ids"])])
                    for ids, loss in zip(batch["ids"], batch["loss_mask"]):
                        self.assertEqual(ids, theirs["input_ids"][at][:longest])
                        self.assertEqual(loss, [0] + theirs["attention_mask"][at][1:longest])
                        at += 1
                self.assertEqual(at, len(theirs["input_ids"]))
            print(f"{name}: {len(records)} records in the shape of HelpSteer2: the same splits, batches and masks")


def says(role, content):
    return {"role": role, "content": content}


CHATS = [
    [says("user", "What is 2+2?"), says("assistant", "Four.")],
    [says("system", "Be brief."), says("user", "Hi"), says("assistant", "Hello there.")],
    [says("user", "What is 2+2?"), says("assistant", "Four."), says("user", "And 3+3?"), says("assistant", "Six, of course."),
     says("user", "Thanks"), says("assistant", "You are welcome.")],
    [says("user", "What is 2+2?"), says("assistant", "<think>\nlet me add\n</think>\n\nFour."), says("user", "And 3+3?"),
     says("assistant", "<think>\nsix?\n</think>\n\nSix.")],
    [says("user", "Say yes"), says("assistant", "yes"), says("user", "Say yes again: yes"), says("assistant", "yes"),
     says("user", "yes"), says("assistant", "yes")],
]
SPECIAL_TEXTS = {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}


class LearnedTurnsTest(InFolder):
    """What of a chat is learned, beside the templates that TRL has patched for its assistant-only loss: real templates
    with {% generation %} around what the assistant says, and the same templates as their models have them."""

    # Templates that write the day's date, which Ebb refuses or leaves out.
    WITH_A_DATE = {"gptoss", "muse_glimmer"}

    def setUp(self):
        (self.folder / "qwen" / "tokenizer_config.json").write_text(json.dumps(SPECIAL_TEXTS))

    def ours(self, template):
        return run("marks", self.folder / "qwen", lines=[{"template": template, "record": {"messages": chat}} for chat in CHATS])

    @staticmethod
    def theirs(template, chat, **more):
        """The text, and which characters the template marks; nothing where it refuses the chat."""
        try:
            texts, spans = render_jinja_template([chat], chat_template=template, return_assistant_tokens_mask=True,
                                                 **SPECIAL_TEXTS, **more)
        except Exception:
            return None, None
        return texts[0], merged(spans[0])

    def test_turns_are_learned_as_trl_marks_them(self):
        same, openings, rewritten, families = 0, 0, 0, set()
        for patched in sorted(TEMPLATES.glob("*_training.jinja")):
            family = patched.name.removesuffix("_training.jinja")
            if family in self.WITH_A_DATE:
                continue
            marking, plain = patched.read_text(), (TEMPLATES / f"{family}.jinja").read_text()
            for chat, marked, found in zip(CHATS, self.ours(marking), self.ours(plain)):
                with self.subTest(family, chat=chat):
                    text, learned = self.theirs(marking, chat)
                    if text is None:
                        self.assertIn("error", marked)
                        continue
                    self.assertEqual(marked["text"], text)
                    self.assertEqual(characters(marked), learned)
                    families.add(family)
                    same += 1
                    if self.theirs(plain, chat)[0] != text:  # the patch writes earlier turns otherwise
                        rewritten += 1
                        continue
                    self.assertEqual(found["text"], text)
                    self.assertEqual(found["not_found"], 0)
                    mine = characters(found)
                    self.assertEqual([end for _, end in mine], [end for _, end in learned])
                    # TRL also learns what the generation prompt has written already (that the turn begins, or
                    # "<think>"), and that a template writes no thoughts.
                    opened, _ = self.theirs(plain, chat[:-1], add_generation_prompt=True)
                    for (begin, _), (their_begin, _) in zip(mine, learned):
                        before = text[their_begin:begin]
                        openings_of_a_turn = (opened, opened.removesuffix("<think>\n"))
                        self.assertTrue(any(one.endswith(before) for one in openings_of_a_turn) or
                                        re.fullmatch(r"<think>\s*</think>\s*", before),
                                        (before, opened))
                        openings += begin != their_begin
        self.assertGreaterEqual(len(families), 20)
        print(f"{len(families)} families, {same} chats: the marked turns of TRL; unpatched, {openings} turns begin behind the "
              f"opening that TRL learns too, and {rewritten} chats are written otherwise")


def merged(spans):
    result = []
    for begin, end in sorted(map(list, spans)):
        if result and result[-1][1] == begin:
            result[-1][1] = end
        elif begin < end:
            result.append([begin, end])
    return result


def characters(marked):
    """Ranges of characters from those of bytes."""
    data = marked["text"].encode()
    return merged([len(data[:begin].decode()), len(data[:end].decode())] for begin, end in marked["answers"])


if __name__ == "__main__":
    unittest.main()
