"""Replays cases on the real server and compares every answer with the model's, field by field.

Decides only whether two answers are the same. What is compared: acceptance of the CRD with its errors and warnings;
for each request the code, reason, causes, warnings, the answered object, and the raw value in etcd.
"""

import concurrent.futures
import json
import queue
import re
import subprocess
import threading
import time

import api
import cases

STAMPS = ("uid", "creationTimestamp", "resourceVersion", "managedFields", "selfLink")
FIXED = {"uid": "00000000-0000-0000-0000-000000000001", "creationTimestamp": "2023-11-14T22:13:20Z", "generation": 1}
WORKERS = 16  # A create right after its CRD sleeps two seconds in the server, so most workers wait.


def ask_model(model, lines):
    """The model's answers, in the order of the lines. `model` is a command that reads and writes JSON lines."""
    text = "\n".join(json.dumps(it) for it in lines) + "\n"
    ran = subprocess.run(model, input=text, capture_output=True, text=True, timeout=900)
    found = [json.loads(it) for it in ran.stdout.splitlines() if it.strip()]
    if len(found) != len(lines):
        raise RuntimeError(f"{model[0]} gave {len(found)} answers to {len(lines)} lines (exit {ran.returncode}): {ran.stderr[-400:]}")
    return found


def replay(plane, model, wanted, first=0, deadline=None):
    """Replays cases and answers (how many were done, how many requests, the disagreements)."""
    described = ask_model(model, [{key: it[key] for key in ("id", "crd", "force_serve") if key in it} for it in wanted])
    runs = [cases.sequences(it, told) for it, told in zip(wanted, described)]
    flat = [{"id": case["id"], **run} for case, each in zip(wanted, runs) for run in each]
    answers = iter(ask_model(model, flat))
    jobs = [(case, [(run, next(answers)) for run in each]) for case, each in zip(wanted, runs)]
    servers = queue.SimpleQueue()
    for _ in range(WORKERS):
        servers.put(api.Server(plane))

    def work(numbered):
        number, (case, pairs) = numbered
        if deadline and time.monotonic() > deadline:
            return None
        server = servers.get()
        try:
            return Replayed(server, case, cases.group_of(first + number, case)).all(pairs)
        finally:
            servers.put(server)

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        done = [it for it in pool.map(work, enumerate(jobs)) if it is not None]
    return len(done), sum(it.requests for it in done), [line for it in done for line in it.different]


class Replayed:
    """One case on the server: what was sent, and where the answers differ."""

    def __init__(self, server, case, group):
        self.server = server
        self.case = case
        self.group = group
        self.requests = 0
        self.different = []

    def all(self, pairs):
        """Replays each run of the case."""
        try:
            accepted = self.crd(*pairs[0])
            steps = [it for it in pairs[1:] if it[0].get("steps")]
            if steps and (accepted or self.case.get("force_serve")):
                self.flows(steps)
        except (OSError, RuntimeError, LookupError, TypeError, ValueError, AttributeError) as error:
            self.differs("replay", "no failure", f"{type(error).__name__}: {error}")
        return self

    def differs(self, what, model, server):
        """Notes a disagreement."""
        if json.dumps(model, sort_keys=True) != json.dumps(server, sort_keys=True):
            shown = [json.dumps(it, sort_keys=True, ensure_ascii=False)[:1500] for it in (model, server)]
            self.different.append(f"{self.case['id']}: {what}\n    model:  {shown[0]}\n    server: {shown[1]}")

    def crd(self, run, told):
        """Asks the server about the CRD as it is, without storing it. Answers whether it is accepted."""
        described = told.get("crd") or {}
        unread = described.get("yaml_error") or described.get("decode_error")
        if not described.get("served_api") and not unread:
            return False  # v1beta1: there is no such endpoint any more.
        kind = "application/yaml" if isinstance(run["crd"], str) else "application/json"
        lax = self.ask("POST", api.CRDS + "?dryRun=All", run["crd"], kind)
        strict = self.ask("POST", api.CRDS + "?dryRun=All&fieldValidation=Strict", run["crd"], kind)
        if lax.code == 400:
            self.differs("CRD cannot be decoded", True, bool(unread))
            if described.get("decode_error"):
                self.differs("CRD decode error", unread, unread if unread in message(lax) else message(lax))
            return False
        self.differs("CRD can be decoded", None, unread)
        self.crd_errors(told, lax)
        unknown = described.get("strict_errors") or []
        unknown = unknown + (described.get("yaml_strict_errors") or [])
        self.differs("CRD refused under Strict for unknown fields", bool(unknown), strict.code == 400)
        missing = [it for it in unknown if unnumbered(it) not in unnumbered(message(strict))] if strict.code == 400 else []
        self.differs("CRD's unknown fields", [], missing and [*missing, message(strict)])
        if lax.code == 201:
            heard = [it for it in lax.warnings if it not in (described.get("strict_errors") or [])]
            heard = [it for it in heard if "already set in map" not in it]
            self.differs("CRD warnings", sorted(set(described.get("warnings") or [])), sorted(set(heard)))
        return lax.code == 201

    def crd_errors(self, told, lax):
        """Compares the errors of a refused CRD."""
        self.differs("CRD code", 422 if told.get("crd_errors") else 201, lax.code)
        heard = api.causes(lax.body) if lax.code == 422 else []
        expected = told.get("crd_errors") or []
        self.differs("CRD errors", kinds(expected), kinds(heard))
        for it in expected:
            mine = [one["detail"] for one in heard if (one["field"], one["type"]) == (it["field"], it["type"])]
            detail = api.trimmed(it["detail"])
            # The compiler of rules also prints the place in the rule; the model has the message alone.
            start, failed, essence = detail.partition("compilation failed: ")
            said = lambda one: one.endswith(detail) or one.endswith("...") or failed and start + failed in one and essence in one
            if not any(map(said, mine)):
                self.differs(f"CRD error at {it['field']}", detail, mine)

    def flows(self, pairs):
        """Stores the CRD under a group of its own, sends every flow, and asks for the CRD to go."""
        crd, told = self.renamed(pairs[0][0]["crd"]), pairs[0][1]
        name = self.store_crd(crd, told)
        stored = api.wait_until_served(self.server, name)
        try:
            for run, answer in pairs:
                steps = answer.get("steps") or []
                self.differs("steps answered", len(run["steps"]), len(steps))
                Flow(self, stored).all(run["steps"], steps)
        finally:
            api.delete_crd(self.server, name)

    def store_crd(self, crd, told):
        """Creates the CRD; one that the server would refuse is put into etcd, as an old server would have left it."""
        kind = "application/yaml" if isinstance(crd, str) else "application/json"
        if not self.case.get("force_serve"):
            created = self.ask("POST", api.CRDS, crd, kind)
            if created.code != 201:
                raise RuntimeError(f"the renamed CRD was refused: {created.body}")
            return self.renamed(created.body["metadata"]["name"])
        uid = f"{FIXED['uid'][:-6]}{abs(hash(self.group)) % 10**6:06}"
        return api.put_crd(self.server, crd, told["crd"]["storage_version"], uid)

    def renamed(self, value):
        """A value with the group that this case has on the server, so that many cases live on it at a time."""
        return json.loads(json.dumps(value).replace(*self.group))

    def named_back(self, value):
        """A value with the case's own group."""
        return json.loads(json.dumps(value).replace(*reversed(self.group)))

    def ask(self, method, path, body=None, kind="application/json"):
        """One request, its answer with the case's own group."""
        self.requests += 1
        answer = self.server.ask(method, path, body, kind)
        return api.Answer(answer.code, self.named_back(answer.body), self.named_back(answer.warnings))


class Flow:
    """One stored object and the requests to it."""

    def __init__(self, replayed, crd):
        self.on = replayed
        self.crd = crd
        self.storage = next(it["name"] for it in crd["spec"]["versions"] if it["storage"])
        self.key = None
        self.version = None  # resourceVersion of the last write
        self.writes = 0  # What the model counts instead

    def all(self, steps, told):
        """Sends the steps one by one and compares; the object is removed afterwards."""
        for number, (step, expected) in enumerate(zip(steps, told)):
            what = f"step {number} {step['op']} {step.get('endpoint', '')} {step.get('version', '')}".strip()
            if step["op"] == "set-crd":
                self.set_crd(step, expected, what)
            elif step["op"] == "etcd":
                self.put(step)
            elif expected["code"] != 409:  # A random flow creates again in case its first create was refused.
                self.request(step, expected, what)
        if self.key:
            self.on.server.etcd_ask("deleterange", {"key": api.encoded(self.key)})

    def request(self, step, expected, what):
        """One request and its comparison."""
        sent = self.on.renamed(step)
        method, body, kind = self.body(sent)
        path = api.collection(self.crd, sent.get("version") or self.storage)
        if sent["op"] != "create":
            path += "/" + self.name() + ("/status" if sent.get("endpoint") == "status" else "")
        if sent.get("field_validation"):
            path += f"?fieldValidation={sent['field_validation']}"
        answer = self.on.ask(method, path, body, kind)
        if sent["op"] == "create" and answer.code == 201:
            self.key = api.etcd_key(self.crd, answer.body["metadata"]["name"])
        self.compare(step, expected, answer, what)

    def body(self, sent):
        """Method, body and content type of a step."""
        kinds = {"merge-patch": "application/merge-patch+json", "json-patch": "application/json-patch+json"}
        if sent["op"] == "get":
            return "GET", None, "application/json"
        if sent["op"] in kinds:
            return "PATCH", sent.get("raw_body") or json.dumps(self.current(sent["patch"])), kinds[sent["op"]]
        body = sent.get("raw_body") or self.filled(sent.get("object"), sent.get("version") or self.storage)
        if sent["op"] == "update" and isinstance(body.get("metadata"), dict):
            current = self.on.server.stored(self.key) if self.key else None
            if current:
                read = self.on.server.ask("GET", api.collection(self.crd, self.storage) + "/" + self.name())
                if read.code == 200:
                    body["metadata"].setdefault("resourceVersion", read.body["metadata"]["resourceVersion"])
        return "PUT" if sent["op"] == "update" else "POST", body, "application/json"

    def current(self, patch):
        """A JSON patch that tests the resourceVersion, with the one that the model's count stands for."""
        for it in patch if isinstance(patch, list) else []:
            if isinstance(it, dict) and it.get("path") == "/metadata/resourceVersion" and it.get("value") == str(self.writes):
                it["value"] = self.version
        return patch

    def filled(self, thing, version):
        """An object with the parts that cases leave out."""
        thing = dict(thing or {})
        thing.setdefault("apiVersion", f"{self.crd['spec']['group']}/{version}")
        thing.setdefault("kind", self.crd["spec"]["names"]["kind"])
        thing.setdefault("metadata", {})
        if isinstance(thing["metadata"], dict) and "name" not in thing["metadata"]:
            thing["metadata"] = {**thing["metadata"], "name": "obj"}
        return thing

    def name(self):
        """The name of the stored object."""
        return self.key.rpartition("/")[2] if self.key else "obj"

    def put(self, step):
        """Writes the object into etcd, with the metadata that every stored object has."""
        sent = self.on.renamed(step)
        thing = self.filled(sent.get("object"), sent.get("version") or self.storage)
        if isinstance(thing["metadata"], dict):
            extra = {**FIXED, "namespace": "default"} if self.crd["spec"]["scope"] == "Namespaced" else FIXED
            thing["metadata"] = {**extra, **thing["metadata"]}
            self.key = api.etcd_key(self.crd, thing["metadata"]["name"])
        self.version = None
        self.on.server.store(self.key, thing)

    def set_crd(self, step, expected, what):
        """Replaces the CRD and waits until the server's handler has seen it."""
        name = self.crd["metadata"]["name"]
        current = self.on.server.ask("GET", f"{api.CRDS}/{name}").body
        wanted = self.on.renamed(step["crd"])
        wanted["metadata"]["resourceVersion"] = current["metadata"]["resourceVersion"]
        answer = self.on.ask("PUT", f"{api.CRDS}/{name}", wanted)
        self.on.differs(f"{what}: code", expected["code"], answer.code)
        if answer.code == 200:
            time.sleep(2)  # Nothing tells when a changed schema is in use.
            self.crd = api.wait_until_served(self.on.server, name)
            self.storage = next(it["name"] for it in self.crd["spec"]["versions"] if it["storage"])

    def compare(self, step, expected, answer, what):
        """Compares one answer, and the raw value in etcd after a write."""
        differs = self.on.differs
        differs(f"{what}: code", expected["code"], answer.code)
        if expected["code"] != answer.code:
            differs(f"{what}: message", expected.get("message") or expected.get("causes"), message(answer))
            return
        differs(f"{what}: warnings", unratcheted(expected.get("warnings")), unratcheted(answer.warnings))
        if answer.code == 404:
            return  # A version that is not served has no handler, so there is no reason to compare.
        if answer.code == 500:
            # How a stored object that cannot be read is wrapped up, with its revision, is etcd's matter.
            said = " ".join([message(answer), *(it["detail"] for it in api.causes(answer.body))])
            differs(f"{what}: message", True, expected.get("message", "").removesuffix("...") in said or said)
            return
        if answer.code >= 400:
            differs(f"{what}: reason", expected.get("reason", ""), answer.body.get("reason", ""))
            differs(f"{what}: causes", sorted_causes(expected.get("causes")), api.causes(answer.body))
            if answer.code == 400 and expected.get("message"):
                differs(f"{what}: message", True, expected["message"].removesuffix("...") in message(answer) or message(answer))
            return
        differs(f"{what}: object", bare(expected.get("object")), bare(answer.body))
        if step["op"] == "get":
            return
        stored = self.on.named_back(self.on.server.stored(self.key))
        differs(f"{what}: etcd", bare(expected.get("etcd")), bare(stored))
        written = answer.body["metadata"]["resourceVersion"]
        if self.version and expected.get("wrote"):  # Field owners, which the model lacks, may change without anything else.
            differs(f"{what}: wrote", True, written != self.version)
        self.writes += written != self.version
        self.version = written


def unnumbered(text):
    """A text without line numbers: a decoder that reads JSON has none."""
    return re.sub(r"line \d+: ", "", text)


def unratcheted(warnings):
    """Warnings in a fixed order, without those about CEL rules that fail and are tolerated: the vectors lack them."""
    return sorted(it for it in warnings or [] if not re.match(r"\S+: (Invalid value|Forbidden|Required value|Duplicate)", it))


def kinds(errors):
    """Fields and types of errors."""
    return sorted({(it["field"], it["type"]) for it in errors})


def message(answer):
    """The text of an answer that says no."""
    return answer.body.get("message", "") if isinstance(answer.body, dict) else str(answer.body)


def sorted_causes(found):
    """Causes in a fixed order."""
    return sorted(found or [], key=lambda it: (it["field"], it["type"], it["detail"]))


def bare(thing):
    """An object without what differs from server to server: identity, times, versions, field owners."""
    if not isinstance(thing, dict) or not isinstance(thing.get("metadata"), dict):
        return thing
    return {**thing, "metadata": {key: it for key, it in thing["metadata"].items() if key not in STAMPS}}
