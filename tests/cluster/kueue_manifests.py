"""What Kueue's manager needs in a cluster when it runs beside it, as a program of this machine."""

import re

# Resources with two versions; Kueue converts one into the other.
KUEUE_CONVERTED = ("clusterqueues", "cohorts", "localqueues", "multikueueclusters", "workloads")
FRAMEWORKS = ("batch/job", "ray.io/rayjob", "ray.io/raycluster", "pod")
NAMESPACE = "kueue-system"
SERVICE = "kueue-webhook-service"


def kueue_surroundings():
    """Its namespace, the Secret for its certificate, and the service by which the API server finds its webhooks."""
    return ({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
            {"apiVersion": "v1", "kind": "Secret",
             "metadata": {"name": "kueue-webhook-server-cert", "namespace": NAMESPACE}},
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": SERVICE, "namespace": NAMESPACE},
             "spec": {"type": "ExternalName", "externalName": "localhost"}})


def kueue_conversion(port):
    service = {"name": SERVICE, "namespace": NAMESPACE, "path": "/convert", "port": port}
    return {"spec": {"conversion": {"strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"], "clientConfig": {"service": service}}}}}


def kueue_webhooks(manifest, port):
    """Kueue's own manifest with the names and the port that hold here."""
    manifest = re.sub(r"^  name: (\w+-webhook-configuration)$", r"  name: kueue-\1", manifest, flags=re.MULTILINE)
    return re.sub(r"name: webhook-service\n( +)namespace: system\n",
                  rf"name: {SERVICE}\n\1namespace: {NAMESPACE}\n\1port: {port}\n", manifest)


def kueue_configuration(port, health, certificates, more=None):
    """`more`: further keys, such as {"multiKueue": {...}}."""
    return {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "namespace": NAMESPACE,
            "health": {"healthProbeBindAddress": f"127.0.0.1:{health}"}, "metrics": {"bindAddress": "0"},
            "webhook": {"host": "127.0.0.1", "port": port, "certDir": str(certificates)},
            "internalCertManagement": {"enable": True}, "leaderElection": {"leaderElect": False},
            "clientConnection": {"qps": 500, "burst": 1000}, "integrations": {"frameworks": list(FRAMEWORKS)},
            **(more or {})}
