import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseFieldSelector, parseLabelSelector } from '@fnlet/machinery';
import type { Change } from '@fnlet/store';
import { eventForm } from '../answer/presentation.ts';
import { builtinStrategies } from '../builtins/builtin-strategies.ts';
import { createSelection, type Selection } from '../object/selection.ts';
import { createResource, type Resource } from '../resource/resource.ts';
import { SharedChange } from './shared-change.ts';

function configMaps(): Resource {
  const strategy = builtinStrategies.find(({ stored }) => stored.plural === 'configmaps');
  assert(strategy !== undefined);
  return createResource(strategy);
}

const resource = configMaps();
const plain = {
  resource,
  transform: undefined,
  include: 'Metadata',
  clock: { now: () => 0 },
} as const;
const form = eventForm(plain, false);

interface Asked {
  readonly fields?: string;
  readonly labels?: string;
}

function select({ fields, labels }: Asked): Selection {
  const options = {
    fields: fields === undefined ? undefined : parseFieldSelector(fields),
    labels: labels === undefined ? undefined : parseLabelSelector(labels),
  };
  return createSelection(resource, { namespace: 'a' }, options);
}

const text = (name: string, tier: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","labels":{"tier":"${tier}"}}}`;

/** A change of the ConfigMap `x`, and how often its objects were looked into. */
function changeOf(before: string | undefined, after: string | undefined) {
  let looks = 0;
  const read = (kept: string | undefined) => {
    looks++;
    return kept === undefined ? undefined : JSON.parse(kept);
  };
  const change: Change = {
    revision: 7,
    key: 'objects/core/configmaps/a/x',
    text: after,
    previousText: before,
    get value() {
      return read(after);
    },
    get previous() {
      return read(before);
    },
  };
  return { shared: new SharedChange(resource, change), looks: () => looks };
}

function linesOf(shared: SharedChange, asked: readonly Asked[]): readonly (string | undefined)[] {
  return asked.map((one) => {
    const line = shared.show(select(one), form)?.line;
    return line === undefined ? undefined : Buffer.from(line).toString();
  });
}

const first = text('x', 'one');
const second = text('x', 'two');
const shown = (type: string, kept: string): string =>
  `{"type":"${type}","object":${kept.replace('"metadata":{', '"metadata":{"resourceVersion":"7",')}}\n`;

describe('SharedChange', () => {
  it('shows who asks for a name alone its object, and looks into none for it', () => {
    const names = [{ fields: 'metadata.name=x' }, { fields: 'metadata.name=y' }];
    const cases = [
      { shared: changeOf(undefined, first), line: shown('ADDED', first) },
      { shared: changeOf(first, second), line: shown('MODIFIED', second) },
      { shared: changeOf(second, undefined), line: shown('DELETED', second) },
    ];
    for (const { shared, line } of cases) {
      assert.deepEqual(linesOf(shared.shared, names), [line, undefined]);
      assert.equal(shared.looks(), 0);
    }
  });

  it('looks into the object for who asks for more than a name', () => {
    const { shared } = changeOf(first, second);
    const asked = [
      { fields: 'metadata.name=x', labels: 'tier=one' },
      { fields: 'metadata.name=x', labels: 'tier=two' },
      { fields: 'metadata.name=x', labels: 'tier=three' },
      { fields: 'metadata.name=x,metadata.name!=x' },
      { fields: 'metadata.name!=y' },
    ];
    assert.deepEqual(linesOf(shared, asked), [
      shown('DELETED', first),
      shown('ADDED', second),
      undefined,
      undefined,
      shown('MODIFIED', second),
    ]);
  });

  it('writes an event down once for all who see it alike', () => {
    const { shared } = changeOf(first, second);
    const byName = shared.show(select({ fields: 'metadata.name=x' }), form);
    assert.equal(shared.show(select({}), form), byName);
    const left = shared.show(select({ labels: 'tier=one' }), form);
    assert.notEqual(left, byName);
    const columned = { ...form, key: 'another' };
    assert.notEqual(shared.show(select({}), columned), byName);
  });
});
