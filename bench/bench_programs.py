"""Programs of bench/CMakeLists.txt, and others that ./dev bench does not build by itself."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def build(target):
    """The path of a program, up to date."""
    quiet = {"stdout": subprocess.DEVNULL, "check": True, "cwd": ROOT}
    subprocess.run(["cmake", "--preset", "release", "-DEBB_BENCH=ON"], **quiet)
    subprocess.run(["cmake", "--build", "build/release", "--target", target], **quiet)
    return os.path.join(ROOT, "build", "release", "bin", target)
