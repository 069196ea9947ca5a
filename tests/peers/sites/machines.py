"""Machines for tests of sites: each is a real sshd with its own host key, a user key, known_hosts and a state folder of its
own. Between ssh and sshd is either a door, which can be cut, be shut, or swallow everything; or, for root, a network of its
own (a namespace of Linux), whose cable can be pulled.
"""

import contextlib
import os
import pwd
import random
import selectors
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path

SSHD = next((path for path in ("/usr/sbin/sshd", "/usr/local/sbin/sshd") if os.path.exists(path)), None)


def why_not_here():
    """What this machine lacks; empty: nothing."""
    missing = [name for name in ("ssh", "ssh-keygen") if not shutil.which(name)]
    if not SSHD:
        missing.append("sshd (Debian's openssh-server)")
    return ", ".join(missing)


def why_no_namespaces():
    """Why this machine cannot have network namespaces; empty: it can."""
    if os.geteuid() != 0 or not shutil.which("ip"):
        return "needs root and ip (Debian's iproute2)"
    tried = subprocess.run(["unshare", "-n", "ip", "link", "add", "ebb-a", "type", "veth", "peer", "name", "ebb-b"],
                           capture_output=True, text=True, check=False)
    return tried.stderr.strip()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cable:
    """A network namespace with an address of its own, reached by a cable that can be pulled. What is sent meanwhile gets
    lost, and nobody is told."""

    numbers = iter(range(1, 60))

    def __init__(self):
        number = next(self.numbers)
        self.name = f"ebb-{os.getpid()}-{number}"
        self.near, self.far = f"eb{os.getpid()}a{number}", f"eb{os.getpid()}b{number}"
        self.pulled = 0
        first = f"10.213.{os.getpid() % 256}"
        self.address = f"{first}.{4 * number + 2}"
        self._ip("netns", "add", self.name)
        self._ip("link", "add", self.near, "type", "veth", "peer", "name", self.far, "netns", self.name)
        self._ip("address", "add", f"{first}.{4 * number + 1}/30", "dev", self.near)
        self._ip("link", "set", self.near, "up")
        self._ip("-n", self.name, "address", "add", f"{self.address}/30", "dev", self.far)
        self._ip("-n", self.name, "link", "set", self.far, "up")
        self._ip("-n", self.name, "link", "set", "lo", "up")

    @staticmethod
    def _ip(*words):
        subprocess.run(["ip", *words], check=True)

    def enter(self, *words):
        """The command that runs `words` at the far end."""
        return ["ip", "netns", "exec", self.name, *words]

    def pull(self):
        self.pulled += 1
        # The far end is pulled: the near one, without its address, would answer that there is no way.
        self._ip("-n", self.name, "link", "set", self.far, "down")

    def plug_in(self):
        self._ip("-n", self.name, "link", "set", self.far, "up")

    def close(self):
        self._ip("netns", "delete", self.name)


class Door(threading.Thread):
    """Passes bytes between a port and another one. `cut_after`: bytes after which a connection is cut, drawn anew for each
    one."""

    def __init__(self, to_port):
        super().__init__(daemon=True)
        self.to_port, self.cuts, self.connections = to_port, 0, 0
        self.is_shut = self.swallows = False
        self.cut_after = None
        self.pairs, self.lock = {}, threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.ends = False
        self.start()

    def run(self):
        while not self.ends:
            for key, _ in self.selector.select(0.2):
                with self.lock:
                    if key.fileobj is self.listener:
                        self._accept()
                    elif key.fileobj in self.pairs:
                        self._pass(key.fileobj)

    def _accept(self):
        here, _ = self.listener.accept()
        self.connections += 1
        if self.is_shut:
            return here.close()
        there = socket.create_connection(("127.0.0.1", self.to_port))
        left = [self.cut_after() if self.cut_after else None]
        for one, other in ((here, there), (there, here)):
            self.pairs[one] = (other, left)
            self.selector.register(one, selectors.EVENT_READ)

    def _pass(self, one):
        other, left = self.pairs[one]
        try:
            data = one.recv(65536)
        except OSError:
            data = b""
        if not data:
            return self._drop(one)
        if self.swallows:
            return None
        if left[0] is not None:
            left[0] -= len(data)
            if left[0] <= 0:
                data = data[:left[0]] if left[0] else data  # the last bytes get lost too
                self.cuts += 1
                with contextlib.suppress(OSError):
                    other.sendall(data)
                return self._drop(one)
        with contextlib.suppress(OSError):
            other.sendall(data)
        return None

    def _drop(self, one):
        other, _ = self.pairs[one]
        for each in (one, other):
            if each in self.pairs:
                self.selector.unregister(each)
                del self.pairs[each]
                each.close()

    def cut_all(self):
        with self.lock:
            self.cuts += len(self.pairs) // 2
            for one in list(self.pairs):
                if one in self.pairs:
                    self._drop(one)

    def close(self):
        self.ends = True
        self.join()
        self.cut_all()
        self.listener.close()


class Machine:
    """A machine with sshd, behind a door, or at the far end of `cable`. Its commands see its own state folder."""

    def __init__(self, directory, name, cable=None):
        self.cable = cable
        self.address = cable.address if cable else "127.0.0.1"
        self.name, self.directory = name, Path(directory) / name
        self.directory.mkdir(parents=True)
        self.state = self.directory / "state"
        self.state.mkdir()
        self.port, self.process = free_port(), None
        self.make_host_key()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.directory / "user_key"], check=True)
        (self.directory / "authorized_keys").write_text((self.directory / "user_key.pub").read_text())
        self.start()
        self.door = None if cable else Door(self.port)
        self.trust()

    def make_host_key(self):
        for old in self.directory.glob("host_key*"):
            old.unlink()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.directory / "host_key"], check=True)

    def trust(self):
        key = (self.directory / "host_key.pub").read_text().split()
        (self.directory / "known_hosts").write_text(f"{self.name} {key[0]} {key[1]}\n")

    def start(self):
        config = self.directory / "sshd_config"
        config.write_text("\n".join((
            f"Port {self.port}", f"ListenAddress {self.address}", f"HostKey {self.directory}/host_key",
            f"AuthorizedKeysFile {self.directory}/authorized_keys", f"PidFile {self.directory}/sshd.pid",
            "StrictModes no", "UsePAM no", "PasswordAuthentication no", "KbdInteractiveAuthentication no",
            "PermitRootLogin prohibit-password", "MaxStartups 100", "LogLevel VERBOSE",
            f"SetEnv XDG_STATE_HOME={self.state} EBB_CONFIG=none")) + "\n")
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        self.log = open(self.directory / "sshd.log", "a", encoding="utf-8")
        sshd = [SSHD, "-D", "-e", "-f", config]
        self.process = subprocess.Popen(self.cable.enter(*sshd) if self.cable else sshd, stdout=self.log, stderr=self.log)
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection((self.address, self.port)):
                return
            time.sleep(0.05)
        raise RuntimeError((self.directory / "sshd.log").read_text())

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def new_host_key(self):
        """As if the machine had been installed anew, or another one answered in its place."""
        self.stop()
        self.make_host_key()
        self.start()

    def ssh_config(self):
        user = pwd.getpwuid(os.geteuid()).pw_name
        port = self.port if self.cable else self.door.port
        return (f"Host {self.name}\n  HostName {self.address}\n  Port {port}\n  User {user}\n"
                f"  HostKeyAlias {self.name}\n  IdentityFile {self.directory}/user_key\n  IdentitiesOnly yes\n"
                f"  UserKnownHostsFile {self.directory}/known_hosts\n  GlobalKnownHostsFile /dev/null\n"
                "  ServerAliveInterval 1\n  ServerAliveCountMax 2\n")

    def close(self):
        if self.door:
            self.door.close()
        self.stop()
        if self.cable:
            self.cable.close()
        self.log.close()


def random_cuts(seed, most_bytes=300_000, set_up_bytes=8_000):
    """For Door.cut_after: one connection in four is cut while ssh sets it up, the others after that, most of them early."""
    seeded = random.Random(seed)

    def draw():
        if seeded.random() < 0.25:
            return seeded.randint(1, set_up_bytes)
        return int(set_up_bytes * (most_bytes / set_up_bytes) ** seeded.random())
    return draw
