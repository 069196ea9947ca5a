"""What the tests of live sources have in common: ebb beside a server of the test that answers as a grid and as the
services that ebb asks besides."""

import ctypes
import os
import subprocess
import sys
import tempfile
import threading
import unittest

EBB = sys.argv[1]


def has_library(name):
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def send(handler, body, status=200):
    """Answers a request with text or bytes."""
    body = body if isinstance(body, bytes) else body.encode()
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


class BesideServer(unittest.TestCase):
    """`make_server` makes the server; the grid is at /co2: {"rows": [{"from": TIME, "value": G_PER_KWH}]}."""
    make_server, variables = None, {}

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.cache = scratch.name
        self.server = type(self).make_server()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def ebb(self, *words, **variables):
        environment = os.environ | {"EBB_CONFIG": "none", "TZ": "UTC"} | self.variables | variables
        return subprocess.run([EBB, *words], capture_output=True, text=True, env=environment, timeout=120, check=False)

    def grid(self, *more, zone="DE", **variables):
        return self.ebb("grid", "--zone", zone, "--api-url", self.address + "/co2", "--json-list", "/rows", "--json-value",
                        "/value", "--json-time", "/from", "--json-unit", "g/kWh", "--signal-cache", self.cache, "--format",
                        "json", *more, **variables)
