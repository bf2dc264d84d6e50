"""Runs real Kopf against one CRD on the live server and says what was seen.

Knows the scenarios' operators and how a clean run of each looks; knows nothing of our verdicts.
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

import api
import plane as control

HERE = pathlib.Path(__file__).resolve().parent
LOOP = 14  # More calls than any clean run makes: an endless loop.
QUIET_SECONDS = 3.5  # Longer than any delay in the scenarios, and than Kopf's first throttling.
PHASE_SECONDS = 20

# What can be seen, and what it means.
SEEN = {
    "works": "every handler is called as often as it should be, nothing is lost, no warning",
    "warns": "the calls are right, but Kopf warns of inconsistencies, or of requests that are refused",
    "loses": "the calls are right, but a result or a patched field is not stored",
    "stalls": "a handler that should be called (again) never is",
    "stuck": "the object never leaves Terminating",
    "hurries": "the calls are right, but without the delay between them",
    "reruns": "handlers are called again that were done",
    "loops": "handlers are called without end",
}


# Scenarios run side by side; one of them installs.
INSTALLING = threading.Lock()


@dataclasses.dataclass
class Observation:
    """What one run of an operator showed."""

    seen: str
    calls: dict  # phase -> ["id#retry", ...]
    warnings: int  # "finished with inconsistencies"
    refusals: int  # 422 and the throttling after them
    stored: object  # the object at the end; None when it is gone
    log: str


def virtualenv(version, say=print):
    """The path of `kopf` of one version in a virtual environment of its own, made when it is missing."""
    home = control.CACHE / f"kopf-{version}"
    with INSTALLING:
        install(version, home, say)
    return str(home / "bin/kopf")


def install(version, home, say):
    """Makes the virtual environment unless it is there."""
    if not (home / "bin/kopf").exists():
        say(f"installing kopf {version} into {home}")
        made = subprocess.run([sys.executable, "-m", "venv", str(home)], capture_output=True, text=True, timeout=300)
        pip = [str(home / "bin/pip"), "install", "-q", "--disable-pip-version-check", f"kopf=={version}"]
        if made.returncode == 0:
            made = subprocess.run(pip, capture_output=True, text=True, timeout=600)
        if made.returncode != 0:
            raise control.Missing(f"kopf {version} cannot be installed: {made.stderr.strip()[-300:]}")


def run(plane, scenario, operator, group, folder, crd_text):
    """Creates the CRD, runs the operator through the phases, and removes both. `scenario` goes to the operator."""
    server = api.Server(plane)
    created = api.create_crd(server, crd_text, "application/yaml")
    if created.code != 201:
        raise RuntimeError(f"the CRD was refused: {created.body}")
    crd = api.wait_until_served(server, f"things.{group}")
    process = None
    try:
        process, calls, log = launch(plane, scenario, folder)
        wait_for_startup(process, calls, log)
        made = phases(server, crd, scenario, operator, calls, log)
    finally:
        if process:
            quit_operator(process)
        forget(server, crd)
    return observation(operator, made, pathlib.Path(log).read_text(errors="replace"))


def launch(plane, scenario, folder):
    """Starts `kopf run` with its record of calls and its log in `folder`."""
    calls, log = f"{folder}/calls.jsonl", f"{folder}/kopf.log"
    for path in (calls, log):
        pathlib.Path(path).write_text("")
    environment = {
        **os.environ, "SCENARIO": json.dumps(scenario), "CALLS": calls, "SERVER": plane.server, "CA": plane.ca,
        "TOKEN": plane.token, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    how = ["--peering", scenario["peering"], "--priority", str(scenario["priority"])] if "peering" in scenario else ["--standalone"]
    command = [virtualenv(scenario["kopf"]), "run", *how, "-A", str(HERE / "handlers.py")]
    with open(log, "ab") as out:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment, start_new_session=True, cwd=folder,
            preexec_fn=control.end_with_parent,
        )  # fmt: skip
    return process, calls, log


def wait_for_startup(process, calls, log, seconds=60):
    """Waits until the operator's startup handler has run."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if noted(calls):
            time.sleep(0.5)  # It lists and watches right after.
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"kopf did not start: {pathlib.Path(log).read_text(errors='replace')[-600:]}")


def phases(server, crd, scenario, operator, calls, log):
    """Creates, edits, deletes as the operator's clean run says; answers with the calls of each and the last object."""
    path = api.collection(crd, scenario.get("version", "v1"))
    group = crd["spec"]["group"]
    body = {"apiVersion": f"{group}/{scenario.get('version', 'v1')}", "kind": "Thing", "metadata": {"name": "obj"}, "spec": {"a": 1}}
    patch = "application/merge-patch+json"
    made, seen, stored = {}, 1, None
    for phase, clean in operator["clean"].items():
        if phase == "create":
            server.ask("POST", path, body)
        elif phase == "edit":
            server.ask("PATCH", path + "/obj", {"spec": {"a": 2}}, patch)
        else:
            server.ask("DELETE", path + "/obj")
        gone = (lambda: server.ask("GET", path + "/obj").code == 404) if phase == "delete" else None
        settle(calls, log, seen, clean, gone)
        all_calls = noted(calls)
        made[phase] = all_calls[seen:]
        seen = len(all_calls)
        answer = server.ask("GET", path + "/obj")
        stored = answer.body if answer.code == 200 else None
    return made, stored


def settle(calls, log, before, clean, gone):
    """Waits until nothing happens any more, an endless loop is certain, or the phase's time is over."""
    started = changed = time.monotonic()
    last = None
    while time.monotonic() - started < PHASE_SECONDS:
        state = (os.path.getsize(calls), os.path.getsize(log))
        if state != last:
            last, changed = state, time.monotonic()
        made = noted(calls)[before:]
        if len(made) >= LOOP:
            return
        quiet = time.monotonic() - changed
        if clean is None and time.monotonic() - started > 4:
            return  # Timers and event handlers never settle.
        as_it_should = clean is not None and names(made) == clean and (gone is None or gone())
        if quiet > (1.5 if as_it_should else QUIET_SECONDS) and clean is not None:
            return
        time.sleep(0.1)


def noted(calls):
    """The operator's record of calls so far; a line that is being written is left out."""
    found = []
    with open(calls) as text:
        for line in text:
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
    return found


def names(made):
    """Calls as `id#retry`."""
    return [f"{it['id']}#{it['retry']}" for it in made]


def quit_operator(process):
    """Ends our operator and waits for it."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(5)


def forget(server, crd):
    """Removes the object, whatever finalizers it has, and the CRD."""
    server.etcd_ask("deleterange", {"key": api.encoded(api.etcd_key(crd, "obj"))})
    api.delete_crd(server, crd["metadata"]["name"])


def observation(operator, phased, log):
    """What the calls, the log and the stored object amount to."""
    made, stored = phased
    # Taking away the last annotation makes Kopf warn although nothing is lost, so only losses in the status count.
    warnings = sum("with inconsistencies" in line and "('status'" in line for line in log.splitlines())
    refusals = log.count("Throttling for")
    seen = classify(operator, made, stored, warnings + refusals)
    return Observation(seen, {phase: names(it) for phase, it in made.items()}, warnings, refusals, stored, log)


def classify(operator, made, stored, warnings):
    """The word for what was seen."""
    clean = operator["clean"]
    if any(len(it) >= LOOP and clean[phase] is not None for phase, it in made.items()):
        return "hurries" if hurried(operator, made) else "loops"
    if "delete" in clean and stored is not None:
        return "stuck"
    for phase, wanted in clean.items():
        if wanted is not None and not set(wanted) <= set(names(made[phase])):
            return "stalls" if phase == "create" or not made[phase] else "reruns"
        if wanted is not None and len(made[phase]) > len(wanted):
            return "reruns"
    if "delete" not in clean and is_lost(operator, stored):
        return "loses"
    if hurried(operator, made):
        return "hurries"
    return "warns" if warnings else "works"


def hurried(operator, made):
    """Whether a retry came clearly before the half second that the handlers ask for."""
    if not any(it.get("fails") for it in operator["handlers"]):
        return False
    for calls in made.values():
        for one, other in zip(calls, calls[1:]):
            if one["id"] == other["id"] and other["retry"] > one["retry"] and other["at"] - one["at"] < 0.4:
                return True
    return False


def is_lost(operator, stored):
    """Whether a returned value or a patched field is not stored as it was written."""
    status = (stored or {}).get("status") or {}
    returned = {it["id"]: it["returns"] for it in operator["handlers"] if "returns" in it}
    wanted = {**returned, **operator.get("writes", {})}
    return any(json.dumps(status.get(key), sort_keys=True) != json.dumps(it, sort_keys=True) for key, it in wanted.items())
