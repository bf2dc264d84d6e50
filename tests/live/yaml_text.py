"""Writes CRDs of the scenarios as block YAML, the way people do, so that they can be checked and fixed as text."""


def crd(row, group):
    """The CRD of a scenario: one version, or two with the second one as the storage version."""
    versions = [version("v1", row["status"], "second" not in row, row.get("subresource", True))]
    if "second" in row:
        versions.append(version("v2", row["second"], True, row.get("subresource", True)))
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    return document(group, "things", names, "Namespaced", versions)


def document(group, plural, names, scope, versions):
    """A CRD as text."""
    spec = {"group": group, "scope": scope, "names": names, "versions": versions}
    head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{plural}.{group}"}}
    return "\n".join(block({**head, "spec": spec})) + "\n"


def version(name, status, storage, subresource):
    """One version of a CRD."""
    root = {"type": "object", "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}
    if status is not None:
        root["properties"]["status"] = status
    made = {"name": name, "served": True, "storage": storage}
    if subresource:
        made["subresources"] = {"status": {}}
    return {**made, "schema": {"openAPIV3Schema": root}}


def block(value, indent=""):
    """The lines of a mapping or a list in block style."""
    lines = []
    if isinstance(value, list):
        for it in value:
            inner = block(it, indent + "  ") if isinstance(it, (dict, list)) and it else [indent + "  " + scalar(it)]
            lines += [indent + "- " + inner[0].lstrip(), *inner[1:]]
        return lines
    for key, it in value.items():
        if isinstance(it, (dict, list)) and it:
            deeper = indent if isinstance(it, list) else indent + "  "
            lines += [f"{indent}{key}:", *block(it, deeper)]
        else:
            lines.append(f"{indent}{key}: {scalar(it)}")
    return lines


def scalar(value):
    """A scalar or an empty collection."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value[:1] in "!&*{[#|>@`\"'%":
        return "'" + value.replace("'", "''") + "'"
    return {"[]": "[]", "{}": "{}"}.get(str(value), str(value))
