import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isJsonObject, type JsonObject, seededRandom } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { openMemoryStore } from '@fnlet/store';
import { builtinStrategies } from '../../src/builtins/builtin-strategies.ts';
import { ServiceNumbers } from '../../src/builtins/networking/service-numbers.ts';
import { applyDefaults } from '../../src/object/apply-defaults.ts';
import { withFields, withMetadata } from '../../src/object/object-form.ts';
import { admitValue } from '../../src/request/decode-object.ts';
import { createResource, type Resource } from '../../src/resource/resource.ts';
import { withValue } from '../with-value.ts';

/** The time of all tests: 2026-01-01T01:00:00Z; objects are an hour old. */
export const now: number = Date.parse('2026-01-01T01:00:00Z');

/** A value at a path such as `spec.ports[0].name`, what it is replaced by, and what is said then. */
export type Row = readonly [path: string, value: unknown, ...refusals: readonly string[]];

/** A builtin kind, looked at without a server. */
export class KindUnderTest {
  readonly #resource: Resource;

  constructor(apiVersion: string, plural: string) {
    const strategy = builtinStrategies.find(({ type }) => {
      const own = type.group === '' ? type.version : `${type.group}/${type.version}`;
      return own === apiVersion && type.plural === plural;
    });
    assert.ok(strategy, `${apiVersion} ${plural} is served`);
    this.#resource = createResource(strategy);
  }

  /** The object as a server has it once it is decoded and has its defaults. */
  complete(value: JsonObject): KubeObject {
    const { object } = admitValue(this.#resource, value);
    return applyDefaults(this.#resource, object);
  }

  /** The object as a server has it when it was just created. */
  create(value: JsonObject): KubeObject {
    const complete = this.complete(value);
    const named = withMetadata(complete, {
      uid: 'a-uid',
      creationTimestamp: '2026-01-01T00:00:00Z',
    });
    const user = { name: 'jane', uid: 'jane-uid', groups: ['devs'], extra: { scopes: ['all'] } };
    const nothing = (): readonly KubeObject[] => [];
    const find = (): undefined => undefined;
    const random = seededRandom(1);
    const serviceNumbers = new ServiceNumbers(openMemoryStore());
    const reads = { siblings: nothing, others: nothing, find, serviceNumbers };
    const context = { now, random, user, ...reads };
    return this.#resource.strategy.prepareCreate?.(named, context) ?? named;
  }

  /** What is said about an object, or about a change of one. */
  refusals(object: KubeObject, old?: KubeObject, subresource?: string): readonly string[] {
    const errors = this.#resource.strategy.validate?.(object, old, subresource) ?? [];
    return errors.map(({ field, message }) => `${field}: ${message}`);
  }

  /** The cells of `kubectl get -o wide`, by column. */
  cells(object: KubeObject): Readonly<Record<string, unknown>> {
    const { columns } = this.#resource.strategy;
    return Object.fromEntries(columns.map(({ name, cell }) => [name, cell(object, now)]));
  }

  /** The columns that are always shown, and those that only wide output has. */
  columns(): readonly [narrow: readonly string[], wide: readonly string[]] {
    const { columns } = this.#resource.strategy;
    const isNarrow = (priority = 0): boolean => priority === 0;
    return [
      columns.filter(({ priority }) => isNarrow(priority)).map(({ name }) => name),
      columns.filter(({ priority }) => !isNarrow(priority)).map(({ name }) => name),
    ];
  }

  /** A test for every row: the good object with one thing replaced. */
  refuses(good: JsonObject, rows: readonly Row[]): void {
    const { kind } = this.#resource.strategy.type;
    it(`a good ${kind} is accepted`, () => {
      assert.deepEqual(this.refusals(this.create(good)), []);
    });
    for (const [path, value, ...expected] of rows) {
      it(`${kind}: ${path} = ${JSON.stringify(value) ?? 'nothing'}`, () => {
        const changed = replaced(good, path, value);
        assert.ok(isJsonObject(changed));
        assert.deepEqual(this.refusals(this.create(changed)), expected);
      });
    }
  }

  /** A test for every row: the created object with one thing replaced, as an update. */
  refusesChange(good: JsonObject, rows: readonly Row[]): void {
    const { kind } = this.#resource.strategy.type;
    for (const [path, value, ...expected] of rows) {
      it(`${kind}: change of ${path} to ${JSON.stringify(value) ?? 'nothing'}`, () => {
        const old = this.create(good);
        const changed = replaced(old, path, value);
        assert.ok(isJsonObject(changed));
        const next = withFields(this.complete(changed), { metadata: changed.metadata });
        assert.deepEqual(this.refusals(next, old), expected);
      });
    }
  }
}

/** A copy of the value with another one at the path; undefined takes it out. */
export function replaced(value: unknown, path: string, by: unknown): unknown {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
  return withValue(value, steps, by);
}
