"""Small Qwen2 models with random weights, in the layout of Hugging Face, and something for them to learn."""

import array
import json
import os
import random
import struct
import subprocess

from train_runs import environment

BYTES = 256


def shapes(config):
    hidden, head = config["hidden_size"], config["hidden_size"] // config["num_attention_heads"]
    yield "model.embed_tokens.weight", [config["vocab_size"], hidden]
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}."
        for norm in ("input_layernorm", "post_attention_layernorm"):
            yield f"{prefix}{norm}.weight", [hidden]
        pairs = head * config["num_key_value_heads"]
        for name, rows in (("q", hidden), ("k", pairs), ("v", pairs)):
            yield f"{prefix}self_attn.{name}_proj.weight", [rows, hidden]
            yield f"{prefix}self_attn.{name}_proj.bias", [rows]
        yield f"{prefix}self_attn.o_proj.weight", [hidden, hidden]
        for name, shape in (("gate", [config["intermediate_size"], hidden]),
                            ("up", [config["intermediate_size"], hidden]),
                            ("down", [hidden, config["intermediate_size"]])):
            yield f"{prefix}mlp.{name}_proj.weight", shape
    yield "model.norm.weight", [hidden]


def write_model(folder, hidden, intermediate, layers, heads, vocabulary):
    """Normal weights in fp32, norms of 1, biases of 0. Embeddings, which the output shares, let narrow models be as
    sure of a token as wide ones."""
    os.makedirs(folder)
    config = {"model_type": "qwen2", "vocab_size": vocabulary, "hidden_size": hidden, "intermediate_size": intermediate,
              "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": heads // 2,
              "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "rope_theta": 1e6, "hidden_act": "silu",
              "tie_word_embeddings": True, "eos_token_id": 0}
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    generator, header, data, end = random.Random(1), {}, [], 0
    for name, shape in shapes(config):
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        constant = 1.0 if "norm" in name else 0.0 if name.endswith("bias") else None
        deviation = 12.8 / hidden if "embed" in name else 0.05
        values = array.array("f", [generator.gauss(0, deviation) if constant is None else constant
                                   for _ in range(count)])
        data.append(values.tobytes())
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + 4 * count]}
        end += 4 * count
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(folder, "model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def write_model_of_transformers(python, folder, config):
    """A Qwen2 model with the random weights that transformers gives it, saved by it, in fp32."""
    program = ("import json, sys; from transformers import AutoModelForCausalLM, Qwen2Config; "
               "AutoModelForCausalLM.from_config(Qwen2Config(**json.loads(sys.argv[2]), tie_word_embeddings=True,"
               " max_position_embeddings=512)).save_pretrained(sys.argv[1])")
    subprocess.run([python, "-c", program, folder, json.dumps(config)], check=True, env=environment())


def write_byte_tokenizer(folder):
    """A token for each byte: byte-level BPE without merges."""
    plain = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(BYTES) if byte not in plain]
    letters = {byte: chr(byte) for byte in plain} | {byte: chr(BYTES + i) for i, byte in enumerate(others)}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    with open(os.path.join(folder, "tokenizer.json"), "w", encoding="utf-8") as file:
        json.dump({"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
                   "pre_tokenizer": level, "post_processor": level, "decoder": level,
                   "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                             "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
                             "vocab": {letters[byte]: byte for byte in range(BYTES)}, "merges": []}}, file)


def write_tokens(path, seed, count, length, vocabulary, next_token):
    """Sequences that a token and a step decide; which token follows, `next_token` says."""
    generator = random.Random(seed)
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(count):
            ids, step = [generator.randrange(3, vocabulary)], generator.randrange(1, 20)
            while len(ids) < length:
                ids.append(3 + next_token(ids, step) % (vocabulary - 3))
            file.write(json.dumps({"input_ids": ids}) + "\n")


def write_model_for_speed(folder, config):
    """A model in bf16 whose weights only have a sound scale: a block of normal numbers, again and again. Seconds for
    half a billion of them, without any library."""
    os.makedirs(folder)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump({**config, "torch_dtype": "bfloat16"}, file)
    generator = random.Random(1)
    block = b"".join(struct.pack("<f", generator.gauss(0, 0.02))[2:] for _ in range(1 << 16))
    header, sizes, end = {}, [], 0
    for name, shape in shapes(config):
        size = 2 * shape[0] * (shape[1] if len(shape) > 1 else 1)
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [end, end + size]}
        sizes.append((name, size))
        end += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(os.path.join(folder, "model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, size in sizes:
            one = struct.pack("<f", 1)[2:] if "norm" in name else block
            file.write((one * -(-size // len(one)))[:size])
