"""Makes a wheel of what cmake --install has put in a folder: make_wheel.py INSTALLED OUTPUT.

The module, the library beside it, and the program with its HTTP server and configurations in ebb/program. The wheel is
for any Linux; auditwheel says for which.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

installed, output = Path(sys.argv[1]), Path(sys.argv[2])
source = Path(__file__).resolve().parent.parent
version = re.search(r"^project\(ebb VERSION ([0-9.]+)", (source / "CMakeLists.txt").read_text(), re.M)[1]

shutil.rmtree(output, ignore_errors=True)
root = output / f"ebb-{version}"
shutil.copytree(installed / "share/ebb/python/ebb", root / "ebb", symlinks=False)
shutil.copytree(installed / "bin", root / "ebb/program/bin")
shutil.copytree(installed / "lib/ebb", root / "ebb/program/lib/ebb")
for folder in ("configs", "data"):
    shutil.copytree(installed / "share/ebb" / folder, root / "ebb/program/share/ebb" / folder)

facts = root / f"ebb-{version}.dist-info"
facts.mkdir()
(facts / "METADATA").write_text(
    f"""\
Metadata-Version: 2.1
Name: ebb
Version: {version}
Summary: Carbon-aware machine-learning training: measures energy and emissions, and waits for clean power
License: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.7
Description-Content-Type: text/markdown

"""
    + (source / "docs/python.md").read_text()
)
(facts / "WHEEL").write_text(
    "Wheel-Version: 1.0\nGenerator: ebb\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n"
)
(facts / "entry_points.txt").write_text(
    "[console_scripts]\nebb = ebb.__main__:main\n\n[pytest11]\nebb = ebb.pytest_plugin\n"
)
shutil.copy(source / "LICENSE", facts)
subprocess.run([sys.executable, "-m", "wheel", "pack", "--dest-dir", output, root], check=True)
shutil.rmtree(root)
