"""Greedy generation with a model of transformers and its cache of keys and values, for bench/generate-speed to compare
ebb-train with. The loop is this one: `generate` of transformers does not start with Debian 12's PyTorch. Prints one line of
JSON."""

import argparse
import json
import os
import time

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")

import torch
import transformers
from transformers import AutoModelForCausalLM


@torch.no_grad()
def generate(model, ids, tokens):
    cache, chosen = None, []
    while len(chosen) < tokens:
        step = model(input_ids=ids, past_key_values=cache, use_cache=True)
        cache, ids = step.past_key_values, step.logits[:, -1:].argmax(-1)
        chosen.append(ids.item())
    return chosen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", required=True)
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="bf16")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    for name, value in dict(threads=1, tokens=64, prompt_tokens=8).items():
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=value)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    dtype = torch.bfloat16 if options.precision == "bf16" else torch.float32
    name = "dtype" if int(transformers.__version__.split(".")[0]) >= 5 else "torch_dtype"
    model = AutoModelForCausalLM.from_pretrained(options.base, **{name: dtype}).to(options.device).eval()
    prompt = torch.arange(options.prompt_tokens, device=options.device).unsqueeze(0)
    if options.device == "cuda":
        generate(model, prompt, 4)  # sets the libraries up
    seconds = []
    for tokens in (1, options.tokens):
        begin = time.perf_counter()
        generate(model, prompt, tokens)
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"tokens_per_second": (options.tokens - 1) / (seconds[1] - seconds[0])}))


if __name__ == "__main__":
    main()
