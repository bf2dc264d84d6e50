"""The operator under test: its storages and handlers come from the environment variable SCENARIO (JSON).

Run by `kopf run`. It writes one JSON line per call of a handler to the file CALLS, so that the harness sees what
really ran, in which order, and with which retry.
"""

import json
import os
import threading
import time

import kopf

SCENARIO = json.loads(os.environ["SCENARIO"])
LOCK = threading.Lock()


def note(**line):
    """Appends a line to the record of calls."""
    with LOCK, open(os.environ["CALLS"], "a") as out:
        out.write(json.dumps({"at": time.time(), **line}) + "\n")


@kopf.on.login()
def login(**_):
    """The throw-away control plane."""
    return kopf.ConnectionInfo(server=os.environ["SERVER"], ca_path=os.environ["CA"], token=os.environ["TOKEN"])


@kopf.on.startup()
def configure(settings, **_):
    """Puts the scenario's storages into the settings."""
    settings.scanning.disabled = True  # Other scenarios' CRDs come and go.
    settings.posting.enabled = False
    if "progress" in SCENARIO:
        settings.persistence.progress_storage = storage(SCENARIO["progress"])
    if "diffbase" in SCENARIO:
        settings.persistence.diffbase_storage = storage(SCENARIO["diffbase"])
    if "peering" in SCENARIO:
        settings.peering.lifetime = 5
    note(id="(startup)")


def storage(told):
    """`[class, arguments]`; the arguments of a Multi storage are storages."""
    name, arguments = told
    if isinstance(arguments, list):
        return getattr(kopf, name)([storage(it) for it in arguments])
    return getattr(kopf, name)(**arguments)


def make(told):
    """A handler that counts its calls and then does what the scenario says."""

    def handle(retry, reason=None, patch=None, **_):
        note(id=told["id"], reason=str(getattr(reason, "value", reason or told["on"])), retry=retry)
        if told.get("permanent"):
            raise kopf.PermanentError("no")
        if retry < told.get("fails", 0):
            raise kopf.TemporaryError("not yet", delay=0.5)
        for number in range(told.get("subs", 0)):
            kopf.register(sub(told, number), id=f"sub{number}")
        if "patches" in told:
            patch.status.update(told["patches"])
        return told.get("returns")

    handle.__name__ = handle.__qualname__ = told["id"]
    return handle


def sub(told, number):
    """A sub-handler; those after the first one come in later cycles."""

    def handle(retry, **_):
        note(id=f"{told['id']}/sub{number}", reason=told["on"], retry=retry)

    return handle


def watch(told):
    """An on.event handler has neither retry nor reason."""

    def handle(type, **_):
        if type is not None:
            note(id=told["id"], reason="event", retry=0)
        return told.get("returns")

    handle.__name__ = handle.__qualname__ = told["id"]
    return handle


def register(told):
    """Registers a handler as the decorators of the same names do."""
    where = {"group": SCENARIO["group"], "version": SCENARIO.get("version", "v1"), "plural": "things"}
    if told["on"] == "event":
        kopf.on.event(**where, id=told["id"])(watch(told))
    elif told["on"] == "timer":
        kopf.timer(**where, id=told["id"], interval=1.0)(make(told))
    else:
        extra = {"field": told["field"]} if "field" in told else {}
        getattr(kopf.on, told["on"])(**where, **extra, id=told["id"])(make(told))


for one in SCENARIO["handlers"]:
    register(one)
