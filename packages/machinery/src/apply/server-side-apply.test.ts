import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deepFreeze, type JsonObject } from '@fnlet/base';
import type { FieldType } from '../field-type.ts';
import type { KubeObject } from '../object.ts';
import { conflictStatus } from './apply-conflict.ts';
import { parseFieldSet } from './field-set.ts';
import {
  applyServerSide,
  type ServerSideApply,
  type TrackedUpdate,
  trackUpdate,
} from './server-side-apply.ts';

const deduced: FieldType = { kind: 'deduced' };
const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'];

function configMap(data: JsonObject, metadata: JsonObject = {}): KubeObject {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', ...metadata },
    data,
  };
  return deepFreeze(object);
}

type Request = Pick<ServerSideApply, 'live' | 'config'> & Partial<ServerSideApply>;

function apply(request: Request): KubeObject {
  const result = applyServerSide({
    manager: 'me',
    force: false,
    type: deduced,
    now: early,
    ...request,
  });
  if (result.kind === 'conflicts') throw conflictStatus(result.conflicts);
  return deepFreeze(result.object);
}

function update(before: KubeObject | undefined, after: KubeObject, manager = 'curl'): KubeObject {
  return deepFreeze(trackUpdate({ before, after, manager, type: deduced, now: early }));
}

function owned(object: KubeObject): Record<string, unknown> {
  const entries = object.metadata.managedFields ?? [];
  return Object.fromEntries(entries.map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
}

describe('applyServerSide()', () => {
  test('creates what does not exist', () => {
    assert.deepEqual(apply({ live: undefined, config: configMap({ k: 'v' }) }), {
      ...configMap({ k: 'v' }),
      metadata: {
        name: 'a',
        managedFields: [
          {
            manager: 'me',
            operation: 'Apply',
            apiVersion: 'v1',
            time: early,
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { '.': {}, 'f:k': {} } },
          },
        ],
      },
    });
  });

  test('returns the live object itself when nothing changes', () => {
    const config = configMap({ k: 'v' }, { labels: { a: 'b' } });
    const live = apply({ live: undefined, config });
    assert.equal(apply({ live, config, now: late }), live);
  });

  test('keeps the time of an owner when only the ownership changes', () => {
    const live = update(undefined, configMap({ k: 'v' }));
    const shared = apply({ live, config: configMap({ k: 'v' }), now: late });
    const times = shared.metadata.managedFields?.map(({ manager, time }) => [manager, time]);
    assert.deepEqual(times, [
      ['me', undefined],
      ['curl', early],
    ]);
  });

  test('moves the time of an applier that changes something', () => {
    const live = apply({ live: undefined, config: configMap({ k: 'v' }) });
    const changed = apply({ live, config: configMap({ k: 'w' }), now: late });
    assert.equal(changed.metadata.managedFields?.[0]?.time, late);
  });

  test('changes when only the order of a set does', () => {
    const tags: FieldType = {
      kind: 'list',
      relationship: 'set',
      element: { kind: 'scalar' },
      keys: [],
      keyDefaults: {},
    };
    const fields = { tags };
    const type: FieldType = { kind: 'map', relationship: 'granular', fields, element: deduced };
    const config = (...items: string[]): KubeObject => ({ ...configMap({}), tags: items });
    const live = apply({ live: undefined, config: config('a', 'b'), type });
    assert.deepEqual(apply({ live, config: config('b', 'a'), type }).tags, ['b', 'a']);
  });

  test('removes what the manager no longer wants and nobody else owns', () => {
    const first = apply({ live: undefined, config: configMap({ a: '1', b: '2' }) });
    const live = apply({ live: first, config: configMap({ b: '2' }), manager: 'other' });
    const rest = apply({ live, config: configMap({ c: '3' }) });
    assert.deepEqual(rest.data, { b: '2', c: '3' });
  });

  test('keeps the name, uid and counters of an object whose metadata it empties', () => {
    const live = apply({ live: undefined, config: configMap({}, { labels: { a: 'b' } }) });
    const stored = { ...live, metadata: { ...live.metadata, uid: 'u', generation: 3 } };
    const { managedFields: _, ...metadata } = apply({
      live: stored,
      config: configMap({}),
    }).metadata;
    assert.deepEqual(metadata, { name: 'a', uid: 'u', generation: 3 });
  });

  test('takes fields away with force, and drops an owner who has nothing left', () => {
    const live = update(undefined, configMap({ k: 'v' }));
    const taken = apply({ live, config: configMap({ k: 'w' }), force: true });
    assert.deepEqual(taken.data, { k: 'w' });
    assert.deepEqual(owned(taken), {
      curl: { 'f:data': {} },
      me: { 'f:data': { '.': {}, 'f:k': {} } },
    });
  });

  test('gives what had no owner to before-first-apply', () => {
    const live = configMap({ k: 'v', l: 'v' });
    const applied = apply({ live, config: configMap({ k: 'v' }) });
    assert.deepEqual(owned(applied), {
      'before-first-apply': { 'f:data': { '.': {}, 'f:k': {}, 'f:l': {} } },
      me: { 'f:data': { '.': {}, 'f:k': {} } },
    });
  });

  test('owns nothing that the server resets', () => {
    const resetFields = parseFieldSet({ 'f:status': {} });
    const config = { ...configMap({ k: 'v' }), status: { ready: true } };
    const applied = apply({ live: undefined, config, resetFields });
    assert.deepEqual(owned(applied), { me: { 'f:data': { '.': {}, 'f:k': {} } } });
  });

  test('compares with owners at other versions in their version', () => {
    const v2 = { ...configMap({ k: 'v' }), apiVersion: 'v2' };
    const live = apply({ live: undefined, config: v2, manager: 'other' });
    const config = configMap({ k: 'w' });
    assert.throws(() => apply({ live, config }), { code: 'Conflict' });
    // A version that is no longer served has no say.
    const gone = apply({ live, config, convert: () => undefined });
    assert.deepEqual(Object.keys(owned(gone)), ['me']);
  });

  test('merges keys like __proto__ as data', () => {
    const config: unknown = JSON.parse('{"__proto__": {"polluted": true}, "k": "v"}');
    const live = apply({ live: undefined, config: configMap({ a: '1' }), manager: 'other' });
    const applied = apply({ live, config: { ...configMap({}), data: config } });
    assert.match(JSON.stringify(applied.data), /"__proto__":\{"polluted":true\}/);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
  });

  test('repairs a live list whose items cannot be told apart', () => {
    const ports: FieldType = {
      kind: 'list',
      relationship: 'map',
      element: deduced,
      keys: ['name'],
      keyDefaults: {},
    };
    const type: FieldType = {
      kind: 'map',
      relationship: 'granular',
      fields: { ports },
      element: deduced,
    };
    const live = { ...configMap({}), ports: [{ port: 1 }, null, { name: 'a' }, { name: 'a' }] };
    const applied = apply({ live, config: { ...configMap({}), ports: [{ name: 'b' }] }, type });
    assert.deepEqual(applied.ports, [
      { port: 1 },
      null,
      { name: 'a' },
      { name: 'a' },
      { name: 'b' },
    ]);
  });

  test('refuses a config that does not fit its type', () => {
    const list: FieldType = {
      kind: 'list',
      relationship: 'atomic',
      element: deduced,
      keys: [],
      keyDefaults: {},
    };
    const type: FieldType = {
      kind: 'map',
      relationship: 'granular',
      fields: { apiVersion: deduced, kind: deduced, metadata: deduced, data: list },
    };
    assert.throws(
      () => apply({ live: undefined, config: configMap({}, { namespace: 'n' }), type }),
      {
        code: 'InvalidTypedValue',
        message:
          'failed to create typed patch object (n/a; /v1, Kind=ConfigMap): ' +
          '.data: expected list, got &{{}}',
      },
    );
  });
});

describe('conflictStatus()', () => {
  test('says who owns the field', () => {
    const live = update(undefined, configMap({ k: 'v' }));
    assert.throws(() => apply({ live, config: configMap({ k: 'w' }) }), {
      code: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "curl" using v1: .data.k',
    });
  });

  test('groups several conflicts by owner', () => {
    const mine = apply({ live: undefined, config: configMap({ a: '1' }) });
    const live = update(mine, { ...mine, data: { a: '1', b: '2', c: '3' } });
    assert.throws(
      () => apply({ live, config: configMap({ a: 'x', b: 'x', c: 'x' }), manager: 'z' }),
      {
        message:
          'Apply failed with 3 conflicts: conflicts with "curl" using v1:\n- .data.b\n- .data.c\n' +
          'conflicts with "me":\n- .data.a',
      },
    );
  });

  test('names the subresource', () => {
    const base = apply({ live: undefined, config: configMap({}) });
    const after = { ...base, status: { n: 1 } };
    const write = {
      before: base,
      manager: 'ctl',
      type: deduced,
      now: early,
      subresource: 'status',
    };
    const live = trackUpdate({ ...write, after });
    const config = { ...configMap({}), status: { n: 2 } };
    assert.throws(() => apply({ live, config, manager: 'sa', subresource: 'status' }), {
      message:
        'Apply failed with 1 conflict: conflict with "ctl" with subresource "status" using v1: .status.n',
    });
  });
});

describe('trackUpdate()', () => {
  test('gives a created object to its creator', () => {
    const created = update(undefined, configMap({ k: 'v' }), '');
    assert.deepEqual(owned(created), { unknown: { 'f:data': { '.': {}, 'f:k': {} } } });
  });

  test('gives the creator no structs that are there when nobody wrote anything', () => {
    const fields = { empty: {}, filled: { k: 'v' }, own: {}, zero: 0, one: 1 };
    const created = trackUpdate({
      before: undefined,
      after: { ...configMap({}), ...fields },
      zero: { empty: {}, filled: {}, zero: 0, one: 0, list: null },
      manager: 'curl',
      type: deduced,
      now: early,
    });
    assert.deepEqual(owned(created), {
      curl: { 'f:data': {}, 'f:filled': { 'f:k': {} }, 'f:own': {}, 'f:one': {} },
    });
  });

  test('gives changes to who makes them, and removed fields to nobody', () => {
    const live = update(undefined, configMap({ a: '1', b: '2', c: '3' }));
    const after = update(live, { ...live, data: { a: '1', b: 'x' } }, 'other');
    assert.deepEqual(owned(after), {
      curl: { 'f:data': { '.': {}, 'f:a': {} } },
      other: { 'f:data': { 'f:b': {} } },
    });
  });

  test('changes nothing when nothing changes, not even times', () => {
    const live = update(undefined, configMap({ k: 'v' }));
    const again = trackUpdate({
      before: live,
      after: live,
      manager: 'x',
      type: deduced,
      now: late,
    });
    assert.deepEqual(again, live);
  });

  test('moves no time of a manager that only removes', () => {
    const live = update(undefined, configMap({ a: '1', b: '2' }));
    const after = { ...live, data: { a: '1' } };
    const found = trackUpdate({ before: live, after, manager: 'curl', type: deduced, now: late });
    assert.equal(found.metadata.managedFields?.[0]?.time, early);
  });

  test('keeps the owners of a client that sends none or broken ones', () => {
    const live = update(undefined, configMap({ k: 'v' }));
    const { managedFields: _, ...metadata } = live.metadata;
    const none = update(live, { ...live, metadata }, 'other');
    const broken: unknown = [{ operation: 'Nonsense' }];
    const sent: JsonObject = { ...metadata, managedFields: broken };
    const after = update(live, configMap({ k: 'v' }, sent), 'other');
    assert.deepEqual(owned(none), owned(live));
    assert.deepEqual(owned(after), owned(live));
  });

  test('forgets all owners on an empty list or entry, but not through a subresource', () => {
    const live = update(undefined, configMap({ k: 'v' }));
    for (const managedFields of [[], [{}]]) {
      const after = configMap({ k: 'v' }, { managedFields });
      assert.deepEqual(update(live, after), configMap({ k: 'v' }));
      const status: TrackedUpdate = {
        before: live,
        after,
        manager: 'x',
        type: deduced,
        now: late,
        subresource: 'status',
      };
      assert.deepEqual(owned(trackUpdate(status)), owned(live));
    }
  });

  test('leaves an object without owners as it is until somebody applies', () => {
    const live = configMap({ k: 'v' });
    assert.deepEqual(update(live, configMap({ k: 'w' })), configMap({ k: 'w' }));
  });

  test('takes over managedFields that the client edited', () => {
    const live = update(undefined, configMap({ k: 'v' }));
    const [mine] = live.metadata.managedFields ?? [];
    const after = configMap({ k: 'v' }, { managedFields: [{ ...mine, manager: 'renamed' }] });
    assert.deepEqual(Object.keys(owned(update(live, after))), ['renamed']);
  });

  test('keeps at most ten updaters', () => {
    let live = update(undefined, configMap({}));
    for (let i = 0; i < 15; i++) {
      const data = { ...Object(live.data), [`k${i}`]: 'v' };
      live = update(live, { ...live, data }, `manager-${i}`);
    }
    assert.equal(live.metadata.managedFields?.length, 10);
    assert.ok('ancient-changes' in owned(live));
  });
});
