"""Asks the Kopf that is importable about random storages, ids, records and objects, in the format of `ask.py`.

    venv/bin/python ask_random.py SEED COUNT > random.jsonl
"""
import contextlib
import io
import json
import random
import sys
import warnings

SEED, COUNT = int(sys.argv[1]), int(sys.argv[2])
sys.argv = sys.argv[:1]
warnings.simplefilter('ignore')
with contextlib.redirect_stdout(io.StringIO()):
    import ask

dice = random.Random(SEED)
LETTERS = 'abcXYZ019-_./<>: é😀"\\\n\x7fßİK'


def word(least, most, letters=LETTERS):
    return ''.join(dice.choice(letters) for _ in range(dice.randint(least, most)))


def number():
    scaled = dice.uniform(-1, 1) * 10 ** dice.randint(-20, 25)
    return dice.choice([scaled, scaled, 0.1, 1e16, 123456.75, 5e-324, 1.7976931348623157e308, -2.5e-5])


def value(depth=0):
    kind = dice.randint(0, 7 if depth < 3 else 5)
    if kind == 6:
        return [value(depth + 1) for _ in range(dice.randint(0, 3))]
    if kind == 7:
        return {word(0, 6): value(depth + 1) for _ in range(dice.randint(0, 4))}
    return [None, dice.random() < .5, dice.randint(-10**18, 10**18), number(), word(0, 12), word(0, 12)][kind]


def as_served(it):
    """Keys in the order in which the API server sends them."""
    if isinstance(it, dict):
        return {key: as_served(it[key]) for key in sorted(it, key=str.encode)}
    return [as_served(one) for one in it] if isinstance(it, list) else it


def thing(prefix, id):
    body = {**json.loads(json.dumps(ask.BODY)), 'spec': value(), 'other': value()}
    body['status'] = dice.choice([{'phase': 'x'}, {'a': value(), 'kopf': {'progress': {'x': 1}}}])
    keys = ['a/kopf-managed', 'a/x', 'kopf.zalando.org/q', 'x.kopf.zalando.org/z', 'some', f'{prefix}/kopf-managed', f'{prefix}/{id}']
    if dice.random() < .4:
        body['metadata']['annotations'] = {dice.choice(keys): 'v' for _ in range(4)}
    return as_served(body)


def progress(prefix, v1):
    return dice.choice([
        ('AnnotationsProgressStorage', {'prefix': prefix, 'v1': v1, 'verbose': dice.random() < .3, 'touch_key': word(1, 70)}),
        ('SmartProgressStorage', {'prefix': prefix, 'v1': v1, 'name': word(0, 5, 'ab.')}),
        ('StatusProgressStorage', {'field': dice.choice(['status.{name}.p', '{name}', 'a{{b}}.c', ['x', '{name}']]), 'name': word(0, 4, 'ab.')}),
    ])


def diffbase(prefix, v1):
    return dice.choice([
        ('AnnotationsDiffBaseStorage', {'prefix': prefix, 'v1': v1, 'key': word(1, 70)}),
        ('AnnotationsDiffBaseStorage', {'ignored_fields': ['spec.a', ['metadata', 'labels'], 'status']}),
        ('StatusDiffBaseStorage', {'field': dice.choice(['status.{name}.p', 'status.x'])}),
    ])


def ask_once():
    id, prefix, v1 = word(0, dice.choice([10, 70, 200])), word(1, dice.choice([8, 60, 250]), 'abc.-x/'), dice.random() < .7
    body = thing(prefix, id)
    record = {key: None if dice.random() < .15 else it for key, it in ask.RECORD.items()} | {'message': word(0, 30)}
    kind, args = progress(prefix, v1)
    storage = getattr(ask.progress, kind)(**args)
    store = lambda body, patch: storage.store(key=id, record=record, body=body, patch=patch)
    stored = ask.say('progress.store', kind, args, body, store, handler_id=id, record=record)
    ask.say('progress.purge', kind, args, stored, lambda body, patch: storage.purge(key=id, body=body, patch=patch), handler_id=id)
    moment = dice.choice([None, ask.MOMENT])
    ask.say('progress.touch', kind, args, stored, lambda body, patch: storage.touch(body=body, patch=patch, value=moment), record=moment)
    kind, args = diffbase(prefix, v1)
    storage, extra = getattr(ask.diffbase, kind)(**args), dice.choice([None, ['status.a'], ['status'], ['metadata.name']])
    essence = storage.build(body=ask.bodies.Body(json.loads(json.dumps(body))), extra_fields=extra)
    essence = ask.progress.SmartProgressStorage().clear(essence=essence)
    keep = lambda body, patch: storage.store(body=body, patch=patch, essence=essence)
    ask.say('diffbase.store', kind, args, body, keep, record=essence, note=f'extra_fields={extra}')


for _ in range(COUNT):
    ask_once()
