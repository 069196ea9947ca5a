"""What the training benchmarks share: running ebb-train and the Python reference, medians, and the set-up line."""

import argparse
import ctypes
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REFERENCE = os.path.join(ROOT, "bench", "train_reference.py")


def parse_arguments(description, rounds=3, **defaults):
    """--ebb-train, --rounds, and whole-number options given by keyword."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--ebb-train", default=os.path.join(ROOT, "build", "release", "bin", "ebb-train"))
    parser.add_argument("--rounds", type=int, default=rounds, help="interleaved repetitions; medians are printed")
    for name, value in defaults.items():
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=value)
    return parser.parse_args()


def peer_python(options):
    """The Python that has transformers on the LibTorch of options.ebb_train: Debian's, or with options.wheel that of the
    torch wheel, for which options.ebb_train is set."""
    peer = "python" if options.wheel else "trainers"
    python = os.path.join(ROOT, "build", "peers", peer, "bin", "python")
    if options.wheel:
        options.ebb_train = os.path.join(ROOT, "build", "torch", "bin", "ebb-train")
    if not os.path.exists(python) or not os.path.exists(options.ebb_train):
        sys.exit(f"{os.path.relpath(sys.argv[0], ROOT)} needs transformers: run ./dev peers {peer} once")
    return python


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


class Measured:
    """Programs under `ebb run`, each in a run directory of its own below `folder`."""

    def __init__(self, ebb_train, folder):
        self.ebb = os.path.join(os.path.dirname(ebb_train), "ebb")
        self.folder, self.runs = folder, 0

    def run(self, *words):
        """Joules, grams at 300 g/kWh, the run directory, and standard output."""
        self.runs += 1
        run_dir = os.path.join(self.folder, f"run{self.runs}")
        command = [self.ebb, "run", "--policy", "run-now", "--constant", "300", "--interval", "250ms", "--quiet",
                   "--run-dir", run_dir, "--", *map(str, words)]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr)
        with open(os.path.join(run_dir, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        return summary["energy"]["it_j"], summary["emissions_g"], run_dir, done.stdout


def evaluate_files(measured, options, files, seconds=2):
    """By name: what `ebb-train evaluate` says of each model file on drawn digits, and `joules` of one inference in each
    round: one image at a time, passes for about so many seconds less one pass, so that starting and reading do not
    count. Rounds are interleaved."""
    def evaluate(file, passes, *flags):
        joules, _, _, output = measured.run(options.ebb_train, "evaluate", file, "--data", "digits", "--threads",
                                            options.threads, "--repeat", passes, *flags)
        return joules, json.loads(output)

    one_by_one = ("--batch-size", 1, "--test-samples", 200)
    found = {}
    for name, file in files.items():
        pace = evaluate(file, 1, *one_by_one)[1]
        found[name] = {**evaluate(file, 1, "--test-samples", options.tests)[1], "file": file, "joules": [],
                       "passes": 2 + int(seconds * pace["inferences_per_second"] / pace["inferences"])}
    for _ in range(options.rounds):
        for one in found.values():
            few, many = (evaluate(one["file"], passes, *one_by_one) for passes in (1, one["passes"]))
            one["joules"].append((many[0] - few[0]) / (many[1]["inferences"] - few[1]["inferences"]))
    return found


def pays_after(cost_joules, before, after):
    """Inferences until what each of them saves makes up for the cost; "never" where not every round saves."""
    if max(after) >= min(before):
        return "never"
    return f"{cost_joules / (median(before) - median(after)):,.0f}"


def median(values):
    return statistics.median(values)
