"""The program ebb: ``python -m ebb track -- python train.py``, and the script that a wheel installs."""

import os
import shutil
import sys


def program() -> str:
    """The one that came with this module (in a wheel), or the one that the shell finds."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program", "bin", "ebb")
    found = beside if os.path.exists(beside) else shutil.which("ebb")
    if found is None:
        sys.exit("ebb: the program is not installed; see docs/install.md")
    return found


def main() -> None:
    path = program()
    os.execv(path, ["ebb", *sys.argv[1:]])


if __name__ == "__main__":
    main()
