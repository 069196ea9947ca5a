"""Programs that run as long as a test cluster, each with a log of its own."""

import concurrent.futures
import ctypes
import os
import random
import signal
import socket
import subprocess

PR_SET_PDEATHSIG = 1
STOP_PATIENCE_S = 15


def free_port():
    """A port below those that the kernel gives to clients, so that a server that restarts gets its port back."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


class Part:
    """One program of the cluster."""

    def __init__(self, name, command, log, end_signal=signal.SIGKILL):
        self.name, self.command, self.log, self.end_signal = name, [str(word) for word in command], log, end_signal
        self.process = None
        self.wanted = False

    def start(self):
        self.wanted = True
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True, preexec_fn=self._end_with_parent)

    def _end_with_parent(self):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, self.end_signal)

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def end(self, with_signal=None):
        """Sends the signal, SIGKILL if that does not help, and waits until the program is gone."""
        self.wanted = False
        if not self.runs():
            return
        self.process.send_signal(with_signal or self.end_signal)
        try:
            self.process.wait(STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def last_lines(self, count=15):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return "".join(log.readlines()[-count:])


class Parts:
    """The programs by name. They end with this process, even if it is killed."""

    def __init__(self, directory):
        self.directory = directory
        self.by_name = {}
        # The kernel ends a program together with the thread that started it: one thread starts them all.
        self.starter = concurrent.futures.ThreadPoolExecutor(max_workers=1)

    def start(self, name, command, end_signal=signal.SIGKILL):
        part = Part(name, command, os.path.join(self.directory, f"{name}.log"), end_signal)
        self.by_name[name] = part
        self.starter.submit(part.start).result()

    def restart(self, name):
        self.starter.submit(self.by_name[name].start).result()

    def end(self, name, with_signal=None):
        self.by_name[name].end(with_signal)

    def end_all(self):
        """In the opposite order of their starts."""
        for part in reversed(self.by_name.values()):
            part.end()
        self.starter.shutdown()

    def check(self):
        """Raises an error if a program has ended that nobody ended."""
        for part in self.by_name.values():
            if part.wanted and not part.runs():
                raise RuntimeError(f"{part.name} ended with code {part.process.returncode}:\n{part.last_lines()}")
