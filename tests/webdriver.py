"""A headless Chromium by ChromeDriver (W3C WebDriver): what the test of the page and its benchmark look through."""

import base64
import json
import os
import shutil
import subprocess
import time
import urllib.request

CHROMEDRIVER = shutil.which("chromedriver")
PATIENCE_S = 30


def missing():
    """What is not installed; empty: all is there."""
    if not CHROMEDRIVER:
        return "chromedriver"
    return "" if shutil.which("chromium") or shutil.which("google-chrome") else "chromium"


class Browser:
    """The few commands of WebDriver that are needed. Screenshots are left in `directory`."""

    def __init__(self, width, height, directory="."):
        self.directory = directory
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
        with open(os.path.join(self.directory, name + ".png"), "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def key(self, key):
        """Presses a key, by its code of WebDriver."""
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def write(self, text):
        """Types into what has the focus."""
        for key in text:
            self.key(key)

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def errors(self):
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] == "SEVERE"]

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
