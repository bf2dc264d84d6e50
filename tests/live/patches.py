"""Patches CRDs on the real server as our command `patch` says, and sees that they keep afterwards what they lost before.

The same patch a second time must be refused: its tests see that the CRD has another shape.
"""

import concurrent.futures
import json
import subprocess
import time

import api
import judged
import witness

WORKERS = 8
FLAGS = ["--results", "none"]


def replay_all(plane, binary, paths, deadline=None):
    """Patches every CRD below `paths` that loses something. Answers with counts and the disagreements."""
    report = judged.check(binary, paths, FLAGS)
    files = [it["file"] for it in report["crds"]]
    # A misspelt word that the file has and the server drops: the tests of such a patch refuse, as they should.
    words = {it["file"] for it in report["diagnostics"] if it["rule"].startswith("mis")}
    alone = [it for it in report["crds"] if it["accepted"] and files.count(it["file"]) == 1 and losses(it)]

    def work(numbered):
        if deadline and time.monotonic() > deadline:
            return None
        return Patched(plane, binary, *numbered, words).all()

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        done = list(pool.map(work, enumerate(alone)))
    ran = [it for it in done if it]
    counts = {"CRDs patched": sum(it.patched for it in ran), "writes kept afterwards": sum(it.kept for it in ran)}
    counts |= {"CRDs that no patch mends": sum(not it.patched for it in ran), "CRDs left out for lack of time": len(done) - len(ran)}
    return counts, [line for it in ran for line in it.different]


def losses(crd):
    """The slots of the handled version that are lost in silence, with that version."""
    handled = [it for it in crd["versions"] if it["handled"]]
    return [(version, slot) for version in handled for slot in version["slots"] if slot["fate"] == "pruned"]


class Patched(witness.Witnessed):
    """One CRD, patched on the server."""

    def __init__(self, plane, binary, number, told, words):
        super().__init__(plane, number, told)
        self.binary = binary
        self.has_words = told["file"] in words
        self.patched = 0
        self.kept = 0

    def all(self):
        """Asks for the patch, applies it twice, and writes what was lost."""
        try:
            operations = self.operations()
            if operations:
                self.on_server(operations)
        except (OSError, RuntimeError, LookupError, ValueError) as error:
            self.different.append(f"{self.told['file']} {self.told['name']}: {type(error).__name__}: {error}")
        return self

    def operations(self):
        """The patch; none where something stays lost."""
        command = [*self.binary, "patch", "--format=json", *FLAGS, self.told["file"]]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return json.loads(ran.stdout or "[]") if ran.returncode == 0 else []

    def on_server(self, operations):
        """Creates the CRD in a group of its own, patches it, and writes."""
        # What the spec asks for is no matter of the patch.
        crd = witness.opened(self.load())
        group = crd["spec"]["group"]
        crd = json.loads(json.dumps(crd).replace(group, f"p{self.number}.{group}"))
        created = api.create_crd(self.server, crd)
        if created.code != 201:
            raise RuntimeError(f"the CRD was refused: {created.body.get('message')}")
        name = crd["metadata"]["name"]
        api.wait_until_served(self.server, name)
        wanted = [422] if self.has_words else [200, 422]
        try:
            if not self.expect(name, operations, wanted) or self.has_words:
                return
            self.patched = 1
            crd = api.wait_until_served(self.server, name)
            for version, slot in losses(self.told):
                self.write(crd, version, slot)
        finally:
            api.delete_crd(self.server, name)

    def expect(self, name, operations, wanted):
        """Sends the patch of the CRD as often as there are wanted codes; whether they are the answers."""
        path = f"{api.CRDS}/{name}"
        codes = [self.server.ask("PATCH", path, operations, "application/json-patch+json").code for _ in wanted]
        if codes != wanted:
            self.different.append(f"{self.told['file']} {name}: the patch answers {codes}, expected {wanted}")
        return codes == wanted

    def write(self, crd, version, slot):
        """Sends what was lost before; the server takes up a changed schema in its own time."""
        path = api.collection(crd, version["name"]) + "/example"
        until = time.monotonic() + api.SERVED_SECONDS
        missing = None
        while time.monotonic() < until:
            self.put_empty(crd)
            for where, patch in witness.requests(slot["witness"]["patch"], version["status_subresource"]):
                self.server.ask("PATCH", path + where, patch, "application/merge-patch+json")
            missing = lacking(slot["witness"]["patch"], self.server.ask("GET", path).body)
            if missing is None:
                self.kept += 1
                return
            time.sleep(0.3)
        self.different.append(f"{self.told['file']} {self.told['name']} {slot['slot']}: patched, and still without {missing}")


def lacking(patch, stored, path=""):
    """The first place of a merge patch that is not in what is stored; None if all is there. Nulls take away."""
    if not isinstance(patch, dict):
        return None if patch == stored else path
    if not isinstance(stored, dict):
        return path
    found = (lacking(it, stored.get(key), f"{path}.{key}") for key, it in patch.items() if it is not None)
    return next((it for it in found if it is not None), None)
