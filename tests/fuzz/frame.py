"""What the generators put their schemas and objects into: the CRD `things.example.com`."""


def version(schema):
    return {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}


def crd(versions, scope="Namespaced"):
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"},
            "spec": {"group": "example.com", "scope": scope, "names": names, "versions": versions}}


def case(name, spec_schema, spec):
    """An input line of the oracle: one object, whose spec has a schema."""
    schema = {"type": "object", "properties": {"spec": spec_schema}}
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec}
    return {"id": name, "crd": crd([version(schema)]), "version": "v1", "object": thing}
