"""Tasks for clouds, read by SkyPilot itself: every task that Ebb writes is one that SkyPilot takes, and says there what
Ebb's plan says. Needs no cloud account. SkyPilot's published catalogue of regions, machines and GPUs is compared where it
can be reached; EBB_SKYPILOT_CATALOG names a folder with a copy of it (aws/vms.csv, ...).

Run by ./dev peers skypilot, which makes the environment (skypilot.txt) and sets EBB_BUILD.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

# SkyPilot keeps its state and its catalogue below the home directory, so it gets one of its own before it is imported.
HOME = tempfile.TemporaryDirectory()
os.environ.update(HOME=HOME.name, SKYPILOT_DISABLE_USAGE_COLLECTION="1")

import sky
import sky.catalog
import yaml
from sky.catalog import common
from sky.catalog.data_fetchers import fetch_aws
from sky.client.cli import command
from sky.data import storage
from sky.skylet import constants

TREE = Path(__file__).resolve().parents[2]
EBB = os.environ["EBB_BUILD"] + "/bin/ebb"
NOW = "2026-11-27T18:00Z"
REGIONS = ["gcp/europe-central2", "aws/eu-north-1", "azure/francecentral", "gcp/us-central1", "aws/ap-southeast-1"]
SECTION = {
    "regions": REGIONS, "bucket": "s3://my-bucket/sweeps", "accelerator": "A100", "cpus": "8+", "memory": "64+",
    "spot": True, "setup": "pip install -r requirements.txt", "ebb_wheel": "ebb-0.1.0-py3-none-manylinux_2_28_x86_64.whl",
}
HOSTILE = ["$(touch pwned)", "`id`", "'; rm -rf ~; '", "a b", "", "new\nline", "tab\t", '"quoted"', "*", "~", "-n", "a=b", "\\",
           "#c", "ä", "${HOME}", "&", "a'b", "\x85", "\u2028", "\x9f", "\ufeff", "\x01", "\r", " x ", "|", "key: value"]


def run(*words, **more):
    environment = {"PATH": os.environ["PATH"], "HOME": HOME.name, "EBB_CONFIG": "none"}
    return subprocess.run([EBB, *words], env=environment, capture_output=True, text=True, timeout=300, check=False, **more)


def our_regions():
    rows = re.findall(r'^    \{"(aws|gcp|azure)", "([^"]+)"', (TREE / "src/signals/cloud_regions.cc").read_text(), re.M)
    return {cloud: {region for its, region in rows if its == cloud} for cloud in ("aws", "gcp", "azure")}


class Tasks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def generate(self, sweep):
        (self.folder / "sweep.yaml").write_text(sweep)
        made = run("sweep", "generate", "sweep.yaml", "--target", "skypilot", "--out", "tasks", "--signal", "profile",
                   "--submit-time", NOW, cwd=self.folder)
        self.assertEqual(made.returncode, 0, made.stderr)
        return sorted(path for path in (self.folder / "tasks").glob("*.yaml") if path.name != "sweep.yaml")

    def shipped(self, name):
        return (TREE / "configs/sweeps" / name).read_text() + "\n" + yaml.safe_dump({"skypilot": SECTION})

    def sweep_of(self, words, section=SECTION):
        # JSON is YAML, and escapes what readers of YAML may take for the end of a line.
        return json.dumps({
            "name": "hostile", "parameters": {"list": [{"a": 1}]}, "estimates": [{"duration": "1h", "power_w": 100}],
            "name_template": "one", "command": [word.replace("{", "{{").replace("}", "}}") for word in words],
            "skypilot": section,
        }, indent=1)

    def test_sky_takes_every_task_of_the_shipped_sweeps(self):
        for name, count in (("qwen-lora-core21.yaml", 21), ("qwen-lora-grid54.yaml", 54)):
            files = self.generate(self.shipped(name))
            self.assertEqual(len(files), count)
            for file in files:
                with self.subTest(file.name):
                    self.check_task(file)
            shutil.rmtree(self.folder / "tasks")

    def check_task(self, file):
        task = sky.Task.from_yaml(str(file))
        self.assertEqual(task.name, file.stem)
        # A list: SkyPilot keeps its order. The candidates of `any_of` are a set.
        self.assertIsInstance(task.resources, list)
        regions = [f"{str(each.cloud).lower()}/{each.region}" for each in task.resources]
        self.assertEqual(sorted(regions), sorted(REGIONS))
        heading = file.read_text().splitlines()[1]
        told = re.findall(r"(\S+/\S+) ([\d.]+)", heading)
        self.assertEqual([region for region, _ in told], regions)
        grams = [float(value) for _, value in told]
        self.assertEqual(grams, sorted(grams), "cleanest first")
        for each in task.resources:
            self.assertEqual((each.accelerators, each.use_spot, each.cpus, each.memory), ({"A100": 1}, True, "8+", "64+"))
            self.assertEqual(each.job_recovery["strategy"], "FAILOVER")
        (bucket,) = task.storage_mounts.values()
        self.assertEqual((bucket.source, bucket.mode), ("s3://my-bucket/sweeps", storage.StorageMode.MOUNT))
        self.assertEqual(list(task.file_mounts.values()), [SECTION["ebb_wheel"]])
        for script in (task.setup, task.run):
            subprocess.run(["bash", "-n"], input=script, text=True, check=True)

    def test_any_of_would_lose_the_order(self):
        (file,) = self.generate(self.sweep_of(["true"]))
        config = yaml.safe_load(file.read_text())
        config["resources"]["any_of"] = config["resources"].pop("ordered")
        self.assertIsInstance(sky.Task.from_yaml_config(config).resources, set)

    def test_a_program_gets_the_words_that_the_sweep_has(self):
        (file,) = self.generate(self.sweep_of(["python3", "-c", "import json, sys; print(json.dumps(sys.argv[1:]))", *HOSTILE]))
        script = sky.Task.from_yaml(str(file)).run.replace("/ebb-bucket", str(self.folder / "bucket"))
        done = subprocess.run(["bash"], input=script, text=True, capture_output=True, cwd=self.folder, check=False,
                              env={"PATH": "/usr/bin:/bin", "HOME": HOME.name, "TMPDIR": HOME.name, constants.TASK_ID_ENV_VAR: "sky-1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), HOSTILE)
        self.assertFalse((self.folder / "pwned").exists())

    def test_names_that_sky_would_refuse_are_mended(self):
        sweep = self.sweep_of(["true"]).replace('"name_template": "one"', '"name_template": "My experiment -- no. 1/2 "')
        (file,) = self.generate(sweep)
        self.assertEqual(sky.Task.from_yaml(str(file)).name, file.stem)
        self.assertTrue(re.fullmatch(constants.CLUSTER_NAME_VALID_REGEX, file.stem), file.stem)

    def test_a_submitted_job_is_a_task(self):
        made = run("submit", "--as", "skypilot", "--regions", ",".join(REGIONS), "--bucket", "my-bucket", "--accelerator",
                   "A100-80GB", "--devices", "8", "--env", "TOKEN=a: b", "--signal", "profile", "--budget-kwh", "3",
                   "--image", "docker:ubuntu:24.04", "python", "train.py", cwd=self.folder)
        self.assertEqual(made.returncode, 0, made.stderr)
        task = sky.Task.from_yaml_config(yaml.safe_load(made.stdout))
        self.assertEqual([each.accelerators for each in task.resources], [{"A100-80GB": 8}] * len(REGIONS))
        self.assertEqual(task.envs["TOKEN"], "a: b")
        (bucket,) = task.storage_mounts.values()
        self.assertEqual((bucket.name, bucket.mode), ("my-bucket", storage.StorageMode.MOUNT))
        self.assertEqual({each.extract_docker_image() for each in task.resources}, {"ubuntu:24.04"})

    def test_the_launch_uses_flags_that_sky_has(self):
        flags = {option for parameter in command.jobs_launch.params for option in parameter.opts}
        for file in ("src/sweep/testdata/skypilot/launch.sh", "src/cli/submit_skypilot.cc"):
            used = set(re.findall(r"--(?:yes|detach-run|name)\b", (TREE / file).read_text()))
            self.assertEqual(used, {"--yes", "--detach-run", "--name"}, file)
            self.assertLessEqual(used, flags, file)


class Catalogue(unittest.TestCase):
    """Ebb's table of regions and SkyPilot's catalogue."""

    @classmethod
    def setUpClass(cls):
        copy = os.environ.get("EBB_SKYPILOT_CATALOG")
        if copy:
            there = Path(HOME.name) / ".sky/catalogs" / constants.CATALOG_SCHEMA_VERSION
            shutil.copytree(copy, there, dirs_exist_ok=True)

    def regions_of(self, cloud):
        try:
            return common.read_catalog(f"{cloud}/vms.csv")["Region"]  # read when it is asked for
        except Exception as error:  # of requests, if there is no network
            print(f"SKIPPED: SkyPilot's catalogue of {cloud} cannot be reached ({type(error).__name__})", file=sys.stderr)
            self.skipTest("the catalogue cannot be reached")

    def test_regions_of_aws_that_the_package_names_are_known(self):
        self.assertEqual(set(fetch_aws.ALL_REGIONS) - our_regions()["aws"], set())

    def check(self, cloud):
        theirs = set(self.regions_of(cloud).dropna().str.lower())
        self.assertGreater(len(theirs), 5)
        self.assertEqual(theirs - our_regions()[cloud], set(), "regions of which Ebb knows no grid zone")
        # The machine of the examples is there, by the names that Ebb writes.
        named = [region.split("/")[1] for region in REGIONS if region.startswith(cloud + "/")]
        self.assertLessEqual(set(named), theirs)
        found, _ = sky.catalog.get_instance_type_for_accelerator("A100", 8, clouds=cloud)
        self.assertTrue(found, f"{cloud} has no machine with 8 A100")

    def test_aws(self):
        self.check("aws")

    def test_gcp(self):
        self.check("gcp")

    def test_azure(self):
        self.check("azure")


if __name__ == "__main__":
    unittest.main()
