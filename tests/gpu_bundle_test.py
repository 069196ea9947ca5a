"""The launcher of the GPU bundle (deploy/make_gpu_bundle.py), with packages torch that are not more than a version and a place."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "deploy"))

from make_gpu_bundle import OF_THE_SYSTEM, OF_TORCH, write_launcher

# In place of the real ebb-train: says what it was given.
PROGRAM = '#!/bin/sh\nprintf "%s|%s" "$LD_LIBRARY_PATH" "$*"\n'


class Launcher(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.site = self.folder / "site with a blank"
        (self.folder / "bundle/bin").mkdir(parents=True)
        (self.folder / "bundle/libexec").mkdir()
        program = self.folder / "bundle/libexec/ebb-train"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        self.launcher = self.folder / "bundle/bin/ebb-train"
        write_launcher(self.launcher, "2.11")

    def torch(self, version):
        for name in ("torch/lib", "nvidia/cublas/lib", "nvidia/nccl/lib", f"torch-{version}.dist-info"):
            (self.site / name).mkdir(parents=True)
        (self.site / "torch/__init__.py").write_text("raise RuntimeError('it takes seconds to import')\n")
        (self.site / f"torch-{version}.dist-info/METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")

    def start(self, *arguments, path=None, **more):
        environment = {"PATH": os.environ["PATH"], "EBB_TORCH_PYTHON": sys.executable, "PYTHONPATH": str(self.site), **more}
        return subprocess.run([path or self.launcher, *arguments], env=environment, capture_output=True, text=True, check=False)

    def test_libtorch_and_its_libraries_go_first(self):
        self.torch("2.11.3+cu130")
        done = self.start("lora", "--base", "a b", LD_LIBRARY_PATH="/mine")
        self.assertEqual(done.returncode, 0, done.stderr)
        places = [f"{self.site}/{name}" for name in ("torch/lib", "nvidia/cublas/lib", "nvidia/nccl/lib")]
        self.assertEqual(done.stdout, ":".join([*places, "/mine"]) + "|lora --base a b")

    def test_works_through_a_link_from_elsewhere(self):
        self.torch("2.11.0")
        link = self.folder / "link"
        link.symlink_to(self.launcher)
        self.assertEqual(self.start("--version", path=link).returncode, 0)

    def test_another_minor_version_is_refused(self):
        for version in ("2.1.1", "2.12.0+cu130"):
            with self.subTest(version):
                self.site = self.folder / version
                self.torch(version)
                done = self.start()
                self.assertEqual(done.returncode, 4)
                self.assertIn(f"it was built for torch 2.11, and {sys.executable} has {version.split('+')[0]};", done.stderr)

    def test_without_torch_it_says_which_python_it_asked(self):
        done = self.start(EBB_TORCH_PYTHON="/nowhere/python")
        self.assertEqual((done.returncode, done.stdout), (4, ""))
        self.assertIn("/nowhere/python has no package torch", done.stderr)


class Libraries(unittest.TestCase):
    def test_those_of_every_system_and_of_torch_stay_out(self):
        for name in ("libc.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"):
            self.assertTrue(OF_THE_SYSTEM.match(name), name)
        for name in ("libtorch_cuda.so", "libc10.so"):
            self.assertTrue(OF_TORCH.match(name), name)
        for name in ("libcurl.so.4", "libcrypto.so.3", "libsqlite3.so.0", "libtorch_cpu.so.1.13"):
            self.assertFalse(OF_THE_SYSTEM.match(name) or OF_TORCH.match(name), name)


if __name__ == "__main__":
    unittest.main()
