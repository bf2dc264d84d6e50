"""The table of runs of real Kopf: schema of the status × operator × storage, and what is to be seen.

Data only. `seen` names what happens (see `observe.SEEN`); `calls` are the handler calls of each phase, as
`id#retry`, where they differ from the operator's clean run. The facts are those of Kopf's own behavior: nothing
here is taken from our verdicts, which are compared with what is seen.
"""

import losses

NEWEST = "1.45.2"  # The release of Kopf that rows are run with unless they name one.
PRESERVE = "x-kubernetes-preserve-unknown-fields"
OPEN = {"type": "object", PRESERVE: True}
BARE = {"type": "object"}
STRING = {"type": "string"}
FIELDS = {
    "started": STRING, "stopped": STRING, "delayed": STRING, "purpose": STRING, "message": STRING,
    "retries": {"type": "integer"}, "success": {"type": "boolean"}, "failure": {"type": "boolean"},
    "subrefs": {"type": "array", "items": STRING},
}  # fmt: skip


def record(without=None, **others):
    """The schema of a progress record, with a field left out or of another type."""
    return {"type": "object", "properties": {key: it for key, it in {**FIELDS, **others}.items() if key != without}}


def kopf(progress=None, **others):
    """The schema of a status with a typed `kopf`."""
    inside = {"progress": {"type": "object", "additionalProperties": progress or record()}, "dummy": STRING, **others}
    return {"type": "object", "properties": {"kopf": {"type": "object", "properties": {k: it for k, it in inside.items() if it}}}}


def typed(**properties):
    """The schema of a status with these properties alone."""
    return {"type": "object", "properties": properties}


# The operators: handlers, what the harness does (phases), and the calls of a clean run.
OPERATORS = {
    "plain": {
        "handlers": [{"on": "create", "id": "create_fn"}, {"on": "update", "id": "update_fn"}],
        "clean": {"create": ["create_fn#0"], "edit": ["update_fn#0"]},
    },
    "retry": {
        "handlers": [{"on": "create", "id": "create_fn", "fails": 2}],
        "clean": {"create": ["create_fn#0", "create_fn#1", "create_fn#2"]},
    },
    "two": {
        "handlers": [{"on": "create", "id": "create_fn"}, {"on": "create", "id": "second_fn"}],
        "clean": {"create": ["create_fn#0", "second_fn#0"], "edit": []},
    },
    "subs": {
        "handlers": [{"on": "create", "id": "create_fn", "subs": 2}],
        "clean": {"create": ["create_fn#0", "create_fn/sub0#0", "create_fn#1", "create_fn/sub1#0"]},
    },
    "field": {
        "handlers": [{"on": "field", "id": "field_fn", "field": "spec.a", "fails": 1}],
        "clean": {"create": ["field_fn#0", "field_fn#1"]},
    },
    "delete-two": {
        "handlers": [{"on": "delete", "id": "delete_fn"}, {"on": "delete", "id": "cleanup_fn"}],
        "clean": {"create": [], "delete": ["delete_fn#0", "cleanup_fn#0"]},
    },
    "delete-retry": {
        "handlers": [{"on": "delete", "id": "delete_fn", "fails": 2}],
        "clean": {"create": [], "delete": ["delete_fn#0", "delete_fn#1", "delete_fn#2"]},
    },
    "result": {
        "handlers": [{"on": "create", "id": "create_fn", "returns": {"message": "made", "count": 2}}],
        "clean": {"create": ["create_fn#0"], "edit": []},
    },
    "patch": {
        "handlers": [{"on": "create", "id": "create_fn", "patches": {"phase": "Ready"}}],
        "clean": {"create": ["create_fn#0"]},
        "writes": {"phase": "Ready"},
    },
    "event": {"handlers": [{"on": "event", "id": "event_fn", "returns": {"seen": True}}], "clean": {"create": None}},
    "timer": {"handlers": [{"on": "timer", "id": "timer_fn", "returns": {"tick": 1}}], "clean": {"create": None}},
}
RESULTS = {
    "string": "done", "integer": 7, "number": 1.5, "boolean": True, "object": {"a": {"b": [1, "x"]}},
    "array": [1, 2, 3], "array-with-null": [1, None], "empty-object": {}, "empty-array": [],
}  # fmt: skip
for kind, value in RESULTS.items():
    OPERATORS[f"result-{kind}"] = {
        "handlers": [{"on": "create", "id": "create_fn", "returns": value}],
        "clean": {"create": ["create_fn#0"], "edit": []},
    }

# The storages: Kopf's settings, and the flags that say the same to us.
STATUS = ["StatusProgressStorage", {}]
NOTES = ["AnnotationsProgressStorage", {}]
STORAGES = {
    "status": ({"progress": STATUS}, ["--storage=status", "--diffbase=annotations"]),
    "status+diffbase": (
        {"progress": STATUS, "diffbase": ["StatusDiffBaseStorage", {}]},
        ["--storage=status", "--diffbase=status"],
    ),
    "diffbase": (
        {"progress": NOTES, "diffbase": ["StatusDiffBaseStorage", {}]},
        ["--storage=annotations", "--diffbase=status"],
    ),
    "diffbase-field": (
        {"progress": NOTES, "diffbase": ["StatusDiffBaseStorage", {"field": "status.diffBase"}]},
        ["--storage=annotations", "--diffbase=status", "--diffbase-field=status.diffBase"],
    ),
    "named": (
        {"progress": ["StatusProgressStorage", {"name": "my-op"}]},
        ["--storage=status", "--diffbase=annotations", "--name=my-op"],
    ),
    "field": (
        {"progress": ["StatusProgressStorage", {"field": "status.my-operator"}]},
        ["--storage=status", "--diffbase=annotations", "--progress-field=status.my-operator"],
    ),
    "field+touch": (
        {"progress": ["StatusProgressStorage", {"field": "status.mine", "touch_field": "status.touched"}]},
        ["--storage=status", "--diffbase=annotations", "--progress-field=status.mine", "--touch-field=status.touched"],
    ),
    "smart": ({}, ["--storage=smart", "--diffbase=annotations"]),
    "annotations": ({"progress": ["AnnotationsProgressStorage", {"prefix": "op.example.com"}]}, ["--storage=annotations"]),
    "multi": ({"progress": ["MultiProgressStorage", [NOTES, STATUS]]}, ["--storage=multi", "--diffbase=annotations"]),
}


def row(name, status, operator, storage="status", seen="works", **more):
    """One run. Further keys: calls, kopf (version), subresource, second (a second version), handled, unfixable."""
    return {"name": name, "status": status, "operator": operator, "storage": storage, "seen": seen, **more}


ONCE = {"create": ["create_fn#0"]}
TWICE = {"create": ["create_fn#0", "create_fn#0"]}
SCENARIOS = [
    # Progress is lost.
    row("status-absent-retry", None, "retry", seen="stalls", calls=ONCE),
    row("status-absent-two", None, "two", seen="stalls", calls={"create": ["create_fn#0"], "edit": ["create_fn#0"]}),
    row("status-absent-subs", None, "subs", seen="stalls", calls={"create": ["create_fn#0", "create_fn/sub0#0"]}),
    row("status-absent-field", None, "field", seen="stalls", calls={"create": ["field_fn#0"]}),
    row("status-absent-delete-two", None, "delete-two", seen="stuck", calls={"delete": ["delete_fn#0"]}),
    row("status-absent-delete-retry", None, "delete-retry", seen="stuck", calls={"delete": ["delete_fn#0"]}),
    row("status-bare-retry", BARE, "retry", seen="stalls", calls=TWICE),
    row("status-bare-two", BARE, "two", seen="stalls", calls={**TWICE, "edit": ["create_fn#0"]}),
    row("status-bare-delete-two", BARE, "delete-two", seen="stuck", calls={"delete": ["delete_fn#0"] * 2}),
    row("kopf-bare-under-open", {**OPEN, "properties": {"kopf": BARE}}, "retry", seen="stalls", calls=TWICE),
    row("records-empty", kopf(progress=BARE), "retry", seen="stalls", calls=TWICE),
    row("additional-true", {**BARE, "additionalProperties": True}, "retry", seen="stalls", calls=TWICE),
    row("status-absent-no-endpoint", None, "retry", seen="stalls", calls=ONCE, subresource=False),
    row("status-bare-no-endpoint", BARE, "two", seen="stalls", calls={**TWICE, "edit": ["create_fn#0"]}, subresource=False),
    row("typed-without-kopf", typed(phase=STRING), "retry", seen="stalls", calls=TWICE),
    # One field of the record is lost.
    row("no-started", kopf(record("started")), "retry", seen="stalls", calls=ONCE),
    row("no-retries", kopf(record("retries")), "retry", seen="stalls", calls=ONCE),
    row("no-success", kopf(record("success")), "retry", seen="stalls", calls=ONCE),
    row("no-failure", kopf(record("failure")), "retry", seen="stalls", calls=ONCE),
    row("no-success-two", kopf(record("success")), "two", seen="loops"),
    row("no-delayed", kopf(record("delayed")), "retry", seen="hurries"),
    row("no-stopped", kopf(record("stopped")), "two", seen="warns"),
    row("no-message", kopf(record("message")), "retry", seen="warns"),
    row("no-purpose", kopf(record("purpose")), "retry", seen="warns"),
    row("no-subrefs", kopf(record("subrefs")), "subs", seen="warns"),
    row("no-dummy", kopf(dummy=None), "retry", seen="stalls", calls=ONCE),
    # The server refuses.
    row("retries-string", kopf(record(retries=STRING)), "retry", seen="stalls", calls=ONCE),
    row("kopf-string", typed(kopf=STRING), "retry", seen="stalls", calls=ONCE),
    row("status-required", {**typed(kopf=OPEN, stage=STRING), "required": ["stage"]}, "retry", seen="stalls", calls=ONCE),
    row("purpose-enum", kopf(record(purpose={"type": "string", "enum": ["update"]})), "retry", seen="stalls", calls=ONCE),
    row("one-handler-only", kopf() | {"x-kubernetes-validations": [{"rule": "!has(self.kopf)"}]}, "retry", seen="stalls", calls=ONCE,
        unfixable=True),  # fmt: skip
    # Nothing is lost.
    row("typed-retry", kopf(), "retry"),
    row("typed-two", kopf(), "two"),
    row("typed-subs", kopf(), "subs"),
    row("typed-delete-two", kopf(), "delete-two"),
    row("typed-delete-retry", kopf(), "delete-retry"),
    row("typed-no-endpoint", kopf(), "retry", subresource=False),
    row("kopf-open-two", typed(kopf=OPEN, phase=STRING), "two"),
    row("status-open-subs", OPEN, "subs"),
    row("status-open-no-endpoint", OPEN, "two", subresource=False),
    # Names and fields.
    row("named-kept", typed(**{"my-op": OPEN}), "retry", "named"),
    row("named-lost", typed(kopf=OPEN), "retry", "named", seen="stalls", calls=TWICE),
    row("field-without-touch", typed(**{"my-operator": OPEN}), "retry", "field", seen="stalls", calls=ONCE),
    row("field-and-touch", typed(mine=OPEN, touched=STRING), "retry", "field+touch"),
    row("field-and-touch-lost", typed(mine=OPEN), "retry", "field+touch", seen="stalls", calls=ONCE),
    # Other storages. Where a copy in annotations is read first, a loss in the status is noise, and not mended.
    row("smart-status-absent-retry", None, "retry", "smart"),
    row("smart-status-absent-two", None, "two", "smart"),
    row("smart-old-status-absent-retry", None, "retry", "smart", kopf="1.43.0", seen="warns", unfixable=True),
    row("smart-old-status-absent-two", None, "two", "smart", kopf="1.43.0", seen="warns", unfixable=True),
    row("smart-old-open", OPEN, "two", "smart", kopf="1.43.0"),
    row("status-old-absent", None, "retry", kopf="1.43.0", seen="stalls", calls=ONCE),
    row("annotations-status-absent", None, "retry", "annotations"),
    row("multi-status-absent", None, "retry", "multi", seen="warns", unfixable=True),
    row("multi-open", OPEN, "two", "multi"),
    # The diff-base.
    row("diffbase-lost-plain", None, "plain", "diffbase", seen="reruns", calls={"edit": ["create_fn#0"]}),
    row("diffbase-lost-two", None, "two", "diffbase", seen="loops"),
    row("diffbase-object", typed(kopf=typed(**{"last-handled-configuration": BARE})), "plain", "diffbase", seen="reruns",
        calls={"edit": ["create_fn#0"]}),  # fmt: skip
    row("diffbase-string", typed(kopf=typed(**{"last-handled-configuration": STRING})), "two", "diffbase"),
    row("diffbase-open", typed(kopf=OPEN), "plain", "status+diffbase"),
    row("diffbase-field", typed(diffBase=STRING), "plain", "diffbase-field"),
    row("diffbase-field-lost", typed(kopf=OPEN), "plain", "diffbase-field", seen="reruns", calls={"edit": ["create_fn#0"]}),
    row("diffbase-beside-typed", kopf(), "plain", "status+diffbase", seen="reruns", calls={"edit": ["create_fn#0"]}),
    # Results and patches.
    row("result-absent", typed(kopf=OPEN), "result", seen="loses"),
    row("result-bare", typed(kopf=OPEN, create_fn=BARE), "result", seen="loses"),
    row("result-open", typed(kopf=OPEN, create_fn=OPEN), "result"),
    row("result-wrong-type", typed(create_fn=STRING), "result", "annotations", seen="loses"),
    row("result-wrong-type-no-endpoint", typed(create_fn=STRING), "result", "annotations", seen="reruns",
        calls={"edit": ["create_fn#0"]}, subresource=False),  # fmt: skip
    row("patch-absent", typed(kopf=OPEN), "patch", seen="loses"),
    row("patch-enum", typed(phase={"type": "string", "enum": ["Ready"]}), "patch", "annotations"),
    row("event-absent", typed(kopf=OPEN), "event", seen="loses"),
    row("timer-absent", typed(kopf=OPEN), "timer", seen="loses"),
    row("timer-open", typed(timer_fn=OPEN), "timer", "annotations"),
    *[row(f"result-{it}-absent", typed(kopf=OPEN), f"result-{it}", seen="loses") for it in RESULTS],
    *[row(f"result-{it}-open", OPEN, f"result-{it}") for it in RESULTS],
    # Two versions.
    row("storage-version-closed", OPEN, "retry", second=typed(phase=STRING), handled="v1", seen="stalls", calls=TWICE),
    row("handled-version-closed", typed(phase=STRING), "retry", second=OPEN, handled="v1", seen="stalls", calls=TWICE),
    row("both-versions-open", OPEN, "retry", second=OPEN, handled="v1"),
]  # fmt: skip


def record_without(*lost):
    """The schema of a progress record with these fields left out."""
    return {"type": "object", "properties": {key: it for key, it in FIELDS.items() if key not in lost}}


OPERATORS |= losses.OPERATORS
SCENARIOS += losses.rows(row, kopf, typed, record_without)
