"""What the training benchmarks share: running ebb-train and the Python reference, medians, and the set-up line."""

import argparse
import ctypes
import json
import os
import platform
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REFERENCE = os.path.join(ROOT, "bench", "train_reference.py")


def parse_arguments(description, **defaults):
    """--ebb-train, --rounds, and whole-number options given by keyword."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--ebb-train", default=os.path.join(ROOT, "build", "release", "bin", "ebb-train"))
    parser.add_argument("--rounds", type=int, default=3, help="interleaved repetitions; medians are printed")
    for name, value in defaults.items():
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=value)
    return parser.parse_args()


def environment():
    """BLAS picks its own kernels: a pinned OPENBLAS_CORETYPE would slow fp32 down and flatter bf16."""
    return {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}


def openblas_core():
    os.environ.pop("OPENBLAS_CORETYPE", None)
    try:
        library = ctypes.CDLL("libopenblas.so.0")
        library.openblas_get_corename.restype = ctypes.c_char_p
        return library.openblas_get_corename().decode()
    except (OSError, AttributeError):
        return "unknown"


def print_setup(text):
    cpu = "unknown CPU"
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    load = os.getloadavg()[0]
    print(f"{cpu}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, OpenBLAS {openblas_core()}, "
          f"load before the run {load:.1f}, OMP_WAIT_POLICY {os.environ.get('OMP_WAIT_POLICY', 'not set')}")
    print(text + "\n", flush=True)


def export_digits(binary, directory, train, test):
    subprocess.run([binary, "--data", "digits", "--train-samples", str(train), "--test-samples", str(test),
                    "--export-data", directory], check=True, env=environment())


def run_ebb_train(binary, *flags):
    """Trains with the flags in a directory of its own; returns train_result.json."""
    with tempfile.TemporaryDirectory() as run_dir:
        subprocess.run([binary, *map(str, flags), "--progress", "none", "--run-dir", run_dir], check=True,
                       env=environment())
        with open(os.path.join(run_dir, "train_result.json"), encoding="utf-8") as file:
            return json.load(file)


def run_reference(*flags):
    output = subprocess.run([REFERENCE, *map(str, flags)], check=True, env=environment(), stdout=subprocess.PIPE)
    return json.loads(output.stdout)


def median(values):
    return statistics.median(values)
