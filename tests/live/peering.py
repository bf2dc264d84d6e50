"""Two operators that should see each other through a peering object: with one paused, an object is handled once.

The peering resource has a name that Kopf fixes, so these runs come one after the other.
"""

import pathlib
import tempfile
import time

import api
import judged
import observe
import scenarios
import yaml_text

GROUP, PLURAL = "kopf.dev", "clusterkopfpeerings"
NAMES = {"plural": PLURAL, "singular": "clusterkopfpeering", "kind": "ClusterKopfPeering", "listKind": "ClusterKopfPeeringList"}
PEERINGS = [
    ("peering-bare", scenarios.BARE, "unseen"),
    ("peering-absent", None, "unseen"),
    ("peering-typed", {"type": "object", "additionalProperties": scenarios.typed(
        priority={"type": "integer"}, lifetime={"type": "integer"}, lastseen=scenarios.STRING)}, "works"),
    ("peering-open", scenarios.OPEN, "works"),
]  # fmt: skip


def run_all(plane, binary, can):
    """Runs each peering, and again after `fix`. Answers (runs, runs after a fix, disagreements)."""
    runs, fixes, different = 0, 0, []
    for number, (name, status, wanted) in enumerate(PEERINGS):
        with tempfile.TemporaryDirectory(prefix="kopf-crd-peering-") as folder:
            path = pathlib.Path(folder, "crd.yaml")
            versions = [yaml_text.version("v1", status, True, False)]
            path.write_text(yaml_text.document(GROUP, PLURAL, NAMES, "Cluster", versions))
            seen, shown = observed(plane, path.read_text(), folder, f"p{number}a.example.com")
            runs += 1
            if seen != wanted:
                different.append(f"{name}: seen: {seen}, the table says {wanted}; {shown}")
            if can["check"]:
                stated = judged.effects(judged.check(binary, [path], []), "v1")
                if seen not in (judged.predicted(stated, "") or {"works"}):
                    different.append(f"{name}: verdict: seen: {seen}; stated: {stated or 'nothing'}")
            if can["fix"] and wanted != "works":
                changed = judged.fix(binary, path, [])
                seen, shown = observed(plane, path.read_text(), folder, f"p{number}b.example.com") if changed else ("unchanged", "")
                fixes += 1
                if seen != "works":
                    different.append(f"{name}: fixed, but seen: {seen}; {shown}\n{path.read_text()}")
    return runs, fixes, different


def observed(plane, text, folder, group):
    """`works` when one operator of two handles an object, `unseen` when both do; and the calls for people."""
    server = api.Server(plane)
    things = yaml_text.crd({"status": scenarios.OPEN}, group)
    for crd in (text, things):
        created = api.create_crd(server, crd, "application/yaml")
        if created.code != 201:
            raise RuntimeError(f"the CRD was refused: {created.body}")
    peers = api.wait_until_served(server, f"{PLURAL}.{GROUP}")
    crd = api.wait_until_served(server, f"things.{group}")
    server.ask("POST", api.collection(peers, "v1"), {"apiVersion": f"{GROUP}/v1", "kind": NAMES["kind"], "metadata": {"name": "default"}})
    operators = []
    try:
        for priority in (100, 10):
            home = pathlib.Path(folder, f"{group}-{priority}")
            home.mkdir()
            handlers = [{"on": "create", "id": "create_fn"}]
            scenario = {"group": group, "handlers": handlers, "kopf": scenarios.NEWEST, "peering": "default", "priority": priority}
            operators.append(observe.launch(plane, scenario, str(home)))
            observe.wait_for_startup(*operators[-1])
            time.sleep(2)  # Until its presence is written, and seen by the other.
        body = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": "obj"}, "spec": {"a": 1}}
        server.ask("POST", api.collection(crd, "v1"), body)
        time.sleep(3)
        calls = [observe.names(observe.noted(it[1])[1:]) for it in operators]
    finally:
        for process, _, _ in operators:
            observe.quit_operator(process)
        observe.forget(server, crd)
        forget_peers(server, peers)
    return {1: "works", 2: "unseen"}.get(sum(bool(it) for it in calls), "unhandled"), f"calls {calls}"


def forget_peers(server, peers):
    """Removes the peering resource and waits until its name is free."""
    name = peers["metadata"]["name"]
    server.etcd_ask("deleterange", {"key": api.encoded(api.etcd_key(peers, "default"))})
    api.delete_crd(server, name)
    deadline = time.monotonic() + 30
    while server.ask("GET", f"{api.CRDS}/{name}").code != 404 and time.monotonic() < deadline:
        time.sleep(0.2)
