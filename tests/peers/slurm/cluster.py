#!/usr/bin/env python3
"""A real Slurm cluster on this machine, for tests: munged, slurmctld, slurmd for each node, and if asked for MariaDB with
slurmdbd, and slurmrestd. Everything listens on 127.0.0.1 or under one folder, and runs as whoever starts it: root or an
ordinary user. GPUs are links to /dev/null, which gres.conf takes for devices.

    with Cluster(nodes=2, gpus=2) as cluster:
        job = cluster.submit("--gpus=1", "--wrap=sleep 60")
        cluster.wait_for_state(job, "RUNNING")

Usage: cluster.py [--nodes N] [--gpus N] [--accounting] [--rest] [--directory DIR] [COMMAND ...] runs a command with
SLURM_CONF set to the cluster's; without a command it keeps the cluster until Ctrl-C. If the machine lacks a program, it
says so and ends with 77; --check does nothing else.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "cluster"))
from processes import Parts, free_port

START_PATIENCE_S = 60
JOB_PATIENCE_S = 60
COMMAND_PATIENCE_S = 60
CLUSTER_NAME = "ci"
# Daemons lie here, which is not in the PATH of ordinary users.
DAEMON_PATH = "/usr/local/sbin:/usr/sbin:/sbin"
PROGRAMS = ("munged", "slurmctld", "slurmd", "squeue", "sbatch")
ACCOUNTING_PROGRAMS = ("slurmdbd", "mariadbd", "mariadb-install-db", "mariadb-admin", "mariadb", "sacctmgr")
REST_PROGRAMS = ("slurmrestd",)


def program(name):
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:{DAEMON_PATH}")


def missing_programs():
    """The programs of the Debian packages that this machine lacks."""
    return [name for name in PROGRAMS + ACCOUNTING_PROGRAMS + REST_PROGRAMS if not program(name)]


def slurm_version():
    """(22, 5) for "slurm-wlm 22.05.8"."""
    text = subprocess.run([program("slurmctld"), "-V"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in text.split()[-1].split(".")[:2])


def has_token_plugin():
    return any(Path("/usr/lib").glob("*/slurm-wlm/auth_jwt.so"))


def numbered(prefix, first, count):
    """Slurm's short form of several names: n[1-4]."""
    return f"{prefix}{first}" if count == 1 else f"{prefix}[{first}-{first + count - 1}]"


class Cluster:
    """A cluster that lives as long as the `with` block.

    conf          path of its slurm.conf
    environment   that of this process, with SLURM_CONF
    rest_socket   path of the socket of slurmrestd, if `rest`
    rest_url      its address for requests with a token(), if `rest` and has_tokens: Debian's slurm-wlm-jwt-plugin is there
    directory     logs (folder log), configuration (etc), state

    `partitions` are partitions with further words of their lines: {"main": "Default=YES", "green": "PriorityTier=2"}.
    `settings` are further lines of slurm.conf, or others in place of ours: {"KillWait": 30}. `lua` is the text of a
    job_submit.lua. A directory that the caller names is kept.
    """

    def __init__(self, nodes=1, gpus=2, cpus=8, memory_mb=32000, accounting=False, rest=False, kill_wait_s=2,
                 min_job_age_s=3600, partitions=None, settings=None, lua=None, directory=None):
        self.nodes, self.gpus, self.cpus, self.memory_mb = nodes, gpus, cpus, memory_mb
        self.accounting, self.rest, self.lua = accounting, rest, lua
        self.partitions = partitions or {"main": "Default=YES"}
        self.times = {"KillWait": kill_wait_s, "MinJobAge": min_job_age_s}
        self.settings = settings or {}
        self.keep = directory is not None
        # Paths of Unix sockets have at most 107 bytes, and TMPDIR may be long.
        self.directory = Path(directory or tempfile.mkdtemp(prefix="ebb-slurm-", dir="/tmp")).resolve()
        self.conf = str(self.directory / "etc/slurm.conf")
        self.rest_socket = str(self.directory / "run/rest.sock")
        self.munge_socket = self.directory / "run/munge.sock"
        self.environment = {**os.environ, "SLURM_CONF": self.conf}
        self.user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        self.host = os.uname().nodename.split(".")[0]
        self.controller_port, self.accounting_port, self.database_port = free_port(), free_port(), free_port()
        self.rest_url = f"http://127.0.0.1:{free_port()}"
        self.has_tokens = has_token_plugin()
        self.parts = None

    # Start and end

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def _start(self):
        for folder in ("etc", "log", "run", "state", "dev"):
            (self.directory / folder).mkdir(parents=True)
        (self.directory / "state").chmod(0o700)
        self.parts = Parts(self.directory / "log")
        self._write_configuration()
        self._start_munge()
        if self.accounting:
            self._start_database()
            self.start_accounting()
        self.start_controller()
        for number in range(1, self.nodes + 1):
            self._start_part(f"slurmd-n{number}", "slurmd", "-D", "-c", "-N", f"n{number}", "-f", self.conf,
                             end_signal=signal.SIGKILL)
        self.wait(self._all_idle, f"{self.nodes} idle nodes", START_PATIENCE_S)
        if self.rest:
            self.start_rest()

    def close(self):
        """Ends every job and every program; a second call does nothing."""
        if self.parts:
            self._end_jobs()
            self.parts.end_all()
            self._kill_what_is_left()
            self.parts = None
        if not self.keep:
            shutil.rmtree(self.directory, ignore_errors=True)

    def _end_jobs(self):
        try:
            self.run("scancel", "--full", "--signal=KILL", f"--user={self.user}", check=False)
            self.run("scancel", f"--user={self.user}", check=False)
        except subprocess.TimeoutExpired:
            pass  # a controller that a test has killed; what is left of its jobs is killed later

    def _kill_what_is_left(self):
        """Steps outlive slurmd. Each, and each program of a job, has this cluster's SLURM_CONF in its environment."""
        mark = f"SLURM_CONF={self.conf}\0".encode()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (process / "environ").read_bytes() + b"\0" and int(process.name) != os.getpid():
                    os.kill(int(process.name), signal.SIGKILL)
            except OSError:
                pass  # it has ended, or belongs to another user

    # Configuration

    def _write(self, name, text, mode=0o644):
        path = self.directory / "etc" / name
        path.write_text(text)
        path.chmod(mode)
        return path

    def _write_configuration(self):
        for number in range(self.gpus):
            (self.directory / f"dev/gpu{number}").symlink_to("/dev/null")
        files = numbered(f"{self.directory}/dev/gpu", 0, self.gpus)
        self._write("gres.conf", "AutoDetect=off\n" + (f"Name=gpu Type=fake File={files}\n" if self.gpus else ""))
        # Since 24.05 slurmd insists on control groups unless it is told otherwise in words that 22.05 does not know.
        self._write("cgroup.conf", "CgroupPlugin=disabled\n" if slurm_version() >= (24, 0) else "CgroupAutomount=no\n")
        if self.lua is not None:
            self._write("job_submit.lua", self.lua)
        self._write("slurm.conf", self._slurm_conf())

    def _slurm_conf(self):
        d, here = self.directory, "127.0.0.1"
        lines = {
            "ClusterName": CLUSTER_NAME, "SlurmctldHost": f"{self.host}({here})", "SlurmctldPort": self.controller_port,
            "SlurmUser": self.user, "SlurmdUser": self.user, "AuthType": "auth/munge", "CredType": "cred/munge",
            "AuthInfo": f"socket={self.munge_socket},cred_expire=5",
            "CommunicationParameters": "NoInAddrAny,NoCtldInAddrAny",
            "StateSaveLocation": d / "state", "SlurmdSpoolDir": d / "spool-%n",
            "SlurmctldPidFile": d / "run/slurmctld.pid", "SlurmdPidFile": d / "run/slurmd-%n.pid",
            "SlurmctldLogFile": d / "log/slurmctld.log", "SlurmdLogFile": d / "log/slurmd-%n.log",
            "ProctrackType": "proctrack/linuxproc", "TaskPlugin": "task/none", "SwitchType": "switch/none",
            "MpiDefault": "none", "MailProg": "/bin/true", "JobAcctGatherType": "jobacct_gather/none",
            "AccountingStorageType": "accounting_storage/none", "AccountingStoreFlags": "job_comment",
            "SelectType": "select/cons_tres", "SelectTypeParameters": "CR_CPU_Memory",
            "SchedulerType": "sched/backfill",
            "SchedulerParameters": "batch_sched_delay=0,sched_interval=2,bf_interval=2,bf_continue",
            "PriorityType": "priority/basic", "SlurmdParameters": "config_overrides", "ReturnToService": 2,
            "DefMemPerCPU": 100, "GresTypes": "gpu", **self.times}
        if self.accounting:
            lines |= {"AccountingStorageType": "accounting_storage/slurmdbd", "AccountingStorageHost": here,
                      "AccountingStoragePort": self.accounting_port, "AccountingStoragePass": self.munge_socket,
                      "AccountingStorageTRES": "gres/gpu"}
        if self.lua is not None:
            lines["JobSubmitPlugins"] = "lua"
        if self.rest and self.has_tokens:
            key = self.directory / "state/jwt.key"
            key.write_bytes(os.urandom(32))
            key.chmod(0o600)
            lines |= {"AuthAltTypes": "auth/jwt", "AuthAltParameters": f"jwt_key={key}"}
        lines |= self.settings
        gres = f" Gres=gpu:fake:{self.gpus}" if self.gpus else ""
        ports = numbered("", self.controller_port + 1, self.nodes)
        rows = [f"{key}={value}" for key, value in lines.items()]
        rows.append(f"NodeName={numbered('n', 1, self.nodes)} NodeHostname={self.host} NodeAddr={here} Port={ports} "
                    f"CPUs={self.cpus} RealMemory={self.memory_mb}{gres} State=UNKNOWN")
        rows += [f"PartitionName={name} Nodes=ALL MaxTime=INFINITE State=UP {more}"
                 for name, more in self.partitions.items()]
        return "\n".join(rows) + "\n"

    # Programs of the cluster

    def _start_munge(self):
        key = self.directory / "etc/munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        run = self.directory / "run"
        self._start_part(
            "munged", "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.munge_socket}",
            f"--pid-file={run}/munged.pid", f"--log-file={self.directory}/log/munged-own.log",
            f"--seed-file={run}/munge.seed", "--num-threads=2")
        self.wait(self.munge_socket.is_socket, "munged", START_PATIENCE_S)

    def _start_database(self):
        data, socket = self.directory / "db", self.directory / "run/database.sock"
        as_root = ["--user=root"] if self.user == "root" else []
        self._quietly("mariadb-install-db", "--no-defaults", f"--datadir={data}",
                      "--auth-root-authentication-method=normal", "--skip-test-db", *as_root)
        self._start_part(
            "mariadbd", "mariadbd", "--no-defaults", *as_root, f"--datadir={data}", f"--socket={socket}",
            f"--pid-file={self.directory}/run/mariadbd.pid", "--bind-address=127.0.0.1",
            f"--port={self.database_port}", "--innodb-buffer-pool-size=64M", "--innodb-flush-log-at-trx-commit=0")
        client = ("--no-defaults", "-u", "root", f"--socket={socket}")
        self.wait(lambda: self._succeeds("mariadb-admin", *client, "ping"), "the database", START_PATIENCE_S)
        self._quietly("mariadb", *client, "-e", "create user slurm@'127.0.0.1' identified by 'slurm'; "
                      "grant all on slurm_acct_db.* to slurm@'127.0.0.1';")
        self._write("slurmdbd.conf", "\n".join([
            "AuthType=auth/munge", f"AuthInfo=socket={self.munge_socket}", f"DbdHost={self.host}", "DbdAddr=127.0.0.1",
            f"DbdPort={self.accounting_port}", f"SlurmUser={self.user}", f"PidFile={self.directory}/run/slurmdbd.pid",
            f"LogFile={self.directory}/log/slurmdbd-own.log", "StorageType=accounting_storage/mysql",
            "StorageHost=127.0.0.1", f"StoragePort={self.database_port}", "StorageUser=slurm", "StoragePass=slurm",
            "CommunicationParameters=NoInAddrAny", ""]), 0o600)

    def start_accounting(self):
        """Starts slurmdbd, also again after kill_accounting."""
        self._start_part("slurmdbd", "slurmdbd", "-D")
        self.wait(lambda: self._succeeds("sacctmgr", "-n", "show", "cluster"), "slurmdbd", START_PATIENCE_S)

    def kill_accounting(self, with_signal=signal.SIGKILL):
        self.parts.end("slurmdbd", with_signal)

    def start_controller(self):
        """Starts slurmctld, also again with the jobs that it knew when it ended."""
        fresh = ["-c"] if not (self.directory / "state/job_state").exists() else []
        self._start_part("slurmctld", "slurmctld", "-D", *fresh, "-f", self.conf)
        self.wait(lambda: self._succeeds("scontrol", "ping"), "slurmctld", START_PATIENCE_S)

    def kill_controller(self, with_signal=signal.SIGKILL):
        """SIGTERM lets it write its state, SIGKILL does not."""
        self.parts.end("slurmctld", with_signal)

    def start_rest(self):
        """Starts slurmrestd, also again: for the socket, and a second one that takes tokens. It refuses to run as SlurmUser
        unless it is told not to look."""
        Path(self.rest_socket).unlink(missing_ok=True)
        security = {"SLURMRESTD_SECURITY": "disable_user_check,disable_unshare_files,disable_unshare_sysv"}
        names = ["slurmctld", "slurmdbd"] if slurm_version() >= (23, 0) else ["openapi/v0.0.38", "openapi/dbv0.0.38"]
        words = ("-f", self.conf, "-s", ",".join(names if self.accounting else names[:1]), "-a")
        self._start_part("slurmrestd", "slurmrestd", *words, "rest_auth/local", f"unix:{self.rest_socket}", **security)
        self.wait(Path(self.rest_socket).is_socket, "slurmrestd", START_PATIENCE_S)
        if self.has_tokens:
            self._start_part("slurmrestd-jwt", "slurmrestd", *words, "rest_auth/jwt", self.rest_url.removeprefix("http://"),
                             SLURM_JWT="daemon", **security)

    def token(self, user, lifespan_s=600):
        """A JSON web token for rest_url."""
        return self.run("scontrol", "token", f"username={user}", f"lifespan={lifespan_s}").strip().removeprefix("SLURM_JWT=")

    def _start_part(self, name, command, *words, end_signal=signal.SIGTERM, **environment):
        variables = {"SLURM_CONF": self.conf, **environment}
        self.parts.start(name, ["env", *(f"{key}={value}" for key, value in variables.items()), program(command), *words],
                         end_signal)

    # Jobs

    def run(self, *words, check=True, environment=None, seconds=COMMAND_PATIENCE_S):
        """Runs a command of Slurm and returns what it prints. With `check`, failing is an error with its words."""
        ended = subprocess.run([program(words[0]) or words[0], *map(str, words[1:])], capture_output=True, text=True,
                               stdin=subprocess.DEVNULL, timeout=seconds,
                               env={**self.environment, **(environment or {})})
        if check and ended.returncode:
            raise RuntimeError(f"{' '.join(map(str, words))} ended with {ended.returncode}: {ended.stderr}")
        return ended.stdout

    def submit(self, *options):
        """sbatch with these options (a script last, or --wrap=…); returns the job's id. Its output is in folder log."""
        return self.run("sbatch", "--parsable", f"--chdir={self.directory}", f"--output={self.directory}/log/job-%j.out",
                        *options).strip().split(";")[0]

    def output_of(self, job):
        path = self.directory / f"log/job-{job}.out"
        return path.read_text() if path.exists() else ""

    def job(self, job):
        """What scontrol says of a job: {"JobState": "PENDING", "Reason": "BeginTime", …}."""
        words = self.run("scontrol", "--oneliner", "show", "job", job).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def wait_for_state(self, job, state, seconds=JOB_PATIENCE_S):
        return self.wait(lambda: (found := self.job(job))["JobState"] == state and found, f"job {job} to be {state}", seconds)

    def wait(self, question, what, seconds=JOB_PATIENCE_S):
        """Asks until the answer is true, and returns it. A program of the cluster that has ended by itself is an error."""
        end = time.monotonic() + seconds
        while not (answer := question()):
            self.parts.check()
            if time.monotonic() > end:
                raise TimeoutError(f"after {seconds} s still waiting for {what}; logs are in {self.directory}/log")
            time.sleep(0.05)
        return answer

    def _all_idle(self):
        # A star marks a node that has not answered yet.
        states = self.run("sinfo", "-h", "-N", "-o", "%N %T", check=False).splitlines()
        return len({line.split()[0] for line in states if line.endswith(" idle")}) == self.nodes

    def _succeeds(self, *words):
        try:
            return subprocess.run([program(words[0]), *words[1:]], capture_output=True, env=self.environment,
                                  timeout=COMMAND_PATIENCE_S).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def _quietly(self, *words):
        ended = subprocess.run([program(words[0]), *words[1:]], capture_output=True, text=True, env=self.environment)
        if ended.returncode:
            raise RuntimeError(f"{words[0]} ended with {ended.returncode}: {ended.stdout}{ended.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--gpus", type=int, default=2, help="of each node")
    parser.add_argument("--accounting", action="store_true", help="with slurmdbd")
    parser.add_argument("--rest", action="store_true", help="with slurmrestd")
    parser.add_argument("--directory", help="a new folder, which is kept")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    told = parser.parse_args()
    if missing := missing_programs():
        print(f"this machine has no {', '.join(missing)}")
        return 77
    if told.check:
        return 0
    with Cluster(told.nodes, told.gpus, accounting=told.accounting, rest=told.rest, directory=told.directory) as cluster:
        if told.command:
            return subprocess.run(told.command, env=cluster.environment).returncode
        print(f"export SLURM_CONF={cluster.conf}", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
    return 0


if __name__ == "__main__":
    sys.exit(main())
