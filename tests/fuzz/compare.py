#!/usr/bin/env python3
"""Compares the server model with the API server's own code, on random CRDs and objects.

    compare.py [COUNT] [SEED …]          COUNT cases per seed (default 500), a fresh seed if none is given
    compare.py --cases FILE [EXPECTED]   the cases of a file, against the oracle or against recorded answers

ORACLE names a built oracle; else it is built from ../shared/tools/oracle into target/ (needs Go).
SIMULATE names the command that answers lines (default: target/debug/cargo-kopf-crd simulate --jsonl).
Seeds are printed; --mode takes another generator: `std`, `3x` (three objects a CRD), `rich`, `cel` (random rules),
`pattern` (regular expressions) or `format`.
Exit code 0: no disagreement; 1: disagreements; 2: could not run.
"""
import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "tools" / "oracle"
HERE = Path(__file__).resolve().parent


def oracle():
    """The path of the oracle, built if need be; None when it cannot be had."""
    if os.environ.get("ORACLE"):
        return os.environ["ORACLE"]
    if not SHARED.is_dir() or not shutil.which("go"):
        return None
    path = ROOT / "target" / "oracle"
    if not path.exists():
        build = ["go", "build", "-C", str(SHARED), "-mod=readonly", "-o", str(path), "."]
        if subprocess.run(build).returncode != 0:
            return None
    return str(path)


def simulate():
    """The command under test."""
    if os.environ.get("SIMULATE"):
        return os.environ["SIMULATE"].split()
    return [str(ROOT / "target" / "debug" / "cargo-kopf-crd"), "simulate", "--jsonl"]


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} failed with {done.returncode}: {done.stderr[-2000:]}")
    # Not splitlines: other line separators may stand inside a text.
    return [json.loads(line) for line in done.stdout.split("\n") if line]


def errors(found):
    """Fields and types. Which malformed key of a default the server names is Go's order of maps: chance.

    So is which of equally expensive rules it names beside a schema whose rules cost too much.
    """
    found = [it for it in found or [] if not it["detail"].startswith("contributed to estimated rule cost")]
    either = ("apiVersion", "kind", "metadata")
    malformed = ("must be a string", "json: ", "parsing time ")
    named = ((it["field"], it["type"], it["detail"].startswith(malformed)) for it in found)
    return sorted((field.split(".default")[0] if chance and field.endswith(either) else field, ty) for field, ty, chance in named)


def same(left, right):
    """Deep equality; numbers are compared as numbers, booleans are none."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def differences(expected, got):
    """Yields (what, expected, got) for every disagreement."""
    crd, ours = expected.get("crd") or {}, got.get("crd") or {}
    for key in ("decode_error", "yaml_error"):
        if bool(crd.get(key)) != bool(ours.get(key)):
            yield f"crd.{key}", crd.get(key), ours.get(key)
    for key in ("crd_errors", "structural_errors"):
        if errors(expected.get(key)) != errors(got.get(key)):
            yield key, expected.get(key), got.get(key)
    if sorted(crd.get("strict_errors") or []) != sorted(ours.get("strict_errors") or []):
        yield "strict_errors", crd.get("strict_errors"), ours.get("strict_errors")
    for key in ("pruned_object", "defaulted"):
        if key in expected and not same(expected[key], got.get(key)):
            yield key, expected[key], got.get(key)
    for key in ("pruned_paths", "duplicate_errors"):
        if key in expected and expected[key] != got.get(key, []):
            yield key, expected[key], got.get(key)
    if bool(expected.get("decode_error")) != bool(got.get("decode_error")):
        yield "decode_error", expected.get("decode_error"), got.get("decode_error")
    if "validation_errors" in expected and errors(expected["validation_errors"]) != errors(got.get("validation_errors")):
        yield "validation_errors", expected["validation_errors"], got.get("validation_errors")
    steps, ours = expected.get("steps") or [], got.get("steps") or []
    if len(steps) != len(ours):
        yield "steps", len(steps), len(ours)
    for number, (step, our) in enumerate(zip(steps, ours)):
        yield from step_differences(f"steps[{number}]", step, our)


def step_differences(at, step, our):
    if step["op"] == "update" and step["code"] == 404 and our["code"] in (400, 404):
        return  # The server reads the body first, and warns (seen by tests/live); the oracle looks for the object first.
    for key in ("code", "reason", "wrote"):
        if step.get(key) != our.get(key):
            yield f"{at}.{key}", step.get(key), our.get(key)
    for key in ("object", "etcd"):
        if not same(step.get(key), our.get(key)):
            yield f"{at}.{key}", step.get(key), our.get(key)
    if errors(step.get("causes")) != errors(our.get("causes")):
        yield f"{at}.causes", step.get("causes"), our.get("causes")
    if warnings(step) != warnings(our):
        yield f"{at}.warnings", step.get("warnings"), our.get("warnings")


def warnings(step):
    """The oracle does not hand on what the server warns about finalizers on updates."""
    found = step.get("warnings", [])
    return found if step["op"] == "create" else [it for it in found if not it.startswith("metadata.finalizers: ")]


def details(expected, got):
    """Disagreements of wording only."""
    pairs = [(expected.get("validation_errors"), got.get("validation_errors"))]
    pairs += [(a.get("causes"), b.get("causes")) for a, b in zip(expected.get("steps") or [], got.get("steps") or [])]
    for left, right in pairs:
        for a, b in zip(left or [], right or []):
            if a.get("detail", b["detail"]) != b["detail"]:
                yield a["detail"], b["detail"]


def compare(cases, expected, got, verbose):
    if not len(cases) == len(expected) == len(got):
        sys.exit(f"{len(cases)} cases, {len(expected)} answers of the server, {len(got)} of the model")
    bad, unknown, wording, accepted, kinds = 0, 0, 0, 0, collections.Counter()
    for case, want, have in zip(cases, expected, got):
        accepted += not want.get("crd_errors")
        wording += any(True for _ in details(want, have))
        if have.get("error"):
            found = [("error", None, have["error"])]
        else:
            found = list(differences(want, have))
        if have.get("unknown"):
            unknown += 1
            continue
        if found:
            bad += 1
            kinds.update(what.split("[")[0] + what.split("]")[-1] if "[" in what else what for what, _, _ in found)
            if bad <= verbose:
                print(f"--- {want['id']}")
                for what, left, right in found:
                    print(f"  {what}\n    server: {json.dumps(left)[:1500]}\n    model:  {json.dumps(right)[:1500]}")
                print(f"  case: {json.dumps(case)[:3000]}")
    print(f"{len(cases)} cases, {accepted} CRDs accepted, {bad} disagreements, {unknown} unknown, {wording} worded otherwise")
    if kinds:
        print("  " + ", ".join(f"{what}: {count}" for what, count in kinds.most_common()))
    return bad


def generate(mode, count, seed):
    if mode in ("rich", "pattern", "format"):
        command = [sys.executable, str(HERE / f"{mode}_gen.py"), str(count), str(seed)]
    elif mode == "cel":
        command = [sys.executable, str(HERE / "cel_gen.py"), "rules", str(count), str(seed)]
    else:
        command = [sys.executable, str(SHARED / "fuzz_gen.py"), str(count), str(seed)]
        command += ["3x"] if mode == "3x" else []
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=500)
    parser.add_argument("seeds", nargs="*", type=int)
    parser.add_argument("--mode", choices=["std", "3x", "rich", "cel", "pattern", "format"], default="std")
    parser.add_argument("--cases", nargs="+", metavar="FILE")
    parser.add_argument("--verbose", type=int, default=3, help="how many disagreements to print (default 3)")
    args = parser.parse_args()
    built = oracle()
    if args.cases:
        text = Path(args.cases[0]).read_text()
        if len(args.cases) > 1:
            expected = [json.loads(line) for line in Path(args.cases[1]).read_text().split("\n") if line]
        elif built:
            expected = run([built], text)
        else:
            sys.exit("no oracle: set ORACLE, or install Go beside ../shared")
        runs = [("file", text, expected)]
    else:
        if not built or not SHARED.is_dir():
            print("skipped: no oracle (set ORACLE, or install Go beside ../shared)")
            return 0
        runs = ((seed, generate(args.mode, args.count, seed), None) for seed in args.seeds or [random.randrange(1 << 31)])
    bad = 0
    for seed, text, expected in runs:
        print(f"seed {seed}, {args.mode}: ", end="", flush=True)
        cases = [json.loads(line) for line in text.split("\n") if line.strip()]
        bad += compare(cases, expected or run([built], text), run(simulate(), text), args.verbose)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
