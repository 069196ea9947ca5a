#!/usr/bin/env python3
"""The page's view of sweeps as a person sees it, in headless Chromium.

Usage: sweeps_page_test.py EBB DIRECTORY. Screenshots are left in DIRECTORY. Exit code 77: no browser here.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import webdriver

EBB, KEEP = os.path.abspath(sys.argv[1]), sys.argv[2]

# Each tells a loss that nears the one it is named after; the last epoch of 0.4 waits for a file.
TRAIN = r"""
for epoch in 1 2 3 4 5 6 7 8 9; do
  if [ $1 = 0.4 ] && [ $epoch = 6 ]; then while [ ! -e go-on ]; do sleep 0.05; done; fi
  loss=$(awk "BEGIN { print $1 + 1 / ($epoch + 1) }")
  echo "{\"time_ms\":$(date +%s%3N),\"event\":\"epoch_end\",\"epoch\":$epoch,\"test_loss\":$loss}" >> $EBB_RUN_DIR/progress.jsonl
done
"""
SWEEP = """
name: "digits <b>small</b>"
parameters:
  list:
    - {loss: 0.3, schedule: "cosine <i>", model: tiny}
    - {loss: 0.6, schedule: "a schedule that has a name-of-which-one-part-cannot-be-broken", model: tiny}
    - {loss: 0.2, schedule: linear, model: tiny}
    - {loss: 0.4, schedule: linear, model: tiny}
estimates: [{duration: 40s, power_w: 100}]
name_template: "loss-{loss}"
command: [bash, train.sh, "{loss}"]
"""

REPORTED_TRAIN = r"""
echo "{\"time_ms\":1,\"event\":\"epoch_end\",\"epoch\":1,\"test_loss\":$1}" >> $EBB_RUN_DIR/progress.jsonl
exit $2
"""
REPORTED = """
name: reported
parameters: {list: [{loss: 0.3, code: 0}, {loss: 0.1, code: 0}, {loss: 0.2, code: 7}]}
estimates: [{run_time: 40s, power_w: 100}]
name_template: "l{loss} <b>"
command: [bash, report.sh, "{loss}", "{code}"]
"""


def texts(table):
    return f"[...document.querySelectorAll('#{table} tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"


class SweepsPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        path = lambda name: os.path.join(cls.directory.name, name)
        for name, content in (("train.sh", TRAIN), ("sweep.yaml", SWEEP)):
            with open(path(name), "w") as file:
                file.write(content)
        cls.environment = dict(os.environ, EBB_STORE=path("ebb.db"))
        cls.service = subprocess.Popen([EBB, "serve", "--constant", "123", "--slots", "4", "--port", "0", "--policy", "run-now"],
                                       env=cls.environment, stderr=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.stop)
        cls.url = cls.service.stderr.readline().split("serve: ")[1].split(",")[0]
        subprocess.run([EBB, "submit", "sweep.yaml"], env=cls.environment, cwd=cls.directory.name, check=True, capture_output=True)
        cls.browser = webdriver.Browser(1280, 1000, KEEP)
        cls.browser.call("POST", "/url", {"url": cls.url + "/"})

    @classmethod
    def stop(cls):
        if hasattr(cls, "browser"):
            cls.browser.close()
        cls.let_end()
        cls.service.terminate()
        cls.service.wait()
        cls.service.stderr.close()
        cls.directory.cleanup()

    @classmethod
    def let_end(cls):
        with open(os.path.join(cls.directory.name, "go-on"), "w"):
            pass

    def asked(self):
        return self.browser.run("return performance.getEntriesByType('resource').map((e) => e.name).filter((name) => name.includes('sweeps'))")

    def test_1_nothing_of_it_is_in_the_first_view(self):
        self.browser.wait("document.getElementById('jobs')?.innerText.includes('loss-0.4')")
        self.assertEqual(self.asked(), [])
        self.assertTrue(self.browser.run("return document.getElementById('sweeps-link').checkVisibility()"))

    def test_2_all_sweeps(self):
        browser = self.browser
        browser.run("document.getElementById('sweeps-link').focus()")
        browser.key("\ue007")
        row = browser.wait("(() => { const r = " + texts("sweep-rows") + "[0]; return r?.[3].startsWith('loss-0.2') && r[7] === '3' && r })()")
        self.assertEqual(row[:8], ["1", "digits <b>small</b>", "running", "loss-0.2: 0.3000", "1", "0", "0", "3"])
        self.assertEqual(browser.run("return document.querySelectorAll('#sweeps b').length"), 0)
        browser.screenshot("sweeps-all")
        # The keyboard is enough.
        for _ in range(10):
            browser.key("\ue004")
            if browser.run("return document.activeElement.getAttribute('href')") == "#sweep=1":
                break
        browser.key("\ue007")
        browser.wait("document.getElementById('sweeps-title').textContent === 'Sweep 1: digits <b>small</b>'")

    def test_3_one_sweep_is_ranked_and_keeps_up(self):
        browser = self.browser
        browser.wait(texts("experiment-rows") + ".length === 4 && charts['sweep-losses']?.data.datasets.length === 4")
        rows = browser.wait("(() => { const rows = " + texts("experiment-rows") + "; return rows[3][6] === '5' && rows })()")
        self.assertEqual([row[1] for row in rows], ["loss-0.2", "loss-0.3", "loss-0.6", "loss-0.4"])
        self.assertEqual([row[2] for row in rows], ["done", "done", "done", "running"])
        self.assertEqual([row[0][0] for row in rows], ["1", "2", "3", "–"])
        self.assertEqual(rows[0][3:7], ["0.2", "linear", "0.3000", "9"], "what varies has a column, and nothing else")
        self.assertEqual(rows[1][3:5], ["0.3", "cosine <i>"])
        self.assertRegex(rows[0][7], r"^\d+(\.\d)? s$", "how long it ran")
        self.assertEqual(browser.run("return [...document.querySelectorAll('#sweep-one .ranking thead th')].map((cell) => cell.scope + ' ' + cell.textContent)"),
                         ["col " + name for name in ("Rank", "Experiment", "Verdict", "loss", "schedule", "Loss", "Epochs", "Ran", "Energy", "Emitted", "Waited", "Tier", "Why")])
        self.assertEqual(browser.run("return [...document.querySelectorAll('#experiment-rows tr:first-child td')].map((cell) => cell.className)"),
                         ["", "", "number", "words", "number", "number", "number", "number", "number", "number", "", ""])
        self.assertIn("3 done, 1 running; ", browser.run("return document.getElementById('sweeps-words').textContent"))
        self.assertEqual(browser.run("return document.getElementById('sweep-losses').getAttribute('aria-label')"),
                         "Loss over epochs of 4 experiments; the best, loss-0.2, ends at 0.3000")
        self.assertEqual(browser.run("return charts['sweep-losses'].data.datasets[0].data.map((point) => point.x)"), list(range(1, 10)))
        # A running experiment has a point from its first sample on.
        front = browser.wait("(() => { const front = charts['sweep-front'].data.datasets.map(({ label, data }) => [label, data.map(({ row }) => row.name)]);"
                             " return front[2]?.[1].length && front })()")
        self.assertIn("loss-0.2", front[0][1], "the least loss is on the front")
        self.assertEqual(front[2], ["not to its end", ["loss-0.4"]])
        self.assertEqual(sorted(front[0][1] + front[1][1]), ["loss-0.2", "loss-0.3", "loss-0.6"])
        browser.run("document.getElementById('sweep-details').open = true")
        browser.wait("document.querySelectorAll('#sweep-losses-table tbody tr').length === 9 * 3 + 5")
        browser.run("document.getElementById('sweep-details').open = false")
        for theme in ("dark", "light"):
            browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
            browser.wait("new Promise((done) => setTimeout(() => done(1), 300))")
            self.assertEqual(browser.run(webdriver.LOW_CONTRAST), [], theme)
            browser.screenshot("sweep-" + theme)
        self.assertEqual(browser.run(webdriver.NAMELESS), [])
        self.let_end()
        browser.wait(texts("experiment-rows") + ".map((row) => row[1]).join() === 'loss-0.2,loss-0.3,loss-0.4,loss-0.6'")

    def test_4_fits_a_phone(self):
        browser = self.browser
        browser.resize(360, 800, mobile=True)
        for address in ("sweeps", "sweep=1"):
            browser.run(f"location.hash = '{address}'")
            browser.wait("document.getElementById('" + ("sweep-rows" if address == "sweeps" else "experiment-rows") + "').innerText.includes('loss-0.2')")
            browser.wait("[...document.querySelectorAll('#sweeps *')].filter((e) => e.checkVisibility() && !e.closest('details, thead') && "
                         "e.getBoundingClientRect().right > 361).length === 0")
            browser.screenshot("sweeps-phone" if address == "sweeps" else "sweep-phone")
        browser.resize(1280, 1000)

    def test_5_an_experiment_leads_to_its_job_and_back(self):
        browser = self.browser
        browser.run("document.querySelector('#experiment-rows a').click()")
        browser.wait("document.getElementById('job').open && !document.getElementById('sweeps').open && "
                     "document.getElementById('job-title').textContent.includes('loss-0.2')")
        browser.run("history.back()")
        browser.wait("document.getElementById('sweeps').open && !document.getElementById('job').open")
        browser.wait("new Promise((done) => setTimeout(() => done(1), 100))")  # a dialog's end is told of later
        self.assertEqual(browser.run("return location.hash"), "#sweep=1")
        browser.key("\ue00c")
        browser.wait("!document.getElementById('sweeps').open && location.hash === ''")
        # Another address in the same moment in which the dialog is closed.
        browser.run("location.hash = 'sweep=1'")
        browser.wait("document.getElementById('sweeps').open")
        browser.run("document.getElementById('sweeps').close(); location.hash = 'sweep=99'")
        browser.wait("document.getElementById('sweeps-words').textContent === 'There is no such sweep.'")
        self.assertEqual([message for message in browser.errors() if "/sweeps/99" not in message and "/log" not in message], [])

    def test_6_a_saved_page_has_them_and_needs_nobody(self):
        browser, file = self.browser, os.path.join(self.directory.name, "saved.html")
        with open(os.path.join(self.directory.name, "untold.yaml"), "w") as untold:
            untold.write(SWEEP.replace('"digits <b>small</b>"', "untold").replace("bash, train.sh", '"true", x'))
        ebb = lambda *words: subprocess.run([EBB, *words], env=self.environment, cwd=self.directory.name, check=True, capture_output=True)
        ebb("submit", "untold.yaml")
        ebb("queue", "--save-page", file)
        browser.devtools("Network.enable")
        browser.devtools("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        browser.call("POST", "/url", {"url": "file://" + file})
        browser.wait("document.getElementById('live').textContent === 'saved as it was on'")
        browser.run("document.getElementById('sweeps-link').focus()")
        browser.key("\ue007")
        rows = browser.wait("(() => { const rows = " + texts("sweep-rows") + "; return rows[1]?.[3].startsWith('loss-0.2') && rows })()")
        self.assertEqual([row[:4] for row in rows], [["2", "untold", rows[0][2], "–"], ["1", "digits <b>small</b>", "over", "loss-0.2: 0.3000"]])
        browser.screenshot("sweeps-saved")
        browser.run("document.querySelectorAll('#sweep-rows a')[1].click()")
        browser.wait("charts['sweep-losses']?.data.datasets.length === 4 && !document.getElementById('sweep-one').hidden")
        rows = browser.run("return " + texts("experiment-rows"))
        self.assertEqual([row[1] for row in rows], ["loss-0.2", "loss-0.3", "loss-0.4", "loss-0.6"])
        self.assertEqual(rows[0][2:7], ["done", "0.2", "linear", "0.3000", "9"])
        self.assertEqual(browser.run("return charts['sweep-losses'].data.datasets[0].data.map((point) => point.x)"), list(range(1, 10)))
        browser.screenshot("sweep-saved")
        browser.run("document.querySelector('#experiment-rows a').click()")
        browser.wait("document.getElementById('job').open && document.getElementById('job-facts').textContent.includes('schedule = linear')")
        browser.run("location.hash = 'sweep=2'")
        browser.wait("document.getElementById('sweep-losses-text').textContent === 'No experiment has reported a loss yet.'")
        browser.run("location.hash = 'sweep=99'")
        browser.wait("document.getElementById('sweeps-words').textContent === 'It was not saved with this page.'")
        self.assertEqual(browser.run(webdriver.NAMELESS), [])
        self.assertEqual(browser.errors(), [])
        # The sweep's own address opens it.
        browser.call("POST", "/url", {"url": "about:blank"})
        browser.call("POST", "/url", {"url": "file://" + file + "#sweep=1"})
        browser.wait("document.getElementById('sweeps').open && charts['sweep-losses']?.data.datasets.length === 4")

    def test_7_a_report_is_a_page_of_one_sweep(self):
        browser, path = self.browser, lambda name: os.path.join(self.directory.name, name)
        ebb = lambda *words: subprocess.run([EBB, "sweep", *words], cwd=self.directory.name, capture_output=True, text=True)
        for name, content in (("report.sh", REPORTED_TRAIN), ("report.yaml", REPORTED)):
            with open(path(name), "w") as file:
                file.write(content)
        ran = ebb("run", "report.yaml", "--constant", "123", "--slots", "1", "--run-dir", "reported")
        self.assertEqual(ran.returncode, 1, ran.stderr)
        # A directory of an earlier version has no store.
        os.makedirs(path("earlier/runs"))
        shutil.copy(path("reported/sweep.yaml"), path("earlier"))
        for run in os.listdir(path("reported/runs")):
            if not run.startswith("l0.3"):
                shutil.copytree(os.path.join(path("reported/runs"), run), os.path.join(path("earlier/runs"), run))
        with open(path("earlier/stopped.jsonl"), "w") as file:
            file.write('{"name": "l0.3 <b>", "why": "rank 3 of 3", "estimated_saved_kwh": 0.002, "estimated_saved_g": 5}\n')
        browser.devtools("Network.enable")
        browser.devtools("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        words = lambda id: browser.run(f"return document.getElementById('{id}').textContent")
        for directory, ranks, names, verdicts in (
                ("reported", ["2", "–"], ["l0.3 <b>", "l0.2 <b>"], ["done", "failed"]),
                ("earlier", ["–", "–"], ["l0.3 <b>", "l0.2 <b>"], ["stopped early", "failed"])):
            self.assertEqual(ebb("report", directory, "--html", "report.html").returncode, 0)
            browser.call("POST", "/url", {"url": "about:blank"})
            browser.call("POST", "/url", {"url": "file://" + path("report.html")})
            browser.wait("charts['sweep-front'] && charts['sweep-losses'] && document.title === 'Ebb: sweep reported'")
            rows = browser.run("return " + texts("experiment-rows"))
            self.assertEqual(rows[0][0], "1 ◆")
            self.assertEqual([row[0][0] for row in rows[1:]], ranks)
            self.assertEqual([row[1] for row in rows], ["l0.1 <b>"] + names)
            self.assertEqual([row[2] for row in rows], ["done"] + verdicts)
            self.assertEqual([rows[0][3:7], rows[0][11:]], [["0.1", "0", "0.1000", "1"], ["1", ""]])
            drawn = browser.run("return charts['sweep-front'].data.datasets.flatMap(({ data }) => data.map(({ row }) => row.name))")
            self.assertEqual(sorted(drawn), ["l0.1 <b>"] + sorted(row[1] for row in rows[1:] if row[6] == "1"))
            self.assertEqual(browser.run("return document.querySelectorAll('dialog, form, select, main a, main b').length"), 0)
            self.assertIn("The machine, while Ebb ran: " if directory == "reported" else "", words("sweep-machine"))
            self.assertEqual(browser.run(webdriver.NAMELESS), [])
            self.assertEqual(browser.run(webdriver.LOW_CONTRAST), [])
            self.assertEqual(browser.errors(), [])
            browser.screenshot("sweep-report-" + directory)


if __name__ == "__main__":
    if webdriver.missing():
        print(f"SKIPPED: {webdriver.missing()} is not installed", file=sys.stderr)
        sys.exit(77)
    os.makedirs(KEEP, exist_ok=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
