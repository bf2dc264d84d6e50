"""Asks our command line: verdicts as JSON, fixed texts. Knows the flags that say what an operator does."""

import json
import pathlib
import re
import subprocess

import scenarios

# For each thing that can be seen, the words that the effect of some slot must have.
EFFECT = {
    "warns": r"warn|log",
    "loses": r"lost|never (see|stored)|not stored|disappear|miss",
    "stalls": r"stall|never|stops",
    "stuck": r"Terminating|stuck",
    "hurries": r"delay|at once|immediately",
    "reruns": r"again|every change|re-?run|repeat",
    "loops": r"loop|without end|endless|forever",
}


def flags(row):
    """The contract flags of a scenario."""
    operator = scenarios.OPERATORS[row["operator"]]
    found = [f"--kopf={row.get('kopf', '1.45.2')}", *scenarios.STORAGES[row["storage"]][1]]
    results = [f"--result={it['id']}={json.dumps(it['returns'])}" for it in operator["handlers"] if "returns" in it]
    found += results or ["--results=none"]
    found += [f"--writes=status.{key}={json.dumps(it)}" for key, it in operator.get("writes", {}).items()]
    return found + ([f"--api-version={row['handled']}"] if "handled" in row else [])


def check(binary, path, flagged):
    """The report on a file, as `--format json` prints it."""
    command = [*binary, "check", "--format=json", *flagged, str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if ran.returncode not in (0, 1):
        raise RuntimeError(f"check ended with {ran.returncode}: {ran.stderr.strip()[-400:]}")
    return json.loads(ran.stdout)


def fix(binary, path, flagged):
    """Fixes a file in place; whether its text is another one."""
    before = pathlib.Path(path).read_bytes()
    command = [*binary, "fix", "--unsafe", *flagged, str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if ran.returncode not in (0, 1):
        raise RuntimeError(f"fix ended with {ran.returncode}: {ran.stderr.strip()[-400:]}")
    return pathlib.Path(path).read_bytes() != before


def has_command(binary, name):
    """Whether the binary knows a command yet."""
    return subprocess.run([*binary, name, "--help"], capture_output=True, timeout=60).returncode == 0


def effects(report, handled):
    """Slot → effect, over the slots of the handled version that are not kept."""
    found = {}
    for crd in report["crds"]:
        for version in crd["versions"]:
            if version["name"] == handled:
                found |= {it["slot"]: it.get("effect") or "" for it in version["slots"] if it["fate"] != "kept"}
    return found


def disagreement(seen, found):
    """Why the effects do not fit what was seen; None when they do."""
    if seen == "works":
        return f"nothing was seen, but effects are stated: {found}" if found else None
    if any(re.search(EFFECT[seen], it, re.I) for it in found.values()):
        return None
    return f"seen: {seen}; stated: {found}"
