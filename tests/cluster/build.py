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
import typing
import urllib.error
import urllib.request
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
BUILT = SOURCES.parents[1] / "build/peers/kubernetes"
BIN = BUILT / "bin"


class Program(typing.NamedTuple):
    name: str
    folder: Path
    package: str
    module: str  # whose version it has, and whose files are copied
    copies: dict = {}  # the files of the module that each file in BIN is made of
    built: Path = BUILT  # where it lies, and what Go keeps for it


PROGRAMS = (
    Program("control-plane", SOURCES, ".", "k8s.io/kubernetes"),
    # How nodes and pods in bulk behave; completes.yaml is ours.
    Program("kwok", SOURCES / "kwok", "sigs.k8s.io/kwok/cmd/kwok", "sigs.k8s.io/kwok", {
        "stages.yaml": ["kustomize/stage/node/fast/node-initialize.yaml", "kustomize/stage/pod/fast/pod-ready.yaml",
                        "kustomize/stage/pod/fast/pod-delete.yaml"]}),
    Program("kuberay", SOURCES / "kuberay", "github.com/ray-project/kuberay/ray-operator",
            "github.com/ray-project/kuberay/ray-operator", {"kuberay-crds.yaml": ["config/crd/bases/*.yaml"]}),
    Program("kueue", SOURCES / "kueue", "sigs.k8s.io/kueue/cmd/kueue", "sigs.k8s.io/kueue", {
        "kueue-crds.yaml": ["config/components/crd/bases/*.yaml"],
        "kueue-webhooks.yaml": ["config/components/webhook/manifests.yaml"]}),
)
# Only for the chart (deploy/helm): who tests the rest does not wait for it.
HELM = Program("helm", SOURCES / "helm", "helm.sh/helm/v4/cmd/helm", "helm.sh/helm/v4",
               built=BUILT.parent / "helm")


def say(text):
    print(text, file=sys.stderr, flush=True)


def go_program():
    """Go, also where its own installer puts it; None if it is not installed."""
    return shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")


def environment(built):
    """Everything that Go writes lies below build/; flags of the caller's, such as -p=2, are kept."""
    flags = "-modcacherw -trimpath -buildvcs=false -mod=readonly " + os.environ.get("GOFLAGS", "")
    return dict(os.environ, GOMODCACHE=str(built / "modules"), GOCACHE=str(built / "cache"), GOWORK="off",
                GOFLAGS=flags.strip(), CGO_ENABLED="0")


def go(folder, *words, built=BUILT):
    return subprocess.run([go_program(), *words], cwd=folder, env=environment(built), check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def fingerprint(folder):
    """Changes with every file of the module, but not with the Python beside it."""
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in (".go", ".mod", ".sum", ".yaml"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def to_build(programs):
    def built(program):
        file = program.built / "bin" / program.name
        mark = file.with_name(f"{program.name}.built")
        return mark.exists() and file.exists() and mark.read_text() == fingerprint(program.folder)
    return [program for program in programs if not built(program)]


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


def build(program):
    say(f"Building {program.name} (the first time takes minutes) ...")
    start = time.monotonic()
    file = program.built / "bin" / program.name
    file.parent.mkdir(parents=True, exist_ok=True)
    go(program.folder, "build", "-ldflags=" + link_flags(program), "-o", str(file), program.package,
       built=program.built)
    copy_files(program)
    file.with_name(f"{program.name}.built").write_text(fingerprint(program.folder))
    say(f"Built {program.name} in {time.monotonic() - start:.0f} s.")


def link_flags(program):
    """No symbols for debuggers; the control plane says which version it is, as clients ask for that."""
    if program.name != "control-plane":
        return "-s -w"
    version = go(program.folder, "list", "-m", "-f", "{{.Version}}", program.module).strip()
    major, minor = version.lstrip("v").split(".")[:2]
    values = {"gitVersion": version, "gitMajor": major, "gitMinor": minor}
    return "-s -w " + " ".join(f"-X k8s.io/component-base/version.{key}={value}" for key, value in values.items())


def copy_files(program):
    """The YAML files of a program's module, and ours beside its go.mod."""
    if not program.copies:
        return
    module = Path(go(program.folder, "list", "-m", "-f", "{{.Dir}}", program.module).strip())
    own = [path.read_text() for path in sorted(program.folder.glob("*.yaml"))]
    for target, patterns in program.copies.items():
        texts = [path.read_text() for pattern in patterns for path in sorted(module.glob(pattern))]
        (BIN / target).write_text("\n---\n".join(texts + own))


def build_missing(programs=PROGRAMS):
    """Builds what is missing; returns why it cannot, empty: everything is there."""
    missing = to_build(programs)
    reason = why_not() if missing else ""
    if reason:
        return reason
    for program in missing:
        build(program)
    return ""


def main():
    try:
        reason = build_missing()
    except subprocess.CalledProcessError as error:
        say(f"Go failed: {' '.join(error.cmd)}")
        return 4
    if reason:
        print(reason)
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
