"""LoRA fine-tuning as transformers and PEFT do it, for bench/language-speed and bench/gpu to compare ebb-train with.

The loop of the published program (bench/language-speed names the settings): sequences of tokens as they are, one
micro-batch at a time, AdamW, cosine, clipping. On a GPU it is given what makes it fastest there: attention by SDPA, the
fused AdamW, no cache of keys and values, and the faster of two ways to keep the adapter (fp32 under autocast, as Trainer
has it with bf16=True, or bf16). Prints a line of JSON for each setting.
"""

import argparse
import contextlib
import gc
import json
import math
import os
import resource
import time

os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_VERBOSITY="error")

import torch
import transformers
from peft import LoraConfig, get_peft_model
from transformers import AutoConfig, AutoModelForCausalLM, get_cosine_schedule_with_warmup

from reference_settings import each_setting

PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
DTYPE = "dtype" if int(transformers.__version__.split(".")[0]) >= 5 else "torch_dtype"


def load_base(options):
    how = {DTYPE: torch.bfloat16 if options.precision == "bf16" else torch.float32}
    if options.device == "cuda":
        how["attn_implementation"] = "sdpa"
    if not options.random_weights:
        return AutoModelForCausalLM.from_pretrained(options.base, **how).to(options.device)
    with torch.device(options.device):  # drawn there: the CPU takes minutes for 7 B
        return AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(options.base), **how)


class Peer:
    def __init__(self, options):
        self.device, self.is_cuda = options.device, options.device == "cuda"
        base = load_base(options)
        self.model = get_peft_model(base, LoraConfig(
            r=options.rank, lora_alpha=32, lora_dropout=options.dropout, target_modules=PROJECTIONS,
            task_type="CAUSAL_LM")).train()
        if self.is_cuda:
            self.model.config.use_cache = False
        self.trained = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        self.autocasts = False

    def keep_adapter_in(self, dtype):
        """fp32 needs autocast beside a model in bf16."""
        for parameter in self.trained:
            parameter.data = parameter.data.to(dtype)
        self.autocasts = self.is_cuda and dtype == torch.float32

    def recompute(self, wanted):
        base = self.model.get_base_model()
        if wanted:
            base.gradient_checkpointing_enable()
            base.enable_input_require_grads()
        elif base.is_gradient_checkpointing:
            base.gradient_checkpointing_disable()
            base.disable_input_require_grads()

    def update(self, rows, options, optimizer, schedule):
        for ids in rows.split(options.batch_size):
            with torch.autocast("cuda", torch.bfloat16) if self.autocasts else contextlib.nullcontext():
                loss = self.model(input_ids=ids, labels=ids).loss * (len(ids) / len(rows))
            loss.backward()
        torch.nn.utils.clip_grad_norm_(self.trained, 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        return loss

    def train(self, options):
        with open(options.tokens, encoding="utf-8") as lines:
            rows = torch.tensor([json.loads(line)["input_ids"] for line in lines], device=self.device)
        optimizer = torch.optim.AdamW(self.trained, lr=1e-4, weight_decay=0.01, **({"fused": True} if self.is_cuda else {}))
        per_update = options.batch_size * options.accumulation
        updates = math.ceil(len(rows) / per_update) * options.epochs
        schedule = get_cosine_schedule_with_warmup(optimizer, math.ceil(0.03 * updates), updates)
        self.recompute(options.gradient_checkpointing)
        if self.is_cuda:
            torch.cuda.reset_peak_memory_stats()
        for number in range(options.warm_up_updates):
            self.update(rows.roll(-number * per_update, 0)[:per_update], options, optimizer, schedule)
        self.wait()
        begin, begin_clock = time.perf_counter(), time.time()
        for _ in range(options.epochs):
            for update in rows.split(per_update):
                loss = self.update(update, options, optimizer, schedule)
        self.wait()
        seconds = time.perf_counter() - begin
        answer = {"tokens_per_second": rows.numel() * options.epochs / seconds, "tokens": rows.numel() * options.epochs,
                  "begin_s": begin_clock, "seconds": seconds, "loss": loss.item(),
                  "gradient_checkpointing": options.gradient_checkpointing,
                  "peak_resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                  "cpu_seconds": time.process_time()}
        if self.is_cuda:
            answer["peak_tensor_bytes"] = torch.cuda.max_memory_allocated()
        return answer

    def wait(self):
        if self.is_cuda:
            torch.cuda.synchronize()

    def forget(self):
        """Frees what a setting has left, so that it does not count for the next."""
        for parameter in self.trained:
            parameter.grad = None
        gc.collect()
        if self.is_cuda:
            torch.cuda.empty_cache()

    def fits(self, options):
        """None: memory ran out."""
        try:
            return self.train(options)
        except torch.cuda.OutOfMemoryError:
            return None
        finally:
            self.forget()

    def measure(self, options):
        answer = self.fits(options)
        if answer is None and not options.gradient_checkpointing:
            options.gradient_checkpointing = True
            answer = self.fits(options)
        return answer or {"out_of_memory": True}

    def measure_both_adapters(self, options):
        """The faster one is kept for later settings."""
        answers = {}
        for dtype in (torch.float32, torch.bfloat16):
            self.keep_adapter_in(dtype)
            answers[dtype] = self.measure(options)
        best = max(answers, key=lambda dtype: answers[dtype].get("tokens_per_second", 0))
        self.keep_adapter_in(best)
        return answers[best]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", required=True)
    parser.add_argument("--tokens", required=True)
    for name, value in dict(threads=1, rank=16, batch_size=1, accumulation=8, epochs=1, warm_up_updates=0).items():
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=value)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--random-weights", action="store_true", help="--base needs config.json only")
    parser.add_argument("--gradient-checkpointing", action="store_true")
    peer = None
    for options in each_setting(parser):
        if peer is None:
            torch.set_num_threads(options.threads)
            torch.manual_seed(1)
            peer = Peer(options)
            choose = peer.is_cuda and options.precision == "bf16"
        answer = peer.measure_both_adapters(options) if choose else peer.measure(options)
        choose = False
        answer["adapter"] = str(peer.trained[0].dtype).removeprefix("torch.")
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
