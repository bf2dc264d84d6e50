"""Turns cases (recorded or random) into sequences of requests, in the line format of the vectors.

A case that only says "this CRD, this object" becomes the requests that a client would send. The sequences go to the
model and to the server alike, so both answer the same question.
"""

import json


def sequences(case, described):
    """The runs of one case: lines with a CRD and steps. `described` is what the model says of the CRD.

    The first line has no steps: it asks about the CRD alone.
    """
    base = {key: case[key] for key in ("crd", "force_serve") if key in case}
    runs = [dict(base)]
    if described.get("crd_errors") and not case.get("force_serve"):
        return runs
    flows = [case["steps"]] if "steps" in case else []
    if isinstance(case.get("object"), dict):
        flows += from_check(case, described)
    return runs + [{**base, "steps": [complete(it, case["crd"], described["crd"]) for it in flow]} for flow in flows]


def complete(step, crd, described):
    """Fills in what a case leaves out of an object: both sides then see the same bytes, numbers spelled alike."""
    if not isinstance(step.get("object"), dict) or not isinstance(crd, dict) or "raw_body" in step:
        return step
    spec = crd["spec"]
    thing = dict(step["object"])
    thing.setdefault("apiVersion", f"{spec['group']}/{step.get('version') or described.get('storage_version')}")
    thing.setdefault("kind", spec["names"]["kind"])
    thing.setdefault("metadata", {})
    if isinstance(thing["metadata"], dict) and "name" not in thing["metadata"]:
        thing["metadata"] = {**thing["metadata"], "name": "obj"}
    return {**step, "object": thing}


def from_check(case, described):
    """The sequences of steps for a case with an object, an endpoint, and perhaps an old object."""
    crd = described["crd"]
    version = case.get("version") or crd.get("storage_version")
    served = sorted(it for it in crd.get("versions") or [])
    reads = [{"op": "get", "version": it} for it in served]
    at = {"version": version}
    thing = case["object"]
    if case.get("endpoint") == "status":
        start = {"op": "etcd", "object": case["old"], **at} if "old" in case else first_object(thing, at)
        write = {"op": "update", "endpoint": "status", "object": thing, **at}
        patch = {"op": "merge-patch", "endpoint": "status", "patch": {"status": thing.get("status")}, **at}
        return [[start, {**write, "field_validation": "Strict"}, write, *reads], [start, patch, *reads]]
    if "old" in case:
        return [[{"op": "etcd", "object": case["old"], **at}, {"op": "update", "object": thing, **at}, *reads]]
    write = {"op": "create", "object": thing, **at}
    return [[{**write, "field_validation": "Strict"}], [write, *reads]]


def first_object(thing, at):
    """Creates the object as it is before a status write."""
    return {"op": "create", "object": {key: it for key, it in thing.items() if key != "status"}, **at}


def group_of(number, case):
    """The case's group and the one that it has on the server."""
    crd = case["crd"]
    group = (crd.get("spec") or {}).get("group") if isinstance(crd, dict) else None
    group = group if isinstance(group, str) and group else "example.com"
    return group, f"t{number}.{group}"


def lines(path):
    """The values of a file with one JSON value a line."""
    with open(path, encoding="utf-8") as text:
        return [json.loads(it) for it in text if it.strip()]
