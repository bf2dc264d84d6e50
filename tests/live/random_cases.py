"""Random CRDs with one or two versions, and flows of writes and reads through them. The seed decides everything."""

import random

PRESERVE = "x-kubernetes-preserve-unknown-fields"
KEYS = ["kopf", "progress", "dummy", "fn", "a", "b", "phase", "metadata", "kind", "spec"]
STAMP = "2026-01-01T12:00:00.123456+00:00"
RECORD = {
    "started": STAMP, "stopped": None, "delayed": STAMP, "purpose": "create", "retries": 1, "success": False,
    "failure": False, "message": "boom", "subrefs": None,
}  # fmt: skip
RECORD_SCHEMA = {
    "type": "object",
    "properties": {
        **{key: {"type": "string"} for key in ("started", "stopped", "delayed", "purpose", "message")},
        "retries": {"type": "integer"}, "success": {"type": "boolean"}, "failure": {"type": "boolean"},
        "subrefs": {"type": "array", "items": {"type": "string"}},
    },
}  # fmt: skip


def generate(count, seed):
    """`count` cases: each a line with a CRD and steps."""
    return [Chance(f"{seed}-{number}").case(f"random/{seed}-{number}") for number in range(count)]


class Chance:
    """A source of random schemas, values and flows, seeded by text so that one case can be made again alone."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def under(self, share):
        """True in about `share` of the calls."""
        return self.random.random() < share

    def case(self, name):
        """A CRD and a flow through it."""
        pick = self.random.choice
        names = ["v1"] if self.under(0.55) else ["v1alpha1", "v1"]
        storage = pick(names)
        status = self.status_schema()
        versions = []
        for it in names:
            schema = status if self.under(0.4) else self.status_schema()
            root = {"type": "object", "properties": {"spec": self.spec_schema(), "status": schema}}
            if self.under(0.05):
                root[PRESERVE] = True
            if self.under(0.04):
                del root["properties"]["status"]
            version = {"name": it, "served": it == storage or self.under(0.9), "storage": it == storage}
            version["schema"] = {"openAPIV3Schema": root}
            if self.under(0.65):
                version["subresources"] = {"status": {}}
            versions.append(version)
        spec = {"group": "example.com", "scope": "Namespaced", "versions": versions}
        spec["names"] = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
        crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
        crd |= {"metadata": {"name": "things.example.com"}, "spec": spec}
        return {"id": name, "crd": crd, "steps": self.flow(versions)}

    def flow(self, versions):
        """Create, several patches and an update to either endpoint, and reads through every version."""
        reads = [{"op": "get", "version": it["name"]} for it in versions]
        steps = [{"op": "create", "object": self.object(self.random.choice(versions)), "version": versions[0]["name"]}]
        steps[0]["version"] = self.random.choice(versions)["name"]
        steps += [{"op": "create", "object": {"spec": {}}, "version": it["name"]} for it in versions if it["storage"]]
        steps += reads
        for _ in range(self.random.randint(1, 4)):
            at = self.random.choice(versions)
            step = {"op": "merge-patch", "version": at["name"], "patch": self.patch(at)}
            if "subresources" in at and self.under(0.7):
                step["endpoint"] = "status"
            if self.under(0.12):
                step["field_validation"] = "Strict"
            if self.under(0.2):
                step["op"] = "update"
                step["object"] = self.object(at)
                del step["patch"]
            steps.append(step)
        return steps + reads

    def object(self, version):
        """An object for a version: mostly what its schema asks for."""
        properties = version["schema"]["openAPIV3Schema"]["properties"]
        made = {"spec": self.value(properties["spec"], 3)}
        if self.under(0.7):
            made["status"] = self.value(properties.get("status"), 4)
        if self.under(0.1):
            made["metadata"] = {"labels": {"a": "b"}, "annotations": {"kopf.zalando.org/x": "{}"}}
        return {key: it for key, it in made.items() if it is not None or self.under(0.5)}

    def patch(self, version):
        """A merge patch: what Kopf writes, or parts of a random object."""
        if self.under(0.5):
            return self.kopf_patch()
        made = self.object(version)
        if self.under(0.2):
            made["metadata"] = {"annotations": {"x": self.random.choice(["y", None])}}
        return made

    def kopf_patch(self):
        """A write of progress, a touch, a purge, a diff-base or a result."""
        record = {"create_fn": RECORD, "update_fn/spec.a": {**RECORD, "subrefs": ["update_fn/b"]}}
        kopf = [
            {"kopf": {"progress": record}}, {"kopf": {"dummy": STAMP}}, {"kopf": {"progress": {"create_fn": None}}},
            {"kopf": {"last-handled-configuration": '{"spec":{}}'}}, {"fn": {"a": 1}}, {"kopf": {"progress": {}}},
            {"fn": self.anything(2)}, {"kopf": None}, {"kopf": {"progress": record, "dummy": None}},
        ]  # fmt: skip
        return {"status": self.random.choice(kopf)}

    def spec_schema(self):
        """Mostly open, so that the status decides."""
        return {"type": "object", PRESERVE: True} if self.under(0.75) else self.schema(2)

    def status_schema(self):
        """A random schema, or one of the forms that a status for Kopf has."""
        kopf = [
            {"type": "object", PRESERVE: True},
            {"type": "object", "properties": {"kopf": {"type": "object", PRESERVE: True}, "phase": self.leaf()}},
            {"type": "object", "properties": {"kopf": {"type": "object", "properties": self.typed_kopf()}, "fn": self.schema(1)}},
            {"type": "object", PRESERVE: True, "properties": {"kopf": {"type": "object"}}},
            {"type": "object", "additionalProperties": self.random.choice([True, RECORD_SCHEMA, {PRESERVE: True}])},
        ]
        return self.random.choice(kopf) if self.under(0.4) else self.schema(self.random.randint(1, 4))

    def typed_kopf(self):
        """Properties of a typed `status.kopf`, at times with one field of the record missing or of another type."""
        record = {"type": "object", "properties": dict(RECORD_SCHEMA["properties"])}
        if self.under(0.5):
            key = self.random.choice(list(RECORD))
            if self.under(0.5):
                del record["properties"][key]
            else:
                record["properties"][key] = self.leaf()
        if self.under(0.3):
            record["required"] = self.random.sample(list(RECORD), 2)
        found = {"progress": {"type": "object", "additionalProperties": record}, "dummy": {"type": "string"}}
        if self.under(0.3):
            found["last-handled-configuration"] = self.leaf()
        return found

    def leaf(self):
        """A scalar schema, at times with validation or a default."""
        kind = self.random.choice(["string", "integer", "number", "boolean", "string"])
        made = {"type": kind}
        if self.under(0.15):
            made["nullable"] = True
        if self.under(0.1):
            made["default"] = {"string": "d", "integer": 1, "number": 1.5, "boolean": True}[kind]
        if kind == "string" and self.under(0.2):
            made["enum"] = self.random.sample(["x", "y", STAMP, "d"], 2)
        if kind == "string" and self.under(0.1):
            made["format"] = self.random.choice(["date-time", "date", "uuid", "duration", "foo"])
        if kind == "string" and self.under(0.1):
            made["pattern"] = self.random.choice(["^x", "[0-9]+", "^$"])
        if kind == "string" and self.under(0.1):
            made |= {"minLength": 1, "maxLength": 3}
        if kind in ("integer", "number") and self.under(0.2):
            made |= self.random.choice([{"minimum": 0}, {"minimum": 2}, {"maximum": 1, "exclusiveMaximum": True}, {"multipleOf": 2}])
        return made

    def schema(self, depth):
        """A structural schema in most cases."""
        if depth <= 0 or self.under(0.25):
            if self.under(0.12):
                return {"x-kubernetes-int-or-string": True}
            if self.under(0.2):
                return {PRESERVE: True} if self.under(0.6) else {"type": "object", PRESERVE: True}
            return self.leaf()
        return self.array(depth) if self.under(0.22) else self.mapping(depth)

    def array(self, depth):
        """An array, at times one the server treats as a set or a map."""
        made = {"type": "array", "items": self.schema(depth - 1)}
        if self.under(0.15):
            made[PRESERVE] = True
        if self.under(0.1):
            made["maxItems"] = 2
        if self.under(0.1):
            made["nullable"] = True
        if self.under(0.15):
            made["items"] = {"type": "string"}
            made["x-kubernetes-list-type"] = "set"
        elif self.under(0.15):
            made["items"] = {"type": "object", "properties": {"a": {"type": "string"}, "b": self.leaf()}, "required": ["a"]}
            made |= {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"]}
        return made

    def mapping(self, depth):
        """An object with properties or with additionalProperties."""
        made = {"type": "object"}
        share = self.random.random()
        if share < 0.65:
            made["properties"] = {key: self.schema(depth - 1) for key in self.random.sample(KEYS, self.random.randint(1, 4))}
        elif share < 0.8:
            made["additionalProperties"] = self.schema(depth - 1)
        elif share < 0.87:
            made["additionalProperties"] = self.random.choice([True, True, False])
        extras = [
            (0.3, {PRESERVE: True}), (0.1, {"nullable": True}), (0.12, {"required": self.random.sample(KEYS, 1)}),
            (0.06, {"default": {}}), (0.05, {"maxProperties": 2}), (0.05, {"minProperties": 1}),
            (0.05, {self.random.choice(["anyOf", "oneOf"]): [{"required": [it]} for it in self.random.sample(KEYS, 2)]}),
            (0.03, {"not": {"required": [self.random.choice(KEYS)]}}),
        ]  # fmt: skip
        for chance, extra in extras:
            if self.under(chance):
                made |= extra
        if PRESERVE in made and self.under(0.08):
            made["x-kubernetes-embedded-resource"] = True
        return made

    def value(self, schema, depth):
        """A value that fits the schema more often than not."""
        if schema is None or self.under(0.1):
            return self.anything(min(depth, 2))
        if self.under(0.06):
            return None
        if schema.get("x-kubernetes-int-or-string"):
            return self.random.choice([1, "x", 1.5])
        kind = schema.get("type")
        if kind == "array":
            return [self.value(schema.get("items"), depth - 1) for _ in range(self.random.randint(0, 3))]
        if kind == "object":
            return self.mapping_value(schema, depth)
        scalars = {
            "string": ["x", "y", "z", STAMP, ""], "integer": [0, 1, 5, -1, 4, 2.0], "number": [0, 1.5, 2, 1e3], "boolean": [True, False],
        }  # fmt: skip
        return self.random.choice(scalars[kind]) if kind in scalars else self.anything(2)

    def mapping_value(self, schema, depth):
        """An object: most of the declared keys, and some that are not."""
        declared = schema.get("properties") or {}
        made = {key: self.value(it, depth - 1) for key, it in declared.items() if self.under(0.75) or key in schema.get("required", ())}
        rest = schema.get("additionalProperties")
        for key in self.random.sample(KEYS, self.random.randint(0, 2)):
            if key not in made and self.under(0.6):
                made[key] = self.value(rest, depth - 1) if isinstance(rest, dict) else self.anything(2)
        return made

    def anything(self, depth):
        """Any JSON value."""
        share = self.random.random()
        if depth <= 0 or share < 0.5:
            return self.random.choice([None, 1, 1.5, "x", True, "", 2.0])
        if share < 0.65:
            return [self.anything(depth - 1) for _ in range(self.random.randint(0, 3))]
        return {key: self.anything(depth - 1) for key in self.random.sample(KEYS, self.random.randint(0, 3))}
