"""A Rust controller and Kopf write one status: replace, merge patch and server-side apply, with the bodies that
`Kopf<Status>` makes (`round_trip.rs`).

Kopf writes again between the controller's read and its write, so a body that holds Kopf's state would be seen to
undo it.
"""

import json
import subprocess

import api

CRD = "widgets.example.com"
FIRST = {"kopf": {"progress": {"create_fn": {"retries": 1, "success": False, "started": "2026-01-01T12:00:00+00:00"}},
                  "dummy": "2026-01-01T12:00:00+00:00"}, "create_fn": {"m": {"n": [1]}}}  # fmt: skip
SECOND = {"kopf": {"progress": {"create_fn": {"retries": 2}}, "dummy": "2026-01-01T12:01:00+00:00"}}
MERGE, APPLY = "application/merge-patch+json", "application/apply-patch+yaml"


def run_all(plane, root):
    """Answers the counts and the disagreements."""
    server, different = api.Server(plane), []
    crd = example(root, "")
    created = api.create_crd(server, crd)
    if created.code != 201 or created.warnings:
        return {"writes": 0}, [f"the derived CRD: {created.code} {created.body} {created.warnings}"]
    crd = api.wait_until_served(server, CRD)
    try:
        for name, check in (("replace", replaced), ("merge_patch", patched), ("apply", applied)):
            different += [f"{name}: {it}" for it in check(server, crd, root, name.replace("_", "-"))]
    finally:
        api.delete_crd(server, CRD)
    return {"writes": 3}, different


def example(root, text):
    """What the example prints for a status; the CRD for nothing."""
    command = ["cargo", "run", "-q", "--offline", "--all-features", "--example", "round_trip"]
    return json.loads(subprocess.run(command, cwd=root, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout)


def read(server, crd, name):
    """An object that the controller owns `phase` and `reason` of, and Kopf the rest; as the controller reads it."""
    path = f"{api.collection(crd, 'v1')}/{name}"
    body = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}}
    server.ask("POST", api.collection(crd, "v1"), {**body, "spec": {"size": 1}})
    typed = {**body, "status": {"phase": "Old", "reason": "none"}}
    server.ask("PATCH", f"{path}/status?fieldManager=rust&force=true", typed, APPLY)
    server.ask("PATCH", f"{path}/status?fieldManager=kopf", {"status": FIRST}, MERGE)
    return path, server.ask("GET", path).body


def status_is(answer, wanted):
    """The disagreement, if any."""
    found = answer.body.get("status") if isinstance(answer.body, dict) else answer.body
    return [] if answer.code == 200 and found == wanted else [f"{answer.code}: {json.dumps(found)}, not {json.dumps(wanted)}"]


def merged(base, patch):
    """A merge patch without nulls, applied."""
    both = isinstance(base, dict) and isinstance(patch, dict)
    return {**base, **{key: merged(base.get(key), it) for key, it in patch.items()}} if both else patch


def replaced(server, crd, root, name):
    """The whole status goes back as it was read; a stale one is refused, and nothing is lost."""
    path, stale = read(server, crd, name)
    body = {**stale, **example(root, json.dumps(stale["status"]))["replace"]}
    server.ask("PATCH", f"{path}/status?fieldManager=kopf", {"status": SECOND}, MERGE)
    refused = server.ask("PUT", f"{path}/status", body)
    found = [] if refused.code == 409 else [f"a stale write: {refused.code}"]
    fresh = server.ask("GET", path).body
    server.ask("PUT", f"{path}/status", {**fresh, **example(root, json.dumps(fresh["status"]))["replace"]})
    return found + status_is(server.ask("GET", path), merged({"phase": "New", **FIRST}, SECOND))


def patched(server, crd, root, name):
    """Only the typed part travels: what Kopf wrote since stands, what the controller cleared is gone."""
    path, stale = read(server, crd, name)
    body = example(root, json.dumps(stale["status"]))["merge_patch"]
    server.ask("PATCH", f"{path}/status?fieldManager=kopf", {"status": SECOND}, MERGE)
    server.ask("PATCH", f"{path}/status?fieldManager=rust", body, MERGE)
    return status_is(server.ask("GET", path), merged({"phase": "New", **FIRST}, SECOND))


def applied(server, crd, root, name):
    """Only the typed part is applied and owned; what the controller no longer applies is gone."""
    path, stale = read(server, crd, name)
    body = example(root, json.dumps(stale["status"]))["apply"]
    server.ask("PATCH", f"{path}/status?fieldManager=kopf", {"status": SECOND}, MERGE)
    whole = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}, **body}
    server.ask("PATCH", f"{path}/status?fieldManager=rust&force=true", whole, APPLY)
    answer = server.ask("GET", path)
    found = status_is(answer, merged({"phase": "New", **FIRST}, SECOND))
    owned = [it["fieldsV1"].get("f:status", {}) for it in answer.body["metadata"]["managedFields"] if it["manager"] == "rust"]
    return found + [f"the controller owns {json.dumps(it)}" for it in owned if "f:kopf" in it or "f:create_fn" in it]
