"""ebb controller on a real control plane while everything around it fails: its connections are cut at random bytes,
the API server is killed and its history compacted, leaders are killed, and people edit, suspend and release the same
Jobs.

What comes of it is read from the API server's own record of the controller's requests, from each change of a Job as
the API server tells it to one that nothing is cut for, and from the Jobs. Run by ./dev peers kubernetes;
./dev bench kubernetes-faults is a longer one.
"""

import json
import random
import signal
import sys
import threading
import time
import unittest
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from kubernetes_test import Cluster, container
from kubernetes_controller import CLEAN, Controller, Grid, grant, waiting
from api import LOST_CONNECTION, ApiError, resource_definition
from cutting_proxy import CuttingProxy

# Without a cache of its own for them the API server answers watches from etcd, so that a version that has been
# compacted is 410 at once.
API_SERVER_FLAGS = ["--etcd-compaction-interval=5s", "--watch-cache-sizes=jobs.batch#0,pods#0,nodes#0"]
# Kinds that Ebb watches and this cluster does not have by itself: each of them is one watch more to cut.
KINDS = {"jobset.x-k8s.io/v1alpha2": ["JobSet"], "trainer.kubeflow.org/v1alpha1": ["TrainJob"],
         "kubeflow.org/v1": ["PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob"],
         "ray.io/v1": ["RayJob", "RayCluster"]}
RUNS_FOR_S, START_BY_S = 10, 40
YOUNG_S = 60  # an object that was released by hand is held again by a new controller while it is younger


class Leaders:
    """Two controllers behind the proxy, each of which is started again when it ends, as a Deployment does."""

    def __init__(self, cluster, grid, port):
        self.cluster, self.grid = cluster, grid
        self.kubeconfig = str(cluster.directory / "cut.kubeconfig")
        text = Path(cluster.kubeconfig).read_text(encoding="utf-8")
        Path(self.kubeconfig).write_text(text.replace(f":{cluster.port}", f":{port}"), encoding="utf-8")
        self.started = self.gave_up = 0
        self.running = [self._start(), self._start()]
        self.over = threading.Event()
        self.keeper = threading.Thread(target=self._keep, daemon=True)
        self.keeper.start()

    def _start(self):
        self.started += 1
        log = str(self.cluster.directory / f"controller-{self.started}.log")
        controller = Controller(self.cluster, self.grid, log,
                                kubeconfig=["--kubeconfig", self.kubeconfig, "--context", "controller"])
        controller.log = Path(log)
        return controller

    def _keep(self):
        while not self.over.wait(0.1):
            for i, controller in enumerate(self.running):
                if controller.program.poll() is None:
                    continue
                self.gave_up += controller.program.returncode >= 0
                self.running[i] = self._start()

    def leader(self):
        return next((each for each in self.running if each.program.poll() is None
                     and "acts: it holds the lease" in each.log.read_text(encoding="utf-8")), None)

    def kill_leader(self):
        """Seconds until another one acts."""
        killed = self.cluster.wait(self.leader, "a controller to act", 60)
        began = time.monotonic()
        killed.end(signal.SIGKILL)
        self.cluster.wait(lambda: self.leader() not in (None, killed), "another controller to act", 120)
        return time.monotonic() - began

    def said(self):
        return "".join(log.read_text(encoding="utf-8") for log in self.cluster.directory.glob("controller-*.log"))

    def end(self):
        self.over.set()
        self.keeper.join()
        for controller in self.running:
            controller.end()


class People:
    """They label all Jobs all the time, suspend some that run, and release some that wait, beside Ebb."""

    def __init__(self, cluster, jobs, to_suspend, to_release, seed):
        self.cluster, self.random = cluster, random.Random(seed)
        self.jobs, self.to_suspend, self.to_release = jobs, to_suspend, list(to_release)
        self.edits, self.suspended, self.released = 0, Counter(), set()
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self._work, args=[what], daemon=True)
                        for what in (self._edit, self._edit, self._suspend, self._release)]
        for thread in self.threads:
            thread.start()

    def _work(self, what):
        while not self.over.is_set():
            try:
                what()
            except (ApiError, OSError, *LOST_CONNECTION):
                time.sleep(0.2)  # the API server is away, or refuses

    def _edit(self):
        self.edits += 1
        edit = {"metadata": {"labels": {"edited": str(self.edits)}}}
        self.cluster.admin.patch("jobs", self.random.choice(self.jobs), edit)
        time.sleep(0.01)

    def _suspend(self):
        time.sleep(0.2)
        running = [job for job in self.cluster.admin.get("jobs") if job["metadata"]["name"] in self.to_suspend
                   and job["status"].get("active") and not job["spec"]["suspend"]]
        running = [job for job in running if not self.suspended[job["metadata"]["name"]]]
        if not running:
            return
        metadata = self.random.choice(running)["metadata"]
        # Counted first: the answer may not come. With its version, so that nothing has changed since it was looked at.
        self.suspended[metadata["name"]] += 1
        self.cluster.admin.patch("jobs", metadata["name"], {
            "metadata": {"resourceVersion": metadata["resourceVersion"]}, "spec": {"suspend": True}})

    def _release(self):
        time.sleep(0.5)
        if not self.to_release:
            return
        found = self.cluster.admin.get("jobs", self.to_release[-1])
        if time.time() - at(found["metadata"]["creationTimestamp"]).timestamp() < YOUNG_S:
            return
        self.cluster.admin.patch("jobs", self.to_release[-1], {"spec": {"suspend": False}})
        self.released.add(self.to_release.pop())

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join()


class Observer:
    """Sees each change of a Job, by a watch that nobody cuts."""

    def __init__(self, cluster):
        self.cluster, self.seen, self.version = cluster, {}, None
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def _work(self):
        while not self.over.is_set():
            try:
                self._list() if self.version is None else self._watch()
            except (ApiError, OSError, *LOST_CONNECTION) as error:
                if getattr(error, "status", 0) == 410:
                    self.version = None
                time.sleep(0.1)

    def _list(self):
        listed = self.cluster.admin.request("GET", self.cluster.admin.path("jobs"))
        for job in listed["items"]:
            self._see(job)
        self.version = listed["metadata"]["resourceVersion"]

    def _watch(self):
        for event in self.cluster.admin.watch("jobs", resource_version=self.version, seconds=5):
            if event["type"] == "ERROR":
                self.version = None
                return
            self.version = event["object"]["metadata"]["resourceVersion"]
            if event["type"] != "BOOKMARK":
                self._see(event["object"])

    def _see(self, job):
        """Whether it is suspended, and the number that it was released under."""
        state = job["spec"]["suspend"], int(job["metadata"].get("annotations", {}).get("ebb/attempt", 0))
        states = self.seen.setdefault(job["metadata"]["name"], [])
        if not states or states[-1] != state:
            states.append(state)

    def is_released_twice(self, name):
        """Under a number that it was released under before: nobody has decided that."""
        last = 0
        for (was_suspended, _), (is_suspended, attempt) in zip(self.seen[name], self.seen[name][1:]):
            if was_suspended and not is_suspended:
                if attempt <= last:
                    return True
                last = attempt
        return False

    def releases(self, name):
        return sum(before and not after for (before, _), (after, _) in zip(self.seen[name], self.seen[name][1:]))

    def end(self):
        self.over.set()
        self.thread.join()


def at(text):
    return datetime.fromisoformat(text)


def completed(found):
    return any(condition["type"] == "Complete" and condition["status"] == "True"
               for condition in found["status"].get("conditions", []))


class Faults:
    """The story, and what is known of it afterwards.

    jobs       a third may start while the grid is clean, a third never does, and the others have a near deadline
    rounds     of killing the leader and the API server, half of them while the grid is dirty
    """

    def __init__(self, cluster, jobs=300, rounds=2, cuts=1_000, seed=1, say=lambda text: None):
        self.cluster, self.rounds, self.seed, self.least_cuts, self.say = cluster, rounds, seed, cuts, say
        self.clean = [f"clean-{i}" for i in range(jobs // 3)]
        self.never = [f"never-{i}" for i in range(jobs // 3)]
        self.timed = [f"timed-{i}" for i in range(jobs - 2 * (jobs // 3))]
        self.failovers, self.too_old = [], 0

    def run(self):
        for version, kinds in KINDS.items():
            for kind in kinds:
                self.cluster.admin.apply(resource_definition(kind, version))
        self.cluster.add_nodes(20)
        self._grant()
        self.grid = Grid()
        self._make_jobs()
        self.observer = Observer(self.cluster)
        # A list of all Jobs must have the time to come through.
        self.proxy = CuttingProxy(self.cluster.port, self.seed, seconds_until_cut=len(self.clean) / 50)
        self.leaders = Leaders(self.cluster, self.grid, self.proxy.port)
        self.people = People(self.cluster, self.clean + self.never + self.timed, self.clean,
                             self.never[:len(self.never) // 4], self.seed)
        try:
            self._fail()
        finally:
            self.people.end()
            self.leaders.end()
            self.observer.end()
            self.proxy.close()
            self.grid.close()

    def _grant(self):
        """What the shipped manifest grants its account, granted to a user whose requests are recorded."""
        grant(self.cluster)
        group = "rbac.authorization.k8s.io"
        self.cluster.admin.apply({
            "apiVersion": f"{group}/v1", "kind": "Role", "metadata": {"name": "leases"},
            "rules": [{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
                       "verbs": ["get", "create", "update"]}]})
        self.cluster.admin.apply({
            "apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": {"name": "leases"},
            "roleRef": {"apiGroup": group, "kind": "Role", "name": "leases"},
            "subjects": [{"apiGroup": group, "kind": "User", "name": "controller"}]})

    def _make_jobs(self):
        def made(name, annotations):
            manifest = waiting(name, annotations=annotations)
            manifest["spec"]["template"]["metadata"]["annotations"] = {"ebb.test/runs-for": f"{RUNS_FOR_S}s"}
            return manifest
        self.cluster.create_all([made(name, {}) for name in self.clean] +
                                [made(name, {"ebb/threshold": "50"}) for name in self.never] +
                                [made(name, {"ebb/threshold": "50", "ebb/start-by": f"{START_BY_S}s"})
                                 for name in self.timed])

    def _fail(self):
        for _ in range(self.rounds // 2):
            self._round()
        self.turned = datetime.now().astimezone()
        self.grid.g_per_kwh = CLEAN
        # So that the leader is killed in the midst of its releases.
        self.cluster.wait(lambda: any(not job["spec"]["suspend"] for job in self.cluster.admin.get("jobs")
                                      if job["metadata"]["name"] in self.clean), "the first release", 240)
        for _ in range(self.rounds - self.rounds // 2):
            self._round()
        self.cluster.wait(lambda: self.proxy.cuts >= self.least_cuts, "the connections to be cut", 600)
        self.cluster.wait(lambda: not self.people.to_release, "people to release what they want", 120)
        self.people.end()
        self.proxy.cutting = False
        ending = set(self.clean) | set(self.timed) | self.people.released
        self.cluster.wait(lambda: sum(completed(job) for job in self.cluster.admin.get("jobs")) >= len(ending),
                          "all that was released to complete", 120)

    def _round(self):
        self.failovers.append(self.leaders.kill_leader())
        self.say(f"a leader was killed: another one acts after {self.failovers[-1]:.1f} s")
        version = self.cluster.admin.request("GET", self.cluster.admin.path("jobs") + "?limit=1")
        version = version["metadata"]["resourceVersion"]
        self.cluster.stop_api_server()
        time.sleep(2)
        self.cluster.start_api_server()
        self.say("the API server was killed and is back")
        self.cluster.wait(lambda: self._is_too_old(version), "the versions of before to be compacted", 30)

    def _is_too_old(self, version):
        """A watch from there is told 410."""
        for event in self.cluster.admin.watch("jobs", resource_version=version, seconds=1):
            if event["type"] == "ERROR" and event["object"]["code"] == 410:
                self.too_old += 1
                return True
            return False
        return False

    # Objects as the API server knows them

    def releases(self):
        """(name, attempt, time) of each release that the controller asked for and that may have been made.

        A connection that is cut in the middle of it is 504, whatever came of the change.
        """
        made = []
        for name, patch, code, received in self.cluster.patches_of_controller():
            if (code == 200 or code >= 500) and patch.get("spec", {}).get("suspend") is False:
                made.append((name, int(patch["metadata"]["annotations"]["ebb/attempt"]), at(received)))
        return made

    def story(self, name):
        """What the controllers asked of a Job and said of it, in order."""
        asked = [f"{received} {code} {json.dumps(patch)}"
                 for found, patch, code, received in self.cluster.patches_of_controller()
                 if found == name and "suspend" in patch.get("spec", {})]
        said = [f"{log.name}: {line}" for log in sorted(self.cluster.directory.glob("controller-*.log"))
                for line in log.read_text(encoding="utf-8").splitlines() if f"/{name}:" in line]
        return "\n".join([name, *asked, *said])

    def verdict(self):
        """What went wrong, by name of the Job; and figures."""
        releases, jobs = self.releases(), {job["metadata"]["name"]: job for job in self.cluster.admin.get("jobs")}
        first = {}
        for name, _, received in releases:
            first[name] = min(received, first.get(name, received))
        due = {name: at(jobs[name]["metadata"]["creationTimestamp"]) + timedelta(seconds=START_BY_S)
               for name in self.timed}
        early = [name for name in first if name in self.never or (name in self.clean and first[name] < self.turned)
                 or (name in due and first[name] < due[name])]
        lost = [name for name in [*self.clean, *self.timed, *self.people.released] if not completed(jobs[name])]
        twice = [f"{name}: {self.observer.seen[name]}" for name in self.clean + self.timed
                 if self.observer.is_released_twice(name)]
        late = max((first[name] - due[name]).total_seconds() for name in due)
        anew = sum("sendInitialEvents=true" in uri for _, uri, _ in self.cluster.requests_of_controller())
        return {"early": early, "lost": lost, "twice": twice, "latest after its deadline, s": round(late, 1),
                "failovers, s": [round(seconds, 1) for seconds in self.failovers], "cuts": self.proxy.cuts,
                "connections": self.proxy.connections, "410 seen": self.too_old, "lists anew": anew,
                "releases": sum(self.observer.releases(name) for name in self.clean + self.timed),
                "patches that release": len(releases),
                "edits": self.people.edits,
                "suspended by people": sum(self.people.suspended.values()),
                "released by people": len(self.people.released), "controllers that gave up": self.leaders.gave_up}


class TestFaults(unittest.TestCase):
    def test_nothing_is_released_early_lost_or_released_twice(self):
        with Cluster(flags={"kube-apiserver": API_SERVER_FLAGS}) as cluster:
            faults = Faults(cluster, say=print)
            try:
                faults.run()
            except TimeoutError as error:
                self.fail(f"{error}\n{faults.leaders.said()[-6000:]}")
            verdict = faults.verdict()
            for name in [text.split(":")[0] for text in verdict["twice"]][:5]:
                print(faults.story(name))
        print(json.dumps(verdict, indent=1))
        self.assertEqual((verdict["early"], verdict["lost"], verdict["twice"]), ([], [], []))
        # Each Job once, and once more for each time that people have suspended it.
        self.assertLessEqual(verdict["releases"],
                             len(faults.clean) + len(faults.timed) + verdict["suspended by people"])
        self.assertGreaterEqual(verdict["cuts"], 1_000)
        self.assertGreaterEqual(verdict["410 seen"], 2)
        self.assertGreater(verdict["suspended by people"], 2)  # 60 to 80, but for a busy machine
        self.assertLess(max(verdict["failovers, s"]), 60)
        self.assertLess(verdict["latest after its deadline, s"], 180)


if __name__ == "__main__":
    unittest.main(verbosity=2)
