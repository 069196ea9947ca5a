"""A client of the Kubernetes API for tests: JSON over HTTPS, with the standard library only."""

import http.client
import json
import re
import ssl
import threading
import time
import urllib.parse

PATIENCE_S = 30
LOST_CONNECTION = (ConnectionError, http.client.HTTPException, ssl.SSLError, TimeoutError)


class ApiError(Exception):
    """An answer other than 2xx: `status` is the HTTP code, `body` the answer."""

    def __init__(self, status, body, request):
        message = body.get("message", body) if isinstance(body, dict) else body
        super().__init__(f"{request}: {status} {message}")
        self.status, self.body = status, body


class Api:
    """The API as one user sees it. A resource is named as for kubectl: "jobs", "Job", "rayjobs.ray.io"."""

    def __init__(self, port, ca, token=None, certificate=None, patience=PATIENCE_S):
        self.port, self.token, self.patience = port, token, patience
        self.context = ssl.create_default_context(cafile=ca)
        if certificate:
            self.context.load_cert_chain(*certificate)
        self.local = threading.local()
        self.connections = []
        self.places = {}

    def close(self):
        for connection in self.connections:
            connection.close()

    # Requests

    def request(self, method, path, body=None, content_type="application/json"):
        """The answer as a dictionary; a connection that the server closed meanwhile is made anew."""
        connection = self._connection()
        try:
            return self._request(connection, method, path, body, content_type)
        except LOST_CONNECTION:
            connection.close()
            if method != "GET":
                raise
            return self._request(connection, method, path, body, content_type)

    def _connection(self):
        """One for each thread; after a close() it connects again by itself."""
        if not hasattr(self.local, "connection"):
            self.local.connection = self._new_connection(self.patience)
            self.connections.append(self.local.connection)
        return self.local.connection

    def _new_connection(self, patience):
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=patience)

    def _headers(self, content_type):
        authorization = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return {"Content-Type": content_type, "Accept": "application/json", **authorization}

    def _request(self, connection, method, path, body, content_type):
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        connection.request(method, path, text, self._headers(content_type))
        answer = connection.getresponse()
        content = answer.read()
        return self._parsed(answer, content, f"{method} {path}")

    @staticmethod
    def _parsed(answer, content, request):
        try:
            parsed = json.loads(content)
        except ValueError:
            parsed = content.decode(errors="replace")
        if not 200 <= answer.status < 300:
            raise ApiError(answer.status, parsed, request)
        return parsed

    # Where resources are

    def path(self, resource, namespace="default", name=None, subresource=None):
        """The path of a resource by one of its names."""
        return self._path(self._place(resource.lower(), self._discover), namespace, name, subresource)

    def _path_of(self, manifest, name=None, subresource=None):
        version, kind = manifest["apiVersion"], manifest["kind"]
        place = self._place((version, kind), lambda: self._kinds(version))
        return self._path(place, manifest["metadata"].get("namespace", "default"), name, subresource)

    @staticmethod
    def _path(place, namespace, name=None, subresource=None):
        prefix, plural, namespaced = place
        words = [prefix] + (["namespaces", namespace] if namespaced and namespace else []) + [plural]
        return "/".join(words + [word for word in (name, subresource) if word])

    def _place(self, key, look_up):
        if key not in self.places:
            self.places.update(look_up())
        if key not in self.places:
            raise ApiError(404, "the API server does not serve it", key)
        return self.places[key]

    def _served(self, version):
        """The resources of an API version as (kind, place)."""
        prefix = ("/apis/" if "/" in version else "/api/") + version
        served = self.request("GET", prefix)["resources"]
        return [(resource["kind"], (prefix, resource["name"], resource["namespaced"]))
                for resource in served if "/" not in resource["name"]]

    def _kinds(self, version):
        return {(version, kind): place for kind, place in self._served(version)}

    def _discover(self):
        groups = [("", "v1")]
        for group in self.request("GET", "/apis")["groups"]:
            groups.append((group["name"], group["preferredVersion"]["groupVersion"]))
        found = {}
        for group, version in groups:
            for kind, place in self._served(version):
                found.setdefault(place[1], place)
                found.setdefault(kind.lower(), place)
                found[f"{place[1]}.{group}"] = place
        return found

    # Verbs of kubectl

    def get(self, resource, name=None, namespace="default", selector=None):
        """One object; without a name the list of them, in every namespace if that is None."""
        path = self.path(resource, namespace, name)
        if name:
            return self.request("GET", path)
        query = "?" + urllib.parse.urlencode({"labelSelector": selector}) if selector else ""
        return self.request("GET", path + query)["items"]

    def create(self, manifest):
        return self.request("POST", self._path_of(manifest), manifest)

    def apply(self, manifest, subresource=None, manager="test"):
        """Creates the object or changes what the manifest names (server-side apply)."""
        return self._apply(self._path_of(manifest, manifest["metadata"]["name"], subresource), manifest, manager)

    def apply_yaml(self, text):
        """Applies what a file of generated YAML has, for example definitions of resources."""
        for document in filter(str.strip, re.split(r"^---$", text, flags=re.MULTILINE)):
            version, kind, name = (re.search(rf"^{indent}{key}: (\S+)$", document, re.MULTILINE).group(1)
                                   for indent, key in (("", "apiVersion"), ("", "kind"), ("  ", "name")))
            head = {"apiVersion": version, "kind": kind, "metadata": {"name": name}}
            if namespace := re.search(r"^  namespace: (\S+)$", document, re.MULTILINE):
                head["metadata"]["namespace"] = namespace.group(1)
            self._apply(self._path_of(head, name), document)

    def _apply(self, path, body, manager="test"):
        return self.request("PATCH", f"{path}?fieldManager={manager}&force=true", body, "application/apply-patch+yaml")

    def patch(self, resource, name, patch, namespace="default", subresource=None):
        """A merge patch if `patch` is a dictionary, a JSON patch if it is a list."""
        kind = "application/json-patch+json" if isinstance(patch, list) else "application/merge-patch+json"
        return self.request("PATCH", self.path(resource, namespace, name, subresource), patch, kind)

    def delete(self, resource, name, namespace="default", grace_seconds=None):
        options = {"propagationPolicy": "Background"}
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        return self.request("DELETE", self.path(resource, namespace, name), options)

    def watch(self, resource, namespace="default", resource_version=None, seconds=60, **parameters):
        """Yields events until the server ends the watch after `seconds`; an answer other than 200 is an ApiError."""
        query = {"watch": "true", "timeoutSeconds": seconds, "allowWatchBookmarks": "true", **parameters}
        if resource_version is not None:
            query["resourceVersion"] = resource_version
        path = self.path(resource, namespace) + "?" + urllib.parse.urlencode(query)
        connection = self._new_connection(seconds + self.patience)
        try:
            connection.request("GET", path, headers=self._headers("application/json"))
            answer = connection.getresponse()
            if answer.status != 200:
                self._parsed(answer, answer.read(), f"GET {path}")
            for line in answer:
                yield json.loads(line)
        finally:
            connection.close()


def resource_definition(kind, version, plural=None, schema=None):
    """Of a resource whose operator is not here: its objects may hold anything, or what the schema has."""
    group, name = version.split("/")
    plural = plural or f"{kind.lower()}s"
    schema = schema or {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            # The API server wants to know who approved a resource of a protected group, such as JobSet's.
            "metadata": {"name": f"{plural}.{group}",
                         "annotations": {"api-approved.kubernetes.io": "unapproved, a test"}},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
                     "versions": [{"name": name, "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}]}}


def wait_for(question, what, seconds=PATIENCE_S, check=lambda: None):
    """Asks until the answer is true and returns it. Errors of the API count as no; `check` may end the wait."""
    began, last = time.monotonic(), None
    while time.monotonic() < began + seconds:
        check()
        asked = time.monotonic()
        try:
            last = question()
            if last:
                return last
        except (ApiError, OSError, http.client.HTTPException) as error:
            last = error
        time.sleep(max(0.05, time.monotonic() - asked))  # what is long to answer is asked less often
    raise TimeoutError(f"after {seconds} s still waiting for {what}; last answer: {last}")
