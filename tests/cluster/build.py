#!/usr/bin/env python3
"""Builds the programs of the test cluster from Go modules, each pinned by the go.mod and go.sum of its folder.

Usage: build.py. What is built already is left alone. Exit code 77: nothing can be built here, for the reason printed.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
BUILT = SOURCES.parents[1] / "build/peers/kubernetes"
BIN = BUILT / "bin"

# Program, the folder of its module, the package in it.
PROGRAMS = (
    ("control-plane", SOURCES, "."),
    ("kwok", SOURCES / "kwok", "sigs.k8s.io/kwok/cmd/kwok"),
)

# How nodes and pods in bulk behave, from kwok's module; completes.yaml is ours.
STAGES = ("node/fast/node-initialize.yaml", "pod/fast/pod-ready.yaml", "pod/fast/pod-delete.yaml")


def say(text):
    print(text, file=sys.stderr, flush=True)


def go_program():
    """Go, also where its own installer puts it; None if it is not installed."""
    return shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")


def environment():
    """Everything that Go writes lies below build/; flags of the caller's, such as -p=2, are kept."""
    flags = "-modcacherw -trimpath -buildvcs=false -mod=readonly " + os.environ.get("GOFLAGS", "")
    return dict(os.environ, GOMODCACHE=str(BUILT / "modules"), GOCACHE=str(BUILT / "cache"), GOWORK="off",
                GOFLAGS=flags.strip(), CGO_ENABLED="0")


def go(folder, *words):
    return subprocess.run([go_program(), *words], cwd=folder, env=environment(), check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def fingerprint(folder):
    """Changes with every file of the module, but not with the Python beside it."""
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in (".go", ".mod", ".sum", ".yaml"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def to_build():
    def built(name, folder):
        mark = BIN / f"{name}.built"
        return mark.exists() and (BIN / name).exists() and mark.read_text() == fingerprint(folder)
    return [program for program in PROGRAMS if not built(*program[:2])]


def needed_version():
    lines = (SOURCES / "go.mod").read_text().splitlines()
    return next(line for line in lines if line.startswith("go "))


def numbers(version):
    return [int(number) for number in re.findall(r"\d+", version)[:2]]


def why_not():
    """What the build lacks; empty: nothing."""
    if not go_program():
        return "Go is not installed"
    have, need = go(BUILT.anchor, "env", "GOVERSION").strip(), needed_version()
    if numbers(have) < numbers(need):
        return f"{need} is needed, this is {have}"
    proxy = go(SOURCES, "env", "GOPROXY").split(",")[0].strip().rstrip("/")
    if not proxy.startswith("http"):
        return ""
    try:
        urllib.request.urlopen(f"{proxy}/k8s.io/kubernetes/@v/list", timeout=20).close()
    except urllib.error.HTTPError as error:
        return f"the Go module proxy {proxy} answers {error.code}"
    except OSError as error:
        return f"the Go module proxy {proxy} cannot be reached: {error}"
    return ""


def build(name, folder, package):
    say(f"Building {name} (the first time takes minutes) ...")
    start = time.monotonic()
    go(folder, "build", "-ldflags=" + link_flags(name, folder), "-o", str(BIN / name), package)
    if name == "kwok":
        copy_stages(folder)
    (BIN / f"{name}.built").write_text(fingerprint(folder))
    say(f"Built {name} in {time.monotonic() - start:.0f} s.")


def link_flags(name, folder):
    """No symbols for debuggers; the control plane says which version it is, as clients ask for that."""
    if name != "control-plane":
        return "-s -w"
    version = go(folder, "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes").strip()
    major, minor = version.lstrip("v").split(".")[:2]
    values = {"gitVersion": version, "gitMajor": major, "gitMinor": minor}
    return "-s -w " + " ".join(f"-X k8s.io/component-base/version.{key}={value}" for key, value in values.items())


def copy_stages(folder):
    module = Path(go(folder, "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok").strip())
    texts = [(module / "kustomize/stage" / stage).read_text() for stage in STAGES]
    texts.append((folder / "completes.yaml").read_text())
    (BIN / "stages.yaml").write_text("\n---\n".join(texts))


def build_missing():
    """Builds what is missing; returns why it cannot, empty: everything is there."""
    missing = to_build()
    reason = why_not() if missing else ""
    if reason:
        return reason
    BIN.mkdir(parents=True, exist_ok=True)
    for program in missing:
        build(*program)
    return ""


def main():
    reason = build_missing()
    if reason:
        print(reason)
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
