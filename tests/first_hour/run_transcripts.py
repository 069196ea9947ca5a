#!/usr/bin/env python3
"""Runs the first hours of new users as they type them, and holds what they see against the transcripts beside this file.

    run_transcripts.py INSTALLED_PREFIX SOURCE_TREE CLOCK NAME...  compare; CLOCK: the library of src/testing/set_clock.c
    run_transcripts.py ... --record NAME...                        print what is seen instead
    run_transcripts.py --untried SOURCE_TREE NAME...               commands of README and quickstart in none of them

Each transcript runs twice, in a pseudo-terminal and in a pipe, as a user without rights if it is started by root, with
a home of its own, an installation that only root may write to, TZ and COLUMNS set, without a network where that can be had, and from the same moment on: an evening
in May. A line of a transcript is

    # ...                a remark
    $ COMMAND            typed into a shell; what follows is what is seen
    @stop-when TEXT      after a command: Ctrl-C once TEXT was seen
    @keep-until TEXT     after a command: it goes on in the background once TEXT was seen, and ends with the transcript
    @again-until TEXT    after a command: it is typed again every second until TEXT is seen
    @only terminal|pipe  after a command: it is left out in the other mode
    @needs PROGRAM       at the beginning: without it the transcript is skipped
    @clone               at the beginning: it is typed in a clone; otherwise in a folder with nothing of Ebb
    (exit N)             last: the exit code, if it is not 0
    ...                  any number of lines

and [..] in a line is any text. What is seen once in a terminal and rewritten counts as it was seen last.
"""

import ctypes
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
COLUMNS, ROWS = 100, 40
LONGEST_S = 90
NOBODY = 65534
BEGINS_S = 1777923000  # Monday, 4 May 2026, 21:30 in Johannesburg
TRAIN = """import time
for epoch in range(2):
    end = time.time() + 0.5
    while time.time() < end:
        sum(range(1000))
    print("epoch", epoch, flush=True)
"""


class Step:
    def __init__(self, command, line):
        self.command, self.line = command, line
        self.expected, self.code = [], 0
        self.stop_when = self.keep_until = self.again_until = self.only = None


def read_transcript(name):
    steps, needs, in_clone = [], [], False
    for number, line in enumerate((HERE / f"{name}.txt").read_text().splitlines(), 1):
        word, _, rest = line.partition(" ")
        if line.startswith("$ "):
            steps.append(Step(rest, number))
        elif word == "@needs":
            needs.append(rest)
        elif word == "@clone":
            in_clone = True
        elif word in ("@stop-when", "@keep-until", "@again-until", "@only"):
            setattr(steps[-1], word[1:].replace("-", "_"), rest)
        elif line.startswith("# ") or line == "#":
            continue
        elif re.fullmatch(r"\(exit \d+\)", line):
            steps[-1].code = int(line[6:-1])
        elif steps:
            steps[-1].expected.append(line)
    for step in steps:
        while step.expected and not step.expected[-1].strip():
            step.expected.pop()
    return needs, in_clone, steps


def matches(expected, seen):
    """Whether the lines match, `...` standing for any number of them."""
    reach = {0}
    for pattern in expected:
        if pattern == "...":
            reach = set(range(min(reach), len(seen) + 1)) if reach else set()
            continue
        words = re.compile(".*".join(re.escape(part) for part in pattern.rstrip().split("[..]")))
        reach = {at + 1 for at in reach if at < len(seen) and words.fullmatch(seen[at].rstrip())}
    return len(seen) in reach


def lines_of(data):
    """What a terminal shows in the end: a line that was erased and written again is what was written last."""
    text = data.decode(errors="replace").replace("\r\n", "\n")
    lines = [re.split(r"\r\x1b\[2?K", line)[-1].replace("\r", "") for line in text.split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


class Person:
    """Somebody with a shell, a home and a program to train."""

    def __init__(self, prefix, source, clock, mode, in_clone):
        self.mode = mode
        self.directory = Path(tempfile.mkdtemp(prefix="ebb-first-hour-"))
        self.directory.chmod(0o755)
        self.place = self.directory / ("clone" if in_clone else "work")
        self.place.mkdir()
        for part in ("configs", "data") if in_clone else ():
            shutil.copytree(source / part, self.place / part)
        (self.place / "train.py").write_text(TRAIN)
        self.home = self.directory / "home"
        self.home.mkdir()
        shutil.copytree(prefix, self.directory / "installed", symlinks=True)
        shutil.copy(clock, self.directory / "clock.so")
        (self.directory / "ahead").write_bytes(struct.pack("q", int((BEGINS_S - time.time()) * 1000)))
        if os.geteuid() == 0:
            for path in (self.place, *self.place.rglob("*"), self.home, self.directory / "ahead"):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        self.variables, self.background = {}, []

    def environment(self):
        fixed = {"PATH": f"{self.directory}/installed/bin:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "USER": "ada",
                 "LOGNAME": "ada", "TERM": "xterm", "LANG": "C.UTF-8", "TZ": "Africa/Johannesburg", "COLUMNS": str(COLUMNS),
                 "LD_PRELOAD": str(self.directory / "clock.so"), "EBB_SET_CLOCK": str(self.directory / "ahead"),
                 "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
        return {**fixed, **self.variables}

    def become(self):
        os.setsid()
        if self.mode == "terminal":
            fcntl.ioctl(0, 0x540E, 0)  # TIOCSCTTY
        if os.geteuid() == 0:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)

    def start(self, command):
        if self.mode == "terminal":
            ours, theirs = pty.openpty()
            fcntl.ioctl(theirs, 0x5414, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))  # TIOCSWINSZ
            streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        else:
            ours, theirs = os.pipe()
            streams = {"stdin": subprocess.DEVNULL, "stdout": theirs, "stderr": theirs}
        process = subprocess.Popen(["/bin/sh", "-c", command], cwd=self.place, env=self.environment(), preexec_fn=self.become,
                                   **streams)
        os.close(theirs)
        return process, ours

    def run(self, step):
        """What was seen, and the exit code (None: it goes on)."""
        if assigned := re.fullmatch(r"(export|unset) (\w+)=?(\S*)", step.command):
            self.variables.pop(assigned[2], None)
            if assigned[1] == "export":
                self.variables[assigned[2]] = assigned[3]
            return [], 0
        process, stream = self.start(step.command)
        seen, limit, wanted = b"", time.monotonic() + LONGEST_S, (step.stop_when or step.keep_until or "").encode()
        while time.monotonic() < limit:
            if not select.select([stream], [], [], 0.1)[0]:
                if process.poll() is not None:
                    break
                continue
            try:
                data = os.read(stream, 65536)
            except OSError:  # a pseudo-terminal that its last user has closed
                break
            if not data:
                break
            seen += data
            if wanted and wanted in seen:
                wanted = b""
                if step.keep_until:
                    self.background.append((process, stream))
                    return lines_of(seen), None
                os.killpg(process.pid, signal.SIGINT)
        else:
            os.killpg(process.pid, signal.SIGKILL)
            seen += f"\n(not done after {LONGEST_S} s)".encode()
        code = process.wait()
        os.close(stream)
        return lines_of(seen), code if code >= 0 else 128 - code

    def leave(self):
        for process, stream in self.background:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(30)
            os.close(stream)
        # Programs of jobs outlive the service that ran them.
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(folder / "cwd").startswith(str(self.directory)):
                    os.kill(int(folder.name), signal.SIGKILL)
            except OSError:
                pass
        shutil.rmtree(self.directory, ignore_errors=True)


def without_network():
    """A network of its own, with a loopback and nothing else: ports are free, and no provider answers."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x40000000) != 0:  # CLONE_NEWNET
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, 0x8914, struct.pack("16sH14x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: up, running
    return True


def play(name, steps, in_clone, places, mode, record):
    failures = 0
    person = Person(*places, mode, in_clone)
    try:
        for step in steps:
            if step.only not in (None, mode):
                continue
            seen, code = person.run(step)
            limit = time.monotonic() + LONGEST_S
            while step.again_until and step.again_until not in "\n".join(seen) and time.monotonic() < limit:
                time.sleep(1)
                seen, code = person.run(step)
            seen = [line.replace(str(person.directory), "/ada") for line in seen]
            if record:
                print(f"$ {step.command}", *seen, *([f"(exit {code})"] if code else []), sep="\n")
            elif not matches(step.expected, seen) or code not in (step.code, None):
                failures += 1
                print(f"{name}.txt:{step.line}: in a {mode}: $ {step.command}\n-- expected (exit {step.code})", *step.expected,
                      f"-- seen (exit {code})", *seen, "--", sep="\n", flush=True)
    finally:
        person.leave()
    return failures


def untried(source, names):
    """The commands of README and quickstart that no transcript has."""
    tried = {step.command for name in names for step in read_transcript(name)[2]}
    for document in ("README.md", "docs/quickstart.md"):
        console = False
        for line in (source / document).read_text().splitlines():
            if line.startswith("```"):
                console = line == "```console"
            command = re.sub(r"\s{2,}# .*", "", line[2:]).strip()
            if console and line.startswith("$ ") and command not in tried:
                yield f"{document}: $ {command}"


def main(arguments):
    if arguments[0] == "--untried":
        missing = list(untried(Path(arguments[1]), arguments[2:]))
        print(*missing, f"{len(missing)} commands of the documents are in no transcript", sep="\n")
        return 1 if missing else 0
    record = "--record" in arguments
    prefix, source, clock, *names = [word for word in arguments if word != "--record"]
    places = [Path(prefix), Path(source), Path(clock)]
    if not without_network():
        print("no network of its own: the ports of this machine are used")
    failures = skipped = 0
    for name in names:
        needs, in_clone, steps = read_transcript(name)
        if missing := [program for program in needs if not (Path(prefix) / "bin" / program).exists()]:
            print(f"skipped: {name}: {', '.join(missing)} is not built")
            skipped += 1
            continue
        for mode in ("terminal", "pipe"):
            failures += play(name, steps, in_clone, places, mode, record)
    print(f"{failures} failures")
    return 1 if failures else 77 if skipped == len(names) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
