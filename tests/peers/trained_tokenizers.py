"""Tokenizers with the published pre-tokenizers of the Qwen 2/2.5/3 and Llama 3 families, of Llama 2 and of Gemma 3, trained here.

`trained_tokenizers.py FOLDER TOKENS` writes qwen.json, llama3.json, llama2.json and gemma.json, and CASES of them with what the
`tokenizers` package makes of each (tests/golden/tokenizers: TOKENS is 420).
"""

import json
import sys
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TREE = Path(__file__).resolve().parents[2]
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN_WORDS = WORDS.format(digits="")
LLAMA3_WORDS = WORDS.format(digits="{1,3}")
FOREIGN = "Grüße aus Zürich — 東京の天気は晴れ。 Привет, мир! नमस्ते दुनिया 🙂👩‍🚀 café cafe\u0301 ﷽ 안녕 "

CASES = [
    "", " ", "  ", "a", "Hello, world!", " Hello  world ", "I'm sure they'LL say it'S 12345 o'clock\r\n\r\n  indented\n",
    "int main() {\n\treturn 0;  // done\n}\n", "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
    "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>", "a<|im_start|><|im_end|>b<|im_",
    "x <mask> y", "x<mask>y word wordy <word> a<word>b <word>\u00e9 cafe\u0301 caf\u00e9 <caf\u00e9> <cafe\u0301>", "   <left>   <right>   z", "<extra>", "a <extra> b<extra>",
    FOREIGN, "\u1112\u1161\u11ab \u0344\u0327 \u212b \u2126 \uf900 \U0001d15e a\u0301\u0327 a\u0327\u0301", "\uac00\u11a7\u11a8",
    "tabs\t\tand\u00a0spaces\u2003\u3000\u180e\u0085\x0b\x0c", "emoji 🙂🙃👨‍👩‍👧‍👦 flags 🇨🇭", "\u0000\u0001\u007f\ufffd\ufeff",
    "'\u017f 'K \u2468\u00b2\u00be \u0967\u0968 \U0001ccf0 \U00031350 \u1c89 \U0001e5f1", "a" * 200, " " * 120 + "x", "1234567890" * 9,
    "\n" * 50, "=" * 90 + "\r\n", "über" * 30,
]


def corpus():
    for path in sorted((TREE / "src" / "base").glob("*.cc")) + sorted((TREE / "docs").glob("[a-m]*.md")):
        yield path.read_text()
    for _ in range(20):
        yield FOREIGN


def byte_level(words, tokens, **model):
    tokenizer = Tokenizer(models.BPE(**model))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(words), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=tokens, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(corpus(), trainer)
    return tokenizer


def qwen(tokens):
    tokenizer = byte_level(QWEN_WORDS, tokens)
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    tokenizer.add_tokens([
        AddedToken("<tool_call>", normalized=False), AddedToken("<think>", normalized=False),
        AddedToken("<word>", single_word=True, normalized=False), AddedToken("<left>", lstrip=True, normalized=False),
        AddedToken("<right>", rstrip=True, normalized=False), AddedToken("<cafe\u0301>", normalized=True),
    ])
    return tokenizer


def llama3(tokens):
    tokenizer = byte_level(LLAMA3_WORDS, tokens, ignore_merges=True)
    tokenizer.add_special_tokens(
        ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"])
    begin = ("<|begin_of_text|>", tokenizer.token_to_id("<|begin_of_text|>"))
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<|begin_of_text|> $A", special_tokens=[begin]),
    ])
    return tokenizer


def with_bytes(tokenizer, tokens, names, pre_tokenizer):
    """The tokenizer with the vocabulary of a corpus, cut into words by the pre-tokenizer, behind these names and the bytes."""
    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizer
    words.train_from_iterator(corpus(), trainers.BpeTrainer(vocab_size=tokens, limit_alphabet=100, show_progress=False))
    model = json.loads(words.to_str())["model"]
    whole = json.loads(tokenizer.to_str())
    names = names + [f"<0x{byte:02X}>" for byte in range(256)]
    whole["model"]["vocab"] = {name: i for i, name in enumerate(names + sorted(model["vocab"], key=model["vocab"].get))}
    whole["model"]["merges"] = model["merges"]
    return Tokenizer.from_str(json.dumps(whole))


def llama2(tokens):
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
    tokenizer.decoder = decoders.Sequence([
        decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    tokenizer = with_bytes(tokenizer, tokens, ["<unk>", "<s>", "</s>"], pre_tokenizers.Metaspace())
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    tokenizer.add_tokens([AddedToken("<extra>", normalized=True), AddedToken("<word>", single_word=True, normalized=False)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return tokenizer


def gemma(tokens):
    """As Gemma 3: no prefix before a text, blank lines and tags as added tokens."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer = with_bytes(tokenizer, tokens, ["<pad>", "<eos>", "<bos>", "<unk>"],
                           pre_tokenizers.Metaspace(prepend_scheme="never"))
    tokenizer.add_special_tokens(["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>"])
    tokenizer.add_tokens([AddedToken("\n\n", normalized=False), AddedToken("\u2581\u2581", normalized=False),
                          AddedToken("<h1>", normalized=False), AddedToken("<extra>", normalized=True)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<bos> $A", special_tokens=[("<bos>", 2)])
    return tokenizer


FAMILIES = {"qwen": qwen, "llama3": llama3, "llama2": llama2, "gemma": gemma}


def main(folder, tokens):
    for name, make in FAMILIES.items():
        tokenizer = make(tokens)
        tokenizer.save(str(folder / f"{name}.json"), pretty=False)
        with open(folder / f"{name}.cases.jsonl", "w", encoding="ascii") as cases:
            for text in CASES:
                ids = tokenizer.encode(text).ids
                whole, bare = tokenizer.decode(ids, skip_special_tokens=False), tokenizer.decode(ids)
                print(json.dumps({"text": text, "ids": ids, "decoded": whole, "bare": bare}), file=cases)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
