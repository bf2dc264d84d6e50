"""Speaks to the control plane: requests to the API server, raw values in etcd, CRDs that come and go.

Knows no Kopf and judges nothing: it answers with what the server said.
"""

import base64
import dataclasses
import http.client
import json
import ssl
import time
import urllib.parse

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SERVED_SECONDS = 60


@dataclasses.dataclass
class Answer:
    """One answer: status code, body (parsed JSON), and the texts of its Warning headers."""

    code: int
    body: object
    warnings: list


class Server:
    """A kept connection to the API server and one to etcd. One per thread."""

    def __init__(self, plane):
        self.plane = plane
        context = ssl.create_default_context(cafile=plane.ca)
        context.check_hostname = False
        at = urllib.parse.urlsplit(plane.server)
        self.api = http.client.HTTPSConnection(at.hostname, at.port, timeout=60, context=context)
        at = urllib.parse.urlsplit(plane.etcd)
        self.etcd = http.client.HTTPConnection(at.hostname, at.port, timeout=60)

    def ask(self, method, path, body=None, kind="application/json"):
        """Sends one request; `body` is a value (sent as JSON) or text (sent as it is)."""
        data = body if isinstance(body, (str, bytes, type(None))) else json.dumps(body)
        data = data.encode() if isinstance(data, str) else data
        headers = {"Authorization": f"Bearer {self.plane.token}", "Accept": "application/json", "Content-Type": kind}
        status, answered, text = exchange(self.api, method, path, data, headers)
        try:
            parsed = json.loads(text) if text else None
        except ValueError:
            parsed = text.decode(errors="replace")
        return Answer(status, parsed, [unquoted(it) for it in answered.get_all("Warning") or []])

    def stored(self, key):
        """The value that etcd has under a key, parsed; None without one."""
        answer = self.etcd_ask("range", {"key": encoded(key)})
        found = answer.get("kvs")
        return json.loads(base64.b64decode(found[0]["value"])) if found else None

    def store(self, key, value):
        """Writes a value into etcd behind the API server's back."""
        text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
        self.etcd_ask("put", {"key": encoded(key), "value": encoded(text)})

    def etcd_ask(self, verb, body):
        """One call of etcd's JSON gateway."""
        status, _, text = exchange(self.etcd, "POST", f"/v3/kv/{verb}", json.dumps(body).encode(), {})
        if status != 200:
            raise RuntimeError(f"etcd: {verb}: {status}: {text[:200]}")
        return json.loads(text)


def exchange(connection, method, path, data, headers):
    """Sends and reads; opens the connection again once when the other side had closed it."""
    for last in (False, True):
        try:
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (http.client.RemoteDisconnected, ConnectionError, http.client.CannotSendRequest):
            connection.close()
            if last:
                raise
    raise AssertionError("the loop returns or raises")


def encoded(text):
    """etcd's gateway speaks base64."""
    return base64.b64encode(text.encode()).decode()


def unquoted(header):
    """The text of a Warning header: `299 - "text"`."""
    quoted = header.partition('"')[2].rpartition('"')[0]
    return quoted.replace('\\"', '"').replace("\\\\", "\\")


def causes(body):
    """The causes of a refusal, as the model prints them."""
    details = (body.get("details") or {}).get("causes") or [] if isinstance(body, dict) else []
    found = [{"field": it.get("field", ""), "type": it.get("reason", ""), "detail": detail(it)} for it in details]
    return sorted(found, key=lambda it: (it["field"], it["type"], it["detail"]))


def detail(cause):
    """The text of a cause. One about a patch quotes the whole patched object, which differs from server to server."""
    text = cause.get("message", "")
    if cause.get("field") == "patch" and text.startswith("Invalid value: "):
        text = text.rpartition('}": ')[2]
    return trimmed(text)


def trimmed(text):
    """Long texts are compared by their beginning, as the recorded vectors have them."""
    raw = text.encode()
    return raw[:600].decode(errors="ignore") + "..." if len(raw) > 600 else text


def create_crd(server, crd, kind="application/json", dry=False):
    """POST of a CRD (a value, or text of the given kind)."""
    return server.ask("POST", CRDS + ("?dryRun=All" if dry else ""), crd, kind)


def put_crd(server, crd, storage, uid):
    """Writes a CRD that the server would refuse into etcd, as an old server would have left it."""
    stamp = "2023-11-14T22:13:20Z"
    accepted = [{"type": it, "status": "True", "reason": "Old", "message": "", "lastTransitionTime": stamp}
                for it in ("NamesAccepted", "Established")]  # fmt: skip
    metadata = {**crd["metadata"], "uid": uid, "creationTimestamp": stamp, "generation": 1}
    status = {"conditions": accepted, "acceptedNames": crd["spec"]["names"], "storedVersions": [storage]}
    name = crd["metadata"]["name"]
    key = f"/registry/apiextensions.k8s.io/customresourcedefinitions/{name}"
    server.store(key, {**crd, "metadata": metadata, "status": status})
    return name


def wait_until_served(server, name):
    """Waits until a CRD is established and every served version answers; the CRD as the server has it."""
    deadline = time.monotonic() + SERVED_SECONDS
    while time.monotonic() < deadline:
        answer = server.ask("GET", f"{CRDS}/{name}")
        crd = answer.body
        conditions = (crd.get("status") or {}).get("conditions") or [] if answer.code == 200 else []
        if any(it["type"] == "Established" and it["status"] == "True" for it in conditions) and answers(server, crd):
            return crd
        time.sleep(0.05)
    raise RuntimeError(f"{name} was not served within {SERVED_SECONDS} seconds")


def answers(server, crd):
    """Whether every served version lists its objects."""
    served = [it["name"] for it in crd["spec"]["versions"] if it.get("served")]
    return all(server.ask("GET", collection(crd, it) + "?limit=1").code == 200 for it in served)


def delete_crd(server, name):
    """Asks for a CRD to go; the server takes its objects along in its own time."""
    server.ask("DELETE", f"{CRDS}/{name}", {"propagationPolicy": "Background"})


def collection(crd, version, namespace="default"):
    """The path of a CRD's objects in one version."""
    spec = crd["spec"]
    where = f"namespaces/{namespace}/" if spec["scope"] == "Namespaced" else ""
    return f"/apis/{spec['group']}/{version}/{where}{spec['names']['plural']}"


def etcd_key(crd, name, namespace="default"):
    """Where etcd has an object of a CRD."""
    spec = crd["spec"]
    where = f"{namespace}/" if spec["scope"] == "Namespaced" else ""
    return f"/registry/{spec['group']}/{spec['names']['plural']}/{where}{name}"
