"""More rows for the table of runs: what a record does without several of its fields, and what a refusal takes along.

Data only, in the form of `scenarios.row`. Each row was seen before it was written down.
"""

import itertools

BARE = {"type": "object"}
STRING = {"type": "string"}
DECISIVE = ["started", "retries", "success", "failure", "delayed"]

# Operators that only these rows need.
OPERATORS = {
    "fails-for-good": {
        "handlers": [{"on": "create", "id": "create_fn", "permanent": True}, {"on": "create", "id": "second_fn"}],
        "clean": {"create": ["create_fn#0", "second_fn#0"]},
    },
    "result-first": {
        "handlers": [{"on": "create", "id": "create_fn", "returns": {"a": 1}}, {"on": "create", "id": "second_fn"}],
        "clean": {"create": ["create_fn#0", "second_fn#0"], "edit": []},
    },
    "two-and-update": {
        "handlers": [*({"on": "create", "id": it} for it in ("create_fn", "second_fn")), {"on": "update", "id": "update_fn"}],
        "clean": {"create": ["create_fn#0", "second_fn#0"], "edit": ["update_fn#0"]},
    },
}


def rows(row, kopf, typed, record_without):
    """The rows; the arguments are the words of the table."""
    opened = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    limited = {"type": "object", "additionalProperties": record_without()}
    alone = {"create": ["create_fn#0"]}
    found = []
    for lost in itertools.combinations(DECISIVE, 2):
        status = kopf(record_without(*lost))
        name = "no-" + "-".join(lost)
        if set(lost) == {"retries", "delayed"}:
            found.append(row(name, status, "retry", seen="stalls", calls={"create": ["create_fn#0"] * 2}))
        elif "delayed" in lost:
            found.append(row(name, status, "retry", seen="hurries"))
        else:
            found.append(row(name, status, "retry", seen="stalls", calls=alone))
        if "success" in lost:
            found.append(row(name + "-two", status, "two", seen="stalls" if "retries" in lost else "loops"))
    found += [
        row("no-failure-fails-for-good", kopf(record_without("failure")), "fails-for-good", seen="reruns"),
        # The first handler finishes; the second record is one too many.
        row("one-record", typed(kopf=typed(progress={**limited, "maxProperties": 1}, dummy=STRING)), "two", seen="stalls",
            calls=alone, unfixable=True),
        row("never-empty", typed(kopf=typed(progress={**limited, "minProperties": 1}, dummy=STRING)), "two-and-update",
            seen="warns", unfixable=True),
        row("dummy-integer", kopf(dummy={"type": "integer"}), "retry", seen="stalls", calls=alone),
        # A copy in annotations.
        row("old-smart-refused", typed(kopf=STRING), "retry", "smart", kopf="1.43.0", seen="warns"),
        row("old-smart-refused-no-endpoint", typed(kopf=STRING), "retry", "smart", kopf="1.43.0", seen="stalls",
            calls=alone, subresource=False),
        row("multi-refused", typed(kopf=STRING), "two", "multi", seen="warns"),
        # The last handled configuration.
        row("diffbase-and-progress-two", kopf(), "two", "status+diffbase", seen="loops"),
        row("diffbase-and-progress-retry", kopf(), "retry", "status+diffbase", seen="loops"),
        row("diffbase-object-and-progress", kopf(**{"last-handled-configuration": BARE}), "two-and-update",
            "status+diffbase", seen="reruns", calls={"edit": ["second_fn#0"]}),
        row("diffbase-object-two", typed(kopf=typed(**{"last-handled-configuration": BARE})), "two", "diffbase", seen="loops"),
        # What a refused result takes along.
        row("result-refused-with-progress", typed(kopf=opened, create_fn=STRING), "result-first", seen="stalls",
            calls={"create": ["create_fn#0"], "edit": ["create_fn#0"]}),
        row("result-refused-alone", typed(kopf=opened, create_fn=STRING), "result", seen="loses"),
        row("result-refused-with-diffbase", typed(kopf=opened, create_fn=STRING), "result", "status+diffbase",
            seen="reruns", calls={"edit": ["create_fn#0"]}),
        row("result-refused-apart", typed(create_fn=STRING), "result-first", "annotations", seen="loses"),
    ]  # fmt: skip
    return found
