"""./dev on a bare system: apt, dpkg and cmake are stand-ins that remember what they were asked.

Each command, run first, installs what it configures the build with; and no step fails without its reason.
"""

import os
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
TEST_PACKAGES = {"libgtest-dev", "libgmock-dev"}
BUILD_PACKAGES = {"g++", "cmake", "ninja-build", "libcurl4-openssl-dev", "nlohmann-json3-dev"}
# A command of ./dev, and how it is called here.
COMMANDS = {
    "demo": ["demo"],
    "demo --no-training": ["demo", "--no-training"],
    "build": ["build"],
    "build dev": ["build", "dev"],
    "test": ["test"],
    "peers": ["peers", "kubernetes"],
    "bench": ["bench", "planner"],
    "fuzz": ["fuzz", "1"],
}

STUBS = {
    "apt-get": '[ "$1" != install ] || printf "%s\\n" "${@:2}" | grep -v ^- >>"$STATE/installed"',
    "apt-cache": 'for name in "$@"; do case $name in -*|show) ;; *) echo "Package: $name" ;; esac; done',
    "dpkg-query": 'grep -qx -- "${@: -1}" "$STATE/installed" && printf installed',
    "sudo": 'exec "$@"',
    "ctest": "exit 0",
    "cmake": """echo "$(sort "$STATE/installed" | tr "\\n" " ")| $*" >>"$STATE/cmake"
case "$*" in
  *--build*) if [ "${FAILS:-}" = build ]; then echo "error: the compiler fails"; exit 1; fi ;;
  *) if [ "${FAILS:-}" = configure ]; then echo "CMake Error: GoogleMock is missing" >&2; exit 1; fi ;;
esac""",
}


class DevScript(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.tree = Path(scratch.name) / "tree"
        self.state = Path(scratch.name) / "state"
        self.bin = Path(scratch.name) / "bin"
        for folder in (self.tree / "bench", self.tree / "deploy", self.tree / "tests/cluster", self.state, self.bin):
            folder.mkdir(parents=True)
        shutil.copy(TREE / "dev", self.tree)
        shutil.copy(TREE / "deploy/packages.sh", self.tree / "deploy")
        for name in ("demo", "demo-no-training", "planner"):
            self.program(self.tree / "bench" / name, "exit 0")
        (self.tree / "build/fuzz/bin").mkdir(parents=True)
        self.program(self.tree / "build/fuzz/bin/x_fuzz", "exit 0")
        (self.tree / "tests/peers").mkdir()
        (self.tree / "tests/peers/kubernetes_test.py").touch()
        (self.tree / "tests/cluster/build.py").write_text("print('no Go here'); raise SystemExit(77)\n")
        for name, body in STUBS.items():
            self.program(self.bin / name, body)
        (self.state / "installed").touch()

    @staticmethod
    def program(path, body):
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def dev(self, *arguments, fails=""):
        path = f"{self.bin}:/usr/bin:/bin"
        environment = {**os.environ, "PATH": path, "STATE": str(self.state), "FAILS": fails}
        return subprocess.run(
            ["./dev", *arguments], cwd=self.tree, env=environment, capture_output=True, text=True, timeout=60
        )

    def test_each_command_installs_what_it_builds_with(self):
        for name, arguments in COMMANDS.items():
            with self.subTest(name):
                for file in ("installed", "cmake"):
                    (self.state / file).write_text("")
                result = self.dev(*arguments)
                self.assertEqual(result.returncode, 0, result.stderr)
                configured = [line for line in (self.state / "cmake").read_text().splitlines() if "--build" not in line]
                self.assertTrue(configured, "nothing was configured")
                for line in configured:
                    installed, flags = line.split("| ")
                    self.assertLessEqual(BUILD_PACKAGES, set(installed.split()))
                    builds_tests = "EBB_TESTS=OFF" not in flags and "--preset fuzz" not in flags
                    if builds_tests:
                        self.assertLessEqual(TEST_PACKAGES, set(installed.split()), flags)

    def test_no_command_fails_without_its_reason(self):
        reasons = {"configure": "GoogleMock is missing", "build": "the compiler fails"}
        for name, arguments in COMMANDS.items():
            for step, reason in reasons.items():
                with self.subTest(f"{name}, {step}"):
                    result = self.dev(*arguments, fails=step)
                    self.assertNotEqual(result.returncode, 0)
                    self.assertIn(reason, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
