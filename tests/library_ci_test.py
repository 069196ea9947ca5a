"""The step for CI, run as GitHub's action and GitLab's template run it, against stand-ins of their APIs. CTest sets
EBB_PROGRAM, EBB_LIBRARY and PYTHONPATH."""

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import unittest
from pathlib import Path

from python_scratch import InScratch

TREE = Path(__file__).resolve().parent.parent
INTEGRATIONS = TREE / "integrations"
#: The workflow of GitHub and the job of GitLab in docs/integrations.md.
WORKFLOW, JOB = re.findall(r"^```yaml\n(.*?)^```$", (TREE / "docs/integrations.md").read_text(), re.M | re.S)


class Change(http.server.ThreadingHTTPServer):
    """The comments on one pull request, or the notes of one merge request."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.comments, self.calls, self.status = [{"id": 1, "body": "looks good"}], [], 200
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self):
        server, length = self.server, int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        token = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN")
        server.calls.append((self.command, self.path.partition("?")[0], token))
        told = server.comments
        if self.command == "POST":
            told = {"id": len(server.comments) + 1, **body}
            server.comments.append(told)
        elif self.command != "GET":
            told = server.comments[int(self.path.rsplit("/", 1)[1]) - 1]
            told.update(body)
        data = json.dumps(told if server.status == 200 else {}).encode()
        self.send_response(server.status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_PUT = answer


def settings_in(text):
    """The variables that YAML sets as it is written here: one on a line, `NAME: value`."""
    return dict(re.findall(r"^ +(EBB_CI_\w+|GITHUB_TOKEN): (.*)$", text, re.M))


def inputs(path):
    """The inputs of an action and their defaults."""
    text = path.read_text().partition("outputs:")[0]
    return {name: default.strip('"') for name, default in re.findall(r"^  ([\w-]+):\n.*\n    default: (.*)$", text, re.M)}


class CiTest(InScratch):
    def setUp(self):
        super().setUp()
        self.change = Change()
        self.addCleanup(self.change.server_close)
        self.addCleanup(self.change.shutdown)
        Path("event.json").write_text(json.dumps({"pull_request": {"number": 7}}))

    def step(self, variables):
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
        cleared = {name: text for name, text in os.environ.items() if not name.startswith(("GITHUB_", "CI_", "EBB_CI_"))}
        words = [sys.executable, "-m", "ebb.ci"]
        environment = {**cleared, "PATH": path, **variables}
        return subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)

    def github(self, **given):
        """As action.yml runs it: each variable is an input."""
        action = INTEGRATIONS / "github/action.yml"
        self.assertIn("run: python3 -m ebb.ci", action.read_text())
        known = {**inputs(action), "flags": "--constant 300 --rapl none", **given}
        variables = {"GITHUB_API_URL": self.change.url, "GITHUB_REPOSITORY": "some/where"}
        variables.update(GITHUB_EVENT_PATH="event.json", GITHUB_OUTPUT="output", GITHUB_STEP_SUMMARY="summary.md")
        for name, expression in settings_in(action.read_text()).items():
            variables[name] = known[re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", expression)[1]]
        return self.step(variables)

    def gitlab(self, **given):
        """As a job that extends the template runs it."""
        template = (INTEGRATIONS / "gitlab/ebb.gitlab-ci.yml").read_text()
        self.assertIn("- python3 -m ebb.ci", template)
        known = {name: value.strip('"').replace("$CI_JOB_NAME", "train") for name, value in settings_in(template).items()}
        merge_request = {"CI_MERGE_REQUEST_IID": "7", "CI_PROJECT_ID": "5", "CI_API_V4_URL": self.change.url}
        return self.step({**known, **given, **merge_request, "EBB_CI_GITLAB_TOKEN": "t0ken"})

    def test_a_pull_request_has_one_comment_that_follows_the_command(self):
        done = self.github(command="echo built", token="t0ken")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("built", done.stdout)
        self.assertEqual(len(self.change.comments), 2)
        self.assertIn("| energy | ", self.change.comments[1]["body"])
        self.assertIn("CO2eq", Path("summary.md").read_text())
        output = dict(line.split("=") for line in Path("output").read_text().splitlines())
        self.assertAlmostEqual(float(output["emissions-g"]), 300 * float(output["energy-kwh"]), places=9)
        place = "/repos/some/where/issues/7/comments"
        self.assertEqual(self.change.calls, [("GET", place, "Bearer t0ken"), ("POST", place, "Bearer t0ken")])
        self.github(command="python3 -c 'sum(range(20_000_000))'", token="t0ken")
        self.assertEqual(len(self.change.comments), 2, "the same comment, with the change")
        self.assertRegex(self.change.comments[1]["body"], r"\| energy \| [^|]+ \| \+\d+ % \|")
        self.assertEqual(self.change.calls[-1][:2], ("PATCH", "/repos/some/where/issues/comments/2"))

    def test_the_exit_code_is_the_commands_and_its_energy_is_told_all_the_same(self):
        done = self.github(command="false | true\necho not reached", token="t0ken")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("not reached", done.stdout)
        self.assertEqual(len(self.change.comments), 2)

    def test_an_api_that_refuses_costs_a_warning(self):
        self.change.status = 403
        done = self.github(command="true", token="t0ken")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: the grams could not be written", done.stderr)
        self.assertIn("| energy |", Path("summary.md").read_text())

    def test_outside_of_a_pull_request_or_if_it_is_not_wanted_there_is_no_comment(self):
        self.github(command="true", token="t0ken", comment="false")
        Path("event.json").write_text(json.dumps({"ref": "refs/heads/main"}))
        self.github(command="true", token="t0ken")
        self.assertEqual(self.change.calls, [])

    def test_it_waits_for_clean_power_first(self):
        done = self.github(command="true", token="", wait="true", duration="10m")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("start: ", done.stderr)
        done = self.github(command="true", token="", wait="true", duration="soon")
        self.assertEqual(done.returncode, 2)
        self.assertIn("soon", done.stderr)

    def test_a_merge_request_of_gitlab_has_a_note(self):
        for _ in range(2):
            done = self.gitlab(EBB_CI_COMMAND="echo built", EBB_CI_FLAGS="--constant=300 --rapl none")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.change.comments), 2)
        self.assertIn("| train |", self.change.comments[1]["body"])
        place = "/projects/5/merge_requests/7/notes"
        called = [("GET", place), ("POST", place), ("GET", place), ("PUT", place + "/2")]
        self.assertEqual(self.change.calls, [(*call, "t0ken") for call in called])

    def made_ready(self):
        """What the examples take for granted: a makefile, and no network for the intensity of a zone."""
        Path("makefile").write_text("train:\n\t@echo trained\n")
        settings = Path("settings.yaml").resolve()
        settings.write_text("signal: profile\n")
        settings.chmod(0o600)
        self.addCleanup(os.environ.__setitem__, "EBB_CONFIG", os.environ.get("EBB_CONFIG", "none"))
        os.environ["EBB_CONFIG"] = str(settings)

    @unittest.skipUnless(shutil.which("make"), "make is not installed")
    def test_the_workflow_of_the_document(self):
        self.made_ready()
        (action,) = re.findall(r"uses: \./path/of/ebb/(\S+)$", WORKFLOW, re.M)
        text = (TREE / action / "action.yml").read_text().partition("\noutputs:")[0]
        given = dict(re.findall(r"^      ([\w-]+): (.*)$", WORKFLOW, re.M))
        self.assertLessEqual(set(given), set(re.findall(r"^  ([\w-]+):$", text, re.M)), "inputs of the action")
        self.assertIn("flags", given)
        done = self.github(token="t0ken", **given)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("trained", done.stdout)
        self.assertRegex(self.change.comments[1]["body"], r"\| emissions \| .+ CO2eq \|")

    @unittest.skipUnless(shutil.which("make"), "make is not installed")
    def test_the_job_of_the_document(self):
        self.made_ready()
        (included,) = re.findall(r"^include: (\S+)$", JOB, re.M)
        self.assertIn("\n  extends: .ebb\n", JOB)
        self.assertIn("\n.ebb:\n", (TREE / included).read_text())
        done = self.gitlab(**settings_in(JOB))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("trained", done.stdout)
        self.assertRegex(self.change.comments[1]["body"], r"\| emissions \| .+ CO2eq \|")

    def test_a_command_is_needed(self):
        self.assertEqual(self.step({}).returncode, 2)


if __name__ == "__main__":
    unittest.main()
