/**
 * What kube-apiserver 1.36 refuses, and in which words: recorded by `tooling/record-refusals`.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import type { JsonObject } from '@fnlet/base';
import { at } from './at.ts';
import { documentedCounts, knownDifferences } from './known-differences.ts';
import { type OpenedServer, openServer } from './opened-server.ts';
import { withValue } from './with-value.ts';

const file = 'refusals-1.36.jsonl';

interface Good {
  readonly name: string;
  readonly path: string;
  readonly object: JsonObject;
}

interface Case {
  readonly good: string;
  readonly at: readonly string[];
  readonly value?: unknown;
  readonly refusals: readonly string[];
}

const lines = readFileSync(join(import.meta.dirname, 'recorded', file), 'utf8')
  .trim()
  .split('\n')
  .map((line): Good & Case => JSON.parse(line));
const goods = new Map(
  lines.filter(({ object }) => object !== undefined).map((good) => [good.name, good]),
);
const cases = lines.filter(({ refusals }) => refusals !== undefined);

async function refusalsOf(server: OpenedServer, good: Good, object: unknown): Promise<unknown> {
  const { body } = await server.ask('POST', good.path, { body: object, query: { dryRun: 'All' } });
  const causes = at(body, '/details/causes');
  if (!Array.isArray(causes)) return at(body, '/message') ?? [];
  return causes.map(({ field, message }) => `${field}: ${message}`).toSorted();
}

/** Where a case is, as the page of differences names it. */
function nameOf({ good, at: place }: Case): string {
  return `${good}/${place.join('.')}`;
}

// Pods are admitted once their namespace has its account.
async function settleUntilFurnished(server: OpenedServer): Promise<void> {
  for (let turn = 0; turn < 10_000; turn++) {
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    if ((await server.ask('GET', account)).status === 200) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('Waited in vain for the account of the namespace');
}

it('refuses what kube-apiserver 1.36 refuses, in its words', async (t) => {
  await using server = await openServer();
  await settleUntilFurnished(server);
  for (const good of goods.values()) {
    assert.deepEqual(await refusalsOf(server, good, good.object), [], `${good.name} is good`);
  }
  const known = knownDifferences(file);
  const different = new Map<string, string>();
  for (const one of cases) {
    const good = goods.get(one.good);
    assert.ok(good, `there is a good object ${one.good}`);
    const found = await refusalsOf(server, good, withValue(good.object, one.at, one.value));
    const wanted = one.refusals.toSorted();
    if (JSON.stringify(found) === JSON.stringify(wanted)) continue;
    different.set(
      nameOf(one),
      `expected ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`,
    );
  }
  const unknown = [...different].filter(([name]) => !known.has(name));
  assert.deepEqual(unknown, [], 'differs unexpectedly');
  const healed = [...known.keys()].filter((name) => !different.has(name));
  assert.deepEqual(healed, [], 'is the same by now');
  const same = cases.length - different.size;
  t.diagnostic(`${cases.length} recorded refusals, ${same} the same`);
  assert.deepEqual(documentedCounts(file), [cases.length, same, different.size]);
});
