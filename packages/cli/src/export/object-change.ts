import { isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { compareLines, formatDifference } from './line-difference.ts';
import { planManifest } from './plan-manifest.ts';
import { nameOf } from './select-objects.ts';

/** What an apply makes of an object. */
export interface ObjectChange {
  /** What is applied. */
  readonly object: KubeObject;
  /** As it is; `undefined` where it is not there. */
  readonly before: KubeObject | undefined;
  /** As it will be, by a dry run: defaults and what others own included. */
  readonly after: KubeObject;
}

/** How an object changes, in the unified format; empty where it does not. */
export async function formatChange({ before, after }: ObjectChange): Promise<string> {
  const name = nameOf(after);
  const [was, will] = maskSecrets(before, after);
  const lines = compareLines(await textOf(was), await textOf(will));
  const difference = formatDifference(lines);
  if (difference === '') return '';
  const origin = before === undefined ? '/dev/null' : `there/${name}`;
  return `--- ${origin}\n+++ promoted/${name}\n${difference}`;
}

// Fields have one order, whoever answers.
async function textOf(object: KubeObject | undefined): Promise<string> {
  if (object === undefined) return '';
  const { stringify } = await import('yaml');
  const manifest = planManifest(object, object.metadata.namespace);
  return stringify(manifest, { lineWidth: 0, sortMapEntries: true });
}

type Pair = readonly [before: KubeObject | undefined, after: KubeObject];

/** Values of Secrets are shown by whether they change, as kubectl diff does. */
function maskSecrets(before: KubeObject | undefined, after: KubeObject): Pair {
  if (after.kind !== 'Secret') return [before, after];
  const was = valuesOf(before);
  const will = valuesOf(after);
  const mask = (values: Values, others: Values, side: string): Values =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        const isSame = !Object.hasOwn(others, key) || others[key] === value;
        return [key, isSame ? '***' : `*** (${side})`];
      }),
    );
  return [
    before === undefined ? undefined : { ...before, data: mask(was, will, 'before') },
    { ...after, data: mask(will, was, 'after') },
  ];
}

type Values = Readonly<Record<string, unknown>>;

function valuesOf(object: KubeObject | undefined): Values {
  return isJsonObject(object?.data) ? object.data : {};
}
