/**
 * Records what kube-apiserver says about objects that are nearly good: each good object of the file
 * with one thing changed, and one case for each refusal that comes of it. With a Go that
 * fetches modules, and some minutes:
 *
 *     go build -C tooling/record-refusals -o /tmp/judge .
 *     node tooling/record-refusals/record.ts /tmp/judge
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, type Random, randomInt, seededRandom } from '@fnlet/base';
import { withValue } from '../../packages/apiserver/test/with-value.ts';

/** A good object, where it is created, and what it is called below. */
interface Good {
  readonly name: string;
  readonly path: string;
  readonly object: JsonObject;
}

/** A good object with another value at a place, and what is said about it. */
interface Case {
  readonly good: string;
  readonly at: readonly string[];
  /** Absent: what was there is taken out. */
  readonly value?: unknown;
  readonly refusals: readonly string[];
}

const file = join(
  import.meta.dirname,
  '../../packages/apiserver/test/recorded/refusals-1.36.jsonl',
);
const triesPerObject = 3_000;

const texts = [
  ...['UPPER_case!', '-x', 'a b', 'x/y', 'a.b.c', '../x', '/abs', '*', 'a/b/c', 'é', 'a:b'],
  ...['a'.repeat(64), '300.1.1.1', '::1', '10.0.0.0/8', '10.0.0.1/8'],
  ...['Always', 'Never', 'OnFailure', 'Exists', 'In', 'DoesNotExist', 'Recreate', 'None', 'UDP'],
  ...['Local', 'NodePort', 'ExternalName', 'web', 'http', '80', '-1', '101%', '50%', '1.5'],
  ...['1Gi', '-1Gi', '100m', ''],
];
const numbers = [-1, 0, 1, 2, 3, 100, 101, 30_000, 65_535, 65_536, 99_999, 2_147_483_647];

function pick<T>(list: readonly T[], random: Random): T | undefined {
  return list[randomInt(random, list.length)];
}

function places(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const here = [...at, name];
    return [here, ...places(item, here)];
  });
}

function valueAt(value: unknown, at: readonly string[]): unknown {
  return at.reduce<unknown>(
    (found, name) =>
      typeof found === 'object' && found !== null ? Object(found)[name] : undefined,
    value,
  );
}

/** Another value in place of this one; undefined takes it out. */
function another(value: unknown, random: Random): unknown {
  if (random.next() < 0.15) return undefined;
  if (typeof value === 'string') return pick(texts, random);
  if (typeof value === 'number') return pick(numbers, random);
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return random.next() < 0.4 ? [] : [...value, pick(value, random)];
  return {};
}

/** A refusal, whatever the value and the place in a list. */
function kindOf(refusal: string): string {
  return refusal
    .replaceAll(/\[\d+\]/g, '[]')
    .replace(/ value: ("(?:[^"\\]|\\.)*"|-?[\d.]+|\{.*\}|\[.*\])/, ' value: V')
    .replace(/(label not supported): .*$/, '$1');
}

function read(): readonly Good[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): Good => JSON.parse(line))
    .filter(({ object }) => object !== undefined);
}

function judge(program: string, objects: readonly unknown[]): readonly JsonObject[] {
  const input = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const { stdout } = spawnSync(program, { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function record(program: string): void {
  const random = seededRandom(36);
  const goods = read();
  const tries = goods.flatMap(({ name, object }) => {
    const all = places(object).filter(([first]) => first !== 'apiVersion' && first !== 'kind');
    return Array.from({ length: triesPerObject }, () => {
      const at = pick(all, random) ?? [];
      return { good: name, at, value: another(valueAt(object, at), random), object };
    });
  });
  const verdicts = judge(
    program,
    tries.map(({ object, at, value }) => withValue(object, at, value)),
  );
  const known = new Set<string>();
  const cases: Case[] = [];
  for (const [i, { good, at, value }] of tries.entries()) {
    const { refusals, undecided } = verdicts[i] ?? {};
    if (undecided !== undefined || !Array.isArray(refusals) || refusals.length === 0) continue;
    const kinds = refusals.map((refusal) => `${good} ${kindOf(String(refusal))}`);
    if (kinds.every((kind) => known.has(kind))) continue;
    for (const kind of kinds) known.add(kind);
    cases.push({ good, at, ...(value === undefined ? {} : { value }), refusals });
  }
  const lines = [...goods, ...cases].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(file, lines.join(''));
  process.stdout.write(`${goods.length} good objects, ${cases.length} cases\n`);
}

const [program] = process.argv.slice(2);
if (program !== undefined) record(program);
