"""Asks the Kopf that is importable what it writes, and prints the answers as vectors, one a line.

    python -m venv venv && venv/bin/pip install kopf==1.45.2
    venv/bin/python ask.py > older.jsonl

Several versions: unpack the wheels side by side and run the script once for each with PYTHONPATH.
"""
import copy
import importlib
import importlib.metadata
import json
import sys


def first_module(*names):
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    raise SystemExit(f'none of {names} is there')


progress = first_module('kopf._cogs.configs.progress', 'kopf.storage.progress')
diffbase = first_module('kopf._cogs.configs.diffbase', 'kopf.storage.diffbase')
bodies = first_module('kopf._cogs.structs.bodies', 'kopf.structs.bodies')
patches = first_module('kopf._cogs.structs.patches', 'kopf.structs.patches')
dicts = first_module('kopf._cogs.structs.dicts', 'kopf.structs.dicts')
peering = first_module('kopf._core.engines.peering', 'kopf.engines.peering')

VERSION = sys.argv[1] if len(sys.argv) > 1 else importlib.metadata.version('kopf')
NUMBERS = tuple(int(part) for part in VERSION.split('.'))
OFFSET = '+00:00' if NUMBERS >= (1, 37) else ''
MOMENT = f'2026-01-01T12:00:00.123456{OFFSET}'

RECORD = {
    'started': MOMENT, 'stopped': None, 'delayed': f'2026-01-01T12:01:00.123456{OFFSET}', 'purpose': 'create',
    'retries': 1, 'success': False, 'failure': False, 'message': 'Not "ready" — ünïcode\nyet.', 'subrefs': ['create_fn/a'],
}
if NUMBERS < (0, 28, 2):
    del RECORD['purpose']
if NUMBERS < (0, 28):
    del RECORD['subrefs']

BODY = {
    'apiVersion': 'kopf.dev/v1', 'kind': 'KopfExample',
    'metadata': {
        'annotations': {
            'kubectl.kubernetes.io/last-applied-configuration': '{}', 'other.example.com/create_fn': '{}',
            'other.example.com/kopf-managed': 'yes', 'some': 'value', 'sub.kopf.zalando.org/x': '{}',
        },
        'labels': {'some': 'label'}, 'name': 'kopf-example-1', 'namespace': 'default',
    },
    'spec': {'duration': '1m', 'items': ['é', 1.5, 2, None, True]},
    'status': {'phase': 'Ready'},
}
OWNED = {**BODY, 'kind': 'ReplicaSet', 'metadata': {**BODY['metadata'], 'ownerReferences': [{'kind': 'Deployment', 'name': 'd', 'uid': 'x'}]}}

IDS = ['create_fn', 'create_fn/create_fn.<locals>.inner', 'y/' * 40 + 'z']
PROGRESS = [
    ('StatusProgressStorage', {}),
    ('StatusProgressStorage', {'name': 'a.b', 'touch_field': 'status.touched'}),
    ('AnnotationsProgressStorage', {}),
    ('AnnotationsProgressStorage', {'verbose': True, 'prefix': 'my-op.example.com', 'touch_key': 'ping'}),
    ('AnnotationsProgressStorage', {'prefix': 'lengthy-operator-name-to-hit-63-chars.example.com'}),
    ('SmartProgressStorage', {}),
    ('SmartProgressStorage', {'name': 'myop', 'prefix': 'my-op.example.com'}),
]
DIFFBASE = [
    ('StatusDiffBaseStorage', {}),
    ('StatusDiffBaseStorage', {'field': 'status.{name}-base', 'name': 'my'}),
    ('AnnotationsDiffBaseStorage', {}),
]
if NUMBERS >= (0, 28):
    DIFFBASE += [('AnnotationsDiffBaseStorage', {'prefix': 'my-op.example.com', 'key': 'last'})]


def merged(target, patch):
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        present = target.pop(key, None)
        if value is not None:
            target[key] = merged(present, value)
    return target


def say(op, storage, args, body, call, handler_id=None, record=None, note=None):
    patch = patches.Patch()
    row = {'op': op, 'storage': storage, 'args': args, 'handler_id': handler_id, 'record': record, 'body': body}
    try:
        call(bodies.Body(copy.deepcopy(body)), patch)
        row['patch'] = json.loads(json.dumps(dict(patch)))
        row['applied'] = merged(body, row['patch'])
    except Exception as error:
        row['patch'] = None
        row['error'] = f'{type(error).__name__}: {error}'
    row.update({'note': note} if note else {})
    print(json.dumps({**row, 'kopf_version': VERSION}, ensure_ascii=False))
    return row.get('applied')


def ask_progress(kind, args):
    storage = getattr(progress, kind)(**args)
    store = lambda id: lambda body, patch: storage.store(key=id, record=RECORD, body=body, patch=patch)
    purge = lambda id: lambda body, patch: storage.purge(key=id, body=body, patch=patch)
    touch = lambda value: lambda body, patch: storage.touch(body=body, patch=patch, value=value)
    for id in IDS:
        stored = say('progress.store', kind, args, BODY, store(id), handler_id=id, record=RECORD)
        say('progress.purge', kind, args, stored, purge(id), handler_id=id)
    say('progress.store', kind, args, OWNED, store(IDS[0]), handler_id=IDS[0], record=RECORD)
    both = lambda body, patch: (store(IDS[0])(body, patch), purge(IDS[0])(body, patch))
    say('progress.store+purge', kind, args, BODY, both, handler_id=IDS[0], record=RECORD)
    touched = say('progress.touch', kind, args, BODY, touch(MOMENT), record=MOMENT)
    say('progress.touch', kind, args, touched, touch(None))
    say('progress.touch', kind, args, BODY, touch(None))


def ask_diffbase(kind, args):
    storage = getattr(diffbase, kind)(**args)
    for extra in (None, ['status.phase']):
        for body in (BODY, OWNED):
            essence = storage.build(body=bodies.Body(copy.deepcopy(body)), extra_fields=extra)
            essence = progress.SmartProgressStorage().clear(essence=essence)
            store = lambda body, patch: storage.store(body=body, patch=patch, essence=essence)
            say('diffbase.store', kind, args, body, store, record=essence, note=f'extra_fields={extra}')


for kind, args in PROGRESS:
    ask_progress(kind, args)
for kind, args in DIFFBASE:
    ask_diffbase(kind, args)
