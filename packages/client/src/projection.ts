import { isJsonObject } from '@fnlet/base';
import { ClientError } from './client-error.ts';

/** What of a JSON value is kept: all of it, nothing, or parts. */
export type Projection = 'all' | 'none' | PartProjection;

/** Of a list the items that are objects or lists themselves, of an object its fields. */
export interface PartProjection {
  readonly fields: ReadonlyMap<string, Projection>;
  /** What is kept of fields without a name in `fields`. */
  readonly others: 'all' | 'none';
  readonly items: Projection;
}

/** What every object keeps: what it is, whose it is, which state it is in, and how it is selected. */
const identifying: readonly string[] = [
  'apiVersion',
  'kind',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.creationTimestamp',
  'metadata.deletionTimestamp',
  'metadata.labels',
  'metadata.ownerReferences',
  'metadata.finalizers',
];

/** The whole object but `metadata.managedFields`, which is often half of it. */
export const withoutManagedFields: Projection = parts({
  fields: new Map([
    ['metadata', parts({ fields: new Map([['managedFields', 'none']]), others: 'all' })],
  ]),
  others: 'all',
});

/** The metadata of an object but `managedFields`. */
export const metadataProjection: Projection = parts({
  fields: new Map<string, Projection>([
    ['apiVersion', 'all'],
    ['kind', 'all'],
    ['metadata', parts({ fields: new Map([['managedFields', 'none']]), others: 'all' })],
  ]),
});

function parts(some: Partial<PartProjection>): PartProjection {
  return { fields: new Map(), others: 'none', items: 'none', ...some };
}

/**
 * What `paths` keep of an object, besides what every object keeps.
 *
 * A path names fields from the top: `spec.replicas` keeps that field with all that is in it. `[*]`
 * goes into every item of a list: `status.conditions[*].type`. A name that is not a plain word
 * stands in brackets: `metadata.annotations['example.com/owner']`. `*` keeps the whole object,
 * `managedFields` included. What a path does not fit is dropped: a text where it goes on to a field.
 *
 * @throws ClientError `InvalidPath`
 */
export function parseProjection(paths: readonly string[]): Projection {
  let projection: Projection = 'none';
  for (const path of [...identifying, ...paths]) projection = extend(projection, stepsOf(path));
  return projection;
}

/** What either of both keeps: `projection`, and what the steps lead to. */
function extend(projection: Projection, steps: readonly Step[]): Projection {
  const [step, ...rest] = steps;
  if (projection === 'all' || step === undefined) return 'all';
  const known = projection === 'none' ? parts({}) : projection;
  if (step.kind === 'items') return { ...known, items: extend(known.items, rest) };
  const field = extend(known.fields.get(step.name) ?? known.others, rest);
  return { ...known, fields: new Map(known.fields).set(step.name, field) };
}

type Step = { readonly kind: 'field'; readonly name: string } | { readonly kind: 'items' };

const fieldStep = /\.?([^.[\]'"*\s]+)/y;
const quotedStep = /\['([^']+)'\]/y;
const itemsStep = /\[\*\]/y;

function stepsOf(path: string): readonly Step[] {
  if (path === '*') return [];
  const steps: Step[] = [];
  let at = 0;
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(path);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (at < path.length || path === '') {
    const name = (read(fieldStep) ?? read(quotedStep))?.[1];
    if (name !== undefined) steps.push({ kind: 'field', name });
    else if (at > 0 && read(itemsStep) !== null) steps.push({ kind: 'items' });
    else throw unreadable(path, path.slice(at));
  }
  return steps;
}

function unreadable(path: string, rest: string): ClientError {
  return new ClientError(
    'InvalidPath',
    `Cannot keep "${path}": found "${rest}", expected a path such as spec.replicas, ` +
      "status.conditions[*].type or metadata.annotations['a.b/c']",
  );
}

/** The parts of a value; they are shared with it. `undefined` when nothing is kept. */
export function projectValue(value: unknown, projection: Projection): unknown {
  if (projection === 'all') return value;
  if (projection === 'none') return undefined;
  if (Array.isArray(value)) {
    if (projection.items === 'none') return undefined;
    return value
      .map((item: unknown) => projectValue(item, projection.items))
      .filter((item) => item !== undefined);
  }
  if (!isJsonObject(value) || !takesFields(projection)) return undefined;
  const kept: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const part = projectValue(field, projection.fields.get(name) ?? projection.others);
    if (part !== undefined) kept.push([name, part]);
  }
  return Object.fromEntries(kept);
}

function takesFields({ fields, others }: PartProjection): boolean {
  return fields.size > 0 || others === 'all';
}
