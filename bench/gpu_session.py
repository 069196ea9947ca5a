"""What the parts of bench/gpu share: the clock, the programs and how they are started, the counter, the scratch folder."""

import contextlib
import glob
import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from gpu_counter import CounterLog

ROOT = Path(__file__).resolve().parent.parent
BINARIES = ("build/torch/bin", "build/release/bin", "bin")  # bin: of ./dev package gpu-bundle


class Failed(Exception):
    """A measurement that has no result, and why."""


class Clock:
    """The time of the whole bench. Each part has its seconds, more of them if there is time for all, and what the parts before
    it left over. If there is not, the last parts have none."""

    def __init__(self, seconds, parts):
        self._begin = time.monotonic()
        so_far, self._ends = 0.0, {}
        for part, own in parts.items():
            so_far += own * max(1.0, seconds / sum(parts.values()))
            self._ends[part] = min(seconds, so_far)
        self._part_end = seconds

    def enter(self, part):
        self._part_end = self._ends[part]

    def used(self):
        return time.monotonic() - self._begin

    def left(self):
        """Of the part."""
        return self._part_end - self.used()

    def require(self, seconds, reserved=0.0):
        """Failed, if that is not left besides what is reserved for something else."""
        left = self.left() - reserved
        if left < seconds:
            raise Failed(f"skipped: takes about {seconds:.0f} s, {max(0.0, left):.0f} s were left for it")


def torch_folder(python):
    """The package torch of a Python; None if it has none."""
    code = "import importlib.util as u; s = u.find_spec('torch'); print(s.origin if s else '')"
    said = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False).stdout.strip()
    return Path(said).parent if said else None


def program(folder, name):
    """In the folder, or where ./dev build leaves it."""
    for place in [folder] if folder else [ROOT / each for each in BINARIES]:
        if os.access(Path(place) / name, os.X_OK):
            return str((Path(place) / name).resolve())
    return None


class Session:
    def __init__(self, options, clock, folder):
        self.clock, self.trial, self.python = clock, options.trial, options.python
        self.ebb, self.ebb_train = program(options.bin, "ebb"), program(options.bin, "ebb-train")
        self.device = "cpu" if options.trial else "cuda"
        self.folder = Path(folder)
        self.counter = CounterLog()
        self.card, self.product_rate = None, None  # of the burner
        self._help, self._names = {}, 0
        self.environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
        self.environment["EBB_CONFIG"] = "none"
        self.uuid = self.chosen_gpu()
        self.torch = torch_folder(self.python)

    def chosen_gpu(self):
        """The one that all programs see, but for those that use two: the first of CUDA_VISIBLE_DEVICES, or of all. The
        burner says which it was."""
        uuids, visible = self.counter.uuids, self.environment.get("CUDA_VISIBLE_DEVICES", "")
        if len(uuids) > 1 and not visible:
            self.environment["CUDA_VISIBLE_DEVICES"] = uuids[0]
        first = visible.split(",")[0]
        if first.isdigit() and int(first) < len(uuids):
            return uuids[int(first)]
        return next((uuid for uuid in uuids if first and uuid.startswith(first)), uuids[0] if uuids else None)

    def with_all_gpus(self, environment):
        return {**environment, "CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES") or ",".join(self.counter.uuids)}

    def trainer_environment(self):
        """The Python of the build machine is not here, so the loader is told where LibTorch and the libraries of CUDA are."""
        if self.torch is None:
            return self.environment
        places = [str(self.torch / "lib"), *sorted(glob.glob(str(self.torch.parent / "nvidia" / "*" / "lib")))]
        if os.environ.get("LD_LIBRARY_PATH"):
            places.append(os.environ["LD_LIBRARY_PATH"])
        return {**self.environment, "LD_LIBRARY_PATH": ":".join(places), "EBB_TORCH_PYTHON": self.python}

    def has_module(self, *names):
        code = "import importlib.util as u, sys; sys.exit(any(u.find_spec(n) is None for n in sys.argv[1:]))"
        return subprocess.run([self.python, "-c", code, *names], check=False).returncode == 0

    def new_folder(self, name):
        self._names += 1
        return self.folder / f"{name}-{self._names}"

    def lists(self, flag, *command):
        """Whether the help of `ebb-train COMMAND` knows the flag."""
        if command not in self._help:
            self._help[command] = subprocess.run([self.ebb_train, *command, "--help"], env=self.trainer_environment(),
                                                 capture_output=True, text=True, check=False).stdout
        return flag in self._help[command].replace(",", " ").split()

    def run(self, words, expected, environment=None, keep_partial=False, reserved=0.0):
        """Standard output. A program that takes three times what is expected, or more than is left, is ended."""
        self.clock.require(expected, reserved)
        # A trial may run beside a build.
        limit = min(120 if self.trial else 3 * expected, self.clock.left() - reserved)
        with started(words, environment or self.environment) as process:
            try:
                output, errors = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                end_group(process)
                output, _ = process.communicate()
                if keep_partial:
                    return output
                raise Failed(f"no result within {limit:.0f} s") from None
        if process.returncode != 0 and not (keep_partial and output):
            raise Failed(last_line(errors) or f"ended with {process.returncode}")
        return output

    def joules(self, windows):
        """Of the GPU over windows of (begin, seconds); None: not known."""
        used = [self.counter.joules(self.uuid, begin, begin + seconds) for begin, seconds in windows]
        return None if None in used or not used else sum(used)


@contextlib.contextmanager
def started(words, environment):
    """The program in a process group of its own, which does not outlive the block."""
    process = subprocess.Popen([str(word) for word in words], env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            end_group(process)


def end_group(process):
    """Launchers end what they started when they get SIGTERM."""
    for number, patience in ((signal.SIGTERM, 3), (signal.SIGKILL, 10)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            return


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


def json_lines(text):
    """The lines that are JSON objects: others are warnings of libraries, or cut off."""
    found = []
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict):
                found.append(value)
    return found
