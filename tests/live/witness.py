"""Sends the witnesses of our findings to the real server, and compares what it stores with what they say.

A witness says: send this merge patch to an object with no status, and this is stored. The CRD gets a group of its own.
Where an object without a spec is invalid from the start, the spec is left open, since the witness is about the status.
"""

import concurrent.futures
import json
import re
import subprocess
import time

import api
import judged
import observe
import replay
import scenarios

WORKERS = 12
# PyYAML comes with Kopf. Timestamps stay texts, as the server reads them.
EXTRACT = """
import json, sys, yaml
class Plain(yaml.SafeLoader): pass
Plain.yaml_implicit_resolvers = {
    first: [it for it in found if not it[0].endswith("timestamp")]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
print(json.dumps(list(yaml.load_all(open(sys.argv[1]), Plain))))
"""


def replay_all(plane, binary, paths, deadline=None, flags=()):
    """Replays the witnesses of all findings below `paths`. Answers with counts and the disagreements."""
    report = judged.check(binary, paths, list(flags))
    jobs = list(enumerate(report["crds"]))

    def work(numbered):
        if deadline and time.monotonic() > deadline:
            return None
        return Witnessed(plane, *numbered).all()

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        done = list(pool.map(work, jobs))
    ran = [it for it in done if it]
    counts = {"CRDs": len(ran), "witnesses replayed": sum(it.replayed for it in ran)}
    counts |= {"of these with the spec left open": sum(it.opened for it in ran), "CRDs left out for lack of time": len(done) - len(ran)}
    return counts, [line for it in ran for line in it.different]


def witnesses(crd):
    """The versions and slots of a CRD that have a witness."""
    return [(version, slot) for version in crd["versions"] for slot in version["slots"] if slot.get("witness")]


class Witnessed:
    """The witnesses of one CRD."""

    def __init__(self, plane, number, told):
        self.server = api.Server(plane)
        self.told = told
        self.number = number
        self.replayed = 0
        self.opened = 0
        self.different = []

    def all(self):
        """Compares acceptance, then creates the CRD and replays each witness; at need on a CRD with an open spec."""
        try:
            crd = self.load()
            accepted = not crd["apiVersion"].endswith("/v1") or self.acceptance(crd)
            wanted = witnesses(self.told) if accepted else []
            if wanted and (crd["spec"].get("conversion") or {}).get("strategy") == "Webhook":
                # Nobody answers the webhook, so other versions can neither be read nor written.
                wanted = [it for it in wanted if it[0]["storage"]]
            left = self.on(crd, "w", wanted) if wanted else []
            if left:
                self.opened = len(left)
                left = self.on(opened(crd), "o", left)
            for _, slot in left:
                self.differs(slot, "comparable", "an object without a spec is invalid")
        except (OSError, RuntimeError, LookupError, TypeError, ValueError, AttributeError) as error:
            self.different.append(f"{self.told['file']} {self.told['name']}: {type(error).__name__}: {error}")
        return self

    def acceptance(self, crd):
        """Compares whether the CRD is accepted, and the refusals."""
        answer = api.create_crd(self.server, crd, dry=True)
        said = replay.kinds(self.told["refusals"])
        heard = replay.kinds(api.causes(answer.body)) if answer.code == 422 else []
        undecided = self.told.get("unknown")
        if not undecided and ((answer.code == 201) != self.told["accepted"] or said != heard):
            where = f"{self.told['file']} {self.told['name']}"
            text = answer.body.get("message") if answer.code != 201 else "accepted"
            self.different.append(f"{where}: accepted: {self.told['accepted']}, refusals {said}; the server: {text}"[:1500])
        return answer.code == 201

    def differs(self, slot, said, answered):
        """Notes a disagreement."""
        if json.dumps(said, sort_keys=True) != json.dumps(answered, sort_keys=True):
            where = f"{self.told['file']} {self.told['name']} {slot['slot']} {slot['path']}"
            texts = [json.dumps(it, sort_keys=True)[:1200] for it in (said, answered)]
            patch = json.dumps(slot["witness"]["patch"])[:600]
            self.different.append(f"{where}\n    witness: {texts[0]}\n    server:  {texts[1]}\n    patch: {patch}")

    def load(self):
        """The CRD as a value: read by the server itself, or by PyYAML where the server does not take the document."""
        text = documents(self.told["file"])[self.told["document"] - 1]
        answer = api.create_crd(self.server, text, "application/yaml", dry=True)
        if answer.code == 201 and answer.body["metadata"]["name"] == self.told["name"]:
            return {key: answer.body[key] for key in ("apiVersion", "kind", "spec")} | {"metadata": bare(answer.body["metadata"])}
        python = observe.virtualenv(scenarios.NEWEST).replace("/bin/kopf", "/bin/python")
        ran = subprocess.run([python, "-c", EXTRACT, self.told["file"]], capture_output=True, text=True, timeout=60)
        for it in flat(json.loads(ran.stdout or "[]")):
            if it.get("metadata", {}).get("name") == self.told["name"]:
                return it
        raise RuntimeError(f"the CRD cannot be read: {answer.body}")

    def on(self, crd, letter, wanted):
        """Replays witnesses on one CRD; answers with those that cannot be compared on it."""
        group = crd["spec"]["group"]
        text = json.dumps(crd)
        crd = json.loads(text.replace(group, f"{letter}{self.number}.{group}"))
        if crd["apiVersion"].endswith("/v1"):
            created = api.create_crd(self.server, crd)
            if created.code != 201:
                raise RuntimeError(f"the CRD was refused: {created.body.get('message')}")
        else:
            storage = next(it["name"] for it in self.told["versions"] if it["storage"])
            api.put_crd(self.server, crd, storage, f"00000000-0000-0000-0001-{self.number:012}")
        crd = api.wait_until_served(self.server, crd["metadata"]["name"])
        try:
            return [it for it in wanted if not self.witness(crd, *it)]
        finally:
            api.delete_crd(self.server, crd["metadata"]["name"])

    def witness(self, crd, version, slot):
        """Replays one witness. False when the object was invalid before, so that nothing can be told."""
        self.put_empty(crd)
        path = api.collection(crd, version["name"]) + "/example"
        parts = requests(slot["witness"]["patch"], version["status_subresource"])
        kind = "application/merge-patch+json"
        refused = []
        for where, patch in parts:
            known = api.causes(self.server.ask("PATCH", path + where, {}, kind).body)
            answer = self.server.ask("PATCH", path + where, patch, kind)
            causes = [it for it in api.causes(answer.body) if it not in known] if answer.code == 422 else []
            if answer.code not in (200, 422) or answer.code == 422 and not causes:
                return False
            refused += causes
        self.replayed += 1
        self.differs(slot, replay.kinds(slot["errors"]), replay.kinds(refused))
        details = [it["detail"] for it in refused]
        for it in slot["errors"]:
            if not any(one.endswith(api.trimmed(it["detail"])) or one.endswith("...") for one in details):
                self.differs(slot, it["detail"], details)
        read = self.server.ask("GET", path).body
        self.differs(slot, slot["witness"]["stored"], same_parts(slot["witness"]["patch"], read))
        return True

    def put_empty(self, crd):
        """An object as it is before the operator has touched it, straight into etcd."""
        storage = next(it["name"] for it in crd["spec"]["versions"] if it["storage"])
        thing = {"apiVersion": f"{crd['spec']['group']}/{storage}", "kind": crd["spec"]["names"]["kind"]}
        thing["metadata"] = {"name": "example", "uid": "00000000-0000-0000-0000-000000000001"}
        thing["metadata"] |= {"creationTimestamp": "2023-11-14T22:13:20Z", "generation": 1}
        if crd["spec"]["scope"] == "Namespaced":
            thing["metadata"]["namespace"] = "default"
        self.server.store(api.etcd_key(crd, "example"), thing)


def requests(patch, status_subresource):
    """The requests that Kopf makes of a patch: the body first, then the status where it is an endpoint of its own."""
    if not status_subresource:
        return [("", patch)]
    body = {key: it for key, it in patch.items() if key != "status"}
    parts = [("", body)] if body else []
    return parts + ([("/status", {"status": patch["status"]})] if "status" in patch else [])


def same_parts(patch, stored):
    """The top-level fields that the patch speaks of, as they are stored; of metadata only what was written."""
    found = {}
    for key, value in patch.items():
        if key in stored:
            found[key] = same_parts(value, stored[key]) if key == "metadata" else stored[key]
    return found


def opened(crd):
    """The same CRD with nothing asked of the spec and of the root."""
    crd = json.loads(json.dumps(crd))
    for version in crd["spec"]["versions"]:
        root = version["schema"]["openAPIV3Schema"]
        for key in ("required", "x-kubernetes-validations"):
            root.pop(key, None)
        root.setdefault("properties", {})["spec"] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return crd


def bare(metadata):
    """What a person writes of metadata."""
    return {key: it for key, it in metadata.items() if key in ("name", "labels", "annotations")}


def documents(path):
    """The texts of the documents of a file; those with comments alone do not count."""
    with open(path, encoding="utf-8") as text:
        found = re.split(r"(?m)^---(?:\s.*)?$", text.read())
    return [it for it in found if re.search(r"(?m)^\s*[^#\s]", it)]


def flat(values):
    """Objects, and the items of lists of objects."""
    for it in values:
        if isinstance(it, dict):
            yield from flat(it["items"]) if isinstance(it.get("items"), list) else [it]
