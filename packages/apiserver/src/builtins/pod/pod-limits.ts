import { isJsonObject, type JsonObject } from '@fnlet/base';
import {
  compareQuantities,
  formatQuantity,
  type KubeObject,
  type Quantity,
  quantityValue,
} from '@fnlet/machinery';
import { forbidden } from '../../answer/status-texts.ts';
import { listField, objectField, textField, withMetadata } from '../../object/object-form.ts';
import type { HookContext } from '../../resource/strategy.ts';
import { changeItems, changeSpec } from '../fill.ts';
import { quantityOf } from './resource-rule.ts';

// The admission plugin LimitRanger for Pods: containers get the resources that a LimitRange of
// their namespace says, and are refused when they, or all of them together, leave its bounds.

const pods = { group: '', plural: 'pods' };
const annotation = 'kubernetes.io/limit-ranger';

/**
 * The Pod with the defaults of the LimitRanges of its namespace.
 *
 * @throws StatusError `Forbidden` when it does not keep within them
 */
export function applyLimitRanges(pod: KubeObject, { others }: HookContext): KubeObject {
  const { namespace } = pod.metadata;
  let filled = pod;
  for (const range of others('', 'limitranges')) {
    if (range.metadata.namespace !== namespace) continue;
    const limits = listField(objectField(range, 'spec'), 'limits');
    filled = fillResources(filled, limits);
    const problems = limits.flatMap((limit) => problemsOf(filled, limit));
    const [first] = problems;
    if (first === undefined) continue;
    const text = problems.length === 1 ? first : `[${[...new Set(problems)].join(', ')}]`;
    throw forbidden(pods, pod.metadata.name, { text });
  }
  return filled;
}

function fillResources(pod: KubeObject, limits: readonly JsonObject[]): KubeObject {
  const forContainers = limits.filter((limit) => limit.type === 'Container');
  const defaults = {
    limits: mergedParts(forContainers, 'default'),
    requests: mergedParts(forContainers, 'defaultRequest'),
  };
  const told: string[] = [];
  const fillOne =
    (what: string) =>
    (container: JsonObject): JsonObject => {
      const resources = objectField(container, 'resources');
      const added = { requests: [] as string[], limits: [] as string[] };
      const next: Record<string, unknown> = { ...resources };
      for (const part of ['requests', 'limits'] as const) {
        const given = objectField(resources, part);
        added[part].push(
          ...Object.keys(defaults[part]).filter((name) => given[name] === undefined),
        );
        if (added[part].length > 0) next[part] = { ...defaults[part], ...given };
      }
      const name = textField(container, 'name');
      for (const [part, word] of [
        ['requests', 'request'],
        ['limits', 'limit'],
      ] as const) {
        const names = added[part].sort();
        if (names.length > 0) told.push(`${names.join(', ')} ${word} for ${what} ${name}`);
      }
      return { ...container, resources: next };
    };
  const filled = changeSpec(pod, (spec) =>
    changeItems(
      changeItems(spec, 'containers', fillOne('container')),
      'initContainers',
      fillOne('init container'),
    ),
  );
  if (told.length === 0) return pod;
  const { annotations } = pod.metadata;
  const text = `LimitRanger plugin set: ${told.join('; ')}`;
  return withMetadata(filled, { annotations: { ...annotations, [annotation]: text } });
}

function mergedParts(limits: readonly JsonObject[], part: string): JsonObject {
  return Object.assign({}, ...limits.map((limit) => objectField(limit, part)));
}

/** What something asks for and may use, by the name of the resource. */
interface Needs {
  readonly requests: Readonly<Record<string, Quantity>>;
  readonly limits: Readonly<Record<string, Quantity>>;
}

function problemsOf(pod: KubeObject, limit: JsonObject): readonly string[] {
  const spec = objectField(pod, 'spec');
  const containers = listField(spec, 'containers').map(needsOf);
  const init = listField(spec, 'initContainers');
  if (limit.type === 'Container') {
    return [...containers, ...init.map(needsOf)].flatMap((needs) => checkNeeds(needs, limit));
  }
  if (limit.type !== 'Pod') return [];
  const sidecars = init.filter(({ restartPolicy }) => restartPolicy === 'Always').map(needsOf);
  const first = init.filter(({ restartPolicy }) => restartPolicy !== 'Always').map(needsOf);
  return checkNeeds(totalOf([...containers, ...sidecars], first), limit);
}

function needsOf(container: JsonObject): Needs {
  const resources = objectField(container, 'resources');
  return { requests: quantitiesOf(resources.requests), limits: quantitiesOf(resources.limits) };
}

function quantitiesOf(value: unknown): Readonly<Record<string, Quantity>> {
  const found: Record<string, Quantity> = {};
  for (const [name, amount] of Object.entries(isJsonObject(value) ? value : {})) {
    const quantity = quantityOf(amount);
    if (quantity !== undefined) found[name] = quantity;
  }
  return found;
}

/** What runs together adds up; what runs before, one after another, counts where it is more. */
function totalOf(together: readonly Needs[], before: readonly Needs[]): Needs {
  const total = (part: keyof Needs): Readonly<Record<string, Quantity>> => {
    const sum: Record<string, Quantity> = {};
    for (const needs of together) {
      for (const [name, { nano, format }] of Object.entries(needs[part])) {
        sum[name] = { nano: (sum[name]?.nano ?? 0n) + nano, format };
      }
    }
    for (const needs of before) {
      for (const [name, one] of Object.entries(needs[part])) {
        const most = sum[name];
        if (most === undefined || compareQuantities(one, most) > 0) sum[name] = one;
      }
    }
    return sum;
  };
  return { requests: total('requests'), limits: total('limits') };
}

/** In the words of Kubernetes, two spaces included (plugin/pkg/admission/limitranger). */
function checkNeeds({ requests, limits }: Needs, limit: JsonObject): readonly string[] {
  const problems: string[] = [];
  const type = String(limit.type);
  for (const [name, least] of sortedEntries(limit.min)) {
    const start = `minimum ${name} usage per ${type} is ${formatQuantity(least)}`;
    const [request, most] = [requests[name], limits[name]];
    if (request === undefined) problems.push(`${start}.  No request is specified`);
    else if (compareQuantities(request, least) < 0) {
      problems.push(`${start}, but request is ${formatQuantity(request)}`);
    } else if (most !== undefined && compareQuantities(most, least) < 0) {
      problems.push(`${start}, but limit is ${formatQuantity(most)}`);
    }
  }
  for (const [name, bound] of sortedEntries(limit.max)) {
    const start = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`;
    const [request, most] = [requests[name], limits[name]];
    if (most === undefined) problems.push(`${start}.  No limit is specified`);
    else if (compareQuantities(most, bound) > 0) {
      problems.push(`${start}, but limit is ${formatQuantity(most)}`);
    } else if (request !== undefined && compareQuantities(request, bound) > 0) {
      problems.push(`${start}, but request is ${formatQuantity(request)}`);
    }
  }
  for (const [name, ratio] of sortedEntries(limit.maxLimitRequestRatio)) {
    const problem = ratioProblem(requests[name], limits[name], ratio);
    const start = `${name} max limit to request ratio per ${type} is ${formatQuantity(ratio)}`;
    if (problem !== undefined) problems.push(`${start}, but ${problem}`);
  }
  return problems;
}

function ratioProblem(
  request: Quantity | undefined,
  most: Quantity | undefined,
  ratio: Quantity,
): string | undefined {
  if (request === undefined || request.nano === 0n)
    return 'no request is specified or request is 0';
  if (most === undefined || most.nano === 0n) return 'no limit is specified or limit is 0';
  const found = quantityValue(most) / quantityValue(request);
  return found > quantityValue(ratio) ? `provided ratio is ${found.toFixed(6)}` : undefined;
}

function sortedEntries(value: unknown): readonly (readonly [string, Quantity])[] {
  return Object.entries(quantitiesOf(value)).sort(([a], [b]) => (a < b ? -1 : 1));
}
