"""Runs the scenarios: real Kopf on the real server, what our verdicts say of it, and the same run after `fix`."""

import concurrent.futures
import pathlib
import tempfile
import time

import judged
import observe
import peering
import scenarios
import yaml_text

WORKERS = 6


def run_all(plane, binary, wanted=None, deadline=None, say=print):
    """Runs the scenarios. Answers with counts and the disagreements."""
    rows = [it for it in scenarios.SCENARIOS if not wanted or any(word in it["name"] for word in wanted)]
    for version in {it.get("kopf", scenarios.NEWEST) for it in rows}:
        observe.virtualenv(version, say)
    can = {name: bool(binary) and judged.has_command(binary, name) for name in ("check", "fix")}
    for name, there in can.items():
        if not there:
            say(f"kopf: `{name}` is not there, what it says is not compared")

    def work(numbered):
        number, row = numbered
        if can_not_wait(deadline):
            return None
        return Scenario(plane, binary, can, row, number).all()

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        peers = None if wanted or can_not_wait(deadline) else pool.submit(peering.run_all, plane, binary, can)
        done = list(pool.map(work, enumerate(rows)))
        peer_runs, peer_fixes, peer_lines = peers.result() if peers else (0, 0, [])
    ran = [it for it in done if it]
    counts = {"scenarios": len(ran) + peer_runs, "run again after fix": sum(it.fixed for it in ran) + peer_fixes}
    counts |= {"verdicts unknown": sum(it.unknown for it in ran), "left out for lack of time": len(done) - len(ran)}
    return counts, peer_lines + [line for it in ran for line in it.different]


def can_not_wait(deadline):
    """Whether the time is over."""
    return bool(deadline) and time.monotonic() > deadline


class Scenario:
    """One scenario: its runs, and where they differ from the table, from the verdicts, or from a clean run."""

    def __init__(self, plane, binary, can, row, number):
        self.plane = plane
        self.binary = binary
        self.can = can
        self.row = row
        self.operator = scenarios.OPERATORS[row["operator"]]
        self.number = number
        self.fixed = 0
        self.unknown = False  # An honest verdict: neither right nor wrong.
        self.different = []

    def all(self):
        """The run on the CRD as it is, and the one after `fix` when something was lost."""
        with tempfile.TemporaryDirectory(prefix="kopf-crd-scenario-") as folder:
            path = pathlib.Path(folder, "crd.yaml")
            try:
                self.before(folder, path)
                if self.can["fix"] and self.row["seen"] != "works" and not self.row.get("unfixable"):
                    self.after(folder, path)
            except (OSError, RuntimeError, LookupError, ValueError) as error:
                self.differs(f"{type(error).__name__}: {error}")
        return self

    def differs(self, text):
        """Notes a disagreement."""
        self.different.append(f"{self.row['name']}: {text}")

    def before(self, folder, path):
        """Runs on the CRD of the table; what is seen must be what the table and the verdict say."""
        row = self.row
        found = self.observe(folder, path, f"k{self.number}a.example.com")
        if found.seen != row["seen"]:
            self.differs(f"seen: {found.seen}, the table says {row['seen']}; {shown(found)}")
        for phase, calls in row.get("calls", {}).items():
            if found.calls[phase] != calls:
                self.differs(f"{phase}: called {found.calls[phase]}, the table says {calls}")
        if self.can["check"]:
            self.compare(found, path)

    def compare(self, found, path):
        """Compares what was seen with the effects that `check` states."""
        report = self.report(path)
        effects = judged.effects(report, self.row.get("handled", "v1"))
        why = judged.disagreement(found.seen, found.calls, effects, self.row["operator"])
        self.unknown = bool(why) and not effects and judged.unknown(report, self.row.get("handled", "v1"))
        if why and not self.unknown:
            self.differs(f"verdict: {why}; {shown(found)}")

    def after(self, folder, path):
        """Fixes the CRD's text; the operator must then run clean, and no effect be left."""
        path.write_text(yaml_text.crd(self.row, f"k{self.number}b.example.com"))
        if not judged.fix(self.binary, path, judged.flags(self.row)):
            self.differs("fix left the text as it was")
            return
        found = self.observe(folder, path, f"k{self.number}b.example.com", path.read_text())
        self.fixed = 1
        left = judged.effects(self.report(path), self.row.get("handled", "v1"))
        if left:
            self.differs(f"fixed, but still stated: {left}")
        if found.seen != "works":
            self.differs(f"fixed, but seen: {found.seen}; {shown(found)}\n{path.read_text()}")

    def observe(self, folder, path, group, text=None):
        """One run of the operator on a CRD of its own group."""
        text = text or yaml_text.crd(self.row, group)
        path.write_text(text)
        settings, _ = scenarios.STORAGES[self.row["storage"]]
        scenario = {"group": group, "handlers": self.operator["handlers"], **settings}
        scenario |= {"kopf": self.row.get("kopf", scenarios.NEWEST), "version": self.row.get("handled", "v1")}
        return observe.run(self.plane, scenario, self.operator, group, folder, text)

    def report(self, path):
        """What `check` says of the CRD."""
        return judged.check(self.binary, [path], judged.flags(self.row))


def shown(found):
    """An observation in one line."""
    calls = {phase: it if len(it) < 8 else it[:4] + [f"... {len(it)} calls"] for phase, it in found.calls.items()}
    status = (found.stored or {}).get("status") if found.stored else "(gone)"
    return f"calls {calls}, {found.warnings} warnings, {found.refusals} refusals, status {str(status)[:300]}"
