"""The network of a test: a proxy that answers itself for the services of answering_grids.py, over https with a certificate
of its own and over http."""

import http.server
import os
import ssl
import subprocess
import tempfile
import threading
from pathlib import Path
from urllib.parse import urlparse

import answering_grids


def answer_of(host, path):
    body = answering_grids.BY_HOST[host](path) if host in answering_grids.BY_HOST else None
    return (200, body.encode()) if body else (404, b"")


class Handler(http.server.BaseHTTPRequestHandler):
    certificate, asked = None, None

    def do_GET(self):
        address = urlparse(self.path)
        self.asked.append(address.hostname)
        status, body = answer_of(address.hostname, self.path.split(address.netloc, 1)[1])
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self):
        self.send_response(200)
        self.end_headers()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.certificate)
        host = self.path.split(":")[0]
        self.asked.append(host)
        self.close_connection = True
        with context.wrap_socket(self.connection, server_side=True) as connection, connection.makefile("rb") as lines:
            path = lines.readline().decode().split(" ")[1]
            while lines.readline().strip():
                pass
            status, body = answer_of(host, path)
            connection.sendall(f"HTTP/1.1 {status} .\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)

    def log_message(self, *_):
        pass


def make_certificate(folder):
    """One for all hosts, which signs itself: certificate and key."""
    names = ",".join(f"DNS:{host}" for host in answering_grids.BY_HOST)
    files = str(folder / "ca.pem"), str(folder / "key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=ebb test",
                    "-addext", f"subjectAltName={names}", "-out", files[0], "-keyout", files[1]],
                   check=True, capture_output=True)
    return files


class AnsweringProxy:
    """`asked`: the hosts, in their order. `environment`: of a program whose network this is, and who has no keys."""

    def __init__(self):
        self.scratch = tempfile.TemporaryDirectory()
        folder = Path(self.scratch.name)
        self.asked = []
        certificate = make_certificate(folder)
        handler = type("Handler", (Handler,), {"certificate": certificate, "asked": self.asked})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{self.server.server_address[1]}"
        kept = {name: value for name, value in os.environ.items() if "API_KEY" not in name and "proxy" not in name.lower()}
        self.environment = kept | {
            "EBB_CONFIG": "none", "TZ": "UTC", "HTTPS_PROXY": address, "http_proxy": address,
            "SSL_CERT_FILE": certificate[0], "REQUESTS_CA_BUNDLE": certificate[0], "XDG_CACHE_HOME": str(folder / "cache")}

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.scratch.cleanup()
