"""The chart (deploy/helm/ebb): what it renders, with the real Helm, and what a real control plane makes of it.

Run by ./dev peers kubernetes. Helm is built as the programs of the cluster are (tests/cluster/build.py).
"""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_controller import CLEAN, MANIFEST, Controller, Grid, write_kubeconfig
from kubernetes_test import ROOT, Cluster, container, job
import build

CHART = ROOT / "deploy/helm/ebb"
AGENT_MANIFEST = ROOT / "deploy/kubernetes/agent.yaml"
HELM = build.HELM.built / "bin/helm"
TIERS = [{"name": 1, "threshold": 200, "max_delay": "24h", "priority": 3}]
NODE_GROUPS = [{"name": "a100", "labels": {"pool": "a100"}, "gpus": 8, "most_nodes": 4}]
WEBHOOK = {"admission": "webhook", "webhook.caBundle": "Q0E="}
AGENT = {"agent.enabled": True, "agent.tokenSecret": "ebb-agent"}
CERT_MANAGER = {"admission": "webhook", "webhook.certManager.enabled": True}
# Another value for each, and what it needs to matter.
CHANGES = {
    "zone": ("GB", {}), "policy": ("threshold", {}), "maxDelay": ("90m", {}), "tiers": (TIERS, {}),
    "nodeGroups": (NODE_GROUPS, {}),
    "policies": ({"research": {"defaults": {"threshold": 200}}}, {}), "onlyNamespace": ("research", {}), "dryRun": (True, {}), "extraArgs": (["--refresh", "2m"], {}),
    "signal.source": ("electricity-maps", {}), "signal.tokenSecret.name": ("signal", {}),
    "signal.tokenSecret.key": ("em", {"signal.tokenSecret.name": "signal"}),
    "admission": ("policy", {}), "webhook.port": (8443, WEBHOOK), "webhook.timeoutSeconds": (3, WEBHOOK),
    "webhook.secret": ("mine", WEBHOOK), "webhook.caBundle": ("QkI=", WEBHOOK),
    "webhook.certManager.enabled": (True, WEBHOOK), "webhook.certManager.issuer.name": ("ours", CERT_MANAGER),
    "webhook.certManager.issuer.kind": ("ClusterIssuer", {**CERT_MANAGER, "webhook.certManager.issuer.name": "ours"}),
    "agent.enabled": (True, {"agent.tokenSecret": "ebb-agent"}), "agent.tokenSecret": ("mine", AGENT),
    "agent.tlsSecret": ("agents-tls", AGENT),
    "agent.dcgmExporter": ("http://$(HOST_IP):9400/metrics", AGENT),
    "agent.kepler": ("http://$(HOST_IP):28282/metrics", AGENT),
    "agent.port": (9735, AGENT), "agent.nvidia": (True, AGENT), "agent.runtimeClassName": ("nvidia", AGENT),
    "agent.stateDirectory": ("/srv/ebb", AGENT), "agent.extraArgs": (["--cpu-tdp", "240"], AGENT),
    "agent.scrapedFrom": ([{"namespaceSelector": {}}], AGENT), "agent.resources": ({"limits": {"memory": "1Gi"}}, AGENT),
    "agent.podAnnotations": ({"a": "b"}, AGENT), "agent.nodeSelector": ({"a": "b"}, AGENT),
    "agent.tolerations": ([{"key": "a"}], AGENT),
    "replicas": (3, {}), "image.repository": ("registry.example/ebb", {}), "image.tag": ("9.9", {}),
    "image.pullPolicy": ("Always", {}), "imagePullSecrets": ([{"name": "registry"}], {}),
    "serviceAccount.annotations": ({"a": "b"}, {}), "resources": ({"limits": {"memory": "1Gi"}}, {}),
    "stateSize": ("2Gi", {}), "podDisruptionBudget.enabled": (False, {}), "networkPolicy.enabled": (False, {}),
    "networkPolicy.egressPorts": ([8443], {}), "podAnnotations": ({"a": "b"}, {}), "podLabels": ({"a": "b"}, {}),
    "priorityClassName": ("high", {}), "nodeSelector": ({"a": "b"}, {}), "tolerations": ([{"key": "a"}], {}),
    "affinity": ({"nodeAffinity": {}}, {})}


def setUpModule():
    reason = build.build_missing((build.HELM,))
    if reason:
        print(f"SKIPPED: the chart was not tested: {reason}", file=sys.stderr)
        raise unittest.SkipTest(reason)


def helm(*words, check=True):
    done = subprocess.run([HELM, *map(str, words)], text=True, capture_output=True)
    if check and done.returncode:
        raise AssertionError(done.stderr + done.stdout)
    return done


def flags(values):
    return [word for key, value in values.items() for word in ("--set-json", f"{key}={json.dumps(value)}")]


def rendered(values=None, zone=True):
    return helm("template", "ebb", CHART, "--namespace", "ebb",
                *flags({**({"zone": "DE"} if zone else {}), **(values or {})})).stdout


def leaves(schema, path=()):
    for name, child in schema["properties"].items():
        if "properties" in child:
            yield from leaves(child, (*path, name))
        else:
            yield ".".join((*path, name))


class TestRendering(unittest.TestCase):
    def schema(self):
        every = set(leaves(json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))))
        return every - {"global"}  # Helm's own

    def test_every_value_has_an_effect(self):
        self.assertEqual(self.schema(), set(CHANGES))
        for value, (changed, needs) in CHANGES.items():
            with self.subTest(value=value):
                self.assertNotEqual(rendered(needs), rendered({**needs, value: changed}))

    def test_every_value_is_explained(self):
        every, path, before, found = self.schema(), [], "", set()
        for line in (CHART / "values.yaml").read_text(encoding="utf-8").splitlines():
            if key := re.match(r"( *)(\w+):", line):
                path = path[:len(key[1]) // 2] + [key[2]]
                name = ".".join(path)
                if name in every:
                    found.add(name)
                    self.assertTrue(before.lstrip().startswith("#"), f"{name} is not explained")
            before = line
        self.assertEqual(found, every)

    def test_what_is_wrong_is_refused(self):
        for values, said in (({"replicas": -1}, "replicas"), ({"admission": "perhaps"}, "admission"),
                             ({"webhok": {}}, "webhok"), ({"maxDelay": "soon"}, "maxDelay"),
                             ({"tiers": [{"name": 1}]}, "max_delay"), ({"policies": {"Research": {}}}, "Research"),
                             ({"admission": "webhook"}, "caBundle"), ({"agent.enabled": True}, "agent.tokenSecret"),
                             ({"zone": ""}, "zone is required")):
            with self.subTest(values=values):
                done = helm("template", "ebb", CHART, *flags({"zone": "DE", **values}), check=False)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(said, done.stderr)

    def test_helm_finds_nothing_to_criticise(self):
        for values in ({}, {"admission": "policy"}, WEBHOOK, CERT_MANAGER, AGENT):
            said = helm("lint", "--strict", CHART, *flags({"zone": "DE", **values})).stdout
            self.assertNotRegex(said, "WARNING|ERROR")

    def test_it_is_packed_with_what_it_links_to(self):
        folder = ROOT / "build/peers/helm/packed"
        helm("package", CHART, "--destination", folder)
        packed = folder / "ebb-0.1.0.tgz"
        self.assertEqual(helm("template", "ebb", packed, "--namespace", "ebb", "--set", "zone=DE").stdout, rendered())

    def test_the_certificate_is_for_the_name_that_the_api_server_asks(self):
        text = rendered(CERT_MANAGER)
        self.assertIn("- ebb-webhook.ebb.svc", text)
        self.assertIn("secretName: ebb-webhook", text)
        self.assertIn("cert-manager.io/inject-ca-from: ebb/ebb-webhook", text)


class TestInCluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.enterClassContext(cls.cluster)
        cls.admin = cls.cluster.admin
        cls.cluster.add_nodes(1, gpus=1, model="NVIDIA-H100")
        cls.admin.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {
            "name": "restricted", "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})

    def tried(self, text, namespace="restricted"):
        """What the API server would make of it, by kind and name; a field that it does not know is an error."""
        made = {}
        for document in re.split(r"^---$", text, flags=re.MULTILINE):
            if not (kind := re.search(r"^kind: (\S+)$", document, re.MULTILINE)):
                continue
            version = re.search(r"^apiVersion: (\S+)$", document, re.MULTILINE).group(1)
            name = re.search(r"^  name: (\S+)$", document, re.MULTILINE).group(1)
            if version.startswith("cert-manager.io/"):
                continue  # it is not here
            own = re.search(r"^  namespace: (\S+)$", document, re.MULTILINE)
            head = {"apiVersion": version, "kind": kind[1], "metadata": {"namespace": own[1] if own else namespace}}
            path = self.admin._path_of(head, name) + "?fieldManager=test&force=true&dryRun=All&fieldValidation=Strict"
            made[kind[1], name] = self.admin.request("PATCH", path, document, "application/apply-patch+yaml")
        return made

    def of_manifest(self):
        text = MANIFEST.read_text(encoding="utf-8").replace("namespace: ebb", "namespace: restricted")
        return self.tried(text.split("\n---\n", 1)[1])

    def of_chart(self, values=None):
        return self.tried(rendered(values).replace("namespace: ebb", "namespace: restricted"))

    def test_the_api_server_takes_all_of_it(self):
        everything = {value: changed for value, (changed, _) in CHANGES.items()}
        for values, kinds in (({}, 8), (WEBHOOK, 10), ({"admission": "policy"}, 12), (AGENT, 11),
                              ({**everything, **WEBHOOK, **AGENT, "podDisruptionBudget.enabled": True,
                                "networkPolicy.enabled": True}, 15)):
            self.assertEqual(len(self.of_chart(values)), kinds, values)

    def test_its_rights_are_those_of_the_manifest(self):
        chart, manifest = self.of_chart(), self.of_manifest()
        for kind in ("ClusterRole", "Role"):
            self.assertEqual(chart[kind, "ebb"]["rules"], manifest[kind, "ebb-controller"]["rules"])
            self.assertTrue(chart[kind, "ebb"]["rules"])
        self.assertNotIn(("Role", "ebb-autoscaler"), chart, "nobody reads its status")
        chart = self.of_chart({"nodeGroups": [dict(NODE_GROUPS[0], autoscaler="cluster-autoscaler")]})
        self.assertEqual(chart["Role", "ebb-autoscaler"]["rules"], manifest["Role", "ebb-controller-autoscaler"]["rules"])
        self.assertEqual(chart["RoleBinding", "ebb-autoscaler"]["metadata"]["namespace"], "kube-system")

    def test_its_pods_are_as_restricted_as_the_manifests(self):
        def pod(deployment):
            return deployment["spec"]["template"]["spec"]
        own, theirs = pod(self.of_chart()["Deployment", "ebb"]), pod(self.of_manifest()["Deployment", "ebb-controller"])
        self.assertEqual({**theirs["securityContext"], "fsGroup": 65532}, own["securityContext"])
        for key in ("securityContext", "resources"):
            self.assertEqual(own["containers"][0][key], theirs["containers"][0][key])
        made = self.admin.request("POST", self.admin.path("pods", "restricted") + "?dryRun=All", {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "new"},
            "spec": {**own, "serviceAccountName": "default"}})
        self.assertEqual(made["metadata"]["name"], "new", "the standard \"restricted\" lets it in")

    def test_its_agents_are_those_of_the_manifest(self):
        def pod(daemon_set):
            return daemon_set["spec"]["template"]["spec"]
        text = AGENT_MANIFEST.read_text(encoding="utf-8").replace("namespace: ebb", "namespace: restricted")
        theirs = pod(self.tried(text)["DaemonSet", "ebb-agent"])
        own = pod(self.of_chart(AGENT)["DaemonSet", "ebb-agent"])
        for key in ("containers", "volumes", "securityContext", "tolerations", "hostPID", "automountServiceAccountToken"):
            self.assertEqual(own[key], theirs[key], key)

    def test_one_install_and_one_label_have_a_job_wait(self):
        helm("install", "ebb", CHART, "--kubeconfig", self.cluster.kubeconfig, "--namespace", "ebb",
             "--create-namespace", *flags({"zone": "DE", "tiers": TIERS, "signal.source": "http",
                                           "extraArgs": ["--last-known-limit", "2h"]}))
        self.cluster.wait(lambda: self.admin.get("deployments", "ebb", "ebb")["status"].get("availableReplicas") == 2,
                          "its pods")
        # Nodes of the test run no images: the controller runs here, with the account and the flags of the chart.
        write_kubeconfig(self.cluster, "ebb")
        for folder in ("state", "config"):
            (self.cluster.directory / folder).mkdir()
        for name, text in self.admin.get("configmaps", "ebb", "ebb")["data"].items():
            (self.cluster.directory / "config" / name).write_text(text, encoding="utf-8")
        [own] = self.admin.get("deployments", "ebb", "ebb")["spec"]["template"]["spec"]["containers"]
        self.assertEqual(own["command"], ["ebb", "controller"])
        words = [re.sub("=/(state|config)", rf"={self.cluster.directory}/\1",
                        word.replace("$(EBB_STORE)", "/state/controller.db")) for word in own["args"]
                 if not word.startswith("--policy")]
        grid = Grid()
        self.addCleanup(grid.close)
        log = self.cluster.directory / "chart.log"
        controller = Controller(self.cluster, grid, str(log), *words)
        try:
            self.admin.apply(job("training", {"containers": [container(gpus=1)]}, suspend=True,
                                 annotations={"ebb/tier": "1"}))
            self.admin.patch("jobs", "training", {"metadata": {"labels": {"ebb/wait": "true"}}})

            def stage():
                return self.admin.get("jobs", "training")["metadata"].get("annotations", {}).get("ebb/stage")
            self.cluster.wait(lambda: stage() == "waiting", "the reason to be written")
            reason = self.admin.get("jobs", "training")["metadata"]["annotations"]["ebb/reason"]
            self.assertIn("is above 200 g/kWh", reason, "by its tier")
            grid.g_per_kwh = CLEAN
            self.cluster.wait(lambda: stage() == "running", "the job to run")
        except TimeoutError as error:
            self.fail(f"{error}\n{log.read_text(encoding='utf-8')}")
        finally:
            self.assertEqual(controller.end(), 0)
        helm("uninstall", "ebb", "--kubeconfig", self.cluster.kubeconfig, "--namespace", "ebb")
        self.assertNotIn("ebb", [role["metadata"]["name"] for role in self.admin.get("clusterroles")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
