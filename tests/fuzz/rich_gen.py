#!/usr/bin/env python3
"""Random CRDs with all that a schema may say, objects, and sequences of requests: rich_gen.py COUNT SEED

Prints cases in the line format of the oracle. Several versions, list and map types, formats, odd numbers, embedded
resources, junctors, old objects, both endpoints, patches of both kinds, switches of the storage version.
"""
import copy
import json
import random
import sys

import frame

PRESERVE = "x-kubernetes-preserve-unknown-fields"
KEYS = ["kopf", "progress", "a", "b", "c", "phase", "metadata", "kind", "spec", "items", "x.y", "apiVersion", "d"]
FORMATS = ["bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3", "uuid4",
           "uuid5", "isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "password", "date",
           "duration", "datetime", "date-time", "k8s-short-name", "k8s-long-name", "int32", "int64", "float", "double",
           "int-or-string", "foo", "uuid-4", "ip-v4"]
PATTERNS = ["^x", "[0-9]+", "^$", r"^\d+$", r"\w", r"^[^\s]*$", r"^(a|b){1,3}$", r"a{,2}", r"\bx\b", r"(?i)^ABC$",
            r"^[[:alpha:]]+$", r"^\p{L}+$", r"[a-]", r"^[\w.-]+$", r"x{2,}", r"^.$", r"[]a]", r"\Qa.b\E", r"^\x41",
            r"(?s)^.*z$", r"^a?$", r"\.", r"^[^a-c]+$", r"[a&&b]", r"^[a~~b]*$", r"[[a]", r"\D", r"\S+", r"^[\d\s]*$"]
TEXTS = ["", "x", "y", "xx", "a", "b", "ab", "abc", "ABC", "é", "日本", "a b", "123", "12", "A", "z", "a.b", "x\ny", "a{,2}",
         "2024-05-01T10:00:00Z", "2024-05-01T10:00:00.123456+00:00", "2024-05-01T10:00:00", "2024-02-30", "2024-02-29",
         "2024-05-01t10:00:00z", "2024-05-01T24:00:00Z", "2024-05-01T10:00:00,5Z", "2024-05-01TT10:00:00Z", "2024-05-01",
         "10.0.0.1", "010.0.0.1", "256.1.1.1", "1.2.3", "::1", "fe80::1%eth0", "::ffff:1.2.3.4", "2001:db8::/32",
         "10.0.0.0/8", "10.0.0.0/33", "1::2::3", "::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "0001::0", "00001::",
         "01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "0123456789ab", "01:23:45:67:89", "0123.4567.89a",
         "a@b.c", "A B <a@b>", "a@[1.2.3.4]", "a@", "\"q\"@x", "a@b c", "a..b@c", "g: a@b, c@d;", "a@b (c)", "<a@b>",
         "http://a/b", "/a", "a", "http://[::1]:80/", "http://a:b/", "mailto:x@y", "http://a b/", "*", "http://%zz/", "://x",
         "http://u:p@h/?q#f", "http://h:1:2/", "x://h:1:2/", "http://[::1%25en0]/", "http://[1.2.3.4]/", "/%4", "HTTP://A",
         "example.com", "-a.com", "a_b.c", "a.b.c.d.example", "a", "☃.net", "1.2", "a.1", "xn--a.b",
         "123e4567-e89b-12d3-a456-426614174000", "123e4567e89b42d3a456426614174000", "123e4567-e89b-52d3-8456-426614174000",
         "123e4567-e89b-32d3-c456-426614174000", "0321751043", "978-0321751041", "0-321-75104-3", "080442957X", "9780321751042",
         "4111111111111111", "4111-1111-1111-1111", "4111111111111112", "378282246310005", "123-45-6789", "123 45 6789",
         "123456789", "#fff", "fff000", "#ffff", "rgb(1,2,3)", "rgb( 1 , 2 , 255 )", "rgb(256,0,0)", "rgb(01,2,3)",
         "YWJj", "YWJjZA==", "YW", "YQ==", "5s", "1h30m", "3 days", "1.5h", "22 ns", "P1D", "1d", "-5s", "0", "1µs", "2 weeks",
         "1.s", "5 xyz", "99999999999999999999 s", "507f1f77bcf86cd799439011", "507F1F77BCF86CD799439011", "a-b", "A-b", "a-",
         "x" * 64, "x" * 63, "a." * 100 + "b", "1", "1.5", "true", "null", "<&>", "\u2028"]
NUMBERS = [0, 1, 2, 3, 5, 10, -1, -3, 65, 100, 1.5, 0.5, -0.5, 2.0, 1.0, -1.0, 1e3, 1e21, 1e-7, 2147483647, 2147483648,
           -2147483649, 9007199254740993, 9223372036854775807, -9223372036854775808, 9223372036854775808,
           18446744073709551615, 1.0000000001, 0.1, 0.3, 3.4e38, 3.5e38, 1e300, 4503599627370497.5, 1e20]
RULES = {"string": ["self.size() < 3", "self == oldSelf", "self != 'x'"], "integer": ["self > 1", "self == oldSelf"],
         "object": ["self == oldSelf", "!has(self.a) || has(self.b)", "true"], "array": ["self == oldSelf", "self.size() < 2"]}


class Generator:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def chance(self, share):
        return self.r.random() < share

    # ------------------------------------------------------------ schemas

    def leaf(self):
        kind = self.r.choice(["string", "string", "integer", "number", "boolean", "mixed"])
        if kind == "mixed":
            schema = {"x-kubernetes-int-or-string": True}
            if self.chance(.3):
                schema["anyOf"] = [{"type": "integer"}, {"type": "string"}]
            if self.chance(.2):
                schema["pattern"] = self.r.choice(PATTERNS)
            if self.chance(.15):
                schema["maximum"] = self.r.choice([1, 2.5, 100])
            if self.chance(.15):
                schema["format"] = self.r.choice(FORMATS)
        else:
            schema = {"type": kind}
            if self.chance(.35):
                self.values(schema, kind)
        if self.chance(.15):
            schema["nullable"] = True
        if self.chance(.12):
            schema["enum"] = self.r.sample([1, 1.5, 2, "x", "y", "A", True, {}, [1], 0, "2024-05-01"], 3)
        if self.chance(.08):
            default = self.value(schema, 1)
            if default is not None:
                schema["default"] = default
        return schema

    def values(self, schema, kind):
        if kind == "string":
            for key, values in (("pattern", PATTERNS), ("format", FORMATS), ("maxLength", [0, 1, 3]), ("minLength", [1, 2])):
                if self.chance(.35):
                    schema[key] = self.r.choice(values)
        elif kind in ("integer", "number"):
            for key in ("minimum", "maximum"):
                if self.chance(.4):
                    schema[key] = self.r.choice([0, 1, 2, 2.5, -1, 1.5, 1e19, 2147483647])
            for key in ("exclusiveMinimum", "exclusiveMaximum"):
                if self.chance(.2):
                    schema[key] = True
            if self.chance(.3):
                schema["multipleOf"] = self.r.choice([1, 2, 0.5, 0.1, 3, 1.5])
            if self.chance(.4):
                schema["format"] = self.r.choice(["int32", "int64", "float", "double", "date", "int16"])

    def junctor(self, schema, depth):
        name = self.r.choice(["allOf", "anyOf", "oneOf", "not"])
        if "x-kubernetes-int-or-string" in schema:
            return
        branches = [self.branch(schema, depth) for _ in range(self.r.randint(1, 3))]
        schema[name] = branches[0] if name == "not" else branches

    def branch(self, schema, depth):
        branch, kind = {}, schema.get("type")
        if kind in ("string", "integer", "number"):
            self.values(branch, kind)
            branch.pop("format", None)
        if kind == "object" or kind is None:
            if self.chance(.5):
                branch["required"] = self.r.sample(list(schema.get("properties", {})) + KEYS, 1)
            for key, below in schema.get("properties", {}).items():
                if key != "metadata" and self.chance(.4):
                    branch.setdefault("properties", {})[key] = self.branch(below, depth - 1)
            if self.chance(.1):
                branch["maxProperties"] = self.r.randint(0, 3)
        if kind == "array":
            if self.chance(.5):
                branch["maxItems"] = self.r.randint(0, 3)
            if self.chance(.5) and isinstance(schema.get("items"), dict):
                branch["items"] = self.branch(schema["items"], depth - 1)
        if self.chance(.1):
            branch["enum"] = [self.value(schema, 1)]
        if depth > 1 and self.chance(.1):
            branch[self.r.choice(["anyOf", "allOf", "oneOf"])] = [self.branch(schema, depth - 2), self.branch(schema, 0)]
        return branch

    def schema(self, depth):
        choice = self.r.random()
        if depth <= 0 or choice < .3:
            schema = {"type": "object", PRESERVE: True} if self.chance(.12) else {PRESERVE: True} if self.chance(.1) else self.leaf()
        elif choice < .45:
            schema = self.array(depth)
        elif choice < .53:
            schema = self.embedded(depth)
        else:
            schema = self.object(depth)
        if self.chance(.12):
            self.junctor(schema, 2)
        if self.chance(.03) and schema.get("type") in RULES:
            schema["x-kubernetes-validations"] = [{"rule": self.r.choice(RULES[schema["type"]])}]
        return schema

    def array(self, depth):
        schema = {"type": "array", "items": self.schema(depth - 1)}
        if self.chance(.2):
            schema["x-kubernetes-list-type"] = "set"
            schema["items"] = self.leaf()
            schema["items"].pop("nullable", None)
        elif self.chance(.3):
            keys = self.r.sample(["a", "b"], self.r.randint(1, 2))
            item = self.object(depth - 1)
            item.pop("additionalProperties", None)
            item.pop("nullable", None)
            item.pop("default", None)
            item.setdefault("properties", {})
            for key in keys:
                item["properties"][key] = {"type": self.r.choice(["string", "integer", "number", "boolean"])}
            item["required"] = sorted(set(item.get("required", []) + keys))
            schema.update({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, "items": item})
        elif self.chance(.1):
            schema["x-kubernetes-list-type"] = "atomic"
        for key, values in (("maxItems", [0, 1, 2]), ("minItems", [1, 2])):
            if self.chance(.1):
                schema[key] = self.r.choice(values)
        if self.chance(.12):
            schema[PRESERVE] = True
        if self.chance(.1):
            schema["nullable"] = True
        return schema

    def object(self, depth):
        schema = {"type": "object"}
        choice = self.r.random()
        if choice < .7:
            schema["properties"] = {key: self.schema(depth - 1) for key in self.r.sample(KEYS, self.r.randint(1, 4))}
        elif choice < .85:
            schema["additionalProperties"] = self.schema(depth - 1)
        elif choice < .9:
            schema["additionalProperties"] = self.r.choice([True, True, False])
        if self.chance(.25):
            schema[PRESERVE] = True
        if self.chance(.12):
            schema["nullable"] = True
        if self.chance(.15):
            schema["required"] = self.r.sample(list(schema.get("properties", {})) or KEYS, 1)
        if self.chance(.1):
            schema["default"] = {}
        if self.chance(.06):
            schema["default"] = self.value(schema, 3)
            if not isinstance(schema["default"], dict):
                schema.pop("default")
        for key in ("maxProperties", "minProperties"):
            if self.chance(.06):
                schema[key] = self.r.randint(1, 3)
        if self.chance(.05):
            schema["x-kubernetes-map-type"] = self.r.choice(["atomic", "granular"])
        return schema

    def embedded(self, depth):
        schema = self.object(depth)
        schema.pop("additionalProperties", None)
        schema["x-kubernetes-embedded-resource"] = True
        properties = schema.setdefault("properties", {})
        for key in ("apiVersion", "kind", "metadata"):
            properties.pop(key, None)
        if self.chance(.3):
            properties["metadata"] = {"type": "object", "properties": {"name": {"type": "string", "pattern": "^a"}}}
        if not properties or self.chance(.5):
            schema[PRESERVE] = True
        if "required" in schema and self.chance(.5):
            schema.pop("required")
        return schema

    # ------------------------------------------------------------ values

    def anything(self, depth):
        choice = self.r.random()
        if depth <= 0 or choice < .6:
            return self.r.choice([None, 1, 1.0, 1.5, "x", True, "", self.r.choice(TEXTS), self.r.choice(NUMBERS)])
        if choice < .75:
            return [self.anything(depth - 1) for _ in range(self.r.randint(0, 3))]
        return {key: self.anything(depth - 1) for key in self.r.sample(KEYS + [""], self.r.randint(0, 3))}

    def value(self, schema, depth=4):
        if not isinstance(schema, dict) or self.chance(.07):
            return self.anything(min(depth, 2))
        if self.chance(.06):
            return None
        if schema.get("enum") and self.chance(.6):
            return copy.deepcopy(self.r.choice(schema["enum"]))
        kind = schema.get("type")
        if schema.get("x-kubernetes-int-or-string"):
            return self.r.choice(NUMBERS + TEXTS[:16])
        if kind == "array":
            items = [self.value(schema.get("items"), depth - 1) for _ in range(self.r.randint(0, 3))]
            return items + (items[:1] if self.chance(.2) else [])
        if kind == "object" or "properties" in schema:
            return self.fields(schema, depth)
        if kind == "string":
            return self.r.choice(TEXTS)
        if kind in ("integer", "number"):
            return self.r.choice(NUMBERS)
        if kind == "boolean":
            return self.r.choice([True, False])
        return self.anything(2)

    def fields(self, schema, depth):
        made = {}
        for key, below in schema.get("properties", {}).items():
            if self.chance(.7):
                made[key] = self.value(below, depth - 1)
        additional = schema.get("additionalProperties")
        for key in self.r.sample(KEYS, self.r.randint(0, 2)):
            if key not in made and self.chance(.5):
                made[key] = self.value(additional, depth - 1) if isinstance(additional, dict) else self.anything(2)
        if schema.get("x-kubernetes-embedded-resource"):
            if self.chance(.85):
                made["apiVersion"] = self.r.choice(["v1", "a/v1", "a/b/c", "", 5] if self.chance(.2) else ["v1"])
                made["kind"] = self.r.choice(["Pod", "pod_x", "", 1] if self.chance(.2) else ["Pod"])
            if self.chance(.6):
                made["metadata"] = self.metadata(False)
        return made

    def metadata(self, root):
        made = {"name": "obj"} if root else {"name": self.r.choice(["a", "a/b", "B_", ""])}
        choices = {
            "labels": [{"a": "b"}, {"a/b/c": "d"}, {"a": "-"}, {"a": None}, {}, {"A.b/c": ""}],
            "annotations": [{"a": "b"}, {"A/b": "c"}, {"-": ""}, {"kopf.zalando.org/x": "{}"}, {"x": None}, {"/": "a"}],
            "finalizers": [["a/b"], ["x"], ["x.y"], [""], ["orphan", "foregroundDeletion"], [], None, ["a/b", "c/d"]],
            "ownerReferences": [[{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}], [{}], [None],
                                [{"apiVersion": "v1", "kind": "Event", "name": "p", "uid": "u", "controller": True, "z": 1}] * 2],
            "generateName": ["x-", "X", ""], "generation": [0, 5, 1.0, -1], "uid": ["u", ""],
            "resourceVersion": ["", "77"] if self.chance(.2) else [""], "namespace": ["other"] if self.chance(.1) else ["default"],
            "selfLink": ["/x"], "creationTimestamp": [None, "2024-05-01T1:02:03+01:00"], "unknown": [1], "Labels": [{}],
            "deletionTimestamp": [None, "2024-05-01T10:00:00Z"], "deletionGracePeriodSeconds": [0, 30],
            "managedFields": [[{"manager": "m", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": {"f:a": {}}}],
                              [{"operation": "X", "time": "2024-05-01T10:00:00Z", "u": 1}], []],
        }
        for key in self.r.sample(sorted(choices), self.r.randint(0, 3)):
            if key in ("namespace", "deletionTimestamp") and self.chance(.6):
                continue
            made[key] = copy.deepcopy(self.r.choice(choices[key]))
        if self.chance(.04):
            made[self.r.choice(["name", "labels", "finalizers", "generation", "annotations", "creationTimestamp"])] = \
                self.r.choice([1, "x", [1], {"a": 1}, True])
        return made

    def body(self, crd, version, schema):
        made = self.fields(schema, 5)
        if "metadata" in made and not isinstance(made["metadata"], dict) and self.chance(.95):
            made.pop("metadata")
        for key in ("apiVersion", "kind"):
            made.pop(key, None)
        if self.chance(.3):
            made["metadata"] = self.metadata(True)
        else:
            made.pop("metadata", None)
        if self.chance(.1):
            made["apiVersion"] = self.r.choice(["example.com/v1", "example.com/v2", "other/v1", "v1", "a/b/c", ""])
        if self.chance(.02):
            made["kind"] = self.r.choice(["Other", "", "Thing"])
        return made

    # ------------------------------------------------------------ CRDs

    def crd(self):
        names = ["v1", "v2", "v1beta1"][:self.r.choice([1, 1, 2, 2, 3])]
        storage = self.r.choice(names)
        shared = self.root()
        versions = []
        for name in names:
            schema = shared if self.chance(.5) else self.vary(shared)
            version = {"name": name, "served": self.chance(.93), "storage": name == storage,
                       "schema": {"openAPIV3Schema": schema}}
            if self.chance(.65):
                version["subresources"] = {"status": {}}
                if self.chance(.15):
                    version["subresources"]["scale"] = {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"}
                    if self.chance(.5):
                        version["subresources"]["scale"]["labelSelectorPath"] = ".status.b"
            versions.append(version)
        return frame.crd(versions, self.r.choice(["Namespaced", "Namespaced", "Cluster"]))

    def root(self):
        properties = {"spec": self.object(3) if self.chance(.7) else {"type": "object", PRESERVE: True}}
        if self.chance(.95):
            properties["status"] = self.schema(3) if self.chance(.3) else self.object(3)
        schema = {"type": "object", "properties": properties}
        if self.chance(.08):
            schema[PRESERVE] = True
        if self.chance(.06):
            schema["required"] = [self.r.choice(["spec", "status"])]
        if self.chance(.05):
            properties["metadata"] = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 2}}}
        if self.chance(.1):
            properties["extra"] = self.schema(2)
        return schema

    def vary(self, schema):
        if self.chance(.3):
            return self.root()
        made = copy.deepcopy(schema)
        for _ in range(self.r.randint(1, 3)):
            node = made
            while self.chance(.7):
                below = [it for it in node.get("properties", {}).values() if it.get("type") == "object"]
                if not below:
                    break
                node = self.r.choice(below)
            if node is made:
                node = made["properties"].get("status", made["properties"]["spec"])
            if self.chance(.4) and node.get("properties"):
                node["properties"].pop(self.r.choice(list(node["properties"])))
            elif self.chance(.5) and "additionalProperties" not in node and node.get("type") == "object":
                node.setdefault("properties", {})[self.r.choice(KEYS)] = self.schema(1)
            elif node.get(PRESERVE):
                node.pop(PRESERVE)
            elif "x-kubernetes-int-or-string" not in node:
                node[PRESERVE] = True
        return made

    # ------------------------------------------------------------ cases

    def schema_of(self, crd, name):
        return next(it for it in crd["spec"]["versions"] if it["name"] == name)["schema"]["openAPIV3Schema"]

    def check(self, crd):
        version = self.r.choice(crd["spec"]["versions"])
        schema = version["schema"]["openAPIV3Schema"]
        case = {"crd": crd, "version": version["name"], "object": self.body(crd, version["name"], schema)}
        if version.get("subresources") and self.chance(.6):
            case["endpoint"] = "status"
        if self.chance(.4):
            case["old"] = self.changed(case["object"], schema) if self.chance(.7) else self.body(crd, version["name"], schema)
        return case

    def changed(self, value, schema):
        """A value like another one: most of it equal."""
        value = copy.deepcopy(value)
        if not isinstance(schema, dict) or self.chance(.1):
            return value if self.chance(.6) else self.value(schema, 2)
        if isinstance(value, dict):
            for key, below in schema.get("properties", {}).items():
                if key in value and key not in ("apiVersion", "kind", "metadata"):
                    value[key] = self.changed(value[key], below)
                elif key != "metadata" and self.chance(.2):
                    value[key] = self.value(below, 2)
            if value and self.chance(.15):
                value.pop(self.r.choice(list(value)))
        if isinstance(value, list):
            value = [self.changed(it, schema.get("items")) for it in value]
            if self.chance(.3):
                self.r.shuffle(value)
        return value

    def steps(self, crd):
        steps, current = [], crd
        first = self.request(current, "create") if self.chance(.7) else self.request(current, "etcd")
        steps.append(first)
        for _ in range(self.r.randint(1, 5)):
            op = self.r.choice(["merge-patch", "merge-patch", "merge-patch", "update", "get", "json-patch", "set-crd", "etcd", "create"])
            if op == "set-crd":
                if self.chance(.5):
                    continue
                current = self.switched(current)
                steps.append({"op": "set-crd", "crd": current})
            else:
                steps.append(self.request(current, op))
        return {"crd": crd, "steps": steps}

    def switched(self, crd):
        crd = copy.deepcopy(crd)
        versions = crd["spec"]["versions"]
        if len(versions) > 1 and self.chance(.6):
            storage = self.r.choice(versions)
            for version in versions:
                version["storage"] = version is storage
        else:
            version = self.r.choice(versions)
            version["schema"]["openAPIV3Schema"] = self.vary(version["schema"]["openAPIV3Schema"])
        return crd

    def request(self, crd, op):
        version = self.r.choice(crd["spec"]["versions"])
        schema = version["schema"]["openAPIV3Schema"]
        step = {"op": op}
        if self.chance(.7):
            step["version"] = version["name"]
        if op not in ("create", "get", "etcd") and self.chance(.5):
            step["endpoint"] = "status"
        if self.chance(.2):
            step["field_validation"] = self.r.choice(["Strict", "Warn", "Ignore"])
        body = self.body(crd, version["name"], schema)
        if op in ("create", "update", "etcd"):
            step["object"] = body
        elif op == "merge-patch":
            patch = {key: body[key] for key in body if self.chance(.6)}
            step["patch"] = patch if self.chance(.97) else self.r.choice([None, [], 1, [{"a": None}]])
        elif op == "json-patch":
            step["patch"] = [self.operation(body) for _ in range(self.r.randint(0, 3))]
        return step

    def operation(self, body):
        path, node = "", body
        while isinstance(node, dict) and node and self.chance(.75):
            key = self.r.choice(list(node))
            path, node = path + "/" + key.replace("~", "~0").replace("/", "~1"), node[key]
        path = path or "/" + self.r.choice(["status", "spec", "spec/a", "status/kopf", "metadata/labels", "metadata/resourceVersion"])
        kind = self.r.choice(["add", "add", "add", "replace", "remove", "test", "copy", "move", "nonsense"])
        made = {"op": kind, "path": path + self.r.choice(["", "", "", "/0", "/-", "/-1", "/x"])}
        if kind in ("add", "replace", "test"):
            plain = self.r.choice([None, 1, "1", "x", {"a": None}, [1, None], True])
            made["value"] = plain if kind == "test" else copy.deepcopy(node)
        if kind in ("copy", "move"):
            made["from"] = self.r.choice(["/spec", "/metadata", "/status", "/spec/a", path])
        if self.chance(.02):
            made.pop("path")
        return made


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    generator = Generator(seed)
    for number in range(count):
        crd = generator.crd()
        case = generator.check(crd) if generator.chance(.55) else generator.steps(crd)
        if generator.chance(.1):
            case["force_serve"] = True
        print(json.dumps({"id": f"rich/{seed}-{number}", **case}, separators=(",", ":")))


if __name__ == "__main__":
    main()
