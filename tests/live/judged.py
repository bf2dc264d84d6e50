"""Asks our command line: verdicts as JSON, fixed texts. Knows the flags that say what an operator does."""

import json
import pathlib
import re
import subprocess

import scenarios

# What an effect, as our verdicts word it, means for an operator of the scenarios. The first pattern that fits decides.
# `*` stands for every operator that is not named.
EFFECTS = [
    (r"^works|^never takes the records away", {"*": "warns"}),
    (r"^retries at once", {"*": "hurries"}),
    (r"^stalls before|^sleeps before|^retries once", {"*": "stalls"}),
    (r"^stalls after", {"delete-two": "stuck", "delete-retry": "stuck", "*": "stalls"}),
    (r"^calls two handlers .* one alone stalls", {"two": "loops", "*": "stalls"}),
    (r"^calls two handlers .* one alone retries at once", {"two": "loops", "*": "hurries"}),
    (r"^calls create handlers again", {"two": "loops", "retry": "loops", "*": "reruns"}),
    (r"^calls a handler that failed for good again", {"fails-for-good": "reruns", "*": "stalls"}),
    (r"^calls the (last |last create )?handler again", {"*": "reruns"}),
    (r"^calls the first handler again and again", {"*": "loops"}),
    (r"^the value is lost, and the progress", {"result-first": "stalls", "*": "loses"}),
    (r"^(the value|what is in the value|a part of the value) ", {"*": "loses"}),
    (r"^operators do not see each other", {"*": "unseen"}),
]


def flags(row):
    """The contract flags of a scenario."""
    operator = scenarios.OPERATORS[row["operator"]]
    found = [f"--kopf={row.get('kopf', scenarios.NEWEST)}", *scenarios.STORAGES[row["storage"]][1]]
    results = [f"--result={it['id']}={json.dumps(it['returns'])}" for it in operator["handlers"] if "returns" in it]
    found += results or ["--results=none"]
    found += [f"--writes=status.{key}={json.dumps(it)}" for key, it in operator.get("writes", {}).items()]
    return found + ([f"--api-version={row['handled']}"] if "handled" in row else [])


def check(binary, paths, flagged):
    """The report on files, as `--format json` prints it."""
    command = [*binary, "check", "--format=json", *flagged, *map(str, paths)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
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
    """Slot and path → effect, over the slots of the handled version that are lost."""
    found = {}
    for crd in report["crds"]:
        for version in crd["versions"]:
            if version["name"] == handled:
                lost = [it for it in version["slots"] if it["fate"] in ("pruned", "rejected")]
                found |= {f"{it['slot']} {it['path']}": it.get("effect") or "" for it in lost}
    return found


def unknown(report, handled):
    """Whether the report says of some slot of the handled version that its fate cannot be told."""
    versions = [it for crd in report["crds"] for it in crd["versions"] if it["name"] == handled]
    return any(it["fate"] == "unknown" for version in versions for it in version["slots"])


def predicted(found, operator):
    """What the stated effects say will be seen: a set of words of `observe.SEEN`."""
    return {meaning(it, operator) for it in found.values()}


def meaning(effect, operator):
    """What one effect means for an operator; the effect itself when the table lacks it, so that it matches nothing."""
    for pattern, seen in EFFECTS:
        if re.search(pattern, effect):
            return seen.get(operator) or seen["*"]
    return effect or "(no effect stated)"


def disagreement(seen, calls, found, operator):
    """Why the effects do not fit what was seen; None when they do."""
    wanted = predicted(found, operator) or {"works"}
    if seen not in wanted:
        return f"seen: {seen}; stated: {found or 'nothing'}"
    first = next(iter(calls.values()), [])
    twice = len(first) == 2 and first[0] == first[1]
    stated = " ".join(found.values())
    told = "after calling the first handler twice" in stated
    # Some effects say what one handler does and what two do: only the word is compared.
    plain = seen == "stalls" and operator in ("retry", "two") and not re.search("one alone|retries once", stated)
    if plain and told != twice:
        return f"the calls were {first}; stated: {found}"
    return None
