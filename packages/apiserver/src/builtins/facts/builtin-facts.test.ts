import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuiltinFacts, builtinFacts, messageName } from './builtin-facts.ts';
import { builtinKinds } from './builtin-kinds.ts';
import type { TypeFact } from './message-fact.ts';

function referred(type: TypeFact): readonly string[] {
  if (type.kind === 'message') return [type.message];
  return type.kind === 'scalar' ? [] : referred(type.item);
}

test('builtinFacts have every message that a builtin kind refers to', () => {
  const seen = new Set<string>();
  const waiting = builtinKinds.map(messageName);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const fields = [...builtinFacts.message(name).wireFields.values()];
    waiting.push(...fields.flatMap(({ type }) => referred(type)));
  }
  assert.ok(seen.size > 400);
});

test('builtinFacts give every field of a message its own number', () => {
  for (const { kind, ...type } of builtinKinds) {
    const { fields, wireFields } = builtinFacts.message(messageName({ ...type, kind }));
    assert.equal(wireFields.size, fields.size, kind);
    assert.ok([...wireFields.keys()].every((number) => number > 0));
  }
});

test('builtinFacts know of a field what Go knows', () => {
  const ports = builtinFacts.message('core.v1.ServiceSpec').fields.get('ports');
  assert.deepEqual(ports, {
    name: 'ports',
    number: 1,
    type: { kind: 'list', item: { kind: 'message', message: 'core.v1.ServicePort' } },
    pointer: false,
    omitEmpty: true,
    omitZero: false,
    inline: false,
    required: false,
    list: { type: 'map', keys: ['port', 'protocol'] },
    patch: { strategy: ['merge'], mergeKey: 'port' },
  });
});

test('builtinFacts show the fields of inlined structs in JSON, and the struct on the wire', () => {
  const volume = builtinFacts.message('core.v1.Volume');
  assert.ok(volume.fields.has('emptyDir'));
  assert.equal(volume.wireFields.get(2)?.name, '(VolumeSource)');
});

test('BuiltinFacts read their file when the first message is asked for, and once', () => {
  let reads = 0;
  const facts = new BuiltinFacts(() => {
    reads++;
    return { 'a.v1.A': { x: '1 string' }, 'a.v1.B': {} };
  });
  assert.equal(reads, 0);
  facts.message('a.v1.A');
  facts.message('a.v1.B');
  assert.equal(reads, 1);
  assert.throws(() => facts.message('a.v1.C'), /no message "a.v1.C"/);
});
