"""LoRA fine-tuning as transformers and PEFT do it, for bench/language-speed to compare ebb-train with.

The loop of the published program (bench/language-speed names the settings) on Debian's python3-torch, so on the same
LibTorch: sequences of tokens as they are, one micro-batch at a time, AdamW, cosine, clipping. Prints one line of JSON.
"""

import argparse
import json
import math
import os
import resource
import time

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, get_cosine_schedule_with_warmup

PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", required=True)
    parser.add_argument("--tokens", required=True)
    for name, value in dict(threads=1, rank=16, batch_size=1, accumulation=8, epochs=1).items():
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=value)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--gradient-checkpointing", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    dtype = torch.bfloat16 if options.precision == "bf16" else torch.float32
    base = AutoModelForCausalLM.from_pretrained(options.base, torch_dtype=dtype)
    if options.gradient_checkpointing:
        base.gradient_checkpointing_enable()
        base.enable_input_require_grads()
    model = get_peft_model(base, LoraConfig(r=options.rank, lora_alpha=32, lora_dropout=options.dropout,
                                            target_modules=PROJECTIONS, task_type="CAUSAL_LM")).train()
    with open(options.tokens, encoding="utf-8") as lines:
        rows = torch.tensor([json.loads(line)["input_ids"] for line in lines])
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-4, weight_decay=0.01)
    per_update = options.batch_size * options.accumulation
    updates = math.ceil(len(rows) / per_update) * options.epochs
    schedule = get_cosine_schedule_with_warmup(optimizer, math.ceil(0.03 * updates), updates)
    begin = time.perf_counter()
    for _ in range(options.epochs):
        for update in rows.split(per_update):
            for ids in update.split(options.batch_size):
                loss = model(input_ids=ids, labels=ids).loss * (len(ids) / len(update))
                loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    seconds = time.perf_counter() - begin
    print(json.dumps({"tokens_per_second": rows.numel() * options.epochs / seconds, "loss": loss.item(),
                      "peak_resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                      "cpu_seconds": time.process_time()}))


if __name__ == "__main__":
    main()
