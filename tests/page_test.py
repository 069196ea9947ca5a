#!/usr/bin/env python3
"""The page of the queue service as a person sees it, in headless Chromium (ChromeDriver, W3C WebDriver).

Usage: page_test.py EBB DIRECTORY. Screenshots are left in DIRECTORY. Exit code 77: no browser here.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

EBB, KEEP = sys.argv[1], sys.argv[2]
CHROMEDRIVER = shutil.which("chromedriver")
PATIENCE_S = 30


class Browser:
    """The few commands of WebDriver that are needed."""

    def __init__(self, width, height):
        self.process = subprocess.Popen([CHROMEDRIVER, "--port=0"], stdout=subprocess.PIPE, text=True)
        port = None
        for line in self.process.stdout:
            if "successfully on port" in line:
                port = int(line.rstrip(".\n").rsplit(" ", 1)[1])
                break
        self.base = f"http://127.0.0.1:{port}"
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},{height}"]}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.base += "/session/" + answer["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def wait(self, condition):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            value = self.run("return " + condition)
            if value:
                return value
            time.sleep(0.1)
        raise AssertionError("did not come true: " + condition)

    def screenshot(self, name):
        with open(os.path.join(KEEP, name + ".png"), "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def errors(self):
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] == "SEVERE"]

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()


def rows():
    return "[...document.querySelectorAll('#jobs tr')].map(row => row.innerText)"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.environment = dict(os.environ, EBB_STORE=os.path.join(cls.directory.name, "ebb.db"))
        cls.service = subprocess.Popen([EBB, "serve", "--constant", "123", "--slots", "2", "--port", "0"],
                                       env=cls.environment, stderr=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.stop)
        cls.url = cls.service.stderr.readline().split("serve: ")[1].split(",")[0]
        cls.ebb("submit", "--name", "long-one", "--", "sh", "-c", "echo I run; sleep 600")
        cls.ebb("submit", "--name", "bad <b>one</b>", "--", "sh", "-c", "exit 3")
        cls.ebb("submit", "--name", "after-it", "--after", "1", "--", "true")
        cls.browser = Browser(1280, 1400)
        cls.browser.call("POST", "/url", {"url": cls.url + "/"})

    @classmethod
    def stop(cls):
        if hasattr(cls, "browser"):
            cls.browser.close()
        cls.ebb("cancel", "1")
        time.sleep(0.5)
        cls.service.terminate()
        cls.service.wait()
        cls.service.stderr.close()
        cls.directory.cleanup()

    @classmethod
    def ebb(cls, *words):
        return subprocess.run([EBB, *words], env=cls.environment, check=True, capture_output=True, text=True).stdout

    def test_1_tells_what_runs_and_what_waits(self):
        browser = self.browser
        browser.wait("document.querySelector('#jobs') && document.querySelector('#jobs').innerText.includes('long-one')")
        self.assertIn("123 g/kWh", browser.run("return document.getElementById('now').innerText"))
        listed = browser.run("return " + rows())
        self.assertEqual(len(listed), 2, listed)
        self.assertIn("running", listed[0])
        self.assertIn("after job 1", listed[1])
        browser.screenshot("page-light")

    def test_2_text_of_others_is_never_markup(self):
        browser = self.browser
        browser.run("document.getElementById('stage').value = 'failed';"
                    "document.getElementById('stage').dispatchEvent(new Event('change'))")
        listed = browser.wait("(() => { const r = " + rows() + "; return r.length === 1 && r })()")
        self.assertIn("bad <b>one</b>", listed[0])
        self.assertIn("exit code 3", listed[0])
        self.assertEqual(browser.run("return document.querySelectorAll('#jobs b').length"), 0)

    def test_3_a_job_opens_with_its_log(self):
        browser = self.browser
        browser.run("document.getElementById('stage').value = 'live';"
                    "document.getElementById('stage').dispatchEvent(new Event('change'));"
                    "document.querySelector('#jobs button').click()")
        browser.wait("document.getElementById('job').open")
        browser.wait("document.getElementById('job-log').innerText.includes('I run')")
        self.assertIn("long-one", browser.run("return document.getElementById('job-title').innerText"))
        browser.screenshot("page-job")
        browser.run("document.getElementById('job').close()")

    def test_4_what_happens_shows_within_two_seconds(self):
        self.ebb("submit", "--name", "newcomer", "--", "sleep", "30")
        begin = time.monotonic()
        self.browser.wait("document.getElementById('jobs').innerText.includes('newcomer')")
        print(f"an event is on the page after {time.monotonic() - begin:.1f} s", file=sys.stderr)
        self.ebb("cancel", "4")

    def test_5_charts_are_drawn(self):
        for canvas in ("intensity", "gantt"):
            inked = self.browser.run(
                f"const c = document.getElementById('{canvas}');"
                "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                "let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n")
            self.assertGreater(inked, 500, canvas)

    def test_6_fits_a_phone_and_has_no_errors(self):
        self.browser.call("POST", "/window/rect", {"width": 500, "height": 900})
        self.browser.wait("window.innerWidth < 600")
        wide = self.browser.run("return document.documentElement.scrollWidth - window.innerWidth")
        self.assertLessEqual(wide, 1)
        self.browser.screenshot("page-phone")
        self.assertEqual([m for m in self.browser.errors() if "/log" not in m], [])


if __name__ == "__main__":
    if not CHROMEDRIVER or not (shutil.which("chromium") or shutil.which("google-chrome")):
        print("SKIPPED: chromium and chromedriver are not installed", file=sys.stderr)
        sys.exit(77)
    os.makedirs(KEEP, exist_ok=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
