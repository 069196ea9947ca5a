"""Products of two square bf16 matrices for some seconds: a load for a meter, and the rate that a device reaches. Prints one
line of JSON."""

import argparse
import json
import time

import torch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--size", type=int, default=8192)
    parser.add_argument("--seconds", type=float, default=4)
    options = parser.parse_args()
    is_cuda = options.device == "cuda"
    wait = torch.cuda.synchronize if is_cuda else lambda: None
    # Random values: zeros or ones draw less power, and so flatter a card that its power limit slows down.
    a, b = (torch.randn(options.size, options.size, device=options.device, dtype=torch.bfloat16) for _ in range(2))
    rates, end = [], time.perf_counter() + options.seconds
    while not rates or time.perf_counter() < end:
        wait()
        begin = time.perf_counter()
        for _ in range(10 if is_cuda else 1):
            torch.mm(a, b)
        wait()
        rates.append((10 if is_cuda else 1) * 2 * options.size**3 / (time.perf_counter() - begin))
    found = {"flops_per_second": sorted(rates)[len(rates) // 2], "best_flops_per_second": max(rates),
             "torch_version": torch.__version__}
    if is_cuda:
        card = torch.cuda.get_device_properties(0)
        found.update(name=card.name, uuid=f"GPU-{card.uuid}" if hasattr(card, "uuid") else None,
                     memory_gb=card.total_memory / 1e9, devices=torch.cuda.device_count())
    print(json.dumps(found))


if __name__ == "__main__":
    main()
