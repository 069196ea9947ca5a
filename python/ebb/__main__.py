"""The program ebb: ``python -m ebb track -- python train.py``, and the script that a wheel installs."""

import os
import sys

from ebb._error import Error
from ebb._program import program


def main() -> None:
    try:
        path = program()
    except Error as reason:
        sys.exit(f"ebb: {reason}")
    os.execv(path, ["ebb", *sys.argv[1:]])


if __name__ == "__main__":
    main()
