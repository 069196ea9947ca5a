"""Packs ebb and ebb-train for machines with a GPU that cannot build them: make_gpu_bundle.py PROGRAMS EBB_TRAIN PACKAGES.

PROGRAMS has ebb and libebb-http.so. EBB_TRAIN is built by ./dev build --torch; it takes LibTorch from any Python environment
whose torch has the same minor version (bin/ebb-train finds it). The archive has bin, lib, libexec, and what bench/gpu
needs. In lib is what the programs link to, or load when they need it, and a bare Ubuntu 24.04 does not have. The programs
find it by their rpath, wherever the folder is. Needs patchelf and binutils.
"""

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# glibc, the library of GCC, and zlib, which dpkg needs, are on every such system; LibTorch is the environment's.
OF_THE_SYSTEM = re.compile(r"(ld-linux-x86-64|libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s|libz)\.so")
OF_TORCH = re.compile(r"lib(torch|c10|cud|nccl)[^/]*\.so$")
LOADED_WHEN_NEEDED = ("libcurl.so.4", "libcrypto.so.3")
BENCH = ("gpu", "gpu_*.py", "*_reference.py", "matrix_burner.py", "reference_settings.py", "small_models.py", "train_runs.py",
         "serve_runs.py", "bench_programs.py")

LARGEST = 50e6  # bytes

LAUNCHER = """#!/bin/sh
# Starts ebb-train with LibTorch from the package torch @torch@ of a Python environment: that of EBB_TORCH_PYTHON, or of python3.
python=${EBB_TORCH_PYTHON:-python3}
here=$(dirname "$(readlink -f "$0")")
found=$("$python" -c '
import glob, importlib.metadata, importlib.util, os
spec = importlib.util.find_spec("torch")
folder = os.path.dirname(spec.origin)
print(importlib.metadata.version("torch"))
print(":".join([folder + "/lib", *sorted(glob.glob(os.path.dirname(folder) + "/nvidia/*/lib"))]))
' 2>/dev/null) || {
  echo "ebb-train: $python has no package torch; EBB_TORCH_PYTHON names the Python of an environment that has torch @torch@" >&2
  exit 4
}
case $found in
  @torch@.*) ;;
  *)
    echo "ebb-train: it was built for torch @torch@, and $python has ${found%%[!0-9.]*}; EBB_TORCH_PYTHON names another Python" >&2
    exit 4
    ;;
esac
LD_LIBRARY_PATH=${found#*
}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec "$here/../libexec/ebb-train" "$@"
"""


def output(*words):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout


def dynamic(file, tag):
    return re.findall(rf"\({tag}\).*\[(.*)\]", output("readelf", "-d", file))


def system_libraries():
    """Files of this machine's libraries, by soname."""
    found = {}
    for name, kind, path in re.findall(r"^\s+(\S+) \((.*)\) => (.*)$", output("/sbin/ldconfig", "-p"), re.MULTILINE):
        if "x86-64" in kind:
            found.setdefault(name, path)
    return found


def needed_by(names, installed):
    """The files of these libraries and of all that they need in turn, but for those of every system."""
    files, left = {}, list(names)
    while left:
        name = left.pop()
        if name in files or OF_THE_SYSTEM.match(name) or OF_TORCH.match(name):
            continue
        if name not in installed:
            sys.exit(f"{name} is not on this machine, and a program needs it")
        files[name] = installed[name]
        left += dynamic(installed[name], "NEEDED")
    return files


def torch_of(ebb_train):
    """The minor version of the package torch that it is linked with: its build's rpath says where that is."""
    needed = dynamic(ebb_train, "NEEDED")
    folders = [folder for path in dynamic(ebb_train, "R(?:UN)?PATH") for folder in path.split(":") if folder]
    for folder in folders:
        version = Path(folder).parent / "version.py"
        if "libtorch_cpu.so" in needed and version.exists():
            return re.search(r"__version__ = '(\d+\.\d+)\.", version.read_text()).group(1)
    sys.exit(f"{ebb_train} is not linked with the LibTorch of a Python environment: ./dev build --torch PYTHON builds one that is")


def write_launcher(path, torch):
    path.write_text(LAUNCHER.replace("@torch@", torch))
    path.chmod(0o755)


def add(file, where, rpath):
    where.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, where)
    where.chmod(0o755)
    output("strip", "--strip-unneeded", where)
    output("patchelf", "--set-rpath", rpath, where)


def add_bench(folder):
    (folder / "bench").mkdir()
    for pattern in BENCH:
        for file in (ROOT / "bench").glob(pattern):
            shutil.copy(file, folder / "bench")


def archive(folder):
    """The folder as one file, owned by root."""
    def owned_by_root(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        return entry

    file = folder.with_name(folder.name + ".tar.gz")
    with tarfile.open(file, "w:gz") as tar:
        tar.add(folder, folder.name, filter=owned_by_root)
    if file.stat().st_size > LARGEST:
        sys.exit(f"{file} has {file.stat().st_size / 1e6:.0f} MB, more than {LARGEST / 1e6:.0f}")
    return file


def main():
    programs, ebb_train, packages = map(Path, sys.argv[1:])
    torch = torch_of(ebb_train)
    version = re.search(r"^project\(ebb VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)
    folder = packages / f"ebb-{version}-torch{torch}-linux-x86_64"
    shutil.rmtree(folder, ignore_errors=True)
    parts = {programs / "ebb": "bin/ebb", programs / "libebb-http.so": "bin/libebb-http.so", ebb_train: "libexec/ebb-train"}
    direct = [name for file in parts for name in dynamic(file, "NEEDED")]
    for file, where in parts.items():
        add(file, folder / where, "$ORIGIN/../lib")
    for name, file in needed_by([*direct, *LOADED_WHEN_NEEDED], system_libraries()).items():
        add(file, folder / "lib" / name, "$ORIGIN")
    write_launcher(folder / "bin/ebb-train", torch)
    add_bench(folder)
    shutil.copy(ROOT / "LICENSE", folder)
    print(archive(folder))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
