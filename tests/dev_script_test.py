"""./dev on a bare system: apt, dpkg and cmake are stand-ins that remember what they were asked.

Each command, run first, installs what it configures the build with; no step fails without its reason; long steps say how
far they are; and at a terminal nothing is installed unasked.
"""

import os
import pty
import re
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
    "peers slurm": ["peers", "slurm"],
    "bench": ["bench", "planner"],
    "fuzz": ["fuzz", "1"],
    "package deb": ["package", "deb"],
    "package wheel": ["package", "wheel"],
    "package tarball": ["package", "tarball"],
    "package container": ["package", "container"],
    "package gpu-bundle": ["package", "gpu-bundle"],
    "package --check container": ["package", "--check", "container"],
}
# Packages that a command needs besides those of the build.
TOOLS = {
    "package deb": {"dpkg-dev", "file"},
    "package wheel": {"python3-venv", "python3-pip"},
    "package tarball": {"python3-venv", "python3-pip"},
    "package container": {"dpkg-dev", "buildah"},
    "package gpu-bundle": {"patchelf", "binutils"},
    "package --check container": {"mmdebstrap", "buildah"},
}

STUBS = {
    "apt-get": """case "$1" in
  --assume-no) echo "Need to get 382 MB/400 MB of archives."
    echo "After this operation, 1,404 MB of additional disk space will be used."
    exit 1 ;;
  install) for name in "${@:2}"; do
      case $name in -*) ;; *) echo "$name" >>"$STATE/installed" ;; esac
      [ ! -e "$STATE/programs/$name" ] || cp "$STATE/programs/$name" "$STATE/../bin"
    done
    echo "0 upgraded, 2 newly installed, 0 to remove and 0 not upgraded."
    echo "Get:1 http://deb.example bookworm/main amd64 libtorch-dev amd64 1.13.1 [90 MB]"
    echo "Setting up libtorch-dev (1.13.1) ..." ;;
esac""",
    "apt-cache": 'for name in "$@"; do case $name in -*|show) ;; *) echo "Package: $name" ;; esac; done',
    "dpkg-query": 'grep -qx -- "${@: -1}" "$STATE/installed" && printf installed',
    "sudo": 'exec "$@"',
    "ctest": "exit 0",
    "cpack": "touch build/packages/ebb_0.deb",
    "cmake": """echo "$(sort "$STATE/installed" | tr "\\n" " ")| $*" >>"$STATE/cmake"
case "$*" in
  *--build*) if [ "${FAILS:-}" = build ]; then echo "error: the compiler fails"; exit 1; fi
    echo "[1/2] Building CXX object src/plan/CMakeFiles/ebb_plan.dir/planner/planner.cc.o"
    echo "[2/2] Linking CXX executable bin/ebb" ;;
  *--install*)  if [ "${FAILS:-}" = build ]; then echo "error: the compiler fails"; exit 1; fi
    while [ "$1" != --prefix ]; do shift; done
    mkdir -p "$2" ;;
  *) if [ "${FAILS:-}" = configure ]; then echo "CMake Error: GoogleMock is missing" >&2; exit 1; fi ;;
esac""",
}

# Programs that are there once their package is installed.
INSTALLED = {"python3": 'echo "$*" >>"$STATE/python"', "buildah": 'while [ $# -gt 0 ]; do [ "$1" != --tag ] || echo "$2" >>"$STATE/images"; shift; done'}
# All that a bare system has.
BARE = """bash sh env cat sed awk grep sort uniq tr cut comm cmp head tail tee mktemp rm mkdir cp chmod touch ls id nproc stty
dirname basename realpath xargs flock printf sleep tar gzip date""".split()


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
        for script in (TREE / "deploy").glob("*.sh"):
            shutil.copy(script, self.tree / "deploy")
        shutil.copy(TREE / "deploy/packaging.txt", self.tree / "deploy")
        shutil.copy(TREE / "CMakeLists.txt", self.tree)
        for name in ("demo", "demo-no-training", "planner"):
            self.program(self.tree / "bench" / name, "exit 0")
        (self.tree / "build/fuzz/bin").mkdir(parents=True)
        self.program(self.tree / "build/fuzz/bin/x_fuzz", "exit 0")
        (self.tree / "tests/peers").mkdir()
        (self.tree / "tests/peers/kubernetes_test.py").touch()
        (self.tree / "tests/cluster/build.py").write_text("print('no Go here'); raise SystemExit(77)\n")
        (self.tree / "tests/peers/slurm_test.py").touch()
        (self.tree / "tests/peers/slurm").mkdir()
        (self.tree / "tests/peers/slurm/cluster.py").write_text("print('no Slurm here'); raise SystemExit(77)\n")
        # The environment that packages are made with is there: it comes from a package index.
        zig = self.tree / "build/zig"
        (zig / "bin").mkdir(parents=True)
        shutil.copy(TREE / "deploy/packaging.txt", zig / "installed.txt")
        self.program(zig / "bin/python", "touch build/packages/ebb.whl")
        # ./dev build --torch has left a trainer.
        (self.tree / "build/torch/bin").mkdir(parents=True)
        self.program(self.tree / "build/torch/bin/ebb-train", "exit 0")
        (self.tree / "tests/packages").mkdir()
        self.program(self.tree / "tests/packages/container", "exit 0")
        for name, body in STUBS.items():
            self.program(self.bin / name, body)
        (self.state / "programs").mkdir()
        for name, body in INSTALLED.items():
            self.program(self.state / "programs" / name, body)
        for name in BARE:
            (self.bin / name).symlink_to(shutil.which(name, path="/usr/bin:/bin"))
        self.forget_all()

    def forget_all(self):
        """What was installed."""
        for file in ("installed", "cmake"):
            (self.state / file).write_text("")
        for name in INSTALLED:
            (self.bin / name).unlink(missing_ok=True)

    @staticmethod
    def program(path, body):
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def environment(self, **more):
        return {**os.environ, "PATH": str(self.bin), "STATE": str(self.state), **more}

    def dev(self, *arguments, **environment):
        return subprocess.run(
            ["./dev", *arguments], cwd=self.tree, env=self.environment(**environment), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60
        )

    def dev_at_a_terminal(self, *arguments, answer=""):
        """Its exit code, and all that the terminal showed."""
        terminal, other_end = pty.openpty()
        with subprocess.Popen(
            ["./dev", *arguments], cwd=self.tree, env=self.environment(), stdin=other_end, stdout=other_end,
            stderr=other_end, start_new_session=True
        ) as program:
            os.close(other_end)
            os.write(terminal, answer.encode())
            shown = b""
            try:
                while part := os.read(terminal, 4096):
                    shown += part
            except OSError:  # Linux: nobody holds the other end any more
                pass
        os.close(terminal)
        return program.returncode, shown.decode()

    def test_each_command_installs_what_it_builds_with(self):
        for name, arguments in COMMANDS.items():
            with self.subTest(name):
                self.forget_all()
                result = self.dev(*arguments)
                self.assertEqual(result.returncode, 0, result.stderr)
                configured = [line for line in (self.state / "cmake").read_text().splitlines() if line.split("| ")[1].startswith("--preset")]
                self.assertTrue(configured, "nothing was configured")
                for line in configured:
                    installed, flags = line.split("| ")
                    self.assertLessEqual(BUILD_PACKAGES, set(installed.split()))
                    if not any(flag in flags for flag in ("EBB_TESTS=OFF", "--preset fuzz", "--preset portable")):
                        self.assertLessEqual(TEST_PACKAGES, set(installed.split()), flags)
                self.assertLessEqual(TOOLS.get(name, set()), set((self.state / "installed").read_text().split()))

    def test_no_command_fails_without_its_reason(self):
        reasons = {"configure": "GoogleMock is missing", "build": "the compiler fails"}
        for name, arguments in COMMANDS.items():
            for step, reason in reasons.items():
                with self.subTest(f"{name}, {step}"):
                    result = self.dev(*arguments, FAILS=step)
                    self.assertNotEqual(result.returncode, 0)
                    self.assertIn(reason, result.stdout + result.stderr)

    def test_a_gpu_bundle_asks_for_the_trainer_that_it_packs(self):
        self.assertEqual(self.dev("package", "gpu-bundle").returncode, 0)
        self.assertEqual((self.state / "python").read_text().split(),
                         ["deploy/make_gpu_bundle.py", "build/release/bin", "build/torch/bin/ebb-train", "build/packages"])
        (self.tree / "build/torch/bin/ebb-train").unlink()
        without = self.dev("package", "gpu-bundle")
        self.assertEqual(without.returncode, 3)
        self.assertIn("./dev build --torch PYTHON", without.stderr)

    def test_the_gpu_benchmark_installs_and_builds_nothing(self):
        self.program(self.tree / "bench/gpu", 'echo "measures $*"')
        result = self.dev("bench", "gpu", "--minutes", "2")
        self.assertEqual((result.returncode, result.stdout), (0, "measures --minutes 2\n"))
        self.assertEqual([(self.state / name).read_text() for name in ("installed", "cmake")], ["", ""])

    def test_the_images_have_the_names_that_the_manifests_expect(self):
        self.assertEqual(self.dev("package", "container").returncode, 0)
        service, trainer = (self.state / "images").read_text().split()
        version = service.removeprefix("ebb-service:")
        self.assertEqual(trainer, f"ebb-trainer:{version}")
        for manifest in ("controller.yaml", "agent.yaml"):
            images = re.findall(r"^ *image: (.*)$", (TREE / "deploy/kubernetes" / manifest).read_text(), re.MULTILINE)
            self.assertEqual(set(images), {service})
        chart = TREE / "deploy/helm/ebb"
        self.assertIn("  repository: ebb-service\n", (chart / "values.yaml").read_text())
        self.assertIn(f'appVersion: "{version}"\n', (chart / "Chart.yaml").read_text())
        self.assertIn(f" {service}\n", (TREE / "docs/install.md").read_text())

    def test_at_a_terminal_nothing_is_installed_unasked(self):
        code, shown = self.dev_at_a_terminal("build", answer="n\n")
        self.assertEqual(code, 3, shown)
        self.assertIn("382 MB to download, 1,404 MB on disk", shown)
        self.assertEqual((self.state / "installed").read_text(), "")
        self.assertEqual((self.state / "cmake").read_text(), "")
        for arguments, answer in ((["build"], "\n"), (["build"], "y\n"), (["--yes", "build"], ""), (["build", "--yes"], "")):
            self.forget_all()
            code, shown = self.dev_at_a_terminal(*arguments, answer=answer)
            self.assertEqual(code, 0, shown)
            self.assertEqual("Install them?" in shown, answer != "")
            self.assertIn("g++", (self.state / "installed").read_text())

    def test_a_terminal_has_one_live_line_of_steps(self):
        code, shown = self.dev_at_a_terminal("--yes", "demo")
        self.assertEqual(code, 0, shown)
        for step in ("[1/2] downloading libtorch-dev", "[1/2] installing libtorch-dev", "[1/2] compiling planner.cc",
                     "[2/2] linking ebb"):
            self.assertIn(f"\r\x1b[K{step}, ", shown)

    def test_elsewhere_lines_tell_the_steps(self):
        result = self.dev("demo", EBB_DEV_PLAIN_SECONDS="0")
        self.assertIn(": [1/2] compiling planner.cc\n", result.stderr)
        self.assertNotIn("\r", result.stderr)
        self.assertNotIn("[1/2]", self.dev("demo", EBB_DEV_PLAIN_SECONDS="600").stderr)


if __name__ == "__main__":
    unittest.main()
