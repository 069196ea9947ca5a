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


# Every text that is shown, with its contrast on what lies behind it (WCAG 2.2, 1.4.3), as [contrast, text] where that is
# below 4.5.
LOW_CONTRAST = """
const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
const ground = (element) => {
  for (; element; element = element.parentElement) {
    const colour = parts(getComputedStyle(element).backgroundColor);
    if (colour.length < 4 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
return [...document.querySelectorAll("body *")].filter((element) => element.checkVisibility() && !element.disabled &&
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())).map((element) => {
  const a = luminance(parts(getComputedStyle(element).color)), b = luminance(ground(element));
  return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), element.textContent.trim().slice(0, 40)];
}).filter(([contrast]) => contrast < 4.5);
"""

# Finds elements that a screen reader has no name for: controls without a label, charts without words, sections without a heading.
NAMELESS = """
const named = (e) => e.getAttribute("aria-label")?.trim() || e.labels?.length || e.textContent.trim() ||
  (e.getAttribute("aria-labelledby") || "").split(" ").some((id) => document.getElementById(id)?.textContent.trim());
const all = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility());
return [...all("input, select").filter((e) => !e.labels.length), ...all("button, a, [role=region], [tabindex]").filter((e) => !named(e)),
  ...all("canvas").filter((e) => e.getAttribute("role") !== "img" || !e.getAttribute("aria-label")),
  ...all("section").filter((e) => !named(e))].map((e) => e.outerHTML.slice(0, 120));
"""


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

    def resize(self, width, height, mobile=False):
        """As if the window, or the phone, were so large."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.wait(f"window.innerWidth === {width}")

    def errors(self):
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] == "SEVERE"]

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
