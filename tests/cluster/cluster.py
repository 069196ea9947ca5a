#!/usr/bin/env python3
"""A real Kubernetes control plane on this machine, for tests: etcd, API server, controllers, scheduler and two kinds of
nodes: bulk nodes that only pretend (kwok), and one node that runs the commands of its pods as processes.

    with Cluster() as cluster:
        cluster.add_nodes(4, gpus=8, model="NVIDIA-H100")
        cluster.admin.apply({...})

Usage: cluster.py [--nodes N] [--directory DIR] runs a cluster until Ctrl-C, to look at with kubectl.
"""

import argparse
import base64
import concurrent.futures
import json
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import build
from api import PATIENCE_S, Api, wait_for
from kueue_manifests import (KUEUE_CONVERTED, kueue_configuration, kueue_conversion, kueue_surroundings,
                             kueue_webhooks)
from processes import Parts, free_port

START_PATIENCE_S = 120
PROCESS_NODE = "processes"
PROCESS_TOLERATION = {"key": "ebb.test/processes", "operator": "Exists", "effect": "NoSchedule"}
# Users with a token: name and groups. Nothing is granted to "controller" until a test does it.
TOKEN_USERS = {"token-admin": "system:masters", "controller": ""}
# Requests of the user "controller" are written, with its patches; those of others are not.
AUDIT_POLICY = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
                "rules": [{"level": "Request", "users": ["controller"], "verbs": ["patch"]},
                          {"level": "Metadata", "users": ["controller"]}, {"level": "None"}]}
CERTIFICATE_USERS = ("admin", "controller-manager", "scheduler", "kwok", "process-node", "kuberay", "kueue")


class Cluster:
    """A cluster that lives as long as the `with` block.

    kubeconfig   contexts: admin (client certificate, the current one), token-admin, controller
    directory    logs of the parts, certificates, the pods of the process node
    admin        Api of a user who may do everything; user(name) gives the others, user(token=...) any

    `flags` are further flags of parts, for example {"kube-apiserver": ["--feature-gates=WatchList=false"]}. A directory
    that the caller names is kept; it must be new.
    """

    def __init__(self, directory=None, flags=None, say=build.say):
        self.keep, self.flags = directory is not None, flags or {}
        self.directory = Path(directory or tempfile.mkdtemp(prefix="ebb-cluster-")).resolve()
        self.say = say
        self.certificates = self.directory / "certificates"
        self.port, self.etcd_port, self.etcd_peer_port = free_port(), free_port(), free_port()
        self.tokens = {user: secrets.token_urlsafe(24) for user in TOKEN_USERS}
        self.kubeconfig = str(self.directory / "kubeconfig")
        self.parts = None
        self.users = []
        self.admin = None
        self.nodes_added = 0
        self.kueue_ports = None  # of its webhooks and of its health

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

    def close(self):
        """Ends every program; a second call does nothing."""
        for user in self.users:
            user.close()
        if self.parts:
            self.parts.end_all()
            self.parts = None
        if not self.keep:
            shutil.rmtree(self.directory, ignore_errors=True)

    def _start(self):
        began = time.monotonic()
        for folder in ("certificates", "logs", "pods"):
            (self.directory / folder).mkdir(parents=True)
        self._control_plane("certificates", "--folder", self.certificates)
        self._write_configuration()
        self.parts = Parts(self.directory / "logs")
        self.admin = self.user("admin")
        self._start_etcd()
        self._start_api_server()
        self._wait_for_api_server()
        self.say(f"cluster: the API server is ready after {time.monotonic() - began:.1f} s")
        self._start_controllers()
        self._start_nodes()
        self.wait(self._is_complete, "the controllers and the process node", START_PATIENCE_S)
        self.say(f"cluster: complete after {time.monotonic() - began:.1f} s")

    def _is_complete(self):
        self.admin.get("serviceaccounts", "default")
        return PROCESS_NODE in self.ready_nodes()

    @staticmethod
    def _control_plane(*words):
        subprocess.run([str(word) for word in (build.BIN / "control-plane", *words)], check=True)

    # Configuration

    def _write_configuration(self):
        tokens = "".join(f"{token},{user},{user},{TOKEN_USERS[user]}\n" for user, token in self.tokens.items())
        self._write("tokens.csv", tokens)
        self._write("audit-policy.json", json.dumps(AUDIT_POLICY))
        self._write("scheduler.json", json.dumps({
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "leaderElection": {"leaderElect": False},
            "clientConnection": {"kubeconfig": self._kubeconfig_of("scheduler"), "qps": 500, "burst": 1000}}))
        for user in CERTIFICATE_USERS:
            self._write(f"{user}.kubeconfig", self._kubeconfig([user], user))
        self._write("kubeconfig", self._kubeconfig(["admin", *TOKEN_USERS], "admin"))

    def _write(self, name, text):
        path = self.directory / name
        path.write_text(text)
        path.chmod(0o600)

    def _kubeconfig_of(self, user):
        return str(self.directory / f"{user}.kubeconfig")

    def _kubeconfig(self, users, current):
        """JSON is YAML, so that every client reads it."""
        cluster = {"server": f"https://127.0.0.1:{self.port}", "certificate-authority": self._file("ca.crt")}
        return json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": current,
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": user, "user": self._credentials(user)} for user in users],
            "contexts": [{"name": user, "context": {"cluster": "test", "user": user}} for user in users]}, indent=1)

    def kubeconfig_text(self, user):
        """A kubeconfig that needs no other file, as Kueue wants it of its worker clusters."""
        def data(name):
            return base64.b64encode((self.certificates / name).read_bytes()).decode()
        return json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": f"https://127.0.0.1:{self.port}",
                                                      "certificate-authority-data": data("ca.crt")}}],
            "users": [{"name": "test", "user": {"client-certificate-data": data(f"{user}.crt"),
                                                "client-key-data": data(f"{user}.key")}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}]})

    def _credentials(self, user):
        if user in self.tokens:
            return {"token": self.tokens[user]}
        return {"client-certificate": self._file(f"{user}.crt"), "client-key": self._file(f"{user}.key")}

    def _file(self, name):
        return str(self.certificates / name)

    # The parts

    def _start_part(self, name, *flags, program=None, **more):
        """A part of the control plane, or another program."""
        command = [build.BIN / program] if program else [build.BIN / "control-plane", name]
        self.parts.start(name, [*command, *flags, *self.flags.get(name, [])], **more)

    def _start_etcd(self):
        self._start_part(
            "etcd", f"--data={self.directory / 'etcd'}", f"--certificates={self.certificates}",
            f"--client=https://127.0.0.1:{self.etcd_port}", f"--peer=http://127.0.0.1:{self.etcd_peer_port}")

    def _start_api_server(self):
        file = self._file
        self._start_part(
            "kube-apiserver",
            "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", f"--secure-port={self.port}",
            f"--etcd-servers=https://127.0.0.1:{self.etcd_port}", f"--etcd-cafile={file('ca.crt')}",
            f"--etcd-certfile={file('apiserver-etcd.crt')}", f"--etcd-keyfile={file('apiserver-etcd.key')}",
            f"--tls-cert-file={file('server.crt')}", f"--tls-private-key-file={file('server.key')}",
            f"--client-ca-file={file('ca.crt')}", f"--token-auth-file={self.directory / 'tokens.csv'}",
            "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={file('service-accounts.key')}",
            f"--service-account-signing-key-file={file('service-accounts.key')}",
            "--service-cluster-ip-range=10.96.0.0/16", "--endpoint-reconciler-type=none",
            f"--audit-policy-file={self.directory / 'audit-policy.json'}",
            f"--audit-log-path={self.directory / 'audit.log'}")

    def _start_controllers(self):
        kubeconfig = self._kubeconfig_of("controller-manager")
        self._start_part(
            "kube-controller-manager",
            f"--kubeconfig={kubeconfig}", f"--authentication-kubeconfig={kubeconfig}",
            f"--authorization-kubeconfig={kubeconfig}", "--use-service-account-credentials",
            f"--service-account-private-key-file={self._file('service-accounts.key')}",
            f"--root-ca-file={self._file('ca.crt')}", "--secure-port=0", "--leader-elect=false",
            "--kube-api-qps=500", "--kube-api-burst=1000")
        self._start_part("kube-scheduler", f"--config={self.directory / 'scheduler.json'}", "--secure-port=0")

    def _start_nodes(self):
        self._start_part(
            "kwok", f"--kubeconfig={self._kubeconfig_of('kwok')}", f"--config={build.BIN / 'stages.yaml'}",
            "--manage-all-nodes=false", "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
            "--node-lease-duration-seconds=40", program="kwok")
        # SIGTERM lets the node kill what its pods started.
        self._start_part("process-node", f"--kubeconfig={self._kubeconfig_of('process-node')}",
                         f"--folder={self.directory / 'pods'}", end_signal=signal.SIGTERM)

    def _wait_for_api_server(self):
        self.wait(lambda: self.admin.request("GET", "/readyz"), "the API server", START_PATIENCE_S)

    def stop_api_server(self):
        """As a crash: SIGKILL."""
        self.parts.end("kube-apiserver", signal.SIGKILL)

    def start_api_server(self):
        """On the same port with the same data; returns when it is ready."""
        self.parts.restart("kube-apiserver")
        self._wait_for_api_server()

    def pause_api_server(self):
        """It keeps its connections and answers nothing (SIGSTOP)."""
        self.parts.by_name["kube-apiserver"].process.send_signal(signal.SIGSTOP)

    def resume_api_server(self):
        self.parts.by_name["kube-apiserver"].process.send_signal(signal.SIGCONT)

    # Further controllers, for tests that want them

    def start_kuberay(self):
        """The KubeRay operator with its resources, without its webhooks."""
        self.admin.apply_yaml((build.BIN / "kuberay-crds.yaml").read_text())
        self._wait_until_served("rayjobs.ray.io", "rayclusters.ray.io")
        health = free_port()
        self._start_part(
            "kuberay", f"--kubeconfig={self._kubeconfig_of('kuberay')}", "--enable-leader-election=false",
            "--metrics-addr=0", f"--health-probe-bind-address=127.0.0.1:{health}", "--qps=500", "--burst=1000",
            program="kuberay")
        self._wait_for_health("KubeRay", health)

    def start_kueue(self, more=None):
        """Kueue's manager with its resources and webhooks. Until it is ready, no pod can be created.

        `more`: further keys of its configuration.
        """
        port, health = free_port(), free_port()
        self.admin.apply_yaml((build.BIN / "kueue-crds.yaml").read_text())
        self._wait_until_served("workloads.kueue.x-k8s.io", "admissionchecks.kueue.x-k8s.io")
        for manifest in kueue_surroundings():
            self.admin.apply(manifest)
        for resource in KUEUE_CONVERTED:
            self.admin.patch("customresourcedefinitions", f"{resource}.kueue.x-k8s.io", kueue_conversion(port))
        self.admin.apply_yaml(kueue_webhooks((build.BIN / "kueue-webhooks.yaml").read_text(), port))
        self.kueue_ports = port, health
        self._configure_kueue(more)
        self._start_part(
            "kueue", f"--kubeconfig={self._kubeconfig_of('kueue')}", f"--config={self.directory / 'kueue.json'}",
            "--feature-gates=VisibilityOnDemand=false", program="kueue")
        self._mount_kueue_certificate()
        self._wait_for_health("Kueue", health)
        self._wait_until_served(*(f"{resource}.kueue.x-k8s.io" for resource in KUEUE_CONVERTED))

    def restart_kueue(self, more=None):
        """As after a crash (SIGKILL), with another configuration if `more` says so."""
        self.parts.end("kueue", signal.SIGKILL)
        self._configure_kueue(more)
        self.parts.restart("kueue")
        self._wait_for_health("Kueue", self.kueue_ports[1])

    def _configure_kueue(self, more):
        self._write("kueue.json",
                    json.dumps(kueue_configuration(*self.kueue_ports, self.certificates / "kueue", more)))

    def _mount_kueue_certificate(self):
        """Kueue writes its certificate to a Secret and expects to find it in files; a kubelet does that elsewhere."""
        def data():
            return self.admin.get("secrets", "kueue-webhook-server-cert", "kueue-system").get("data")
        secret = self.wait(data, "Kueue's certificate")
        folder = self.certificates / "kueue"
        folder.mkdir()
        for name in ("ca.crt", "tls.key", "tls.crt"):
            (folder / name).write_bytes(base64.b64decode(secret[name]))

    def _wait_until_served(self, *resources):
        def served():
            for resource in resources:
                self.admin.get(resource)
            return True
        self.wait(served, " and ".join(resources))

    def _wait_for_health(self, name, port):
        def healthy():
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
                return answer.status == 200
        self.wait(healthy, name, START_PATIENCE_S)

    # For tests

    def user(self, name=None, token=None, patience=PATIENCE_S):
        """The API as the user `name` sees it, or whoever has the token."""
        token = token or self.tokens.get(name)
        certificate = None if token else (self._file(f"{name}.crt"), self._file(f"{name}.key"))
        self.users.append(Api(self.port, self._file("ca.crt"), token, certificate, patience))
        return self.users[-1]

    def service_account_token(self, name, namespace="default", seconds=3600):
        path = self.admin.path("serviceaccounts", namespace, name, "token")
        return self.admin.request("POST", path, {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"expirationSeconds": seconds}})["status"]["token"]

    def wait(self, question, what, seconds=30):
        """Asks until the answer is true and returns it; errors of the API count as no. Ends if a part has crashed."""
        return wait_for(question, what, seconds, self.parts.check)

    def ready_nodes(self):
        return {node["metadata"]["name"] for node in self.admin.get("nodes") if is_ready(node)}

    def add_nodes(self, count, gpus=0, model=None, cpus=64, memory="512Gi", prefix="bulk", labels=None):
        """Adds bulk nodes, waits until they are ready and returns their names."""
        names = [f"{prefix}-{self.nodes_added + i}" for i in range(count)]
        self.nodes_added += count
        labels = dict(labels or {}, **({"nvidia.com/gpu.product": model} if model else {}))
        self.create_all(bulk_node(name, cpus, memory, gpus, labels) for name in names)
        self.wait(lambda: set(names) <= self.ready_nodes(), f"{count} nodes", 30 + count / 10)
        return names

    def create_all(self, manifests):
        """Many objects, several at a time."""
        with concurrent.futures.ThreadPoolExecutor(max_workers=8) as several:
            list(several.map(self.admin.create, manifests))

    def requests_of_controller(self):
        """What the user "controller" was answered so far, as (verb, URI, HTTP code); a watch counts when it ends."""
        return [(event["verb"], event["requestURI"], event["responseStatus"]["code"]) for event in self._audited()]

    def patches_of_controller(self):
        """Its patches of namespaced objects as (name, patch, HTTP code, time of arrival)."""
        return [(event["objectRef"]["name"], event["requestObject"], event["responseStatus"]["code"],
                 event["requestReceivedTimestamp"])
                for event in self._audited() if event["verb"] == "patch" and "requestObject" in event]

    def _audited(self):
        """A line that a killed API server has not finished is none."""
        with open(self.directory / "audit.log", encoding="utf-8") as log:
            events = [json.loads(line) for line in log if line.endswith("}\n")]
        return [event for event in events if event["stage"] == "ResponseComplete"]

    def pod_log(self, pod):
        """What a pod of the process node has printed so far."""
        path = self.pod_directory(pod) / "log"
        return path.read_text() if path.exists() else ""

    def pod_directory(self, pod):
        """The folder that a pod of the process node runs in."""
        metadata = pod["metadata"]
        return self.directory / "pods" / f"{metadata['namespace']}_{metadata['name']}_{metadata['uid']}"


def is_ready(node):
    """And no controller keeps pods away from it, as one does for a moment when it is new."""
    conditions = node["status"].get("conditions", [])
    new = any(taint["key"] == "node.kubernetes.io/not-ready" for taint in node["spec"].get("taints", []))
    return not new and any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def bulk_node(name, cpus, memory, gpus, labels):
    resources = {"cpu": str(cpus), "memory": memory, "pods": "500", **({"nvidia.com/gpu": str(gpus)} if gpus else {})}
    own = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "ebb.test/node": "bulk"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"}, "labels": {**own, **labels}},
            "status": {"capacity": resources, "allocatable": resources,
                       "conditions": [{"type": "Ready", "status": "True", "reason": "Pretends"}]}}


def on_process_node(pod_spec):
    """The pod's spec, so changed that it runs on the process node."""
    return dict(pod_spec, nodeSelector={"ebb.test/node": "processes"},
                tolerations=pod_spec.get("tolerations", []) + [PROCESS_TOLERATION])


def main():
    parser = argparse.ArgumentParser(description="A Kubernetes cluster on this machine until Ctrl-C.")
    parser.add_argument("--nodes", type=int, default=0, help="bulk nodes with 8 GPUs each")
    parser.add_argument("--directory", help="where it keeps everything (default: a temporary folder)")
    arguments = parser.parse_args()
    reason = build.build_missing()
    if reason:
        sys.exit(reason)
    try:
        with Cluster(arguments.directory) as cluster:
            cluster.add_nodes(arguments.nodes, gpus=8, model="NVIDIA-H100")
            print(f"export KUBECONFIG={cluster.kubeconfig}", flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
