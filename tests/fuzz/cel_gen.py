#!/usr/bin/env python3
"""Makes oracle lines about CEL rules: objects for the rules of given CRDs.

    cel_gen.py objects COUNT SEED < crds.jsonl     lines {"id", "crd"}; for each CRD with rules COUNT objects per version
    cel_gen.py rules COUNT SEED                    CRDs of its own with random rules, one object each

Objects follow the schema closely enough that the server comes to look at rules, and are seasoned with the words and
numbers of the rules, so that rules say yes and no. Every line is an input line of the oracle.
"""
import json
import random
import re
import sys

import frame

WORDS = ["", "a", "ab", "a-b", "A", "x.y", "10.0.0.1", "10.0.0.0/8", "fd00::1", "fd00::/64", "https://a.example/p?q=1",
         "http://a:80/", "tcp://h:1", "/a/b", "a/b", "*", "*.example.com", "1h", "15m", "1ms", "0s", "100", "10%", "true",
         "é", "a b", "a,b", "Name", "kubernetes.io/x", "example.com/a", "2024-01-01T00:00:00Z", "1.2.3", "v1", "-1"]


def rules_of(schema, found):
    if isinstance(schema, dict):
        for rule in schema.get("x-kubernetes-validations") or []:
            if isinstance(rule, dict):
                found.append(str(rule.get("rule", "")))
        for value in schema.values():
            rules_of(value, found)
    elif isinstance(schema, list):
        for value in schema:
            rules_of(value, found)


class Maker:
    def __init__(self, rng, rules):
        self.rng = rng
        text = "\n".join(rules)
        self.words = WORDS + [a or b for a, b in re.findall(r"'([^'\n]*)'|\"([^\"\n]*)\"", text)]
        self.numbers = [0, 1, 2, 3, 10, -1, 100, 65535] + [int(it) for it in re.findall(r"\b\d{1,9}\b", text)]
        self.budget = 400

    def number(self, schema, whole):
        rng = self.rng
        value = rng.choice(self.numbers) + rng.choice([-1, 0, 0, 1])
        low, high = schema.get("minimum"), schema.get("maximum")
        if isinstance(low, (int, float)) and value < low:
            value = int(low) + rng.choice([0, 1])
        if isinstance(high, (int, float)) and value > high:
            value = int(high)
        return value if whole else value + rng.choice([0, 0, 0.5])

    def string(self, schema):
        rng = self.rng
        if schema.get("format") in ("date-time",):
            return rng.choice(["2024-01-01T00:00:00Z", "2024-06-01T12:30:00Z", "2023-01-01T00:00:00+02:00"])
        if schema.get("format") == "date":
            return rng.choice(["2024-01-01", "2023-12-31"])
        if schema.get("format") == "duration":
            return rng.choice(["1h", "15m", "1ms", "0s", "2h45m"])
        if schema.get("format") == "byte":
            return rng.choice(["", "YQ==", "YWI=", "YWJj"])
        value = rng.choice(self.words)
        if rng.random() < 0.1:
            value += rng.choice(self.words)
        least, most = schema.get("minLength"), schema.get("maxLength")
        if isinstance(least, int):
            value = value + "a" * min(max(0, least - len(value)), 300)
        return value[:most] if isinstance(most, int) else value

    def value(self, schema, depth=0):
        rng = self.rng
        self.budget -= 1
        if not isinstance(schema, dict):
            return {}
        if schema.get("nullable") and rng.random() < 0.1:
            return None
        if schema.get("enum"):
            return rng.choice(schema["enum"])
        if schema.get("x-kubernetes-int-or-string"):
            return rng.choice([self.number(schema, True), rng.choice(self.words)])
        kind = schema.get("type")
        if kind == "object":
            return self.object(schema, depth)
        if kind == "array":
            least, most = schema.get("minItems", 0) or 0, schema.get("maxItems", 4)
            count = max(least, min(rng.choice([0, 1, 1, 2, 3]), most if isinstance(most, int) else 4))
            if self.budget < 0:
                count = least
            items = [self.value(schema.get("items"), depth + 1) for _ in range(min(count, 8))]
            if schema.get("x-kubernetes-list-type") == "set":
                items = [it for at, it in enumerate(items) if it not in items[:at]]
            if schema.get("x-kubernetes-list-type") == "map":
                keys, seen, kept = schema.get("x-kubernetes-list-map-keys") or [], [], []
                for it in items:
                    key = [it.get(k) for k in keys] if isinstance(it, dict) else None
                    if key not in seen:
                        seen.append(key)
                        kept.append(it)
                items = kept
            return items
        if kind == "string":
            return self.string(schema)
        if kind == "integer":
            return self.number(schema, True)
        if kind == "number":
            return self.number(schema, False)
        if kind == "boolean":
            return rng.random() < 0.5
        return rng.choice([{}, {"a": 1}, "s", 1])

    def object(self, schema, depth):
        rng = self.rng
        res = {}
        required = schema.get("required") or []
        density = rng.choice([0.2, 0.5, 0.8]) if depth < 3 else 0.25
        for name, prop in (schema.get("properties") or {}).items():
            if depth == 0 and name in ("apiVersion", "kind", "metadata"):
                continue
            if name in required or (self.budget > 0 and (depth == 0 or rng.random() < density)):
                res[name] = self.value(prop, depth + 1)
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict):
            for _ in range(rng.choice([0, 1, 2])):
                res[rng.choice([it for it in self.words if it] or ["k"])] = self.value(extra, depth + 1)
        if schema.get("x-kubernetes-preserve-unknown-fields") and rng.random() < 0.3:
            res["extraField"] = rng.choice([1, "x", {"y": [1]}])
        if schema.get("x-kubernetes-embedded-resource"):
            res.update({"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "x"}})
        return res

    def mutate(self, value, schema, depth=0):
        """A neighbor of a value: the old object of an update."""
        rng = self.rng
        if not isinstance(schema, dict) or rng.random() < 0.15:
            self.budget = 60
            return self.value(schema, depth)
        if isinstance(value, dict):
            res = {}
            for name, it in value.items():
                prop = (schema.get("properties") or {}).get(name, schema.get("additionalProperties"))
                if isinstance(prop, dict) and not (rng.random() < 0.1 and name not in (schema.get("required") or [])):
                    res[name] = self.mutate(it, prop, depth + 1) if rng.random() < 0.4 else it
                elif not isinstance(prop, dict):
                    res[name] = it
            return res
        if isinstance(value, list) and value and rng.random() < 0.5:
            return [self.mutate(it, schema.get("items"), depth + 1) if rng.random() < 0.5 else it for it in value]
        return value


def versions_of(crd):
    spec = crd.get("spec") or {}
    for version in spec.get("versions") or []:
        schema = (version.get("schema") or {}).get("openAPIV3Schema") or (spec.get("validation") or {}).get("openAPIV3Schema")
        if isinstance(schema, dict):
            yield version.get("name"), schema


def objects(count, seed):
    for line in sys.stdin:
        case = json.loads(line)
        for name, schema in versions_of(case["crd"]):
            rules = []
            rules_of(schema, rules)
            if not rules:
                continue
            for at in range(count):
                maker = Maker(random.Random(f"{seed}/{case['id']}/{name}/{at}"), rules)
                new = maker.value(schema)
                out = {"id": f"{case['id']}/{name}/{at}", "crd": case["crd"], "version": name, "object": new,
                       "force_serve": True}
                if at % 2:
                    old = maker.mutate(json.loads(json.dumps(new)), schema)
                    out["old"] = old if isinstance(old, dict) else {}
                print(json.dumps(out))


LEAVES = {
    "s": {"type": "string", "maxLength": 20}, "t": {"type": "string"}, "e": {"type": "string", "enum": ["a", "b"]},
    "i": {"type": "integer"}, "n": {"type": "number"}, "b": {"type": "boolean"},
    "x": {"x-kubernetes-int-or-string": True}, "d": {"type": "string", "format": "duration"},
    "at": {"type": "string", "format": "date-time"}, "y": {"type": "string", "format": "byte"},
    "u": {"x-kubernetes-preserve-unknown-fields": True}, "o": {"type": "object", "properties": {
        "i": {"type": "integer"}, "s": {"type": "string", "nullable": True}, "a-b": {"type": "string"}}},
    "p": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "l": {"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 10}},
    "k": {"type": "array", "items": {"type": "integer"}},
    "m": {"type": "object", "maxProperties": 5, "additionalProperties": {"type": "string", "maxLength": 8}},
    "q": {"type": "object", "additionalProperties": {"type": "integer", "nullable": True}},
    "z": {"type": "array", "maxItems": 4, "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    "w": {"type": "array", "maxItems": 4, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["i"],
          "items": {"type": "object", "required": ["i"], "properties": {"i": {"type": "integer"}, "s": {"type": "string"}}}},
    "namespace": {"type": "string"},
    "r": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
}
RESOURCE = ["kind", "apiVersion", "metadata.name", "metadata.generateName"]
VALUES = {"string": ["s", "t", "e", "namespace", "o.s", "o.a__dash__b", "r.kind", "r.metadata.name"], "int": ["i", "o.i"], "double": ["n"], "bool": ["b"],
          "dyn": ["x"], "duration": ["d"], "timestamp": ["at"], "bytes": ["y"]}


class Rules:
    def __init__(self, rng, resource):
        self.rng = rng
        self.resource = resource  # Whether the rule stands at the root of a resource.
        self.vars = []

    def path(self, kind):
        names = VALUES.get(kind, []) + (RESOURCE if self.resource and kind == "string" else [])
        bound = [name for name, of in self.vars if of == kind]
        if bound and self.rng.random() < 0.6:
            return self.rng.choice(bound)
        if not names:
            return None
        root = "oldSelf" if self.rng.random() < 0.1 else "self"
        return f"{root}.{self.rng.choice(names)}"

    def expr(self, kind, depth):
        rng = self.rng
        if rng.random() < 0.02:
            kind = rng.choice(["string", "int", "double", "bool", "dyn", "duration", "bytes"])
        if depth <= 0 or rng.random() < 0.25:
            path = self.path(kind)
            if path and rng.random() < 0.7:
                return path
            return self.literal(kind)
        e = lambda of: self.expr(of, depth - 1)
        if kind == "bool":
            return rng.choice([
                lambda: f"({e('bool')} && {e('bool')})", lambda: f"({e('bool')} || {e('bool')})", lambda: f"!({e('bool')})",
                lambda: self.compare(depth), lambda: self.compare(depth), lambda: self.has(), lambda: self.has(),
                lambda: f"{e('string')}.{rng.choice(['startsWith', 'endsWith', 'contains'])}({e('string')})",
                lambda: f"{e('string')}.matches({rng.choice(PATTERNS)})", lambda: f"{e('string')} in {self.list('string', depth)}",
                lambda: f"{e('int')} in {self.list('int', depth)}", lambda: f"({e('bool')} ? {e('bool')} : {e('bool')})",
                lambda: self.quantifier(depth), lambda: self.quantifier(depth), lambda: f"{e('string')} in self.m",
                lambda: rng.choice(["self.l == oldSelf.l", "self.z == oldSelf.z", "self.w == oldSelf.w", "self.o == oldSelf.o",
                                    "self.m == oldSelf.m", "self.p == oldSelf.p", "self.r == oldSelf.r", "self.r.metadata == oldSelf.r.metadata", "self == oldSelf", "self.q == self.q"]),
                lambda: f"type(self.x) == {rng.choice(['int', 'string', 'bool'])}", lambda: f"{rng.choice(['isURL', 'isIP', 'isCIDR'])}({e('string')})",
                lambda: f"self.?{rng.choice(list(LEAVES))}.hasValue()", lambda: "self.?o.s.orValue('z') == 'a'",
                lambda: f"!format.{rng.choice(['dns1123Label', 'qualifiedName', 'dns1123Subdomain'])}().validate({e('string')}).hasValue()",
                lambda: f"sets.{rng.choice(['contains', 'intersects', 'equivalent'])}({self.list('string', depth)}, {self.list('string', depth)})",
                lambda: f"{self.list(rng.choice(['int', 'string']), depth)}.isSorted()",
            ])()
        if kind == "string":
            return rng.choice([
                lambda: f"({e('string')} + {e('string')})", lambda: f"{e('string')}.{rng.choice(['lowerAscii', 'upperAscii', 'trim'])}()",
                lambda: f"string({e(rng.choice(['int', 'bool', 'string']))})", lambda: f"{e('string')}.replace({e('string')}, {e('string')})",
                lambda: f"{self.list('string', depth)}.join({e('string')})", lambda: f"({e('bool')} ? {e('string')} : {e('string')})",
                lambda: f"{e('string')}.substring({e('int')})", lambda: f"self.m[{e('string')}]", lambda: f"self.l[{e('int')}]",
                lambda: f"{e('string')}.charAt({e('int')})", lambda: f"{e('string')}.split({e('string')})[{e('int')}]",
                lambda: f"url({e('string')}).{rng.choice(['getScheme', 'getHost', 'getHostname', 'getPort', 'getEscapedPath'])}()",
                lambda: f"{e('string')}.find({rng.choice(PATTERNS)})",
            ])()
        if kind == "int":
            return rng.choice([
                lambda: f"size({e('string')})", lambda: f"{self.list('string', depth)}.size()", lambda: f"size(self.m)",
                lambda: f"({e('int')} {rng.choice('+-*/%')} {e('int')})", lambda: f"int({e(rng.choice(['string', 'int', 'double']))})",
                lambda: f"{e('string')}.{rng.choice(['indexOf', 'lastIndexOf'])}({e('string')})", lambda: f"self.k[{e('int')}]",
                lambda: f"{self.list('int', depth)}.{rng.choice(['sum', 'min', 'max'])}()", lambda: f"self.q[{e('string')}]",
                lambda: f"self.at.{rng.choice(['getFullYear', 'getMonth', 'getDate', 'getHours', 'getDayOfWeek', 'getDayOfYear'])}()",
                lambda: f"cidr({e('string')}).prefixLength()", lambda: f"ip({e('string')}).family()",
            ])()
        if kind == "duration":
            return rng.choice([lambda: f"duration({e('string')})", lambda: "(self.at - self.at)", lambda: f"({e('duration')} + {e('duration')})"])()
        if kind == "double":
            return rng.choice([lambda: f"double({e('int')})", lambda: f"({e('double')} {rng.choice('+-*/')} {e('double')})"])()
        return self.path(kind) or self.literal(kind)

    def literal(self, kind):
        rng = self.rng
        words = ["''", "'a'", "'b'", "'ab'", "'.'", "'1'", '"x"', "'10.0.0.0/8'", "'10.0.0.1'", "'https://a.example/p'", "'1h'", "r'a\\.b'"]
        return {"string": rng.choice(words), "int": rng.choice(["0", "1", "2", "-1", "100", "9223372036854775807"]),
                "double": rng.choice(["0.0", "1.5", "-2.0"]), "bool": rng.choice(["true", "false"]),
                "duration": rng.choice(["duration('1h')", "duration('1ms')"]), "bytes": rng.choice(["b'a'", "b''"]),
                "timestamp": "timestamp('2024-01-01T00:00:00Z')", "dyn": rng.choice(["dyn(1)", "dyn('a')"])}.get(kind, "null")

    def list(self, kind, depth):
        rng = self.rng
        real = {"string": ["self.l", "self.z", "oldSelf.l", "self.m.map(k, k)", "self.w.map(w, w.s)"], "int": ["self.k", "self.w.map(w, w.i)"]}[kind]
        return rng.choice([
            lambda: rng.choice(real), lambda: rng.choice(real),
            lambda: "[" + ", ".join(self.expr(kind, depth - 2) for _ in range(rng.choice([0, 1, 2, 3]))) + "]",
            lambda: self.bind("filter", rng.choice(real), kind, "bool", depth), lambda: self.bind("map", rng.choice(real), kind, kind, depth),
        ])()

    def bind(self, macro, over, kind, body, depth):
        name = self.rng.choice("fgh")
        self.vars.append((name, kind))
        res = f"{over}.{macro}({name}, {self.expr(body, depth - 1)})"
        self.vars.pop()
        return res

    def quantifier(self, depth):
        macro = self.rng.choice(["all", "exists", "exists_one"])
        kind = self.rng.choice(["string", "int"])
        return self.bind(macro, self.list(kind, depth - 1), kind, "bool", depth)

    def compare(self, depth):
        kind = self.rng.choice(["string", "int", "int", "double", "dyn", "duration", "bool", "bytes", "timestamp"])
        other = kind if self.rng.random() < 0.9 else self.rng.choice(["int", "double", "string"])
        operator = self.rng.choice(["==", "!=", "<", "<=", ">", ">="])
        return f"{self.expr(kind, depth - 1)} {operator} {self.expr(other, depth - 1)}"

    def has(self):
        name = self.rng.choice(list(LEAVES) + ["o.s", "o.i", "m.a", "q.a", "p.zz", "nope"])
        return f"has({'oldSelf' if self.rng.random() < 0.1 else 'self'}.{name})"


PATTERNS = ["'^a'", "'[a-z]+'", "'^[a-z0-9-_]+$'", "r'^\\d+$'", "'\\\\w'", "'('", "'a{1,3}'", "self.s", "'.*\\\\.example\\\\.com'"]


NAME_RULES = ["self != 'obj'", "self.matches('^(a|b)*c$')", "self.split('').all(x, self.split('').exists(y, y == x))",
              "self.split('').all(x, self.split('').all(y, self.split('').exists(z, z == x || z == y)))"]


def resource_fields(rng, schema):
    """Declares fields of a resource: none, some, or all that rules can name."""
    properties = schema.setdefault("properties", {})
    if rng.random() < 0.5:
        properties.update({"kind": {"type": "string"}, "apiVersion": {"type": "string"}})
    if rng.random() < 0.6:
        names = {}
        for name in rng.choice([[], ["name"], ["generateName"], ["name", "generateName"]]):
            names[name] = {"type": "string", **rng.choice([{}, {"maxLength": rng.choice([0, 5, 63, 252, 253, 254, 4000])}])}
        properties["metadata"] = {"type": "object", **({"properties": names} if names else {})}


def random_rules(count, seed):
    for at in range(count):
        rng = random.Random(f"{seed}/{at}")
        where = rng.choice(["spec", "spec", "status", "map", "list", "keyed", "root", "root", "name"])
        rules = Rules(rng, where == "root")
        rule = {"rule": rules.expr("bool", rng.choice([1, 2, 2, 3, 4]))}
        if rng.random() < 0.2:
            rule["messageExpression"] = rules.expr("string", 2)
        if rng.random() < 0.1:
            rule["optionalOldSelf"] = True
        if rng.random() < 0.1:
            rule["reason"] = rng.choice(["FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"])
        if rng.random() < 0.1:
            rule["fieldPath"] = rng.choice([".s", ".o.i", ".m['a']", ".nope", ".w"])
        node = {"type": "object", "properties": json.loads(json.dumps(LEAVES)), "x-kubernetes-validations": [rule]}
        resource_fields(rng, node["properties"]["r"])
        if where == "map":
            node = {"type": "object", "maxProperties": 5, "additionalProperties": node}
        elif where == "list":
            node = {"type": "array", "maxItems": 4, "items": node}
        elif where == "keyed":
            node["required"] = ["s"]
            node = {"type": "array", "maxItems": 4, "items": node, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["s"]}
        name = where if where in ("spec", "status") else "spec"
        root = {"type": "object", "properties": {name: node}}
        if where == "root":
            root = node
        if where in ("root", "name"):
            resource_fields(rng, root)
        if where == "name":
            node["x-kubernetes-validations"] = [{"rule": "true"}] if rng.random() < 0.5 else []
            text = {"type": "string", "x-kubernetes-validations": [{"rule": rng.choice(NAME_RULES)}]}
            root["properties"].setdefault("metadata", {"type": "object"})["properties"] = {"name": text}
            if rng.random() < 0.5:
                root["x-kubernetes-validations"] = [{"rule": "self.metadata.name != 'x'"}]
        crd = frame.crd([frame.version(root)])
        maker = Maker(rng, [rule["rule"]])
        new = maker.value(root)
        out = {"id": f"rules/{seed}/{at}", "crd": crd, "object": new, "version": "v1"}
        if rng.random() < 0.6:
            old = maker.mutate(json.loads(json.dumps(new)), root)
            out["old"] = old if isinstance(old, dict) else {}
        print(json.dumps(out))


if __name__ == "__main__":
    what, count, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    {"objects": objects, "rules": random_rules}[what](count, seed)
